"""Whatever happens to documents and traces, the engine holds the edges that a dull model holds.

The model knows each document as a list of parts with a text, and each edge by the identity of its parts'
texts: it never looks at catalog, log or engine.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import knarr
from by_hand import call, cite, held, listed
from knarr.testing import HashEmbedder
from knarr.trace.record import RoundRecord, ScopeRecord, Trace

NAMES = ["a", "b"]
PARTS = 3
Part = tuple[str, int]  # document's name, number of the part

name = st.sampled_from(NAMES)
part = st.tuples(name, st.integers(0, PARTS - 1))


@dataclass
class Document:
    folder: str
    title: str = "Top"
    texts: list[int] = field(default_factory=lambda: [0] * PARTS)

    def markdown(self, name: str) -> str:
        parts = (
            f"## P{n}\n\nPart {n} of {name} tells of matter {text}.\n\n" for n, text in enumerate(self.texts)
        )
        return f"# {self.title}\n\nThese are the opening words of {name}.\n\n" + "".join(parts)

    def uri(self, name: str, number: int) -> str:
        return f"{self.folder}/{name}/{self.title}/P{number}/P{number}_1.md"


@dataclass
class Episode:
    """`kept` are its edges with the stale ones, `shown` the documents that its run met: it goes with one of these when no
    edge is left."""

    edges: set[tuple[Part, Part]]
    state: str = "active"
    kept: set[tuple[Part, Part]] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)


class Experience(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.documents: dict[str, Document] = {}
        self.episodes: dict[str, Episode] = {}
        self.text = 0
        self.count = 0
        self.kb = self.opened()
        self.watcher = self.opened()

    def opened(self) -> knarr.KnowledgeBase:
        return knarr.open(self.folder / "kb", embedder=HashEmbedder(dim=16))

    def teardown(self) -> None:
        self.kb.close()
        self.watcher.close()
        shutil.rmtree(self.folder)

    def write(self, name: str) -> None:
        document = self.documents[name]
        source = self.folder / "docs" / document.folder.rsplit("/", 1)[1]
        source.mkdir(parents=True, exist_ok=True)
        (source / f"{name}.md").write_text(document.markdown(name), encoding="utf-8")
        self.kb.add(source / f"{name}.md", into=document.folder)

    def drop(self, gone: set[Part]) -> None:
        for episode in self.episodes.values():
            episode.edges = {edge for edge in episode.edges if not gone & set(edge)}

    @initialize()
    def first(self) -> None:
        for each in NAMES:
            self.put(each)

    @rule(name=name)
    def put(self, name: str) -> None:
        if name not in self.documents:
            self.documents[name] = Document("viking://kb")
            self.write(name)

    @rule(part=part)
    def change(self, part: Part) -> None:
        name, number = part
        if name in self.documents:
            self.text += 1
            self.documents[name].texts[number] = self.text
            self.drop({part})
            self.write(name)

    @rule(name=name)
    def rename_the_heading_above(self, name: str) -> None:
        if name in self.documents:
            self.text += 1
            self.documents[name].title = f"Top{self.text}"
            self.write(name)

    @rule(name=name)
    def remove(self, name: str) -> None:
        document = self.documents.pop(name, None)
        if document is not None:
            self.kb.remove(f"{document.folder}/{name}")
            gone = {(name, n) for n in range(PARTS)}
            self.drop(gone)
            for trace, episode in list(self.episodes.items()):
                left = {edge for edge in episode.kept if not gone & set(edge)}
                if name in episode.shown and not left:
                    del self.episodes[trace]
                episode.kept = left
                episode.shown.discard(name)

    @rule(name=name)
    def move(self, name: str) -> None:
        document = self.documents.get(name)
        if document is not None:
            target = "viking://other" if document.folder == "viking://kb" else "viking://kb"
            self.kb.move(f"{document.folder}/{name}", f"{target}/{name}")
            document.folder = target

    @rule(found=part, told=part, question=st.integers(0, 1), recorded=st.booleans())
    def learn(self, found: Part, told: Part, question: int, recorded: bool) -> None:
        if found[0] not in self.documents or told[0] not in self.documents:
            return
        self.count += 1
        ends = [self.documents[one].uri(one, number) for one, number in (found, told)]
        trace = Trace(
            id=f"t{self.count}",
            question=f"question number {question}",
            scope="viking://",
            policy="by hand",
            created_at=datetime.now(UTC).isoformat(),
            resolution=ScopeRecord(),
            rounds=(RoundRecord(1, (call("Search", ends[:1]),)),),
            status="answered",
            text="so it is",
            citations=(cite(self.kb, ends[1]),),
        )
        edges = {(found, told)} if found != told else set()
        assert self.kb.experience.learn(trace, mode="record" if recorded else "learn") == len(edges)
        assert self.kb.experience.learn(trace) == 0
        state = "pending" if recorded else "active"
        self.episodes[trace.id] = Episode(edges, state, set(edges), {found[0], told[0]})

    def pick(self, at: int) -> tuple[str, Episode] | None:
        known = list(self.episodes.items())
        return known[at % len(known)] if known else None

    @rule(at=st.integers(0, 50), on=st.booleans())
    def quarantine(self, at: int, on: bool) -> None:
        found = self.pick(at)
        if found is not None:
            trace, episode = found
            self.kb.experience.quarantine(trace, on)
            if on:
                episode.state = "quarantined"
            elif episode.state == "quarantined":
                episode.state = "active"

    @rule(at=st.integers(0, 50))
    def approve(self, at: int) -> None:
        found = self.pick(at)
        if found is not None:
            trace, episode = found
            self.kb.experience.approve(trace)
            episode.state = "active" if episode.state == "pending" else episode.state

    @rule(at=st.integers(0, 50))
    def forget(self, at: int) -> None:
        found = self.pick(at)
        if found is not None:
            self.kb.experience.forget(found[0])
            del self.episodes[found[0]]

    @rule(keep=st.booleans())
    def reopen(self, keep: bool) -> None:
        """From the snapshot, or from the catalog alone."""
        self.kb.close()
        if not keep:
            for path in (self.folder / "kb").glob("*.snapshot"):
                path.unlink()
        self.kb = self.opened()

    @rule()
    def watch(self) -> None:
        """Another process's base catches up with all that happened, at once."""
        self.watcher.refresh()
        assert held(self.watcher) == self.expected()

    def expected(self) -> list[tuple[str, str, str]]:
        def uri(at: Part) -> str:
            return self.documents[at[0]].uri(*at)

        return sorted(
            (uri(source), uri(target), trace)
            for trace, episode in self.episodes.items()
            if episode.state == "active"
            for source, target in episode.edges
        )

    @invariant()
    def engine_catalog_and_model_agree(self) -> None:
        assert held(self.kb) == self.expected()
        assert listed(self.kb) == self.expected()


TestExperience = Experience.TestCase
TestExperience.settings = settings(max_examples=10, stateful_step_count=20)
