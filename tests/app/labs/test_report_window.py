"""The teacher's window: a folder of reports as it is and as it changes, told by two figures that lead out of the window."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest
from hands import LEFT, User
from patience import PATIENT
from PySide6.QtCore import QFileSystemWatcher, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLabel, QTableView, QWidget

from posenc_gui.app.documents.file_dialogs import FileDialogs
from posenc_gui.app.export.exporter import Exporter
from posenc_gui.app.labs import report_reading
from posenc_gui.app.labs.class_windows import ClassroomWindow
from posenc_gui.app.state.settings import Memory, Preferences
from posenc_gui.app.widgets import style_sheet as themes
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.figure.panels import Bars
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.labs.definition import lab_library
from posenc_gui.labs.definition.record import Outcome, Record, StepRecord
from posenc_gui.labs.reports.report_folder import Report, ReportFolder, open_report
from tests.labs.reports.test_classroom import OPTIONS
from tests.labs.reports.test_classroom import step as chose

TITLES = {"reorder": "Does the order matter?", "turn": "How far does it turn?"}
LEARNERS = ("Ada", "Emmy", "Grace", "李雷", "نور الهدى", "Zoë", "Ivo", "Mia", "Noa", "Sam", "Tom", "Uma")


def turned(angle: float) -> StepRecord:
    outcome = Outcome(answer=0.5, words="0.5", feedback="right" if angle == 0.5 else "wrong", right=angle == 0.5)
    return StepRecord(kind="number", answer=angle, answer_words=f"{angle}", committed="2026-11-21", outcome=outcome)


def hand_in(folder: Path, learner: str, lab: str = "1-set", title: str = "Attention reads a set", **steps: StepRecord):
    titles = {name: TITLES[name] for name in steps}
    record = Record(lab=lab, title=title, learner=learner, steps=steps, titles=titles, options={"reorder": OPTIONS})
    return record.save(folder / f"{learner} - {lab}.json")


@pytest.fixture
def folder(tmp_path) -> Path:
    """A class of twelve that did one lab; two of them did another."""
    folder = tmp_path / "Class 7 <b>"
    folder.mkdir()
    for number, learner in enumerate(LEARNERS):
        hand_in(folder, learner, reorder=chose(list(OPTIONS)[number % 3]), turn=turned(0.5 * (number % 2)))
    for learner in LEARNERS[:2]:
        hand_in(folder, learner, "3-turns", "What turns", turn=turned(0.5))
    return folder


@pytest.fixture
def window(qapp, qtbot, tmp_path) -> Iterator[ClassroomWindow]:
    """The window without a folder, beside an empty one."""
    themes.apply(LIGHT, qapp)
    parent = QWidget()
    qtbot.addWidget(parent)
    exporter = Exporter(FileDialogs(Preferences(Memory(tmp_path / "memory"), qapp, parent)), parent)
    opened = ClassroomWindow(exporter, parent)
    opened.show()
    yield opened
    exporter.close()


@pytest.fixture
def shows(qtbot, window) -> Callable[..., None]:
    """Wait until the window shows so many learners."""

    def wait(count: int) -> None:
        qtbot.waitUntil(lambda: len(rows(window)) == count)

    return wait


@pytest.fixture
def says(qtbot, window) -> Callable[..., None]:
    """Wait until these words stand in the window."""

    def wait(words: str) -> None:
        qtbot.waitUntil(lambda: words in told(window))

    return wait


def rows(window: ClassroomWindow) -> list[list[str]]:
    """The learners' table as it is seen; nothing where it isn't."""
    grid = window.table.view.findChild(QTableView)
    if grid is None or not grid.isVisible():
        return []
    model, columns = grid.model(), range(grid.model().columnCount())
    return [[model.index(row, column).data() for column in columns] for row in range(model.rowCount())]


def told(window: ClassroomWindow) -> str:
    """All words outside the figures."""
    labels = [label.text() for label in window.findChildren(QLabel) if label.isVisible()]
    return "\n".join((*labels, window.statusBar().currentMessage()))


def counts(window: ClassroomWindow) -> dict[str, float]:
    """The chart's bars."""
    (bars,) = (panel for panel in window.chart.view.figure().panels if isinstance(panel, Bars))
    return dict(zip(bars.categories.labels, bars.series[0].values.tolist(), strict=True))


