"""DOCX by its XML parts: paragraphs, styles, numbering, tables, headings by outline level and style.

May import: documents' own modules (sections, tables, writer, decode), errors, language.
"""
