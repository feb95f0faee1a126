"""What the words of a line say about whether it is a heading, whatever it looks like.

Headings are short and name what follows; sentences, captions, code, addresses, dates, references and the heads of
columns are set apart from the body as often as headings are, and are told by their words.
"""

from __future__ import annotations

import re

from knarr.documents.pdf.numbering import Number

MAX_CHARS, MAX_WORDS = 180, 24
_WORD = re.compile(r"[^\W\d_]{3,}|[\u0900-\u0fff\u3040-\u9fff\uac00-\ud7af]{2,}")
_SENTENCE = re.compile(
    r"[,;]$|[^\W\d_A-Z]{2}\.$|[.!?]\s+[A-Z][a-z]+\s+[a-z]|\b(?:and|or|the|of|to|in|with|a|by|for)$|[。，、；]$|다\.$"
)
# Chinese and Japanese count by letters, since no spaces tell words.
_EASTERN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_MOST_EASTERN, _MOST_NUMBERED, _MOST_IN_CLAUSES = 30, 50, 12
_MOST_STATED, _SMALL_WORD, _TITLE_CASE = 12, 3, 0.8
_CUT = re.compile(r"[,;]$|\b(?:and|or|the)$")
_LABELLED = re.compile(r":\s+\S")
_MARKED = re.compile(
    r"[•●▪■◦‣·○☐☒☑✓➢❖◆¨“*•–—-]|\(.*\)$|[\[{<=|]|.*[☐☒☑@]|.*https?:|.*www\.|.*\w\.(?:com|org|net|edu|gov)\b|arxiv:|.*\((?:continued|cont’d|cont'd)\)",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"(?:fig(?:ure|ura|\.)?|table|tab\.|tabelle|tabella|tabla|tableau|abb(?:ildung|\.)|chart|graph|plate|scheme|listing|algorithm|diagram|box|"
    r"рис(?:унок|\.)|таблица|табл\.|شكل|جدول)\s*(?:[A-Z]{0,2}[-.]?\d|[IVX]+\b)|[<\[【(]?\s?(?:图|圖|図|表|그림|표|도표)\s?[-\d]",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"(?:definition|theorem|lemma|proof|corollary|proposition|remark|example|claim|conjecture|bemerkung|beispiel|satz|beweis|korollar|"
    r"behauptung|définition|théorème|lemme|preuve|corollaire|remarque|exemple|definición|teorema|prueba|ejemplo|определение|теорема|лемма|"
    r"定义|定理|引理|命题|추론|정리)\s?\d*(?:\.\d+)*\s*(?:[.:(\[].*)?$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[;{}\\]$|[({]$|==|::|->|=>|\)\s*[;{]|^(?:end|return|if|for|while|else|begin|repeat|procedure|function|void|int|const|var|public|static|import|#include)\b[^A-Z]*$|^[a-z_]+\(|<[^>]*>|[⟨⟩]|\w_\w+_\w|^[$>]\s"
)
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|"
    "janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    "septiembre|octubre|noviembre|diciembre|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря"
)
_DATE = re.compile(
    rf"(?:\w+day,\s+)?(?:\d{{1,2}}(?:st|nd|rd|th|\.)?[\s-]*(?:de\s+)?)?(?:{_MONTHS})[\s.,-]*(?:\d{{1,2}},?)?[\s-]*(?:de\s+)?(?:\d{{4}})?\s?г?\.?|"
    r"\d{4}\s?[年년].*|[\d./\s-]+",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r".*,\s*[A-Z]{2}\s+\d{5}|\d{1,5}\s+(?:[A-Z\d][\w.]*\s+){1,4}(?:street|st\.|avenue|ave\.?|road|rd\.|drive|blvd|boulevard|lane|suite|way)\b|"
    r".*\(\d{3}\)\s?\d{3}-\d{4}|.*\b(?:tel|fax|phone|e-?mail|isbn|issn|doi)\b\s*[.:]",
    re.IGNORECASE,
)
_COLUMN_HEAD = re.compile(
    r"\(?(?:in|dollars|amounts|unaudited|\$ ?(?:in|and))\b.*\)?$|(?:for the |as of |as at )?(?:\w+ )?(?:fiscal )?(?:years?|months?|quarters?|weeks?|periods?)\b.*(?:ended|ending)|"
    rf"(?:as of |at )?(?:{_MONTHS})\s+\d|[\W\d]*$|total\b|.*\bpage$",
    re.IGNORECASE,
)
_AUTHORS = re.compile(
    r"[†‡∗§¶♠♣⋆⋄]|[^\W\d_]\d(?:,\d)*[,\s]|,.*,.*\band\b|\b(?:universit\w*|institut\w*|departe?ment|department|laborator\w+|college|school of|faculty|"
    r"gmbh|hochschule|академия|университет|институт)\b|大学|大學|研究所|대학교",
    re.IGNORECASE,
)
_KNOWN = re.compile(
    r"(?:abstract|summary|executive summary|introduction|background|related work|methods?|methodology|results|discussion|conclusions?|"
    r"concluding remarks|references|bibliography|acknowledge?ments?|appendix|appendices|contents|table of contents|glossary|index|preface|foreword|"
    r"zusammenfassung|einleitung|literatur(?:verzeichnis)?|inhaltsverzeichnis|inhalt|vorwort|anhang|danksagung|"
    r"résumé|introduction|bibliographie|références|remerciements|sommaire|table des matières|annexes?|"
    r"resumen|introducción|conclusiones|referencias|bibliografía|índice|agradecimientos|riassunto|introduzione|indice|bibliografia|"
    r"аннотация|введение|заключение|литература|список литературы|содержание|оглавление|"
    r"摘\s*要|前\s*言|引\s*言|绪\s*论|结\s*论|参考文献|參考文獻|目\s*[录錄次]|附\s*录|致\s*谢|はじめに|おわりに|謝辞|要旨|"
    r"초록|요약|서론|결론|참고\s?문헌|목\s*차|차\s*례|부록|머리말|المقدمة|الخاتمة|المراجع|الفهرس)[.:]?",
    re.IGNORECASE,
)  # fmt: skip
_CONTENTS = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|sommaire|table des matières|(?:tabla de )?contenidos?|índice(?: general)?|indice|sumário|"
    r"inhoud(?:sopgave)?|spis treści|obsah|innehåll|оглавление|содержание|зміст|目\s*[录錄次]|차\s*례|목\s*차|الفهرس|المحتويات|list of (?:figures|tables)",
    re.IGNORECASE,
)


