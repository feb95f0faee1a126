"""Messages: EML, mbox and Outlook's MSG.

May import: documents' own modules (sections, writer, decode, html.fragment, ole, rtf), errors, language.
"""
