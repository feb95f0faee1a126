"""PDF by pypdfium2, in a child process: words, lines, page furniture, tables, headings from outline, tags or looks.

May import: documents' own modules (sections, writer, decode), errors, language.
"""
