"""Markdown by markdown-it-py: front matter, headings, lines in bold that stand for headings, pipe tables.

May import: documents' own modules (sections, decode), errors, language.
"""
