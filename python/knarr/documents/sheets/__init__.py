"""Spreadsheets and tables in text: XLSX, XLS, ODS, CSV and TSV, each sheet a section with its tables.

May import: documents' own modules (sections, tables, writer, decode, zip_parts, xml), errors, language.
"""
