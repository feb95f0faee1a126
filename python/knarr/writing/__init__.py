"""From files to the catalog: sources, the layout of a document, the ingest, the receipt.

`Ingest.add` finds the files, lays each document out as named sections and chunks, embeds what is new, and commits
each document whole or not at all; the receipt says what came of every file.
May import: catalog, documents, models, abstracts, and what they stand on.
"""
