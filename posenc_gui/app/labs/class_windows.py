"""For a class: the plan of the lesson, to read and to print, and the report on its records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QMarginsF, QSignalBlocker, Qt, QTime, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QPageLayout, QTextBlockFormat, QTextCursor, QTextDocument
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLabel,
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QTableView,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from posenc_gui.app.export.exporter import Exporter, ask_and_export
from posenc_gui.app.labs import report_reading
from posenc_gui.app.labs.lab_widgets import text_metrics_of
from posenc_gui.app.state.reader import Reader
from posenc_gui.app.state.worker import TurnRunner
from posenc_gui.app.widgets.controls import (
    Choices,
    FileProgress,
    add_to,
    delayed,
    in_column,
    in_row,
    plain_label,
    push_button,
    rich_label,
    scrolling_column,
    show_words,
    tool_button,
)
from posenc_gui.app.widgets.dialogs import PassingDialog
from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_count, quote
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.lab_library import Lesson, LessonPart
from posenc_gui.labs.reports import classroom
from posenc_gui.labs.reports.classroom import Classroom
from posenc_gui.labs.reports.report_folder import ReportFolder
from posenc_gui.labs.text.lab_markdown import plain
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.screen import FigureView

_SETTLED = 300  # milliseconds without a change before a folder is read: a class hands in all at once
_PASSES_AFTER = 6000  # milliseconds until a success message disappears
_NAMED = 3  # unread files that are listed by name
_LONGEST = 120  # characters of one word of a message, which may be a file name
_HOW = (
    "No lab report is in this folder yet.\n\n"
    "At the end of a lab, each learner chooses “Save report to a folder …” and this folder, if all can write to it; "
    "or hands you the saved file that ends with .json, and you put it here.\n\n"
    "What comes into the folder is shown at once."
)
_WIDTH, _STEPS = 880, 300  # pixels: of the page, and of the column of steps
_MARGIN = 15  # millimetres on paper


class ClassroomWindow(QMainWindow):
    """The reports in a folder by lab and step; the window follows changes in the folder."""

    def __init__(self, exporter: Exporter, parent: QWidget) -> None:
        super().__init__(parent)
        self._dialogs = exporter.dialogs
        self._reports: ReportFolder | None = None  # what the window follows
        self._found = Classroom()
        self._turns = TurnRunner(self)
        self._reader = Reader(self)
        self._watcher = QFileSystemWatcher(self)
        self._settled = delayed(self, self._follow, _SETTLED)
        self._watcher.directoryChanged.connect(lambda _: self._settled.start())
        self._make_controls()
        self.table = FigureCard("the table of predictions", exporter, suffix=".csv")
        self.chart = FigureCard("the chart of answers", exporter)
        for card in (self.table, self.chart):
            card.exported.connect(lambda told: self.statusBar().showMessage(told, _PASSES_AFTER))
            card.failed.connect(self.statusBar().showMessage)
        self._lay_out()
        self.setWindowTitle("Class")
        for control in (self.again, self.lab, self.step):
            control.setEnabled(False)
        self.resize(1000, 700)
        THEME.changed.connect(self._show_step)

    def show_folder(self, folder: Path) -> None:
        """Show the reports in a folder and follow its changes."""
        self._let_go()
        self._reports = ReportFolder(folder.absolute())
        name = visible(self._reports.path.name or str(self._reports.path))
        self._name.setText(name)
        self.setWindowTitle(f"Class: {name}")
        self._show(Classroom())
        self._words.setText("Reading …")
        self.again.setEnabled(True)
        self.read_again()

    def read_again(self) -> None:
        """Read what has changed in the folder, or what wasn't read yet."""
        if self._reports:
            self._watcher.addPath(str(self._reports.path))  # before reading, so that no change is missed
            self._read(report_reading.read)

    def stop_reading(self) -> None:
        """Show what has been read, and read no more until that is asked for."""
        self._let_go()
        self._read(lambda reports, _path, **_watched: classroom.gather(reports))

    def ask_for_folder(self) -> None:
        """Ask for a folder and show its reports."""
        if folder := self._dialogs.folder_of(self, "A folder of lab reports"):
            self.show_folder(folder)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop following the folder until one is shown again."""
        self._let_go()
        self._reports = None
        super().closeEvent(event)

    def _make_controls(self) -> None:
        self._name = plain_label("", "stepTitle")
        self._name.setAccessibleName("Folder")
        self.choose = push_button("Choose &folder …", self.ask_for_folder)
        self.choose.setShortcut(QKeySequence.StandardKey.Open)
        self.again = push_button("&Read again", self.read_again)
        self.again.setShortcut(QKeySequence.StandardKey.Refresh)
        self.lab = _choice("Lab", self._show_lab)
        self.step = _choice("Step", self._show_step)
        self._words = plain_label("Choose the folder with the reports.")
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setMargin(48)
        self._problems = plain_label("", "refusal")
        self.reasons = QTextBrowser(openLinks=False)
        self.reasons.setObjectName("scrolls")
        self.reasons.setAccessibleName("Answers and reasons")
        self._count = QLabel()
        self._progress = FileProgress("Stop reading the reports", "stop-reading")
        self._progress.stop_wanted.connect(self.stop_reading)
        self._reader.working.connect(self._progress.show_working)

    def _lay_out(self) -> None:
        folder = in_row(self._name, self.choose, self.again, grows=self._name)
        choices = in_row()
        for box, title in ((self.lab, "&Lab"), (self.step, "&Step")):
            label = QLabel(title)
            label.setBuddy(box)
            add_to(choices, label, box, grows=box)
        both = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        both.addWidget(self.table)
        below = QSplitter(childrenCollapsible=False)
        below.addWidget(self.chart)
        paper = QFrame()
        paper.setObjectName("paper")
        QVBoxLayout(paper).addWidget(self.reasons)
        below.addWidget(paper)
        below.setSizes([450, 550])
        both.addWidget(below)
        both.setSizes([320, 230])
        both.setStretchFactor(0, 1)  # extra height goes to the table, for large classes
        self._pages = QStackedWidget()
        self._pages.addWidget(self._words)
        self._pages.addWidget(both)
        content = QWidget()
        column = QVBoxLayout(content)
        add_to(column, folder, choices, self._problems, self._pages, grows=self._pages)
        self.setCentralWidget(content)
        self.statusBar().addPermanentWidget(self._progress)
        self.statusBar().addPermanentWidget(self._count)

    # --- reading and showing

    def _let_go(self) -> None:
        """Stop watching the folder and cancel a read in progress."""
        if self._reports:
            self._watcher.removePath(str(self._reports.path))
        self._settled.stop()
        self._reader.drop()

    def _follow(self) -> None:
        """Read what has come into the folder, after what is being read."""
        if self._reader.busy:
            self._settled.start()
        else:
            self.read_again()

    def _read(self, work: Callable[..., Classroom]) -> None:
        if reports := self._reports:
            told, work = quote(self._name.text()), partial(work, reports)
            self._reader.read_here(
                reports.path, told, work, self._on_read, lambda why: self._on_read(Classroom(problems=(why,)))
            )

    def _on_read(self, found: Classroom) -> None:
        self._show(found)
        self._words.setText("None of the files that were read is a lab report." if found.left else _HOW)
        now = QTime.currentTime().toString("HH:mm:ss")
        self._count.setText(f"{format_count(len(found.records), 'report')}, read at {now}")

    def _show(self, found: Classroom) -> None:
        self._found = found
        told = found.left, _told("Not read", found.problems), _told("Read in part", found.remarks)
        show_words(self._problems, " ".join(filter(None, told)))
        _fill(self.lab, found.labs())
        self._pages.setCurrentIndex(int(bool(found.records)))
        self._show_lab()

    def _show_lab(self) -> None:
        lab = self.lab.currentData() or ""
        _fill(self.step, self._found.steps(lab))
        self.table.show_figure(self._found.tables.get(lab) or classroom.answers(self._found, lab))
        self._show_step()

    def _show_step(self) -> None:
        self._turns.stop()
        self._turns.add(self._show_step_in_turns())

    def _show_step_in_turns(self) -> Iterator[None]:
        """Show a step's chart, then its answers and reasons, which may be thousands, some at a time."""
        learners, lab, step = self._found, self.lab.currentData() or "", self.step.currentData() or ""
        self.chart.show_figure(classroom.chart(learners, lab, step))
        yield
        parts = classroom.page(learners, lab, step, THEME.roles.ink, text_metrics_of(self))
        self.reasons.setHtml(next(parts, ""))
        at_end = QTextCursor(self.reasons.document())
        for part in parts:
            yield
            at_end.movePosition(QTextCursor.MoveOperation.End)
            at_end.insertBlock(QTextBlockFormat())
            at_end.insertHtml(part)


