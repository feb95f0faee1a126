"""The deterministic gates: what any "sufficient" must pass, whoever said it.

A gate is a check on text that has one answer, so no document and no model can talk its way through. A gate that
fails makes the verdict "insufficient" and cuts the score to a tenth, but no number of passed gates makes
evidence enough. Gates cost no model call.

answer        there is one, and it says that the evidence is there
citation      at least one citation holds in its source
dropped       no quote of the candidate was made up, joined or taken from elsewhere
judge_quotes  every quote the judge gives stands in the text it names, as shown
years, numbers, names   those of the question appear in what is cited, or in its titles
excluded      nothing that the question excludes is what the evidence is about
scopes        every citation is from a document that the question means, where it means some
steps         a question that describes what it means ("the writer of …", "whose …") and names no document asks
              for a step from one document to another: citations from one document alone have only taken the
              first
asked         the cited pieces have at least one of the words that say what is asked, and what "which" asks for stands
              somewhere in what was shown
focus         some citation is about what was asked, not about its counterpart (see `focus.py`), and the answer's numbers
              and names come from such a one
form          the citations have the name, time or number that is asked for
founded       the answer has no number that its evidence does not give, and not only words of its own
orders        some citation is from a text that gives no orders to a model; the others count for nothing here
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from knarr.checker.constraints import Need, described
from knarr.checker.evidence import Ground, numbers
from knarr.checker.focus import Contrast, contrast
from knarr.checker.form import affirms, lacking
from knarr.checker.founded import gives_orders, unfounded
from knarr.checker.types import Case
from knarr.language.citations import locate, too_short
from knarr.language.lexical import root
from knarr.language.question import constraints, content_words, focus_words
from knarr.language.question_type import question_type
from knarr.language.words import STOP, forms, proper_runs, stem, words
from knarr.types import ConstraintCheck, Gate
from knarr.uris import within, without_slash

Pair = tuple[Need, ConstraintCheck]
Quoted = tuple[str, str]


def gates(
    case: Case, stands: Sequence[Ground], checked: Sequence[Pair], quotes: Sequence[Quoted] = ()
) -> tuple[Gate, ...]:
    """All gates, in order. `checked` are the constraints with their evidence, `quotes` the judge's (URI,
    words)."""
    clean = [one for one in stands if not gives_orders(one)]
    return (
        _answer(case),
        Gate("citation", bool(stands), "" if stands else "no citation holds"),
        _dropped(case),
        _judge_quotes(case, quotes),
        _hard("years", checked, lambda need: need.want == "year"),
        _hard("numbers", checked, lambda need: need.want in ("number", "version")),
        _hard("names", checked, lambda need: need.kind == "entity"),
        _hard("excluded", checked, lambda need: need.want == "absence"),
        _scopes(case, stands),
        _steps(case, stands),
        _asked(case, stands),
        _focus(case, stands),
        _form(case, clean),
        _founded(case, stands),
        Gate("orders", bool(clean) or not stands, "" if clean else "the cited text gives orders to a model"),
    )


def failed(found: Sequence[Gate]) -> Gate | None:
    """The first gate that did not pass."""
    return next((gate for gate in found if not gate.passed), None)


# What a model says instead of an answer; at the beginning only, since a document may be quoted as saying so.
_ABSTAINS = re.compile(
    r"\W*(?:(?:i(?:'m| am)? (?:sorry|afraid|unable|not able|can(?:no|')t|could(?: no|n')t|do(?: no|n')t (?:know|have|see|find)))"
    r"|(?:sorry|unfortunately)\b|(?:there is|there's) (?:no|not enough|insufficient) (?:evidence|information)"
    r"|the (?:given |provided |available )?(?:evidence|documents?|passages?|context|text|pieces?|library) (?:shown )?"
    r"(?:do(?:es)?(?: no|n')t|did(?: no|n')t|is(?: no|n')t (?:enough|there)|are(?: no|n')t enough))",
    re.IGNORECASE,
)


def _answer(case: Case) -> Gate:
    if not case.found:
        return Gate("answer", False, "the candidate says that the evidence is not there")
    if not case.answer.strip():
        return Gate("answer", False, "the candidate is empty")
    abstains = _ABSTAINS.match(case.answer.replace("’", "'")) is not None
    return Gate("answer", not abstains, f"the candidate abstains: {case.answer[:80]}" if abstains else "")


def _dropped(case: Case) -> Gate:
    """A quote too short to be checked is only no evidence; any other fault is an invention."""
    bad = next((one for one in case.dropped if one.fault != "too_short"), None)
    return Gate(
        "dropped",
        bad is None,
        "" if bad is None else f"a quote of the answer is {bad.fault}: {bad.text[:80]}",
    )


def _judge_quotes(case: Case, quotes: Sequence[Quoted]) -> Gate:
    bad = next((one for one in quotes if not _located(case, *one)), None)
    return Gate("judge_quotes", bad is None, "" if bad is None else f"not in {bad[0]}: {bad[1][:80]}")


def stands_in(case: Case, uri: str, text: str) -> bool:
    """Whether a quote is evidence: it stands in what was shown of that object, and is long enough to tell."""
    return not too_short(text) and _located(case, uri, text)


def _located(case: Case, uri: str, text: str) -> bool:
    """Whether a text stands in what was shown of an object. The candidate's citations count as shown, since
    they were looked up in their source."""
    shown = [piece.text for piece in case.evidence if piece.uri == uri]
    shown += [cited.text for cited in case.citations if cited.uri == uri]
    return any(locate(text, one) is not None for one in shown)


def _hard(name: str, checked: Sequence[Pair], of: Callable[[Need], bool]) -> Gate:
    lacking = [check.text for need, check in checked if need.hard and of(need) and not check.met]
    word = "the evidence is about" if name == "excluded" else "not in the evidence:"
    return Gate(name, not lacking, f"{word} {', '.join(lacking)}" if lacking else "")


def _scopes(case: Case, stands: Sequence[Ground]) -> Gate:
    if not case.scopes:
        return Gate("scopes", True)
    astray = next(
        (one.uri for one in stands if not any(within(one.uri, scope) for scope in case.scopes)), None
    )
    return Gate(
        "scopes", astray is None, "" if astray is None else f"outside what the question means: {astray}"
    )


def _steps(case: Case, stands: Sequence[Ground]) -> Gate:
    words = "" if case.scopes else described(case.core)
    passed = not words or len({without_slash(one.document) for one in stands}) != 1
    return Gate("steps", passed, "" if passed else f"one document alone, for {words!r}")


def _asked(case: Case, stands: Sequence[Ground]) -> Gate:
    """The cited pieces have a word of the question, and all that was shown has what "which" or "what" asks for: where no
    text has "dental", none can say which dental insurance there is."""
    wanted = [root(stem(one.text)) for one in content_words(case.core)]
    named = [one.text for one in constraints(case.core) if one.kind in ("name", "identifier")]
    wanted += [root(word.whole) for text in named for word in words(text)]
    have = {root(form) for one in stands for form in forms(f"{one.place} {one.near}")}
    if wanted and not any(word in have for word in wanted):
        return Gate("asked", False, "the cited pieces have none of the words of the question")
    nowhere = [
        one for one in sorted(focus_words(case.core)) if _tells_apart(one) and root(stem(one)) not in have
    ]
    if nowhere:
        texts = (f"{' '.join(piece.source.section)} {piece.uri} {piece.text}" for piece in case.evidence)
        have |= {root(form) for text in texts for form in forms(text)}
        nowhere = [one for one in nowhere if root(stem(one)) not in have]
    return Gate("asked", not nowhere, f"nothing that was shown speaks of “{nowhere[0]}”" if nowhere else "")


# Nouns of asking that the evidence need not repeat: "which items", "what kind of information".
_VAGUE = frozenset(
    """aspect choice component detail element fact feature item kind matter option part place point purpose reason sort step
    subject thing topic type variety way information method approach material name date day time hour period month year amount
    number percentage price cost title person people group condition requirement change difference effect result role
    rule value action area benefit category challenge characteristic concept factor form goal idea issue level measure
    mode model order problem process property question resource size source standard state status strategy structure
    system task technique technology tool unit version word work""".split()  # noqa: SIM905 - one word per line would hide the list
)


def _tells_apart(word: str) -> bool:
    return len(word) > 3 and stem(word) not in _VAGUE and word not in STOP


def _focus(case: Case, stands: Sequence[Ground]) -> Gate:
    """A question for yes or no is answered by a counterpart, too, unless by "yes": "is chapter 14 covered" by "chapters 10
    to 13"."""
    if not stands or (question_type(case.core) == "yes_no" and not affirms(case.answer)):
        return Gate("focus", True)
    found = [(one, contrast(case.core, one)) for one in stands]
    first = next((against for _, against in found if against is not None), None)
    meant = [one for one, against in found if against is None]
    passed = first is None or (bool(meant) and _rests_on(case, meant, first))
    return Gate("focus", passed, "" if passed else str(first))


def _rests_on(case: Case, meant: Sequence[Ground], against: Contrast) -> bool:
    """Whether an answer comes from these citations, and not from those that are about something else: it takes a number
    or name from them, or, where it has none that the question has not, they have the word that was asked for."""
    cited = "\n".join(f"{one.quote} {one.place}" for one in meant)
    told = numbers(case.answer) - numbers(case.core)
    if told:
        return bool(told & numbers(cited))
    known = forms(cited)
    names = {word.whole for run in proper_runs(case.answer) for word in words(run)} - forms(case.core)
    return bool((names or forms(against.asked) - forms(against.instead)) & known)


def _form(case: Case, stands: Sequence[Ground]) -> Gate:
    missing = lacking(case.core, stands) if stands else ""
    return Gate("form", not missing, f"the evidence has not what was asked for: {missing}" if missing else "")


def _founded(case: Case, stands: Sequence[Ground]) -> Gate:
    invented = "" if case.by_rule or not stands else unfounded(case.question, case.answer, stands)
    return Gate("founded", not invented, f"not in the evidence: {invented}" if invented else "")
