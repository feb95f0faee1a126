"""Damage to XML and JSON that stays XML and JSON, so that it gets past their readers into ours."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from lxml import etree

MOST_COPIES, MOST_LEVELS, MOST_ELEMENTS = 300, 200, 6_000
VALUES = (
    "", "0", "-1", "1", "2", "9", "99", "1e9", "1e999", "nan", "2147483648", "-2147483649", "99999999999999999999", "0.5", "true",
    "false", "none", "#", "#a", "../..", "/", "http://[", "data:,", "A1", "A1:XFD1048576", "ZZZ9999999:A1", "\n", " ", "é", "\u2028",
    "100%", "12pt", "rId1", "rId9", "Heading1", "x" * 5_000, "[" * 300, "| a | b |", "# a", "\ufeff", "\xad", "١٢",
)  # fmt: skip


def mutated_xml(data: bytes, chance: random.Random) -> bytes | None:
    """The document with some of its elements copied, moved, nested, renamed or given odd values; None where it is
    no XML."""
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    except (etree.XMLSyntaxError, ValueError):
        return None
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        elements = [element for element in root.iter() if isinstance(element.tag, str)]
        if len(elements) > MOST_ELEMENTS:
            break
        _change(chance, elements)
    return bytes(etree.tostring(root, xml_declaration=data.startswith(b"<?xml"), encoding="utf-8"))


def _change(chance: random.Random, elements: list[Any]) -> None:
    one, other = chance.choice(elements), chance.choice(elements)
    parent = one.getparent()
    kind = chance.randrange(9)
    if kind == 0 and parent is not None:
        parent.remove(one)
    elif kind == 1 and parent is not None:
        times = min(int(MOST_COPIES ** chance.random()), MOST_ELEMENTS // (1 + sum(1 for _ in one.iter())))
        for _ in range(times):
            parent.insert(parent.index(one), copy.deepcopy(one))
    elif kind == 2 and sum(1 for _ in one.iter()) < 200:
        other.insert(chance.randrange(len(other) + 1), copy.deepcopy(one))
    elif kind == 3 and parent is not None:
        _nest(one, parent, int(MOST_LEVELS ** chance.random()))
    elif kind == 4:
        one.tag = other.tag
    elif kind == 5:
        setattr(one, chance.choice(("text", "tail")), chance.choice(VALUES))
    elif kind == 6 and len(one):
        children = list(one)
        chance.shuffle(children)
        one[:] = children
    else:
        _attribute(chance, one, other)


def _nest(one: Any, parent: Any, levels: int) -> None:
    """An element that holds itself so many levels deep."""
    place = parent.index(one)
    shell = etree.Element(one.tag, dict(one.attrib))
    parent.insert(place, shell)
    for _ in range(levels):
        shell.append(etree.Element(one.tag, dict(one.attrib)))
        shell = shell[0]
    shell.append(one)


def _attribute(chance: random.Random, one: Any, other: Any) -> None:
    if other.attrib and chance.random() < 0.3:
        one.attrib.update(other.attrib)
    elif one.attrib:
        name = chance.choice(sorted(one.attrib))
        if chance.random() < 0.2:
            del one.attrib[name]
        else:
            one.set(name, chance.choice(VALUES))


def mutated_json(data: bytes, chance: random.Random) -> bytes | None:
    """The document with some of its values copied, moved, nested or made odd; None where it is no JSON."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        places = list(_places(value))
        if not places or len(places) > MOST_ELEMENTS:
            break
        _put(chance, places)
    return json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")


def _places(value: Any) -> Any:
    """Each container that holds something, with the key of what it holds."""
    stack = [value]
    while stack:
        inside = stack.pop()
        if not isinstance(inside, dict | list):
            continue
        for key in inside if isinstance(inside, dict) else range(len(inside)):
            yield inside, key
            stack.append(inside[key])


def _put(chance: random.Random, places: list[Any]) -> None:
    inside, key = chance.choice(places)
    other, other_key = chance.choice(places)
    kind = chance.randrange(5)
    if kind == 0:
        inside[key] = chance.choice(
            (None, True, 0, -1, 1e300, 10**40, float("nan"), [], {}, [[]], [None], *VALUES)
        )
    elif kind == 1 and len(json.dumps(other[other_key])) < 3_000:
        inside[key] = copy.deepcopy(other[other_key])
    elif kind == 2:
        deep = inside[key]
        for level in range(int(MOST_LEVELS ** chance.random())):
            deep = {"a": deep} if level % 2 else [deep]
        inside[key] = deep
    elif kind == 3 and isinstance(inside, list) and len(json.dumps(inside[key])) < 3_000:
        inside[key:key] = [copy.deepcopy(inside[key]) for _ in range(int(MOST_COPIES ** chance.random()))]
    elif isinstance(inside, dict):
        inside[chance.choice(VALUES)] = inside.pop(key)
