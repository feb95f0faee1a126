"""Fuzzing of the parsers: files that nearly are what they say, made by chance and judged by what must hold of any file.

`seeds` has small whole files of every format, `mutants` damages them, `pages` makes words of PDF pages, and `judge`
says what is wrong with what a parser makes of them. A mutant is named by its format and number, and is the same
wherever it is made: the same code makes it anew from that name. `documents/test_fuzz.py` tries some of each format;
to try many, from the repository's root:

    PYTHONPATH=python:tests/python python -m fuzzing --minutes 10                  all formats in turn
    PYTHONPATH=python:tests/python python -m fuzzing --minutes 5 html rst --from 100000
    PYTHONPATH=python:tests/python python -m fuzzing --minutes 5 --files FOLDER    files of one's own as seeds too
    PYTHONPATH=python:tests/python python -m fuzzing --only html:1234 --keep /tmp/x.html

The last one replays a mutant, and keeps its file.
"""
