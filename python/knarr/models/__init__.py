"""Models from outside: embedders, a reranker, chat models.

embed/ and chat/ hold one interface each and its implementations, rerank.py the cross-encoder, prompts/ the
system prompts of chat models, one file each. Nothing here knows of documents or of the catalog.
May import: types, errors, config.
"""
