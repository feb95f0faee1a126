"""Bytes to text: marks, encodings, line ends, and what is refused."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knarr.documents import Limits, encodings
from knarr.documents.decode import decode
from knarr.errors import DocumentError

TEXT = "# First\r\n\r\nbody\r\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode("utf-8"),
        codecs.BOM_UTF8 + TEXT.encode("utf-8"),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
        codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
    ],
)
def test_every_unicode_encoding_gives_the_same_text(data: bytes) -> None:
    assert decode(data).text == "# First\n\nbody\n"


def test_all_line_ends_become_line_feeds() -> None:
    assert decode(b"a\r\nb\rc\nd\r\r\ne").text == "a\nb\nc\nd\n\ne"


def test_other_separators_stay() -> None:
    text = "a\x0bb\x0cc\x85d\u2028e"
    assert decode(text.encode("utf-8")).text == text


def test_a_doubled_mark_is_dropped_and_one_inside_stays() -> None:
    assert decode("\ufeff\ufeffa\ufeffb".encode()).text == "a\ufeffb"


def test_windows_1252_is_the_fallback_and_says_so() -> None:
    decoded = decode("Café – “quoted” 5 €".encode("cp1252"))
    assert decoded.text == "Café – “quoted” 5 €"
    assert decoded.encoding == "cp1252"
    assert "Windows-1252" in decoded.notes[0]


def test_a_declared_encoding_comes_before_the_fallback() -> None:
    data = "日本語の文書です".encode("shift_jis")
    assert decode(data, declared="Shift_JIS").text == "日本語の文書です"
    # Of these names nothing is believed; the bytes speak for themselves.
    for name in ("no-such-encoding", "base64", "utf-8", "utf-16", "ascii"):
        assert decode(data, declared=name).text == "日本語の文書です", name
    # As browsers do: what authors call Latin-1 has Windows's quotation marks.
    assert decode("“é”".encode("cp1252"), declared="iso-8859-1").text == "“é”"


@pytest.mark.parametrize("fault", [b"\xb6", b"\xe5\xae", b"\xff\xfe", b"\xc3"])
def test_a_fault_in_utf8_costs_itself_only(fault: bytes) -> None:
    """ING-15"""
    for filler in (b"", b"plain words " * 9_000):
        decoded = decode(filler + "\nEl niño ".encode() + fault + " línea 完了 über\n".encode(), "a.txt")
        assert decoded.encoding == "utf-8"
        assert "El niño \ufffd" in decoded.text and "línea 完了 über" in decoded.text
        assert "U+FFFD" in decoded.notes[0]


LEGACY = [
    ("cp932", "会議の記録、料金は五百円です"),
    ("cp932", "株式会社鈴木商店 見積書"),
    ("euc_jp", "会議の記録、料金は五百円です"),
    ("gb18030", "会议记录：费用为五百元，不可退还。"),
    ("gb18030", "会议结束"),
    ("big5", "會議紀錄：費用為五百元，不可退還。"),
    ("euc_kr", "회의 기록: 요금은 오백 원입니다"),
    ("cp1252", "Größe und Maß – 5 €"),
    ("cp1252", "¿Cuánto cuesta? Mañana será más barato"),
    ("cp1252", "Les élèves étaient déjà à l’école"),
    ("cp1252", "40 °C ± 2 µm"),
    ("cp1252", "GEBÜHREN FÜR ÄMTER"),
    ("cp1250", "Opłata za następny miesiąc jest niższa"),
    ("cp1250", "Poplatek se vrací příští měsíc, což je důležité"),
    ("cp1251", "Плата за проезд возвращается в течение месяца"),
    ("koi8_u", "Плата за проезд возвращается в течение месяца"),
    ("cp1253", "Το αντίτιμο επιστρέφεται σε τριάντα ημέρες"),
    ("iso2022_jp", "会議の記録、料金は五百円です"),
]


@pytest.mark.parametrize(("encoding", "text"), LEGACY)
def test_encodings_before_unicode_are_told_apart(encoding: str, text: str) -> None:
    """ING-15: alone, and after much ASCII; the note says what was assumed."""
    for before in ("", "word " * 2_000 + "\n"):
        decoded = decode((before + text + "\n").encode(encoding), "old.txt")
        assert decoded.text == before + text + "\n"
        assert any("read as" in note for note in decoded.notes)


def test_a_fault_in_an_old_encoding_is_said() -> None:
    data = ("会議の記録、料金は五百円です。" * 5).encode("cp932")
    decoded = decode(data[:20] + b"\xff\xff" + data[20:])
    assert decoded.encoding == "cp932" and decoded.text.count("\ufffd") == 2
    assert decoded.notes[1].startswith("2 characters could not be decoded")


def test_a_guess_looks_at_a_bounded_part() -> None:
    """Whatever the size of the file; the codecs themselves are C."""
    text = "Плата за проезд возвращается\n" * 200
    sample = encodings._sample((text * 50).encode("cp1251"))
    assert 0 < len(sample) <= encodings._SAMPLE_BYTES + encodings._PIECE_BYTES


def test_a_stray_nul_is_replaced_and_noted() -> None:
    decoded = decode(b"one " * 100 + b"\0" + b"two")
    assert "\0" not in decoded.text
    assert "\ufffd" in decoded.text
    assert "NUL" in decoded.notes[0]


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE + b"\n\0"])
def test_nothing_is_empty(data: bytes) -> None:
    with pytest.raises(DocumentError) as error:
        decode(data, "void.md")
    assert error.value.status == "empty"
    assert "void.md" in str(error.value)


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 8,
        b"\x7fELF\x02\x01\x01" + b"\0" * 64 + b"text",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 9,
    ],
)
def test_binary_is_unsupported(data: bytes) -> None:
    with pytest.raises(DocumentError) as error:
        decode(data, "x.txt")
    assert error.value.status == "unsupported"


def test_the_size_is_limited() -> None:
    with pytest.raises(DocumentError) as error:
        decode(b"x" * 101, limits=Limits(text_bytes=100))
    assert error.value.status == "limit"
    assert "101" in str(error.value) and "100" in str(error.value)


@given(st.binary(max_size=400))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    try:
        text = decode(data).text
    except DocumentError as error:
        assert error.status in ("empty", "unsupported")
    else:
        assert "\r" not in text and "\0" not in text and not text.startswith("\ufeff")
        text.encode("utf-8")


_WIDE = "utf-16-le utf-16-be utf-32-le utf-32-be"
_TEXTS = {
    "Die Gemeinde prüft Anträge für Gebäude und Straßen. Größere Änderungen begründet sie schriftlich. ": "cp1252 mac_roman cp850",
    "Zażółć gęślą jaźń. Każda książka była wcześniej sprawdzona, późniejsze zmiany są możliwe. ": "cp1250 iso8859-2",
    "Городской совет принял решение о строительстве новой школы для детей. ": "cp1251 koi8_r cp866 iso8859-5 mac_cyrillic",
    "Το δημοτικό συμβούλιο αποφάσισε την κατασκευή νέου σχολείου για τα παιδιά. ": "cp1253 iso8859-7",
    "מועצת העיר החליטה לבנות בית ספר חדש לילדים. ": "cp1255 iso8859-8",
    "قرر مجلس المدينة بناء مدرسة جديدة للأطفال. ": "cp1256 iso8859-6",
    "สภาเมืองมีมติให้สร้างโรงเรียนใหม่สำหรับเด็ก ": "cp874",
    "市議會決定建設一所新學校。本合約自簽字之日起生效。": "big5 gb18030",
}


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(text, one) for text, names in _TEXTS.items() for one in f"{names} {_WIDE}".split()],
)
@pytest.mark.parametrize("times", [1, 40])
def test_scripts_are_told_apart_in_every_encoding(text: str, encoding: str, times: int) -> None:
    """ING-15"""
    decoded = decode((text * times).encode(encoding))
    assert decoded.text == text * times and decoded.notes


def test_narrow_kana_are_japanese() -> None:
    text = "ﾃｽﾄﾃﾞｰﾀの一覧。ﾌｧｲﾙ名を入力する。"
    assert decode(text.encode("cp932")).text == text


@pytest.mark.parametrize("data", [b"a.txt\0b.txt\0" * 40, b"he\0 " * 99, bytes(range(1, 256)) * 9])
def test_bytes_with_nuls_are_no_wide_text(data: bytes) -> None:
    try:
        assert decode(data).text.isascii() or "\ufffd" in decode(data).text
    except DocumentError as error:
        assert error.status == "unsupported"
