"""What is done with a directive, by its kind; one that nobody knows is read as text, so that nothing is lost.

Sphinx and its extensions add directives without end. Most hold blocks like any other, behind an argument that is text
(a title, a version, a signature); so that is the rule, and only those that are otherwise are listed here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knarr.documents.rst.lines import indented

HEAD = re.compile(
    r"\.\. +(?:\|[^|]{1,100}\| +)?(?P<kind>[A-Za-z][\w.+:-]{0,60}?) ?::(?: +(?P<argument>.*))?$"
)
_OPTION = re.compile(r":(?P<name>[A-Za-z][\w -]{0,60}):(?:\s+(?P<value>.*))?$")

CODE = frozenset({
    "code", "code-block", "sourcecode", "parsed-literal", "math", "doctest", "testcode", "testoutput", "testsetup",
    "testcleanup", "ipython", "prompt", "graphviz", "digraph", "graph", "mermaid", "uml", "plantuml", "productionlist",
    "highlight-block", "command-output", "program-output", "jupyter-execute", "plot", "exec", "jsonschema", "blockdiag",
    "console",
})  # fmt: skip
"""Their content is not markup: it stands as it is, fenced."""
ADMONITIONS = {
    "attention": "Attention", "caution": "Caution", "danger": "Danger", "error": "Error", "hint": "Hint",
    "important": "Important", "note": "Note", "tip": "Tip", "warning": "Warning", "seealso": "See also", "todo": "Todo",
    "versionadded": "New in version", "versionchanged": "Changed in version", "deprecated": "Deprecated since version",
    "deprecated-removed": "Deprecated since version", "versionremoved": "Removed in version", "versionadd": "New in version",
}  # fmt: skip
"""A label that is shown before their text."""
SILENT = frozenset({
    "contents", "sectnum", "section-numbering", "index", "highlight", "highlightlang", "default-role", "role", "tabularcolumns",
    "currentmodule", "module", "py:module", "py:currentmodule", "default-domain", "program", "cssclass", "rst-class",
    "header", "footer", "title", "restructuredtext-test-directive", "target-notes", "namespace", "cpp:namespace",
    "c:namespace", "bibliography", "toctree-filt", "codeauthor", "sectionauthor", "moduleauthor",
})  # fmt: skip
"""Instructions for the printer: neither argument nor options are text."""
INCLUDED = frozenset({"include", "literalinclude", "mdinclude", "csv-include", "cli-include"})
"""Their text is another file's."""
IMAGES = frozenset({"image", "figure", "thumbnail", "video", "youtube"})
WRAPPERS = frozenset(
    {
        "class",
        "container",
        "only",
        "ifconfig",
        "compound",
        "centered-block",
        "hlist",
        "grid",
        "tab-set",
        "tabs",
    }
)
"""Their argument is no text."""
TRANSPARENT = frozenset({"only", "ifconfig"})
"""Their blocks may hold titles of the document."""
_ASCII_LABELS = frozenset(
    {"versionadded", "versionchanged", "deprecated", "versionremoved", "versionadd", "deprecated-removed"}
)


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive, taken apart."""

    kind: str
    argument: str
    options: dict[str, str]
    content: list[str]

    @property
    def is_versioned(self) -> bool:
        """Whether the argument begins with a version, after the label."""
        return self.kind in _ASCII_LABELS

    @property
    def draws_from_code(self) -> bool:
        """Whether Sphinx fills it from source code that is not in the file."""
        return (
            self.kind.startswith(("auto", "cli-", "click", "argparse", "doxygen", "program-"))
            or self.kind == "inheritance-diagram"
        )

    @property
    def describes(self) -> bool:
        """Whether its argument is the signature of something in a program, with a domain before its kind, or one of
        Python's."""
        return ":" in self.kind or self.kind in _OBJECTS


_OBJECTS = frozenset({
    "function", "class", "method", "attribute", "data", "exception", "decorator", "staticmethod", "classmethod", "property", "option",
    "cmdoption", "envvar", "confval", "describe", "object", "opcode", "cfunction", "cmember", "cmacro", "ctype", "cvar", "event",
    "directive", "role", "setting", "type", "var", "macro", "struct", "enum",
})  # fmt: skip


def directive(head: re.Match[str], body: Sequence[str]) -> Directive:
    """The directive of a first line and of the lines indented under it (without that indentation)."""
    at = 0
    argument = [head["argument"] or ""]
    while at < len(body) and body[at] and not _OPTION.match(body[at]):
        at += 1
    # Lines without a gap go on with the argument, where the first line has one; else they are content.
    if argument[0] and head["kind"] not in ADMONITIONS:
        argument += (line.strip() for line in body[:at])
    else:
        at = 0
    options: dict[str, str] = {}
    while at < len(body) and (option := _OPTION.match(body[at])):
        more, after = indented(body, at + 1)
        options[option["name"].lower()] = " ".join(
            filter(None, [(option["value"] or "").strip(), *map(str.strip, more)])
        )
        at = after
    content = list(body[at:])
    while content and not content[0]:
        content.pop(0)
    return Directive(head["kind"].lower(), "\n".join(filter(None, argument)), options, content)
