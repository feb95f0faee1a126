"""Archives and addresses: their files become documents, and nothing else happens."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import knarr
from knarr.writing.archive import Archive, ArchiveError
from knarr.writing.fetch import FetchError, fetch, is_public
from make_zip import zipped


def lines(report: knarr.AddReport) -> dict[str, str]:
    return {file.path: file.status for file in report.files}


def test_members_are_documents_in_a_folder_named_as_the_archive(
    kb: knarr.KnowledgeBase, tmp_path: Path
) -> None:
    data = zipped({"fares.md": "# Fares\n\nIsle 22\n", "deep/list.csv": "a,b\n1,2\n", "x.bin": b"\0\1\2"})
    (tmp_path / "pack.zip").write_bytes(data)
    report = kb.add(tmp_path / "pack.zip", into="viking://docs")
    assert lines(report) == {
        "pack.zip/fares.md": "ok",
        "pack.zip/deep/list.csv": "ok",
        "pack.zip/x.bin": "unsupported",
    }
    assert report.files[0].uri == "viking://docs/pack.zip/fares"
    assert kb.add(tmp_path / "pack.zip", into="viking://docs").count("unchanged") == 2
    # The folder that the archive lies in brings the same files.
    assert kb.add(tmp_path, into="viking://docs").count("unchanged") == 2


def test_a_tar_is_an_archive_too(kb: knarr.KnowledgeBase, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "pack.tar.gz", "w:gz") as file:
        for name, data in (("a.md", b"# A\n\nwords\n"), ("../out.md", b"# B\n\nwords\n")):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(link)
    report = kb.add(tmp_path / "pack.tar.gz")
    assert [file.status for file in report.files] == ["ok", "unreadable", "skipped"]


def test_paths_that_lead_out_links_duplicates_and_archives_are_refused() -> None:
    out = io.BytesIO()
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(out, "w") as file:
        for name in ("../up.md", "/abs.md", "C:\\x.md", "a.md", "a.md", "in.zip", ".hidden", "__MACOSX/a.md"):
            file.writestr(name, "words")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(link, "/etc/passwd")
    members = Archive(out.getvalue(), 1 << 20).members()
    assert [member.status for member in members] == [
        "unreadable", "unreadable", "unreadable", "", "unreadable", "skipped", "skipped", "skipped", "skipped",
    ]  # fmt: skip
    assert all(".." not in member.folders for member in members)


def test_a_name_that_two_members_have_gives_the_first_one() -> None:
    out = io.BytesIO()
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(out, "w") as file:
        file.writestr("a.md", "first")
        file.writestr("a.md", "second")
    archive = Archive(out.getvalue(), 1 << 20)
    assert archive.read(archive.members()[0]) == b"first"


@pytest.mark.parametrize(
    ("name", "codec"),
    [("Übersicht.md", "cp437"), ("Größe.md", "utf-8"), ("日本語の表.md", "cp932"), ("日本.md", "cp932")],
)
def test_names_are_read_in_the_encoding_that_they_are_in(name: str, codec: str) -> None:
    raw = name.encode(codec)
    data = zipped({"X" * len(raw): "words"}).replace(b"X" * len(raw), raw)
    assert [member.name for member in Archive(data, 1 << 20).members()] == [name]


def test_a_member_that_changes_or_goes_is_one_line(kb: knarr.KnowledgeBase, tmp_path: Path) -> None:
    pack = tmp_path / "pack.zip"
    pack.write_bytes(zipped({"a.md": "# A\n\none\n", "b.md": "# B\n\ntwo\n"}))
    kb.add(tmp_path)
    pack.write_bytes(zipped({"a.md": "# A\n\nthree\n"}))
    report = kb.add(tmp_path)
    assert lines(report)["pack.zip/a.md"] == "ok" and report.files[0].change == "updated"
    assert [gone.uri for gone in report.gone] == ["viking://pack.zip/b"]
    # The archive by itself says the same.
    assert [gone.uri for gone in kb.add(pack).gone] == ["viking://pack.zip/b"]


def test_a_bomb_costs_a_line_and_a_lying_size_is_damage() -> None:
    data = zipped({"a.txt": "x", "b.txt": b"\0" * (3 << 20)})
    archive = Archive(data, 1 << 20)
    assert [member.status for member in archive.members()] == ["", "limit"]
    lying = data.replace((3 << 20).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    archive = Archive(lying, 1 << 20)
    with pytest.raises(ArchiveError):
        archive.read(archive.members()[1])


def test_what_is_no_archive_is_a_line_of_the_receipt(kb: knarr.KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 but no more")
    (tmp_path / "b.md").write_text("# B\n\nwords\n")
    found = lines(kb.add(tmp_path))
    assert (found["a.zip"], found["b.md"]) == ("unreadable", "ok")


_PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/fares": (
        200,
        {"Content-Type": "text/html; charset=utf-8"},
        b"<h1>Fares</h1><p>Isle costs 22 today.</p>",
    ),
    "/table?x=1": (200, {"Content-Disposition": 'attachment; filename="../t.csv"'}, b"a,b\n1,2\n"),
    "/there": (302, {"Location": "/fares"}, b""),
    "/circle": (302, {"Location": "/circle"}, b""),
    "/file": (302, {"Location": "file:///etc/passwd"}, b""),
    "/large": (200, {}, b"x" * 5000),
    "/gone": (404, {}, b"no"),
    "/broken": (500, {}, b"no"),
    "/packed": (
        200,
        {"Content-Type": "text/plain", "Content-Encoding": "gzip"},
        gzip.compress(b"packed words are read here"),
    ),
    "/bomb": (
        200,
        {"Content-Type": "text/plain", "Content-Encoding": "gzip"},
        gzip.compress(b"a" * (1 << 22)),
    ),
    "/brotli": (200, {"Content-Type": "text/plain", "Content-Encoding": "br"}, b"\x0b\x02\x80words\x03"),
    "/wrong.html": (200, {"Content-Type": "application/pdf"}, b"<h1>Wrong</h1><p>type of content</p>"),
    "/binary": (200, {"Content-Type": "application/octet-stream"}, b"\0\1\2"),
}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, body = _PAGES.get(self.path, (404, {}, b""))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_address_becomes_a_document_and_an_update(kb: knarr.KnowledgeBase, site: str) -> None:
    report = kb.add(f"{site}/there")
    assert report.files[0].uri == "viking://fares" and report.ok
    assert kb.add(f"{site}/there").count("unchanged") == 1
    assert fetch(f"{site}/table?x=1", 1000).name == "t.csv"


def test_what_an_address_does_not_give_is_a_line_of_the_receipt(kb: knarr.KnowledgeBase, site: str) -> None:
    for path, status in (
        ("/circle", "unreadable"),
        ("/file", "unreadable"),
        ("/gone", "unreadable"),
        ("/none", "unreadable"),
        ("/broken", "unreadable"),
        ("/brotli", "unreadable"),
        ("/binary", "unsupported"),
    ):
        assert [file.status for file in kb.add(site + path).files] == [status]
    with pytest.raises(FetchError, match="bytes") as error:
        fetch(f"{site}/large", 1000)
    assert error.value.status == "limit"


def test_what_comes_packed_is_unpacked_within_bounds(site: str) -> None:
    assert fetch(f"{site}/packed", 1000).data == b"packed words are read here"
    with pytest.raises(FetchError) as error:
        fetch(f"{site}/bomb", 1 << 20)
    assert error.value.status == "limit"


def test_passwords_in_an_address_are_kept_nowhere(kb: knarr.KnowledgeBase, site: str, tmp_path: Path) -> None:
    address = site.replace("http://", "http://ann:s3cretword@") + "/fares"
    report = kb.add(address)
    assert "s3cretword" not in repr(report)
    assert all("s3cretword" not in repr(kb.document(file.uri)) for file in report.files if file.uri)
    kb.close()
    assert not any(
        b"s3cretword" in path.read_bytes() for path in (tmp_path / "test.kb").rglob("*") if path.is_file()
    )


def test_a_redirect_from_outside_does_not_reach_this_machine(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first address counts as a public one: then the second, on this machine, is not asked.
    monkeypatch.setattr("knarr.writing.fetch._names_private", lambda url: False)
    with pytest.raises(FetchError, match="no address that may be asked"):
        fetch(f"{site}/there", 1000)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True), ("127.0.0.1", False), ("10.1.2.3", False), ("169.254.169.254", False), ("::1", False),
        ("::ffff:10.0.0.1", False), ("fe80::1%eth0", False), ("2606:4700::1111", True), ("100.64.0.1", False), ("0.0.0.0", False),
    ],
)  # fmt: skip
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public
