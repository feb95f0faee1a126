"""What a PDF page holds besides its text: values of fields, typed annotations, comments, attachments (ING-42)."""

from __future__ import annotations

import pytest

from knarr.documents import parse
from knarr.documents.pdf.overlay import Shown, placed_texts
from knarr.documents.sections import Document
from knarr.errors import DocumentError
from make_pdf import Page, appearance, pdf, prose, widget

NAME = Page().text(72, 700, "Name of the ship").lines(72, 640, prose(4))


def read(page: Page, annotations: list[str], extra: list[bytes] | None = None, catalog: str = "") -> Document:
    document = parse(pdf([page], annotations=annotations, extra=extra, catalog=catalog), "form.pdf")
    document.check()
    return document


def test_a_value_stands_beside_its_label_though_nothing_shows_it() -> None:
    field = widget("Tx", (200, 695, 400, 712), "/T (ship) /V (Skidbladnir of Uppsala)")
    assert "Name of the ship  Skidbladnir of Uppsala\n" in read(NAME, [field]).text


def test_a_value_with_an_appearance_is_written_once() -> None:
    field = widget("Tx", (200, 695, 400, 715), "/T (ship) /V (Skidbladnir) /AP << /N 3 0 R >>")
    text = read(NAME, [field], [appearance("Skidbladnir")]).text
    assert text.count("Skidbladnir") == 1
    assert "Name of the ship  Skidbladnir\n" in text


def test_a_comb_is_one_word() -> None:
    comb = "/T (tax) /Ff 16777216 /MaxLen 6 /V (482913) /AP << /N 3 0 R >>"
    text = read(NAME, [widget("Tx", (200, 695, 400, 715), comb)], [appearance("4 8 2 9 1 3")]).text
    assert "Name of the ship  482913\n" in text
    assert "4 8 2" not in text


def test_what_a_script_formats_is_read_as_it_is_shown() -> None:
    script = "/AA << /F << /S /JavaScript /JS (AFNumber_Format) >> >>"
    field = widget("Tx", (200, 695, 400, 715), f"/T (sum) /V (1234.5) {script} /AP << /N 3 0 R >>")
    text = read(NAME, [field], [appearance("$1,234.50")]).text
    assert "$1,234.50" in text and "1234.5" not in text


def test_lines_of_a_value_do_not_mix_with_the_label() -> None:
    value = "First the hull.\\rSecond the mast and all that hangs from it.\\rThird the sail."
    text = read(NAME, [widget("Tx", (200, 660, 500, 712), f"/T (work) /Ff 4096 /V ({value})")]).text
    words = " ".join(text.split())
    assert "First the hull. Second the mast and all that hangs from it. Third the sail." in words


def test_boxes_are_ticked_or_not_beside_their_labels() -> None:
    page = Page().text(90, 700, "has paid").text(90, 680, "has sailed")
    states = "/AP << /N << /Yes 3 0 R /Off 3 0 R >> >>"
    boxes = [
        widget("Btn", (72, 698, 84, 710), f"/T (a) /V /Yes /AS /Yes {states}"),
        widget("Btn", (72, 678, 84, 690), f"/T (b) /V /Off /AS /Off {states}"),
    ]
    text = read(page, boxes, [appearance("4", 12, 12)]).text
    assert "[x] has paid\n" in text and "[ ] has sailed\n" in text
    assert "4" not in text


def test_a_choice_shows_the_name_of_its_option() -> None:
    field = widget(
        "Ch", (200, 695, 400, 712), "/T (kind) /Ff 131072 /Opt [[(s1) (Sloop)] [(b1) (Brig)]] /V (b1)"
    )
    text = read(NAME, [field]).text
    assert "Name of the ship  Brig\n" in text and "b1" not in text


def test_a_field_without_a_label_is_called_by_its_name() -> None:
    page = Page().lines(72, 300, prose(4))
    named = widget("Tx", (200, 695, 400, 712), "/T (f1_1) /TU (Port of registry) /V (Visby)")
    unnamed = widget("Tx", (200, 595, 400, 612), "/T (Text12) /V (Kalmar)")
    text = read(page, [named, unnamed]).text
    assert "Port of registry: Visby\n" in text
    assert "\nKalmar\n" in text and "Text12" not in text


def test_hidden_fields_and_passwords_are_not_shown() -> None:
    hidden = widget("Tx", (200, 695, 400, 712), "/T (a) /F 2 /V (secret-one)")
    password = widget("Tx", (200, 655, 400, 672), "/T (b) /Ff 8192 /V (secret-two)")
    document = read(NAME, [hidden, password])
    assert "secret" not in document.text
    assert "form fields that no reader sees left out: 1" in document.notes


