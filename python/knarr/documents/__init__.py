"""Documents: a file's bytes become a canonical text and a tree of sections over it, then chunks.

`registry` says which formats there are; each has a folder of its own and writes one `Document`.
May import: errors, language (its plain forms of text), and the tokenizer's interface for chunks.
Importing this package loads no parser and no library of one.
"""

from knarr.documents.decode import Limits
from knarr.documents.registry import SUFFIXES, parse, stem
from knarr.documents.sections import Document, Heading, Section, Table

__all__ = ["SUFFIXES", "Document", "Heading", "Limits", "Section", "Table", "parse", "stem"]
