"""Warming up: questions made from the documents, or given, are asked and teach before users ask theirs.

`material` cuts documents into passages, `forms`, `headings` and `rows` make questions of them by rule, `asked` by a
chat model, `questions` chooses among them; `run` asks and learns, `history` and `report` say how near they come.
May import: what the room above may.
"""
