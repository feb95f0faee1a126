"""The tables.

One schema for SQLite and PostgreSQL. The catalog is the only truth: the engine is an index over it
and can be rebuilt from it at any time. Positions are byte offsets into the canonical text; names are
decoded URI components, so that moving a subtree rewrites the URIs of documents and nothing below.

    meta ── schema version, embedder id and width
    documents 1─1 texts          one row per document; its canonical text beside it
              1─n sections       the heading tree, in document order
              1─n labels         what a question may call it
              1─n objects        chunks and abstracts, in document order: the engine's rows
              1─n pages          the shape of each page, and where the words of its text stand, packed
              1─1 sources        the file that it came from, by its name on disk
              1─1 document_seals a checksum of all of these but sources, and what damage was found
    source_folders               the folders above documents, by their names on disk
    folders                      abstracts of the folders above documents
    stale_folders                folders that a change touched and whose abstract was not made anew yet
    vectors                      by content hash + model: unchanged content is never embedded twice
    changes                      append-only, growing `seq`: what the engine applies to catch up
    rules                        who may see what is at and below a URI: grants, denies and labels
    traces n─n documents         the recorded run of each question, and the documents that it was shown or told of
                                 (trace_documents), with the first of which it goes
    episodes 1─n edges           what a trace taught: from a chunk of one document to one of another;
                                 edges end with either document, and follow it where it moves
    read_pages                   what OCR read, by file + page: no page is read twice
    model_abstracts              by what was asked + model + prompt: no chat model is paid twice
    abstract_uses                which documents and folders hold that content now
    placements                   where each version of a document stood, and when: open where it stands now
    versions 1─n version_vectors the content of versions that are no longer the newest, packed, once; and the
                                 keys of the vectors that they still use
    jobs                         what was asked to be added or kept in step, and how far that came
"""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa

SCHEMA_VERSION = 2
APPLICATION_ID = 0x6B6E6172  # "knar" in the head of the file, which tells a catalog from other databases

metadata = sa.MetaData()


def _document(name: str) -> sa.Column[int]:
    """A part of the key that names a document; the row goes with it."""
    return sa.Column(name, sa.ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True)


