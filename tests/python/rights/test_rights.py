"""`kb.rights` and what a view then sees: rules on paths, labels, moves, folders, processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import knarr
from knarr.errors import InvalidArgument, NotFound
from knarr.types import Principal
from support import WriteDocs

ANN = Principal(subject="ann", groups=("staff",))
PUB, SEC = "viking://h/pub", "viking://h/sec"
PLAN, LOAN = f"{SEC}/plan", f"{PUB}/loan"


@pytest.fixture
def base(kb: knarr.KnowledgeBase, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    files: dict[str, str | bytes] = {
        "pub/loan.md": "# Loan\n\nA loan lasts fourteen days.\n",
        "pub/fee.md": "# Fee\n\nA late fee of two crowns is due.\n",
        "sec/plan.md": "# Plan\n\nThe merger of the two houses is planned.\n",
    }
    kb.add(write_docs(files), "viking://h")
    return kb


def seen(reader: knarr.KnowledgeBase | object) -> set[str]:
    """The documents of which something is found."""
    result = reader.search("a loan fee merger", k=100, kinds=None)  # type: ignore[attr-defined]
    return {hit.source.document for hit in result if hit.source.version}


def test_nothing_is_seen_before_a_grant(base: knarr.KnowledgeBase) -> None:
    view = base.as_(ANN)
    assert seen(view) == set() and view.list().entries == () and view.list().abstract == ""
    assert view.info()["documents"] == 0 and view.grep("loan").total == 0
    assert base.as_(None) is base and len(seen(base)) == 3


def test_grants_are_inherited_and_a_deny_wins_wherever_it_stands(base: knarr.KnowledgeBase) -> None:
    view = base.as_(ANN)
    base.rights.grant("viking://h", group="staff")
    assert seen(view) == {LOAN, f"{PUB}/fee", PLAN}
    base.rights.deny(SEC, subject="ann")
    assert seen(view) == {LOAN, f"{PUB}/fee"}
    base.rights.grant(PLAN, subject="ann")
    assert seen(view) == {LOAN, f"{PUB}/fee"}
    assert base.rights.revoke(SEC, subject="ann") == 1
    assert PLAN in seen(view)


def test_all_labels_on_the_path_are_needed(base: knarr.KnowledgeBase) -> None:
    base.rights.grant("viking://", everyone=True)
    assert base.rights.label("viking://h", "staff only") == 1
    assert base.rights.label(SEC, "legal", "secret") == 2
    assert seen(base.as_(Principal())) == set()
    assert seen(base.as_(Principal(labels=("staff only", "legal")))) == {LOAN, f"{PUB}/fee"}
    assert len(seen(base.as_(Principal(labels=("staff only", "legal", "secret"))))) == 3
    assert base.rights.unlabel(SEC, "legal") == 1 and base.rights.unlabel(SEC) == 1


def test_a_rule_may_come_before_its_document(base: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    view = base.as_(ANN)
    base.rights.grant("viking://later", subject="ann")
    base.rights.deny("viking://later/b", subject="ann")
    folder = write_docs({"n/a.md": "# A\n\nA loan.\n", "n/b.md": "# B\n\nA loan.\n"}) / "n"
    base.add(folder, "viking://later")
    assert seen(view) == {"viking://later/a"}
    base.remove("viking://later")
    base.add(folder / "a.md", "viking://later")
    assert seen(view) == {"viking://later/a"}  # the rule has stayed


def test_rules_follow_a_move(base: knarr.KnowledgeBase) -> None:
    view = base.as_(ANN)
    base.rights.grant("viking://h", subject="ann")
    base.rights.deny(PLAN, subject="ann")
    base.move(SEC, f"{PUB}/inner")
    assert seen(view) == {LOAN, f"{PUB}/fee"}
    assert [str(rule) for rule in base.rights.list(PUB)] == [f"deny to subject ann on {PUB}/inner/plan"]
    with pytest.raises(NotFound):
        view.read(f"{PUB}/inner/plan")


def test_a_place_inside_a_document_has_no_rules(base: knarr.KnowledgeBase) -> None:
    for change in (
        lambda uri: base.rights.grant(uri, everyone=True),
        lambda uri: base.rights.deny(uri, subject="ann"),
        lambda uri: base.rights.label(uri, "legal"),
    ):
        with pytest.raises(InvalidArgument, match="lies in the document"):
            change(f"{PLAN}/Plan")
    assert base.rights.list() == []


def test_a_rule_that_a_document_grew_around_hides_all_of_it(
    base: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    view = base.as_(ANN)
    base.rights.deny("viking://n/new/New", subject="ann")
    base.rights.grant("viking://n/new/New", subject="ann")
    base.add(write_docs({"new.md": "# New\n\nA loan.\n"}) / "new.md", "viking://n")
    assert seen(view) == set()
    base.rights.grant("viking://n", subject="ann")
    assert seen(view) == set()
    assert not base.rights.explain("viking://n/new", ANN).seen
    base.rights.revoke("viking://n/new/New")
    assert seen(view) == {"viking://n/new"}


def test_what_is_hidden_is_missing_word_for_word(base: knarr.KnowledgeBase) -> None:
    base.rights.grant(PUB, everyone=True)
    view = base.as_(ANN)
    calls: dict[str, Callable[[str], object]] = {
        "read": view.read,
        "list": view.list,
        "document": view.document,
        "search": lambda uri: view.search("fee", uri),
        "grep": lambda uri: view.grep("fee", uri),
        "ask": lambda uri: view.ask("What is the fee?", uri),
    }
    for name, call in calls.items():
        said = []
        for uri in (PLAN, f"{SEC}/none", SEC, "viking://none"):
            with pytest.raises(NotFound) as error:
                call(uri)
            said.append(str(error.value).replace(uri, "URI"))
        assert len(set(said)) == 1, (name, said)
    assert view.boxes(PLAN) == view.boxes(f"{SEC}/none") == ()


def test_a_mixed_folder_has_an_abstract_of_what_its_class_sees(base: knarr.KnowledgeBase) -> None:
    view = base.as_(ANN)
    base.rights.grant("viking://h", everyone=True)
    assert view.list("viking://h").abstract == base.list("viking://h").abstract
    base.rights.deny(SEC, everyone=True)
    page = view.list("viking://h")
    assert "pub" in page.abstract and "sec" not in page.abstract and "merger" not in page.abstract
    assert [entry.name for entry in page] == ["pub"]
    assert "viking://h/.abstract.md" not in {hit.uri for hit in view.search("pub", k=99, kinds=None)}
    assert "sec" in base.list("viking://h").abstract
    base.rights.deny(f"{PUB}/fee", everyone=True)
    (pub,) = view.list("viking://h")
    assert pub.rows == len(view.search("x", PUB, k=99, kinds=None)) and "crowns" not in pub.preview


def test_a_folder_is_described_again_when_nothing_in_it_is_hidden(base: knarr.KnowledgeBase) -> None:
    view = base.as_(ANN)
    base.rights.grant("viking://h", everyone=True)
    base.rights.deny(PLAN, everyone=True)
    base.remove(PLAN)
    assert view.list("viking://h").abstract == base.list("viking://h").abstract
    assert "merger" not in repr(view.search("houses", k=99, kinds=None))


def test_explain_names_the_rules_that_decide(base: knarr.KnowledgeBase) -> None:
    rights = base.rights
    assert rights.explain(PLAN, None).seen
    assert "nothing grants" in rights.explain(PLAN, ANN).reason
    rights.grant("viking://h", group="staff")
    found = rights.explain(f"{PLAN}/Plan/Plan_1.md", ANN)
    assert found.seen and found.uri == PLAN and [rule.name for rule in found.rules] == ["staff"]
    rights.label(SEC, "legal")
    found = rights.explain(PLAN, ANN)
    assert not found.seen and "label legal" in found.reason and "does not have" in found.reason


def test_each_change_says_whether_it_was_one(base: knarr.KnowledgeBase) -> None:
    rights = base.rights
    assert rights.grant(PUB, subject="ann") and not rights.grant(f"{PUB}/", subject="ann")
    assert rights.label(PUB, "a", "b", "a") == 2 and rights.label(PUB, "a") == 0
    assert rights.revoke(PUB, group="x") == 0 and rights.revoke(PUB) == 1
    seq = base.info()["seq"]
    assert rights.revoke(PUB) == 0 and base.info()["seq"] == seq


def test_bad_rules_and_principals_are_refused_whole(base: knarr.KnowledgeBase) -> None:
    rights = base.rights
    refused: list[Callable[[], object]] = [
        lambda: rights.grant(PUB),
        lambda: rights.grant(PUB, subject="a", group="b"),
        lambda: rights.grant(PUB, subject=" "),
        lambda: rights.deny(PUB, group=""),
        lambda: rights.deny(PUB, subject="x" * 2000),
        lambda: rights.label(PUB),
        lambda: rights.label(PUB, "good", ""),
        lambda: rights.label(PUB, "\0"),
        lambda: rights.grant("h/pub", everyone=True),
        lambda: rights.grant("viking://h/.abstract.md", everyone=True),
        lambda: base.as_("ann"),  # type: ignore[arg-type]
        lambda: base.as_(Principal(groups="staff")),  # type: ignore[arg-type]
        lambda: base.as_(Principal(subject=3)),  # type: ignore[arg-type]
        lambda: base.as_(Principal(labels=("",))),
    ]
    for call in refused:
        with pytest.raises(InvalidArgument):
            call()
    assert rights.list() == []


GRANT = (
    "import sys, knarr\n"
    "from knarr.testing import HashEmbedder\n"
    "with knarr.open(sys.argv[1], embedder=HashEmbedder(dim=64)) as kb:\n"
    "    getattr(kb.rights, sys.argv[2])(sys.argv[3], subject='ann')\n"
)


def test_the_next_call_of_every_process_obeys(base: knarr.KnowledgeBase) -> None:
    """No refresh is needed."""
    view = base.as_(ANN)

    def elsewhere(verb: str, uri: str) -> None:
        subprocess.run([sys.executable, "-c", GRANT, str(base.path), verb, uri], check=True)

    assert seen(view) == set()
    elsewhere("grant", "viking://h")
    assert len(seen(view)) == 3
    elsewhere("deny", SEC)
    assert seen(view) == {LOAN, f"{PUB}/fee"}


def test_a_view_is_told_of_changes_that_it_may_see_alone(
    base: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    base.rights.grant(LOAN, subject="ann")
    view = base.as_(ANN)
    assert not view.refresh() and (before := view.info())
    base.add(write_docs({"sec/plan.md": "# Plan\n\nAnother merger.\n"}), "viking://h")
    base.move(PLAN, f"{SEC}/scheme")
    base.rights.deny(f"{PUB}/fee", subject="bob")
    assert not view.refresh() and view.info() == before
    base.move(LOAN, f"{PUB}/lending")
    assert view.refresh() and not view.refresh()


def test_rows_of_a_class_survive_compaction(base: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    base.rights.grant(PUB, everyone=True)
    view = base.as_(ANN)
    before = seen(view)
    generation = base._index.engine.generation
    for turn in range(6):
        files: dict[str, str | bytes] = {"sec/plan.md": f"# Plan {turn}\n\n" + f"Word {turn}.\n\n" * 40}
        base.add(write_docs(files), "viking://h")
        assert seen(view) == before
    assert base._index.engine.generation != generation


def test_rights_stand_after_opening_again(base: knarr.KnowledgeBase, tmp_path: Path) -> None:
    base.rights.grant(PUB, everyone=True)
    base.close()
    with knarr.open(base.path, embedder=base.embedder) as again:
        assert seen(again.as_(ANN)) == {LOAN, f"{PUB}/fee"}
