"""Whether anybody has written to the catalog since one last looked, at the cost of some microseconds."""

from __future__ import annotations

import os
import threading
from typing import Any

from knarr.catalog import Catalog
from knarr.catalog.locks import never_freed, on_fork


class Watch:
    """Keeps a connection of its own, since SQLite counts the commits of others for each connection. A forked child
    opens another. Thread-safe."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._connection: Any = None
        self._lock = threading.Lock()
        on_fork(self)

    def after_fork(self) -> None:
        """In a child: nothing of the parent's is used, or closed."""
        self._lock = threading.Lock()
        never_freed(self._connection)
        self._connection = None

    def close(self) -> None:
        """Give the connection back."""
        with self._lock:
            if self._connection is not None and self._connection[0] == os.getpid():
                self._connection[1].close()
            self._connection = None

    def version(self) -> tuple[int, int]:
        """Another value than the last time where somebody, this process included, has committed in between."""
        with self._lock:
            process = os.getpid()
            if self._connection is None or self._connection[0] != process:
                self._connection = process, self._catalog.connection()
            (version,) = self._connection[1].driver_connection.execute("PRAGMA data_version").fetchone()
            return process, int(version)