def test_a_class_of_twelve_is_seen_at_one_glance(window, folder, shows) -> None:
    window.show_folder(folder)
    shows(12)
    assert {row[0] for row in rows(window)} == set(LEARNERS)
    assert {row[1] for row in rows(window)} == {"● It moves along.", "○ It changes.", "○ They swap."}
    assert counts(window) == {"● A: It moves along.": 4, "B: It changes.": 4, "C: They swap.": 4}
    assert window.lab.currentText() == "Attention reads a set"
    assert window.step.currentText() == "Does the order matter?"
    assert "4 of 12 predicted what was measured" in told(window)
    assert "Class 7 <b>" in told(window)
    assert "14 reports, read at" in told(window)
    assert window.isWindow()


def test_lab_and_step_are_chosen_by_the_keyboard(window, folder, shows, qtbot) -> None:
    window.show_folder(folder)
    shows(12)
    User(lambda _: None).picks(window.step, "turn")
    qtbot.waitUntil(lambda: counts(window) == {"0.0": 6, "● 0.5": 6})
    assert window.chart.view.figure().title == "How far does it turn?"
    User(lambda _: None).picks(window.lab, "3-turns")
    assert [row[0] for row in rows(window)] == ["Ada", "Emmy"]
    assert window.step.currentText() == "How far does it turn?"
    qtbot.waitUntil(lambda: counts(window) == {"● 0.5": 2})


def test_the_keyboard_reaches_everything_and_everything_has_a_name(window, folder, shows) -> None:
    window.show_folder(folder)
    shows(12)
    window.activateWindow()
    wanted = (window.choose, window.again, window.lab, window.step, window.table.export, window.table.copy)
    wanted += (window.chart.export, window.chart.copy, window.chart.view)
    wanted += (window.reasons,)
    for theme in (LIGHT, DARK):  # another theme makes the tables anew
        THEME.use(theme)
        for back in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
            reached = tabbed_through(window, back)
            assert {*wanted, *(grid for grid in window.findChildren(QTableView) if grid.isVisible())} == set(reached)
            assert [here for here in reached if not (here.accessibleName() or here.property("text"))] == []


def tabbed_through(window: ClassroomWindow, back: Qt.KeyboardModifier) -> list[QWidget]:
    """What has the keyboard one after another until it is again where it began."""
    window.choose.setFocus()
    reached: list[QWidget] = []
    while (here := window.focusWidget()) not in reached:
        reached.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab, back)
    return reached


# --- The folder changes ---------------------------------------------------------------------------------------------------


def test_reports_that_come_into_the_folder_are_shown_and_the_choice_stays(window, folder, shows, qtbot) -> None:
    window.show_folder(folder)
    shows(12)
    User(lambda _: None).picks(window.step, "turn")
    for learner in ("Eva", "Jo"):
        hand_in(folder, learner, reorder=chose("swap"), turn=turned(2))
    shows(14)
    assert window.step.currentText() == "How far does it turn?"
    qtbot.waitUntil(lambda: sum(counts(window).values()) == 14)
    window.step.showPopup()
    (folder / "Jo - 1-set.json").unlink()
    shows(13)
    assert window.step.view().isVisible()
    window.step.hidePopup()


def test_a_file_changed_in_its_place_is_read_again_when_asked(window, folder, shows, qtbot) -> None:
    window.show_folder(folder)
    shows(12)
    report = folder / "Mia - 1-set.json"
    report.write_text(report.read_text(encoding="utf-8").replace('"Mia"', '"Maja"'), encoding="utf-8")
    QTest.mouseClick(window.again, LEFT)
    qtbot.waitUntil(lambda: "Maja" in [row[0] for row in rows(window)])


