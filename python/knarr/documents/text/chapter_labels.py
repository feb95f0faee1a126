"""Labels of chapters and articles in many languages: a word for the part and its number, at the start of a line.

`Book Two`, `CHAPITRE PREMIER`, `Erstes Kapitel`, `Глава IV`, `第三章`, `제2조`, `المادة 5`, `פרק א`. A label says what kind of part it
begins (its rank: volumes hold parts, parts chapters, chapters articles), and whether that kind is everyday in contracts too,
where `clause_sequence` knows more. A sentence that begins with such words ("Chapter 3 describes") is no label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

VOLUME, PART, CHAPTER, SECTION, ARTICLE, POINT, INNER_POINT = range(7)

_WORDS = {
    VOLUME: "book volume vol. buch band livre tome libro tomo livro книга том boek tom księga kniha βιβλίο cilt kitap quyển",
    PART: "part teil partie parte часть частина deel część část titel título titolo titre act acte akt acto atto ato акт deel μέρος "
    "kısım phần bagian hauptteil",
    CHAPTER: "chapter kapitel chapitre capítulo capitulo capitolo глава hoofdstuk rozdział kapitola hlava bölüm canto stave scene "
    "scène szene escena scena сцена розділ κεφάλαιο chương bab kapittel luku fejezet capitolul letter",
    SECTION: "section abschnitt sección secção sezione раздел afdeling oddział oddíl mục bagian",
    ARTICLE: "article artikel artículo articulo artigo articolo статья стаття artykuł art. článek madde điều pasal άρθρο член cikk "
    "pykälä paragraf",
}  # fmt: skip
_RANKS = {word: rank for rank, words in _WORDS.items() for word in words.split()}
# Kinds that number contracts and reports in English as well.
SHARED = frozenset({"part", "section", "article", "art."})
_NUMERALS = frozenset(
    [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
        "thirty",
        "forty",
        "fifty",
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "last",
        "the",
        "premier",
        "première",
        "deuxième",
        "second",
        "seconde",
        "troisième",
        "quatrième",
        "cinquième",
        "sixième",
        "septième",
        "huitième",
        "neuvième",
        "dixième",
        "onzième",
        "douzième",
        "unique",
        "primero",
        "primera",
        "segundo",
        "segunda",
        "tercero",
        "tercera",
        "cuarto",
        "cuarta",
        "quinto",
        "quinta",
        "sexto",
        "séptimo",
        "octavo",
        "noveno",
        "décimo",
        "único",
        "preliminar",
        "uno",
        "dos",
        "tres",
        "primo",
        "prima",
        "secondo",
        "seconda",
        "terzo",
        "terza",
        "quarto",
        "quarta",
        "sesto",
        "settimo",
        "ottavo",
        "nono",
        "decimo",
        "primeiro",
        "primeira",
        "terceiro",
        "sétimo",
        "oitavo",
        "первый",
        "первая",
        "второй",
        "вторая",
        "третий",
        "третья",
        "четвертый",
        "четвёртый",
        "четвертая",
        "четвёртая",
        "пятый",
        "пятая",
        "шестой",
        "шестая",
        "седьмой",
        "седьмая",
        "восьмой",
        "восьмая",
        "девятый",
        "девятая",
        "десятый",
        "десятая",
        "перша",
        "друга",
        "третя",
        "четверта",
        "eins",
        "zwei",
        "drei",
        "vier",
        "fünf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwölf",
        "pierwszy",
        "drugi",
        "trzeci",
        "czwarty",
        "piąty",
        "první",
        "druhá",
        "třetí",
        "eerste",
        "tweede",
        "derde",
        "birinci",
        "ikinci",
        "üçüncü",
    ]
)
_ORDINAL = re.compile(
    r"(?:erst|zweit|dritt|viert|fünft|sechst|sieb(?:en)?t|acht|neunt|zehnt|elft|zwölft|dreizehnt|vierzehnt|fünfzehnt)(?:e[srn]?)"
    r"|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|birinci|ikinci|üçüncü)",
    re.IGNORECASE,
)
_AFTER_WORD = re.compile(
    r"(?P<word>[^\W\d_]{2,10}\.?)[ \t]{1,3}(?P<number>\d{1,4}(?:[.-]\d{1,3}){0,2}[a-zA-Z]?(?![\w,/])|[IVXLCDM]{1,9}(?!\w)|[A-Z](?!\w)|[^\W\d_]{2,14}(?:[ -][^\W\d_]{2,10})?)"
)
_BEFORE_WORD = re.compile(r"(?P<number>[^\W\d_]{4,14}|\d{1,3}\.)[ \t]{1,3}(?P<word>[^\W\d_]{3,10})")
_SIGN = re.compile(r"§[ \t]{0,3}(?P<number>\d{1,4}[a-z]?)(?!\w)")
_HAN = "〇零一二三四五六七八九十百千两0-9"
_CJK = re.compile(
    rf"第[ \t]?[{_HAN}]{{1,7}}[ \t]?(?P<word>[编編部卷篇章回话話讲講课課节節条條])(?:之[{_HAN}]{{1,3}})?"
)
_KOREAN = re.compile(r"제[ \t]?\d{1,4}[ \t]?(?P<word>[편부장절관조])(?:의[ \t]?\d{1,2})?")
_POINT = re.compile(r"[一二三四五六七八九十]{1,3}、|[(（][一二三四五六七八九十]{1,3}[)）]")
_CJK_RANKS = {
    **dict.fromkeys("编編部卷篇편부", VOLUME), **dict.fromkeys("章回话話讲講课課장", CHAPTER),
    **dict.fromkeys("节節절관", SECTION), **dict.fromkeys("条條조", ARTICLE),
}  # fmt: skip
_OTHERS = re.compile(
    r"(?P<word>الكتاب|الجزء|الباب|الفصل|القسم|المبحث|المادة|البند|כרך|חלק|פרק|סימן|סעיף|ภาค|บทที่|หมวด|ส่วนที่|มาตรา|अध्याय|भाग|धारा)[ \t]{0,3}"
    r"(?P<number>[(]?\d{1,4}[)]?(?!\w)|(?:ال[\u0621-\u064a]{2,8})(?:[ \t]عشر)?|[א-ת]['״\"׳]?[א-ת]?['׳]?(?!\w))"
)
_OTHER_RANKS = {
    **dict.fromkeys(("الكتاب", "الجزء", "כרך", "ภาค"), VOLUME), **dict.fromkeys(("الباب", "חלק", "भाग"), PART),
    **dict.fromkeys(("الفصل", "פרק", "บทที่", "หมวด", "अध्याय"), CHAPTER),
    **dict.fromkeys(("القسم", "المبحث", "סימן", "ส่วนที่"), SECTION), **dict.fromkeys(("المادة", "البند", "סעיף", "มาตรา", "धारा"), ARTICLE),
}  # fmt: skip
_MOST_CHARS = 110
_MOST_POINT_CHARS = 40
_MOST_REST = 60
_SHORT_REST = 30
_SENTENCE = "。；，、;,"


@dataclass(frozen=True, slots=True)
class Label:
    """A label on a line: which part it begins, by its rank and the word for it; `title` is what stands on the line,
    shortened where the text begins there (`runs_on`); `alone` says that a title may stand below."""

    rank: int
    word: str
    title: str
    alone: bool
    runs_on: bool = False


def label(line: str) -> Label | None:
    """The label that a line begins with, None for another line."""
    bare = line.strip(" \t\u3000*_=").replace("\u3000", " ")
    if not bare or len(bare) < 2:
        return None
    if match := _CJK.match(bare) or _KOREAN.match(bare):
        return _unspaced(bare, match, _CJK_RANKS[match["word"]])
    if match := _POINT.match(bare):
        short = len(bare) <= _MOST_POINT_CHARS and bare[-1] not in _SENTENCE and len(bare) > match.end()
        rank = POINT if bare[0] not in "(（" else INNER_POINT
        return Label(rank, match[0][-1], bare, False) if short else None
    if match := _OTHERS.match(bare):
        rest = bare[match.end() :].strip(" :.-–—")
        rank = _OTHER_RANKS[match["word"]]
        return Label(rank, match["word"], bare, not rest) if len(bare) <= _MOST_CHARS else None
    return _spaced(bare)


def _unspaced(bare: str, match: re.Match[str], rank: int) -> Label | None:
    """Of Chinese, Japanese and Korean. An article's text may stand behind its label."""
    rest = bare[match.end() :]
    gap = not rest or rest[0] in " :：(（【.、　"
    if rank != ARTICLE:
        fits = len(bare) <= _MOST_REST and bare[-1] not in _SENTENCE and (gap or len(rest) <= 20)
        return Label(rank, match["word"], bare, False) if fits else None
    if not gap:
        return None
    named = re.match(r" ?[(（【][^()（）【】]{1,40}[)）】]", rest)
    whole = len(rest) <= _SHORT_REST and rest[-1:] not in _SENTENCE
    shown = named[0] if named else rest if whole else f"{rest[:16].rstrip(_SENTENCE)}…"
    return Label(rank, match["word"], match[0] + shown, False, not whole)


