"""Presentations of PowerPoint (PPTX): each slide a section.

May import: documents' own modules (sections, tables, writer, zip_parts, xml, sheets.charts), errors, language.
"""
