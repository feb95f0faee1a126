"""Questions about versions, as the extractive policy answers them: History is asked once, and what it told is the answer.

Where nothing is called as the question says, or has no such versions, the question is one about what documents say, and
goes the way of all questions. Where passages of the past were found, the answer is quoted from these.
"""

from __future__ import annotations

from dataclasses import replace

from knarr.agent.tools.history import HISTORY, Told, history_call
from knarr.agent.values import Cite, Decision, Draft, Observation, View
from knarr.language.history_asked import asked_versions


def history_decision(view: View) -> Decision | None:
    """The next step of a question about versions; None where it is none, or History had nothing to tell."""
    asked = asked_versions(view.question)
    if asked is None:
        return None
    seen = _seen(view)
    if seen is None:
        return None if view.final else Decision(calls=(history_call(asked, view.scope),))
    told = seen.value
    if not isinstance(told, Told) or told.past:
        return None
    draft = Draft(told.text, found=told.found, cites=told.cites, by_rule=True, told=told.found)
    return Decision(draft=draft, text="told by History")


def past_shown(view: View) -> str:
    """What passages of the past that were shown are asked about, "" where none were: nothing of the present is looked for
    then."""
    seen = _seen(view)
    return seen.value.about if seen is not None and isinstance(seen.value, Told) and seen.value.past else ""


def by_number(draft: Draft, view: View) -> Draft:
    """The draft, with quotes of passages of the past as numbers of these: by its URI a quote is looked up in the
    newest version."""
    if not past_shown(view):
        return draft
    kept, cites = [], list(draft.cites)
    for quote in draft.quotes:
        piece = next((one for one in view.shown if one.uri == quote.uri and quote.text in one.text), None)
        if piece is None:
            kept.append(quote)
        else:
            cites.append(Cite(piece.number, quote.text))
    return replace(draft, quotes=tuple(kept), cites=tuple(cites))


def _seen(view: View) -> Observation | None:
    return next((seen for seen in view.observations if seen.tool == HISTORY.name), None)
