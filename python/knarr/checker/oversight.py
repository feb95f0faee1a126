"""`kb.checker`: the checker's threshold and rules, and what it did in recorded runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from knarr.arguments import checked
from knarr.catalog import Catalog
from knarr.checker.calibration import Among, Calibration
from knarr.checker.forced import Rule
from knarr.checker.records import CheckerReport, from_records, labelled, report
from knarr.checker.score import scorer_of
from knarr.trace.store import Traces
from knarr.types import to_json

_CALIBRATION = "checker_calibration:"  # in the catalog's settings, by judge


class Oversight:
    """Decides when an early answer may stand, in mode "vikingrag-e+".

    rules: each sends the questions that it matches to the full loop, whatever the checker says; they come
           beside those of the settings' domain
    """

    def __init__(self, catalog: Catalog, traces: Traces) -> None:
        self.rules: tuple[Rule, ...] = ()
        self._catalog = catalog
        self._traces = traces

    @checked
    def threshold(self, judge: str = "rules") -> float | None:
        """The calibrated score from which an early answer that `judge` passed may stand; None without a
        calibration, when the checker's own holds."""
        found = self.calibration(judge)
        return None if found is None else found.threshold

    @checked
    def calibration(self, judge: str = "rules") -> Calibration | None:
        """The stored calibration for a judge; None when there is none, or when the way of scoring has changed
        since it was made."""
        stored = json.loads(self._catalog.get(_CALIBRATION + judge) or "{}")
        return Calibration.from_json(stored) if stored.get("scorer") == scorer_of(judge) else None

    @checked
    def calibrate(
        self,
        labels: Mapping[str, bool] | None = None,
        alpha: float = 0.05,
        *,
        judge: str | None = None,
        among: Among = "all",
    ) -> Calibration:
        """Choose the threshold so that at most a share `alpha` of all questions (with `among="insufficient"`,
        of those with too little evidence) is answered early although the evidence was insufficient, and store
        it for `judge`, by default the one that judged most.

        labels: for recorded runs in mode "vikingrag-e+", by trace id, whether the early evidence was
                sufficient; without them the runs with `shadow` or `resample` are used, whose full path says it.

        Raises NotFound for a label of a run that is not recorded, InvalidArgument without labelled runs."""
        runs = self._traces.walk() if labels is None else [self._traces.get(name) for name in labels]
        given = None if labels is None else dict(zip((run.id for run in runs), labels.values(), strict=True))
        name, found = from_records(labelled(runs, given), alpha, judge=judge, among=among)
        found = replace(found, scorer=scorer_of(name))
        self._catalog.put(_CALIBRATION + name, json.dumps(to_json(found)))
        return found

    @checked
    def report(self, since: str | datetime | None = None) -> CheckerReport:
        """What the checker did in recorded runs, from `since` on."""
        return report(self._traces.walk(since))
