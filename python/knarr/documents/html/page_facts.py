"""What a page says of itself before it is read: its data about itself, and whether it is an article in a frame.

An article (news, a post) stands in a page of other things, and is marked as such for search engines and feeds. A page
made by a tool for documentation, a wiki or a book says that too, and then it is a document: all of it is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser

from knarr.documents.sections import MetadataValue
from knarr.language.plain import one_line

_MAKERS = re.compile(
    r"mediawiki|sphinx|docutils|docusaurus|mkdocs|pandoc|doxygen|javadoc|asciidoctor|texinfo|makeinfo|latex|hevea|tex4ht|mdbook|"
    r"gitbook|microsoft word|libreoffice|openoffice|workiva|wdesk|docbook|starlight|vitepress|jupyter|nbconvert|rustdoc|typedoc|jsdoc",
    re.IGNORECASE,
)
_ARTICLE_DATA = re.compile(r"\"@type\"\s*:\s*\[?\s*\"[A-Za-z]{0,30}(?:Article|BlogPosting|Report)\"")
_MOST_DATA_CHARS = 1 << 18
_MOST_CHARS = 1_000
# The names of one thing, the best first.
_NAMES = {
    "description": ("description", "og:description", "dc.description", "dcterms.description"),
    "author": ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author", "sailthru.author"),
    "date": (
        "article:published_time", "date", "dc.date", "dcterms.date", "dc.date.issued", "dcterms.issued", "dcterms.created",
        "citation_publication_date", "pubdate", "publishdate", "parsely-pub-date", "datepublished", "last-modified",
    ),
    "site": ("og:site_name", "application-name"),
    "keywords": ("keywords", "news_keywords"),
}  # fmt: skip


class PageFacts:
    """What stands in the head of a page."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._named: dict[str, str] = {}
        for node in tree.css("meta"):
            attributes = node.attributes
            name = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
            value = one_line((attributes.get("content") or "")[:_MOST_CHARS])
            if name and value:
                self._named.setdefault(name.lower(), value)

    def title(self) -> str:
        """The title as it is given to those who link to the page, "" if none."""
        return (
            self._named.get("og:title")
            or self._named.get("dc.title")
            or self._named.get("twitter:title")
            or ""
        )

    def site(self) -> str:
        return self._named.get("og:site_name", "")

    def metadata(self) -> Mapping[str, MetadataValue]:
        """Description, author, date, site, keywords, address and language, as far as the page names them."""
        found: dict[str, MetadataValue] = {}
        for key, names in _NAMES.items():
            value = next((self._named[name] for name in names if name in self._named), "")
            # Some name the author by the address of a profile.
            if value and not (key == "author" and value.startswith("http")):
                found[key] = value
        address = self._tree.css_first("link[rel=canonical]")
        url = (address.attributes.get("href") if address else "") or self._named.get("og:url") or ""
        if url.startswith("http"):
            found["url"] = url[:_MOST_CHARS]
        html = self._tree.css_first("html")
        language = (html.attributes.get("lang") or html.attributes.get("xml:lang") or "") if html else ""
        if language.strip():
            found["language"] = language.strip()[:40]
        return found

    def is_document(self) -> bool:
        """Whether the tool that made the page makes documents."""
        return bool(_MAKERS.search(self._named.get("generator", "")))

    def is_article(self) -> bool:
        """Whether the page is marked as an article."""
        named = self._named
        if named.get("og:type", "").lower() in ("article", "blog", "post"):
            return True
        if any(name.startswith("article:") for name in named):
            return True
        if (
            self._tree.css_first(
                "[itemprop=articleBody], [itemtype*=Article], [itemtype*=BlogPosting], .hentry"
            )
            is not None
        ):
            return True
        for node in self._tree.css("script[type='application/ld+json']"):
            if _ARTICLE_DATA.search(node.text()[:_MOST_DATA_CHARS]):
                return True
        return False
