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
MAX_URI_BYTES = 64 << 10
"""The longest URI, as in cpp/uri/uri.h."""

# Bounds the URI of a document or of a folder above it. The rest of the longest URI is left for the
# sections and chunks below, a few levels of short names.
MAX_PLACE_BYTES = 32 << 10

_CHUNK_SUFFIX = ".md"

# Characters that must be escaped inside a component; the same set as in cpp/uri/uri.cc.
_ENCODE = re.compile(r"[%/?#\\\x00-\x20\x7f]")
_ESCAPED_TEXT = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
_ESCAPE = re.compile(r"(%[0-7][0-9A-Fa-f])")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


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

    Raises InvalidArgument for another type than str, another scheme, an empty, `.` or `..` component, a
    control character, a malformed escape, bytes or a lone surrogate that are no UTF-8, and more than
    `MAX_URI_BYTES`: nothing that means something else once decoded gets through. The message quotes the
    URI and says which of these it is, where, and what to do, in the words of cpp/uri/uri.cc."""
    uri = nfc(uri)
    size = len(uri.encode("utf-8"))
    if size > MAX_URI_BYTES:
        raise _refused(uri, f"{size} bytes, expected at most {MAX_URI_BYTES}")
    if not uri.startswith(SCHEME):
        raise _refused(uri, f"expected a URI that starts with {SCHEME}{_scheme_advice(uri)}")
    rest = uri[len(SCHEME) :]
    if not rest:
        return ()
    parts = rest.split("/")
    if len(parts) > 1 and not parts[-1] and rest != "/":
        parts.pop()
    return tuple(_decode(part, uri, number) for number, part in enumerate(parts, start=1))


def _refused(uri: str, why: str) -> InvalidArgument:
    shown = uri if len(uri) <= 200 else f"{uri[:200]}…"
    return InvalidArgument(f"URI {shown!r}: {why}")


def _scheme_advice(uri: str) -> str:
    if uri[: len(SCHEME)].lower() == SCHEME:
        return "; the scheme is written in lower case"
    if uri.lstrip(" \t\r\n")[: len(SCHEME)].lower() == SCHEME:
        return "; remove the blanks before it"
    return ""


def _decode(part: str, uri: str, number: int) -> str:
    """One component. `number` counts from 1."""
    which = f"component {number}"
    if bad := _BAD_ESCAPE.search(part):
        raise _refused(
            uri,
            f'{which} has a "%" at character {bad.start() + 1} without two hexadecimal digits behind it; '
            'a plain "%" is written %25',
        )
    try:
        name = unicodedata.normalize("NFC", _unescape(part).decode("utf-8") if "%" in part else part)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise _refused(uri, f"{which} is not UTF-8: byte {error.start + 1} is 0x{byte:02X}") from None
    if fault := _fault(name):
        raise _refused(uri, f"{which} {fault}")
    return name


def _fault(name: str) -> str:
    """Why a decoded text is no component; "" when it is one."""
    if not name:
        return 'is empty; names are parted by one "/"'
    # A dot segment before an encoded slash would be one for whoever decodes twice.
    head = re.split(r"[/\\]", name, maxsplit=1)[0]
    if head in (".", ".."):
        return f'is the step "{head}", which is no name; write the path that is meant'
    if control := _CONTROL.search(name):
        code = f"U+{ord(control[0]):04X}"
        return f"holds the control character {code} at character {control.start() + 1}; remove it"
    return ""


def _unescape(part: str) -> bytes:
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(part)


def canonical(uri: str) -> str:
    """A URI in its one written form, without a trailing slash (except `viking://` itself)."""
    return _canonical(utf8_text(uri, "URI"))


@lru_cache(maxsize=4096)
def _canonical(uri: str) -> str:
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
        except UnicodeEncodeError as error:
            which = f"U+{ord(value[error.start]):04X} at character {error.start + 1}"
            shown = value if len(value) <= 200 else f"{value[:200]}…"
            raise InvalidArgument(
                f"{name} {shown!a}: a lone surrogate has no UTF-8 form ({which}); remove it"
            ) from None
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


def without_credentials(address: str) -> str:
    """An address on the web without the name and password that it may hold."""
    scheme, mark, rest = address.partition("://")
    ends = [at for at in map(rest.find, "/?#") if at >= 0]
    host = rest[: min(ends, default=len(rest))]
    return f"{scheme}{mark}{host.rpartition('@')[2]}{rest[len(host) :]}"


def is_web_address(text: str) -> bool:
    """Whether a text names a page or file on the web, and no path and no URI of a knowledge base."""
    return text.lower().startswith(("http://", "https://"))
