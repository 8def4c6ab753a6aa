"""What leads out of the window: files, the clipboard, and the process that writes them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hands import LEFT, action, banner, bring_forward, close_banner, figure_of, open_file, words_seen
from patience import PATIENT
from PIL import Image
from pptx import Presentation
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPlainTextEdit, QPushButton, QSpinBox, QTableView, QToolButton, QWidget

import posenc_gui as pe
from posenc_gui import encodings
from posenc_gui.app.documents.file_dialogs import FileDialogs
from posenc_gui.app.export.export_dialog import Batch, ExportDialog, batches
from posenc_gui.app.export.export_process import FigureRequest, request_figure
from posenc_gui.app.export.exporter import Exporter
from posenc_gui.app.state.settings import Memory, Preferences
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Note
from posenc_gui.figure.runs import quote_runs
from posenc_gui.foundation.files import embedded_session
from posenc_gui.foundation.theme import DARK, LIGHT
from posenc_gui.labs.definition.record import Record
from posenc_gui.render.colour_blindness import COLOUR_VISIONS, simulate

pytestmark = pytest.mark.one_window

SVG, PNG, GIF, PPTX = (f"{kind.upper()} (*.{kind})" for kind in ("svg", "png", "gif", "pptx"))


@pytest.fixture
def export(answer, qtbot, settle) -> Callable[..., str]:
    """Click a card's Export, choose a file, and wait for the sentence that says what came of it."""

    def run(window, path: Path, plot: str = "attention", kind: str = SVG) -> str:
        answer(path, kind)
        bring_forward(window, plot)
        settle(window)
        QTest.mouseClick(window.cards[f"plot.{plot}"].findChild(QToolButton, "export"), LEFT)
        choose(window, kind)
        qtbot.waitUntil(lambda: banner(window) != "")
        return banner(window)

    return run


def choose(window, kind: str = SVG) -> None:
    """In the export dialog choose a kind of file and go on to where it is to be."""
    (dialog,) = [one for one in window.findChildren(ExportDialog) if one.isVisible()]
    kinds = dialog.findChild(QComboBox, "kind")
    kinds.setCurrentIndex(kinds.findData(kind.partition("*")[2].rstrip(")")))
    QTest.mouseClick(dialog.findChild(QPushButton, "save"), LEFT)


def told_in(widget: QWidget) -> str:
    """All that its labels say."""
    return " ".join(label.text() for label in widget.findChildren(QLabel))


@pytest.fixture
def export_dialog(window, user) -> ExportDialog:
    """The dialog over the attention map, with nothing said before."""
    user.settle(window)
    close_banner(window)
    window.workbench.plots["attention"].ask_and_export()
    (dialog,) = window.findChildren(ExportDialog)
    return dialog


@pytest.mark.slow
def test_while_a_file_is_written_the_status_line_says_so(window, answer, settle, qtbot, tmp_path) -> None:
    answer(tmp_path / "map.svg", SVG)
    QTest.mouseClick(window.cards["plot.attention"].findChild(QToolButton, "export"), LEFT)
    choose(window)
    assert "Writing “map.svg” …" in words_seen(window.statusBar())
    qtbot.waitUntil(lambda: banner(window) != "")
    assert "Writing “map.svg” …" not in words_seen(window.statusBar())


def copy(window, what: str, plot: str = "attention") -> None:
    """Choose an entry of a card's Copy menu."""
    menu = window.cards[f"plot.{plot}"].findChild(QToolButton, "copy").menu()
    next(action for action in menu.actions() if action.text() == what).trigger()


STARTS = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG", ".npz": b"PK"}


@pytest.mark.slow
def test_every_kind_of_file_is_written_from_a_card_and_says_so(window, export, tmp_path) -> None:
    for suffix in (".svg", ".pdf", ".png", ".npz", ".csv"):
        path = tmp_path / f"map{suffix}"
        assert export(window, path) == f"Saved {path}."
        close_banner(window)
        assert path.read_bytes().startswith(STARTS.get(suffix, b""))
        if suffix != ".csv":  # numbers for other programs carry no session
            assert pe.Session.load(path) == window.workbench.store.session
    rows = csv.reader((tmp_path / "map.csv").read_text(encoding="utf-8").splitlines())
    assert any("cat" in cell for row in rows for cell in row)
    with np.load(tmp_path / "map.npz") as arrays:
        figure = figure_of(window)
        assert any(
            array.shape == figure.panels[1].values.shape and np.array_equal(array, figure.panels[1].values)
            for array in arrays.values()
        )


