"""Outlines (OPML) and feeds (RSS, Atom): items that programs list.

In an outline those with others below them are sections, those without are items of a list; words, notes and addresses stand
in attributes. In a feed each entry is a section, with its date and its text, which is HTML.
"""

from __future__ import annotations

from lxml import etree

from knarr.documents.decode import Limits
from knarr.documents.html.fragment import write_fragment
from knarr.documents.properties import iso_date, properties
from knarr.documents.sections import MetadataValue
from knarr.documents.writer import MarkdownWriter
from knarr.documents.xml import all_text, local
from knarr.language.plain import one_line, shortened

_TITLE_CHARS = 300
_STATED = {"title": "title", "ownerName": "author", "dateCreated": "created", "dateModified": "modified"}
_FEED = {
    "title": "title", "description": "description", "subtitle": "description", "language": "language", "pubDate": "date",
    "updated": "date", "copyright": "rights", "rights": "rights",
}  # fmt: skip
_ADDRESSES = ("url", "xmlUrl", "htmlUrl")


def write_opml(writer: MarkdownWriter, root: etree._Element) -> dict[str, MetadataValue]:
    """Write an outline; what it says of itself."""
    stack = [(one, 1) for body in root.iterchildren("{*}body") for one in body if local(one) == "outline"][
        ::-1
    ]
    in_list = False
    while stack:
        element, level = stack.pop()
        below = [(one, level + 1) for one in element if local(one) == "outline"]
        text, note = (
            one_line(element.get("text") or element.get("title") or ""),
            element.get("_note", "").strip(),
        )
        links = list(dict.fromkeys(filter(None, (one_line(element.get(name, "")) for name in _ADDRESSES))))
        shown = " ".join([text, *(f"<{link}>" for link in links if link != text)]).strip()
        if text and (below or "\n" in note):
            writer.gap()
            writer.heading(level, shortened(text, _TITLE_CHARS))
            if note or links:
                writer.gap()
                writer.put("\n".join(filter(None, (*(f"<{link}>" for link in links), note))) + "\n")
        elif shown:
            if not in_list:
                writer.gap()
            writer.put(f"- {shown}{': ' + one_line(note) if note else ''}\n")
        in_list = bool(shown) and not (below or "\n" in note)
        stack += reversed(below)
    head = root.find("{*}head")
    stated = [
        (_STATED[local(one)], one.text or "")
        for one in (() if head is None else head)
        if local(one) in _STATED
    ]
    return properties(stated)


def write_feed(
    writer: MarkdownWriter, root: etree._Element, limits: Limits
) -> tuple[dict[str, MetadataValue], tuple[str, ...]]:
    """Write a feed; what it says of itself, and notes."""
    notes: list[str] = []
    channel = root.find("{*}channel") if local(root) != "feed" else root
    for entry in root.iter("{*}item", "{*}entry"):
        writer.gap()
        writer.heading(1, shortened(_said(entry, "title"), _TITLE_CHARS) or "Entry")
        link = next((one.get("href") or all_text(one) for one in entry.iterchildren("{*}link")), "").strip()
        date = iso_date(one_line(_said(entry, "pubDate", "published", "updated", "date")))
        author = one_line(_said(entry, "creator", "author"))
        writer.gap()
        lines = (author, date, f"<{one_line(link)}>" if link else "")
        writer.put("".join(f"{line}\n" for line in lines if line))
        page = MarkdownWriter()
        _, more = write_fragment(_said(entry, "encoded", "content", "description", "summary"), page, limits)
        notes += more
        if page.size_bytes:
            writer.gap()
            writer.include(page.document("xml", "", ()), 1)
    stated = () if channel is None else channel
    about = properties((_FEED[local(one)], all_text(one)) for one in stated if local(one) in _FEED)
    return about, tuple(dict.fromkeys(notes))


def _said(entry: etree._Element, *names: str) -> str:
    """The text of the first of these elements that has any."""
    for name in names:
        for one in entry.iterchildren("{*}" + name):
            if text := all_text(one).strip():
                return text
    return ""
