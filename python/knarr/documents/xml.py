"""XML from strangers to a tree, without entities, network or surprise in memory.

A part of an Office file has no document type: one that has is refused. Documents in XML usually have one; it is
cut off before the tree is made, so that no parser ever expands an entity. References to the characters that HTML
names, and to plain texts that the document type declares, are written out first, within a bound; others stay in the
text as they are.
"""

from __future__ import annotations

import html
import html.entities
import re

from lxml import etree

from knarr.documents.decode import DEFAULT_LIMITS, Limits, decode
from knarr.documents.raised import RAISED_BEGIN, RAISED_END, written
from knarr.errors import DocumentError

# Memory that libxml2 takes for an element or a text, and for an attribute with its value, as measured.
_NODE_BYTES = 130
_ATTRIBUTE_BYTES = 230
_TEXT = re.compile(rb">[^<]")
_DOCTYPE = re.compile(rb"<\x00?!\x00?D\x00?O\x00?C\x00?T\x00?Y\x00?P\x00?E")
_PARSER_LIMITS = ("huge text node", "Excessive depth", "huge_tree", "XML_PARSE_HUGE", "Too many", "too long")
RAISED = ("sup", "superscript")
_RAISED_TAGS = tuple("{*}" + name for name in RAISED)
FAULTY = "faulty XML, read as far as it can be"
MAX_XML_TREE_BYTES = 300 << 20

_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9_.:-]{2,40})")
_DECLARATION = re.compile(r"<\?xml[^>]{0,200}\?>")
_TYPE_BEGIN = re.compile(r"<!DOCTYPE\b", re.IGNORECASE)
_TYPE_PART = re.compile(r"<!--.*?-->|<\?.*?\?>|\"[^\"]*\"|'[^']*'|[\[\]>]", re.DOTALL)
_ENTITY = re.compile(r"<!ENTITY\s+([\w.-]{1,80})\s+(?:\"([^\"<&%]{0,500})\"|'([^'<&%]{0,500})')\s*>")
_REFERENCE = re.compile(r"&([A-Za-z_][\w.-]{0,80});")
_XML_NAMES = frozenset(("amp", "lt", "gt", "quot", "apos"))
_MAX_EXPANDED_CHARS = 1 << 20
_MAX_DECLARED = 2_000


def charge(data: bytes) -> int:
    """Bytes of memory that the tree of these bytes will take, at most."""
    nodes = data.count(b"<") - data.count(b"</") + sum(1 for _ in _TEXT.finditer(data))
    return nodes * _NODE_BYTES + data.count(b"=") * _ATTRIBUTE_BYTES + len(data)


def refuse_doctype(data: bytes, name: str, kind: str) -> None:
    if _DOCTYPE.search(data):
        raise DocumentError(f"{name} declares a document type, which {kind} never does", "limit")


def parse_part(data: bytes, name: str, kind: str) -> etree._Element:
    """The root element of a part of an Office file; `charge` was counted before."""
    refuse_doctype(data, name, kind)
    # The encoding is fixed here, since another one could hide the characters that were counted.
    parser = _parser("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise DocumentError(f"{name}: {error}", fault_status(error)) from error


def parse_text(
    data: bytes, name: str, limits: Limits = DEFAULT_LIMITS
) -> tuple[etree._Element, tuple[str, ...]]:
    """The root element of a document in XML, and notes: on its encoding, on entities that nobody declares, and on
    faults that were passed over. Raises DocumentError when there is no tree to be had."""
    declared = _DECLARED.search(data[:400])
    decoded = decode(data, name, declared=declared[1].decode("ascii") if declared else "", limits=limits)
    text, inside = _without_type(decoded.text)
    text, unknown = _written_out(text, inside)
    notes = [*decoded.notes]
    if unknown:
        notes.append(f"entities that are declared elsewhere stand as they are: {unknown:,}")
    encoded = text.encode("utf-8", "replace")
    if charge(encoded) > MAX_XML_TREE_BYTES:
        raise DocumentError(f"{name} holds more elements than are read", "limit")
    try:
        return etree.fromstring(encoded, _parser("utf-8")), tuple(notes)
    except (etree.XMLSyntaxError, ValueError) as error:
        if fault_status(error) == "limit":
            raise DocumentError(f"{name}: {error}", "limit") from error
        if "Extra content" in str(error):
            # Several elements in a row, as in a part of a larger document.
            return parse_text(f"<fragment>{_DECLARATION.sub('', text)}</fragment>".encode(), name, limits)
        fault = error
    try:
        root = etree.fromstring(encoded, _parser("utf-8", recover=True))
    except (etree.XMLSyntaxError, ValueError) as error:
        raise DocumentError(f"{name}: {error}", fault_status(error)) from error
    if root is None:
        raise DocumentError(f"{name}: {fault}")
    return root, (*notes, f"{FAULTY} ({fault})")


def local(element: etree._Element) -> str:
    """The name of an element without its namespace; "" for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute_of(element: etree._Element, name: str, default: str = "") -> str:
    """An attribute by its local name, in any namespace."""
    found = element.get(name)
    if found is not None:
        return str(found)
    ending = "}" + name
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith(ending)), default)


def all_text(element: etree._Element) -> str:
    """The text of an element and everything below it; what it raises is written as such."""
    if next(element.iter(*_RAISED_TAGS), None) is None:
        return "".join(element.itertext())
    parts: list[str] = []
    for event, one in etree.iterwalk(element, events=("start", "end")):
        text = (one.text if event == "start" else "" if one is element else one.tail) or ""
        if local(one) in RAISED:
            text = RAISED_BEGIN + text if event == "start" else RAISED_END + text
        parts.append(text)
    return written("".join(parts))


def _parser(encoding: str, *, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


def fault_status(error: Exception) -> str:
    """The receipt's word for what a parser of XML refused."""
    return "limit" if any(word in str(error) for word in _PARSER_LIMITS) else "corrupt"


def _without_type(text: str) -> tuple[str, str]:
    """The text without its document type, and what stood in that; one without an end is left to the parser."""
    begin = _TYPE_BEGIN.search(text, 0, 1 << 16)
    if begin is None:
        return text, ""
    depth = 0
    for part in _TYPE_PART.finditer(text, begin.end()):
        mark = part[0]
        depth += (mark == "[") - (mark == "]")
        if mark == ">" and depth <= 0:
            return text[: begin.start()] + text[part.end() :], text[begin.end() : part.start()]
    return text[: begin.start()], ""


def _written_out(text: str, inside: str) -> tuple[str, int]:
    """The text with named characters and declared texts in place of references to them, and how many stay."""
    declared: dict[str, str] = {}
    for match in _ENTITY.finditer(inside):
        declared.setdefault(match[1], match[2] or match[3] or "")
        if len(declared) >= _MAX_DECLARED:
            break
    left, unknown = _MAX_EXPANDED_CHARS, 0

    def written(match: re.Match[str]) -> str:
        nonlocal left, unknown
        name = match[1]
        if name in _XML_NAMES:
            return match[0]
        found = declared.get(name) or html.entities.html5.get(f"{name};", "")
        left -= len(found)
        if not found or left < 0:
            unknown += 1
            return f"&amp;{name};"
        return html.escape(found, quote=True)

    return _REFERENCE.sub(written, text), unknown
