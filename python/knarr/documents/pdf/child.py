"""The main program of the worker process: files come in, messages go out, one JSON value a line.

Started by `worker` and never imported. It finds `words` and the modules beside it in their folder, without running
the package's own `__init__`, so that no other part of it, and none of its dependencies, is in this process.

A file is given as the number of its bytes, the microseconds of processor time that it may take, the number of pages
to draw, these pages, and its bytes. Without pages to draw its words are read.
Time is counted by the kernel in this process alone (ITIMER_PROF, finer than the whole seconds of RLIMIT_CPU), so a
busy machine refuses no file; its signal ends the process, whatever library is at work.
"""

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
import types
from pathlib import Path

PR_SET_NO_NEW_PRIVS = 38
OPEN_FILES = 64


def give_up_rights() -> None:
    """No program with other rights, no core dump with the file's text, no file written, few files open; no effect
    where the system knows none of these."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        for limit, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_NOFILE, OPEN_FILES),
        ):
            _, hard = resource.getrlimit(limit)
            most = most if hard < 0 else min(most, hard)
            resource.setrlimit(limit, (most, most))


def bound_time(microseconds: int) -> None:
    """End this process after so much more processor time."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, max(1, microseconds) / 1e6)


def bound_memory(extra_bytes: int) -> None:
    """Allow `extra_bytes` of address space beyond those in use; no effect where the system cannot tell
    or enforce that."""
    try:
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = used + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))
    except (ImportError, OSError, ValueError):
        return


def without_init(package: str) -> None:
    """Make a package and those it is in known by name, of which only the innermost finds modules: those beside us."""
    parts = package.split(".")
    for at in range(1, len(parts) + 1):
        stub = types.ModuleType(".".join(parts[:at]))
        stub.__path__ = [str(Path(__file__).parent)] if at == len(parts) else []
        sys.modules[stub.__name__] = stub


def main() -> None:
    without_init("knarr.documents.pdf")
    words = importlib.import_module("knarr.documents.pdf.words")
    packing = importlib.import_module("knarr.documents.pdf.packing")
    pictures = importlib.import_module("knarr.documents.pdf.pictures")
    give_up_rights()
    # Only messages go through the pipe; whatever a library prints is dropped.
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    print('{"ready": true}', file=out, flush=True)
    source = sys.stdin.buffer
    while len(head := source.read(24)) == 24:
        size, microseconds, count = (int.from_bytes(head[at : at + 8], "little") for at in (0, 8, 16))
        bound_time(microseconds)
        bound_memory(int(sys.argv[1]) + 2 * size)
        drawn = [int.from_bytes(source.read(4), "little") for _ in range(count)]
        data = source.read(size)
        try:
            for message in pictures.draw(data, drawn) if drawn else words.read_words(data):
                if "words" in message:
                    message["words"] = packing.packed(message["words"])
                print(json.dumps(message, separators=(",", ":")), file=out)
        except MemoryError:
            os._exit(1)
        print('{"done": true}', file=out, flush=True)


if __name__ == "__main__":
    main()