class FigureCard(QFrame):
    """A figure with its headline, caption, and export and copy buttons."""

    exported = Signal(str)  # a sentence about what was done
    failed = Signal(str)  # a sentence that says why nothing was done

    def __init__(self, what: str, exporter: Exporter, suffix: str = ".svg") -> None:
        super().__init__()
        self.setObjectName("paper")
        self._what, self._exporter, self._suffix = what, exporter, suffix
        self._headline, self._caption = plain_label(), plain_label("", "muted")
        self.view = FigureView(THEME.roles, headed=True)
        self.view.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)  # so that a border can show the focus
        self.export = _tool("Export …", f"Export {what} to a file", self.ask_and_export)
        self.copy = _tool("Copy numbers", f"Copy the numbers of {what}", self.copy_numbers)
        below = in_row(self._caption, grows=self._caption)
        for button in (self.export, self.copy):
            below.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        column = in_column(below, of=self, gap=4, around=(8, 8, 8, 4))
        column.insertWidget(0, self._headline)  # after the row below, so that Tab reaches its buttons before the tables
        column.insertWidget(1, self.view, 1)
        THEME.changed.connect(self._restyle)
        self._restyle()

    def show_figure(self, figure: Figure) -> None:
        """Show a figure with its headline and caption."""
        show_words(self._headline, quote_runs(figure.headline))
        self._caption.setText(figure.caption)
        self.view.show_figure(figure)
        self._order_focus()

    def _restyle(self) -> None:
        theme = THEME.roles
        self.view.set_colours(theme)
        self._order_focus()
        self.export.setIcon(icon("export", theme.muted))
        self.copy.setIcon(icon("copy", theme.muted))

    def _order_focus(self) -> None:
        """Let Tab reach a new figure's tables after the buttons; Qt appends them at the end of the tab order."""
        for before, after in pairwise((self.copy, *self.view.findChildren(QTableView))):
            self.setTabOrder(before, after)

    def ask_and_export(self) -> None:
        """Ask for a file and write the figure to it, in the format of the file's suffix."""
        if figure := self.view.figure():
            done, failed = self.exported.emit, self.failed.emit
            ask_and_export(self, figure, self._what, self._exporter, done, failed, self._suffix)

    def copy_numbers(self) -> None:
        """Copy the numbers, tab-separated, to the clipboard."""
        if figure := self.view.figure():
            self._exporter.copy_numbers(figure, self.exported.emit, self.failed.emit)


