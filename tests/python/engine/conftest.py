"""An engine without anything."""

from __future__ import annotations

import pytest

from engine_rows import DIM
from knarr.engine import Engine


@pytest.fixture
def engine() -> Engine:
    return Engine(DIM)
