"""Exit codes: the part of the output that scripts read."""

from __future__ import annotations

OK = 0
ERROR = 1
USAGE = 2
NOTHING_FOUND = 3
INCOMPLETE = 4

HELP = """\b
Exit codes:
  0  done
  1  an error: one line on stderr says what and how to mend it
  2  wrong usage
  3  nothing found: no hit, no match, no answer that stands, an empty directory
  4  done, but something is missing: a file could not be read in full, an
     abstract was not made, doctor found damage that still stands
"""
