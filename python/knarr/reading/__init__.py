"""The four tools over the index: Search, List, Grep and Read, each one call into the engine.

Cards hold what is known of a document (its sections, lines and pages), so that every result says where it is from.
May import: index, catalog, models, language, and what they stand on.
"""
