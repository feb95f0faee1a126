"""Reading one JSON object out of what a model wrote (AG-01, CHK-02)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knarr.models.chat import read_object
from knarr.models.chat.structured import MOST_CHARS


@pytest.mark.parametrize(
    ("text", "value", "note"),
    [
        ('{"q": "x", "k": 5}', {"q": "x", "k": 5}, ""),
        ('  {"q": {"a": [1, {"b": null}]}}\n', {"q": {"a": [1, {"b": None}]}}, ""),
        ("{}", {}, ""),
        ('{"q":"x",}', {"q": "x"}, "trailing comma"),
        ('{"q":["x", "y", ], }', {"q": ["x", "y"]}, "trailing comma"),
        ('{"q": \n"x"}', {"q": "x"}, ""),
        ('{"q":"x"} thanks', {"q": "x"}, "text around it"),
        ('```json\n{"q":"x"}\n```', {"q": "x"}, "fenced"),
        ('Here you are {as asked}:\n```\n{"q":"x"}\n```\nBye.', {"q": "x"}, "fenced; text around it"),
        ('{"q": "a\nb\tc"}', {"q": "a\nb\tc"}, "line breaks in a string"),
        (r'{"q": "\d+ \w\"x\" \\d \u00e5 \users"}', {"q": '\\d+ \\w"x" \\d å \\users'}, "stray backslashes"),
        ('{"q": True, "r": None}', {"q": True, "r": None}, "Python words"),
        ('{"q": "True, } , ]"}', {"q": "True, } , ]"}, ""),
        ('{"a": 1, "a": 1}', {"a": 1}, ""),
        ('"{\\"q\\": 1}"', {"q": 1}, "written as a string"),
        (r'{"q": "\ud800"}', {"q": "?"}, ""),
        ('{"q": "\\ud83d\\ude00"}', {"q": "😀"}, ""),
    ],
)
def test_harmless_slips_are_mended_and_named(text: str, value: Any, note: str) -> None:
    read = read_object(text)
    assert (read.value, read.note, read.cut) == (value, note, False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("null", "no JSON object"),
        ("[1]", "no JSON object"),
        ("Yes, it is sufficient.", "no JSON object"),
        ("{verdict: sufficient}", "no JSON object"),
        ('"plain {text}"', "no JSON object"),
        ('[{"q": 1}]', "a list"),
        ('[1, {"q": 1}]', "a list"),
        ('{"v": "yes"} {"v": "no"}', "two objects"),
        ('{"v": "yes"}\nor rather\n{"v": "yes"}', "two objects"),
        ('{"v": "yes"} and {"v": "n', "two objects"),
        ('{"v": "yes", "v": "no"}', "given twice"),
        ('{"v": {"w": 1, "w": 2}}', "given twice"),
        ('{"v": maybe}', "not JSON"),
        ('{"v": NaN}', "NaN"),
        ('{"v": -Infinity}', "Infinity"),
        ('{"v": [1}', "closes nothing"),
        ('{"v": "he said "no" to it"}', "not JSON"),
        ('{"v": 1,, "w": 2}', "not JSON"),
        ('{"v": {"verdict": "sufficient"} oops "x"}', "not JSON"),
        ('{"v": ' + "1" * 5000 + "}", "not JSON"),
        ('{"v": ' + "[" * 100 + "]" * 100 + "}", "nested deeper"),
        ('{"v": "' + "x" * MOST_CHARS + '"}', "longer than"),
    ],
)  # fmt: skip
def test_what_leaves_doubt_is_refused_with_the_reason(text: str, reason: str) -> None:
    read = read_object(text)
    assert read.value is None and reason in read.note
    assert len(read.note) < 300


WHOLE = (
    '{"thought": "look it up", "calls": [{"tool": "Search", "arguments": {"query": "late fee", "k": 15}}]}'
)


@pytest.mark.parametrize(
    ("kept", "value"),
    [
        (WHOLE[:-1], json.loads(WHOLE)),
        (WHOLE[:-3], json.loads(WHOLE)),
        (WHOLE[:-3] + "  \n", json.loads(WHOLE)),
        (WHOLE[: WHOLE.index(', "k"')], {"thought": "look it up", "calls": [{"tool": "Search", "arguments": {"query": "late fee"}}]}),
        (WHOLE[: WHOLE.index(', "calls"')], {"thought": "look it up"}),
    ],
)  # fmt: skip
def test_missing_closing_brackets_are_added_and_the_cut_is_told(kept: str, value: Any) -> None:
    read = read_object(kept)
    assert (read.value, read.cut) == (value, True)
    assert read.note == "closing brackets added"


@pytest.mark.parametrize("end", ["lat", ', "k"', ', "k":', '"k": 1', '"query"', '"query": ', '"late fee",'])
def test_an_object_cut_within_a_value_is_refused(end: str) -> None:
    read = read_object(WHOLE[: WHOLE.index(end) + len(end)])
    assert read.value is None and read.cut and "cut in the middle" in read.note


@given(st.integers(min_value=1, max_value=len(WHOLE) - 1))
def test_no_cut_ever_changes_a_value(length: int) -> None:
    read = read_object(WHOLE[:length])
    if read.value is None:
        return
    assert read.cut

    def within(part: Any, whole: Any) -> bool:
        if isinstance(part, dict):
            return all(key in whole and within(value, whole[key]) for key, value in part.items())
        if isinstance(part, list):
            return all(within(a, b) for a, b in zip(part, whole, strict=False)) and len(part) <= len(whole)
        return bool(part == whole)

    assert within(read.value, json.loads(WHOLE))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), JSON, max_size=5), st.booleans(), st.sampled_from([None, 2]))
def test_clean_json_is_read_as_it_is(value: dict[str, Any], ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    read = read_object(text)
    assert read.value == value and not read.cut
    assert "comma" not in read.note and "brackets" not in read.note


@given(st.text(alphabet='{}[]",:\\ab1 \nTrue', max_size=60))
def test_no_text_raises(text: str) -> None:
    read = read_object(text)
    assert read.value is None or isinstance(read.value, dict)
    assert read.value is not None or read.note


@pytest.mark.parametrize(
    "text",
    ["{" * 900_000, '{"' * 400_000, '{"a":' * 150_000, '"' * 900_000, "{ " * 400_000, '{"' + "\\" * 900_000],
)
def test_hostile_texts_are_refused_without_going_over_them_twice(text: str) -> None:
    assert read_object(text).value is None
