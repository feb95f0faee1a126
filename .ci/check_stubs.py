"""The committed stubs of the native module equal the ones a tool makes from it.

    python .ci/check_stubs.py           compare
    python .ci/check_stubs.py --write   renew python/knarr/_core.pyi
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

COMMITTED = Path(__file__).parent.parent / "python" / "knarr" / "_core.pyi"


def generate() -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pybind11_stubgen", "knarr._core", "-o", folder]
        subprocess.run(command, check=True, capture_output=True)
        return (Path(folder) / "knarr" / "_core.pyi").read_text(encoding="utf-8")


def main() -> int:
    made = generate()
    if "--write" in sys.argv:
        COMMITTED.write_text(made, encoding="utf-8")
        return 0
    if made != COMMITTED.read_text(encoding="utf-8"):
        print("python/knarr/_core.pyi is out of date: python .ci/check_stubs.py --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
