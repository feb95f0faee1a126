"""Which lines of a shown text are rows of a table."""

from __future__ import annotations

import pytest

from knarr.language.rows import is_row as _is_row


@pytest.mark.parametrize(
    ("text", "below", "expected"),
    [
        ("| a | b |", "", True),
        ("Buoy service  2,150  2,480  3,120", "", True),
        ("Line of business  First year  Second year", "Training  420  398", True),
        ("Line of business  First year  Second year", "A sentence follows.", False),
        ("_variables.scss  will automatically import  _variables-dark.scss .", "Fixed.", False),
        (
            "This Agreement shall be  -----  governed by and construed in accordance with the laws of 2 States",
            "",
            False,
        ),
        ("A plain sentence of 2024.", "", False),
    ],
)
def test_prose_with_double_spaces_is_no_row(text: str, below: str, expected: bool) -> None:
    assert _is_row(text, below) is expected
