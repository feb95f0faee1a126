"""The part of a knowledge base that learns, and keeps what was learnt under control."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from knarr.catalog import experience, vectors
from knarr.config import Settings
from knarr.reading import Reading

if TYPE_CHECKING:
    from knarr.experience.judge import Judge
    from knarr.trace import Trace

DEFAULT_GAMMA = 0.8
Learning = Literal["off", "record", "learn", "frozen"]
_TRIES = 3


class Experience(Reading):
    """Learns from traces. What it changes stands in the catalog before a call returns, and the very next
    search sees it; another process sees it after its `refresh`."""

    settings: Settings

    @property
    def gamma(self) -> float:
        """The similarity of questions from which an edge is followed: the setting, else what was calibrated
        for this knowledge base, else 0.8."""
        if self.settings.gamma is not None:
            return self.settings.gamma
        stored = self._catalog.get("gamma")
        return DEFAULT_GAMMA if stored is None else float(stored)

    def learn(
        self,
        trace: Trace,
        *,
        batch: str = "",
        judge: Judge | None = None,
        mode: Learning | None = None,
        learner: str = "",
        tenant: str = "",
        labels: tuple[str, ...] = (),
    ) -> int:
        """Learn from an accepted trace by Algorithm 2 (arXiv 2609.11390); returns how many edges are new.

        A trace teaches once, whatever it taught: called again it is 0. Only one that answered with evidence
        which still stands in its source teaches at all. `mode` is the setting `learning` when left out:
        "off" and "frozen" learn nothing, "record" waits for `approve`. `judge` keeps the candidates that
        support question and answer; by default by rule, or by the chat model when one is configured.
        `batch` names a group for `forget`. `learner`, `tenant` and `labels` say on whose rights it rests."""
        from knarr.experience import learn, pairs

        mode = self.settings.learning if mode is None else mode
        if mode in ("off", "frozen") or not pairs.teaches(trace):
            return 0
        judge = self._judge(trace) if judge is None else judge
        vector = self.embed_query(trace.question)
        key = experience.question_hash(trace.question)
        days = self.settings.edge_days
        values = {
            "trace_id": trace.id,
            "question": trace.question,
            "vector_hash": key,
            "model": self.embedder.id,
            "summary": pairs.summary(trace),
            "created_at": trace.created_at,
            "batch": batch,
            "learner": learner,
            "tenant": tenant,
            "labels": list(labels),
            "expires_at_s": None if days is None else int(time.time() + days * 86_400),
            "state": "pending" if mode == "record" else "active",
        }
        for _ in range(_TRIES):
            with self._catalog.reading() as connection:
                if experience.knows(connection, trace.id):
                    return 0
                found = learn.gather(connection, trace)
            if found is None:
                return 0
            edges = learn.judged(found, trace, judge)
            with self._catalog.writing() as connection:
                if experience.knows(connection, trace.id):
                    return 0
                if not learn.still_stand(connection, edges):
                    continue  # a document changed while its text was judged
                vectors.put(connection, {key: vector}, self.embedder.id)
                experience.put(connection, values, edges)
                experience.log(connection, [trace.id])
            self._follow()
            return len(edges)
        return 0

    def _judge(self, trace: Trace) -> Judge:
        from knarr.experience.judge import RuleJudge

        return RuleJudge(trace.citations)