@pytest.mark.slow
def test_a_name_gets_the_suffix_of_the_chosen_kind_and_what_cannot_be_written_is_said(window, export, tmp_path) -> None:
    assert export(window, tmp_path / "plain", kind="CSV (*.csv)") == f"Saved {tmp_path / 'plain.csv'}."
    for name, why in (("nowhere/map.csv", "nowhere/map.csv: No such file or directory."), ("map.xyz", ".svg")):
        close_banner(window)
        said = export(window, tmp_path / name)
        assert said.startswith("Not exported: ")
        assert why in said
        assert not (tmp_path / name).exists()


@pytest.mark.slow
def test_a_note_is_exported_as_its_sentence(window, user, export, tmp_path) -> None:
    user.chooses_encoding(window, "alibi")
    path = tmp_path / "note.svg"
    assert export(window, path, "angles") == f"Saved {path}."
    assert path.stat().st_size > 100


@pytest.mark.slow
def test_the_same_key_copies_the_numbers_of_a_table(window, settle) -> None:
    window.cards["plot.why"].bring()
    settle(window)
    table = window.cards["plot.why"].findChild(QTableView)
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "\t" in QGuiApplication.clipboard().text()


@pytest.mark.slow
def test_the_picture_is_copied_as_it_is_exported_as_a_picture_and_as_a_drawing(window, qtbot) -> None:
    view = window.workbench.plots["attention"].view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: "Copied the picture" in banner(window))
    data = QGuiApplication.clipboard().mimeData()
    image, drawing = data.imageData(), bytes(data.data("image/svg+xml")).decode()
    assert (image.width(), image.height()) == (2560, 1440)
    assert image.pixelColor(2, 2).name() == "#ffffff"
    figure = figure_of(window)
    assert f"<title>{figure.title}</title>" in drawing
    assert embedded_session.find_session(drawing.encode()) == figure.session


@pytest.mark.slow
def test_the_numbers_are_copied_as_a_table_with_tokens(window, qtbot) -> None:
    copy(window, "Copy numbers")
    qtbot.waitUntil(lambda: "Copied the numbers" in banner(window))
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    cells = {cell for row in rows for cell in row}
    assert {"the", "cat", "sat", "on", "mat"} <= {word for cell in cells for word in cell.split()}
    numbers = [float(cell) for cell in cells if re.fullmatch(r"[\d.]+", cell)]
    assert any(abs(number - figure_of(window).panels[0].values[1, 2]) < 1e-4 for number in numbers)


@pytest.mark.slow
def test_only_who_asked_is_told(qapp, qtbot, tmp_path) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    exporter = Exporter(FileDialogs(Preferences(Memory(tmp_path / "memory"), qapp, parent)))
    told: dict[str, list[str]] = {"one": [], "other": []}
    record, figure = Record(lab="a", title="A", learner="Ada"), Figure("note", "Note", (Note("Nothing."),))
    good, bad = tmp_path / "note.csv", tmp_path / "nowhere"
    try:
        for who, path, folder in (("one", good, tmp_path), ("other", bad / "note.csv", bad)):
            say = told[who].append
            exporter.save([request_figure(figure)], path, {}, say, say)
            exporter.report(record, folder, say, say)
            exporter.print_report(record, folder / "report.pdf", say, say)
        qtbot.waitUntil(lambda: all(len(said) == 3 for said in told.values()))
    finally:
        exporter.close()
    assert told["one"] == [f"Saved {tmp_path / name}." for name in ("note.csv", "Ada - a.html", "report.pdf")]
    for said in told["other"]:
        assert said.startswith(f"Not exported: {bad}")
        assert said.endswith(": No such file or directory.")


@pytest.mark.slow
def test_all_plots_in_sight_are_taken_as_they_stand(window, settle) -> None:
    settle(window)
    seen = {name for name in window.workbench.plots if window.cards[f"plot.{name}"].in_view}
    assert window.workbench.in_sight[0].name == "attention"
    assert {figure.name for figure in window.workbench.in_sight} <= seen


# --- The other process ----------------------------------------------------------------------------------------------------


