"""What a look at a base found: a line for each fault, how bad it is, what it means and what helps."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

Severity = Literal["error", "warning", "note"]
"""error: results are wrong or missing; warning: derived data is not what it should be, or will be in the way;
note: worth knowing."""


SHOWN = 50  # findings of a kind that are told one by one


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault.

    part:      what was looked at: "files", "catalog", "documents", "vectors", "folders", "experience", "index"
    where:     the file, document or folder; "" for the whole base
    what:      what is wrong, and what that means
    help:      what mends it
    mendable:  whether a repair does
    repaired:  what a repair did; "" where it did nothing
    """

    severity: Severity
    part: str
    where: str
    what: str
    help: str
    mendable: bool = False
    repaired: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """What a base is like.

    findings:  in the order of looking; those of tenants are named by their folder in `where`
    looked_at: what was held against what, by count
    ok:        whether nothing is wrong, or all that was is repaired; notes do not count
    """

    path: str
    findings: tuple[Finding, ...] = ()
    looked_at: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return not any(one.severity != "note" and not one.repaired for one in self.findings)


class Notes:
    """Collects findings, of each kind a bounded number of lines and then a count."""

    def __init__(self, most: int = SHOWN) -> None:
        self._most = most
        self._found: list[Finding] = []
        self._kinds: dict[tuple[str, str], int] = {}
        self.looked_at: dict[str, int] = {}

    def add(
        self, severity: Severity, part: str, where: str, what: str, help: str, *, mendable: bool = False
    ) -> None:
        """Note a fault."""
        kind = (part, help)
        seen = self._kinds[kind] = self._kinds.get(kind, 0) + 1
        if seen <= self._most:
            self._found.append(Finding(severity, part, where, what, help, mendable))
        elif seen == self._most + 1:
            self._found.append(Finding(severity, part, "", "there are more of these", help, mendable))

    def count(self, what: str, n: int = 1) -> None:
        """Note that so many were looked at."""
        self.looked_at[what] = self.looked_at.get(what, 0) + n

    def findings(self) -> list[Finding]:
        return list(self._found)

    def has(self, part: str, severity: Severity = "error") -> bool:
        """Whether anything that bad was found in a part."""
        return any(one.part == part and one.severity == severity for one in self._found)


def repaired(found: list[Finding], left: list[Finding], did: dict[str, str]) -> list[Finding]:
    """The findings of before a repair, marked with what it did where they are gone, and those that came up since."""
    still = {(one.part, one.where, one.what) for one in left}
    before = {(one.part, one.where, one.what) for one in found}
    marked = [
        one
        if (one.part, one.where, one.what) in still
        else replace(one, repaired=did.get(one.part, "gone after the repair"))
        for one in found
    ]
    return marked + [one for one in left if (one.part, one.where, one.what) not in before]
