"""The house: which room may import which, no circles, no loose modules, and a small facade."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import knarr

ROOT = Path(knarr.__file__).parent

# Rooms from the ground up. A room may import its own tier and those before it; circles are forbidden anyway.
TIERS = (
    ("types", "errors", "config", "version", "kept"),
    ("uris", "arguments"),
    ("language", "models", "_core", "demo"),
    ("engine", "catalog", "documents"),
    ("index",),
    ("abstracts", "rights"),
    ("writing", "reading"),
    ("history",),
    ("trace",),
    ("checker",),
    ("agent",),
    ("experience",),
    ("view",),
    ("care",),
    ("knowledge_base", "testing"),
    ("knarr",),
    ("cli",),
)
# Rooms whose place in the tiers would allow them more than is wanted.
FORBIDDEN = {
    "catalog": {"engine", "documents", "models"},
    "language": {"models", "_core"},
    "models": {"language", "_core"},
    "demo": {"models", "language", "_core"},
}
LOOSE = {
    "__init__",
    "arguments",
    "config",
    "engine",
    "errors",
    "kept",
    "knowledge_base",
    "testing",
    "types",
    "uris",
    "version",
    "view",
}
READING = {"search", "list", "grep", "read", "document", "boxes", "ask", "aask", "info", "refresh"}
CARE = {"backup", "forget", "reembed"}
VERBS = READING | CARE | {"add", "sync", "remove", "move", "as_", "tenant", "tenants", "close"}
READABLE = {"experience", "checker", "traces", "library", "history"}
PARTS = READABLE | {"abstracts", "rights", "jobs"}
FACTS = {"path", "embedder", "settings"}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name, the native one and its stub included."""
    found = {"knarr._core": ROOT / "_core.pyi"}
    for path in ROOT.rglob("*.py"):
        parts = ("knarr", *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(tree: ast.AST, names: Mapping[str, object]) -> Iterator[str]:
    """The modules that a file imports, wherever: at its head, in a function, or for type checkers only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in names:
                    yield whole
                elif node.module in names:
                    yield node.module


@cache
def graph() -> dict[str, set[str]]:
    """Module to the modules that it imports. The package's own file imports nothing: its names are lazy, and
    those that it says to type checkers are what users see."""
    names = modules()
    found = {name: set(imported(ast.parse(path.read_text("utf-8")), names)) for name, path in names.items()}
    return {name: others - {name} for name, others in found.items()} | {"knarr": set()}


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one node (Tarjan 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


def rooms(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Room to the rooms that it imports."""
    found: dict[str, set[str]] = {room(module): set() for module in graph}
    for module, others in graph.items():
        found[room(module)] |= {room(other) for other in others} - {room(module)}
    return found


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == [["b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_lazy_imports_count() -> None:
    names = {"knarr.uris": None, "knarr.errors": None, "knarr": None}
    code = "def f():\n    from knarr.uris import join\n    from knarr import errors\n"
    assert set(imported(ast.parse(code), names)) == {"knarr.uris", "knarr.errors"}


def test_no_module_imports_itself_through_others() -> None:
    assert circles(graph()) == []


def test_no_room_imports_itself_through_others() -> None:
    assert circles(rooms(graph())) == []


def test_every_room_has_a_place() -> None:
    assert set(rooms(graph())) == {name for tier in TIERS for name in tier}


@pytest.mark.parametrize("name", sorted({name for tier in TIERS for name in tier}))
def test_rooms_import_downwards(name: str) -> None:
    place = next(number for number, tier in enumerate(TIERS) if name in tier)
    allowed = {other for tier in TIERS[: place + 1] for other in tier} - FORBIDDEN.get(name, set())
    wrong = {
        module: sorted(other for other in others if room(other) not in allowed)
        for module, others in graph().items()
        if room(module) == name
    }
    assert {module: others for module, others in wrong.items() if others} == {}


def test_no_module_lies_loose_in_the_package() -> None:
    assert {path.stem for path in ROOT.glob("*.py")} == LOOSE


def test_every_room_says_what_it_is_for() -> None:
    for path in ROOT.glob("*/__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), path.parent.name


def test_the_facade_is_small(kb: knarr.KnowledgeBase) -> None:
    assert {name for name in dir(kb) if not name.startswith("_")} == VERBS | PARTS | FACTS


def test_a_view_has_the_verbs_that_read_and_refuses_the_others(kb: knarr.KnowledgeBase) -> None:
    view = kb.as_(knarr.Principal(subject="ann"))
    names = {name for name in dir(view) if not name.startswith("_")}
    assert names == READING | READABLE | {"principal", "settings"}
    for name in (VERBS | PARTS) - names:
        with pytest.raises(knarr.Unsupported, match=name):
            getattr(view, name)()


def test_parts_are_made_once(kb: knarr.KnowledgeBase) -> None:
    assert kb.checker is kb.checker and kb.library is kb.library and kb.experience is kb.experience


def texts(tree: ast.AST) -> Iterator[str]:
    """The string constants of a file, those in f-strings included, without docstrings."""
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


def test_texts_are_found() -> None:
    code = '"""viking://a"""\nx = f"viking://{b}"  # viking://c\n"""viking://d"""\nf("e")'
    assert set(texts(ast.parse(code))) == {"viking://", "e"}


def test_one_module_knows_the_scheme() -> None:
    """Every other one makes, cuts and joins URIs by the functions of uris.py."""
    found = {
        name
        for name, path in modules().items()
        if path.suffix == ".py"
        and any("viking://" in text for text in texts(ast.parse(path.read_text("utf-8"))))
    }
    assert found == {"knarr.uris"}


def test_a_class_name_means_one_class() -> None:
    """The stub is excepted: its `Engine` is the native one that `knarr.Engine` wraps."""
    names = Counter(
        node.name
        for path in modules().values()
        if path.suffix == ".py"
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, times in names.items() if times > 1} == set()
