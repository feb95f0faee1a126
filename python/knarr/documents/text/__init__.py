"""Plain text: numbered clauses, underlined titles and tables of contents, found by rule.

May import: documents' own modules (sections, decode), errors, language.
"""
