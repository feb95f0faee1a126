"""The four tools over the index: Search, List, Grep and Read, each one call into the engine.

Each is a function over a `ReadContext`: catalog, index, embedder, and what is cached of them. Cards hold the
sections, lines and pages of a document, so that every result says where it comes from.
May import: index, catalog, models, language, and what they stand on.
"""
