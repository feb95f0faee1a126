"""URIs: the one place that knows how they are made, cut, joined and compared.

A URI is ``viking://`` and components joined by `/`. A component is made from a title and kept
readable: white space becomes `_`, everything else stays, letters of any script included; the URI
percent-encodes, once, the few characters that would break it. Titles longer than 80 characters keep
their beginning and get a hash tail. Names that would mean something else (`..`, a leading dot, which
marks our own files) get a leading `_`. Equal siblings get `~2`, `~3` in document order.

Two kinds of functions. `components`, `canonical`, `place`, `within` and `name_of` take a URI as a user
writes it, decode it, and raise InvalidArgument where it is none. The others (`parent`, `above`,
`below`, `relative`, …) take URIs in their one written form, as the catalog and the engine hold them,
and only cut and join text: equal text is an equal URI there. A trailing slash is optional everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from knarr.errors import InvalidArgument

SCHEME = "viking://"
"""Begins every URI; alone it is the URI of the root, the one directory that is always written with its slash."""

ABSTRACT_NAME = ".abstract.md"
"""The name of the object that says what a directory holds."""

MAX_NAME_CHARS = 80
# Bounds the URI of a document or of a folder above it. The engine takes 64 KiB; the rest is left for the
# sections and chunks below, a few levels of short names.
MAX_PLACE_BYTES = 32 << 10

_CHUNK_SUFFIX = ".md"

# Characters that must be escaped inside a component; the same set as in cpp/uri/uri.cc.
_ENCODE = re.compile(r"[%/?#\\\x00-\x20\x7f]")
_ESCAPED_TEXT = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
_ESCAPE = re.compile(r"(%[0-7][0-9A-Fa-f])")


def component(title: str) -> str:
    """The (decoded) URI component for a title; never empty, never `.` or `..`."""
    name = "".join(" " if ch.isspace() else ch for ch in title)
    name = "".join(ch for ch in name if unicodedata.category(ch) not in ("Cc", "Cs"))
    name = unicodedata.normalize("NFC", name)  # now that nothing stands between a letter and its accent
    name = re.sub(r"\s+", "_", name.strip())
    if len(name) > MAX_NAME_CHARS:
        import hashlib  # here, so that this module, which everything imports, costs nothing to import

        tail = hashlib.sha256(name.encode("utf-8")).hexdigest()[:8]
        name = f"{name[: MAX_NAME_CHARS - 9]}-{tail}"
    if not name:
        return "_"
    return f"_{name}" if name.startswith(".") else name


def encode(name: str) -> str:
    """Percent-encode a component for use in a URI."""
    return _ENCODE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8")), name)


def numbered(name: str, number: int, suffix: str = "") -> str:
    """The name of the first, second, … of equal siblings: `name`, `name~2`, …, before `suffix`."""
    return f"{name}{suffix}" if number == 1 else f"{name}~{number}{suffix}"


class SiblingNames:
    """Hands out distinct names among the children of one directory."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        # By name: the first number that was never tried. Names are never given back, so all lower
        # numbers stay taken, and a thousand equal headings cost a thousand looks, not half a million.
        self._untried: dict[tuple[str, str], int] = {}

    def claim(self, name: str, suffix: str = "") -> str:
        """`name + suffix`, or with `~2`, `~3`, … before the suffix when that is taken."""
        number = self._untried.get((name, suffix), 1)
        while (candidate := numbered(name, number, suffix)) in self._taken:
            number += 1
        self._taken.add(candidate)
        self._untried[name, suffix] = number + 1
        return candidate

    def claim_chunk(self, section: str, number: int) -> str:
        """The name of a section's chunk, which counts its chunks from 1."""
        return self.claim(f"{section}_{number}", _CHUNK_SUFFIX)


def components(uri: str) -> tuple[str, ...]:
    """The decoded components of a URI; `()` for `viking://`. A trailing slash is optional.

    Raises InvalidArgument for another scheme, an empty, `.` or `..` component, a control character
    or a malformed escape: nothing that means something else once decoded gets through."""
    if not uri.startswith(SCHEME):
        raise InvalidArgument(f"{uri!r}: expected a URI that starts with {SCHEME}")
    rest = uri[len(SCHEME) :].removesuffix("/")
    return tuple(_decode(part, uri) for part in rest.split("/")) if rest else ()


def _decode(part: str, uri: str) -> str:
    if re.search(r"%(?![0-9A-Fa-f]{2})", part):
        raise InvalidArgument(
            f"{uri!r}: a `%` must be followed by two hexadecimal digits (`%25` for the sign itself)"
        )
    try:
        name = unicodedata.normalize("NFC", _unescape(part).decode("utf-8") if "%" in part else part)
    except UnicodeError:
        raise InvalidArgument(f"{uri!r}: its escapes are not UTF-8") from None
    # A dot segment before an encoded slash would be one for whoever decodes twice.
    head = re.split(r"[/\\]", name, maxsplit=1)[0]
    if not name or head in (".", "..") or any(unicodedata.category(ch) in ("Cc", "Cs") for ch in name):
        raise InvalidArgument(
            f"{uri!r}: the component {part!r} is empty, a dot segment or holds a control character or a "
            "lone surrogate"
        )
    return name


def _unescape(part: str) -> bytes:
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(part)


