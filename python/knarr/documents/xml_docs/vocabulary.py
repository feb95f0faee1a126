"""What the elements of DocBook, JATS, DITA and TEI are, by their local names.

The vocabularies call the same things by few different names, so one list serves them all.
"""

from __future__ import annotations

ROOTS = {
    "book": "docbook", "article": "", "chapter": "docbook", "set": "docbook", "refentry": "docbook", "part": "docbook",
    "reference": "", "topic": "dita", "concept": "dita", "task": "dita", "dita": "dita", "map": "dita", "bookmap": "dita",
    "TEI": "tei", "TEI.2": "tei", "section": "docbook", "glossary": "docbook", "appendix": "docbook", "preface": "docbook",
    "pmc-articleset": "jats", "sect1": "docbook", "troubleshooting": "dita", "glossentry": "dita", "book-part": "jats",
    "response": "jats", "sub-article": "jats",
}  # fmt: skip
"""Root elements of documents; "" where several vocabularies have it."""

SECTIONS = frozenset((
    "chapter", "section", "sect1", "sect2", "sect3", "sect4", "sect5", "simplesect", "part", "appendix", "preface", "reference",
    "refsect1", "refsect2", "refsect3", "refsection", "refsynopsisdiv", "glossary", "glossdiv", "bibliography", "bibliodiv",
    "dedication", "colophon", "acknowledgements", "partintro", "sec", "app", "ack", "ref-list", "abstract", "topic", "concept",
    "task", "div", "div1", "div2", "div3", "div4", "sub-article", "response", "book-part", "boxed-text",
    "trans-abstract", "app-group", "notes", "fn-group", "refentry", "book", "article", "sidebar",
))  # fmt: skip
TITLES = frozenset(
    (
        "title",
        "head",
        "refname",
    )
)
NAMED = {
    "abstract": "Abstract",
    "ack": "Acknowledgements",
    "ref-list": "References",
    "trans-abstract": "Abstract",
}
"""Sections that often have no title, and what they are called then."""
PARAGRAPHS = frozenset((
    "p", "para", "simpara", "ab", "shortdesc", "cmd", "attribution", "refpurpose", "line", "l", "mixed-citation",
    "element-citation", "citation", "bibliomixed", "biblioentry", "bibl", "caption", "figDesc", "copyright-statement", "verse-line",
    "speaker", "refdescriptor", "nlm-citation", "navtitle", "stage", "byline", "dateline", "salute",
    "signed", "opener", "closer", "kwd-group", "attrib", "revremark",
))  # fmt: skip
BULLETS = frozenset(
    (
        "itemizedlist",
        "list",
        "ul",
        "simplelist",
        "sl",
        "steps-unordered",
        "choices",
    )
)
NUMBERED = frozenset(("orderedlist", "ol", "procedure", "steps", "substeps"))
ITEMS = frozenset(("listitem", "list-item", "li", "member", "sli", "step", "substep", "item", "choice"))
TERMS = frozenset(
    (
        "term",
        "dt",
        "glossterm",
    )
)
TABLES = frozenset(("table", "informaltable", "tgroup", "simpletable", "choicetable", "properties"))
ROWS = frozenset(("row", "tr", "strow", "sthead", "chrow", "chhead", "prophead", "property"))
CELLS = frozenset((
    "entry", "td", "th", "stentry", "choption", "chdesc", "choptionhd", "chdeschd", "cell", "proptype", "propvalue", "propdesc",
))  # fmt: skip
CODE = frozenset((
    "programlisting", "screen", "codeblock", "code-block", "preformat", "literallayout", "synopsis", "eg", "pre", "msgblock",
    "funcsynopsisinfo",
))  # fmt: skip
QUOTES = frozenset(
    (
        "blockquote",
        "disp-quote",
        "epigraph",
        "lq",
    )
)
NOTES = frozenset(("note", "tip", "warning", "caution", "important", "danger", "notice"))
FOOTNOTES = frozenset(("footnote", "fn"))
EQUATIONS = frozenset(
    (
        "disp-formula",
        "equation",
        "informalequation",
        "inline-formula",
        "inlineequation",
        "formula",
        "mathphrase",
    )
)
PICTURES = frozenset(("graphic", "imagedata", "image", "inline-graphic", "inlinegraphic", "media"))
SKIPPED = frozenset((
    "indexterm", "index", "toc", "object-id", "article-id", "processing-meta", "teiHeader", "prolog", "permissions",
    "journal-meta", "xi:include", "anchor", "milestone", "pb", "history", "contrib-group", "aff",
    "author-notes", "pub-date", "counts", "custom-meta-group", "funding-group", "topicmeta", "metadata",
    "titleabbrev", "alt-title", "draft-comment", "required-cleanup", "data", "shortcut",
    "article-categories", "volume", "issue", "fpage", "lpage", "elocation-id", "self-uri",
    "related-article", "article-version", "pub-history", "revhistory", "authorgroup", "copyright", "edition",
    "biblioid", "releaseinfo", "pubdate", "productname", "productnumber", "keywordset", "subjectset", "issuenum", "volumenum",
    "corpauthor", "author", "editor", "othercredit", "isbn", "refmeta", "manvolnum", "title-group", "conference",
))  # fmt: skip
INFO = frozenset(
    (
        "info",
        "articleinfo",
        "bookinfo",
        "chapterinfo",
        "sectioninfo",
        "front",
        "front-stub",
        "book-meta",
        "setinfo",
    )
)
