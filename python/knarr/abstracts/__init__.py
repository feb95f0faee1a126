"""Abstracts of directories: by rule (`extractive`), or by a chat model, bottom-up, bounded, cached by content.

`maker` is the part of a knowledge base (`kb.abstracts`). A job (`job`, `work`, `calls`) walks a scope: `outline` holds a
document's tree, `messages` bounds what the model is shown, `reply` reads what it says, `write` stores what is new.
`recall` gives unchanged directories the abstracts that they had, and `folders` keeps those above documents true.
May import: index, catalog, documents, models, language, and what they stand on.
"""
