"""Captions of tables: how a line looks that names one ("Table 3: Prices by year").

A caption says its kind and its number; what follows is its words. A sentence that begins with the same words goes on
with a verb in small letters ("Table 3 shows …") and is none.
"""

from __future__ import annotations

import re

CAPTION_CHARS = 400
_KIND = (
    r"(?:table|tab\.|exhibit|appendix table|tabelle|tableau|tabla|cuadro|tabella|tabela|tabel|tabell|taulukko|"
    r"táblázat|tabulka|tabuľka|таблица|таблиця|πίνακας)"
)
_NUMBER = r"(?:[A-Za-z]{0,3}[-.]?\d{1,4}(?:[-.–]\d{1,4}){0,4}[a-z]?|[IVXLC]{1,7}|[A-H])"
_CAPTION = re.compile(
    rf"(?:{_KIND}\s?{_NUMBER}(?![\w%])|表\s?\d{{1,4}})"
    r"(?:\s*$|\s*[.:：。)\]—–-]+\s*|\s+(?=[^\W_]))(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP = re.compile(r"^[*_>#\s]+")


def is_caption(text: str) -> bool:
    """Whether a text is the caption of a table, or the beginning of one."""
    text = _MARKUP.sub("", text[: CAPTION_CHARS + 1])
    found = _CAPTION.match(text)
    if found is None or len(text) > CAPTION_CHARS:
        return False
    rest = found["rest"]
    parted = text[: found.start("rest")].rstrip()[-1:] in ".:：。)]—–-"
    return parted or not rest[:1].islower()
