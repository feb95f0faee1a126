"""Seeds that are text: (name, content) by the format's name in the registry."""

from __future__ import annotations

import base64
import json

_PNG = base64.b64encode(bytes(range(256)) * 4).decode()
_HTML = """<!DOCTYPE html><html lang="en"><head><title>Fares - Ship lines</title><meta name="author" content="Ann"><style>p {a: b}</style>
<script type="application/ld+json">{"@type": "Article", "headline": "Fares", "author": {"name": "Ann"}}</script></head><body>
<nav><a href="/">Home</a> <a href="/x">More</a></nav><header><h1>Fares</h1></header><main><article><p>Isle costs <b>22</b>, Cape
<a href="c.html">9</a>; x<sup>2</sup> and H<sub>2</sub>O.<br>Next line.</p><h2 id="a">Rules</h2><ol start="3"><li>one<ul><li>inner</ul><li>two</ol>
<table><caption>Fares of 2026</caption><thead><tr><th rowspan="2">Line<th colspan="2">Fare<tr><th>adult<th>child</thead><tbody><tr><td>Isle<td>22<td>11
<tr><td>Cape<td>9<td>4</tbody></table><pre><code class="language-c">int a;
  int b;</code></pre><dl><dt>term<dd>what it means</dl><figure><img src="data:image/png;base64,iVBOR" alt="A ship"><figcaption>A ship</figcaption></figure>
<blockquote><p>said</p></blockquote><math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math><p hidden>no</p><details><summary>More</summary>deep</details>
<form><label>Name <input name="a" value="b"></label><select><option>x<option selected>y</select><button>Go</button></form>
<h3>Deep</h3><p>End of it. A longer sentence stands here, so that the page has a body of text that is no frame.</p></article></main>
<aside>beside</aside><footer>foot &copy; 2026</footer></body></html>"""
_MARKDOWN = f"""---
title: Fares
tags: [a, b]
date: 2026-12-01
nested: {{a: 1}}
---

# Fares

Isle costs **22**, [Cape](c.md "t") 9; see <https://example.org> and ![a ship](data:image/png;base64,{_PNG[:300]}).

Rules
-----

1. one
   - inner
2. two

| Line | Fare |
|:-----|-----:|
| Isle | 22 |
| Cape | `9|` |

```python
# no heading
```

<h2>In HTML</h2>

<table><tr><td>a</td></tr></table>

> quoted
> more

Note[^1] and $a^2$ and \\* star.

[^1]: The note.
[ref]: http://example.org 'x'
"""
_RST = """:Author: Ann

=====
Fares
=====

Isle costs **22**, `Cape <c.html>`_ 9, see :ref:`rules` and |sub| and ``code`` [1]_.

.. |sub| replace:: text
.. [1] A note.

Rules
=====

.. note:: careful

   more of it

.. code-block:: python

   x = 1

+------+------+
| Line | Fare |
+======+======+
| Isle | 22   |
+------+------+

====  ====
Line  Fare
====  ====
Isle  22
====  ====

.. list-table::
   :header-rows: 1

   * - a
     - b
   * - 1
     - 2

#. one
#. two

* item

  | line
  | block

.. comment

Deep
----

term
  what it means::

    literal
"""
_TEXT = """                     HANDBOOK

CONTENTS

1. FARES .......... 1
2. RULES .......... 2

1. FARES

1.1 Isle. The fare to Isle is 22, that to Cape is 9. It is paid be-
fore the ship sails.

    (a) one;
    (b) two.

2. RULES

Line      Fare
Isle      22
Cape      9

ARTICLE I
General

Section 1.01. Payment. It is paid at once.

CHAPTER TWO

“The end,” she said.
"""
_MAIL = b"""Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= from =?iso-8859-1?B?S/ZsbiA=?=
From: Ann <a@example.org>
To: "B, C" <b@example.org>, d@example.org
Date: Tue, 1 Dec 2026 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b1"

--b1
Content-Type: multipart/alternative; boundary=b2

--b2
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Hello =C3=A9
> quoted
--b2
Content-Type: text/html; charset=iso-8859-1

<p>Hello <b>there</b></p><table><tr><td>1<td>2</table>
--b2--
--b1
Content-Type: text/csv; name="fares.csv"
Content-Disposition: attachment; filename*=utf-8''f%C3%A4res.csv
Content-Transfer-Encoding: base64

TGluZSxGYXJlCklzbGUsMjIK
--b1
Content-Type: message/rfc822

Subject: inner

deep words
--b1--
"""
_ODF = (
    '<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text><text:h text:outline-level="1">A</text:h>'
    "<text:p>b<text:s text:c='3'/>c</text:p><text:list><text:list-item><text:p>one</text:p></text:list-item></text:list><table:table><table:table-row>"
    '<table:table-cell table:number-columns-repeated="2"><text:p>1</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document>'
)
_DOCBOOK = """<?xml version="1.0"?><!DOCTYPE book [<!ENTITY who "Ann">]><book xmlns:xlink="http://www.w3.org/1999/xlink"><info><title>Rules</title></info><chapter>
<title>Fares</title><para>By &who; &mdash; <emphasis>now</emphasis><footnote><para>aside</para></footnote></para><orderedlist><listitem><para>one</para></listitem>
</orderedlist><section><title>Deep</title><table><tgroup cols="2"><thead><row><entry>a</entry><entry namest="c1" nameend="c2">b</entry></row></thead><tbody><row>
<entry morerows="1">1</entry><entry>2</entry></row></tbody></tgroup></table><programlisting>x = 1</programlisting></section></chapter></book>"""
_JATS = """<article><front><article-meta><title-group><article-title>On Ducks</article-title></title-group><contrib-group><contrib><name><surname>A</surname></name></contrib>
</contrib-group><abstract><p>Short.</p></abstract></article-meta></front><body><sec><title>Methods</title><p>We <italic>count</italic> x<sup>2</sup>.<fn><p>aside</p></fn></p>
<table-wrap><caption><p>Ducks</p></caption><table><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></table></table-wrap><list><list-item><p>x</p></list-item></list>
<disp-formula><math><mi>a</mi></math></disp-formula></sec></body><back><ref-list><ref><mixed-citation>B</mixed-citation></ref></ref-list></back></article>"""
_FEED = '<rss version="2.0"><channel><title>News</title><item><title>One</title><description>&lt;p&gt;a &lt;b&gt;b&lt;/b&gt;&lt;/p&gt;</description><pubDate>x</pubDate></item></channel></rss>'
_CELLS = [
    {"cell_type": "markdown", "source": ["# Ducks\n", "\n", "words $a$\n"]},
    {"cell_type": "raw", "source": "raw"},
    {
        "cell_type": "code",
        "execution_count": 1,
        "source": "print(1)\n# no heading",
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["\x1b[31m1\x1b[0m\n"]},
            {"output_type": "display_data", "data": {"image/png": _PNG[:200], "text/plain": "<Figure>"}},
            {
                "output_type": "execute_result",
                "data": {"text/html": "<table><tr><td>1<td>2</table>", "text/plain": ["1 2"]},
            },
            {"output_type": "error", "ename": "E", "evalue": "bad", "traceback": ["\x1b[0mline"]},
        ],
    },
]
_NOTEBOOK = {
    "cells": _CELLS,
    "metadata": {"kernelspec": {"language": "python"}, "title": "Ducks"},
    "nbformat": 4,
    "nbformat_minor": 5,
}
_OLD_NOTEBOOK = {
    "worksheets": [
        {
            "cells": [
                {"cell_type": "heading", "level": 1, "source": "a"},
                {"cell_type": "code", "input": "b", "outputs": []},
            ]
        }
    ]
}
_RTF = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 x;}}{\colortbl;\red0;}"
    r"{\stylesheet{\s1\outlinelevel0 heading 1;}}{\*\listtable{\list{\listlevel\levelnfc0{\leveltext\'02\'00.;}}\listid1}}{\info{\title Fares}{\author Ann}}{\header page top}"
    r"\pard\s1 Rules\par\pard Caf\'e9 \u8364? {\f1 \'c4\'e0}{\f2 \'82\'a0}{\footnote see below}\line next\par{\field{\*\fldinst HYPERLINK x}{\fldrslt here}}\par"
    r"\trowd\cellx100\cellx200\intbl a\cell b\cell\row\trowd\intbl 1\cell 2\cell\row\pard{\v secret}{\deleted gone}\ls1\ilvl0 item\par{\pict\pngblip 8950}{\*\unknown x}end\tab x\par}"
)
_ASCIIDOC = """= Handbook
Ann <a@example.org>
:price: 22
:deep: {price}{price}

== Fares

Isle costs {price}, see link:x.html[the list] and <<rules,the rules>>.footnote:[aside] *bold* `code`

* one
** two
. first

term:: what

[source,python]
----
x = '== no title'
----

.Fares of 2026
[cols="1,2",options="header"]
|===
|Line |Fare

|Isle .2+|22
2+|wide
|===

[[rules]]
=== Rules

NOTE: careful

====
example
====

////
hidden
////
"""
_ORG = """#+TITLE: Handbook
#+AUTHOR: Ann
* TODO Fares :a:b:
:PROPERTIES:
:ID: 7
:END:
See [[x.html][the list]] and /this/ =code=[fn:1].
| Line | Fare |
|------+------|
| Isle | 22 |
#+begin_src c
* no heading
#+end_src
- one
  - two
1. first
#+begin_quote
said
#+end_quote
** Deep
words
# comment
[fn:1] aside
"""
_LATEX = r"""\documentclass{article}\title{On Fares}\author{Ann}\newcommand{\isle}{the Isle}\def\cape{Cape}\begin{document}\maketitle
\section{Rules}\label{a}% remark
To \isle{} costs $a+b$; caf\'e\footnote{see \textbf{below}}, \verb|x_y| --- \cite{b} \href{http://a}{here}.

\begin{equation}c = \frac{a}{b}\end{equation}\[ x \]
\begin{itemize}\item one\item[b] two\begin{enumerate}\item deep\end{enumerate}\end{itemize}
\begin{table}\caption{Fares}\begin{tabular}{ll}Line & Fare \\ \hline \multicolumn{2}{c}{Isle} \\ \multirow{2}{*}{a} & 22 \\\end{tabular}\end{table}
\subsection*{Deep}
\begin{verbatim}
\section{no}
\end{verbatim}
\begin{figure}\includegraphics{a.png}\caption{A ship}\end{figure}\begin{thebibliography}{9}\bibitem{b} Book\end{thebibliography}
\end{document} after"""
_VTT = """WEBVTT

NOTE a remark

1
00:00:01.000 --> 00:00:02.000 align:start
<v Ann>Hello &amp; <i>welcome</i>

00:02.500 --> 00:03.000
<v Ann>all
"""
_SRT = "1\n00:00:01,000 --> 00:00:02,000\n<i>One.</i>\n\n2\n00:02:30,000 --> 00:02:31,000\nTwo.\n"
_CSV = 'Line,Fare,"From, to"\nIsle,22,"a ""b"" c"\nCape,9,"two\nlines"\n\nMoor,7,\n'
_FB2 = """<FictionBook xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><book-title>Book</book-title><author><first-name>Ann</first-name></author></title-info></description>
<body><section><title><p>One</p></title><epigraph><p>said</p></epigraph><p>b<a l:href="#n1" type="note">1</a></p><poem><stanza><v>line</v></stanza></poem><section><title><p>Deep</p></title>
<p>c</p></section></section></body><body name="notes"><section id="n1"><p>aside</p></section></body><binary id="x" content-type="image/png">AAAA</binary></FictionBook>"""