def _spaced(bare: str) -> Label | None:
    """Of scripts with spaces: the word before or behind its number."""
    if match := _SIGN.match(bare):
        word, rank = "§", ARTICLE
    elif (match := _AFTER_WORD.match(bare)) and (found := _RANKS.get(match["word"].lower())) is not None:
        word, rank = match["word"].lower(), found
        number = match["number"]
        if number[0].isalpha() and not _is_numeral(number):
            first = number.split()[0].split("-")[0]
            if not _is_numeral(first):
                return None
            match = re.compile(rf".{{{match.start('number')}}}{re.escape(first)}").match(bare) or match
    elif (match := _BEFORE_WORD.match(bare)) and (found := _RANKS.get(match["word"].lower())) is not None:
        if not (match["number"][0].isdigit() or _ORDINAL.fullmatch(match["number"])):
            return None
        word, rank = match["word"].lower(), found
    else:
        return None
    rest = bare[match.end() :]
    if len(bare) > _MOST_CHARS or (rest and (rest[0].isalnum() or rest[0] in ",/)")):
        return None
    text = rest.strip(" \t.:;–—-")
    # "Chapter 3 describes": a sentence goes on in small letters, or ends in a full stop.
    if text and (text[0].islower() or (text[-1:] in ".,;" or rest.rstrip()[-1:] in ",;")):
        return None
    if not bare[0].isupper() and not bare[0].isdigit() and bare[0] != "§":
        return None
    return Label(rank, word, re.sub(r"[ \t]+", " ", bare).rstrip(" .:–—-"), not text)


def _is_numeral(text: str) -> bool:
    words = re.split(r"[ -]", text.lower())
    return (
        all(word in _NUMERALS for word in words)
        or (text.isupper() and set(text) <= set("IVXLCDM"))
        or len(text) == 1
    )
