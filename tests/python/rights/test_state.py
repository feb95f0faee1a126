"""One state for each call: what is kept of a class, and calls while others write."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

import knarr
from knarr.errors import NotFound
from knarr.index.index import Index
from knarr.reading.seen import SeenContext
from knarr.reading.seen_engine import SeenEngine
from knarr.testing import HashEmbedder
from knarr.types import Principal
from knarr.view import Reader
from support import WriteDocs

ANN, BOB = Principal(subject="ann"), Principal(subject="bob")


@pytest.fixture
def base(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    files: dict[str, str | bytes] = {f"d{n}.md": f"# Part {n}\n\nThe loan of {n}.\n" for n in range(6)}
    kb.add(write_docs(files), "viking://open")
    kb.rights.grant("viking://open", everyone=True)
    return kb


def test_queries_are_kept_apart_by_class(base: knarr.KnowledgeBase, embedder: HashEmbedder) -> None:
    """SEC-04: how soon a vector comes would tell what somebody else has asked."""
    base.rights.grant("viking://x", subject="ann")
    base.search("an unheard query")
    before = embedder.texts
    for reader, asked in (
        (base.as_(ANN), 1),
        (base.as_(ANN), 0),
        (base.as_(BOB), 1),
        (base.as_(BOB), 0),
        (base, 0),
    ):
        reader.search("an unheard query")
        assert embedder.texts == before + asked, reader
        before = embedder.texts


def test_principals_that_meet_the_same_rules_are_one_class(base: knarr.KnowledgeBase) -> None:
    def of(principal: Principal) -> object:
        return base.as_(principal)._parts().context.edition[0]

    many = [Principal(subject=f"s{n}", groups=(f"g{n}",), labels=("unnamed",)) for n in range(50)]
    assert len({id(of(one)) for one in many}) == 1 == base._keeper.classes
    base.rights.deny("viking://open/d1", group="g7")
    assert of(many[7]) is not of(many[8]) and of(many[8]) is of(many[9])


def test_a_call_is_made_again_when_something_moved_meanwhile(
    base: knarr.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that moves out of sight between the rows and the result is not told of by its new name."""
    view = base.as_(ANN)
    search, moved = SeenEngine.search, []

    def late(engine: SeenEngine, *arguments: object, **options: object) -> object:
        if not moved:
            moved.append(base.move("viking://open/d3", "viking://shut/d3"))
        return search(engine, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(SeenEngine, "search", late)
    found = view.search("loan", k=99)
    assert moved and len(found) == 5 and "shut" not in repr(found)


def test_many_threads_see_nothing_that_is_hidden_while_documents_move(base: knarr.KnowledgeBase) -> None:
    stop, failures = threading.Event(), list[str]()

    def reads(call: Callable[[Reader], object]) -> None:
        view = base.as_(ANN)
        while not stop.is_set():
            try:
                said = repr(call(view))
            except NotFound as error:
                said = str(error)
            if "shut" in said:
                failures.append(said)

    calls: list[Callable[..., object]] = [
        lambda view: view.search("loan", k=99, kinds=None),
        lambda view: view.list("viking://"),
        lambda view: view.grep("loan", limit=99),
        lambda view: view.info(),
    ]
    threads = [threading.Thread(target=reads, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for turn in range(12):
        here, there = ("open", "shut") if turn % 2 == 0 else ("shut", "open")
        base.move(f"viking://{here}/d2", f"viking://{there}/d2")
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_failed_follow_leaves_nobody_with_more_rights(
    base: knarr.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the index could not take up in full is refused until it can."""
    view, apply = base.as_(ANN), Index._apply
    assert len(view.search("loan", k=99)) == 6

    def fails(index: Index, connection: object, change: object) -> None:
        raise knarr.CatalogError("the disk is gone")

    monkeypatch.setattr(Index, "_apply", fails)
    with pytest.raises(knarr.CatalogError):
        base.move("viking://open/d1", "viking://shut/d1")
    with pytest.raises(knarr.CatalogError):
        view.search("loan", k=99)
    monkeypatch.setattr(Index, "_apply", apply)
    assert len(view.search("loan", k=99)) == 5


def test_a_view_is_refused_after_closing(base: knarr.KnowledgeBase) -> None:
    view = base.as_(ANN)
    base.close()
    for call in (lambda: view.search("loan"), view.info, view.list, view.traces.list, view.refresh):
        with pytest.raises(knarr.CatalogError, match="closed"):
            call()


def test_views_keep_their_base_open(base: knarr.KnowledgeBase) -> None:
    context = base.as_(ANN)._parts().context
    assert isinstance(context, SeenContext)
    view = knarr.open(base.path, embedder=base.embedder).as_(BOB)
    assert len(view.search("loan", k=99)) == 6
