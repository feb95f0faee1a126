"""Makes the two binary documents of the demo library, so that they can be changed and made again.

    pip install python-docx fpdf2        # fpdf2 is needed here only, knarr does not depend on it
    python tests/data/make_demo_library.py [FOLDER]

writes `ocean-measurement-syllabus.docx` and `annual-report-2025.pdf`. Everything in them, like the
rest of the library, is invented and written by us. The same script gives the same bytes: dates are
fixed and the DOCX is packed again with fixed time stamps.
"""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

from demo_report import make_report
from demo_syllabus import make_syllabus

LIBRARY = Path(__file__).resolve().parents[2] / "python" / "knarr" / "demo" / "library"
FIXED = dt.datetime(2026, 1, 15, 9, 0, 0, tzinfo=dt.UTC)


def main(folder: Path) -> None:
    (folder / "ocean-measurement-syllabus.docx").write_bytes(make_syllabus(FIXED))
    (folder / "annual-report-2025.pdf").write_bytes(make_report(FIXED))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else LIBRARY)
