"""Settings: one object, read once from arguments and `KNARR_*` variables, then passed down."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Everything that can be chosen from outside.

    embedder:          "local" (the offline model of the extra `local`), a folder with `model.onnx`
                       and `tokenizer.json`, or "openai" (an OpenAI-compatible `/embeddings` server)
    embed_url, embed_model, embed_key:  for "openai"
    embed_threads:     onnxruntime threads; 0 is one per core
    chunk_tokens:      L, the most tokens of a chunk
    abstract_tokens:   the most tokens of an extractive abstract
    preview_chars:     the most characters of a preview
    max_file_bytes:    larger files are refused with status "limit"
    """

    model_config = SettingsConfigDict(env_prefix="KNARR_", extra="ignore", frozen=True)

    embedder: str = "local"
    embed_url: str = "https://api.openai.com/v1"
    embed_model: str = "text-embedding-3-small"
    embed_key: str = Field(default="", repr=False)
    embed_threads: int = Field(default=0, ge=0)
    chunk_tokens: int = Field(default=1000, ge=16)
    abstract_tokens: int = Field(default=96, ge=16)
    preview_chars: int = Field(default=240, ge=40)
    max_file_bytes: int = Field(default=256 << 20, ge=1)

    def model_folder(self) -> Path | None:
        """The ONNX folder named by `embedder`, or None for "local" and "openai"."""
        return None if self.embedder in ("local", "openai") else Path(self.embedder)
