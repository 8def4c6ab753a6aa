"""Pages as PDF: what the page says, and nothing half-written on a full disk, of which Qt says nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pypdf
import pytest
from odd_files import full_disk
from PySide6.QtCore import QBuffer, QByteArray, Qt
from PySide6.QtGui import QImage, QPalette

from posenc_gui.app.export.exporter import save_as_pdf
from posenc_gui.labs.definition.record import Record, StepRecord
from posenc_gui.labs.reports import report

PAGE = report.html(Record(lab="a", title="Attention reads a set", steps={"one": StepRecord(notes="It moves.")}), {})


def test_the_pdf_says_what_the_page_says(qapp, tmp_path: Path) -> None:
    path = save_as_pdf(PAGE, tmp_path / "report.pdf")
    said = " ".join("".join(page.extract_text() for page in pypdf.PdfReader(path).pages).split())
    assert all(words in said for words in ("Attention reads a set", "It moves."))
    assert list(tmp_path.iterdir()) == [path]


def test_a_picture_is_as_many_letters_wide_as_on_the_page(qapp, tmp_path: Path) -> None:
    """Else formulas are larger than the words around them, and a plot is cut at the right edge of the sheet."""
    image = QImage(64, 32, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    data = QByteArray()
    image.save(QBuffer(data), "PNG")
    picture = f'<img width="640" height="320" src="data:image/png;base64,{bytes(data.toBase64().data()).decode()}">'
    path = save_as_pdf(f"<body style='font-size: 16px'><p>x</p>{picture}</body>", tmp_path / "report.pdf")
    (sheet,) = pypdf.PdfReader(path).pages
    widths, sizes = [], []
    sheet.extract_text(
        visitor_operand_before=lambda operator, _args, cm, _tm: widths.append(cm[0]) if operator == b"Do" else None,
        visitor_text=lambda text, cm, tm, _font, size: (
            sizes.append(size * tm[0] * cm[0]) if text.strip() == "x" else None
        ),
    )
    assert widths == [pytest.approx(40 * abs(sizes[0]), rel=0.05)]
    assert widths[0] < sheet.mediabox.width


def test_words_are_dark_on_paper_however_light_they_are_in_a_dark_window(qapp, tmp_path: Path) -> None:
    palette = qapp.palette()
    dark = QPalette(palette)
    dark.setColor(QPalette.ColorRole.Text, Qt.GlobalColor.white)
    qapp.setPalette(dark)
    try:
        path = save_as_pdf("<p>x</p>", tmp_path / "report.pdf")
    finally:
        qapp.setPalette(palette)
    (sheet,) = pypdf.PdfReader(path).pages
    inks = set()
    sheet.extract_text(
        visitor_operand_before=lambda operator, values, _cm, _tm: (
            inks.add(tuple(map(float, values))) if operator in (b"scn", b"rg") else None
        )
    )
    assert any(0 < max(ink) < 0.3 for ink in inks)
    assert (1, 1, 1) not in inks


@pytest.mark.skipif(os.name != "posix", reason="limits as Unix has them")
def test_on_a_full_disk_the_old_pdf_stays_and_that_is_said(qapp, tmp_path: Path) -> None:
    path = save_as_pdf(PAGE, tmp_path / "report.pdf")
    before = path.read_bytes()
    with full_disk(), pytest.raises(OSError, match=re.escape(f"File too large: '{path}'")):
        save_as_pdf(PAGE.replace("moves", "stays"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