def test_what_cannot_be_read_is_named(window, folder, shows, says) -> None:
    for number in range(5):
        (folder / f"{number}<b>.json").write_text("{")
    window.show_folder(folder)
    shows(12)
    says(
        "Not read: 0<b>.json: this is not a valid lab report: its JSON is damaged or cut short at line 1 column 1 (EOF "
    )
    assert "; and 2 more." in told(window)
    for path in folder.glob("*<b>.json"):
        path.unlink()
    says("14 reports")
    shows(12)


def test_what_a_newer_explorer_reported_is_shown_and_what_was_left_out_is_named(window, folder, shows, says) -> None:
    content = {**json.loads(Record(lab="set", title="A set", learner="Zoe").to_json()), "<b>voice</b>": 1}
    (folder / "newer.json").write_text(json.dumps(content), encoding="utf-8")
    window.show_folder(folder)
    says("Read in part: newer.json: left out '<b>voice</b>', which this explorer doesn't know in a lab report.")
    assert "Not read" not in told(window)


def test_before_a_folder_is_chosen_nothing_can_be_read(window) -> None:
    assert "Choose the folder with the reports." in told(window)
    QTest.keyClick(window, Qt.Key.Key_F5)
    assert "Choose the folder with the reports." in told(window)


def test_an_empty_folder_says_how_reports_get_there_and_shows_the_first(window, tmp_path, shows, says) -> None:
    window.show_folder(tmp_path)
    says("No lab report is in this folder yet.")
    assert "Save report to a folder …" in told(window)
    assert not window.lab.isEnabled()
    assert not window.table.isVisible()
    hand_in(tmp_path, "Ada", reorder=chose("same"))
    shows(1)
    assert window.lab.isEnabled()


def test_reports_without_a_prediction_are_listed(window, tmp_path, shows) -> None:
    hand_in(tmp_path, "Ada")
    window.show_folder(tmp_path)
    shows(1)
    assert not window.step.isEnabled()
    assert "No learner has predicted here yet." in told(window)


def test_a_folder_that_vanished_is_named_and_followed_again_once_it_is_back(window, folder, shows, says) -> None:
    window.show_folder(folder)
    shows(12)
    shutil.rmtree(folder)
    says(f"Not read: {folder}: No such file or directory.")
    assert rows(window) == []
    folder.mkdir()
    QTest.keyClick(window, Qt.Key.Key_F5)
    says("No lab report is in this folder yet.")
    hand_in(folder, "Ada", reorder=chose("same"))
    shows(1)


def test_another_folder_takes_the_place_of_the_first(window, folder, tmp_path, shows, says, monkeypatch) -> None:
    window.show_folder(folder)
    shows(12)
    other = tmp_path / "other"
    other.mkdir()
    hand_in(other, "Kim", reorder=chose("differ"))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(other))
    QTest.mouseClick(window.choose, LEFT)
    assert "Reading …" in told(window)
    shows(1)
    assert window.windowTitle() == "Class: other"
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    QTest.mouseClick(window.choose, LEFT)
    assert window.windowTitle() == "Class: other"


def test_long_names_leave_the_window_as_wide_as_it_was(window, tmp_path, shows) -> None:
    folder = tmp_path / ("folder" * 40)
    folder.mkdir()
    (folder / ("x" * 240 + ".json")).write_text("{")
    hand_in(folder, "Ada", title="title " * 500, reorder=chose("same"))
    window.show_folder(folder)
    shows(1)
    assert window.width() == 1000


