"""Equations keep their structure: as LaTeX, whichever format they come in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from knarr.documents.math import latex, mathml, omml
from knarr.documents.math.tree import DEEPEST, from_lxml
from outlines import parsed

_M = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def word(inside: str) -> str:
    return omml.equation(etree.fromstring(f'<oMath xmlns="{_M}" xmlns:m="{_M}">{inside}</oMath>'))


def web(inside: str, attributes: str = "") -> str:
    return mathml.equation(from_lxml(etree.fromstring(f"<math {attributes}>{inside}</math>")))


def run(text: str) -> str:
    return f"<r><t>{text}</t></r>"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f"<f><num>{run('a+b')}</num><den>{run('c')}</den></f>{run('⋅')}<sSup><e>{run('x')}</e><sup>{run('2')}</sup></sSup>",
         r"\frac{a+b}{c}⋅x^{2}"),
        (f'<f><fPr><type m:val="lin"/></fPr><num>{run("a+b")}</num><den>{run("c")}</den></f>', "(a+b)/c"),
        (f'<f><fPr><type m:val="noBar"/></fPr><num>{run("n")}</num><den>{run("k")}</den></f>',
         r"\genfrac{}{}{0pt}{}{n}{k}"),
        (f'<rad><radPr><degHide m:val="1"/></radPr><deg/><e>{run("x")}</e></rad>', r"\sqrt{x}"),
        (f"<rad><deg>{run('3')}</deg><e>{run('x')}</e></rad>", r"\sqrt[3]{x}"),
        (f"<sSup><e><f><num>{run('a')}</num><den>{run('b')}</den></f></e><sup>{run('2')}</sup></sSup>",
         r"{\frac{a}{b}}^{2}"),
        (f"<sPre><sub>{run('1')}</sub><sup>{run('2')}</sup><e>{run('H')}</e></sPre>", "{}_{1}^{2}H"),
        (f'<nary><naryPr><chr m:val="∑"/></naryPr><sub>{run("i=1")}</sub><sup>{run("n")}</sup><e>{run("i")}</e></nary>',
         "∑_{i=1}^{n} i"),
        (f'<d><dPr><begChr m:val="{{"/><endChr m:val=""/></dPr><e><eqArr><e>{run("x, x≥0")}</e><e>{run("−x, x&lt;0")}</e></eqArr></e></d>',
         r"\left\{ \begin{matrix} x, x≥0 \\ −x, x<0 \end{matrix} \right."),
        (f"<m><mr><e>{run('1')}</e><e>{run('0')}</e></mr><mr><e>{run('0')}</e><e>{run('1')}</e></mr></m>",
         r"\begin{matrix} 1 & 0 \\ 0 & 1 \end{matrix}"),
        (f"<func><fName>{run('sin')}</fName><e>{run('x')}</e></func>", r"\sin x"),
        (f'<acc><accPr><chr m:val="→"/></accPr><e>{run("v")}</e></acc>', r"\vec{v}"),
        (f'<bar><barPr><pos m:val="top"/></barPr><e>{run("x")}</e></bar>', r"\overline{x}"),
        (f"<func><fName><limLow><e>{run('lim')}</e><lim>{run('n→∞')}</lim></limLow></fName><e>{run('a')}</e></func>",
         r"\lim_{n→∞} a"),
        ("<r><rPr><nor/></rPr><t>if </t></r>" + run("100%"), r"\text{if}100\%"),
        (f"<unknown>{run('kept')}</unknown><box><e>{run('too')}</e></box>", "kepttoo"),
    ],
)  # fmt: skip
def test_word_equations(source: str, expected: str) -> None:
    assert word(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac><msup><mi>x</mi><mn>2</mn></msup>",
         r"\frac{a + b}{c}x^{2}"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot><msqrt><mi>y</mi><mn>1</mn></msqrt>", r"\sqrt[3]{x}\sqrt{y1}"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_{i}^{2}"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>", "∑_{i = 1}^{n}"),
        ("<munder><mo>lim</mo><mi>n</mi></munder>", r"\lim_{n}"),
        ("<mover><mi>v</mi><mo>→</mo></mover>", r"\vec{v}"),
        ('<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>', r"\genfrac{}{}{0pt}{}{n}{k}"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>", r"\begin{matrix} 1 & 2 \end{matrix}"),
        ("<mi>sin</mi><mo>\u2061</mo><mi>x</mi>", r"\sin x"),
        ("<mmultiscripts><mi>H</mi><none/><mo>+</mo><mprescripts/><mn>1</mn><mn>2</mn></mmultiscripts>", "{}_{1}^{2}H^{+}"),
        ('<semantics><mrow><mi>z</mi></mrow><annotation encoding="application/x-tex">{\\displaystyle \\zeta(2)}</annotation></semantics>',
         r"\zeta(2)"),
        ("<apply><plus/><ci>a</ci><cn>1</cn></apply>", "a1"),
        ("<mphantom><mi>q</mi></mphantom><mtext>for all </mtext>", r"\text{for all}"),
    ],
)  # fmt: skip
def test_web_equations(source: str, expected: str) -> None:
    assert web(source) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>so <math><mfrac><mi>a</mi><mi>b</mi></mfrac></math> holds", r"so $\frac{a}{b}$ holds"),
        ('<p>x<math display="block"><msup><mi>x</mi><mn>2</mn></msup></math>', "x$$x^{2}$$"),
        ("<h2>The <math><msub><mi>t</mi><mn>0</mn></msub></math> case</h2><p>x", "## The $t_{0}$ case\n\nx"),
        ('<p>a <span class="MathJax">a2</span><script type="math/tex">a^2</script> b', "a $a^2$ b"),
        ('<p>a <span><span class="katex-mathml"><math><msup><mi>a</mi><mn>2</mn></msup></math></span>'
         '<span class="katex-html" aria-hidden="true">a2</span></span> b', "a $a^{2}$ b"),
        ('<p>a <span><span class="katex-html">a2</span></span> b', "a a2 b"),
        (r'<p>a <span style="display:none"><math><mi>q</mi></math></span><img alt="{\displaystyle a^{2}}"> b',
         "a $a^{2}$ b"),
        ("<p>a <script>var x</script>b", "a b"),
    ],
)  # fmt: skip
def test_equations_of_pages(page: str, expected: str) -> None:
    assert parsed(page, "a.html").text == expected + "\n"


def test_only_structure_needs_marks() -> None:
    assert latex.inline("E=m") == "E=m"
    assert latex.inline("x^{2}") == "$x^{2}$"
    assert latex.display(r"\frac{a}{b}") == r"$$\frac{a}{b}$$"


def test_deeper_than_the_stack_keeps_its_text() -> None:
    deep = 2000
    source = "<mrow>" * deep + "<mi>x</mi>" + "</mrow>" * deep
    parser = etree.XMLParser(huge_tree=True)
    tree = from_lxml(etree.fromstring(f"<math>{source}</math>", parser))
    assert mathml.equation(tree) == "x"
    assert deep > DEEPEST


_texts = st.text("abc123+-=αβ≤", min_size=1, max_size=4)
_fractions = st.recursive(
    _texts.map(run),
    lambda inner: (
        st.builds(lambda a, b: f"<f><num>{a}</num><den>{b}</den></f>", inner, inner)
        | st.builds(lambda a, b: f"<sSup><e>{a}</e><sup>{b}</sup></sSup>", inner, inner)
        | st.builds(lambda a, b: a + b, inner, inner)
    ),
    max_leaves=20,
)


@given(_fractions)
def test_every_letter_stays_in_order_and_braces_close(source: str) -> None:
    written = word(source)
    letters = "".join(etree.fromstring(f"<o>{source}</o>").itertext())
    assert [char for char in written.replace(r"\frac", "") if char in "abc123+-=αβ≤"] == list(letters)
    assert written.count("{") == written.count("}")
