"""Sentences turned into the questions that people ask of them, by their form.

Each form reads one kind of sentence ("X means …", "X shall …", "We evaluate on …") and asks about what the
sentence tells, not in its own words. A sentence of no known form gives none: English only, and no parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knarr.experience.warm_up.form_words import (
    ARTICLES,
    DATE,
    IDLE_VERBS,
    LABEL,
    METHODS,
    NOT_SUBJECTS,
    NUMBER,
    PERSON,
    PLACED,
    PLAIN,
    SUBJECT,
    head_of,
    tail_of,
)
from knarr.language.words import STOP


@dataclass(frozen=True, slots=True)
class Form:
    """A question without its document. `alone`: whether it says enough to be asked without one."""

    kind: str
    text: str
    alone: bool = False


class QuestionWriter:
    """Makes questions of the sentences of one document; `small` are words that it also writes small, `we` is
    who speaks in it."""

    def __init__(self, small: frozenset[str], we: str = "they") -> None:
        self._small = small
        self._we = we

    def forms(self, sentence: str) -> Iterator[Form]:
        """Every question found for a sentence on one line, the most telling first."""
        for read in (
            self._defined, self._stands_for, self._labelled, self._authors, self._passive, self._counted,
            self._changed, self._duty, self._is_a, self._because,
        ):  # fmt: skip
            yield from read(sentence)

    # ------------------------------------------------------------------ definitions

    def _defined(self, sentence: str) -> Iterator[Form]:
        found = re.search(
            r"[\"“](?P<term>[A-Z0-9][^\"“”]{1,60})[\"”](?:,? as used [^,]{3,60},)?\s+(?:shall\s+)?(?:means?|mean|refers? to"
            r"|is defined as|has the meaning)\b",
            sentence,
        )
        if found is None:
            found = re.search(
                r"(?:^|[.;]\s+)(?:The term )?(?P<term>[A-Z][\w() /-]{2,50}?)\s+(?:means|shall mean|refers to|is defined as)\s",
                sentence,
            )
        if found and self._subject(found["term"]):
            term = found["term"].strip()
            yield Form("definition", f'What does "{term}" mean?')
            yield Form("definition", f'How is the term "{term}" defined?')

    def _stands_for(self, sentence: str) -> Iterator[Form]:
        for found in re.finditer(
            r"((?:[A-Z][\w-]+ (?:of |and |for |the )?){1,6})\(([A-Z][A-Za-z]*[A-Z]s?)\)", sentence
        ):
            letters = "".join(word[0] for word in found[1].split() if word[0].isupper())
            if (
                len(found[2]) > 1
                and (letters.endswith(found[2]) or letters[:1] == found[2][:1])
                and len(found[2]) <= 8
            ):
                yield Form("short", f"What does {found[2]} stand for?")

    def _is_a(self, sentence: str) -> Iterator[Form]:
        found = re.match(
            rf"{SUBJECT}(?: \([^)]*\))? (?P<be>is|was|are|were) (?P<what>(?:an?|the|one of)\s.*)", sentence
        )
        subject = self._subject(found["subject"]) if found else ""
        if found and subject:
            kind = re.split(r",|\s(?:by|of|in|from|that|which|who|for|with|on|at)\s", found["what"])[0]
            word = "Who" if PERSON.search(kind) and found["be"] in ("is", "was") else "What"
            yield Form("identity", f"{word} {found['be']} {subject}?", self._proper(found["subject"]))
        born = re.match(rf"{SUBJECT} \((?:.{{0,40}}?)born ", sentence)
        if born and self._subject(born["subject"]):
            yield Form("date", f"When was {born['subject']} born?", True)

    def _labelled(self, sentence: str) -> Iterator[Form]:
        found = re.match(r"(?:[-*•]\s*)?(?P<label>[A-Z][A-Za-z&/' -]{3,32}):\s+(?P<value>\S.{2,})", sentence)
        if found is None or not LABEL.fullmatch(found["label"].strip()):
            return
        label = " ".join(word if word.isupper() else word.lower() for word in found["label"].split())
        verb = "are" if label.endswith("s") and not label.endswith("ss") else "is"
        if re.search(r"\b(?:hours?|time|date|due|deadline)\b", label) and re.search(r"\d", found["value"]):
            yield Form("label", f"When {verb} the {label}?")
        elif re.search(r"\b(?:room|office|location|place|venue|address)\b", label):
            yield Form("label", f"Where {verb} the {label}?")
        yield Form("label", f"What {verb} the {label}?")

    # ------------------------------------------------------------------ who, when, where, how many

    def _passive(self, sentence: str) -> Iterator[Form]:
        found = re.match(
            rf"{SUBJECT} (?P<be>is|was|are|were) (?:\w+ly )?(?P<done>\w+(?:ed|en|wn|ld|lt|ght|ft|de|un|pt|ut|nt|et)|born|made|due)\b(?P<rest>.*)",
            sentence,
        )
        subject = self._subject(found["subject"]) if found else ""
        if found is None or not subject:
            return
        rest, alone = found["rest"], self._proper(found["subject"])
        head = f"{found['be']} {subject} {found['done']}"
        if re.match(rf".{{0,60}}?\b(?:on|in|by|since|until|from|before|at)\s+{DATE}", rest):
            yield Form("date", f"When {head}?", alone)
        by = re.match(r"(?P<mid>[^,.;]{0,30}?) by (?!\w+ing\b)(?:the |an? )?[A-Z]", rest)
        if by and found["done"].endswith("ed"):
            yield Form("agent", f"Who {found['done']} {subject}?", alone)
        elif by:
            yield Form("agent", f"By whom {head}?", alone)
        if re.match(r" (?:in|at|on|near|within|outside) (?:the )?[A-Z]", rest) and found["done"] in PLACED:
            yield Form("place", f"Where {head}?", alone)
        if re.match(r" (?:using|by \w+ing|through|based on|according to)\b", rest):
            yield Form("manner", f"How {head}?", alone)

    def _counted(self, sentence: str) -> Iterator[Form]:
        noun = r"(?P<noun>(?:[a-z][\w-]+ ){0,2}[a-z][\w-]+s)\b"
        found = re.match(
            rf"{SUBJECT} (?P<verb>has|have|had|contains?|includes?|requires?|receives?|covers?|uses?|comprises?|consists? of"
            rf"|employs?|operates?|owns?|lasts?) (?:\w+ ){{0,2}}?{NUMBER} {noun}",
            sentence,
        )
        subject = self._subject(found["subject"]) if found else ""
        if found and subject:
            verb = PLAIN.get(found["verb"], found["verb"])
            do = (
                "did"
                if found["verb"] == "had"
                else "does"
                if found["verb"].split()[0].endswith("s")
                else "do"
            )
            yield Form(
                "number", f"How many {found['noun']} {do} {subject} {verb}?", self._proper(found["subject"])
            )
        there = re.match(
            rf"There (?P<be>are|were|will be) (?:\w+ ){{0,2}}?{NUMBER} {noun}(?P<tail> (?:in|for|on|of) [^,.;]{{3,50}})?",
            sentence,
        )
        if there:
            be = "will there be" if there["be"] == "will be" else f"{there['be']} there"
            yield Form("number", f"How many {there['noun']} {be}{self._mine(there['tail'] or '')}?")
        share = re.match(
            rf"{SUBJECT} (?:is|are|was|were|accounts? for|accounted for|makes? up|counts? for) (?:\w+ )?[\d.]+ ?% of (?P<of>[^,.;]{{3,50}})",
            sentence,
        )
        if share and (subject := self._subject(share["subject"])):
            yield Form("number", f"What share of {self._mine(share['of'])} does {subject} make up?")

    def _changed(self, sentence: str) -> Iterator[Form]:
        found = re.match(
            rf"{SUBJECT} (?P<verb>increased|decreased|grew|rose|fell|declined|dropped|improved)\b(?P<rest>.*)",
            sentence,
        )
        subject = self._subject(found["subject"]) if found else ""
        if found is None or not subject:
            return
        verb = PLAIN[found["verb"]]
        if re.search(
            r"\b(?:due to|driven by|because|reflecting|as a result of|attributable to)\b", found["rest"]
        ):
            yield Form("reason", f"Why did {subject} {verb}?")
        if re.match(r"(?: \w+)? (?:by )?(?:approximately )?[$€£\d]", found["rest"]):
            yield Form("number", f"By how much did {subject} {verb}?")

    # ------------------------------------------------------------------ duties, methods, reasons

    def _duty(self, sentence: str) -> Iterator[Form]:
        found = re.match(
            rf"{SUBJECT} (?P<modal>shall|must|should|may|can|will|is required to|are required to|agrees to|is entitled to"
            r"|are expected to|need to|needs to)(?P<not> not| only)? (?P<verb>[a-z]+)\b(?P<rest>.*)",
            sentence,
        )
        if found is None:
            return
        raw = found["subject"].strip()
        subject = "I" if raw in ("You", "Students", "Each student") else self._subject(raw)
        if not subject or found["verb"] in IDLE_VERBS or len(raw.split()) > 8:
            return
        act = f"{found['verb']}{head_of(found['rest'])}"
        act = self._mine(act) if subject == "I" else act
        modal = found["modal"]
        if found["not"] == " not" or modal in ("may", "can", "is entitled to"):
            be = (
                "Am"
                if subject == "I"
                else "Are"
                if modal.startswith("are") or subject.endswith("s")
                else "Is"
            )
            yield Form("duty", f"{be} {subject} allowed to {act}?")
        else:
            must = {"should": "Should", "will": "Will"}.get(modal, "Must")
            yield Form("duty", f"{must} {subject} {act}?")
            if re.match(r" (?:an?|the|all|any|its|their|your|such)\b", found["rest"]):
                yield Form("duty", f"What {must.lower()} {subject} {found['verb']}?")
        if re.search(
            rf"\b(?:within|no later than|not later than|at least)\s+{NUMBER}\s+(?:\w+ )?(?:days?|hours?|weeks?|months?|years?)",
            found["rest"],
        ):
            yield Form("date", f"How soon must {subject} {act}?")
        if re.search(r"\b(?:if|unless|in the event|provided that|upon)\b", found["rest"]):
            yield Form(
                "condition",
                f"Under what conditions {modal.split()[0] if modal in ('may', 'can', 'must') else 'must'} {subject} {act}?",
            )

    def _authors(self, sentence: str) -> Iterator[Form]:
        found = re.match(
            rf"(?:In (?:this paper|this work|order to [^,]{{3,60}}|our experiments), )?[Ww]e (?:also |then |further |first )?"
            rf"(?P<verb>{'|'.join(METHODS)})\b(?P<rest>[^.;]*)",
            sentence,
        )
        if found is None:
            return
        verb, rest = found["verb"], found["rest"]
        verb = PLAIN.get(verb, verb.removesuffix("d") if verb.endswith("ed") else verb)
        tail = re.search(r" (?:for|on|in|to|against|with|from|between) (?:the |an? )?[^,;:()]{4,50}$", rest)
        if tail and tail_of(tail[0]):
            yield Form("method", f"What do {self._we} {verb}{tail_of(tail[0])}?")
        on = re.match(r" [^,;:()]{3,60}? (?P<prep>on|with|against|for|from) ", rest)
        if on:
            yield Form("method", f"What do {self._we} {verb} {on['prep']}?")

    def _because(self, sentence: str) -> Iterator[Form]:
        found = re.match(
            rf"{SUBJECT} (?P<be>is|are|was|were) (?P<what>[a-z][^,;:.]{{4,60}}?)(?<!primarily)(?<!mainly)(?<!partly),? (?:because|since|due to|in order to|so that)\b",
            sentence,
        )
        subject = self._subject(found["subject"]) if found else ""
        if found and subject:
            yield Form(
                "reason", f"Why {found['be']} {subject} {found['what']}?", self._proper(found["subject"])
            )

    # ------------------------------------------------------------------ parts of a sentence

    def _subject(self, raw: str) -> str:
        """A subject as it stands inside a question; "" for one that says nothing alone."""
        text = re.sub(r"\s*\([^)]*\)?", "", raw).strip(' -*•"“”')
        words = text.split()
        if (
            not words
            or words[0].lower() in NOT_SUBJECTS
            or words[-1].lower() == "following"
            or len(words) > 9
            or not re.search(r"[A-Za-z]{2}", text)
        ):
            return ""
        if re.search(r"\b(?:that|which|who|where|is|are|was|were|shall|must|and/or)\b", text) or text.count(
            "("
        ) != text.count(")"):
            return ""
        return self._small_first(text)

    def _small_first(self, text: str) -> str:
        """A beginning of a sentence, inside one: "The Company" as "the Company", "Students" as "students"."""
        first, _, rest = text.partition(" ")
        lower = first.lower()
        if first[1:2].isupper() or (rest[:1].isupper() and lower not in ARTICLES):
            return text
        return f"{lower} {rest}".strip() if lower in ARTICLES or lower in self._small else text

    def topic(self, heading: str) -> str:
        """A heading inside a sentence: in small letters, but for the words that the document never writes so."""
        if heading.isupper() and len(heading) > 5:
            heading = heading.title() if self._small else heading.lower()
        return " ".join(self._small_word(word) for word in heading.split())

    def _small_word(self, word: str) -> str:
        bare = word.strip('"“”(),.:;')
        lower = bare.lower()
        known = bool(re.fullmatch(r"[A-Z][a-z’'-]*", bare)) and (lower in self._small or lower in STOP)
        return word.replace(bare, lower) if known else word

    def _proper(self, raw: str) -> bool:
        """Whether a subject is a name, and so says enough alone: "the Company" and "students" do not."""
        words = [word for word in raw.split() if word.lower() not in STOP]
        return len(words) > 1 and all(word[:1].isupper() or word[:1].isdigit() for word in words)

    def _mine(self, text: str) -> str:
        return re.sub(r"\b(?:your|their)\b", "my", text)
