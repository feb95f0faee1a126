"""What became of the files of a folder since it was stored: which document each one is, from names and bytes alone.

A file that stands where it stood is its document, whatever it holds now: a document is its source's path. Of the
others, in this order:

- a name in another Unicode form is the same name, unless both files are there;
- a folder whose files are all gone, while files of the same names and bytes stand in a new one, was renamed, and what
  changed or went meanwhile changed or went in the new one;
- a file of the same bytes at another place was moved, also where it took the place of one that was moved itself, in
  chains and circles: `a` and `b` may have changed names. It takes no other's place: a document whose file was
  overwritten is updated;
- a file whose name differs in the case of its letters alone is the same one, whatever it holds.

What then has no file is gone. Plain values in and out.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

Names = tuple[str, ...]
_Form = Callable[[Names], Names]

_MOST_ALIKE = 20  # files of one name and the same bytes: more tell nothing of where a folder went


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document, by the names of its file below the folder."""

    id: int
    names: Names
    digest: str


@dataclass(frozen=True, slots=True)
class Plan:
    """renamed:  folders that have another name, from those above down; an old name as it is when the ones before it
              are done
    at:       where the file of each document is now, by its id
    closed:   documents whose files are there, or may be, but could not be read
    gone:     documents without a file
    """

    renamed: tuple[tuple[Names, Names], ...]
    at: Mapping[int, Names]
    closed: frozenset[int]
    gone: frozenset[int]


def compare(known: Iterable[KnownDocument], found: Mapping[Names, str], closed: Iterable[Names] = ()) -> Plan:
    """Compare documents with the files of a folder, given by their names and digests. `closed` are files and folders
    that are there and could not be read."""
    shut = set(closed)
    stored = sorted(known, key=lambda one: (one.names, one.id))
    renamed = _renamed_folders(stored, found, shut)
    for old, new in renamed:
        stored = [_renamed(one, old, new) for one in stored]
    return _Matching(stored, found, shut).plan(renamed)


class _Matching:
    def __init__(
        self, stored: Sequence[KnownDocument], found: Mapping[Names, str], closed: set[Names]
    ) -> None:
        self._found = found
        self._at: dict[int, Names] = {}
        self._taken: set[Names] = set()
        self._closed = {one.id for one in stored if _lies_in(one.names, closed)}
        self._stored = [one for one in stored if one.id not in self._closed]

    def plan(self, renamed: tuple[tuple[Names, Names], ...]) -> Plan:
        self._stay()
        self._by_form(_form)
        self._move()
        self._by_form(_folded)
        gone = frozenset(one.id for one in self._stored if one.id not in self._at)
        return Plan(renamed, self._at, frozenset(self._closed), gone)

    def _put(self, one: KnownDocument, names: Names) -> None:
        self._at[one.id] = names
        self._taken.add(names)

    def _stay(self) -> None:
        for one in self._stored:
            if one.names in self._found and one.names not in self._taken:
                self._put(one, one.names)

    def _by_form(self, form: _Form) -> None:
        """A file is a document's when they alone have this form of a name."""
        files, ones = defaultdict(list), defaultdict(list)
        for names in self._found:
            if names not in self._taken:
                files[form(names)].append(names)
        for one in self._stored:
            if one.id not in self._at:
                ones[form(one.names)].append(one)
        for key, names_of in files.items():
            if len(names_of) == len(ones[key]) == 1:
                self._put(ones[key][0], names_of[0])

    def _move(self) -> None:
        """Pair documents and files of the same bytes, and keep of that what takes no other's place."""
        leaving = [one for one in self._stored if self._found.get(self._at.get(one.id, ())) != one.digest]
        leaving.sort(key=lambda one: (one.id in self._at, one.names))
        left = {one.id for one in leaving}
        holder = {names: document for document, names in self._at.items()}
        files = [names for names in self._found if names not in holder or holder[names] in left]
        files.sort(key=lambda names: (names in holder, names))
        moves: dict[int, Names] = {}
        # First those that kept their name, then the rest in order.
        for key_of in (_name, _nothing):
            waiting: defaultdict[tuple[str, Names], deque[Names]] = defaultdict(deque)
            used = set(moves.values())
            for names in files:
                if names not in used:
                    waiting[self._found[names], key_of(names)].append(names)
            for one in leaving:
                queue = waiting.get((one.digest, key_of(one.names)))
                if one.id not in moves and queue:
                    moves[one.id] = queue.popleft()
        self._drop_what_takes_a_place(moves, holder)
        for document in moves:
            self._taken.discard(self._at.pop(document, ()))
        for one in leaving:
            if one.id in moves:
                self._put(one, moves[one.id])

    def _drop_what_takes_a_place(self, moves: dict[int, Names], holder: Mapping[Names, int]) -> None:
        """A file that is still there is left only to one that moves in, and taken only from one that moves out."""
        while True:
            taken = set(moves.values())
            wrong = [
                document
                for document, names in moves.items()
                if (names in holder and holder[names] not in moves)
                or (document in self._at and self._at[document] not in taken)
            ]
            if not wrong:
                return
            for document in wrong:
                del moves[document]


def _renamed_folders(
    stored: Sequence[KnownDocument], found: Mapping[Names, str], closed: set[Names]
) -> tuple[tuple[Names, Names], ...]:
    """Folders that have another name, those above first."""
    there = {names[:size] for names in [*found, *closed] for size in range(1, len(names) + 1)}
    before = {one.names[:size] for one in stored for size in range(1, len(one.names))}
    places = defaultdict(list)
    for names, digest in found.items():
        if names[:-1] and names[:-1] not in before:
            places[digest, names[-1]].append(names)
    votes: Counter[tuple[Names, Names]] = Counter()
    for one in stored:
        if one.names[:-1] and one.names[:-1] not in there:
            for names in places[one.digest, one.names[-1]][:_MOST_ALIKE]:
                votes[_parted(one.names, names)] += 1
    pairs: list[tuple[Names, Names]] = []
    for (old, new), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
        fresh = old not in there and new not in before
        if fresh and all(old != other and new != place for other, place in pairs):
            pairs.append((old, new))
    pairs.sort(key=lambda pair: (len(pair[0]), pair[0]))
    return tuple(_after(pairs[:number], old, new) for number, (old, new) in enumerate(pairs))


def _parted(old: Names, new: Names) -> tuple[Names, Names]:
    """What differs of two paths above the names that they end with alike; a folder of each at least."""
    same = 0
    while same < min(len(old), len(new)) - 1 and old[-1 - same] == new[-1 - same]:
        same += 1
    return old[: len(old) - same], new[: len(new) - same]


def _after(before: Sequence[tuple[Names, Names]], old: Names, new: Names) -> tuple[Names, Names]:
    for other, place in before:
        if old[: len(other)] == other:
            old = (*place, *old[len(other) :])
    return old, new


def _renamed(one: KnownDocument, old: Names, new: Names) -> KnownDocument:
    if one.names[: len(old)] != old or len(one.names) == len(old):
        return one
    return KnownDocument(one.id, (*new, *one.names[len(old) :]), one.digest)


def _lies_in(names: Names, closed: set[Names]) -> bool:
    return any(names[:size] in closed for size in range(1, len(names) + 1))


def _name(names: Names) -> Names:
    return names[-1:]


def _nothing(_names: Names) -> Names:
    return ()


def _form(names: Names) -> Names:
    return tuple(unicodedata.normalize("NFC", name) for name in names)


def _folded(names: Names) -> Names:
    return tuple(unicodedata.normalize("NFC", name).casefold() for name in names)
