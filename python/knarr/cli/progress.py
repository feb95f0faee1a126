"""Signs of life on stderr: a progress line with rate and remaining time, or a spinner.

Silent unless stderr is a terminal; never on stdout.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from knarr.cli import page

if TYPE_CHECKING:
    from knarr.types import Progress


@contextmanager
def progress_line(title: str) -> Iterator[Progress | None]:
    """Gives the callback `(done_bytes, total_bytes, name)` that `KnowledgeBase.add` takes, or None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True, max_width=44)),
        BarColumn(bar_width=24),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(done_bytes: int, total_bytes: int, name: str) -> None:
            # The name comes from a file: escape it, so that brackets in it are not read as markup.
            bar.update(task, completed=done_bytes, total=total_bytes, description=_escaped(f"{title} {name}"))

        yield show


@contextmanager
def progress_count(title: str, *, names: bool = False) -> Iterator[Progress | None]:
    """Gives a callback `(done, total, name)` that counts things, with `names` beside their names, or None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    name = TextColumn("{task.description}", table_column=Column(no_wrap=True, max_width=54))
    columns = (name, BarColumn(bar_width=24), MofNCompleteColumn())
    with Bar(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int, name: str) -> None:
            text = _escaped(page.clean_line(f"{title} {name}")) if names else title
            bar.update(task, completed=done, total=total, description=text)

        yield show


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A quiet sign of life on stderr while a call takes its time."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(_escaped(what), spinner="dots"):
        yield


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)
