"""A refused URI says why; Python and the engine refuse the same, in the same words (NS-03)."""

from __future__ import annotations

import re

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

from engine_rows import DIM
from knarr.engine import Engine
from knarr.errors import InvalidArgument
from knarr.uris import MAX_URI_BYTES, canonical, components

CAUSES = {
    "": "expected a URI that starts with viking://",
    "file:///etc": "expected a URI that starts with viking://",
    "Viking://a": "expected a URI that starts with viking://; the scheme is written in lower case",
    "\n viking://a": "expected a URI that starts with viking://; remove the blanks before it",
    "viking:///": 'component 1 is empty; names are parted by one "/"',
    "viking://a//b": 'component 2 is empty; names are parted by one "/"',
    "viking://a/../b": 'component 2 is the step "..", which is no name; write the path that is meant',
    "viking://%2e%2Fb": 'component 1 is the step ".", which is no name; write the path that is meant',
    "viking://a/é\0b": "component 2 holds the control character U+0000 at character 2; remove it",
    "viking://a%0A": "component 1 holds the control character U+000A at character 2; remove it",
    "viking://\x85": "component 1 holds the control character U+0085 at character 1; remove it",
    "viking://é%C3": "component 1 is not UTF-8: byte 3 is 0xC3",
    "viking://a/50%": (
        'component 2 has a "%" at character 3 without two hexadecimal digits behind it; '
        'a plain "%" is written %25'
    ),
    "viking://" + "a" * MAX_URI_BYTES: f"{MAX_URI_BYTES + 9} bytes, expected at most {MAX_URI_BYTES}",
    "viking://a\ud800": "a lone surrogate has no UTF-8 form (U+D800 at character 11); remove it",
}


def cause_of(call: object, uri: str) -> str:
    """What the message says behind the URI; "" where it is accepted."""
    assert callable(call)
    try:
        call(uri)
    except InvalidArgument as error:
        assert len(str(error)) < 1500
        return re.sub(r"\A.*?['\"]: (?!//)", "", str(error), flags=re.DOTALL)
    return ""


@pytest.mark.parametrize("uri", CAUSES, ids=range(len(CAUSES)))
def test_a_refused_uri_says_why(engine: Engine, uri: str) -> None:
    for call in (components, canonical, engine.exists):
        with pytest.raises(InvalidArgument) as raised:
            call(uri)
        assert str(raised.value).endswith(CAUSES[uri])
        assert len(str(raised.value)) < 1500


@pytest.mark.parametrize("value", [None, 3, b"viking://a", ["viking://a"]])
def test_what_is_no_text_is_refused(engine: Engine, value: object) -> None:
    for call in (components, canonical, engine.exists):
        with pytest.raises(InvalidArgument, match="URI: expected str"):
            call(value)  # type: ignore[arg-type]


_ENGINE = Engine(DIM)
_NAMES = ["a", "/", "//", ".", "..", "é", "e\u0301", "\u0338", "\\", "?", "#", "🎉", " ", "\u2028"]
_ESCAPES = ["%", "%2", "%2F", "%2e", "%25", "%00", "%FF", "%C3", "%A9", "%ED%A0%80", "%F0%9F"]
_ODD = ["\0", "\x1f", "\x7f", "\x85", "\ud800"]
_PARTS = st.sampled_from([*_NAMES, *_ESCAPES, *_ODD])


@given(
    st.lists(_PARTS, max_size=7).map("".join), st.sampled_from(["viking://", "viking://x/", "", "viking:/"])
)
@example("/", "viking://")
@example("a//", "viking://")
def test_python_and_the_engine_accept_the_same_uris(path: str, scheme: str) -> None:
    uri = scheme + path
    assert cause_of(components, uri) == cause_of(_ENGINE.exists, uri)
