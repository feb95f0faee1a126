"""Pages without text are read by OCR, once, where the extra is installed; and what was read is said (ING-44)."""

from __future__ import annotations

import base64
import hashlib
import io
import sys
from collections.abc import Collection, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import knarr
from knarr.catalog import Catalog
from knarr.catalog.pages import ReadPages
from knarr.documents import parse
from knarr.documents.ocr import PageReader, reader
from knarr.documents.ocr.words import read_page
from knarr.documents.pdf import worker
from knarr.errors import DocumentError
from knarr.testing import HashEmbedder
from make_pdf import Page, garbled_pdf, pdf, prose

real = pytest.mark.skipif(find_spec("rapidocr") is None, reason="needs the extra ocr")
TEXT = ["The harbour was closed in winter.", "Nobody sailed before the ice had gone."]


class Scripted:
    """A recogniser that reads the same lines on every page, and counts what it is asked."""

    id = "scripted-1"

    def __init__(self, confidence: float = 0.94, pages: int = 1, fail_on: Collection[int] = ()) -> None:
        self.asked: list[tuple[int, int]] = []
        self.closed = 0
        self._confidence, self._pages, self._fail_on = confidence, pages, fail_on

    def picture(self, grey: bytes, width: int, height: int) -> dict[str, Any]:
        assert len(grey) == width * height
        self.asked.append((width, height))
        if len(self.asked) - 1 in self._fail_on:
            raise DocumentError("recognising this page takes more processor time than is allowed", "limit")
        return self._page(width, height)

    def file(self, data: bytes, skip: Collection[int]) -> Iterator[dict[str, Any]]:
        yield {"pages": self._pages}
        for page in range(self._pages):
            if page not in skip:
                self.asked.append((page, len(data)))
                yield {"page": page, "dots": 150.0, **self._page(1275, 1650)}

    def close(self) -> None:
        self.closed += 1

    def _page(self, width: int, height: int) -> dict[str, Any]:
        lines = [
            [text, self._confidence, [150, y, 1000, y, 1000, y + 30, 150, y + 30]]
            for text, y in zip(TEXT, (300, 340), strict=True)
        ]
        return {"width": width, "height": height, "turns": 0, "lines": lines}


class Kept:
    """A store in memory."""

    def __init__(self) -> None:
        self.pages: dict[tuple[str, int, str], str] = {}

    def get(self, file: str, page: int, engine: str) -> str | None:
        return self.pages.get((file, page, engine))

    def put(self, file: str, page: int, engine: str, words: str) -> None:
        self.pages[file, page, engine] = words


SCANNED = pdf([Page().lines(72, 700, prose(5)), Page().image(), Page().image()])


def test_only_pages_without_text_are_read_and_the_receipt_says_how_well() -> None:
    scripted = Scripted()
    document = parse(SCANNED, "x.pdf", ocr=PageReader(recogniser=scripted))
    document.check()
    assert len(scripted.asked) == 2 and document.status == "ok" and document.missing_pages == ()
    assert document.recognised == {2: pytest.approx(0.94), 3: pytest.approx(0.94)}
    assert "pages read by OCR, with its confidence: 2 (.94), 3 (.94)" in document.notes
    assert document.text.count("The harbour was closed in winter.") == 2
    assert "The ship carried cargo" in document.text


def test_words_have_places_on_the_page() -> None:
    read = read_page(Scripted()._page(1275, 1650), 72 / 150)
    first = read.words[0]
    assert first[0] == "The" and first[1] == 72.0
    assert 630 < first[3] < 650 and 9 < first[4] < 15
    assert [word[0] for word in read.words] == " ".join(TEXT).split()
    assert [word[1] for word in read.words[:6]] == sorted(word[1] for word in read.words[:6])


def test_a_page_that_lies_askew_is_set_straight() -> None:
    lines = [
        ["one two three", 0.9, [100, 100, 900, 140, 898, 170, 98, 130]],
        ["four five six", 0.9, [98, 150, 898, 190, 896, 220, 96, 180]],
    ]
    read = read_page({"width": 1000, "height": 1400, "lines": lines}, 0.5)
    assert len({word[3] for word in read.words}) == 2


