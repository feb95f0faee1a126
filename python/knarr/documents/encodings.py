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
_LEAST_WIDE = 0.71
_FEW_WIDE = 3
_WESTERN, _CENTRAL = ("cp1252", "mac_roman", "cp850"), ("cp1250", "iso8859_2")
_CYRILLIC, _GREEK = ("cp1251", "koi8_u", "cp866", "iso8859_5", "mac_cyrillic"), ("cp1253", "iso8859_7")
# Windows-1252 first: the first wins a tie. Each entry is a language, or languages that share a page, and the encodings that
# its texts are found in; letters of other scripts than Latin stand in the order of how often they occur.
_ALPHABETS = (
    (_WESTERN, "äöüßÄÖÜ"), (_WESTERN, "éèêëàâîïôùûçœÉÈÀÇ"), (_WESTERN, "áéíóúñüÁÉÍÓÚÑ"), (_WESTERN, "ãõáéíóúâêôàçÁÉÍÓÚÃÇ"),
    (_WESTERN, "àèéìòùÈÀ"), (_WESTERN, "åäöøæéÅÄÖØÆ"), (_WESTERN, "áðéíóúýþæöÁÞÖ"), (_WESTERN, "éëïóöü"),
    (_CENTRAL, "ąćęłńóśźżŁŚŻÓĆ"), (_CENTRAL, "áčďéěíňóřšťúůýžČŘŠŽ"), (_CENTRAL, "áäčďéíĺľňóôŕšťúýžČŠŽ"),
    (_CENTRAL, "áéíóöőúüűÁÉÖŐ"), (_CENTRAL, "čćđšžČĆĐŠŽ"), (_CENTRAL, "ăâîşţÎŞŢ"), (("cp1254",), "çğıöşüİŞÇÖÜĞ"),
    (("cp1257",), "ąčęėįšųūžāēģīķļņŠŽČ"),
    (_CYRILLIC, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёОЕАИНТСРВЛКМДПУЯГЗБЧХЖШЮЦЩЭФ"),
    (_CYRILLIC, "оаинетвірсклмдупяьзгбчйїжхшюєцщфґОАИНЕТВІРСКЛМДУПЯЗГБЧЇЖХШЮЄЦЩФҐ"),
    (_CYRILLIC, "аиоетнсрвлпкдмзяъбугчхжцшщйфюьАИОЕТНСРВЛПКДМЗЯЪБУГЧХЖЦШЩЙФЮ"),
    (_GREEK, "αοιετσνηυρπκμλςίόωάθδέήγχβφξύώζψϊϋΑΟΙΕΤΣΝΗΥΡΠΚΜΛΩΘΔΓΧΒΦΞΖΨΌΆΈΉΊΎΏ"),
    (("cp1255",), "יוהלאתרבשמנעדחקפכטםגסזצןךףץ"),
    (("cp1256", "iso8859_6"), "الينمترعوةدبهسفكقحجشصىخأطذإضئثزغءظؤآ"),
    (("cp874",), "านรกอมเงยสลวทดตป่คบะหจพชขแ้ีไใิัุูืำ์ผซถธศณโ็ษญภฟฐฉ๐๑๒๓๔๕๖๗๘๙ฯๆึ"),
)  # fmt: skip
# Rather the usual encoding than one of old machines, where both explain a text.
_HANDICAPS = {
    "mac_roman": 0.95,
    "cp850": 0.95,
    "iso8859_2": 0.99,
    "iso8859_5": 0.97,
    "mac_cyrillic": 0.97,
    "cp866": 0.98,
}
# What a page declares, by Python's name → what browsers read it as, and so what its author saw.
_SHOWN_AS = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "shift_jis": "cp932",
    "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "big5": "big5hkscs", "tis-620": "cp874",
}  # fmt: skip
_SWITCHED = {b"\x1b$B": "iso2022_jp", b"\x1b$@": "iso2022_jp", b"\x1b$)C": "iso2022_kr"}
_LEAST_WIDE_BYTES, _LEAST_IN_USE, _LEAST_ODD, _LEAST_NULS = 8, 0.9, 0.02, 0.3
_ODD = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_IN_USE = re.compile(
    "[\t\n\r\x20-\x7e\xa0-\u024f\u0370-\u052f\u0590-\u06ff\u0900-\u0e7f\u1e00-\u1eff\u2010-\u2027\u20ac\u2190-\u21ff\u2500-\u257f"
    "\u3000-\u30ff\u4e00-\u9fa5\uac00-\ud7a3\uff00-\uff9f]"
)
# Signs that stand in any language, where no letter is expected.
_SIGNS = frozenset("–—‘’“”„•…«»§°€£©®™¿¡·×±½¼¾²³µ¶،؛؟\xa0")


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
    "mac_roman": "Mac Roman", "mac_cyrillic": "Mac Cyrillic", "cp850": "CP 850", "cp874": "Windows-874 (Thai)", "iso8859_2": "ISO 8859-2",
    "iso8859_5": "ISO 8859-5", "iso8859_6": "ISO 8859-6", "iso8859_7": "ISO 8859-7",
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


