"""A base under random changes, and everything that its public surfaces say to a principal.

Each document carries a secret word in its name, its title, its text, its metadata, and in the questions that were
asked of it. Whatever a view returns or raises is read as text: a word of a document that the oracle hides is a
leak. What may be seen must be there, too, and what may not must be told like what does not exist.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import knarr
from knarr.errors import KnarrError
from knarr.testing import HashEmbedder
from knarr.types import Principal, to_json
from rights.oracle import Oracle, Rule, is_below

ROOT = "viking://"
SUBJECTS = ("ann", "bob", "eve")
GROUPS = ("red", "blue")
LABELS = ("secret", "legal")
FOLDERS = ("f", "f/g", "f/g/h", "p", "p/q")
MARK = "zq"  # begins every secret word, and no other


class Leak(AssertionError):
    """A surface told what it must not, or did not tell what it must."""


class World:
    """One base, a second handle on it that stands for another process, and the oracle."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.folder = folder
        embedder = HashEmbedder(dim=16)
        settings = knarr.Settings(gamma=0.1)
        self.kb = knarr.open(folder / "base.kb", embedder=embedder, settings=settings)
        self.other = knarr.open(folder / "base.kb", embedder=embedder, settings=settings)
        self.oracle = Oracle()
        self.made = 0
        self.words: set[str] = set()
        self.asked: dict[str, set[str]] = {}  # by trace, the secret words that its record holds
        self.askers: dict[str, Principal | None] = {}
        self.stood: dict[str, set[str]] = {}  # by secret word, where its document has ever stood

    def close(self) -> None:
        self.other.close()
        self.kb.close()

    # ------------------------------------------------------------------ changes

    def change(self) -> str:
        """One random change; returns what it was."""
        kinds: list[tuple[int, Callable[[], str]]] = [
            (5, self._add),
            (1, self._remove),
            (2, self._move),
            (7, self._rule),
            (3, self._unrule),
            (2, self._ask),
            (1, self._update),
        ]
        weights = [weight for weight, _ in kinds]
        done = self.random.choices([one for _, one in kinds], weights)[0]()
        for uri, word in self.oracle.secrets.items():
            self.stood.setdefault(word, set()).add(uri)
        return done

    def _place(self) -> str:
        documents = sorted(self.oracle.secrets)
        folders = [f"{ROOT}{name}" for name in FOLDERS] + [ROOT]
        return self.random.choice(documents + folders + folders[-1:] if documents else folders)

    def _text(self, word: str) -> str:
        again = self.random.choice(("loan", "fee", "days"))
        return (
            f"---\nauthor: {word}\n---\n# Title {word}\n\nThe {again} of {word} lasts fourteen days.\n\n"
            f"## Part {word}\n\nA common fee of {word} is due for every {again}.\n"
        )

    def _add(self) -> str:
        self.made += 1
        word = f"{MARK}{self.made}x"
        folder = self.random.choice(FOLDERS)
        path = self.folder / "docs" / folder / f"{word}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._text(word), encoding="utf-8")
        report = self.kb.add(path, f"{ROOT}{folder}")
        uri = f"{ROOT}{folder}/{word}"
        assert report.files[0].uri.rstrip("/") == uri, report
        self.oracle.secrets[uri] = word
        self.words.add(word)
        return f"add {uri}"

    def _update(self) -> str:
        documents = sorted(self.oracle.secrets)
        if not documents:
            return self._add()
        uri = self.random.choice(documents)
        path = Path(self.kb.document(uri).path)
        if path.is_file() and self.oracle.secrets[uri] == path.stem:
            path.write_text(self._text(path.stem) + "\nMore.\n", encoding="utf-8")
            parent = uri.rpartition("/")[0]
            self.kb.add(path, parent)
            self.oracle.secrets.setdefault(f"{parent}/{path.stem}", path.stem)
        return f"update {uri}"

    def _remove(self) -> str:
        uri = self._place()
        if uri == ROOT or not any(is_below(known, uri) for known in self.oracle.secrets):
            return "nothing"
        self.kb.remove(uri)
        self.oracle.remove(uri)
        return f"remove {uri}"

    def _move(self) -> str:
        documents = sorted(self.oracle.secrets)
        if not documents:
            return self._add()
        source = self.random.choice([self._place(), self.random.choice(documents)])
        target = f"{ROOT}{self.random.choice(FOLDERS)}/{source.rpartition('/')[2] or 'x'}"
        try:
            self.kb.move(source, target)
        except KnarrError:
            return "nothing"
        self.oracle.move(source, target)
        return f"move {source} {target}"

    def _rule(self) -> str:
        uri = self._place()
        kind = self.random.choice(("grant", "grant", "grant", "deny", "label"))
        if kind == "label":
            name = self.random.choice(LABELS)
            self.kb.rights.label(uri, name)
            self.oracle.rules.add((uri, "label", "label", name))
            return f"label {uri} {name}"
        rule: Rule
        whom = self.random.choice(("subject", "group", "everyone"))
        if whom == "subject":
            rule = (uri, kind, whom, self.random.choice(SUBJECTS))
        else:
            rule = (uri, kind, whom, self.random.choice(GROUPS) if whom == "group" else "")
        named: dict[str, Any] = {whom: rule[3] if whom != "everyone" else True}
        (self.kb.rights.grant if kind == "grant" else self.kb.rights.deny)(uri, **named)
        self.oracle.rules.add(rule)
        return f"{kind} {uri} {named}"

    def _unrule(self) -> str:
        if not self.oracle.rules:
            return self._rule()
        uri, kind, whom, name = rule = self.random.choice(sorted(self.oracle.rules))
        if kind == "label":
            self.kb.rights.unlabel(uri, name)
            self.oracle.rules.discard(rule)
        else:
            named: dict[str, Any] = {whom: name if whom != "everyone" else True}
            self.kb.rights.revoke(uri, **named)
            self.oracle.rules -= {(uri, "grant", whom, name), (uri, "deny", whom, name)}
        return f"revoke {rule}"

    def _ask(self) -> str:
        documents = sorted(self.oracle.secrets)
        if not documents:
            return self._add()
        asker = self.random.choice([None, None, self.principal()])
        known = documents if asker is None else sorted(self.oracle.seen(asker))
        word = self.oracle.secrets[self.random.choice(known or documents)]
        asker = asker if known else None  # whoever may not know a word is asked with it in `surfaces`
        question = f"How many days does the loan of {word} last?"
        answer = self.kb.as_(asker).ask(question, mode="vikingrag-e")
        record = self.kb.traces.get(answer.trace_id)
        self.asked[record.id] = self.found(record)
        self.askers[record.id] = asker
        return f"ask {word} as {asker}: {answer.status}"

    # ------------------------------------------------------------------ looking

    def principal(self) -> Principal:
        some = self.random
        return Principal(
            subject=some.choice(("", *SUBJECTS)),
            groups=tuple(name for name in GROUPS if some.random() < 0.4),
            labels=tuple(name for name in LABELS if some.random() < 0.5),
        )

    def found(self, value: object) -> set[str]:
        """The secret words in anything that was returned or raised."""
        text = f"{value!r} {value} {json.dumps(to_json(value), default=repr, ensure_ascii=False)}"
        return {word for word in self.words if word in text}

    def check(self, principal: Principal, *, asks: bool) -> None:
        """Everything that a view says to a principal, from both handles in turn."""
        base = self.random.choice((self.kb, self.other))
        view = base.as_(principal)
        seen = self.oracle.seen(principal)
        shown = {self.oracle.secrets[uri] for uri in seen}
        for name, said in self.surfaces(view, seen, asks=asks):
            told = self.found(said) - shown
            if told:
                raise Leak(f"{principal}: {name} tells {sorted(told)}: {said!r}")
        past = self.told_of_the_past(principal)
        for name, said in self.past_surfaces(view):
            told = self.found(said) - past
            if told:
                raise Leak(f"{principal}: {name} tells {sorted(told)}: {said!r}")
        self.other.refresh()
        self.check_whole(view, principal, seen)

    def surfaces(self, view: Any, seen: set[str], *, asks: bool) -> Iterator[tuple[str, object]]:
        """Each surface with what it said."""
        some = self.random
        places = [ROOT, *(f"{ROOT}{name}" for name in FOLDERS), *self.oracle.secrets]
        uri = some.choice(places)
        word = some.choice(sorted(self.words) or ["x"])
        calls: dict[str, Callable[[], object]] = {
            "search": lambda: view.search("loan fee days", k=50, kinds=None),
            "search in": lambda: view.search("loan", uri, k=5, distinct=True, gamma=0.0),
            "search far": lambda: view.search("fee", k=3, offset=some.randrange(4)),
            "grep": lambda: view.grep(f"{MARK}[0-9]+x", limit=100),
            "grep in": lambda: view.grep("common fee", uri, literal=True, limit=2),
            "list": lambda: view.list(),
            "list in": lambda: view.list(uri, some.randrange(2), 3),
            "read": lambda: view.read(uri),
            "read abstract": lambda: view.read(f"{uri.rstrip('/')}/.abstract.md"),
            "read part": lambda: view.read(uri, 5, 9),
            "document": lambda: view.document(uri),
            "boxes": lambda: view.boxes(uri),
            "info": lambda: view.info(),
            "refresh": lambda: view.refresh(),
            "outline": lambda: view.library.outlined(),
            "exists": lambda: view.library.exists(uri),
            "edges": lambda: view.experience.edges(),
            "edges in": lambda: view.experience.edges(uri),
            "stats": lambda: view.experience.stats(),
            "threshold": lambda: view.checker.threshold(),
            "traces": lambda: view.traces.list(),
            "walk": lambda: list(view.traces.walk()),
            "repr": lambda: view,
        }
        for trace_id in some.sample(sorted(self.asked), min(2, len(self.asked))):
            calls[f"trace {trace_id}"] = lambda trace_id=trace_id: view.traces.get(trace_id)
            calls[f"edges of {trace_id}"] = lambda trace_id=trace_id: view.experience.edges(trace=trace_id)
        for name, call in calls.items():
            try:
                yield name, call()
            except KnarrError as error:
                said = str(error)
                yield name, said.replace(uri, "") if uri in said else said
        if asks:
            # In capitals, which name the same: so what the principal said itself is not taken for a leak.
            question = f"What is the common fee for the loan of {word.upper()}?"
            answer = view.ask(question, some.choice([ROOT, ROOT, uri]) if view.library.exists(uri) else ROOT)
            kept = view.traces.get(answer.trace_id)
            yield "ask", answer
            yield "trace of ask", kept
            self.asked[kept.id] = self.found(kept)

    def told_of_the_past(self, principal: Principal) -> set[str]:
        """The most that history may tell: words of documents that may be seen where they stand, if they stand, and
        somewhere where they stood."""
        now = {word: uri for uri, word in self.oracle.secrets.items()}
        return {
            word
            for word, places in self.stood.items()
            if any(self.oracle.sees(principal, uri) for uri in places)
            and (word not in now or self.oracle.sees(principal, now[word]))
        }

    def past_surfaces(self, view: Any) -> Iterator[tuple[str, object]]:
        """What a view says of states that are over."""
        some = self.random
        places = sorted({uri for known in self.stood.values() for uri in known}) or [ROOT]
        uri, other = some.choice(places), some.choice(places)
        then = knarr.Seq(some.randrange(self.kb.info()["seq"] + 1))
        calls: dict[str, Callable[[], object]] = {
            "search then": lambda: view.search("loan fee days", k=50, kinds=None, as_of=then),
            "grep then": lambda: view.grep(f"{MARK}[0-9]+x", limit=100, as_of=then),
            "list then": lambda: [view.list(place, as_of=then) for place in (ROOT, f"{ROOT}f")],
            "read then": lambda: view.read(uri, as_of=then),
            "read a version": lambda: view.read(uri, as_of=some.choice((1, 1, 2))),
            "document then": lambda: view.document(uri, as_of=then),
            "boxes then": lambda: view.boxes(uri, as_of=then),
            "versions": lambda: view.history.versions(uri),
            "differences": lambda: view.history.diff(uri),
            "differences of two": lambda: view.history.diff(uri, other=other),
        }
        for name, call in calls.items():
            try:
                yield name, call()
            except KnarrError as error:
                yield name, str(error).replace(uri, "").replace(other, "")

    # ------------------------------------------------------------------ what must be there

    def check_whole(self, view: Any, principal: Principal, seen: set[str]) -> None:
        """What may be seen is all there: held against what the owner sees, filtered the dull way."""
        everything = self.kb.search("loan fee days", k=100_000, kinds=None)

        def document_of(uri: str) -> str | None:
            owners = [known for known in self.oracle.secrets if is_below(uri, known)]
            return owners[0] if owners else None

        def is_seen(uri: str) -> bool:
            document = document_of(uri)
            return document is not None and document in seen  # the abstract of a folder is the owner's

        expected = [(hit.uri, hit.score) for hit in everything if is_seen(hit.uri)]
        result = view.search("loan fee days", k=100_000, kinds=None)
        got = [(hit.uri, hit.score) for hit in result]
        if got != expected or result.rows_allowed != len(expected):
            missing = sorted(set(expected) ^ set(got))
            raise Leak(f"{principal}: search differs in {missing}, {result.rows_allowed} rows")
        if view.info()["documents"] != len(seen):
            raise Leak(f"{principal}: info counts {view.info()['documents']} documents, {len(seen)} are seen")
        listed = set(self._walked(view, ROOT))
        if listed != seen:
            raise Leak(f"{principal}: list shows {sorted(listed ^ seen)} wrongly")
        total = view.grep("common fee", literal=True, limit=1).total if seen else 0
        if total != len(seen):
            raise Leak(f"{principal}: grep counts {total} matches, {len(seen)} documents are seen")
        for trace_id, asker in self.askers.items():
            allowed = self.asked[trace_id] <= {self.oracle.secrets[uri] for uri in seen}
            try:
                view.traces.get(trace_id)
                if asker is None or not allowed:
                    raise Leak(f"{principal}: trace {trace_id} of {asker} is shown")
            except KnarrError:
                pass
        self._check_missing(view, principal, seen)

    def _walked(self, view: Any, uri: str) -> Iterator[str]:
        for entry in view.list(uri, 0, 1000):
            place = entry.uri.rstrip("/")
            if place in self.oracle.secrets:
                yield place
            elif entry.is_directory:
                yield from self._walked(view, place)

    def _check_missing(self, view: Any, principal: Principal, seen: set[str]) -> None:
        """What is hidden fails as what was never there: by class, and word for word."""
        hidden = sorted(set(self.oracle.secrets) - seen)
        if not hidden:
            return
        uri = self.random.choice(hidden)
        missing = f"{uri.rpartition('/')[0]}/nobody"
        then = knarr.Seq(self.kb.info()["seq"])
        names = ["read", "list", "document", "boxes", "search", "grep", "ask", "versions", "diff"]
        pasts: list[Any] = [1, then]
        tried = [(name, None) for name in names] + [(name, past) for name in names[:6] for past in pasts]
        for name, past in tried:
            said = [self._failure(view, name, place, past) for place in (uri, missing)]
            if said[0] != said[1]:
                raise Leak(f"{principal}: {name} of hidden {uri} says {said[0]}, of a missing one {said[1]}")
        told = self.kb.rights.explain(uri, principal)
        if told.seen:
            raise Leak(f"{principal}: explain says that {uri} is seen")

    def _failure(self, view: Any, name: str, uri: str, past: Any) -> str:
        call = getattr(view.history if name in ("versions", "diff") else view, name)
        arguments = ("fee", uri) if name in ("search", "grep", "ask") else (uri,)
        options = {} if past is None else {"as_of": past}
        try:
            return repr(call(*arguments, **options)).replace(uri, "URI")
        except KnarrError as error:
            return f"{type(error).__name__}: {error}".replace(uri, "URI")
