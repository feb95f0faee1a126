"""Elements of a page: the walk over them, which are blocks or headings, and which are left out.

The walk keeps no stack, since a page may be deeper than Python's: it finds its way back by parents. Visitors see
text and elements in document order.

Left out is what a reader does not see (`hidden`, `display: none`, `visibility: hidden`, no size, a closed dialog),
what frames the text (navigation, the header and footer of the page) and what is pressed, not read (buttons). A page's
header with an `h1` in it is its title, and stays; so does a button that is a heading or unfolds text, as in lists of
questions. `<details>` stays: a click shows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from selectolax.lexbor import LexborNode

from knarr.documents.html.equations import is_double

BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr",
    "html", "legend", "li", "main", "menu", "ol", "option", "p", "pre", "search", "section", "select",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
NO_SCRIPTS = "for browsers without scripts"
# Elements that are no text of the page, and what a receipt calls those that may hold some.
_NEVER = {
    "head": "", "script": "", "style": "", "datalist": "", "template": "templates", "svg": "drawings",
    "canvas": "drawings", "noscript": NO_SCRIPTS, "rt": "readings of ruby", "rp": "", "iframe": "embedded", "object": "embedded",
    "audio": "embedded", "video": "embedded",
}  # fmt: skip
# Marks that tools add to headings and to code: the link to a heading, the link to edit it, numbers of lines.
_MARKS = {
    "headerlink": "", "header-anchor": "", "anchor-link": "", "heading-anchor": "", "hash-link": "", "anchorjs-link": "",
    "mw-editsection": "", "linenos": "line numbers", "lineno": "line numbers", "linenumber": "line numbers",
    "line-numbers-rows": "line numbers", "gutter": "line numbers", "blob-num": "line numbers", "rouge-gutter": "line numbers",
}  # fmt: skip
_MOST_MARKS = 8
_MARKED = frozenset(("a", "span", "td", "th", "div", "pre"))
_ANCHORS = frozenset(("¶", "#", "§", "🔗", "⚓", "∞", "\uf0c1"))
_ROLES = {"navigation": "navigation", "banner": "page header", "contentinfo": "page footer"}
_SECTIONS = frozenset(("article", "main", "section", "aside", "nav", "header", "footer", "dialog", "td"))
_UNSEEN = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0+(?:\.0*)?\s*(?:[;!]|$)|"
    r"font-size\s*:\s*0+(?:\.0*)?\s*(?:[a-z%]+\s*)?(?:[;!]|$))",
    re.IGNORECASE,
)
_MOST_CLASS_CHARS = 200
_HOME = re.compile(r"(?:https?:)?(?://[^/]+)?/?(?:index\.\w+)?|\./|\.")
_MOST_STYLE_CHARS = 2_000
_MOST_PARENTS = 32
# A button so near below one of these is its text.
_ANNOUNCING = HEADINGS | {"summary", "dt"}
_NEAR = 4

Omission = Callable[[LexborNode], str | None]
"""What an element is left out as, with everything in it: None when it is read, "" when it is no text of the page."""


class Visitor(Protocol):
    """Receives text in order, and each element twice: when it begins and when it ends."""

    def text(self, text: str) -> None: ...

    def enter(self, node: LexborNode) -> bool:
        """Whether to go into this element; if not, `leave` is not called for it."""
        ...

    def leave(self, node: LexborNode) -> None: ...


def walk(root: LexborNode, visitor: Visitor) -> None:
    """Visit `root` and all below it in document order."""
    node: LexborNode | None = root
    depth = 0
    while node is not None:
        if node.is_text_node:
            visitor.text(node.text_content or "")
        elif node.is_element_node and visitor.enter(node):
            child = node.first_child
            if child is not None:
                node, depth = child, depth + 1
                continue
            visitor.leave(node)
        while depth and node is not None and node.next is None:
            node, depth = node.parent, depth - 1
            if node is not None:
                visitor.leave(node)
        if not depth or node is None:
            return
        node = node.next


def heading_level(node: LexborNode) -> int:
    """1 to 6 for a heading, 0 for any other element."""
    tag = node.tag or ""
    if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
        return int(tag[1])
    if node.attributes.get("role") == "heading":
        level = node.attributes.get("aria-level") or ""
        return min(int(level), 6) if level.isdecimal() and level != "0" else 2
    return 0


def unseen(node: LexborNode) -> str | None:
    """What an element is left out as wherever it stands: hidden, or never text."""
    tag = node.tag or ""
    if tag in _NEVER:
        return _NEVER[tag]
    if tag == "span" and is_double(node):
        return ""
    attributes = node.attributes
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return "hidden"
    if tag == "dialog" and "open" not in attributes:
        return "hidden"
    if tag in _MARKED:
        kind = _mark(node, tag)
        if kind is not None:
            return kind
    style = attributes.get("style")
    return "hidden" if style and _UNSEEN.search(style[:_MOST_STYLE_CHARS]) else None


def _mark(node: LexborNode, tag: str) -> str | None:
    """What a mark of a tool is left out as, None if the node is none."""
    names = node.attributes.get("class")
    for name in names[:_MOST_CLASS_CHARS].split() if names else ():
        if name in _MARKS:
            return _MARKS[name]
    if tag == "td" and _is_gutter(node):
        return "line numbers"
    if tag == "a" and "href" in node.attributes and _starts_short(node):
        heading = node.parent is not None and node.parent.tag in HEADINGS
        return "" if heading and node.text().strip() in _ANCHORS else None
    return None


def _is_gutter(cell: LexborNode) -> bool:
    """Whether a cell before another holds the numbers 1, 2, 3, … of preformatted lines. It looks no further than the
    first thing that is none."""
    after = cell.next
    while after is not None and not after.is_element_node:
        after = after.next
    inner = cell.first_child
    while inner is not None and inner.is_text_node and not (inner.text_content or "").strip():
        inner = inner.next
    if after is None or inner is None or inner.tag not in ("pre", "code", "div"):
        return False
    number = 0
    for elements, node in enumerate(inner.traverse(include_text=True)):
        if node.is_text_node:
            for word in (node.text_content or "").split():
                number += 1
                if word != str(number):
                    return False
        elif node.tag in ("table", "td"):
            return False
        if elements > _MOST_MARKS * (number + 1):
            return False
    return number > 1


def _starts_short(node: LexborNode) -> bool:
    """Whether a node holds one child, whose words are few: looked at before any text is put together."""
    child = node.first_child
    return child is not None and child.next is None and len(child.text_content or "") < 12


def unread(node: LexborNode) -> str | None:
    """What an element is left out as: as `unseen`, and the frame of the page and its buttons."""
    kind = unseen(node)
    if kind is not None:
        return kind
    tag = node.tag
    if tag == "nav":
        return "navigation"
    if tag == "button":
        return None if _is_text(node) else "buttons"
    role = _ROLES.get(node.attributes.get("role") or "")
    if tag in ("header", "footer"):
        around = _around(node, _MOST_PARENTS)
        # Where there are too many to look at, it is no frame of the page.
        if len(around) < _MOST_PARENTS and _SECTIONS.isdisjoint(around):
            role = f"page {tag}"
    return None if role == "page header" and _holds_title(node) else role


def _holds_title(header: LexborNode) -> bool:
    """Whether a page's header holds its title: a top heading that is no link to the start of the site."""
    top = header.css_first("h1")
    if top is None:
        return False
    link = top.css_first("a[href]")
    if link is None:
        return True
    return _HOME.fullmatch((link.attributes.get("href") or "")[:_MOST_CLASS_CHARS]) is None


def _is_text(button: LexborNode) -> bool:
    """Whether a button's words are text of the page: it is a heading, or it unfolds what they announce."""
    return "aria-expanded" in button.attributes or not _ANNOUNCING.isdisjoint(_around(button, _NEAR))


def _around(node: LexborNode, most: int) -> list[str]:
    """The names of the elements around a node, from the inside out up to the body, so many at most."""
    found: list[str] = []
    parent = node.parent
    while parent is not None and parent.tag not in (None, "body", "html", "-document") and len(found) < most:
        found.append(parent.tag)
        parent = parent.parent
    return found
