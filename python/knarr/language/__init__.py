"""What texts say, by rule: words, constraints of a question, passages, likeness, citations.

No model is asked, and nothing is kept between calls.
May import: types, errors, uris.
"""
