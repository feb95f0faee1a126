"""LaTeX sources.

May import: documents' own modules (sections, tables, writer, decode, marked.flow), errors, language.
"""
