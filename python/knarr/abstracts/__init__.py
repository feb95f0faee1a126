"""Abstracts by a chat model: bottom-up, bounded, cached by content.

`messages` puts a directory's content into one bounded message, `reply` takes what the model says as
data, `outline` holds a document's tree, `calls` makes the calls within their limits, `job` walks a scope
and keeps the books of `work`, `write` stores what is new, and `recall` gives unchanged directories the
abstracts that were made before.
"""
