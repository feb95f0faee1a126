"""Subtitles (SubRip, WebVTT): what is said, with the time at the beginning of each passage.

Captions are cut for the screen, a few words each. They are joined into passages of about a minute, which end where a
sentence ends, so that a chunk is about something and says when. Chapters and notes for authors are no speech; speakers
that the file names stand before their words.
"""

from __future__ import annotations

import html
import re

from knarr.documents.decode import Limits, decode
from knarr.documents.sections import Document
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line

_TIME = re.compile(
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}[ \t]{0,9}-->[ \t]{0,9}(?:(?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3})"
)
_VOICE = re.compile(r"<v(?:\.[^\s<>]{0,80})?\s([^<>]{1,200})>")
_TAG = re.compile(r"</?[a-zA-Z0-9:.][^<>]{0,200}>|\{\\[^{}]{0,200}\}")
_PASSAGE_S = 60
_LONG_S = 120
_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', "]")


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read subtitles. Raises DocumentError as `decode` does, and with status "no_text" where nothing is said."""
    decoded = decode(data, name, limits=limits)
    writer = MarkdownWriter()
    begun, words, last, speaker = 0, list[str](), "", ""
    for seconds, name_of_speaker, text in _captions(decoded.text):
        if text == last:
            continue  # captions that scroll repeat the line above
        last = text
        if words and (
            seconds - begun >= _LONG_S or (seconds - begun >= _PASSAGE_S and words[-1].endswith(_ENDS))
        ):
            _write(writer, begun, words)
            words, speaker = [], ""
        if not words:
            begun = seconds
        if name_of_speaker and name_of_speaker != speaker:
            speaker, text = name_of_speaker, f"{name_of_speaker}: {text}"
        words.append(text)
    _write(writer, begun, words)
    if not writer.size_bytes:
        raise DocumentError(f"{name}: no caption says anything", "no_text")
    return writer.document("subtitles", "", decoded.notes)


def _captions(text: str) -> list[tuple[int, str, str]]:
    """(seconds, speaker, words) of each caption that says something."""
    found: list[tuple[int, list[str]]] = []
    lines = text.split("\n")
    open_ = False
    for at, line in enumerate(lines):
        time = _TIME.match(line.strip())
        if time:
            hours, minutes, seconds = (int(part or 0) for part in time.groups())
            found.append((3600 * hours + 60 * minutes + seconds, []))
            open_ = True
        elif not line.strip():
            open_ = False
        elif open_ and not (
            line.strip().isdecimal() and at + 1 < len(lines) and _TIME.match(lines[at + 1].strip())
        ):
            found[-1][1].append(line)
    return [(seconds, *said) for seconds, words in found if (said := _said(" ".join(words)))[1]]


def _said(text: str) -> tuple[str, str]:
    """The speaker where the caption begins with one, and the words; other speakers in it stand before theirs."""
    first = _VOICE.match(text)
    rest = _VOICE.sub(lambda match: f"{match[1].strip()}: ", text[first.end() :] if first else text)
    words = one_line(html.unescape(_TAG.sub("", rest)))
    return (one_line(html.unescape(first[1])) if first else "", words)


def _write(writer: MarkdownWriter, begun: int, words: list[str]) -> None:
    if words:
        writer.gap()
        writer.put(f"[{begun // 3600:02d}:{begun // 60 % 60:02d}:{begun % 60:02d}] {' '.join(words)}\n")
