"""A message as text, whatever file it came in: its headers, its body, its attachments.

The subject is the title. The headers that readers look for stand above the body as lines, since people search for who
wrote what; they are metadata too. Of a body in two forms the plain one is read, unless it is only a remark that the
other one is to be read. Attachments of a known format are read as sections of their own, a bounded number of them and
levels deep; others are named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from knarr.documents.decode import Limits
from knarr.documents.html.fragment import write_fragment
from knarr.documents.properties import properties
from knarr.documents.sections import Document, MetadataValue
from knarr.documents.writer import MarkdownWriter
from knarr.errors import DocumentError
from knarr.language.plain import one_line, shortened

ParseInner = Callable[[bytes, str], Document]

_HEADERS = (
    ("From", "from"), ("To", "to"), ("Cc", "cc"), ("Bcc", "bcc"), ("Reply-To", "reply-to"), ("Date", "date"),
    ("Subject", "subject"),
)  # fmt: skip
_KEYS = (*(key for _, key in _HEADERS), "message-id", "in-reply-to")
_MAX_HEADER_CHARS = 2_000
_MAX_READ = 30
_MAX_READ_OF_ALL = 500
_MAX_NAMED = 200
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_FEW_WORDS = 0.5  # of the other form's: less is a remark


@dataclass(slots=True)
class Attachment:
    """A file that came with a message. `inline` for pictures of the body."""

    name: str
    data: bytes
    kind: str = ""
    inline: bool = False


@dataclass(slots=True)
class Body:
    """A text of a message, in one form or in two."""

    plain: str = ""
    html: str = ""


@dataclass(slots=True)
class Letter:
    """headers: by lower-case name; `inner` are messages that this one carries."""

    headers: dict[str, str] = field(default_factory=dict)
    bodies: list[Body] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    inner: list[Letter] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def subject(self) -> str:
        return shortened(self.headers.get("subject", ""), 300)

    def metadata(self) -> dict[str, MetadataValue]:
        """The headers that say what the message is."""
        found = [(key, self.headers.get(key, "")) for key in _KEYS if key != "subject"]
        found += [("title", self.subject), ("subject", self.subject)]
        return properties(found)


class LetterWriter:
    """Writes letters, one after the other or one in another. `parse` reads attachments; without it they are named."""

    def __init__(self, writer: MarkdownWriter, limits: Limits, parse: ParseInner | None) -> None:
        self.notes: list[str] = []
        self._writer = writer
        self._limits = limits
        self._parse = parse
        self._read = self._read_before = 0

    def next_message(self) -> None:
        """The next of several messages begins, which has attachments of its own."""
        self._read_before += self._read
        self._read = 0

    def write(self, letter: Letter, level: int) -> None:
        """A letter whose attachments are headings at a level."""
        self.notes += letter.notes
        lines = [
            f"{shown}: {shortened(text, _MAX_HEADER_CHARS)}\n"
            for shown, key in _HEADERS
            if (text := letter.headers.get(key, "").strip())
        ]
        if lines:
            self._writer.gap()
            self._writer.put("".join(lines))
        for body in letter.bodies:
            self._body(body, level)
        for attachment in letter.attachments[:_MAX_NAMED]:
            self._attachment(attachment, level)
        if len(letter.attachments) > _MAX_NAMED:
            self.notes.append(f"attachments left out: {len(letter.attachments) - _MAX_NAMED:,}")
        for inner in letter.inner:
            self._writer.gap()
            shown = inner.subject or "Message"
            self._writer.heading(level, f"Attached message: {shown}", shown)
            self.write(inner, level + 1)

    def _body(self, body: Body, level: int) -> None:
        page = MarkdownWriter()
        notes: tuple[str, ...] = ()
        if body.html.strip():
            _, notes = write_fragment(body.html, page, self._limits)
        styled = page.document("eml", "", ())
        words, others = len(body.plain.split()), len(styled.text.split())
        if body.plain.strip() and words >= _FEW_WORDS * others:
            self._writer.gap()
            self._writer.put(body.plain.strip("\n") + "\n")
        elif page.size_bytes:
            self.notes += notes
            self._writer.gap()
            self._writer.include(styled, level - 1)

    def _attachment(self, attachment: Attachment, level: int) -> None:
        name = one_line(attachment.name) or f"unnamed ({attachment.kind or 'of unknown kind'})"
        if attachment.kind in _SIGNATURES:
            self.notes.append("a digital signature left out")
            return
        if attachment.inline and attachment.kind.startswith("image/"):
            self.notes.append(f"picture left out: {shortened(name, 60)}")
            return
        said, document = self._inner(attachment, name)
        self._writer.gap()
        if document is None:
            self._writer.put(f"Attachment: {shortened(name, 200)}\n")
            self.notes.append(f"attachment {shortened(name, 60)} not read: {said}")
            return
        self._writer.heading(level, f"Attachment: {shortened(name, 200)}", shortened(name, 200))
        self._writer.gap()
        self._writer.include(document, level)
        self.notes += [f"attachment {shortened(name, 60)}: {note}" for note in document.notes]
        if document.status != "ok":
            self.notes.append(f"attachment {shortened(name, 60)}: read in part")

    def _inner(self, attachment: Attachment, name: str) -> tuple[str, Document | None]:
        if self._parse is None:
            return "attachments in attachments are not read as deep as this", None
        if self._read >= _MAX_READ:
            return f"only {_MAX_READ} attachments of a message are read", None
        if self._read + self._read_before >= _MAX_READ_OF_ALL:
            return f"only {_MAX_READ_OF_ALL} attachments of a file are read", None
        self._read += 1
        try:
            return "", self._parse(attachment.data, name)
        except DocumentError as error:
            return shortened(str(error).removeprefix(f"{name}: "), 120), None
