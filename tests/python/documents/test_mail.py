"""Messages: every text in them is read once, whatever parts it came in, and what is not is named."""

from __future__ import annotations

import pytest

from knarr.documents import Document, parse
from knarr.errors import DocumentError

_HEAD = "From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\nSubject: Plan\nMIME-Version: 1.0\n"


def read(text: str, name: str = "a.eml") -> Document:
    document = parse(text.encode(), name)
    document.check()
    return document


def parts(kind: str, *found: str) -> str:
    return (
        _HEAD
        + f'Content-Type: multipart/{kind}; boundary="b"\n\n'
        + "".join(f"--b\n{one}\n" for one in found)
        + "--b--\n"
    )


_PLAIN = "Content-Type: text/plain\n\nfirst words of the plain part"
_STYLED = "Content-Type: text/html\n\n<p>second words only styled here</p>"


def test_forms_of_one_text_are_read_once_and_different_texts_all() -> None:
    assert "second" not in read(parts("alternative", _PLAIN, _STYLED)).text
    both = read(parts("mixed", _PLAIN, _STYLED)).text
    assert both.index("first words") < both.index("second words")
    assert "first words" in read(parts("mixed", _STYLED, _PLAIN)).text


@pytest.mark.parametrize(
    ("more", "body", "text"),
    [
        (
            "",
            "a long \nline\n> said \n> before\n>> deeper\n-- \nAnn",
            "a long line\n> said before\n>> deeper\n-- \nAnn",
        ),
        ("; delsp=yes", "日本語の \n文章", "日本語の文章"),
        ("", " >no quotation\n From here", ">no quotation\nFrom here"),
    ],
)
def test_lines_that_flow_are_paragraphs(more: str, body: str, text: str) -> None:
    found = read(f"{_HEAD}Content-Type: text/plain; charset=utf-8; format=flowed{more}\n\n{body}\n").text
    assert found.partition("\n\n")[2] == text + "\n"


def test_an_invitation_says_when_and_where() -> None:
    calendar = (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Budget\\, again\nDTSTART;TZID=Europe/Berlin:20261202T090000\nLOCATION:Room\n"
        '  five\nORGANIZER;CN="Bee, Ann":mailto:a@example.org\nBEGIN:VALARM\nDESCRIPTION:alarm\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR\n'
    )
    text = read(parts("mixed", _PLAIN, f"Content-Type: text/calendar\n\n{calendar}")).text
    assert "## Budget, again\n\nBegins: 2026-12-02 09:00 (Europe/Berlin)\nPlace: Room five\n" in text
    assert "Organizer: Bee, Ann <a@example.org>" in text and "alarm" not in text
    assert read(calendar, "a.ics").root.children[0].title == "Budget, again"
    with pytest.raises(DocumentError) as error:
        read("BEGIN:VCALENDAR\nEND:VCALENDAR\n", "a.ics")
    assert error.value.status == "no_text"


def test_a_report_of_delivery_is_read_and_a_signature_named() -> None:
    status = "Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\nFinal-Recipient: rfc822; b@example.org\n"
    assert "Final-Recipient: rfc822; b@example.org" in read(parts("report", _PLAIN, status)).text
    signature = "Content-Type: application/pgp-signature; name=signature.asc\n\n-----BEGIN PGP SIGNATURE-----"
    document = read(parts("signed", _PLAIN, signature))
    assert "PGP" not in document.text and "a digital signature left out" in document.notes


def test_an_encrypted_message_says_so_and_takes_no_others_with_it() -> None:
    sealed = parts("encrypted", "Content-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----")
    with pytest.raises(DocumentError) as error:
        read(sealed)
    assert error.value.status == "encrypted"
    line = "From a@b Tue Dec  1 10:00:00 2026\n"
    document = read(f"{line}{sealed}\n{line}Subject: Open\n\nwords\n", "a.mbox")
    assert document.status == "partial" and document.notes == (
        "not read: message 1: the message is encrypted",
    )
    assert [section.title for section in document.root.children] == ["Open"]


def test_messages_of_an_mbox_have_their_attachments() -> None:
    table = "Content-Type: text/csv; name=t.csv\nContent-Disposition: attachment; filename=t.csv\n\na,b\n1,2"
    one = "From a@b Tue Dec  1 10:00:00 2026\n" + parts("mixed", _PLAIN, table)
    document = read(one * 40, "a.mbox")
    assert document.text.count("| 1 | 2 |") == 40 and document.notes == ()
    assert document.root.children[0].children[0].title == "t.csv"
