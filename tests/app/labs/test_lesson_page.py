"""The plan of the lesson: all of it in sight on a small screen, and on paper."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QScrollArea, QWidget

from posenc_gui.app.labs.class_windows import LessonPage, print_plan
from posenc_gui.labs.definition import lab_library


def test_the_plan_is_read_without_scrolling_on_a_screen_of_768_pixels(qtbot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    page = LessonPage(lab_library.lesson(), lambda: None, parent)
    with qtbot.waitExposed(page):
        page.show()
    assert page.height() <= 704
    assert page.findChild(QScrollArea).verticalScrollBar().maximum() == 0


def test_the_plan_is_printed(qapp, tmp_path: Path) -> None:
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "plan.pdf"))
    print_plan(lab_library.lesson(), printer)
    assert (tmp_path / "plan.pdf").read_bytes().count(b"/Type /Page\n") == 1
