"""History for people: which versions of a document there are, what differs between two, and putting one back.

The tools read the past by `as_of` (`reading/past.py`); here versions are compared as whole contents of the catalog.
May import: reading, writing, catalog, language, and what they stand on.
"""
