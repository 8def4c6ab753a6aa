"""The plan of the lesson: a page to read and to print."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMarginsF, Qt
from PySide6.QtGui import QPageLayout, QTextDocument
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QDialog, QWidget

from posenc_gui.app.widgets.controls import push_button, rich_label, scrolling_column
from posenc_gui.app.widgets.dialogs import PassingDialog
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab_library import Lesson, LessonPart
from posenc_gui.labs.text.lab_markdown import plain

_WIDTH, _STEPS = 880, 300  # pixels: of the page, and of the column of steps
_MARGIN = 15  # millimetres on paper


class LessonPage(PassingDialog):
    """What to play for how long, and beside it what to ask and to listen for; all in sight on a screen of 768 pixels."""

    def __init__(self, plan: Lesson, begin: Callable[[], object], parent: QWidget) -> None:
        super().__init__(plan.title, parent)
        self._plan = plan
        area, column = scrolling_column(plan.title)
        words = rich_label()
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.setText(_html(plan))
        column.addWidget(words)
        column.addStretch(1)
        print_it = push_button("Print …")
        print_it.clicked.connect(self._ask_and_print)
        close, begin_it = push_button("Close"), push_button("Begin the lesson", accent=True)
        close.clicked.connect(self.reject)
        begin_it.clicked.connect(self.accept)
        self.accepted.connect(begin)
        self.body.addWidget(area, 1)
        self.add_foot((print_it,), (close, begin_it))
        self.fit_text(_WIDTH, area, column)

    def _ask_and_print(self) -> None:
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        if QPrintDialog(printer, self).exec() == QDialog.DialogCode.Accepted:
            print_plan(self._plan, printer)


def print_plan(plan: Lesson, printer: QPrinter) -> None:
    """Print the plan under its title."""
    printer.setPageMargins(QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN), QPageLayout.Unit.Millimeter)
    document = QTextDocument()
    document.setHtml(f"<h2>{plain(plan.title)}</h2>{_html(plan)}")
    document.print_(printer)


def _html(plan: Lesson) -> str:
    rows = "".join(f"<tr>{_cells(part)}</tr>" for part in plan.parts)
    return f"<p>{plain(plan.summary)}</p><table cellspacing=0 cellpadding=6 width='100%'>{rows}</table>"


def _cells(part: LessonPart) -> str:
    """Return a part as cells of a table: its minutes, its lab with the steps, and what to say."""
    title, steps = "Talk", ""
    if part.lab:
        lab = lab_library.lab(part.lab)
        titles = {step.name: step.title for step in lab.steps}
        title, steps = lab.title, "".join(f"<br>{plain(titles[name])}" for name in part.steps)
    return (
        f"<td><b>{part.minutes}&nbsp;min</b></td><td width={scaled(_STEPS)}><b>{plain(title)}</b>{steps}</td>"
        f"<td>{plain(part.say)}</td>"
    )
