"""The engine over a catalog: loaded from a snapshot or rebuilt, then kept in step with the log of changes.

The index holds nothing that the catalog does not; deleting it loses nothing but the time to rebuild it.
May import: engine, catalog, and what they stand on.
"""
