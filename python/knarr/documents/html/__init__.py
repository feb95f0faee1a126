"""HTML by selectolax, guarded against pages that cost too much: headings, lists, tables, text.

May import: documents' sections and tables, and nothing above.
"""
