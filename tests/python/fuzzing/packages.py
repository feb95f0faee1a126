"""Seeds that are packages: (name, content) by the format's name in the registry."""

from __future__ import annotations

import datetime
import io

import openpyxl
from openpyxl.comments import Comment

from make_docx import docx, numbering, p, run, style, table
from make_zip import epub, odf, relations, zipped

_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="p" xmlns:r="r"'


def _docx() -> bytes:
    fields = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    merged = (
        '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
        + p("wide")
        + "</w:tc></w:tr><w:tr><w:tc><w:tcPr>"
    )
    merged += (
        '<w:vMerge w:val="restart"/></w:tcPr>' + p("a") + "</w:tc><w:tc>" + p("b") + "</w:tc></w:tr></w:tbl>"
    )
    math = '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>'
    body = (
        p("Handbook", style="Title") + p("Fares", style="H1") + p(run("Isle costs ") + run("22", bold=True) + '<w:r><w:footnoteReference w:id="2"/></w:r>')
        + p("one", list_=(1, 0)) + p("deep", list_=(1, 1)) + table([["Line", "Fare"], ["Isle", "22"]]) + merged + p("Rules", outline=0)
        + p(fields + run("7") + '<w:r><w:fldChar w:fldCharType="end"/></w:r>') + p(f"{math}{run('x')}") + p('<w:hyperlink r:id="rIdlink">' + run("here") + "</w:hyperlink>")
        + p('<w:commentRangeStart w:id="1"/>' + run("said") + '<w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r>')
        + p("<w:ins>" + run("new") + "</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>" + '<w:r><w:sym w:font="Symbol" w:char="F06D"/></w:r>')
        + p("<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>" + p("in a box") + "</w:txbxContent></wps:txbx></w:drawing></mc:Choice></mc:AlternateContent></w:r>")
    )  # fmt: skip
    return docx(
        body,
        styles=style("Title", "Title")
        + style("H0", "heading 1", outline=0)
        + style("H1", "mine", based_on="H0"),
        lists=numbering({1: [("decimal", "%1."), ("lowerLetter", "%1.%2)")]}),
        notes={"2": "See below."},
        links={"rIdlink": "http://example.org"},
        header="top",
        comments={"1": "Check"},
        properties="<dc:title>Handbook</dc:title><dc:creator>Ann</dc:creator>",
    )