meta = sa.Table(
    "meta",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("uri", sa.Text, nullable=False, unique=True),
    sa.Column("folder", sa.Text, nullable=False),
    sa.Column("file_name", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("format", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("content_hash", sa.Text, nullable=False),
    sa.Column("recipe", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("size_bytes", sa.Integer, nullable=False),
    sa.Column("page_begins", sa.JSON, nullable=False),
    sa.Column("missing_pages", sa.JSON, nullable=False),
    sa.Column("notes", sa.JSON, nullable=False),
    sa.Column("updated_at", sa.Text, nullable=False),
    sa.Column("metadata", sa.JSON),
    sa.UniqueConstraint("folder", "file_name"),
)

sources = sa.Table(
    "sources",
    metadata,
    _document("document_id"),
    sa.Column("folder", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("same_name", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False, index=True),
    sa.Index("sources_by_name", "folder", "same_name"),
)

source_folders = sa.Table(
    "source_folders",
    metadata,
    sa.Column("uri", sa.Text, primary_key=True),
    sa.Column("parent", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("same_name", sa.Text, nullable=False),
    sa.UniqueConstraint("parent", "name"),
    sa.Index("source_folders_by_name", "parent", "same_name"),
)

texts = sa.Table(
    "texts",
    metadata,
    _document("document_id"),
    sa.Column("text", sa.Text, nullable=False),
)

sections = sa.Table(
    "sections",
    metadata,
    _document("document_id"),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("parent", sa.Integer),
    sa.Column("level", sa.Integer, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("begin_byte", sa.Integer, nullable=False),
    sa.Column("body_byte", sa.Integer, nullable=False),
    sa.Column("end_byte", sa.Integer, nullable=False),
    sa.Column("begin_line", sa.Integer, nullable=False),
    sa.Column("end_line", sa.Integer, nullable=False),
)

objects = sa.Table(
    "objects",
    metadata,
    _document("document_id"),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("section", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("begin_byte", sa.Integer, nullable=False),
    sa.Column("end_byte", sa.Integer, nullable=False),
    sa.Column("begin_line", sa.Integer, nullable=False),
    sa.Column("end_line", sa.Integer, nullable=False),
    sa.Column("tokens", sa.Integer, nullable=False),
    sa.Column("header", sa.Text, nullable=False),
    sa.Column("preview", sa.Text, nullable=False),
    sa.Column("text", sa.Text),
    sa.Column("vector_hash", sa.LargeBinary, nullable=False),
    sa.Index("objects_by_vector", "vector_hash"),
)

pages = sa.Table(
    "pages",
    metadata,
    _document("document_id"),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("shape", sa.JSON, nullable=False),
    sa.Column("begin_byte", sa.Integer, nullable=False),
    sa.Column("end_byte", sa.Integer, nullable=False),
    sa.Column("boxes", sa.LargeBinary, nullable=False),
)

labels = sa.Table(
    "labels",
    metadata,
    _document("document_id"),
    sa.Column("ordinal", sa.Integer, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("vector_hash", sa.LargeBinary, nullable=False, index=True),
)

document_seals = sa.Table(
    "document_seals",
    metadata,
    _document("document_id"),
    sa.Column("crc", sa.Integer),
    sa.Column("damage", sa.Text),
)

vectors = sa.Table(
    "vectors",
    metadata,
    sa.Column("hash", sa.LargeBinary, primary_key=True),
    sa.Column("model", sa.Text, primary_key=True),
    sa.Column("vector", sa.LargeBinary, nullable=False),
    sa.Column("crc", sa.Integer),
)

folders = sa.Table(
    "folders",
    metadata,
    sa.Column("uri", sa.Text, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("tokens", sa.Integer, nullable=False),
    sa.Column("preview", sa.Text, nullable=False),
    sa.Column("vector_hash", sa.LargeBinary, nullable=False),
    sa.Column("crc", sa.Integer),
)

stale_folders = sa.Table(
    "stale_folders",
    metadata,
    sa.Column("uri", sa.Text, primary_key=True),
    sa.Column("quotes_gone", sa.Boolean),
)

changes = sa.Table(
    "changes",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("document_id", sa.Integer),
    sa.Column("uri", sa.Text, nullable=False),
    sa.Column("target", sa.Text),
    sa.Column("stamp", sa.BigInteger, default=lambda: secrets.randbits(63)),
    sa.Column("crc", sa.Integer),
    sqlite_autoincrement=True,
)

rules = sa.Table(
    "rules",
    metadata,
    sa.Column("uri", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("whom", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
)

traces = sa.Table(
    "traces",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("asker", sa.Text),
    sa.Index("traces_by_time", "created_at"),
)

# Without foreign keys: a document that is gone is still one that the run was shown.
trace_documents = sa.Table(
    "trace_documents",
    metadata,
    sa.Column("trace_id", sa.Text, primary_key=True),
    sa.Column("document_id", sa.Integer, primary_key=True, index=True),
)

read_pages = sa.Table(
    "read_pages",
    metadata,
    sa.Column("file", sa.Text, primary_key=True),
    sa.Column("page", sa.Integer, primary_key=True),
    sa.Column("engine", sa.Text, nullable=False),
    sa.Column("words", sa.Text, nullable=False),
    sa.Column("crc", sa.Integer),
)

model_abstracts = sa.Table(
    "model_abstracts",
    metadata,
    sa.Column("key", sa.LargeBinary, primary_key=True),
    sa.Column("model", sa.Text, primary_key=True),
    sa.Column("prompt", sa.Text, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("tokens", sa.Integer, nullable=False),
    sa.Column("crc", sa.Integer),
)

abstract_uses = sa.Table(
    "abstract_uses",
    metadata,
    sa.Column("owner", sa.Text, primary_key=True),
    sa.Column("key", sa.LargeBinary, primary_key=True, index=True),
)

episodes = sa.Table(
    "episodes",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("trace_id", sa.Text, nullable=False, unique=True),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("core", sa.Text, nullable=False),
    sa.Column("vector_hash", sa.LargeBinary, nullable=False, index=True),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("summary", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False, index=True),
    sa.Column("batch", sa.Text, nullable=False, index=True),
    sa.Column("learner", sa.Text, nullable=False),
    sa.Column("tenant", sa.Text, nullable=False),
    sa.Column("labels", sa.JSON, nullable=False),
    sa.Column("expires_at_s", sa.Integer),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("uses", sa.Integer, nullable=False, default=0),
    sa.Column("helped", sa.Integer, nullable=False, default=0),
    sa.Column("failed", sa.Integer, nullable=False, default=0),
)

edges = sa.Table(
    "edges",
    metadata,
    sa.Column("episode_id", sa.ForeignKey("episodes.id", ondelete="CASCADE"), primary_key=True),
    _document("source_id"),
    sa.Column("source_path", sa.Text, primary_key=True),
    _document("target_id"),
    sa.Column("target_path", sa.Text, primary_key=True),
    sa.Column("source_hash", sa.LargeBinary, nullable=False),
    sa.Column("source_version", sa.Integer, nullable=False),
    sa.Column("target_hash", sa.LargeBinary, nullable=False),
    sa.Column("target_version", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Index("edges_by_source", "source_id", "source_path"),
    sa.Index("edges_by_target", "target_id", "target_path"),
)

placements = sa.Table(
    "placements",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("document_id", sa.Integer, nullable=False, index=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("uri", sa.Text, nullable=False, index=True),
    sa.Column("folder", sa.Text, nullable=False),
    sa.Column("file_name", sa.Text, nullable=False),
    sa.Column("begin_seq", sa.Integer, nullable=False),
    sa.Column("end_seq", sa.Integer),
    sa.Column("begin_at", sa.Text, nullable=False, index=True),
    sa.Column("end_at", sa.Text, index=True),
)

versions = sa.Table(
    "versions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("document_id", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("checksum", sa.LargeBinary, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("document_id", "version"),
)

version_vectors = sa.Table(
    "version_vectors",
    metadata,
    sa.Column("vector_hash", sa.LargeBinary, primary_key=True),
    sa.Column("version_id", sa.ForeignKey("versions.id", ondelete="CASCADE"), primary_key=True, index=True),
    sqlite_with_rowid=False,
)

jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("arguments", sa.JSON, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("counts", sa.JSON, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("started_at", sa.Text, nullable=False),
    sa.Column("ended_at", sa.Text, nullable=False),
    sa.Column("process", sa.Text, nullable=False),
    sqlite_autoincrement=True,
)

ADDED_COLUMNS: tuple[sa.Column[Any], ...] = (
    changes.c.stamp,
    documents.c.metadata,
    traces.c.asker,
    episodes.c.core,
    *(table.c.crc for table in (vectors, folders, changes, read_pages, model_abstracts)),
    stale_folders.c.quotes_gone,
)
"""Columns that catalogs of older versions lack: they are given to them, empty, when they are opened."""