_CALENDAR = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY:Harbour meeting\r\n"
    "DTSTART;TZID=Europe/Oslo:20240501T090000\r\nDTEND:20240501T100000Z\r\nLOCATION:Pier 4\\, hall\r\n"
    "DESCRIPTION:Bring the\r\n  charts.\\nAnd tea.\r\nRRULE:FREQ=WEEKLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
TEXTS: dict[str, tuple[tuple[str, str | bytes], ...]] = {
    "html": (("a.html", _HTML), ("a.xhtml", "<html xmlns='http://www.w3.org/1999/xhtml'><body><div/><h1>a</h1><p/>b<pre>\n1. A\n\ntext\n</pre></body></html>"),
             ("a.html", "<p><b>Item 1. Fares</b></p><p>Isle costs 22.</p><p><b>Item 2. Rules</b></p><p>Pay.</p><font size=5><b>Big</b></font><br>text")),
    "markdown": (("a.md", _MARKDOWN), ("a.mdx", "import A from 'a'\n\n# A\n\n<Tabs>\n<Tab title='x'>\n\n## B\n\n</Tab>\n</Tabs>\n"), ("a.md", "+++\ntitle = 'a'\n+++\n" + _RST)),
    "rst": (("a.rst", _RST),),
    "text": (("a.txt", _TEXT), ("a.txt", _MARKDOWN), ("a.txt", _RST), ("a.txt", "第一章 总则\n\n第一条 为了。\n\n第二条 本法。\n\n第二章 分则\n\n第三条 其他。\n"), ("a.txt", _TEXT.encode("utf-16"))),
    "image": (("a.png", b"\x89PNG\r\n\x1a\n" + bytes(64)),),
    "csv": (("a.csv", _CSV), ("a.tsv", _CSV.replace(",", "\t")), ("a.csv", _CSV.replace(",", ";").encode("cp1252"))),
    "flat odf": (("a.fodt", _ODF), ("a.fods", _ODF.replace("office:text", "office:spreadsheet"))),
    "fb2": (("a.fb2", _FB2),),
    "eml": (("a.eml", _MAIL),),
    "mbox": (("a.mbox", b"From a Tue Dec  1 10:00:00 2026\n" + _MAIL + b"\nFrom b Tue Dec  1 10:00:00 2026\nSubject: Two\n\n>From here\n"),),
    "json": (("a.json", '[{"line":"Isle","fare":22.50,"tags":["a","b"]},{"line":"Cape","fare":9}]'), ("a.json", '{"a":{"b":[1,2],"c":null,"long":"' + "word " * 40 + '"},"d":[[1,2],[3,4]]}')),
    "json lines": (("a.jsonl", '{"a":1,"b":2}\n{"a":3,"b":{"c":[4]}}\n'),),
    "notebook": (("a.ipynb", json.dumps(_NOTEBOOK)), ("a.ipynb", json.dumps(_OLD_NOTEBOOK))),
    "asciidoc": (("a.adoc", _ASCIIDOC),),
    "org": (("a.org", _ORG),),
    "latex": (("a.tex", _LATEX),),
    "subtitles": (("a.vtt", _VTT), ("a.srt", _SRT)),
    "xml": (("a.xml", _DOCBOOK), ("a.nxml", _JATS), ("a.rss", _FEED), ("a.xml", '<r><item id="7">Nut<b/>tail</item><item id="8">Bolt</item></r>'),
            ("a.dita", "<topic><title>A</title><body><section><title>B</title><ul><li>c</li></ul></section></body></topic>"), ("a.opml", "<opml><body><outline text='a'><outline text='b'/></outline></body></opml>")),
    "rtf": (("a.rtf", _RTF),),
    "calendar": (("a.ics", _CALENDAR),),
    "pgp": (("a.asc", "-----BEGIN PGP MESSAGE-----\n\nhQEMA0a1\n-----END PGP MESSAGE-----\n"),),
}  # fmt: skip
