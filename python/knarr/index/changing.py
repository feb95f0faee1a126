"""Changes of documents, one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from knarr.catalog import Catalog


class Changing:
    """Hands out the right to change documents: `with changing(): ...`.

    The holder is the only one among all threads and processes, and begins from what others have written. The
    same thread may take it again while it holds it. Raises CatalogError when another process has it."""

    def __init__(self, catalog: Catalog, follow: Callable[[], object]) -> None:
        self._catalog = catalog
        self._follow = follow
        self._lock = threading.RLock()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock, self._catalog.exclusive():
            self._follow()
            yield
