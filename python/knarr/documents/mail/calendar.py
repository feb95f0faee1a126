"""Calendars (iCalendar, RFC 5545): the events and tasks in them, as lines that people search for.

A message that invites has its calendar as a part; files of their own have many events, each a section. Alarms and rules of
time zones say nothing to a reader.
"""

from __future__ import annotations

import re

from knarr.documents.decode import Limits, decode
from knarr.documents.properties import properties
from knarr.documents.sections import Document
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line, shortened

_KINDS = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Journal"}
_SHOWN = {
    "DTSTART": "Begins", "DTEND": "Ends", "DUE": "Due", "DURATION": "Duration", "RRULE": "Repeats", "LOCATION": "Place",
    "STATUS": "Status", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "CATEGORIES": "Categories", "URL": "Address",
    "DESCRIPTION": "Description", "COMMENT": "Comment",
}  # fmt: skip
_LINE = re.compile(r"([A-Za-z0-9-]{1,60})((?:;[A-Za-z0-9-]{1,60}=(?:\"[^\"]*\"|[^\";:]*))*):(.*)", re.DOTALL)
_COMMON_NAME = re.compile(r";CN=(?:\"([^\"]*)\"|([^\";:]*))", re.IGNORECASE)
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MAX_EVENTS = 20_000


def parse(data: bytes, name: str, limits: Limits) -> Document:
    """Read a calendar. Raises DocumentError as `decode` does, "corrupt" for what is none, "no_text"."""
    decoded = decode(data, name, limits=limits)
    if "BEGIN:VCALENDAR" not in decoded.text[:4_096].upper():
        raise DocumentError(f"{name}: not a calendar")
    writer, notes = MarkdownWriter(), [*decoded.notes]
    events, open_, stack, title = 0, list[str](), list[str](), ""
    summary = ""
    for line in _unfolded(decoded.text):
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        key, more, value = found[1].upper(), found[2], found[3].strip()
        if key == "BEGIN":
            stack.append(value.upper())
            if stack[-1] in _KINDS:
                summary, open_ = "", []
        elif key == "END" and stack:
            kind = stack.pop()
            if kind in _KINDS and (summary or open_):
                events += 1
                if events <= _MAX_EVENTS:
                    writer.gap()
                    writer.heading(1, summary or _KINDS[kind])
                    writer.gap()
                    writer.put("".join(f"{one}\n" for one in open_))
        elif stack and stack[-1] in _KINDS:
            if key == "SUMMARY":
                summary = shortened(_text(value), 300)
            elif key in _SHOWN:
                open_.append(f"{_SHOWN[key]}: {_value(key, more, value)}")
        elif key == "X-WR-CALNAME":
            title = one_line(_text(value))
    if not writer.size_bytes:
        raise DocumentError(f"{name}: the calendar holds no events", "no_text")
    if events > _MAX_EVENTS:
        notes.append(f"only the first {_MAX_EVENTS:,} of {events:,} events were read")
    document = writer.document("calendar", title, tuple(notes), metadata=properties([("title", title)]))
    document.status = "partial" if events > _MAX_EVENTS else "ok"
    return document


def _unfolded(text: str) -> list[str]:
    """Lines; one that begins with white space goes on with the one above."""
    lines: list[list[str]] = []
    for line in text.split("\n"):
        if line[:1] in (" ", "\t") and lines:
            lines[-1].append(line[1:])
        else:
            lines.append([line])
    return ["".join(parts) for parts in lines]


def _text(value: str) -> str:
    return _ESCAPE.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)


def _value(key: str, more: str, value: str) -> str:
    if time := _TIME.fullmatch(value):
        day, clock = "-".join(time.groups()[:3]), time[4]
        zone = re.search(r";TZID=\"?([^\";:]{1,60})", more, re.IGNORECASE)
        place = " UTC" if time[7] else f" ({zone[1]})" if zone and clock else ""
        return f"{day} {clock}:{time[5]}{place}" if clock else day
    if key in ("ORGANIZER", "ATTENDEE"):
        named = _COMMON_NAME.search(more)
        address = re.sub(r"^mailto:", "", value, flags=re.IGNORECASE)
        who = (named[1] or named[2] or "") if named else ""
        return one_line(f"{who} <{address}>" if who and who != address else address)
    return one_line(_text(value))
