"""The main program of the worker process: files come in, messages go out, one JSON value a line.

Started by `worker` and never imported. It loads `words` by its path, so that nothing else
of the package, and none of its dependencies, is in this process.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path


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


def main() -> None:
    spec = importlib.util.spec_from_file_location("words", Path(__file__).with_name("words.py"))
    assert spec is not None and spec.loader is not None
    words = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(words)
    # Only messages go through the pipe; whatever a library prints is dropped.
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    print('{"ready": true}', file=out, flush=True)
    source = sys.stdin.buffer
    while len(head := source.read(8)) == 8:
        size = int.from_bytes(head, "little")
        bound_memory(int(sys.argv[1]) + 2 * size)
        data = source.read(size)
        try:
            for message in words.read_words(data):
                print(json.dumps(message, separators=(",", ":")), file=out)
        except MemoryError:
            os._exit(1)
        print('{"done": true}', file=out, flush=True)


if __name__ == "__main__":
    main()
