"""The record of one question: what was decided, called, shown, judged, and what it cost.

record.py holds the values and their JSON form; view.py draws one run, diff.py compares two, export.py writes JSON
Lines, otel.py and otlp.py OpenTelemetry spans.
May import: types, errors, uris, and the catalog, where `store.py` keeps them (`kb.traces`).
"""