@pytest.mark.own_window
@pytest.mark.slow
def test_an_export_that_was_killed_says_so_and_the_next_one_works(window, begun_processes, qtbot, tmp_path) -> None:
    figure, said = figure_of(window), list[str]()

    def export() -> None:
        window.workbench.exporter.save([request_figure(figure)], tmp_path / "map.csv", {}, said.append, said.append)

    export()
    qtbot.waitUntil(lambda: bool(begun_processes()))
    begun_processes()[0].kill()
    qtbot.waitUntil(lambda: len(said) == 1)
    export()
    qtbot.waitUntil(lambda: len(said) == 2)
    (process,) = begun_processes()  # between two exports
    process.kill()
    process.wait(PATIENT / 1000)
    export()
    qtbot.waitUntil(lambda: len(said) == 3)
    saved = f"Saved {tmp_path / 'map.csv'}."
    assert said == ["The export was interrupted; nothing was written. Try again.", saved, saved]


@pytest.mark.own_window
@pytest.mark.slow
def test_closing_during_an_export_still_writes_the_file(window, begun_processes, qtbot, tmp_path) -> None:
    path = tmp_path / "late.csv"
    figure = figure_of(window)
    window.workbench.exporter.save([request_figure(figure)], path, {}, lambda _: None, lambda _: None)
    qtbot.waitUntil(lambda: bool(begun_processes()))
    window.close()
    qtbot.waitUntil(lambda: not begun_processes())
    assert path.exists()
    assert [found.name for found in tmp_path.iterdir() if found.name.startswith(".posenc")] == []


@pytest.mark.slow
def test_the_dialog_shows_what_lands_in_the_file_and_keeps_what_was_chosen(window, answer, qtbot, tmp_path) -> None:
    panel = window.workbench.plots["attention"]
    panel.ask_and_export()
    (dialog,) = window.findChildren(ExportDialog)
    qtbot.waitUntil(lambda: not dialog.preview.isNull())
    light = dialog.preview.toImage()
    assert (light.width(), light.height(), light.pixelColor(2, 2).name()) == (1280, 720, LIGHT.card)
    themes = dialog.form.editor("theme").findChild(QComboBox)
    themes.setCurrentIndex(1)
    themes.activated.emit(1)
    assert [label.text() for label in dialog.findChildren(QLabel) if label.text().startswith("Drawing")]
    qtbot.waitUntil(lambda: dialog.preview.toImage().pixelColor(2, 2).name() == DARK.card)
    answer(tmp_path / "map.png", PNG)
    choose(window, PNG)
    qtbot.waitUntil(lambda: banner(window) != "")
    saved = QImage(str(tmp_path / "map.png"))
    assert saved.pixelColor(2, 2).name() == DARK.card
    dialogs = window.workbench.exporter.dialogs
    assert (dialogs.looks["theme"], dialogs.kind) == ("dark", ".png")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plot", "told"),
    [
        ("frequencies", "Charts and tables can be edited"),
        ("requirements", "Tables can be edited"),
        ("waves", "becomes a picture"),
    ],
)
def test_the_dialog_says_what_of_a_slide_can_be_edited(plot, told, window, qtbot) -> None:
    wanted = [request_figure(pe.plot(plot, pe.Session()))]
    dialog = ExportDialog(wanted, plot, window.workbench.exporter, print, print, window)
    dialog.show()
    kinds = dialog.findChild(QComboBox, "kind")
    kinds.setCurrentIndex(kinds.findText("PowerPoint"))
    qtbot.waitUntil(lambda: told in told_in(dialog))


@pytest.mark.slow
def test_the_bookmarks_become_a_deck_that_opens_with_them(window, user, answer, qtbot, tmp_path) -> None:
    path = tmp_path / "talk.pptx"
    session = window.workbench.store.session
    kept = tuple(pe.Bookmark(name=name, note=f"Say {name}.", plot="waves", session=session) for name in ("one", "two"))
    open_file(window, pe.Document(session, kept).save(tmp_path / "session.json"))
    user.settle(window)
    close_banner(window)
    answer(path, PPTX)
    action(window, "Export bookmarks").trigger()
    choose(window, PPTX)
    qtbot.waitUntil(lambda: banner(window) == f"Saved {path}.")
    deck = Presentation(str(path))
    assert [slide.notes_slide.notes_text_frame.text.splitlines()[0] for slide in deck.slides] == [
        "Say one.",
        "Say two.",
    ]
    assert all(words_of(slide).count(name) for name, slide in zip(("one", "two"), deck.slides, strict=True))
    assert pe.Document.load(path).bookmarks == kept


