"""OpenDocument: texts (ODT), presentations (ODP) and spreadsheets (ODS), zipped or flat.

May import: documents' own modules (sections, tables, writer, zip_parts, xml, html.blocks, sheets), errors, language.
"""
