"""Pages as PDF: what the page says, and nothing half-written on a full disk, of which Qt says nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pypdf
import pytest
from odd_files import full_disk

from posenc_gui.app.export.html_to_pdf import save_as_pdf
from posenc_gui.labs.definition.record import Record, StepRecord
from posenc_gui.labs.reports import report

PAGE = report.html(Record(lab="a", title="Attention reads a set", steps={"one": StepRecord(notes="It moves.")}), {})


def test_the_pdf_says_what_the_page_says(qapp, tmp_path: Path) -> None:
    path = save_as_pdf(PAGE, tmp_path / "report.pdf")
    said = " ".join("".join(page.extract_text() for page in pypdf.PdfReader(path).pages).split())
    assert all(words in said for words in ("Attention reads a set", "It moves."))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="limits as Unix has them")
def test_on_a_full_disk_the_old_pdf_stays_and_that_is_said(qapp, tmp_path: Path) -> None:
    path = save_as_pdf(PAGE, tmp_path / "report.pdf")
    before = path.read_bytes()
    with full_disk(), pytest.raises(OSError, match=re.escape(f"File too large: '{path}'")):
        save_as_pdf(PAGE.replace("moves", "stays"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
