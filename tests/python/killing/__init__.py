"""Proof by force: writers that are killed at random moments and system calls, and catalogs that are damaged.

    python -m killing.kills FOLDER COUNT [SEED]      kill -9 at moments and at system calls
    python -m killing.damage FOLDER COUNT [SEED]     damaged catalogs

Run in `tests/python`. A dozen of each are in the test suite, hundreds are run by hand (see tests/GUARANTEES.md).
"""
