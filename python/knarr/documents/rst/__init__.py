"""reStructuredText by rules of our own: titles, directives, roles, literal blocks, tables, fields.

May import: documents' own modules (sections, decode, writer, tables), errors, language.
"""
