"""Plain-text markup beside Markdown: AsciiDoc and Org.

May import: documents' own modules (sections, tables, writer, decode), errors, language.
"""