@pytest.mark.slow
def test_a_long_name_leaves_the_answers_in_sight_and_is_copied_whole(window, tmp_path, shows, says) -> None:
    long = "Ada Lovelace, Grace Hopper and Emmy Noether " * 2
    for learner in (long.strip(), *LEARNERS):
        hand_in(tmp_path, learner, reorder=chose("same"))
    window.show_folder(tmp_path)
    shows(13)
    grid = window.table.view.findChild(QTableView)
    assert grid.columnWidth(0) < grid.fontMetrics().horizontalAdvance(long) / 2
    QTest.mouseClick(window.table.copy, LEFT)
    says("Copied the numbers")
    assert long.strip() in QGuiApplication.clipboard().text()


@pytest.mark.parametrize("size", [(1366, 768), (1000, 700)])
def test_headings_are_whole_and_all_columns_of_a_class_of_thirty_in_sight(window, tmp_path, shows, size) -> None:
    lab = lab_library.lab("attention-reads-a-bag")
    titles = {step.name: step.title for step in lab.steps}
    for number in range(30):
        given = {name: chose(list(OPTIONS)[number % 3]) for name in titles}
        record = Record(lab=lab.name, title=lab.title, learner=f"Learner {number}", steps=given, titles=titles)
        record.save(tmp_path / f"{number}.json")
    window.resize(*size)
    window.show_folder(tmp_path)
    shows(30)
    grid = window.table.view.findChild(QTableView)
    headings = [grid.model().headerData(column, Qt.Orientation.Horizontal) for column in range(1, 8)]
    assert [" ".join(heading.split()) for heading in headings] == [f"{title} · 10 of 30" for title in titles.values()]
    assert grid.horizontalScrollBar().maximum() == 0
    lines = max(heading.count("\n") + 1 for heading in headings)
    assert grid.horizontalHeader().height() >= lines * grid.fontMetrics().lineSpacing()


def test_reasons_and_own_words_are_read_with_the_help_that_came_before(window, tmp_path, shows, qtbot) -> None:
    own = {"reason": "They <b>mix</b>.", "hints": 1, "notes": "As a shadow & its owner."}
    hand_in(tmp_path, "Tom <b>& Ann", reorder=chose("same").model_copy(update=own))
    window.show_folder(tmp_path)
    shows(1)
    qtbot.waitUntil(lambda: bool(window.reasons.toPlainText()))
    read = window.reasons.toPlainText()
    assert "Tom <b>& Ann: They <b>mix</b>. (1 hint)" in read
    assert "As a shadow & its owner." in read


class Reading:
    """A folder that takes as long to be read as nobody waits, until it is asked to stop."""

    def __init__(self) -> None:
        self.began, self.stopped = Event(), Event()

    def __call__(self, check_stop: Callable[[], None], *_: object) -> None:
        self.began.set()
        try:
            while True:
                check_stop()
                self.stopped.wait(0.005)  # reading goes on
        finally:
            self.stopped.set()


@pytest.mark.parametrize("leave", ["close", "another folder"])
def test_what_is_being_read_ends_when_it_is_left(window, folder, tmp_path, shows, says, monkeypatch, leave) -> None:
    reading = Reading()
    with monkeypatch.context() as patched:
        patched.setattr(ReportFolder, "read", reading)
        window.show_folder(tmp_path)
        assert reading.began.wait(PATIENT / 1000)
        if leave == "close":
            window.close()
            assert reading.stopped.wait(PATIENT / 1000)
    window.show_folder(folder)
    window.show()
    assert reading.stopped.wait(PATIENT / 1000)
    shows(12)
    says("14 reports")


def test_a_closed_window_follows_no_folder_until_it_is_shown_one(window, folder, shows, says) -> None:
    window.show_folder(folder)
    shows(12)
    window.close()
    hand_in(folder, "Eva", reorder=chose("swap"))
    assert not any(watcher.directories() for watcher in window.findChildren(QFileSystemWatcher))
    assert quote_runs(window.table.view.figure().headline).startswith("12 learners")
    window.show_folder(folder)
    window.show()
    shows(13)
    hand_in(folder, "Jo", reorder=chose("swap"))
    shows(14)