def _told(what: str, problems: tuple[str, ...]) -> str:
    if not problems:
        return ""
    more = len(problems) - _NAMED
    named = [
        " ".join(shorten_middle(word, _LONGEST) for word in visible(problem).rstrip(".").split())
        for problem in problems[:_NAMED]
    ]
    return f"{what}: {'; '.join((*named, f'and {more} more') if more > 0 else named)}."


def _fill(box: Choices, titles: dict[str, str]) -> None:
    """Fill a drop-down list with titles, and keep the earlier choice if it is still listed."""
    wanted = [(name, visible(title)) for name, title in titles.items()]
    if wanted == [(box.itemData(at), box.itemText(at)) for at in range(box.count())]:
        return  # the list may be open at this moment
    chosen = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for name, title in wanted:
            box.addItem(title, name)
        box.setCurrentIndex(max(0, box.findData(chosen)))
    box.setEnabled(bool(wanted))


def _choice(name: str, run: Callable[[], None]) -> Choices:
    box = Choices(name)
    # Without this policy, a lab's long title would set the window's minimum width.
    box.setSizeAdjustPolicy(Choices.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    box.currentIndexChanged.connect(lambda _: run())
    return box


def _tool(text: str, help_text: str, run: Callable[[], None]) -> QToolButton:
    button = tool_button(text, help_text, hint=help_text, does=run)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class LessonPage(PassingDialog):
    """What to play for how long, and beside it what to ask and to listen for; all in sight on a screen of 768 pixels."""

    def __init__(self, plan: Lesson, begin: Callable[[], object], parent: QWidget) -> None:
        super().__init__(plan.title, parent)
        self._plan = plan
        area, column = scrolling_column(plan.title)
        words = rich_label()
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.setText(_html(plan))
        add_to(column, words, None)
        self.accepted.connect(begin)
        self.body.addWidget(area, 1)
        close, begin_it = push_button("Close", self.reject), push_button("Begin the lesson", self.accept, accent=True)
        self.add_foot((push_button("Print …", self._ask_and_print),), (close, begin_it))
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
