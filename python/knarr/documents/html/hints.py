"""What the names of an element (class, id, role) hint that it is.

Names are the habits of whoever wrote the page, so a hint is weak evidence: callers weigh it against how much text the
element holds. Words are compared whole, so that "address" is no "ad" and "thread" no "read". What a name says of the
text ("tag-travel", "has-sidebar", "post-with-comments") is no name of a part of the page.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

COMMENTS = "comments"
BYLINES = "bylines"
HARD = frozenset(("cookie notices", "share bars", "sign-up boxes", "pop-ups", "navigation"))
"""Kinds that are no text however much they hold, as long as the page has any other."""
_MOST_CHARS = 400
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z]{2})")
_WORDS = {
    "share bars": "share shares sharing sharebar sharer sharebox social socials socialmedia addthis sharedaddy sharethis "
    "addtoany a2a heateor teilen compartilhar compartir partage partager follow followus shareaholic",
    "related links": "related relatedposts recommended recommendation recommendations recommend outbrain taboola trending "
    "mostread mostpopular morefrom readmore readnext upnext nextup yarpp crp zergnet relacionadas relacionados relacionada similar "
    "promo promos linkback suggestions suggested recirc recirculation onward",
    "advertisements": "ad ads adv advert adverts advertisement advertisements advertising adsense adslot adbox adunit sponsor "
    "sponsored sponsors dfp gpt werbung anzeige anzeigen publicidad publicidade googlead banner banners affiliate",
    COMMENTS: "comment comments commentlist commentary respond disqus livefyre comentarios comentario kommentare kommentar "
    "commentaires commentaire trackback trackbacks pingback pings",
    "sidebars": "sidebar sidebars rail complementary",
    "navigation": "nav navi navbar navigation navigational menu menus submenu breadcrumb breadcrumbs crumb crumbs pagination pager "
    "paging pagenav skiplink toolbar dropdown prevnext postnav",
    "page header": "masthead topbar siteheader",
    "page footer": "footer colophon siteinfo copyright",
    "cookie notices": "cookie cookies consent gdpr onetrust ccpa optanon cookiebar cookiebanner",
    "sign-up boxes": "newsletter newsletters subscribe subscription subscriptions signup signin login mailchimp paywall optin donate",
    BYLINES: "byline bylines author authors authorbox bio credits dateline timestamp pubdate metadata meta postmeta tags "
    "taglist tagcloud categories keywords",
    "pop-ups": "modal popup overlay lightbox tooltip toast alertdialog",
}  # fmt: skip
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_SPLIT = re.compile(r"[^a-z0-9]+")
# Class names that say how the text is laid out or filed, or that it is a text.
_STATE = re.compile(
    r"(?<!\S)(?:(?:has|is|no|with|without|tag|tags|category|author|format|status|type|post|page|js|theme|wp|elementor|td|vc|et)-\S*"
    r"|\S*[_-](?:with|has|no|without)[_-]\S*)",
    re.IGNORECASE,
)
_BODY = re.compile(
    r"(?:article|entry|post|story|news|page|single|content|text|blog)[_-]{0,2}(?:body|content|text|copy)(?![a-z])|^body-?copy$"
    r"|bodytext|articletext|artikeltext|mw-parser-output|markdown-body|wysiwyg|prose$",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"caption|photo|gallery|slide|carousel|image|picture|media|credit|bild|foto", re.IGNORECASE
)
_NO_BODY = re.compile(r"wrap|header|footer|with|sidebar|comment|title", re.IGNORECASE)


def hint(node: LexborNode) -> str:
    """The kind of the element by its names, "" where they hint nothing."""
    attributes = node.attributes
    names = [attributes.get("class"), attributes.get("id"), attributes.get("role")]
    shown = " ".join(name for name in names if name)[:_MOST_CHARS]
    if not shown:
        return ""
    for word in _SPLIT.split(_CAMEL.sub(" ", _STATE.sub("", shown)).lower()):
        kind = _KINDS.get(word)
        if kind:
            return kind
    return ""


def names_body(node: LexborNode) -> bool:
    """Whether the element is named as the text of an article."""
    attributes = node.attributes
    if "articleBody" in (attributes.get("itemprop") or ""):
        return True
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"[:_MOST_CHARS]
    return any(_BODY.search(name) and not _NO_BODY.search(name) for name in names.split())


def names_caption(node: LexborNode) -> bool:
    """Whether the element is named as a picture or what is said about one."""
    attributes = node.attributes
    return bool(
        _CAPTION.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}"[:_MOST_CHARS])
    )
