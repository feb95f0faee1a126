"""Pages whose fonts do not say what letters they show are named, and no others (ING-43)."""

from __future__ import annotations

import pytest

from knarr.documents import parse
from knarr.documents.pdf.garbled import is_garbled, readable_words
from knarr.errors import DocumentError
from make_pdf import Page, fontless_pdf, garbled_pdf, prose

ENGLISH = (
    "The quick ships of the northern harbour carried wool and amber to the markets of the south, and what was "
    "paid for them was written down in a book that the owner kept. Jacob examined every page of it himself."
)


def words(text: str) -> list[list[str]]:
    return [[word] for word in text.split()]


def shifted(text: str, by: int) -> str:
    return "".join(chr(max(1, ord(char) - by)) if char != " " else char for char in text)


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        ENGLISH.upper(),
        "Die größten Schiffe führten über das Meer, wo früher Öl für Käse getauscht wurde. " * 3,
        "Xin chào các bạn, hôm nay chúng ta sẽ nói về những con tàu đi qua biển phía bắc của đất nước. " * 3,
        "Ναυς μεν απο του λιμενος εξεπλευσε προς την νησον " * 4,
        "船は北の港から南の市場へ羊毛と琥珀を運んだ。" * 8,
        "سارت السفن من الميناء الشمالي إلى الأسواق الجنوبية " * 4,
        "∫₀¹ f(x)dx = ∑ₙ aₙ·xⁿ/(n+1) ≤ ε ∀x∈ℝ, ∂²u/∂t² = c²·Δu, α+β≥γ " * 6,
        "for (int i = 0; i < n; ++i) { a[i] += b[i] * (c[i] - d[i]); } // sums && |x| != y " * 5,
        "2019 2020 2021 1,204.5 (33.1) 17% 1,377.0 (35.9) 18% $4.20 €3.10 " * 12,
        "1. ........ 3 2. ........ 17 ------- _______ ======= ||||||| " * 6,
        "ATGCCGTTAGCATCGGATTACGCCTAGGTTACAGCAT " * 10,
        "XJ-400/7 QW-33 ZK-9981 PX-27/B VH-12 KK-77 WZ-401 " * 3,
        "Page 3",
    ],
)
def test_what_reads_like_something_passes(text: str) -> None:
    assert not is_garbled(words(text))


@pytest.mark.parametrize(
    "text",
    [
        shifted(ENGLISH, 29),
        shifted(ENGLISH, -1),
        shifted(ENGLISH, -3),
        "Ïðèâåò èç ñåâåðíîãî ïîðòà, ãäå êîðàáëè ãðóçèëè øåðñòü è ÿíòàðü äëÿ þæíûõ ðûíêîâ ïîñëå äîëãîãî ïóòè. "
        * 2,
        "\ue001\ue002\ue003 \ue004\ue005 \ue006\ue007\ue008\ue009 \ue00a\ue00b\ue00c",
        "\ufffd\ufffd\ufffd\ufffd \ufffd\ufffd \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd",
        "7KH\x03TXLFN EURZQ\x03IR[",
        '!"#$ %&\'( )"#! $%&( "!)# (&%$ #"!\' ' * 5,
    ],
)
def test_what_shows_no_letters_is_found(text: str) -> None:
    assert is_garbled(words(text))


def test_guesses_count_where_they_are_in_no_script_of_the_page() -> None:
    text = words("톁톁킰 킜킰톁톁톈 톂킰킱 킘킷킼 킛킸톁톂 킴킾킺톃킼")
    assert is_garbled(text, unmapped=len(text)) and not is_garbled(text)


def test_readable_words_are_kept() -> None:
    kept, lost = readable_words(words("Total \x04\x05\x06 4.20 a\x07 \ufffd"))
    assert [word for [word] in kept] == ["Total", "4.20"] and lost == 6


def test_a_garbled_file_is_refused_by_name() -> None:
    with pytest.raises(
        DocumentError, match="none of 1 pages holds text that can be read; 1 garbled"
    ) as caught:
        parse(garbled_pdf([], ENGLISH), "x.pdf")
    assert caught.value.status == "no_text"


def test_garbled_pages_are_named_and_the_others_read() -> None:
    document = parse(garbled_pdf([Page().lines(72, 700, prose(5))], ENGLISH), "x.pdf")
    assert document.status == "partial" and document.missing_pages == (2,)
    assert "garbled pages, whose fonts do not say what letters they show: 2" in document.notes
    assert "The ship carried cargo" in document.text


def test_characters_that_no_font_has_are_named() -> None:
    document = parse(
        fontless_pdf([Page().text(72, 700, "First."), Page().lines(72, 700, prose(9))], 12), "mixed.pdf"
    )
    assert (document.status, document.missing_pages) == ("partial", (2,))
    assert any("12 characters lost on page 2" in note and "SimSun" in note for note in document.notes)
    assert document.may_change and prose(9)[0].split()[0] in document.text


def test_a_file_that_lost_most_of_its_characters_is_refused() -> None:
    with pytest.raises(DocumentError, match=r"60 characters lost on page 1.*SimSun") as caught:
        parse(fontless_pdf([Page().text(72, 700, "Figures 2024")], 60), "chinese.pdf")
    assert caught.value.status == "no_text"


def test_spaces_that_are_drawn_alone_are_none_lost() -> None:
    page = Page()
    for at, word in enumerate(prose(4)[0].split()):
        page.operators.append(f"BT /F 10 Tf 1 0 0 1 {72 + 40 * at} 700 Tm ({word}) Tj ET")
        page.operators.append(f"BT /F 10 Tf 1 0 0 1 {108 + 40 * at} 700 Tm ( ) Tj ET")
    document = parse(fontless_pdf([page], 0), "spaced.pdf")
    assert (document.status, document.may_change) == ("ok", False)