def test_typed_text_is_read_from_its_appearance_or_its_content() -> None:
    shown = "/Subtype /FreeText /Rect [72 400 272 420] /Contents (Typed with a look) /AP << /N 3 0 R >>"
    bare = "/Subtype /FreeText /Rect [72 360 272 380] /Contents (Typed without one)"
    text = read(NAME, [shown, bare], [appearance("Typed with a look")]).text
    assert text.count("Typed with a look") == 1 and text.count("Typed without one") == 1


def test_stamps_are_read() -> None:
    text = read(NAME, ["/Subtype /Stamp /Rect [72 400 272 440] /Name /NotApproved"]).text
    assert "Not Approved" in text


def test_comments_stand_behind_their_page_with_who_and_on_what() -> None:
    page = Page().text(72, 700, "The mast is new.").lines(72, 640, prose(4))
    marks = [
        "/Subtype /Highlight /Rect [70 696 160 712] /T (Astrid) /Contents (Is it?)",
        "/Subtype /Text /Rect [500 700 520 720] /Contents (Ask the owner.)",
        "/Subtype /Popup /Rect [400 600 500 700] /Contents (Ask the owner.)",
        "/Subtype /Link /Rect [72 600 100 620] /Contents (a link)",
    ]
    document = parse(pdf([page, Page().lines(72, 700, prose(6, 3))], annotations=marks), "x.pdf")
    document.check()
    begin, end = document.page_begins
    first = document.data[begin:end].decode()
    assert first.endswith(
        "Comment by Astrid on “The mast is new.”: Is it?\n\nComment by unknown: Ask the owner.\n\n"
    )
    assert document.text.count("Ask the owner.") == 1 and "a link" not in document.text
    assert "comments written behind the text of their pages: 2" in document.notes


def test_attached_files_are_named() -> None:
    names = (
        "/Names << /EmbeddedFiles << /Names [(log) << /Type /Filespec /F (log.csv) /UF (log.csv) >>] >> >>"
    )
    assert "attached files not read: “log.csv”" in read(NAME, [], catalog=names).notes


def test_a_dynamic_form_is_never_ok() -> None:
    form = "/NeedsRendering true /AcroForm << /Fields [] /XFA [(template) 3 0 R] >>"
    page = Page().text(72, 700, "Please wait...").lines(72, 640, prose(3))
    document = read(page, [], [b"<< /Length 3 >>\nstream\n<a>\nendstream"], form)
    assert document.status == "partial" and document.missing_pages == (1,)
    assert any("XFA" in note for note in document.notes)


def test_a_page_of_annotations_alone_is_no_blank_page() -> None:
    field = widget("Tx", (200, 695, 400, 712), "/T (x) /V (All there is)")
    document = read(Page(), [field])
    assert "All there is" in document.text and document.status == "ok"


@pytest.mark.parametrize("rotation", [0, 1, 2, 3])
def test_texts_follow_the_direction_of_writing(rotation: int) -> None:
    """However a page is turned, what is written on it runs on after the words of its line."""
    # The same place, before its label's end, in the frame of the page and in that of its text.
    rects = [
        (60.0, 700.0, 160.0, 712.0),
        (-712.0, 60.0, -700.0, 160.0),
        (-160.0, -712.0, -60.0, -700.0),
        (700.0, -160.0, 712.0, -60.0),
    ]
    label = ["Name", 20.0, 50.0, 703.0, 10.0, 0, 0]
    [[text, x0, _, y, *_]] = placed_texts(
        [Shown("Visby", rects[rotation], 10.0, name="port")], [label], rotation
    )
    assert (text, x0) == ("Visby", 60.0) and abs(y - 703.0) < 3


def test_very_many_annotations_cost_no_more_than_their_number() -> None:
    many = [widget("Tx", (10, 10, 600, 700), f"/T (n{at}) /V (value {at})") for at in range(6_000)]
    document = read(Page().lines(72, 700, prose(40)), many)
    assert "annotations beyond the bound not read: 1000" in document.notes


def test_a_long_text_that_many_annotations_share_is_bounded() -> None:
    note = "/Subtype /Text /Rect [0 0 9 9] /Contents 3 0 R"
    with pytest.raises(DocumentError, match="more text than is read"):
        read(NAME, [note] * 100, [b"(" + b"long " * 2_000 + b")"])
