"""The prompts, one file each, versioned by name: `agent_v1.md` is never edited into another meaning, the
next wording is `agent_v2.md`. What a model made is cached under the prompt's name."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str) -> str:
    """The text of `prompts/<name>.md`. Raises FileNotFoundError for a name that is not there."""
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
