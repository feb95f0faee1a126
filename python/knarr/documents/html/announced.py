"""Words that announce what is no part of an article: more to read, comments, sharing, who wrote it, signing up.

They are habits of a few languages, so they are a weak sign: callers look at where they stand and at what follows.
"""

from __future__ import annotations

import re

_MOST_CHARS = 70

_MORE = (
    # English
    r"(?:you )?(?:may|might) (?:also )?(?:like|enjoy|be interested)|you(?:'|’)ll (?:also )?(?:like|love)",
    r"related(?: (?:articles?|posts?|stor(?:y|ies)|content|news|links|topics?|reading|coverage|videos?|items|pages|products|stories))?:?",
    r"(?:more|latest|recent|popular|trending|top|featured|other)(?: \w+)? (?:articles|posts|stories|news|headlines|videos)",
    r"more (?:from|on|about|in|by|like this)|read (?:more|next|also|the rest)|recommended|recommendations|up next|"
    r"(?:most|people also) (?:read|popular|viewed|shared|commented|ask)|trending(?: now)?|don(?:'|’)t miss|see more|what to read next|keep reading|"
    r"explore further|further reading on|editor(?:'|’)s picks|sponsored|promoted|around the web|from the web",
    # German
    r"mehr (?:zum thema|zu|von|aus|über|artikel|nachrichten|news|dazu)|das könnte (?:dich|sie|euch|ihnen|dir)|lesen sie (?:auch|mehr|weiter)|lies auch|"
    r"auch interessant|ähnliche (?:artikel|beiträge|themen|produkte)|verwandte (?:artikel|beiträge|themen|themenbereiche)|"
    r"weitere (?:artikel|beiträge|meldungen|themen|nachrichten|news|infos)|(?:die )?(?:neueste|letzte|aktuelle)n? (?:artikel|beiträge|meldungen|nachrichten)|"
    r"weiterlesen|meistgelesen|passend dazu|zum thema|die redaktion empfiehlt|empfehlungen|lust auf mehr|beliebte (?:artikel|beiträge)",
    # French, Spanish, Portuguese, Italian
    r"(?:à )?lire (?:aussi|également|plus)|à voir aussi|sur le même (?:sujet|thème)|articles? (?:liés|similaires|récents|associés)|voir aussi|"
    r"(?:te|le) puede interesar|(?:noticias|artículos|entradas|notas) (?:relacionad|reciente)[oa]?s|lee (?:también|más)|leer más|más (?:noticias|leídas|información)|"
    r"leia (?:também|mais)|veja (?:também|mais)|(?:notícias|artigos|posts|matérias) relacionad[oa]s|mais (?:notícias|lidas)|"
    r"leggi anche|(?:articoli|notizie) correlat[ei]|potrebbe(?:ro)? interessart[ei]|ti potrebbe",
    # others
    r"lees (?:ook|meer|verder)|gerelateerde|czytaj (?:też|także|więcej|również)|zobacz (?:też|także|również)|więcej na temat|powiązane|läs (?:också|mer)|les også|lue myös|"
    r"читайте также|похожие|по теме|смотрите также|関連(?:記事|ニュース|リンク)|あわせて読みたい|おすすめ|相关(?:阅读|文章|新闻|推荐)|延伸阅读|相關|관련 ?(?:기사|뉴스)|ilgili haberler|baca juga|اقرأ أيضا",
)  # fmt: skip
_TALK = (
    r"\d* ?(?:comments?|kommentare?|commentaires?|comentarios?|comentários?|commenti|reacties|responses?|replies)(?: \(\d+\))?:?|(?:leave|post|add|write) (?:a|your) (?:comment|reply)|"
    r"join the (?:conversation|discussion)|tell us what you think|what do you think|kommentieren|(?:einen )?kommentar (?:schreiben|hinterlassen|verfassen)|laisser un commentaire|"
    r"deja (?:un|tu) comentario|deixe (?:um|seu) comentário|lascia un commento|комментарии|コメント(?:を残す)?|评论",
)
_WHO = (
    r"about (?:the|this) (?:author|writer|reporter|contributor)s?|über (?:den|die) autor(?:in|en)?|à propos de l.auteur|sobre (?:el|o) autor|l.autore|latest posts by|posts by",
)
_SIGN = (
    r"(?:sign up|subscribe)(?: .{3,40})?|(?:our |the |daily |free )?newsletters?|newsletter abonnieren|follow us(?: on)?.{0,30}|folgen sie uns.{0,30}|share (?:this|on|via|the).{0,30}|"
    r"(?:artikel |beitrag |diesen \w+ )?teilen|partager.{0,20}|compart(?:ir|e|ilhar).{0,20}|tags?:?|schlagwörter:?|filed under:?.{0,20}|"
    r"get the app.{0,20}|support us",
)
_SECTION = re.compile(
    rf"[\W_]*(?:(?:{'|'.join((*_MORE, *_WHO))})(?!\w).{{0,30}}|(?:{'|'.join((*_TALK, *_SIGN))})\W{{0,5}})",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[\W_]*(?:adverts?|advertisements?|advertising|anzeigen?|werbung|publicidade?|publicité|pubblicità|iklan|reklama|реклама|annons|"
    r"read more|see more|learn more|mehr (?:lesen|anzeigen|erfahren)|weiterlesen|más información|lire la suite|leer más|"
    r"share|tweet|email|e-mail|print|drucken|teilen|close|schließen|caption|photo|loading|enlarge(?: image)?|bild anzeigen|"
    r"\d+ ?(?:of|/|von|de) ?\d+|comments?|reply|follow|save|this slideshow requires javascript|sponsored|promoted|"
    r"(?:back to|nach) (?:top|oben)|image copyright.{0,40})[\W_]*",
    re.IGNORECASE,
)
_CREDIT = re.compile(
    r"\W*(?:(?:photos?|fotos?|images?|imagen|bild(?:er)?|pictures?|crédits?(?: photos?)?|credits?|kuva|zdjęcie|copyright|courtesy of|quelle|"
    r"photo illustration|file photo|photograph)\b\s?(?:by|von|par|de|por|credit|copyright)?\s?[:/©|].{1,60}|©.{1,60}|.{1,40}/(?:getty|ap|afp|reuters|shutterstock)\b.{0,30})",
    re.IGNORECASE,
)  # fmt: skip
_LINE = re.compile(
    r"[^\w]*(?:related|more|read|see|also|watch|mehr|lesen|lire|voir|à lire|lee|leer|leia|veja|leggi|lees|czytaj|zobacz|siehe|baca|läs|"
    r"don.t miss|must read|recommended|next|up next|previous|читайте)\b.{0,24}",
    re.IGNORECASE,
)


def announces(text: str) -> bool:
    """Whether a heading or label announces what is no part of the article."""
    return len(text) <= _MOST_CHARS and _SECTION.fullmatch(text) is not None


def is_label(text: str) -> bool:
    """Whether a line by itself is a word of the page's machinery: "Advertisement", "1 of 6", "Share"."""
    return len(text) <= _MOST_CHARS and _LABEL.fullmatch(text) is not None


def is_credit(text: str) -> bool:
    """Whether a line says no more than whom a picture is from."""
    return len(text) <= _MOST_CHARS and _CREDIT.fullmatch(text) is not None


def leads_away(before: str) -> bool:
    """Whether words before a link say that it is something else to read."""
    return _LINE.fullmatch(before) is not None
