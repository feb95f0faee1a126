"""Models from outside: what turns text into vectors, what ranks passages, what chats.

embed/ and chat/ hold one interface each and its implementations, rerank.py the cross-encoder, prompts/ what
chat models are told, one file each. Nothing here knows of documents or of the catalog.
May import: types, errors, config.
"""
