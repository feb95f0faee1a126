"""Documents in XML: DocBook, JATS, DITA, TEI, and any other XML as its text.

May import: documents' own modules (sections, tables, writer, xml, html), errors, language.
"""
