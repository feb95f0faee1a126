"""Knowledge bases of document sets: where they lie, and which document an object belongs to.

A folder of bases holds one named as each set, made by `build.py`, with its documents under
`viking://<set>/`, and beside it `<set>.documents.json`: document URI to the document's name in the set.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bench.rag.datasets import DataSet
from bench.rag.scoring import Shown

import knarr
from knarr.types import Span
from knarr.uris import component, join


@dataclass(frozen=True)
class Base:
    """An open knowledge base of one set. `documents` maps a document's URI, without the closing
    slash, to its name in the set."""

    kb: knarr.KnowledgeBase
    data: DataSet
    documents: dict[str, str]

    @property
    def scope(self) -> str:
        """The directory that holds the set's documents."""
        return scope_of(self.data)

    def uri_of(self, doc: str) -> str:
        """The URI of a document of the set. Raises LookupError when it was not ingested."""
        for uri, name in self.documents.items():
            if name == doc:
                return uri
        raise LookupError(f"{doc} is not in the knowledge base of {self.data.name}")

    def document_of(self, uri: str) -> str:
        """The name of the document that a URI is or lies in, "" for a folder above documents."""
        at = uri.rstrip("/")
        while at and at not in self.documents:
            at = at.rpartition("/")[0]
        return self.documents.get(at, "")

    def piece(self, text: str, uri: str, lines: Span | None, pages: Span | None) -> Shown:
        """Text with the document and pages it is from, as scoring wants it."""
        doc = self.document_of(uri)
        if pages is None and doc and lines is not None:
            first, last = (self.data.page_of_line(doc, line) for line in lines)
            pages = (first, last) if first is not None and last is not None else None
        return Shown(text, doc, pages)


def scope_of(data: DataSet) -> str:
    """The directory that holds the documents of a set."""
    return f"viking://{data.name}"


def paths(folder: Path, data: DataSet) -> tuple[Path, Path]:
    """The base of a set and its table of documents."""
    return folder / data.name, folder / f"{data.name}.documents.json"


def add_documents(kb: knarr.KnowledgeBase, data: DataSet, listing: Path) -> knarr.AddReport:
    """Add the documents of a set (nothing is embedded when they are there already) and write down
    their URIs."""
    report = kb.add(data.folder / "docs", into=scope_of(data))
    documents = {file.uri: f"docs/{file.path}" for file in report.files if file.uri}
    listing.write_text(json.dumps(documents, ensure_ascii=False, indent=1), encoding="utf-8")
    return report


def open_base(folder: Path, data: DataSet) -> Base:
    """The base of a set, which must have been built. Where it was not `build.py` that made it, and so
    no table of documents lies beside it, documents go by the names that ingest gives them."""
    path, listing = paths(folder, data)
    kb = knarr.open(path, create=False)
    if listing.exists():
        return Base(kb, data, json.loads(listing.read_text(encoding="utf-8")))
    documents = {join(scope_of(data), component(Path(doc).stem)): doc for doc in data.titles}
    if len(documents) < len(data.titles):
        raise SystemExit(f"{path}: equal document names; build it with bench.rag.build")
    return Base(kb, data, documents)


def full_text(kb: knarr.KnowledgeBase, uri: str) -> str:
    """All the text of an object, a section or a document, whatever bound one Read has."""
    parts: list[str] = []
    at: int | None = 0
    while at is not None:
        passage = kb.read(uri, begin_byte=at)
        parts.append(passage.text)
        at = passage.next_offset
    return "".join(parts)