@lru_cache(maxsize=4096)
def canonical(uri: str) -> str:
    """A URI in its one written form, without a trailing slash (except `viking://` itself)."""
    return SCHEME + "/".join(encode(name) for name in components(uri))


def place(uri: str) -> str:
    """The canonical URI of a place for documents, which the engine and the catalog must both be able to hold.

    Raises InvalidArgument for a name that stands for abstracts, and for more than `MAX_PLACE_BYTES`."""
    if ABSTRACT_NAME in components(uri):
        raise InvalidArgument(f"{uri}: {ABSTRACT_NAME} is the name of abstracts; choose another one")
    uri = canonical(uri)
    size = len(uri.encode("utf-8"))
    if size > MAX_PLACE_BYTES:
        raise InvalidArgument(
            f"{uri[:80]}…: a URI of {size} bytes; at most {MAX_PLACE_BYTES} are possible here"
        )
    return uri


def within(uri: str, scope: str) -> bool:
    """Whether `uri` is `scope` or stands under it; `a/b` is no ancestor of `a/bc`. Raises InvalidArgument."""
    under, above_it = components(uri), components(scope)
    return under[: len(above_it)] == above_it


def name_of(uri: str) -> str:
    """The decoded last component, "" for the root."""
    parts = components(uri)
    return parts[-1] if parts else ""


def is_uri(text: str) -> bool:
    """Whether a text means to be a URI: it begins like one."""
    return text.startswith(SCHEME)


# -- on URIs in their one written form -----------------------------------------------------------------


def as_directory(uri: str) -> str:
    """With a trailing slash, as directories are shown."""
    return uri if uri.endswith("/") else f"{uri}/"


def without_slash(uri: str) -> str:
    """Without a trailing slash, as URIs are kept; the root stays as it is."""
    return uri if uri == SCHEME else uri.removesuffix("/")


def join(base: str, *names: str) -> str:
    """The URI of the directory `base` extended by decoded components; no trailing slash."""
    return below(base, "/".join(encode(name) for name in names))


def below(base: str, path: str) -> str:
    """The URI at an encoded path relative to `base`, which is `base` itself for the empty path; the
    catalog keeps the sections and objects of a document by such paths."""
    return as_directory(base) + path if path else without_slash(base)


def relative_below(path: str, name: str) -> str:
    """The encoded path of the component `name` in the directory at `path`; both relative to one document."""
    return f"{path}/{encode(name)}" if path else encode(name)


def relative(uri: str, base: str) -> str | None:
    """The encoded path of `uri` relative to `base`, "" for `base` itself, None for a URI elsewhere."""
    uri, base = without_slash(uri), without_slash(base)
    if uri == base:
        return ""
    return uri.removeprefix(as_directory(base)) if uri.startswith(as_directory(base)) else None


def lies_in(uri: str, directory: str) -> bool:
    """Whether `uri` is `directory` or stands under it."""
    return relative(uri, directory) is not None


def moved(uri: str, source: str, target: str) -> str:
    """Where `uri`, at or below `source`, is after `source` has become `target`."""
    path = relative(uri, source)
    assert path is not None, (uri, source)
    return below(target, path)


def parent(uri: str) -> str:
    """The directory directly above, without a slash; the root's is the root."""
    return SCHEME + without_slash(uri).removeprefix(SCHEME).rpartition("/")[0]


def above(uri: str) -> list[str]:
    """The directories above a URI, deepest first; the last is the root, which has none above it."""
    found = []
    while uri != SCHEME:
        uri = parent(uri)
        found.append(uri)
    return found


def span_below(uri: str) -> tuple[str, str]:
    """`(low, high)` such that `low <= other < high`, compared by code point, holds exactly for the URIs
    under a directory: a range for sorted columns. `0` is the character after `/`."""
    low = as_directory(uri)
    return low, low[:-1] + "0"


def abstract_of(directory: str) -> str:
    """The URI of a directory's abstract."""
    return below(directory, ABSTRACT_NAME)


# -- for the engine, which takes URIs as users write them -------------------------------------------------


def utf8_text(value: str, name: str) -> str:
    """The argument `name`, a str with a UTF-8 form. Raises InvalidArgument for anything else."""
    if not isinstance(value, str):
        raise InvalidArgument(f"{name}: expected str, got {value!r}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InvalidArgument(f"{name} {value!a}: a lone surrogate has no UTF-8 form") from None
    return value


def nfc(uri: str) -> str:
    """The URI with its components in Unicode NFC, for the engine, which says what else is wrong with it.

    Escapes of bytes from 0x80 on are text written in another way: they are undone first, so that
    both ways name the same node. They yield no `%`, so the rest is still decoded exactly once. An accent
    that follows another escape belongs to the sign that is meant, not to the last letter of the escape.
    Raises InvalidArgument for another type than str, and for text without a UTF-8 form."""
    uri = utf8_text(uri, "URI")
    if uri.isascii() and "%" not in uri:
        return uri
    uri = _ESCAPED_TEXT.sub(_unescape_text, uri)
    if uri.isascii():
        return uri
    return "".join(unicodedata.normalize("NFC", piece) for piece in _ESCAPE.split(uri))


def _unescape_text(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return match[0]  # refused by the engine, with the whole URI in its message