def test_a_slide_has_the_bookmark_s_name_unless_its_headline_says_the_same() -> None:
    session = pe.Session(encoding="rope")
    said = quote_runs(pe.plot("waves", session).headline)

    def titled(heading: str) -> str:
        return FigureRequest("waves", "", session=session.to_json(), heading=heading).drawn().title

    assert [titled("Slow and fast"), titled(said), titled("")] == ["Slow and fast", "Waves", "Waves"]


def test_a_bookmark_s_slide_says_of_which_encodings_it_is() -> None:
    session = pe.Session(encoding="rope", other=pe.encoding("rope", base=500_000.0))

    def subject(plot: str, of: pe.Session, heading: str) -> str:
        return FigureRequest(plot, "", session=of.to_json(), heading=heading).drawn().subject

    assert subject("attention", session, "Two bases") == "RoPE, A: base 10,000, B: base 500,000"
    assert subject("attention", pe.Session(encoding="rope"), "Attention: RoPE") == ""


@pytest.mark.slow
def test_a_film_says_what_it_gets_and_takes_and_how_far_it_is_and_can_be_stopped(
    window, user, answer, qtbot, tmp_path
) -> None:
    path = tmp_path / "film.gif"
    path.write_bytes(b"precious")
    bring_forward(window, "clocks")
    user.settle(window)
    window.workbench.plots["clocks"].view.setFocus()
    close_banner(window)
    answer(path, GIF)
    action(window, "Export animation").trigger()
    (dialog,) = window.findChildren(ExportDialog)

    qtbot.waitUntil(lambda: "The whole file takes about" in told_in(dialog))
    assert "One of 64 frames; the film lasts 5.8 s." in told_in(dialog)
    assert re.search(r"and about \d+(\.\d)? (s|min) to make\.", told_in(dialog))
    choose(window, GIF)
    stop = window.statusBar().findChild(QToolButton, "stop-writing")
    qtbot.waitUntil(stop.isVisible)
    assert any(re.fullmatch("Writing “film.gif” ….*%", words) for words in words_seen(window.statusBar()))
    QTest.mouseClick(stop, LEFT)
    qtbot.waitUntil(lambda: banner(window) != "")
    assert "Stopped: nothing was written." in banner(window)
    assert path.read_bytes() == b"precious"
    assert not stop.isVisible()


@pytest.mark.slow
def test_a_film_of_a_sweep_moves_the_swept_value(window, user, answer, qtbot, tmp_path) -> None:
    path = tmp_path / "film.gif"
    user.chooses_encoding(window, "rope")
    bring_forward(window, "sweep")
    user.settle(window)
    answer(path, GIF)
    action(window, "Export animation").trigger()
    choose(window, GIF)
    qtbot.waitUntil(lambda: banner(window) == f"Saved {path}.")
    with Image.open(path) as film:
        assert film.n_frames == 6
    assert pe.Session.load(path).encoding.name == "rope"


@pytest.mark.slow
@pytest.mark.parametrize(("each", "count"), [("Base", 6), ("Sentences: ", None)])
def test_one_plot_becomes_a_deck_over_values_or_sentences(
    window, export_dialog, answer, qtbot, tmp_path, each, count
) -> None:
    path = tmp_path / "talk.pptx"
    answer(path, PPTX)
    choose_each(export_dialog, each)
    choose(window, PPTX)
    qtbot.waitUntil(lambda: banner(window) == f"Saved {path}.")
    written = [words_of(slide) for slide in Presentation(str(path)).slides]
    assert len(written) > 1 if count is None else len({*written}) == len(written) == count


def words_of(slide) -> str:
    return " | ".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)


def choose_each(dialog: ExportDialog, begins: str) -> None:
    """Choose over what one plot becomes many."""
    each = dialog.findChild(QComboBox, "each")
    each.setCurrentIndex(each.findText(begins, Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchCaseSensitive))


def type_each(dialog: ExportDialog, begins: str, lines: str) -> None:
    choose_each(dialog, begins)
    typed = dialog.findChild(QPlainTextEdit, "lines")
    assert typed.isVisible()
    typed.clear()
    for line in lines.split("\n"):
        QTest.keyClicks(typed, line)
        QTest.keyClick(typed, Qt.Key.Key_Return)


