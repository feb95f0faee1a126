"""The process that reads PDFs: what it inherits, what it may do, what ends it (SEC-06)."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

import knarr
from knarr.documents import parse
from knarr.documents.pdf import worker as pdf_worker
from make_pdf import Page, pdf

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
PROSE = "A page about goods that ships carried, and what was paid for them."


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of a new worker's process, which has read a file."""
    for name in ("KNARR_CHAT_KEY", "KNARR_EMBED_KEY", "OPENAI_API_KEY", "SOME_TOKEN", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "secret-0815")
    pdf_worker._close()
    read()
    assert pdf_worker._worker is not None
    return pdf_worker._worker._process.pid


def read(pages: int = 1) -> None:
    parse(pdf([Page().lines(72, 720, [PROSE] * 20)] * pages), "x.pdf")


@linux
def test_it_inherits_no_key(process: int) -> None:
    environment = Path(f"/proc/{process}/environ").read_bytes()
    assert b"secret-0815" not in environment and b"PYTHONPATH=" in environment


@linux
def test_it_gives_up_rights(process: int) -> None:
    status = Path(f"/proc/{process}/status").read_text()
    assert "NoNewPrivs:\t1" in status
    limits = {
        line[:26].strip(): line[26:].split()[0]
        for line in Path(f"/proc/{process}/limits").read_text().splitlines()
    }
    assert limits["Max core file size"] == limits["Max file size"] == "0"
    assert limits["Max open files"] == "64" and limits["Max address space"] != "unlimited"


def test_time_is_that_of_the_processor(process: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that has to wait is not one that works: only what it computes counts."""
    monkeypatch.setattr(pdf_worker, "FILE_S", 1e-6)
    monkeypatch.setattr(pdf_worker, "MEGABYTE_S", 0.0)
    with pytest.raises(knarr.DocumentError, match="processor time") as caught:
        read(pages=300)  # more than a tick of the kernel's clock
    assert caught.value.status == "limit"
    monkeypatch.undo()
    read()
    assert pdf_worker._worker is not None
    assert pdf_worker._worker._process.pid != process


def test_a_crash_is_said(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    with pytest.raises(knarr.DocumentError, match="more memory than is allowed, or fails on the way"):
        read()
    read()
