"""What tests of processes share: work in a fork, as another user, with little room."""

from __future__ import annotations

import os
import resource
import traceback
from collections.abc import Callable

NOBODY = 65534


def forked(work: Callable[[], object]) -> int:
    """Do it in a fork; returns its exit status, negative for a signal. The error is printed."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            limit_files(-1)
            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def as_nobody(work: Callable[[], object]) -> int:
    """Do it in a fork as a user without rights; the tests must be run by root."""

    def lowered() -> None:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        work()

    return forked(lowered)


def limit_files(size_bytes: int) -> None:
    """From now on no file of this process may be longer, as on a disk that is full; -1 lifts the limit."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
