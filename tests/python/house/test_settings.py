"""The page of settings is what `knarr.config` says."""

from __future__ import annotations

from pathlib import Path

from knarr.config import Settings, table

PAGE = Path(__file__).parents[3] / "python" / "SETTINGS.md"


def test_the_page_is_made_from_the_settings() -> None:
    assert PAGE.read_text(encoding="utf-8") == table(), "run: python -m knarr.config > python/SETTINGS.md"


def test_every_setting_is_described() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert f"| `KNARR_{name.upper()}` |" in table()