def _pptx() -> bytes:
    def shape(text: str, kind: str, y: int) -> str:
        lines = "".join(
            f'<a:p><a:pPr lvl="{at}"/><a:r><a:t>{line}</a:t></a:r></a:p>'
            for at, line in enumerate(text.split("\n"))
        )
        return (
            f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x" descr="A duck"/><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm>'
            f'<a:off x="0" y="{y}"/><a:ext cx="9" cy="9"/></a:xfrm></p:spPr><p:txBody>{lines}</p:txBody></p:sp>'
        )

    cell = "<a:tc gridSpan='1'><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    rows = "".join(f"<a:tr>{''.join(map(cell.format, row))}</a:tr>" for row in ("AB", "12"))
    frame = f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    group = f"<p:grpSp><p:grpSpPr><a:xfrm><a:off x='0' y='9'/></a:xfrm></p:grpSpPr>{shape('inner', 'body', 5)}</p:grpSp>"
    tree = f"<p:cSld><p:spTree>{shape('Plan', 'title', 1)}{shape('a' + chr(10) + 'b', 'body', 9)}{group}{frame}</p:spTree></p:cSld>"
    return zipped(
        {
            "_rels/.rels": relations(a=("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f'<p:presentation {_A}><p:sldIdLst><p:sldId id="1" r:id="r1"/><p:sldId id="2" r:id="r2"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relations(r1=("slide", "s1.xml"), r2=("slide", "s2.xml")),
            "ppt/s1.xml": f"<p:sld {_A}>{tree}</p:sld>",
            "ppt/s2.xml": f'<p:sld {_A} show="0">{tree}</p:sld>',
            "ppt/_rels/s1.xml.rels": relations(
                n=("notesSlide", "n.xml"), l=("slideLayout", "l.xml"), c=("comments", "c.xml")
            ),
            "ppt/n.xml": f"<p:notes {_A}><p:cSld><p:spTree>{shape('say this', 'body', 0)}</p:spTree></p:cSld></p:notes>",
            "ppt/l.xml": f"<p:sldLayout {_A}><p:cSld><p:spTree>{shape('', 'body', 0)}</p:spTree></p:cSld></p:sldLayout>",
            "ppt/c.xml": f"<p:cmLst {_A}><p:cm authorId='0'><p:text>a remark</p:text></p:cm></p:cmLst>",
            "docProps/core.xml": '<core xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Plan</dc:title></core>',
        }
    )


def _xlsx() -> bytes:
    book = openpyxl.Workbook()
    first = book.active
    first.title = "Fares"
    for row in (
        ("Fares of 2026", None, None, None),
        ("Line", "Fare", "Share", "From"),
        ("Isle", 22, 0.5, datetime.date(2024, 3, 1)),
        ("Cape", True, "=A1", -7.25),
    ):
        first.append(row)
    first["C3"].number_format, first["B3"].number_format = "0%", '#,##0.00 "kr";[Red](0)'
    first.merge_cells("A1:D1")
    first["B3"].comment = Comment("Raised", "Ann")
    first["A3"].hyperlink = "http://example.org"
    first.row_dimensions[4].hidden = True
    book.create_sheet("Old").append(["x", "y"])
    book["Old"].sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


_TEXT = (
    "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>"
    '<text:h text:outline-level="1">Rules</text:h><text:p text:style-name="P1">Pay<text:s text:c="2"/>now<text:tab/><text:line-break/><text:note text:note-class="footnote">'
    "<text:note-citation>1</text:note-citation><text:note-body><text:p>Or later.</text:p></text:note-body></text:note></text:p><text:list><text:list-item><text:p>first</text:p>"
    '<text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item></text:list><text:h text:outline-level="2">More</text:h><table:table>'
    '<table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>a</text:p></table:table-cell><table:covered-table-cell/></table:table-row>'
    '</table:table-header-rows><table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>1</text:p></table:table-cell><table:table-cell><text:p>2</text:p>'
    '</table:table-cell></table:table-row></table:table><text:p><draw:frame svg:y="1cm"><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame><text:a xlink:href="x">here</text:a></text:p>'
)
_SHEET = (
    '<table:table table:name="Fares"><table:table-column table:number-columns-repeated="3"/><table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="string">'
    '<text:p>Line</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="22" table:number-columns-repeated="2"><text:p>22</text:p></table:table-cell>'
    "</table:table-row></table:table>"
)
_PAGE = (
    '<draw:page draw:name="p1"><draw:frame presentation:class="title" svg:y="0cm"><draw:text-box><text:p>Plan</text:p></draw:text-box></draw:frame><draw:frame presentation:class="outline" svg:y="2cm">'
    '<draw:text-box><text:list><text:list-item><text:p>high</text:p></text:list-item></text:list></draw:text-box></draw:frame><draw:g><draw:custom-shape svg:y="9cm"><text:p>low</text:p></draw:custom-shape></draw:g>'
    '<presentation:notes><draw:frame presentation:class="notes"><draw:text-box><text:p>said</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>'
)
_STYLES = '<style:style style:name="P1" style:parent-style-name="H" style:family="paragraph"><style:text-properties fo:font-weight="bold"/></style:style>'
_META = "<office:document-meta xmlns:office='o' xmlns:dc='http://purl.org/dc/elements/1.1/'><office:meta><dc:title>Rules</dc:title></office:meta></office:document-meta>"
_CHAPTERS = {
    "b.xhtml": '<a id="x"/><h1>Second</h1><p>two <sup>1</sup></p><aside epub:type="footnote">n</aside><table><tr><td>a<td>b<tr><td>1<td>2</table>',
    "a.xhtml": "<section><p>one</p><h2>Deep</h2><ol><li>x</li></ol><img alt='duck'/></section>",
}
_NAV = '<ol><li><a href="b.xhtml">Second</a><ol><li><a href="b.xhtml#x">Part</a></li></ol></li><li><a href="a.xhtml">First</a></li></ol>'

PACKAGES: dict[str, tuple[tuple[str, bytes], ...]] = {
    "docx": (("a.docx", _docx()),),
    "pptx": (("a.pptx", _pptx()),),
    "xlsx": (("a.xlsx", _xlsx()),),
    "xlsb": (("a.xlsb", zipped({"xl/workbook.bin": "x"})),),
    "odf": (
        ("a.odt", odf("text", _TEXT, _STYLES, {"meta.xml": _META})),
        ("a.ods", odf("spreadsheet", _SHEET)),
        ("a.odp", odf("presentation", _PAGE)),
    ),
    "epub": (("a.epub", epub(_CHAPTERS, _NAV, "<dc:title>Book</dc:title><dc:creator>Ann</dc:creator>")),),
}
