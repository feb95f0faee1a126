"""Data that is read as text: JSON, JSON Lines, notebooks.

May import: documents' own modules (sections, tables, writer, decode, html.fragment, markdown), errors, language.
"""