def known(title: str) -> bool:
    """Whether it is a title that many documents have, as "References"."""
    return not title[:1].islower() and bool(_KNOWN.fullmatch(title))


def heads_contents(title: str) -> bool:
    """Whether it is the title of a table of contents."""
    return bool(_CONTENTS.fullmatch(title.strip(" :.")))


def is_caption(title: str) -> bool:
    """Whether it is a figure's or table's caption, or the label of a theorem and the like."""
    return bool(_CAPTION.match(title) or _STATEMENT.match(title))


def heads_columns(title: str) -> bool:
    """Whether it reads like the head of a column: a period, a unit, a total."""
    return bool(_COLUMN_HEAD.match(title))


def is_marked(text: str) -> bool:
    """Whether it begins with a mark of a list or is an address on the web, or something else that no title begins with."""
    return bool(_MARKED.match(text))


def may_begin(text: str) -> bool:
    """Whether a heading may begin with this line."""
    if len(text) > MAX_CHARS or len(text.split()) > MAX_WORDS or not _WORD.search(text) or text[0].islower():
        return False
    letters = sum(map(str.isalpha, text))
    if letters < 0.5 * len(text.replace(" ", "")) or _MARKED.match(text) or _CODE.search(text):
        return False
    return not (is_caption(text) or _DATE.fullmatch(text) or _ADDRESS.match(text))


def reads_like_one(title: str, number: Number | None, larger: bool, isolated: bool) -> bool:
    """Whether a whole title reads like a heading, not like a sentence or, unless it is larger than the body or has
    space around it, the label of a value."""
    words = len(title.split())
    if len(title) > MAX_CHARS or words > MAX_WORDS:
        return False
    if not title.isascii() and len(_EASTERN.findall(title)) > (
        _MOST_NUMBERED if number is not None else _MOST_IN_CLAUSES if "，" in title else _MOST_EASTERN
    ):
        return False
    if number is not None:
        sentence = (
            words > _MOST_STATED
            and title.endswith(".")
            and not (number.family == "name" and _in_title_case(title))
        )
        return not _CUT.search(title) and not sentence
    if _SENTENCE.search(title) or (words > 6 and title.endswith(":") and not larger):
        return False
    return larger or isolated or not _LABELLED.search(title)


def _in_title_case(title: str) -> bool:
    """Whether nearly all longer words begin with a capital, as in "Item 5. Market for Registrant's Common Equity"."""
    longer = [word for word in title.split() if len(word) > _SMALL_WORD and word[0].isalpha()]
    return sum(word[0].isupper() for word in longer) >= _TITLE_CASE * len(longer)


def reads_like_authors(text: str) -> bool:
    """Whether it reads like names with marks of footnotes, or where people work, as below the title of an article."""
    return bool(_AUTHORS.search(text))