def test_doubtful_lines_go_and_doubtful_pages_are_named() -> None:
    document = parse(SCANNED, "x.pdf", ocr=PageReader(recogniser=Scripted(0.7)))
    assert "pages that OCR read with low confidence: 2, 3" in document.notes
    document = parse(SCANNED, "x.pdf", ocr=PageReader(recogniser=Scripted(0.3)))
    assert document.missing_pages == (2, 3) and document.status == "partial"
    assert "OCR found no text on them" in document.notes


def test_garbled_pages_go_to_ocr() -> None:
    data = garbled_pdf([], " ".join(TEXT) + " What was paid for it is written down in the book of the owner.")
    document = parse(data, "x.pdf", ocr=PageReader(recogniser=Scripted()))
    assert document.status == "ok" and "Nobody sailed" in document.text
    assert not any("garbled" in note for note in document.notes)


def test_without_ocr_the_receipt_says_what_reads_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "installed", lambda: False)
    document = parse(SCANNED, "x.pdf")
    assert document.missing_pages == (2, 3)
    assert "pages without text: `pip install 'knarr[ocr]'` reads them" in document.notes
    with pytest.raises(DocumentError, match=r"knarr\[ocr\]") as caught:
        parse(pdf([Page().image()]), "x.pdf")
    assert caught.value.status == "no_text"


def test_no_page_is_read_twice_not_even_after_an_interruption() -> None:
    store = Kept()
    stopped = Scripted(fail_on=(1,))
    first = parse(SCANNED, "x.pdf", ocr=PageReader(store, stopped))
    assert first.missing_pages == (3,)
    assert any("OCR failed on some of them" in note for note in first.notes)
    again = Scripted()
    second = parse(SCANNED, "x.pdf", ocr=PageReader(store, again))
    assert second.missing_pages == () and len(again.asked) == 1
    third = Scripted()
    assert parse(SCANNED, "x.pdf", ocr=PageReader(store, third)).text == second.text
    assert third.asked == []


def test_ocr_that_always_fails_is_not_asked_about_every_page() -> None:
    failing = Scripted(fail_on=range(100))
    with pytest.raises(DocumentError, match="OCR failed: recognising this page takes more") as caught:
        parse(pdf([Page().image()] * 20), "x.pdf", ocr=PageReader(recogniser=failing))
    assert caught.value.status == "no_text" and len(failing.asked) == 3


def test_pages_that_are_drawn_are_bounded_however_large() -> None:
    huge = pdf([Page().image()]).replace(b"[0 0 612 792]", b"[0 0 14400 20]")
    [picture] = worker.draw(huge, [0])
    assert (picture["width"], picture["height"]) == (2000, 3)


def test_an_image_of_several_pages_is_a_document_of_as_many() -> None:
    store = Kept()
    document = parse(b"II*\0 not really", "scan.tiff", ocr=PageReader(store, Scripted(pages=3)))
    document.check()
    assert len(document.page_begins) == 3 and document.format == "image" and document.title == "scan"
    assert sorted(document.recognised) == [1, 2, 3]
    again = Scripted(pages=3)
    assert parse(b"II*\0 not really", "scan.tiff", ocr=PageReader(store, again)).text == document.text
    assert again.asked == []


def test_images_without_ocr_are_unsupported_in_one_line() -> None:
    for name in ("a.png", "a.jpg", "a.jpeg", "a.tif", "a.tiff", "a.webp", "a.bmp"):
        with pytest.raises(DocumentError, match="an image: ") as caught:
            parse(b"\x89PNG", name)
        assert caught.value.status == "unsupported" and len(str(caught.value)) < 60


def test_an_image_without_text_is_no_text() -> None:
    with pytest.raises(DocumentError) as caught:
        parse(b"\x89PNG", "a.png", ocr=PageReader(recogniser=Scripted(0.2)))
    assert caught.value.status == "no_text"


# --- in a knowledge base -------------------------------------------------------------------------


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> list[Scripted]:
    """Recognisers that readers made, in the order of making."""
    made: list[Scripted] = []

    def make(_version: str) -> Scripted:
        made.append(Scripted())
        return made[-1]

    monkeypatch.setattr(reader, "RapidRecogniser", make)
    monkeypatch.setattr("knarr.writing.ingest.installed", lambda: True)
    return made


