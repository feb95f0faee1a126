"""Settings: one object, read once from arguments and `KNARR_*` variables, then passed down."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Everything that can be chosen from outside.

    embedder:          "local" (the offline model of the extra `local`), a folder with `model.onnx`
                       and `tokenizer.json`, or "openai" (an OpenAI-compatible `/embeddings` server)
    embed_url, embed_model, embed_key:  for "openai"
    embed_threads:     texts that are embedded, or passages that are reranked, at a time, and threads of one
                       alone; 0 is one per core. The engine's own threads are bounded by KNARR_THREADS
    chunk_tokens:      L, the most tokens of a chunk
    abstract_tokens:   the most tokens of an abstract
    abstracts:         "extractive" (sentences of the text itself), or "model": by the chat model, where one is
                       configured, when documents are added
    abstract_prompt_tokens:  the most tokens shown to the model for one abstract, however much there is
    abstract_job_tokens:     the most that one job of abstracts may cost, prompts and replies; 0 for no limit
    abstract_threads:  calls to the model at a time
    precision:         how the engine stores vectors: "float32", "bfloat16" (half the bytes), "int8" (a quarter).
                       The catalog keeps what the embedder gave, so that another one only rebuilds the engine
    graph:             keep a graph index for searches with plan="graph", built in the background (see
                       `Engine.keep_graph`)
    preview_chars:     the most characters of a preview
    max_file_bytes:    larger files are refused with status "limit"
    chat_url:          an OpenAI-compatible server (…/v1); empty: no chat model, everything works without
    chat_model, chat_key:  for it; an empty model takes the first that the server lists
    chat_window:       tokens of the model's window, 0 to ask the server
    chat_style:        how the model decides: "native" tool calls, a "schema" it fills in, or "auto"
    chat_timeout_s:    for one turn
    chat_prices:       input, cached input and output, per million tokens; all 0 when not known
    learning:          what answers teach in the modes -e and -e+: "off", "record" (for review, not used),
                       "learn", "frozen" (edges are used, nothing is learnt)
    gamma:             similarity from which an edge is followed; None for the calibrated one, else 0.8
    edge_days:         after which an edge expires, None for never
    domain:            rules of escalation: "", "legal", "finance", "medical", "compliance"
    """

    model_config = SettingsConfigDict(env_prefix="KNARR_", extra="ignore", frozen=True)

    embedder: str = "local"
    embed_url: str = "https://api.openai.com/v1"
    embed_model: str = "text-embedding-3-small"
    embed_key: str = Field(default="", repr=False)
    embed_threads: int = Field(default=0, ge=0)
    chunk_tokens: int = Field(default=1000, ge=16)
    abstract_tokens: int = Field(default=96, ge=16)
    abstracts: Literal["extractive", "model"] = "extractive"
    abstract_prompt_tokens: int = Field(default=3000, ge=600)
    abstract_job_tokens: int = Field(default=2_000_000, ge=0)
    abstract_threads: int = Field(default=4, ge=1, le=64)
    precision: Literal["float32", "bfloat16", "int8"] = "float32"
    graph: bool = False
    preview_chars: int = Field(default=240, ge=40)
    max_file_bytes: int = Field(default=256 << 20, ge=1)
    chat_url: str = ""
    chat_model: str = ""
    chat_key: str = Field(default="", repr=False)
    chat_window: int = Field(default=0, ge=0)
    chat_style: Literal["auto", "native", "schema"] = "auto"
    chat_timeout_s: float = Field(default=120.0, gt=0)
    chat_prices: tuple[float, float, float] = (0.0, 0.0, 0.0)
    learning: Literal["off", "record", "learn", "frozen"] = "learn"
    gamma: float | None = Field(default=None, ge=-1.0, le=1.0)
    edge_days: float | None = Field(default=None, gt=0)
    domain: Literal["", "legal", "finance", "medical", "compliance"] = ""

    def model_folder(self) -> Path | None:
        """The ONNX folder named by `embedder`, or None for "local" and "openai"."""
        return None if self.embedder in ("local", "openai") else Path(self.embedder)
