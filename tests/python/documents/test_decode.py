"""Bytes to text: marks, encodings, line ends, and what is refused."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knarr.documents import Limits
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
    assert decode(data, declared="no-such-encoding").encoding == "cp1252"
    assert decode(data, declared="base64").encoding == "cp1252"


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
