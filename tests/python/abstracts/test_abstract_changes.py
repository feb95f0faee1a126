"""Abstracts by a model follow what is added, moved, changed and removed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

import knarr
from knarr.catalog.schema import abstract_uses, model_abstracts
from knarr.errors import ChatError
from knarr.models.chat import ChatReply, ChatRequest
from knarr.testing import HashEmbedder
from support import WriteDocs
from telling import Teller, manual, prose, told
from told_base import SETTINGS, everything, rows


def model_settings() -> knarr.Settings:
    return SETTINGS.model_copy(update={"abstracts": "model", "chat_url": "http://127.0.0.1:9/v1"})


@pytest.fixture
def telling(tmp_path: Path, embedder: HashEmbedder) -> Iterator[Callable[[Teller], knarr.KnowledgeBase]]:
    """Opens one knowledge base whose settings want a model's abstracts, with this chat model."""
    with knarr.open(tmp_path / "m.kb", embedder=embedder, settings=model_settings()) as base:

        def use(chat: Teller) -> knarr.KnowledgeBase:
            base.abstracts._configured._chat = chat
            return base

        yield use


def test_add_ends_with_abstracts_of_what_is_new(
    telling: Callable[[Teller], knarr.KnowledgeBase], write_docs: WriteDocs
) -> None:
    docs = write_docs({f"{name}/doc.md": manual(name) for name in ("Ropes", "Sails")})
    base = telling(chat := Teller())
    report = base.add(docs, into="viking://ship")
    assert report.abstracts is not None and report.abstracts.made == chat.calls == 9
    base = telling(chat := Teller())
    assert base.add(docs, into="viking://ship").abstracts is None and chat.calls == 0

    before = everything(base)
    write_docs(
        {"Ropes/doc.md": manual("Ropes").replace("## Part 1 of Ropes\n\n", "## Part 1 of Ropes\n\nNew. ")}
    )
    base = telling(chat := Teller())
    report = base.add(docs, into="viking://ship")
    changed = report.abstracts
    # The changed leaf, the section above, the ship's folder; two leaves of the document were known.
    assert changed is not None and changed.made == chat.calls <= 3 and changed.cached >= 2
    same = "viking://ship/Ropes/doc/Ropes/Part_0_of_Ropes/"
    assert everything(base)[same] == before[same] and base.info()["documents"] == 2


def test_unchanged_sections_keep_theirs_when_the_server_is_gone(
    telling: Callable[[Teller], knarr.KnowledgeBase], write_docs: WriteDocs
) -> None:
    docs = write_docs({"doc.md": manual("Ropes")})
    base = telling(Teller())
    base.add(docs)
    before = everything(base)

    def tell(request: ChatRequest) -> ChatReply:
        raise ChatError("gone")

    write_docs({"doc.md": manual("Ropes") + "\n## More\n\n" + prose("more", 100)})
    base = telling(Teller(tell))
    report = base.add(docs)
    assert report.ok and report.abstracts is not None and not report.abstracts.ok
    after = everything(base)
    for at in range(3):
        leaf = f"viking://doc/Ropes/Part_{at}_of_Ropes/"
        assert after[leaf] == before[leaf]
    assert after["viking://doc/Ropes/More/"].startswith("More.")
    assert after["viking://doc/Ropes/"].startswith("Ropes. Sections:")


def test_an_add_outlives_a_server_that_does_not_tell_its_model(
    telling: Callable[[Teller], knarr.KnowledgeBase], write_docs: WriteDocs
) -> None:
    class Nameless(Teller):
        @property
        def name(self) -> str:  # type: ignore[override]
            raise ChatError("no server there")

        @name.setter
        def name(self, value: str) -> None:
            pass

    report = telling(Nameless()).add(write_docs({"doc.md": manual("Ropes")}))
    assert report.ok and report.abstracts is not None
    assert report.abstracts.left == 5 and report.abstracts.stopped == "no server there"


def test_moving_and_removing(filled: knarr.KnowledgeBase) -> None:
    filled.abstracts.make(chat=Teller())
    before = everything(filled)
    filled.move("viking://ship/Ropes", "viking://ship/Lines")
    chat = Teller()
    report = filled.abstracts.make("viking://ship", chat=chat)
    assert chat.calls <= 1 and report.ok  # the folder above has another name in it
    leaf = "doc/Ropes/Part_0_of_Ropes/"
    assert everything(filled)["viking://ship/Lines/" + leaf] == before["viking://ship/Ropes/" + leaf]
    filled.remove("viking://ship")
    # What was told of removed content goes with it.
    assert rows(filled, model_abstracts) == rows(filled, abstract_uses) == 0


def test_content_that_changed_takes_its_abstract_along(
    filled: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    filled.abstracts.make(chat=Teller())
    docs = write_docs({"Ropes/doc.md": "# Ropes\n\nGone."})
    filled.add(docs, into="viking://ship")
    with filled._catalog.reading() as connection:
        texts = list(connection.execute(sa.select(model_abstracts.c.text)).scalars())
    assert not any("Ropes" in text for text in texts) and any("Sails" in text for text in texts)


def test_a_document_that_changes_meanwhile_is_not_overwritten(
    base: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    docs = write_docs({"doc.md": manual("Ropes")})
    base.add(docs)
    once = threading.Lock()

    def tell(request: ChatRequest) -> ChatReply:
        if once.acquire(blocking=False):
            write_docs({"doc.md": "# Ropes\n\nQuite another text."})
            base.add(docs)
        return told(request)

    report = base.abstracts.make(chat=Teller(tell))
    assert report.changed == 5 and not report.ok
    assert "Quite another text" in base.list("viking://doc").abstract


def test_a_scope_covers_what_is_below_and_the_folders_above(filled: knarr.KnowledgeBase) -> None:
    before = everything(filled)
    chat = Teller()
    filled.abstracts.make("viking://ship/Sails/doc/Sails/Part_1_of_Sails", chat=chat)
    changed = {uri for uri, text in everything(filled).items() if text != before[uri]}
    assert "viking://ship/Sails/doc/Sails/Part_1_of_Sails/" in changed
    assert not any("Ropes" in uri or "Part_0" in uri for uri in changed)
    assert chat.calls == 2 + 1
    with pytest.raises(knarr.NotFound):
        filled.abstracts.make("viking://nowhere", chat=chat)
    with pytest.raises(knarr.NotFound):
        filled.abstracts.make("viking://ship/Sails/doc/Nothing", chat=chat)
