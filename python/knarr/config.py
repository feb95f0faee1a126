"""Settings: one object, read once from arguments and `KNARR_*` variables, then passed down.

`python/SETTINGS.md` is the same as a table, made by `python -m knarr.config`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


def _setting(default: Any, description: str, **bounds: Any) -> Any:
    return Field(default, description=description, **bounds)


class Settings(BaseSettings):
    """Everything that can be chosen from outside. A field `x` is read from the variable `KNARR_X`."""

    model_config = SettingsConfigDict(env_prefix="KNARR_", extra="ignore", frozen=True)

    # ---------------------------------------------------------------- embedding

    embedder: str = _setting(
        "local",
        "`local` (the offline model of the extra `local`), a folder with `model.onnx` and `tokenizer.json`, "
        "or `openai` (an OpenAI-compatible `/embeddings` server)",
    )
    embed_url: str = _setting("https://api.openai.com/v1", "the server, with embedder `openai`")
    embed_model: str = _setting("text-embedding-3-small", "its model")
    embed_key: str = _setting("", "its key", repr=False)
    embed_threads: int = _setting(
        0, "texts embedded, or passages reranked, at a time; 0 is one per core", ge=0
    )

    # ---------------------------------------------------------------- documents

    chunk_tokens: int = _setting(1000, "the most tokens of a chunk (the paper's L)", ge=16)
    preview_chars: int = _setting(240, "the most characters of a preview", ge=40)
    max_file_bytes: int = _setting(256 << 20, "larger files are refused with status `limit`", ge=1)

    # ---------------------------------------------------------------- abstracts

    abstracts: Literal["extractive", "model"] = _setting(
        "extractive",
        "`extractive` (sentences of the text), or `model`: by the chat model when documents are added",
    )
    abstract_tokens: int = _setting(96, "the most tokens of an abstract", ge=16)
    abstract_prompt_tokens: int = _setting(
        3000, "the most tokens shown to the model for one abstract", ge=600
    )
    abstract_job_tokens: int = _setting(
        2_000_000, "the most that one job may cost, prompts and replies; 0 for no limit", ge=0
    )
    abstract_threads: int = _setting(4, "calls to the model at a time", ge=1, le=64)

    # ---------------------------------------------------------------- the engine

    precision: Literal["float32", "bfloat16", "int8"] = _setting(
        "float32",
        "how the engine stores vectors; the catalog keeps what the embedder gave, so that another precision "
        "rebuilds the engine and embeds nothing",
    )
    graph: bool = _setting(False, 'keep a graph index for those who ask for `plan="graph"`')

    # ---------------------------------------------------------------- chat models

    chat_url: str = _setting("", "an OpenAI-compatible server (`…/v1`); empty: everything works without one")
    chat_model: str = _setting("", "its model; empty: the first that the server lists")
    chat_key: str = _setting("", "its key", repr=False)
    chat_window: int = _setting(0, "tokens of the model's window; 0 to ask the server", ge=0)
    chat_style: Literal["auto", "native", "schema"] = _setting(
        "auto", "how the model decides: `native` tool calls, a JSON `schema`, or `auto` (probed)"
    )
    chat_timeout_s: float = _setting(120.0, "seconds for one turn", gt=0)
    chat_prices: tuple[float, float, float] = _setting(
        (0.0, 0.0, 0.0), "input, cached input and output, per million tokens, as JSON; zeros when not known"
    )

    # ---------------------------------------------------------------- experience and checker

    learning: Literal["off", "record", "learn", "frozen"] = _setting(
        "learn",
        "what answers teach in the modes -e and -e+: `off`, `record` (for review, not used), `learn`, "
        "`frozen` (edges are used, nothing is learnt)",
    )
    gamma: float | None = _setting(
        None,
        "similarity from which an edge is followed; empty: the calibrated one, else the embedder's",
        ge=-1.0,
        le=1.0,
    )
    edge_days: float | None = _setting(None, "days after which an edge expires; empty: never", gt=0)
    domain: Literal["", "legal", "finance", "medical", "compliance"] = _setting(
        "", "questions of this domain that always take the full loop in mode -e+"
    )

    def model_folder(self) -> Path | None:
        """The ONNX folder named by `embedder`, or None for "local" and "openai"."""
        return None if self.embedder in ("local", "openai") else Path(self.embedder)


# Variables that are read elsewhere than in `Settings`, each where it is needed.
_OTHERS = (
    ("KNARR_KB", "`./knarr.kb`", "the knowledge base of the command line"),
    ("KNARR_THREADS", "all cores", "threads of the native engine"),
    ("KNARR_CPU", "what the machine has", "lowers the instruction set that the engine uses, for tests"),
)


def table() -> str:
    """All settings as a Markdown page."""
    lines = [
        "# Settings",
        "",
        "Variables of the environment, or arguments of `knarr.Settings` without the prefix and in lower case.",
        "Made by `python -m knarr.config`.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        default = "" if field.default in ("", None) else f"`{field.default}`"
        lines.append(f"| `KNARR_{name.upper()}` | {default} | {field.description} |")
    lines += [f"| `{name}` | {default} | {meaning} |" for name, default, meaning in _OTHERS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
