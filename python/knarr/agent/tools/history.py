"""History: which versions of a document there are, what changed between two, what one said.

A document has versions in the base, and documents may be versions of each other by their names (`agent/families.py`).
What the tool tells is made from the catalog by rule, and each version that it speaks of is shown as a passage that can
be cited; so an answer from it needs no other check than that it says what the tool told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from knarr.agent.families import Meant, meant_by, numbers
from knarr.agent.library import HasHistory
from knarr.agent.outline import scope_index
from knarr.agent.tools.rendering import place, quoted
from knarr.agent.tools.tool import Tool, ToolContext
from knarr.agent.values import Argument, Cite, Draft, Excerpt, Observation, ToolCall
from knarr.checker import Case
from knarr.checker.final import FinalCheck
from knarr.errors import InvalidArgument, NotFound
from knarr.history.records import DocumentDiff, SectionDifference
from knarr.language.history_asked import AskedVersions
from knarr.language.plain import shortened
from knarr.language.words import STOP, forms, words
from knarr.types import Gate, Passage, Verdict
from knarr.uris import name_of

_CITED = 3  # versions, or sections, that are shown as passages
_TOLD = 8  # sections that are told
_LINE_CHARS = 200
_HEAD_TOKENS = 40
_PASSAGES = 5
_SHOWN_TOKENS = 1_200


Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """What the tool tells. `found` is False where a version that was asked for is not there; `past` says that its
    passages are for a policy to answer from, which is asked `about` them."""

    text: str
    found: bool = True
    cites: tuple[Cite, ...] = ()
    past: bool = False
    about: str = ""


@dataclass(slots=True)
class _Telling:
    """What one call tells, and the passages that it shows."""

    context: ToolContext
    library: HasHistory
    shown: list[Excerpt] = field(default_factory=list)
    cites: list[Cite] = field(default_factory=list)

    def show(self, uri: str, version: int, words_: str = "", begin_byte: int = 0) -> None:
        """Show what a version says at a URI, from a byte on, and cite the line with these words."""
        try:
            passage: Passage = self.library.at(version, uri).read(uri, begin_byte, _HEAD_TOKENS + len(words_))
        except (NotFound, InvalidArgument):
            return
        text = passage.text
        line = words_ or _telling_line(text)
        if line.strip() and line.strip() in text:
            piece = Excerpt(uri, text, passage.source, passage.begin_byte)
            piece = self.context.numbers.numbered(piece)
            self.shown.append(piece)
            self.cites.append(Cite(piece.number, line.strip()))

    def told(self, text: str, *, found: bool = True) -> Told:
        return Told(text, found, tuple(self.cites))


def _telling_line(text: str) -> str:
    """The first line that is no heading; the first one with words where there is none."""
    lines = [line for line in text.split("\n") if any(mark.isalnum() for mark in line)]
    return next(
        (line for line in lines if not line.lstrip().startswith(("#", "<!--"))), lines[0] if lines else ""
    )


def _run(context: ToolContext, call: ToolCall, target: str, room_tokens: int) -> Observation:
    """What is told, and below it the passages."""
    library, given = context.library, call.checked
    if not isinstance(library, HasHistory):
        return Observation.failure(call, "History: this library keeps no history")
    meant = meant_by(given["name"], scope_index(library).entries, target)
    telling = _Telling(context, library)
    told = _told(telling, given, meant, room_tokens)
    if told is None:
        return Observation.failure(
            call, f"History: nothing below {target} that is called {given['name'][:80]!r} has such versions"
        )
    blocks = [
        f"[{one.number}] {one.uri} (version {one.source.version}, {place(one.source)})\n{quoted(one.text)}"
        for one in telling.shown
    ]
    text = "\n".join(["History:", quoted(told.text), *blocks])
    return Observation(call, text, tuple(one.uri for one in telling.shown), tuple(telling.shown), told)


def _told(telling: _Telling, given: Given, meant: Meant, room_tokens: int) -> Told | None:
    wish = given["wish"]
    if wish == "changes":
        return _changes(telling, given, meant)
    if wish == "said":
        return _said(telling, given, meant, room_tokens)
    return _listed(telling, given, meant)


# ---------------------------------------------------------------------- which versions there are


def _listed(telling: _Telling, given: Given, meant: Meant) -> Told | None:
    name = given["name"]
    if meant.families:
        known: dict[str, str] = {}
        for family in meant.families:
            for version, uri in family.documents:
                known.setdefault(version, uri)
        ordered = sorted(known, key=numbers)
        places = {version: (known[version], 0) for version in ordered}
        listed = [str(version) for version in ordered]
    elif meant.documents:
        history = telling.library.versions(meant.documents[0])
        kept = [one for one in history if one.retained]
        ordered = [str(one.version) for one in kept]
        places = {str(one.version): (history.uri, one.version) for one in kept}
        listed = [f"{one.version} (since {one.begin_at[:10]})" for one in kept]
    else:
        return None
    return _chosen(telling, given, name, ordered, listed, places)


def _chosen(
    telling: _Telling,
    given: Given,
    name: str,
    ordered: Sequence[str],
    listed: Sequence[str],
    places: dict[str, tuple[str, int]],
) -> Told:
    wish, all_ = given["wish"], _count(ordered, listed, name)
    if wish == "newest":
        shown, text = ordered[-1:], f"The newest version of {name} is {listed[-1]}."
    elif wish == "oldest":
        shown, text = ordered[:1], f"The oldest version of {name} is {listed[0]}."
    elif wish == "exists":
        shown = [one for one in ordered if numbers(one) == numbers(given["at"])]
        text = (
            f"Yes, there is a version {given['at']} of {name}."
            if shown
            else f"No, there is no version {given['at']} of {name}. {all_}"
        )
        shown = shown or [ordered[0], ordered[-1]]
    else:
        text = f"{all_} The newest is {ordered[-1]}, the oldest {ordered[0]}." if len(ordered) > 1 else all_
        shown = list(dict.fromkeys([ordered[-1], *ordered[:-1]]))[: 2 * _CITED]
    for version in shown:
        uri, number = places[version]
        telling.show(uri, number or _newest(telling.library, uri))
    return telling.told(text)


def _count(ordered: Sequence[str], listed: Sequence[str], name: str) -> str:
    if len(ordered) == 1:
        return f"There is one version of {name}: {listed[0]}."
    return f"There are {len(ordered)} versions of {name}: {', '.join(listed)}."


# ---------------------------------------------------------------------- what changed


def _changes(telling: _Telling, given: Given, meant: Meant) -> Told | None:
    old, new = given["old"], given["new"]
    if meant.families:
        compared = [(family, family.of(old), family.of(new)) for family in meant.families]
        pairs = [(family, one, other) for family, one, other in compared if one and other]
        if not pairs:
            return _missing(
                telling, given, [v for family in meant.families for v, _ in family.documents], (old, new)
            )
        told = [
            _difference(
                telling,
                given,
                f"{family.name} {one[0]}",
                other[0],
                telling.library.diff(one[1], other=other[1], limit=_TOLD * 8),
            )
            for family, one, other in pairs[:_CITED]
        ]
        kept = [text for text in told if text]
        return telling.told("\n".join(kept)) if kept else None
    if not meant.documents:
        return None
    history = telling.library.versions(meant.documents[0])
    kept_versions = [str(one.version) for one in history if one.retained]
    if old not in kept_versions or new not in kept_versions:
        return _missing(telling, given, kept_versions, (old, new))
    diff = telling.library.diff(history.uri, int(old), int(new), limit=_TOLD * 8)
    text = _difference(telling, given, f"version {old}", f"{new} of {given['name']}", diff)
    return telling.told(text) if text else None


def _missing(telling: _Telling, given: Given, known: Sequence[str], asked: Sequence[str]) -> Told | None:
    """A version that is not there is told with those that are, where the question says that it means versions."""
    if not given["said"] or not known:
        return None
    ordered = sorted(dict.fromkeys(known), key=numbers)
    lost = [one for one in asked if one and not any(numbers(one) == numbers(have) for have in ordered)]
    return Told(
        f"There is no version {' and no version '.join(lost or asked)} of {given['name']}. {_count(ordered, ordered, given['name'])}",
        found=False,
    )


def _difference(telling: _Telling, given: Given, old: str, new: str, diff: DocumentDiff) -> str:
    """What differs, in sentences; "" where nothing that the question is about does."""
    listed = list(diff)
    if given["about"]:
        listed = [one for one in listed if _speaks_of(one, given["about"])]
        if not listed:
            return ""
    head = f"From {old} to {new}: {diff.summary()}." if not given["about"] else f"From {old} to {new}:"
    parts = [head]
    for at, one in enumerate(listed[:_TOLD]):
        parts.append(f"{_titled(one)}: {_lines(one)}" if _lines(one) else f"{_titled(one)}.")
        if at < _CITED:
            _show_sides(telling, diff, one)
    if len(listed) > _TOLD or diff.next_offset is not None:
        parts.append(f"And {max(len(listed), diff.total) - _TOLD:,} more sections.")
    return "\n".join(parts)


def _show_sides(telling: _Telling, diff: DocumentDiff, one: SectionDifference) -> None:
    for sign, side, uri, span in (
        ("-", diff.old, one.old_uri, one.old_bytes),
        ("+", diff.new, one.new_uri, one.new_bytes),
    ):
        line = _first(one, sign)
        if uri and span and line:
            telling.show(uri, side.version, line, _near(telling.library, uri, side.version, line, span[0]))


def _near(library: HasHistory, uri: str, version: int, line: str, begin: int) -> int:
    """The byte where a line stands in a section, from where a passage that holds it can be read."""
    text = library.at(version, uri).read(uri).text
    at = text.find(line)
    return begin + len(text[: max(at, 0)].encode())


def _titled(one: SectionDifference) -> str:
    title = f"“{one.titles[-1]}”" if one.titles else "the beginning"
    if one.kind == "renamed":
        return f"renamed from “{one.old[-1] if one.old else ''}” to {title}"
    return f"{one.kind} {title}"


def _lines(one: SectionDifference) -> str:
    gone, come = _first(one, "-"), _first(one, "+")
    if gone and come:
        return f"“{shortened(gone, _LINE_CHARS)}” became “{shortened(come, _LINE_CHARS)}”"
    return f"“{shortened(gone or come, _LINE_CHARS)}”" if gone or come else ""


def _first(one: SectionDifference, sign: str) -> str:
    """The first line that says something with this sign before it."""
    lines = (line[1:].strip() for line in one.diff if line.startswith(sign))
    return next((line for line in lines if any(mark.isalnum() for mark in line)), "")


def _speaks_of(one: SectionDifference, about: str) -> bool:
    said = forms(" ".join([*one.old, *one.new, *one.diff]))
    return all(word.whole in said for word in words(about) if word.whole not in STOP)


# ---------------------------------------------------------------------- what one said


def _said(telling: _Telling, given: Given, meant: Meant, room_tokens: int) -> Told | None:
    """Passages of a version of a document, found by what the question is about."""
    at = given["at"]
    family = next((one for one in meant.families if one.of(at)), None)
    if family is not None and (named := family.of(at)):
        uri, as_of = named[1], _newest(telling.library, named[1])
    elif meant.documents:
        history = telling.library.versions(meant.documents[0])
        if "-" not in at and at not in [str(one.version) for one in history if one.retained]:
            return _missing(telling, given, [str(one.version) for one in history if one.retained], (at,))
        uri = history.uri
        stood = int(at) if "-" not in at else history.on(_end_of_day(at))
        if stood is None:
            return Told(
                f"{name_of(uri)} was not there on {at}; its first version came on {history.versions[0].begin_at[:10]}.",
                found=False,
            )
        as_of = stood
    elif meant.families:
        return _missing(telling, given, [v for one in meant.families for v, _ in one.documents], (at,))
    else:
        return None
    then = telling.library.at(as_of, uri)
    if not given["about"]:
        telling.show(uri, as_of)
        line = telling.cites[0].words if telling.cites else ""
        return telling.told(f"Version {as_of} of {name_of(uri)} begins: {line}") if line else None
    for piece in _found(then, given["about"], uri, room_tokens):
        telling.shown.append(telling.context.numbers.numbered(piece))
    return Told("", past=True, about=given["about"])


def _found(then: HasHistory, about: str, uri: str, room_tokens: int) -> Iterator[Excerpt]:
    for hit in then.search(about, uri, _PASSAGES):
        passage = then.read(hit.uri, 0, min(room_tokens, _SHOWN_TOKENS) // _PASSAGES + 1)
        yield Excerpt(hit.uri, passage.text, passage.source, passage.begin_byte)


def _end_of_day(date: str) -> str:
    """The last moment of a day, or now."""
    end = datetime.fromisoformat(date).replace(tzinfo=UTC) + timedelta(days=1)
    return min(end, datetime.now(UTC)).isoformat(timespec="microseconds")


def _newest(library: HasHistory, uri: str) -> int:
    return library.read(uri, 0, 1).source.version


def check_told(draft: Draft, observations: Sequence[Observation]) -> FinalCheck:
    """The check of an answer that says what was told: that it says just this, with nothing added."""
    told = [seen.value.text for seen in observations if isinstance(seen.value, Told) and seen.value.found]
    if draft.text in told:
        reason = "told by the history of the documents"
        return FinalCheck("answered", Verdict("sufficient", reason, gates=(Gate("told", True),)), reason)
    reason = "told: the history of the documents did not say so"
    return FinalCheck(
        "not_supported", Verdict("insufficient", reason, gates=(Gate("told", False, reason),)), reason
    )


def past_case(case: Case, observations: Sequence[Observation]) -> Case:
    """The case of an answer from passages of the past: what is asked of these is what the question is about, and its
    version or date need not stand in them."""
    about = next(
        (seen.value.about for seen in observations if isinstance(seen.value, Told) and seen.value.past), ""
    )
    return replace(case, question=about, core=about) if about else case


def history_call(asked: AskedVersions, scope: str) -> ToolCall:
    """The call that a question about versions asks for."""
    given = {"wish": asked.wish, "old": asked.old, "new": asked.new, "at": asked.at, "about": asked.about}
    return ToolCall(
        HISTORY.name,
        {"name": asked.name, "scope": scope, "said": asked.said, **{k: v for k, v in given.items() if v}},
    )


HISTORY = Tool(
    name="History",
    help="Say which versions of a document there are, what changed between two (old, new), or what one said (at).",
    arguments=(
        Argument(
            "name",
            str,
            "what the document, or the set of its versions, is called",
            required=True,
            offered=True,
        ),
        Argument("scope", str, "URI to look under; the question's scope when left out"),
        Argument("wish", str, "all, newest, oldest, exists, changes or said", default="all", offered=True),
        Argument("old", str, "a version", default="", offered=True),
        Argument("new", str, "a version", default="", offered=True),
        Argument("at", str, "a version, or a date such as 2025-05-01", default="", offered=True),
        Argument("about", str, "the part that is meant", default="", offered=True),
        Argument("said", bool, "whether numbers are surely versions", default=True),
    ),
    run=_run,
)
