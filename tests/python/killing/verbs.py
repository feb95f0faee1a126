"""The verbs that change a base, as a seeded mix of operations with what must be true after each.

A new verb is one entry of VERBS: `plan` draws its arguments from what is there (None: not now), `do` calls it, `after`
gives the states that a kill in the middle may leave, the last of which is that of the whole. `State.texts` is every
document's text by URI.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import knarr
from by_hand import call, cite, trace_by_hand
from knarr.testing import ScriptedChat

Args = tuple[str, ...]
ROOT = "viking://kb"


@dataclass(frozen=True)
class State:
    """What a base holds: texts by URI, learnt traces with the documents that they rest on, and traces of questions, at
    least. Both kinds go with the first document that they were shown; a question may have been shown any."""

    texts: dict[str, str] = field(default_factory=dict)
    taught: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stored: int = 0


@dataclass(frozen=True)
class Verb:
    plan: Callable[[State, random.Random, int], Args | None]
    do: Callable[[knarr.KnowledgeBase, Path, Args], object]
    after: Callable[[State, Args], list[State]]
    weight: int = 1


def text_of(name: str, version: str) -> str:
    """A text whose first sentence, which abstracts quote, and every section name document and version."""
    return "".join(
        f"# Part {n} of {name}\n\nThe mark{name}v{version}x stands in part {n} of this text.\n\n"
        for n in range(3)
    )


def mark_of(text: str) -> str:
    return next(word for word in text.split() if word.startswith("mark"))


# --- documents -------------------------------------------------------------------------------------


def _write(files: Path, folder: str, name: str, version: str) -> Path:
    path = files / folder / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(name, version))
    return path


def _plan_add(state: State, chance: random.Random, number: int) -> Args | None:
    return chance.choice("abc"), f"d{number}", str(number)


def _plan_update(state: State, chance: random.Random, number: int) -> Args | None:
    # Moved ones are no longer the document of a file of that name.
    own = sorted(uri for uri in state.texts if uri.removeprefix(ROOT).startswith(("/a/", "/b/", "/c/")))
    if not own:
        return None
    folder, name = chance.choice(own).split("/")[-2:]
    return folder, name, str(number)


def _add(kb: knarr.KnowledgeBase, files: Path, args: Args) -> None:
    folder, name, version = args
    assert kb.add(_write(files, folder, name, version), into=f"{ROOT}/{folder}").ok


def _after_add(state: State, args: Args) -> list[State]:
    folder, name, version = args
    return [replace(state, texts=state.texts | {f"{ROOT}/{folder}/{name}": text_of(name, version)})]


def _plan_batch(state: State, chance: random.Random, number: int) -> Args | None:
    return (f"batch{number}", *(f"m{number}n{n}" for n in range(3)))


def _add_batch(kb: knarr.KnowledgeBase, files: Path, args: Args) -> None:
    folder, *names = args
    paths = [_write(files, folder, name, "0") for name in names]
    assert kb.add(paths, into=f"{ROOT}/{folder}").ok


def _after_batch(state: State, args: Args) -> list[State]:
    folder, *names = args
    states = []
    for name in names:
        state = replace(state, texts=state.texts | {f"{ROOT}/{folder}/{name}": text_of(name, "0")})
        states.append(state)
    return states


def _plan_remove(state: State, chance: random.Random, number: int) -> Args | None:
    return (chance.choice(sorted(state.texts)),) if len(state.texts) > 3 else None


def _plan_remove_folder(state: State, chance: random.Random, number: int) -> Args | None:
    folders = sorted({uri.rpartition("/")[0] for uri in state.texts})
    return (chance.choice(folders),) if len(folders) > 2 else None


def _lies_in(uri: str, place: str) -> bool:
    return (uri + "/").startswith(place + "/")


def _after_remove(state: State, args: Args) -> list[State]:
    texts = {uri: text for uri, text in state.texts.items() if not _lies_in(uri, args[0])}
    taught = {trace: uris for trace, uris in state.taught.items() if texts.keys() >= set(uris)}
    return [replace(state, texts=texts, taught=taught, stored=0)]


def _plan_move(state: State, chance: random.Random, number: int) -> Args | None:
    places = sorted({uri.rpartition("/")[0] for uri in state.texts} | set(state.texts))
    return (chance.choice(places), f"{ROOT}/moved{number}/t{number}") if places else None


def _after_move(state: State, args: Args) -> list[State]:
    source, target = args

    def there(uri: str) -> str:
        return target + uri[len(source) :] if _lies_in(uri, source) else uri

    texts = {there(uri): text for uri, text in state.texts.items()}
    taught = {trace: tuple(map(there, uris)) for trace, uris in state.taught.items()}
    return [replace(state, texts=texts, taught=taught)]


# --- experience, traces, settings ------------------------------------------------------------------


def _plan_learn(state: State, chance: random.Random, number: int) -> Args | None:
    if len(state.texts) < 2:
        return None
    return (f"trace{number}", *chance.sample(sorted(state.texts), 2))


def _learn(kb: knarr.KnowledgeBase, files: Path, args: Args) -> None:
    trace, *uris = args
    source, target = (kb.grep("stands", uri).matches[0].uri for uri in uris)
    run = trace_by_hand(trace, f"question {trace}", [call("Search", [source])], [cite(kb, target)])
    kb.experience.learn(run)


def _after_learn(state: State, args: Args) -> list[State]:
    return [replace(state, taught=state.taught | {args[0]: args[1:]})]


def _plan_taught(state: State, chance: random.Random, number: int) -> Args | None:
    return (chance.choice(sorted(state.taught)),) if state.taught else None


def _after_forget(state: State, args: Args) -> list[State]:
    return [replace(state, taught={name: uris for name, uris in state.taught.items() if name != args[0]})]


def _same(state: State, args: Args) -> list[State]:
    return [state]


def _plan_nothing(state: State, chance: random.Random, number: int) -> Args | None:
    return (str(number),)


def _plan_ask(state: State, chance: random.Random, number: int) -> Args | None:
    return (
        (f"Where does the {mark_of(chance.choice(sorted(state.texts.values())))} stand?",)
        if state.texts
        else None
    )


def _after_ask(state: State, args: Args) -> list[State]:
    return [replace(state, stored=state.stored + 1)]


def _make_abstracts(kb: knarr.KnowledgeBase, files: Path, args: Args) -> None:
    kb.abstracts.make(
        chat=ScriptedChat([f"A text number {n} by a model." for n in range(200)], name=f"m{args[0]}")
    )


VERBS: dict[str, Verb] = {
    "add": Verb(_plan_add, _add, _after_add, 6),
    "update": Verb(_plan_update, _add, _after_add, 5),
    "add_batch": Verb(_plan_batch, _add_batch, _after_batch, 2),
    "remove": Verb(_plan_remove, lambda kb, _, args: kb.remove(*args), _after_remove, 4),
    "remove_folder": Verb(_plan_remove_folder, lambda kb, _, args: kb.remove(*args), _after_remove),
    "move": Verb(_plan_move, lambda kb, _, args: kb.move(*args), _after_move, 4),
    "learn": Verb(_plan_learn, _learn, _after_learn, 3),
    "forget": Verb(_plan_taught, lambda kb, _, args: kb.experience.forget(*args), _after_forget),
    "quarantine": Verb(_plan_taught, lambda kb, _, args: kb.experience.quarantine(*args), _same),
    "release": Verb(_plan_taught, lambda kb, _, args: kb.experience.quarantine(*args, False), _same),
    "mark": Verb(_plan_taught, lambda kb, _, args: kb.experience.mark(args[0], True), _same),
    "ask": Verb(_plan_ask, lambda kb, _, args: kb.ask(*args), _after_ask, 2),
    "calibrate": Verb(_plan_nothing, lambda kb, _, args: kb.experience.calibrate(least=1), _same),
    "abstracts": Verb(_plan_nothing, _make_abstracts, _same),
    "snapshot": Verb(_plan_nothing, lambda kb, _, args: kb._index.save(), _same, 2),
}


@dataclass(frozen=True)
class Step:
    """An operation; `before` and the states that a kill in it may leave, the last of which is the whole."""

    verb: str
    args: Args
    before: State
    after: tuple[State, ...]


def planned(seed: str, count: int) -> list[Step]:
    """A mix of `count` operations, every verb among them where it can be."""
    chance = random.Random(seed)
    names = [name for name, verb in VERBS.items() for _ in range(verb.weight)]
    state, steps = State(), list[Step]()
    while len(steps) < count:
        number = len(steps)
        name = "add" if number < 3 else chance.choice(names)
        args = VERBS[name].plan(state, chance, number)
        if args is None:
            continue
        after = VERBS[name].after(state, args)
        steps.append(Step(name, args, state, tuple(after)))
        state = after[-1]
    return steps
