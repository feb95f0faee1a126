"""HTML by selectolax, guarded against pages that cost too much: headings, lists, tables, text.

May import: documents' own modules (sections, tables, writer, decode), errors, language.
"""
