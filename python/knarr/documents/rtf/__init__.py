"""Rich Text (RTF), also packed into messages of Outlook.

May import: documents' own modules (sections, tables, writer, decode, encodings), errors, language.
"""
