"""Electronic books: EPUB and FictionBook.

May import: documents' own modules (sections, writer, zip_parts, xml, properties, html), errors, language.
"""