@pytest.mark.slow
def test_values_are_typed_one_a_line_and_a_wrong_one_is_told(window, export_dialog, answer, qtbot, tmp_path) -> None:
    path = tmp_path / "talk.pptx"
    answer(path, PPTX)

    type_each(export_dialog, "Base", "20\n3,000\nmany")
    assert "“many”: Base is a number, such as 10,000" in told_in(export_dialog)
    assert not export_dialog.findChild(QPushButton, "save").isEnabled()
    type_each(export_dialog, "Base", "20\n3,000")
    qtbot.waitUntil(lambda: "The whole file takes about" in told_in(export_dialog))
    first = export_dialog.preview.toImage()
    export_dialog.findChild(QSpinBox, "which").setValue(2)
    qtbot.waitUntil(lambda: export_dialog.preview.toImage() != first)
    choose(window, PPTX)
    qtbot.waitUntil(lambda: banner(window) == f"Saved {path}.")
    notes = [slide.notes_slide.notes_text_frame.text for slide in Presentation(str(path)).slides]
    assert len(notes) == 2
    assert all(f"base {base}" in told for base, told in zip(("20", "3,000"), notes, strict=True))


@pytest.mark.slow
def test_sentences_are_typed_and_go_into_a_folder(window, export_dialog, answer, qtbot, tmp_path) -> None:
    answer(tmp_path)
    type_each(export_dialog, "Sentences of your own", "dogs bite men\n\nmen bite dogs")
    kinds = export_dialog.findChild(QComboBox, "kind")
    kinds.setCurrentIndex(kinds.findText("Folder of PNG images"))
    QTest.mouseClick(export_dialog.findChild(QPushButton, "save"), LEFT)
    qtbot.waitUntil(lambda: banner(window) == f"Saved {tmp_path}.")
    texts = [pe.Session.load(path).text for path in sorted(tmp_path.glob("*.png"))]
    assert texts == ["dogs bite men", "men bite dogs"]


def batch_of(begins: str, session: pe.Session) -> Batch:
    return next(one for one in batches(request_figure(pe.plot("waves", session))) if one.title.startswith(begins))


def test_one_plot_can_be_had_of_every_encoding_or_of_those_that_are_left() -> None:
    batch = batch_of("Every encoding", pe.Session())
    wanted = batch.wanted("\n".join(batch.lines))
    assert [pe.Session.from_json(one.session).encoding.name for one in wanted] == list(encodings.classes())
    assert {one.plot for one in wanted} == {"waves"}
    assert [pe.Session.from_json(one.session).encoding.name for one in batch.wanted("rope\nalibi")] == ["rope", "alibi"]


def test_the_encoding_at_hand_keeps_its_parameters_among_all() -> None:
    session = pe.Session(encoding=pe.encoding("rope", base=77.0))
    (own,) = batch_of("Every encoding", session).wanted("rope")
    assert pe.Session.from_json(own.session).encoding == session.encoding


@pytest.mark.parametrize(
    ("begins", "text", "why"),
    [
        ("Every encoding", "rope\nrobe", "“robe”: "),
        ("Base", "-3", "“-3”: "),
        ("Base", "1e400", "“1e400”: "),
        ("Base", "\n \n", "1 to 100 lines"),
        ("Sentences of", "word\n" * 101, "1 to 100 lines"),
    ],
)
def test_a_line_that_can_be_no_picture_is_told_in_one_sentence(begins: str, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as error:
        batch_of(begins, pe.Session()).wanted(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_a_batch_finds_the_model_that_its_figure_says_no_path_of(checkpoint_folder) -> None:
    session = pe.Session(text="dog bites man", model=pe.open_model(checkpoint_folder("bert"), layer=1))
    assert session.for_others.here == session
    one = FigureRequest("attention", "Attention", pe.plot("attention", session))
    of_sentences = next(batch for batch in batches(one) if batch.title == "Sentences of your own")
    (request,) = of_sentences.wanted("man bites dog")
    assert pe.Session.from_json(request.session).model == session.model


def test_proposed_lines_of_every_batch_make_pictures() -> None:
    for batch in batches(request_figure(pe.plot("waves", pe.Session(encoding="rope", other="alibi")))):
        assert len(batch.wanted("\n".join(batch.lines))) == len(batch.lines)


def test_as_colour_blind_readers_see_it() -> None:
    file = io.BytesIO()
    Image.fromarray(np.uint8([[[255, 0, 0, 255], [0, 255, 0, 255], [90, 90, 90, 255]]])).save(file, "PNG")
    for eyes in COLOUR_VISIONS:
        red, green, grey = np.asarray(Image.open(io.BytesIO(simulate(file.getvalue(), eyes)))).astype(int)[0, :, :3]
        assert np.abs(grey - 90).max() <= 1
        apart = np.abs(red - green)[:2].max()
        assert apart > 200 if eyes in ("everyone", "tritanopia") else apart < 160
