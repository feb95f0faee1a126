"""The part of a knowledge base that learns."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from knarr.catalog import experience, vectors
from knarr.config import Settings
from knarr.errors import ChatError
from knarr.experience.control import Control, moment
from knarr.language.plain import text_key

if TYPE_CHECKING:
    from knarr.catalog.records import EdgeEnd
    from knarr.experience.judge import Judge
    from knarr.trace.record import Trace

_LOG = logging.getLogger("knarr.experience")
DEFAULT_GAMMA = 0.8
# What gamma means depends on the embedder. For bge-small, on the development questions of six sets against
# 300 questions made from the documents of each: activations whose target held gold evidence were .10 of all
# from .64 on, .17 from .68, .30 from .72, .41 from .74 (32 of them; manuals by version left out), and from 0.8
# on hardly any edge is followed at all.
_KNOWN_GAMMAS = (("bge-small-en", 0.74),)
Learning = Literal["off", "record", "learn", "frozen"]
# A document may change while a judge thinks about its old text: then its edges are made anew.
_TRIES = 3
_SECONDS_A_DAY = 86_400


class Experience(Control):
    """Learns from accepted traces, by Algorithm 2."""

    settings: Settings

    @property
    def gamma(self) -> float:
        """The similarity of questions from which an edge is followed: the setting, else what was calibrated
        for this knowledge base, else what was measured for its embedder, else 0.8."""
        if self.settings.gamma is not None:
            return self.settings.gamma
        stored = self._catalog.get("gamma")
        if stored is not None:
            return float(stored)
        return next((gamma for name, gamma in _KNOWN_GAMMAS if name in self.embedder.id), DEFAULT_GAMMA)

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
        rights = {"learner": learner, "tenant": tenant, "labels": list(labels)}
        values = self._episode(trace, pairs.summary(trace), mode) | rights | {"batch": batch}
        for _ in range(_TRIES):
            with self._catalog.reading() as connection:
                if experience.knows(connection, trace.id):
                    return 0
                found = learn.gather(connection, trace)
            if found is None:
                return 0
            try:
                edges = learn.judged(found, trace, self._judge(trace) if judge is None else judge)
            except ChatError as error:
                _LOG.warning("trace %s teaches nothing yet, its judge failed: %s", trace.id, error)
                return 0
            if self._stored(trace, values, edges):
                self._follow()
                return len(edges)
        return 0

    def _episode(self, trace: Trace, summary: str, mode: Learning) -> dict[str, Any]:
        now, days = time.time(), self.settings.edge_days
        return {
            "trace_id": trace.id,
            "question": trace.question,
            "core": trace.core,
            "vector_hash": text_key(trace.core),
            "model": self.embedder.id,
            "summary": summary,
            "created_at": moment(datetime.fromtimestamp(now, UTC)),
            "expires_at_s": None if days is None else int(now + days * _SECONDS_A_DAY),
            "state": "pending" if mode == "record" else "active",
        }

    def _stored(self, trace: Trace, values: dict[str, Any], edges: list[tuple[EdgeEnd, EdgeEnd]]) -> bool:
        """One transaction: the episode is there with all its edges, or not at all. False when a document
        changed since its text was judged, or the trace was learnt by another meanwhile."""
        from knarr.experience import learn

        vector = np.asarray(self.embed_query(trace.core), dtype=np.float32)
        with self._catalog.writing() as connection:
            if experience.knows(connection, trace.id) or not learn.still_stand(connection, edges):
                return False
            vectors.put(connection, {values["vector_hash"]: vector}, self.embedder.id)
            experience.put(connection, values, edges)
            experience.log(connection, [trace.id])
        return True

    def _judge(self, trace: Trace) -> Judge:
        """By the chat model for runs that asked one, else by rule."""
        from knarr.checker import supports
        from knarr.experience.judge import ModelJudge, RuleJudge
        from knarr.models.chat import load_chat
        from knarr.models.rerank import load_reranker

        chat = load_chat(self.settings) if trace.usage.model.calls else None
        if chat is not None:
            return ModelJudge(chat)
        reranker = load_reranker(self.settings.embed_threads)
        return RuleJudge(
            trace.citations, lambda question, answer, text: supports(question, answer, text, reranker)
        )