def opened(tmp_path: Path, **settings: Any) -> knarr.KnowledgeBase:
    return knarr.open(tmp_path / "kb", embedder=HashEmbedder(), settings=knarr.Settings(**settings))


def test_a_base_reads_pages_once_and_tells_progress(tmp_path: Path, scripted: list[Scripted]) -> None:
    (tmp_path / "scan.pdf").write_bytes(SCANNED)
    shares: list[int] = []
    with opened(tmp_path) as kb:
        report = kb.add(tmp_path / "scan.pdf", progress=lambda done, total, name: shares.append(done))
        assert report.files[0].status == "ok"
        assert "pages read by OCR, with its confidence: 2 (.94), 3 (.94)" in report.files[0].notes
        assert shares == sorted(shares) and 0 < shares[len(shares) // 2] < len(SCANNED)
        assert kb.add(tmp_path / "scan.pdf").files[0].change == "unchanged"
    with opened(tmp_path, chunk_tokens=500) as kb:
        assert kb.add(tmp_path / "scan.pdf").files[0].change == "updated"
    assert sum(len(one.asked) for one in scripted) == 2
    assert all(one.closed for one in scripted)


def test_pages_wait_for_ocr_and_are_forgotten_with_their_document(
    tmp_path: Path, scripted: list[Scripted]
) -> None:
    (tmp_path / "scan.pdf").write_bytes(SCANNED)
    (tmp_path / "plain.pdf").write_bytes(pdf([Page().lines(72, 700, prose(5))]))
    sources = [tmp_path / "scan.pdf", tmp_path / "plain.pdf"]
    with opened(tmp_path, ocr=False) as kb:
        assert [file.status for file in kb.add(sources).files] == ["partial", "ok"]
    with opened(tmp_path) as kb:
        assert [file.change for file in kb.add(sources).files] == ["updated", "unchanged"]
        uri = kb.add(sources).files[0].uri
        kb.remove(uri)
    catalog = Catalog.open(tmp_path / "kb", create=False)
    digest = hashlib.sha256(SCANNED).hexdigest()
    assert ReadPages(catalog).get(digest, 1, Scripted.id) is None
    catalog.close()


# --- with the models -----------------------------------------------------------------------------


def rendered(lines: list[str]) -> bytes:
    """A picture of a page that has these lines, as PNG."""
    from PIL import Image

    [picture] = worker.draw(pdf([Page().lines(72, 700, lines, 12, 18)]), [0])
    size = (picture["width"], picture["height"])
    image = Image.frombytes("L", size, base64.b64decode(picture["grey"]))
    out = io.BytesIO()
    image.crop((0, 0, size[0], 500)).save(out, "PNG")
    return out.getvalue()


@real
@pytest.mark.skipif(sys.platform != "linux", reason="bounds are those of Linux")
def test_the_models_read_a_picture_and_refuse_what_is_none() -> None:
    from PIL import Image

    ocr = PageReader()
    try:
        document = parse(rendered(TEXT), "page.png", ocr=ocr)
        assert " ".join(TEXT) in " ".join(document.text.split())
        assert document.recognised[1] > 0.9
        image = Image.open(io.BytesIO(rendered(TEXT[:1])))
        pages = io.BytesIO()
        image.save(pages, "TIFF", save_all=True, append_images=[image.rotate(180)], dpi=(150, 150))
        document = parse(pages.getvalue(), "pages.tif", ocr=ocr)
        assert len(document.page_begins) == 2 and document.text.count(TEXT[0]) == 2
        with pytest.raises(DocumentError) as caught:
            parse(b"\x89PNG\r\n\x1a\n broken", "page.png", ocr=ocr)
        assert caught.value.status == "corrupt"
        bomb = io.BytesIO()
        Image.new("1", (20_000, 20_000)).save(bomb, "PNG")
        with pytest.raises(DocumentError, match="dots, at most") as caught:
            parse(bomb.getvalue(), "bomb.png", ocr=ocr)
        assert caught.value.status == "limit"
    finally:
        ocr.close()
