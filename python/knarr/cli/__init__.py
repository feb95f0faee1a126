"""The command line: `knarr add`, `search`, `list`, `grep`, `read`, `ask`, `trace`, `info`, `demo`, …

One file per group of commands; `app.py` puts them together. Commands hold no logic of their own:
they open a knowledge base, call one method and print what it returned. Results go to stdout;
progress, notes and errors go to stderr. Heavy modules are imported by the command that needs them.
May import: every room; nothing imports this one.
"""

from knarr.cli.app import main

__all__ = ["main"]
