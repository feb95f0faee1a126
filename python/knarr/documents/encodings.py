"""Which encoding bytes are in that no mark and no valid UTF-8 explains: a rule on evidence.

1. **UTF-8 with faults.** Outside of UTF-8 its multibyte sequences hardly occur by chance, so a text with at
   least as many valid sequences as faults is UTF-8 that was cut, patched or pasted together.
2. **Two bytes a character** (Japanese, Chinese, Korean). Each encoding puts its everyday characters in one
   area, so a text in it lies there nearly whole, and a text in another one is spread over rare characters.
3. **One byte a character.** The letters beyond ASCII are held against the alphabets of languages; small letters
   are expected inside of words. Windows-1252 wins where nothing speaks for another.

Only lines with bytes beyond ASCII are looked at, and a bounded part of them, so that the cost of a guess does not
grow with the file. A guess is a guess, most of all on a few words: who takes it says so.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_SAMPLE_BYTES = 1 << 12
_PIECE_BYTES = 1 << 10
_HIGH = re.compile(rb"[\x80-\xff]")
_HIGH_BYTES = bytes(range(0x80, 0x100))
_MOST_FAULTS = 0.03  # of the characters beyond ASCII
_LEAST_WIDE = 0.75
_ALPHABETS = (
    # Windows-1252 first: it wins a tie. Each entry is a language, or languages that share a page.
    ("cp1252", "äöüßÄÖÜ"), ("cp1252", "éèêëàâîïôùûçœÉÈÀÇ"), ("cp1252", "áéíóúñüÁÉÍÓÚÑ"), ("cp1252", "ãõáéíóúâêôàçÁÉÍÓÚÃÇ"),
    ("cp1252", "àèéìòùÈÀ"), ("cp1252", "åäöøæéÅÄÖØÆ"), ("cp1252", "áðéíóúýþæöÁÞÖ"), ("cp1252", "éëïóöü"),
    ("cp1250", "ąćęłńóśźżŁŚŻÓĆ"), ("cp1250", "áčďéěíňóřšťúůýžČŘŠŽ"), ("cp1250", "áäčďéíĺľňóôŕšťúýžČŠŽ"),
    ("cp1250", "áéíóöőúüűÁÉÖŐ"), ("cp1250", "čćđšžČĆĐŠŽ"), ("cp1250", "ăâîşţŞŢ"), ("cp1254", "çğıöşüİŞÇÖÜĞ"),
    ("cp1257", "ąčęėįšųūžāēģīķļņŠŽČ"),
    ("cp1251", "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЭЮЯІЇЄ"),
    ("koi8_u", "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЭЮЯІЇЄ"),
    ("cp866", "абвгдежзийклмнопрстуфхцчшщъыьэюяёАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЭЮЯ"),
    ("cp1253", "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώςϊϋΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏ"),
)  # fmt: skip
# What a page declares, by Python's name → what browsers read it as, and so what its author saw.
_SHOWN_AS = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "shift_jis": "cp932",
    "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "big5": "big5hkscs", "tis-620": "cp874",
}  # fmt: skip
_SWITCHED = {b"\x1b$B": "iso2022_jp", b"\x1b$@": "iso2022_jp", b"\x1b$)C": "iso2022_kr"}
# Signs that stand in any language, where no letter is expected.
_SIGNS = "–—‘’“”„•…«»§°€£©®™¿¡·×±½¼¾²³µ¶\xa0"


class _Area(NamedTuple):
    """Where an encoding has its everyday ideographs: first and last lead byte in `codec`, and what each is worth as
    evidence; and the letters of its own language."""

    codec: str
    first: int
    last: int
    worth: float
    letters: tuple[str, str]


_KANA, _HANGUL, _NONE = ("\u3041", "\u30fc"), ("\uac00", "\ud7a3"), ("\x7f", "\x7f")
_WIDE = {
    "cp932": _Area("cp932", 0x88, 0x97, 0.95, _KANA),
    # Worth less, since hardly any Japanese is without kana, and the same bytes are Chinese.
    "euc_jp": _Area("euc_jp", 0xB0, 0xCF, 0.9, _KANA),
    "cp949": _Area("euc_kr", 0xFF, 0x00, 0.0, _HANGUL),
    "gb18030": _Area("gb2312", 0xB0, 0xD7, 0.95, _NONE),
    "big5hkscs": _Area("big5", 0xA4, 0xC6, 0.95, _NONE),
}

_NAMES = {
    "utf-8": "UTF-8", "cp932": "Shift-JIS (Windows-932)", "euc_jp": "EUC-JP", "gb18030": "GB 18030", "big5hkscs": "Big5",
    "cp949": "EUC-KR (Windows-949)", "koi8_u": "KOI8", "cp866": "CP 866",
}  # fmt: skip


def shown_name(encoding: str) -> str:
    """The encoding as a note calls it."""
    return _NAMES.get(encoding) or re.sub(r"^cp(125\d)$", r"Windows-\1", encoding)


def decoded(data: bytes, codec: str) -> str:
    """The text, with U+FFFD for what the encoding does not know."""
    text = data.decode(codec, errors="replace")
    # Python's table gives Apple's private characters to bytes that mean nothing in Shift-JIS.
    return re.sub("[\uf8f0-\uf8f3]", "\ufffd", text) if codec == "cp932" else text


def utf8_faults(data: bytes, text: str) -> int | None:
    """How many faults UTF-8 has that was decoded to `text` with U+FFFD for each; None when the faults outnumber
    the valid sequences, so that it is none."""
    faults = text.count("\ufffd")
    valid = len(text) - faults - len(data.translate(None, _HIGH_BYTES))
    return faults if valid >= faults else None


def declared_codec(name: str) -> str | None:
    """Python's codec for the name that a file gives its encoding; None for a name that is no encoding of text in
    single bytes. Base64 is a codec but no text; a file that declares UTF-16 in ASCII letters is not UTF-16."""
    try:
        # Not b"": that decodes without a look at the name.
        if not isinstance(b"x".decode(name), str):
            return None
    except (LookupError, ValueError):
        return None
    known = codecs.lookup(name).name
    return _SHOWN_AS.get(known, known)


def switched(data: bytes) -> str | None:
    """The encoding of seven-bit mail (ISO-2022), which is valid UTF-8 but not readable as it; None for other bytes."""
    found = next((name for mark, name in _SWITCHED.items() if mark in data), None)
    try:
        return found if found and data.decode(found) else None
    except UnicodeDecodeError:
        return None


def guess(data: bytes) -> str:
    """The likeliest legacy encoding of bytes that are no UTF-8."""
    sample = _sample(data)
    wide = max(((_wide_share(sample, name), name) for name in _WIDE), key=lambda one: one[0])
    narrow = "cp1252", 0.0
    for name, alphabet in _ALPHABETS:
        share = _narrow_share(sample, name, alphabet)
        if share > narrow[1]:
            narrow = name, share
    return wide[1] if wide[0] >= max(_LEAST_WIDE, narrow[1]) else narrow[0]


def _sample(data: bytes) -> bytes:
    """What follows the first byte beyond ASCII in each line: there a character begins, in every encoding."""
    pieces, size, at = [], 0, 0
    while size < _SAMPLE_BYTES and (found := _HIGH.search(data, at)):
        # The word that it stands in shows whether it is a letter among letters.
        begin = max(at, found.start() - 1)
        end = data.find(b"\n", begin)
        at = len(data) if end < 0 else end + 1
        pieces.append(data[begin : min(at, begin + _PIECE_BYTES)])
        size += len(pieces[-1])
    return b"".join(pieces)


def _wide_share(sample: bytes, name: str) -> float:
    """How much of the characters beyond ASCII are everyday ones of this encoding, 0 for text that is none."""
    text = sample.decode(name, errors="replace")
    beyond = [char for char in text if char > "\x7f"]
    faults = text.count("\ufffd")
    # A piece may end inside a character.
    if not beyond or faults > max(1 + len(sample) // _PIECE_BYTES, _MOST_FAULTS * len(beyond)):
        return 0.0
    area = _WIDE[name]
    score = 0.0
    for char in beyond:
        pair = char.encode(area.codec, "replace")
        if area.letters[0] <= char <= area.letters[1]:
            score += len(pair) == 2
        elif "\u3000" <= char <= "\u3002" or "\u300c" <= char <= "\u300f" or "\uff01" <= char <= "\uff1f":
            score += 0.9
        elif len(pair) == 2 and area.first <= pair[0] <= area.last:
            score += area.worth
    # One byte a character means letters among letters of ASCII, where these write words of their own.
    mixed = len(re.findall(r"[a-z][^\x00-\x7f][a-z]", text))
    return max(0.0, score - 2 * mixed) / len(beyond)


def _narrow_share(sample: bytes, name: str, alphabet: str) -> float:
    """How much of the characters beyond ASCII are letters of the alphabet in a fitting place, or signs."""
    text = f" {sample.decode(name, errors='replace')} "
    letters, signs, count, score = frozenset(alphabet), frozenset(_SIGNS), 0, 0.0
    latin = letters.isdisjoint("аα")
    for before, char, after in zip(text, text[1:], text[2:], strict=False):
        if char <= "\x7f":
            continue
        count += 1
        inside = before.isalpha()
        if char in letters:
            odd = inside and char.isupper() and before.islower()
            mixed = inside and not latin and before <= "\x7f"
            alone = not inside and not after.isalpha()
            score += 0.2 if odd or mixed else 0.5 if alone else 1.0
        elif char in signs:
            # A sign inside of a word is a letter of another encoding.
            score += 0.9 if not inside or char in "’°®™…”»" else 0.1
    return score / count if count else 0.0
