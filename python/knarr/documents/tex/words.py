"""Commands of LaTeX that are characters."""

from __future__ import annotations

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307", "c": "\u0327",
    "H": "\u030b", "v": "\u030c", "u": "\u0306", "k": "\u0328", "r": "\u030a", "b": "\u0331", "d": "\u0323",
}  # fmt: skip
"""The combining mark of each accent; the writer joins it with its letter."""
ACCENTED = {'"i': "ï", "'i": "í", "`i": "ì", "^i": "î"}
SYMBOLS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "texteuro": "€", "dag": "†",
    "ddag": "‡", "ldots": "…", "dots": "…", "textellipsis": "…", "textendash": "–", "textemdash": "—", "LaTeX": "LaTeX",
    "TeX": "TeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX", "textbackslash": "\\", "textasciitilde": "~", "%": "%", "&": "&",
    "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", ",": " ", ";": " ", ":": " ", "!": "", "/": "", "-": "",
    "quad": " ", "qquad": " ", "textbar": "|", "textless": "<", "textgreater": ">", "textdegree": "°", "degree": "°",
    "textquotedblleft": "“", "textquotedblright": "”", "textbullet": "•", "today": "", "textregistered": "®",
    "texttrademark": "™", "slash": "/", "textunderscore": "_", "guillemotleft": "«", "guillemotright": "»", "og": "« ",
    "fg": " »", "th": "þ", "dh": "ð", "dj": "đ", "ng": "ŋ", "@": "", "\n": " ", "\t": " ",
}  # fmt: skip
