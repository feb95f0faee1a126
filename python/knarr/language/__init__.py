"""Language: what texts say, by rule: words, sentences, passages, a question's constraints, citations.

No model is asked, and nothing but caches is kept between calls.
May import: types, errors, uris.
"""
