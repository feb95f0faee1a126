"""Compound files (OLE): the container of Word, Excel and PowerPoint before 2007 and of Outlook messages.

May import: documents' own modules (sections, tables, writer, decode), errors, language.
"""
