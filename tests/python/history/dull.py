"""A dull model of history: a Python dict of states, one for each change, beside a knowledge base that is changed alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import knarr

ROOT = "viking://"


@dataclass(frozen=True)
class Doc:
    """A document as it stands: who it is, its version and its text."""

    who: int
    version: int
    text: str


@dataclass
class State:
    """What stood after a change, and what the tools said of it while it was the present."""

    seq: int
    at: datetime
    docs: dict[str, Doc]
    told: dict[str, object]


@dataclass
class Twin:
    """A knowledge base and its model, changed together."""

    kb: knarr.KnowledgeBase
    disk: Path
    docs: dict[str, Doc] = field(default_factory=dict)
    contents: dict[int, dict[int, str]] = field(default_factory=dict)  # by document, by version
    stood: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # by URI: (document, version)
    removed: dict[str, int] = field(default_factory=dict)  # the document that was removed last from a URI
    states: list[State] = field(default_factory=list)
    count: int = 0

    def put(self, folder: str, name: str, text: str) -> None:
        path = self.disk / folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        (report,) = self.kb.add(path, into=f"{ROOT}{folder}").files
        uri = report.uri
        known = self.docs.get(uri)
        if known is not None and report.change == "unchanged":
            assert known.text == text
            return
        if known is not None:
            doc = Doc(known.who, known.version + 1, text)
        else:
            self.count += 1
            who = self.count
            heir = self.removed.pop(uri, None)
            if heir is not None:
                self.contents[who] = self.contents.pop(heir)
            version = max((version for _, version in self.stood.get(uri, [])), default=0) + 1
            doc = Doc(who, version, text)
        assert report.version == doc.version, (report, doc)
        self._stands(uri, doc)
        self._noted()

    def move(self, source: str, target: str) -> None:
        try:
            self.kb.move(source, target)
        except (knarr.NotFound, knarr.AlreadyExists, knarr.InvalidArgument):
            return
        for uri in [uri for uri in self.docs if uri == source or uri.startswith(f"{source}/")]:
            doc = self.docs.pop(uri)
            self._stands(target + uri[len(source) :], doc)
        self._noted()

    def remove(self, uri: str) -> None:
        try:
            self.kb.remove(uri)
        except knarr.NotFound:
            return
        for one in [one for one in self.docs if one == uri or one.startswith(f"{uri}/")]:
            self.removed[one] = self.docs.pop(one).who
        self._noted()

    def rollback(self, uri: str, version: int) -> None:
        known = self.docs.get(uri)
        who = known.who if known else self.removed.get(uri)
        try:
            fresh = self.kb.history.rollback(uri, version)
        except (knarr.NotFound, knarr.AlreadyExists, knarr.InvalidArgument):
            return
        assert who is not None
        doc = Doc(who, max(self.contents[who]) + 1, self.contents[who][version])
        assert (fresh.version, fresh.uri) == (doc.version, uri)
        if known is None:
            del self.removed[uri]
        self._stands(uri, doc)
        self._noted()

    def _stands(self, uri: str, doc: Doc) -> None:
        self.docs[uri] = doc
        self.contents.setdefault(doc.who, {})[doc.version] = doc.text
        self.stood.setdefault(uri, []).append((doc.who, doc.version))

    def _noted(self) -> None:
        seq = int(self.kb.info()["seq"])
        self.states.append(State(seq, datetime.now(UTC), dict(self.docs), told(self.kb)))


def told(kb: knarr.KnowledgeBase, as_of: knarr.AsOf | None = None) -> dict[str, object]:
    """What the tools say of everything, in a form in which states can be compared: the order of documents in a folder
    and the vectors of folders' abstracts aside."""
    found: dict[str, object] = {}
    hits = kb.search("alpha beta", k=500, kinds=None, as_of=as_of)
    found["search"] = sorted(
        (hit.uri, hit.source.version, hit.kind, hit.preview, round(hit.score, 4) if hit.source.version else 0)
        for hit in hits
    )
    matches = kb.grep("alpha|beta", limit=1000, as_of=as_of)
    found["grep"] = sorted((m.uri, m.line, m.begin_byte, m.excerpt, m.version) for m in matches)
    found["list"] = sorted(_walk(kb, ROOT, as_of))
    return found


def _walk(kb: knarr.KnowledgeBase, uri: str, as_of: knarr.AsOf | None) -> Iterable[tuple[str, str, int, str]]:
    page = kb.list(uri, limit=1000, as_of=as_of)
    yield (page.uri, "abstract", 0, page.abstract)
    for entry in page:
        version = entry.source.version if entry.source else 0
        yield (page.uri, entry.uri, version, entry.preview)
        if entry.is_directory:
            yield from _walk(kb, entry.uri, as_of)
