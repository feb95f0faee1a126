"""Settings: one object, read once from arguments and `KNARR_*` variables, then passed down.

What cannot be used is refused at once, all of it in one line. A variable that is set to nothing is as good as not set.
A variable that is no setting is only warned of, in the log `knarr`, where it looks like a slip of the pen: others may
have variables of their own. An argument that is no setting is refused.
`python/SETTINGS.md` is the same as a table, made by `python -m knarr.config`.
"""

from __future__ import annotations

import difflib
import json
import logging
import os
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from knarr.errors import SettingsError

_LOG = logging.getLogger("knarr")
_PREFIX = "KNARR_"
_SHOWN_CHARS = 60
_LIKE = 0.84  # similarity of names, from 0 to 1, from which one is a slip for the other
_WARNED: set[str] = set()
_Price = Annotated[float, Field(ge=0)]


def _setting(default: Any, description: str, **bounds: Any) -> Any:
    return Field(default, description=description, **bounds)


class Settings(BaseSettings):
    """Everything that can be chosen from outside. A field `x` is read from the variable `KNARR_X`."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        allow_inf_nan=False,
        str_strip_whitespace=True,
    )

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
        0, "texts embedded, or passages reranked, at a time; 0 is one per core", ge=0, le=1024
    )
    embed_timeout_s: float = _setting(
        60.0, "seconds for one batch of texts, with embedder `openai`", gt=0, le=86_400
    )
    connect_timeout_s: float = _setting(
        4.0, "seconds in which a chat or embedding server must be reached, all tries together", gt=0, le=3_600
    )

    # ---------------------------------------------------------------- documents

    chunk_tokens: int = _setting(1000, "the most tokens of a chunk (the paper's L)", ge=16, le=1 << 20)
    preview_chars: int = _setting(240, "the most characters of a preview", ge=40, le=1 << 20)
    max_file_bytes: int = _setting(
        256 << 20, "larger files are refused with status `limit`", ge=1, le=1 << 40
    )
    ocr: bool = _setting(
        True,
        "read images, and pages without usable text, where the extra `ocr` is installed (seconds a page)",
    )

    # ---------------------------------------------------------------- abstracts

    abstracts: Literal["extractive", "model"] = _setting(
        "extractive",
        "`extractive` (sentences of the text), or `model`: by the chat model when documents are added",
    )
    abstract_tokens: int = _setting(96, "the most tokens of an abstract", ge=16, le=1 << 20)
    abstract_prompt_tokens: int = _setting(
        3000, "the most tokens shown to the model for one abstract", ge=600, le=1 << 30
    )
    abstract_job_tokens: int = _setting(
        2_000_000, "the most that one job may cost, prompts and replies; 0 for no limit", ge=0, le=1 << 50
    )
    abstract_threads: int = _setting(4, "calls to the model at a time", ge=1, le=64)

    # ---------------------------------------------------------------- history

    history_versions: int = _setting(
        10,
        "earlier versions kept of each document, the last one of a removed document among them; 0 keeps none",
        ge=0,
        le=100_000,
    )
    history_days: float = _setting(
        365.0,
        "days for which an earlier version is kept after it was replaced or removed; 0 for no limit",
        ge=0,
        le=36_500,
    )

    # ---------------------------------------------------------------- the engine

    precision: Literal["float32", "bfloat16", "int8"] = _setting(
        "float32",
        "how the engine stores vectors; the catalog keeps what the embedder gave, so that another precision "
        "rebuilds the engine and embeds nothing",
    )
    graph: bool = _setting(False, 'keep a graph index for those who ask for `plan="graph"`')

    wait_s: float = _setting(
        0.0,
        "seconds that a change waits while another process changes the knowledge base, before it is refused",
        ge=0,
        le=86_400,
    )

    # ---------------------------------------------------------------- chat models

    chat_url: str = _setting("", "an OpenAI-compatible server (`…/v1`); empty: everything works without one")
    chat_model: str = _setting("", "its model; empty: the first that the server lists")
    chat_key: str = _setting("", "its key", repr=False)
    chat_window: int = _setting(0, "tokens of the model's window; 0 to ask the server", ge=0, le=1 << 30)
    chat_style: Literal["auto", "native", "schema"] = _setting(
        "auto", "how the model decides: `native` tool calls, a JSON `schema`, or `auto` (probed)"
    )
    chat_timeout_s: float = _setting(120.0, "seconds for one turn, all tries together", gt=0, le=86_400)
    chat_prices: Annotated[tuple[_Price, _Price, _Price], NoDecode] = _setting(
        (0.0, 0.0, 0.0), "input, cached input and output, per million tokens, as JSON; zeros when not known"
    )

    # ---------------------------------------------------------------- traces

    trace_days: float = _setting(
        90.0,
        "days after which the record of a question, which holds text of documents, is deleted; 0 keeps it for ever",
        ge=0,
        le=36_500,
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
    edge_days: float | None = _setting(
        None, "days after which an edge expires; empty: never", gt=0, le=36_500
    )
    domain: Literal["", "legal", "finance", "medical", "compliance"] = _setting(
        "", "questions of this domain that always take the full loop in mode -e+"
    )

    def __init__(self, **values: Any) -> None:
        """Raises SettingsError."""
        faults = [*_unknown(values), *_other_faults(os.environ)]
        try:
            super().__init__(**values)
        except ValidationError as error:
            faults = [*_faults(error, values), *faults]
        if faults:
            raise SettingsError("; ".join(faults))
        _warn_of_slips(os.environ)

    def __setattr__(self, name: str, value: Any) -> None:
        raise SettingsError(
            f"settings do not change, so {name} cannot be set; make others with Settings({name}=…)"
        )

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            yield name, _without_secrets(value) if name is not None and name.endswith("_url") else value

    @field_validator("chat_prices", mode="before")
    @classmethod
    def _from_json(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError("no JSON") from None

    def model_folder(self) -> Path | None:
        """The ONNX folder named by `embedder`, or None for "local" and "openai"."""
        return None if self.embedder in ("local", "openai") else Path(self.embedder)


# Variables that are read elsewhere than in `Settings`, each where it is needed.
_OTHERS = (
    ("KNARR_KB", "`./knarr.kb`", "the knowledge base of the command line"),
    ("KNARR_THREADS", "all cores", "threads of the native engine"),
    ("KNARR_CPU", "what the machine has", "lowers the instruction set that the engine uses, for tests"),
)


# -- what is wrong with settings ---------------------------------------------------------------------


def _faults(error: ValidationError, values: Mapping[str, Any]) -> Iterator[str]:
    """One phrase for each setting that is wrong: its name, its value, and what is expected."""
    told: set[str] = set()
    for fault in error.errors(include_url=False):
        name = str(fault["loc"][0]).lower() if fault["loc"] else ""
        field = Settings.model_fields.get(name)
        if field is None or name in told:
            continue
        told.add(name)
        variable = _PREFIX + name.upper()
        value = values[name] if name in values else os.environ.get(variable, fault["input"])
        yield f"{name if name in values else variable}={_shown(name, value)}: expected {_expected(field)}"


def _unknown(values: Mapping[str, Any]) -> Iterator[str]:
    """A phrase for each argument that is no setting. What begins with "_" is for pydantic."""
    for name in values:
        if name not in Settings.model_fields and not name.startswith("_"):
            near = difflib.get_close_matches(name, Settings.model_fields, 1)
            yield f"{name}: no such setting" + (f", did you mean {near[0]}?" if near else "; see SETTINGS.md")


def _other_faults(environ: Mapping[str, str]) -> Iterator[str]:
    """The engine would take a number of threads that it cannot read for none."""
    threads = environ.get("KNARR_THREADS", "").strip()
    if threads and not (threads.isascii() and threads.isdigit()):
        yield f"KNARR_THREADS={_shown('', threads)}: expected a whole number of threads, 0 for all cores"


def _warn_of_slips(environ: Mapping[str, str]) -> None:
    """Warn, once in a process, of each variable whose name is nearly that of a setting."""
    known = [_PREFIX + name.upper() for name in Settings.model_fields] + [name for name, _, _ in _OTHERS]
    for name in sorted(environ):
        upper = name.upper()
        if upper.startswith(_PREFIX) and upper not in known and name not in _WARNED:
            near = difflib.get_close_matches(upper, known, 1, _LIKE)
            if near:
                _WARNED.add(name)
                _LOG.warning("%s is no setting and is not used; did you mean %s?", name, near[0])


def _shown(name: str, value: Any) -> str:
    if name.endswith(("_key", "_url")):
        return "(not shown)"
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def _without_secrets(url: str) -> str:
    """An address without name, password and query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(not shown)"
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _expected(field: FieldInfo) -> str:
    """What a setting takes, in words."""
    kind = field.annotation
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(one for one in get_args(kind) if one is not type(None))
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(word or "nothing" for word in get_args(kind))
    if get_origin(kind) is tuple:
        return "three numbers from 0 on, as JSON: [1, 0.1, 4]"
    if kind is bool:
        return "true or false"
    if kind not in (int, float):
        return "a text"
    return ("a whole number" if kind is int else "a number") + _bounds(field)


def _bounds(field: FieldInfo) -> str:
    bounds = {
        name: getattr(part, name)
        for part in field.metadata
        for name in ("ge", "gt", "le")
        if hasattr(part, name)
    }
    most = f"{bounds['le']:,}" if "le" in bounds else ""
    if "gt" in bounds:
        return f" above {bounds['gt']:,}" + (f", at most {most}" if most else "")
    return (f" from {bounds['ge']:,}" if "ge" in bounds else "") + (f" to {most}" if most else "")


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
