"""Titles to URI components, and components to URIs.

A component is kept readable: white space becomes `_`, everything else stays, letters of any
script included; the URI percent-encodes, once, the few characters that would break it. Titles
longer than 80 characters keep their beginning and get a hash tail. Names that would mean
something else (`..`, a leading dot, which marks our own files) get a leading `_`. Equal siblings
get `~2`, `~3` in document order.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from knarr.errors import InvalidArgument

SCHEME = "viking://"
ABSTRACT_NAME = ".abstract.md"  # of the object that tells what a directory holds
MAX_NAME_CHARS = 80
# Of the URI of a document or of a folder above it. The engine takes 64 KiB; the rest is for what lies in a
# document, a few levels of short names.
MAX_PLACE_BYTES = 32 << 10

# The same set as cpp/uri/uri.cc: what must not stand raw inside a component.
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
        import hashlib

        tail = hashlib.sha256(name.encode("utf-8")).hexdigest()[:8]
        name = f"{name[: MAX_NAME_CHARS - 9]}-{tail}"
    if not name:
        return "_"
    return f"_{name}" if name.startswith(".") else name


def encode(name: str) -> str:
    """Percent-encode a component for use in a URI."""
    return _ENCODE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8")), name)


class SiblingNames:
    """Hands out distinct names among the children of one directory."""

    def __init__(self, taken: set[str] | None = None) -> None:
        self._taken = set(taken or ())

    def claim(self, name: str, suffix: str = "") -> str:
        """`name + suffix`, or with `~2`, `~3`, … before the suffix when that is taken."""
        candidate, number = f"{name}{suffix}", 1
        while candidate in self._taken:
            number += 1
            candidate = f"{name}~{number}{suffix}"
        self._taken.add(candidate)
        return candidate


def join(base: str, *names: str) -> str:
    """The URI of the directory `base` extended by (decoded) components; no trailing slash."""
    head = base if base.endswith("/") else base + "/"
    return head + "/".join(encode(name) for name in names)


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
        name = unicodedata.normalize("NFC", unquote_to_bytes(part).decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidArgument(f"{uri!r}: its escapes are not UTF-8") from None
    # A dot segment before an encoded slash would be one for whoever decodes twice.
    head = re.split(r"[/\\]", name, maxsplit=1)[0]
    if not name or head in (".", "..") or any(unicodedata.category(ch) == "Cc" for ch in name):
        raise InvalidArgument(
            f"{uri!r}: the component {part!r} is empty, a dot segment or holds a control character"
        )
    return name


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


def above(uri: str) -> list[str]:
    """The folders above a URI, deepest first; the last is the root."""
    found = []
    while uri != SCHEME:
        uri = parent(uri)
        found.append(uri)
    return found


def abstract_of(folder: str) -> str:
    """The URI of a directory's abstract."""
    return folder + ABSTRACT_NAME if folder.endswith("/") else f"{folder}/{ABSTRACT_NAME}"


def within(uri: str, scope: str) -> bool:
    """Whether `uri` is `scope` or lies under it; `a/b` is no ancestor of `a/bc`. Raises InvalidArgument."""
    under, above_it = components(uri), components(scope)
    return under[: len(above_it)] == above_it


def name_of(uri: str) -> str:
    """The decoded last component, "" for the root."""
    parts = components(uri)
    return parts[-1] if parts else ""


def lies_in(uri: str, folder: str) -> bool:
    """Whether a canonical URI is `folder`, also canonical, or lies under it; cheaper than `within`."""
    return uri == folder or uri.startswith(folder if folder.endswith("/") else folder + "/")


def relative(uri: str, folder: str) -> str:
    """The rest of a canonical URI below `folder`, which it lies in; "" for the folder itself."""
    return uri[len(folder) :].strip("/")


def below(folder: str, path: str) -> str:
    """The canonical URI at an (encoded) path below `folder`: the inverse of `relative`."""
    if not path:
        return folder
    return (folder if folder.endswith("/") else folder + "/") + path


def moved(uri: str, source: str, target: str) -> str:
    """What becomes of a canonical URI in `source` when that is renamed to `target`."""
    return target + uri[len(source) :]


def parent(uri: str) -> str:
    """The canonical URI of the folder that holds this one; the root's is the root."""
    return uri.rsplit("/", 1)[0] if uri.count("/") > 2 else SCHEME


def nfc(uri: str) -> str:
    """The URI with its components in Unicode NFC, for the engine, which says what else is wrong with it.

    Escapes of bytes from 0x80 on are text written in another way: they are undone first, so that
    both ways name the same node. They yield no `%`, so the rest is still decoded exactly once. An accent
    that follows another escape belongs to the sign that is meant, not to the last letter of the escape.
    Raises InvalidArgument for what is no str or has no UTF-8 form."""
    if not isinstance(uri, str):
        raise InvalidArgument(f"URI: expected str, got {uri!r}")
    if uri.isascii() and "%" not in uri:
        return uri
    try:
        uri.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"URI {uri!a}: a lone surrogate has no UTF-8 form") from None
    uri = _ESCAPED_TEXT.sub(_unescape, uri)
    if uri.isascii():
        return uri
    return "".join(unicodedata.normalize("NFC", piece) for piece in _ESCAPE.split(uri))


def _unescape(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return match[0]  # refused by the engine, with the whole URI in its message
