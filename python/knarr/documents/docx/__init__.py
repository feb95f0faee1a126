"""DOCX by its XML parts: paragraphs, styles, numbering, tables, headings by outline level and style.

May import: documents' sections and tables, and nothing above.
"""
