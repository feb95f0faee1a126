"""The record of one question: what was decided, called, shown and judged, and what it cost.

record.py holds the values and their JSON form, store.py keeps them in the catalog (`kb.traces`), shown.py says which
documents a run was shown, own.py is the traces of one principal; view.py draws one run,
diff.py compares two, drawing.py is the tree that both draw; export.py writes JSON Lines, otel.py makes OpenTelemetry
spans, and otlp.py sends them.
May import: rights, catalog, language, types, errors, uris, version.
"""