def wide_unicode(sample: bytes) -> str | None:
    """UTF-32 or UTF-16 without a mark; None for other bytes.

    Text in single bytes holds neither NUL nor control characters, so only bytes with some are looked at. In UTF-32 two
    bytes of four hardly differ from zero. In UTF-16 the characters are those of scripts in use; read in the wrong order
    they are spread over all of Unicode."""
    odd = len(_ODD.findall(sample))
    least = _LEAST_NULS if sample.isascii() else _LEAST_ODD
    if odd <= least * len(sample) or len(sample) < _LEAST_WIDE_BYTES:
        return None
    sample = sample[: len(sample) // 4 * 4]
    quarter = len(sample) // 4
    for codec, high in (("utf_32_le", sample[3::4]), ("utf_32_be", sample[0::4])):
        # All of them zero, in texts of whatever script.
        if high.count(0) == quarter and _in_use(sample, codec) > _LEAST_IN_USE:
            return codec.replace("_", "-")
    shares = sorted((_in_use(sample, codec), codec) for codec in ("utf_16_le", "utf_16_be"))
    return shares[1][1].replace("_", "-") if shares[1][0] > max(_LEAST_IN_USE, shares[0][0] + 0.1) else None


def _in_use(sample: bytes, codec: str) -> float:
    """How much of the characters belong to scripts and signs in use."""
    text = sample.decode(codec, errors="replace").removesuffix("\ufffd")
    return len(_IN_USE.findall(text)) / max(1, len(text))


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
    for names, alphabet in _ALPHABETS:
        for name in names:
            share = _narrow_share(sample, name, alphabet) * _HANDICAPS.get(name, 1.0)
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
    # In a text of ASCII a sign or two are no characters of two bytes.
    if (
        (len(beyond) < _FEW_WIDE and len(text) > 4 * len(beyond))
        or not beyond
        or faults > max(1 + len(sample) // _PIECE_BYTES, _MOST_FAULTS * len(beyond))
    ):
        return 0.0
    area = _WIDE[name]
    score = 0.0
    for char in beyond:
        pair = char.encode(area.codec, "replace")
        if area.letters[0] <= char <= area.letters[1]:
            score += len(pair) == 2
        elif "\u3000" <= char <= "\u3002" or "\u300c" <= char <= "\u300f" or "\uff01" <= char <= "\uff1f":
            score += 0.9
        elif "\uff61" <= char <= "\uff9f":
            score += 0.7  # narrow kana, one byte each: so is all of Cyrillic
        elif len(pair) == 2 and area.first <= pair[0] <= area.last:
            score += area.worth
        elif name == "gb18030" and 0xA4 <= char.encode("big5", "replace")[0] <= 0xC6:
            score += 0.85  # an everyday ideograph of traditional Chinese
    # One byte a character means letters among letters of ASCII, where these write words of their own.
    mixed = len(re.findall(r"[a-z][^\x00-\x7f][a-z]", text))
    return max(0.0, score - 2 * mixed) / len(beyond)


def _narrow_share(sample: bytes, name: str, alphabet: str) -> float:
    """How much of the characters beyond ASCII are letters of the alphabet in a fitting place, or signs."""
    text = f" {sample.decode(name, errors='replace')} "
    latin = alphabet[0] < "\u0250"
    small = sum(not char.isupper() for char in alphabet)
    worth = {
        char: 1.0 if latin else 0.75 if char.isupper() else 1.0 - 0.5 * at / small
        for at, char in enumerate(alphabet)
    }
    count, score = 0, 0.0
    for before, char, after in zip(text, text[1:], text[2:], strict=False):
        if char <= "\x7f":
            continue
        count += 1
        if char in worth:
            score += worth[char] * _fit(before, char, after, latin)
        elif char in _SIGNS:
            # A sign inside of a word is a letter of another encoding.
            joins = char == "’" and before.isalpha() and after.isalpha()
            score += 1.0 if joins else 0.9 if not before.isalpha() or char in "’°®™…”»" else 0.1
    return score / count if count else 0.0


def _fit(before: str, char: str, after: str, latin: bool) -> float:
    """How well a letter beyond ASCII stands where it does."""
    inside = before.isalpha()
    if inside and char.isupper() and before.islower():
        return 0.2
    if not latin:
        # Words of one script; a vowel sign may begin a word of none.
        return 0.2 if inside and before <= "\x7f" else 1.0
    if before > "\x7f" and after > "\x7f" and inside and after.isalpha():
        return 0.3  # Latin words are ASCII for the most part
    return 1.0 if inside or after.isalpha() else 0.5
