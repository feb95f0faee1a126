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
from knarr.errors import InvalidArgument
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
    def threshold(self, judge: str = "rules", question: str | None = None) -> float | None:
        """The calibrated score from which an early answer to `question` that `judge` passed may stand; without a
        question the one that keeps the bound for any. Above 1 for a type of question with too few labels. None without
        a calibration, when the checker's own holds."""
        found = self.calibration(judge)
        if found is None:
            return None
        return found.strictest if question is None else found.threshold_for(question)

    @checked
    def calibration(self, judge: str = "rules") -> Calibration | None:
        """The stored calibration for a judge; None when there is none, and when it is `outdated`."""
        return self._stored(judge)[0]

    @checked
    def outdated(self, judge: str = "rules") -> str:
        """Why a stored calibration is not used: the way of scoring has changed since, or it is one threshold for all
        types of question, as older versions made it. "" where it is used, or there is none."""
        return self._stored(judge)[1]

    def _stored(self, judge: str) -> tuple[Calibration | None, str]:
        text = self._catalog.get(_CALIBRATION + judge)
        if not text:
            return None, ""
        try:
            found = Calibration.from_json(json.loads(text))
        except (InvalidArgument, ValueError):
            return None, "it is of an older form, with one threshold for all types of question"
        if found.scorer != scorer_of(judge):
            return None, "answers are scored in another way since it was made"
        return found, ""

    @checked
    def calibrate(
        self,
        labels: Mapping[str, bool] | None = None,
        alpha: float = 0.05,
        *,
        judge: str | None = None,
        among: Among = "all",
    ) -> Calibration:
        """Choose a threshold for each type of question, so that of each at most a share `alpha` (with
        `among="insufficient"`, of its questions with too little evidence) is answered early although the evidence was
        insufficient, and store them for `judge`, by default the one that judged most. A type with fewer than
        1/alpha - 1 labelled questions is never answered early.

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
