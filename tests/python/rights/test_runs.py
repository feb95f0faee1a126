"""Questions under rights: scope resolution, traces, edges and what they teach, tenants."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import knarr
import knarr.agent.agent
from knarr.errors import InvalidArgument, NotFound
from knarr.rights.tenants import folder_name, tenant_name
from knarr.testing import HashEmbedder
from knarr.types import Principal
from support import WriteDocs

ANN, BOB = Principal(subject="ann"), Principal(subject="bob")
LOAN, PLAN = "viking://h/loan", "viking://h/plan"
QUESTION = "How many days does the loan of tools last?"
SECRET = "When does the merger of plan houses happen?"


@pytest.fixture(autouse=True)
def _without_the_cross_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knarr.agent.agent, "load_reranker", lambda *_: None)


@pytest.fixture
def base(tmp_path: Path, write_docs: WriteDocs) -> knarr.KnowledgeBase:
    files: dict[str, str | bytes] = {
        "loan.md": "# Loan\n\nThe loan of tools lasts fourteen days.\n\n## More\n\nTools go back clean.\n",
        "plan.md": "# Plan\n\nThe merger of plan houses happens in May.\n",
    }
    kb = knarr.open(tmp_path / "q.kb", embedder=HashEmbedder(64), settings=knarr.Settings(gamma=0.2))
    kb.add(write_docs(files), "viking://h")
    return kb


def test_a_question_knows_no_name_that_may_not_be_seen(base: knarr.KnowledgeBase) -> None:
    base.rights.grant(LOAN, subject="ann")
    view = base.as_(ANN)
    answer = view.ask("Based on plan: when does the merger happen?")
    trace = view.traces.get(answer.trace_id)
    assert trace.resolution.scopes == () and PLAN not in trace.dumps() and "May" not in trace.dumps()
    base.rights.grant(PLAN, subject="ann")
    answer = view.ask("Based on plan: when does the merger happen?")
    assert "May" in answer.text


def test_the_index_of_names_is_one_for_each_class(base: knarr.KnowledgeBase) -> None:
    from knarr.agent.outline import scope_index

    base.rights.grant(LOAN, everyone=True)
    one, other = base.as_(ANN).library, base.as_(BOB).library
    assert scope_index(one) is scope_index(other) is not scope_index(base.library)
    base.rights.grant(PLAN, subject="ann")
    assert len(scope_index(one)) == len(scope_index(base.library)) != len(scope_index(other))


def test_an_event_loop_asks_as_somebody(base: knarr.KnowledgeBase) -> None:
    base.rights.grant(LOAN, subject="ann")
    answer = asyncio.run(base.as_(ANN).aask(QUESTION))
    assert "fourteen" in answer.text and answer.citations[0].document == LOAN


def test_traces_are_ones_own_while_all_they_read_may_be_seen(base: knarr.KnowledgeBase) -> None:
    base.rights.grant("viking://h", everyone=True)
    own = base.as_(ANN).ask(QUESTION).trace_id
    base.ask(SECRET)
    ann, bob = base.as_(ANN).traces, base.as_(BOB).traces
    assert [row[0] for row in ann.list()] == [run.id for run in ann.walk()] == [own]
    assert ann.get(own[:6]).id == own and bob.list() == []
    with pytest.raises(NotFound) as other:
        bob.get(own)
    with pytest.raises(NotFound) as missing:
        bob.get("0" * 16)
    assert str(other.value).replace(own, "ID") == str(missing.value).replace("0" * 16, "ID")
    assert len(base.traces.list()) == 2
    base.rights.deny(LOAN, subject="ann")
    assert ann.list() == [] and list(ann.walk()) == []
    base.rights.revoke(LOAN)
    assert len(ann.list()) == 1
    base.remove(LOAN)
    assert ann.list() == []


def test_a_number_that_is_given_again_opens_no_trace(
    base: knarr.KnowledgeBase, write_docs: WriteDocs
) -> None:
    base.rights.grant("viking://", everyone=True)
    base.as_(ANN).ask(SECRET)
    base.remove(PLAN)
    base.add(write_docs({"new/other.md": "# Other\n\nSomething else.\n"}) / "new", "viking://new")
    assert base.as_(ANN).traces.list() == []


def test_edges_rest_on_the_rights_of_all_that_their_run_read(base: knarr.KnowledgeBase) -> None:
    base.rights.grant(LOAN, everyone=True)
    taught = base.ask(QUESTION, mode="vikingrag-e")
    (edge, *_) = base.experience.edges()
    view = base.as_(ANN)
    # Both ends lie in a document that ann sees; whether the run was shown more decides.
    read = {uri for call in base.traces.get(taught.trace_id).calls() for uri in call.uris}
    assert edge.source.startswith(LOAN) and edge.target.startswith(LOAN)
    assert any(uri.startswith(PLAN) for uri in read)
    assert view.experience.edges().total == 0 and view.experience.stats()["questions"] == 0
    assert view.search(QUESTION, k=9, gamma=0.0).edges == ()
    base.rights.grant(PLAN, subject="ann")
    assert view.experience.edges().total == base.experience.edges().total
    assert view.search(QUESTION, k=9, gamma=0.0).edges == base.search(QUESTION, k=9, gamma=0.0).edges != ()
    assert view.experience.explain(edge.source, edge.target)[0].question == QUESTION
    base.rights.deny(PLAN, subject="ann")
    assert view.search(QUESTION, k=9, gamma=0.0).edges == ()
    with pytest.raises(NotFound, match="no edge leads"):
        view.experience.explain(edge.source, edge.target)
    with pytest.raises(NotFound, match="no learnt trace"):
        view.experience.edges(trace=taught.trace_id)


def test_what_somebody_teaches_is_told_without_who(base: knarr.KnowledgeBase) -> None:
    base.rights.grant("viking://h", everyone=True)
    base.as_(ANN).ask(QUESTION, mode="vikingrag-e")
    assert {edge.learner for edge in base.experience.edges()} == {"ann"}
    shown = base.as_(BOB).experience.edges()
    assert shown.total and {(edge.learner, edge.uses) for edge in shown} == {("", 0)}


# ---------------------------------------------------------------------- tenants


def test_tenants_are_bases_of_their_own(base: knarr.KnowledgeBase, write_docs: WriteDocs) -> None:
    acme = base.tenant("Acme")
    acme.add(write_docs({"t/only.md": "# Only\n\nTheirs alone.\n"}) / "t", "viking://h")
    acme.rights.grant("viking://", everyone=True)
    view = base.as_(Principal(tenant="Acme", subject="ann"))
    assert {hit.source.document for hit in view.search("theirs", k=99)} == {"viking://h/only"}
    assert view.info()["documents"] == 1 and base.info()["documents"] == 2
    assert base.as_(ANN).list().entries == ()  # a grant to everyone there is one to nobody here
    trace = view.ask("What is theirs alone?").trace_id
    assert acme.traces.get(trace) and base.traces.list() == []
    assert base.tenant("Acme") is acme and base.tenant("") is base and base.tenants() == ["Acme"]
    assert acme.as_(Principal(tenant="Acme")).info()["documents"] == 1
    assert acme.as_(ANN).info()["documents"] == 0
    with pytest.raises(InvalidArgument, match="no tenants"):
        acme.tenant("inner")
    base.close()
    with pytest.raises(knarr.CatalogError):
        acme.info()


def test_looking_makes_no_tenant(base: knarr.KnowledgeBase) -> None:
    before = sorted(path.name for path in base.path.iterdir())
    view = base.as_(Principal(tenant="nobody", subject="ann"))
    assert view.list().entries == () and view.info()["documents"] == 0
    answer = view.ask(QUESTION)
    assert answer.status == "not_found" and view.traces.get(answer.trace_id).question == QUESTION
    assert base.tenants() == [] and sorted(path.name for path in base.path.iterdir()) == before
    base.tenant("nobody").rights.grant("viking://", everyone=True)
    assert view.traces.list() == []  # the next call sees that there is one


@pytest.mark.parametrize(
    "name", ["a", "Acme", "acme", "..", "a/b", "a=b", "ü", " ", "CON", "tenants", "\n", "a" * 240]
)
def test_any_name_is_one_safe_folder(name: str) -> None:
    folder = folder_name(name)
    assert tenant_name(folder) == name and set(folder) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_=")


def test_names_that_differ_have_folders_that_differ() -> None:
    names = ["Acme", "acme", "ACME", "a=41", "é", "e\u0301", "a.b", "a_b", "a-b"]
    assert len({folder_name(name).casefold() for name in names}) == len(names)
    for bad in ("", "a" * 241, "Ü" * 60, "\ud800", 3):
        with pytest.raises(InvalidArgument):
            folder_name(bad)  # type: ignore[arg-type]
    assert tenant_name("=4") is None and tenant_name("A") is None and tenant_name("=61") is None