def test_reading_is_seen_and_stopped_and_what_was_read_is_shown(window, folder, shows, says, monkeypatch) -> None:
    gate = Event()

    def slow(path: Path) -> Report:
        assert not path.name.startswith("Grace") or gate.wait(PATIENT / 1000)
        return open_report(path)

    monkeypatch.setattr(report_reading, "open_report", slow)
    window.show_folder(folder)
    says("Reading “Class 7 <b>” … · 5 of 14, Grace - 1-set.json")
    stop = window.findChild(QAbstractButton, "stop-reading")
    QTest.mouseClick(stop, LEFT)
    shows(2)
    gate.set()
    says("Reading was stopped after 4 of 14 files: “Read again” goes on.")
    assert not stop.isVisible()
    QTest.mouseClick(window.again, LEFT)
    shows(12)
    assert "stopped" not in told(window)


@pytest.mark.slow
def test_large_reports_are_read_in_a_process_and_a_broken_one_is_told(window, folder, shows, says, qtbot) -> None:
    large = " " * 1_000_001  # beside what a report says
    for learner in LEARNERS[:3]:
        report = folder / f"{learner} - 1-set.json"
        report.write_text(report.read_text(encoding="utf-8") + large, encoding="utf-8")
    (folder / "Grace - 1-set.json").write_text("{" + large)
    window.show_folder(folder)
    shows(11)
    says("Not read: Grace - 1-set.json: this is not a valid lab report")


# --- Out of the window ----------------------------------------------------------------------------------------------------


def test_the_table_suggests_a_spreadsheet_and_the_chart_a_picture(window, folder, shows, monkeypatch) -> None:
    window.show_folder(folder)
    shows(12)
    suggested = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: suggested.append(asked[2:]) or ("", ""))
    for card in (window.table, window.chart):
        QTest.mouseClick(card.export, LEFT)
    assert [(Path(start).name, chosen) for start, _, chosen in suggested] == [
        ("answers.csv", "CSV (*.csv)"),
        ("chart.svg", "SVG (*.svg)"),
    ]


@pytest.mark.slow
def test_table_and_chart_are_exported_and_copied(window, folder, tmp_path, shows, says, monkeypatch) -> None:
    window.show_folder(folder)
    shows(12)
    for card, name, kind in ((window.table, "class.csv", ""), (window.chart, "chart", "PNG (*.png)")):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, of=(str(tmp_path / name), kind): of)
        QTest.mouseClick(card.export, LEFT)
        says(f"Saved {tmp_path / name}")
    with (tmp_path / "class.csv").open(encoding="utf-8", newline="") as file:
        cells = {cell for row in csv.reader(file) for cell in row}
    assert set(LEARNERS) < cells
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")

    QTest.mouseClick(window.table.copy, LEFT)
    says("Copied the numbers")
    assert set(LEARNERS) < set(QGuiApplication.clipboard().text().replace("\n", "\t").split("\t"))

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "nowhere" / "a.csv"), ""))
    QTest.mouseClick(window.table.export, LEFT)
    says(f"Not exported: {tmp_path / 'nowhere' / 'a.csv'}: No such file or directory.")


def test_dark_and_light(window, folder, shows, qapp) -> None:
    window.show_folder(folder)
    shows(12)
    for theme in (DARK, LIGHT):
        themes.apply(theme, qapp)
        image = window.grab().toImage()
        for card in (window.table, window.chart):
            corner, size = card.view.mapTo(window, QPoint(0, 0)), card.view.size()
            places = [(x, y) for x in range(0, size.width(), 5) for y in range(0, size.height(), 5)]
            seen = Counter(image.pixelColor(corner.x() + x, corner.y() + y).name() for x, y in places)
            assert seen.most_common(1)[0][0] == theme.card
