"""The export dialog: figures or batches of them, file type, options, and a preview drawn like the file; and what opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from posenc_gui import encodings, plots, render
from posenc_gui.app.documents.document import Documents
from posenc_gui.app.export.export_process import Cost, FigureRequest, request_figure
from posenc_gui.app.export.exporter import Exporter, Say
from posenc_gui.app.widgets.controls import Choices as Chooser
from posenc_gui.app.widgets.controls import TextField, add_to, plain_label, push_button
from posenc_gui.app.widgets.dialogs import PassingDialog
from posenc_gui.app.widgets.forms.editors import MARK_GAP
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.figure.figure import Figure
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen, format_value
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.theme import ICON, PADDING, SECTION, TIGHT
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_bytes, format_count, format_seconds, quote
from posenc_gui.render.colour_blindness import COLOUR_VISIONS
from posenc_gui.render.export_options import ExportOptions, seconds_per_frame
from posenc_gui.scene import example_sentences, sweepable_fields
from posenc_gui.scene.sweepable_fields import SweepableNumber
from posenc_gui.session import settings_by_name
from posenc_gui.session.session import Session
from posenc_gui.session.sweeps import moving_field

KINDS = {
    ".svg": "SVG drawing",
    ".pdf": "PDF",
    ".png": "PNG image",
    ".pptx": "PowerPoint",
    ".gif": "GIF animation",
    ".mp4": "MP4 animation",
    ".html": "Web page",
    ".csv": "CSV numbers",
    ".npz": "NPZ numbers",
    ".json": "JSON numbers",
}
_PICTURES = (".svg", ".pdf", ".png", ".pptx", ".gif", ".mp4")
_PAUSE = 200  # milliseconds without a change before the preview is drawn
_PREVIEW = QSize(640, 360)
_LEFT = 320  # pixels: the fields
_SIZE = _LEFT + 2 * PADDING + SECTION + _PREVIEW.width(), 520  # pixels
_LINES_HEIGHT = 110
_FOLDER = "folder"  # several figures, a file each
_MOST_LINES = 100  # of a batch, a figure each
_QUOTED = 40  # characters of a refused line


@dataclass(frozen=True)
class Batch:
    """A way to export one plot several times: its name, proposed lines, and how a line changes the session."""

    title: str
    lines: tuple[str, ...]
    _one: FigureRequest
    _change: Callable[[str], Session]

    def wanted(self, text: str) -> list[FigureRequest]:
        """Request a figure for each line that isn't blank. Raises ValueError with a one-sentence message for an invalid line,
        and for too few or too many lines."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if not 1 <= len(lines) <= _MOST_LINES:
            raise ValueError(f"{self.title}: give 1 to {_MOST_LINES} lines, a figure each; there are {len(lines):,}.")
        return [FigureRequest(self._one.plot, self._one.title, None, self._session(line).to_json()) for line in lines]

    def _session(self, line: str) -> Session:
        try:
            return self._change(line)
        except ValueError as error:
            raise ValueError(f"{quote(shorten_middle(line, _QUOTED))}: {describe_error(error)}") from None


def batches(one: FigureRequest) -> Iterator[Batch]:
    """Yield the batches that a figure offers; none if it carries no session."""
    if one.figure is None or not one.figure.session:
        return
    session = Session.from_json(one.figure.session).here  # a figure carries no path of a model
    yield Batch("Every encoding", _possible(session), one, partial(_with_encoding, session))
    for number in sweepable_fields.sweepable_numbers(session).values():
        lines = tuple(map(format_value, sweepable_fields.propose_values(session, number)))
        if len(lines) > 1:
            yield Batch(f"{number.title}: values", lines, one, partial(_with_value, session, number))
    change = partial(_with_sentence, session)
    yield Batch("Sentences of your own", tuple(session.text.splitlines()[:1]), one, change)
    for group in example_sentences.sentences():
        texts = tuple(" ".join(known.session["text"].split()) for known in group.sentences)
        yield Batch(f"Sentences: {group.title}", texts, one, change)


def _possible(session: Session) -> tuple[str, ...]:
    found = list[str]()
    for name in dict.fromkeys((*encodings.classes(), session.encoding.name)):
        with suppress(ValueError):
            _with_encoding(session, name)
            found.append(name)
    return tuple(found)


def _with_encoding(session: Session, name: str) -> Session:
    """Return the session with an encoding's defaults; if it already has that encoding, unchanged."""
    return session if name == session.encoding.name else session.changed(encoding=encodings.encoding(name))


def _with_value(session: Session, number: SweepableNumber, line: str) -> Session:
    text = line.replace(",", "").replace("−", "-")
    try:
        value = int(text) if declared_fields.kind(number.declared).type is int else float(text)
    except ValueError:
        raise ValueError(f"{number.title} is a number, such as {format_value(number.value)}") from None
    return sweepable_fields.with_number(session, number, value)


def _with_sentence(session: Session, text: str) -> Session:
    """Return the session with a text; an example sentence brings the settings that belong to it."""
    for group in example_sentences.sentences():
        for known in group.sentences:
            if " ".join(known.session["text"].split()) == text:
                return known.chosen(session)
    return session.changed(text=text)


class ExportDialog(PassingDialog):
    """Asks for export options and writes figures. The options, except the title, are saved for the next time. kind: the
    proposed file type; empty for the last one, or PowerPoint for several figures."""

    def __init__(
        self,
        wanted: Sequence[FigureRequest],
        what: str,
        exporter: Exporter,
        done: Say,
        failed: Say,
        parent: QWidget,
        kind: str = "",
    ) -> None:
        super().__init__(f"Export {what}", parent)
        self._wanted, self._what, self._exporter, self._done, self._failed = tuple(wanted), what, exporter, done, failed
        self._choices = ExportOptions(**exporter.dialogs.looks)
        self.preview = QPixmap()  # of the file; empty until it is drawn
        self._alone = self._wanted
        self._asked_for, self._drawn = 0, -1  # counters: the requested and the drawn preview
        self._editable = ""  # a sentence about what PowerPoint can edit; empty until known
        self._cost: Cost | None = None  # of all figures; None until known
        self._make_fields(kind or (exporter.dialogs.kind if len(self._wanted) == 1 else render.DECK))
        self.form = ModelForm(ExportOptions, self._propose)
        self.form.show_value(self._choices)
        self._shown = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._shown.setObjectName("sunk")
        self._shown.setText("Drawing the picture …")
        self._shown.setMinimumSize(_PREVIEW / 2)
        self._told = plain_label("", "muted")
        copy, cancel = push_button("Copy picture"), push_button("Cancel")
        self._save = push_button("Save as …", accent=True)
        self._save.setObjectName("save")
        self._save.clicked.connect(self._ask_and_save)
        copy.clicked.connect(self._copy)
        copy.setVisible(len(self._wanted) == 1)
        cancel.clicked.connect(self.reject)
        self._copy_button = copy
        self._kind.currentIndexChanged.connect(self._on_kind)
        self._each.currentIndexChanged.connect(self._on_each)
        self._lines.textChanged.connect(self._on_lines)
        self._which.valueChanged.connect(self._draw_soon)
        self._pause = QTimer(self, interval=_PAUSE, singleShot=True)
        self._pause.timeout.connect(self._draw)
        self._lay_out()
        self.add_foot((copy, self._told), (cancel, self._save))
        self._save.setDefault(True)
        self.fit(*_SIZE)
        self._count_pictures()
        self._on_kind()
        self._draw()

    def _make_fields(self, kind: str) -> None:
        """Make the fields beside the form: file type, figures, which one is previewed, and colour vision."""
        self._kind, self._each = Chooser("Kind of file"), Chooser("A figure for each")
        self._kind.setObjectName("kind")
        self._each.setObjectName("each")
        self._each.addItem("This one", None)
        if len(self._wanted) == 1:
            for batch in batches(self._wanted[0]):
                self._each.addItem(batch.title, batch)
        self._lines, self._which = TextField(), QSpinBox(prefix="Picture ", minimum=1)
        self._lines.setObjectName("lines")
        self._lines.setAccessibleName("One a line, a figure each")
        self._lines.setPlaceholderText("One a line")
        self._lines.setFixedHeight(_LINES_HEIGHT)
        self._lines.hide()
        self._which.setObjectName("which")
        self._which.lineEdit().setTextMargins(TIGHT, 0, 0, 0)
        self._which.setAccessibleName("Figure shown")
        self._fill_kinds(kind)
        self._eyes = Chooser("Colours for")
        self._eyes.setObjectName("eyes")
        for eyes in COLOUR_VISIONS:
            self._eyes.addItem(eyes.capitalize(), eyes)
        self._eyes.currentIndexChanged.connect(self._draw_soon)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the preview to the dialog."""
        super().resizeEvent(event)
        self._show_picture()

    def _lay_out(self) -> None:
        fields, column = QFormLayout(), QVBoxLayout()
        fields.addRow("Figures", self._each)
        fields.setRowVisible(self._each, self._each.count() > 1)
        fields.addRow(self._lines)
        fields.addRow("File", self._kind)
        fields.addRow("Colours for", self._eyes)
        titles = [*_titles(fields), *(label for label in self.form.findChildren(QLabel) if label.buddy())]
        for title in titles:
            title.setMinimumWidth(max(one.sizeHint().width() for one in titles))
        add_to(column, fields, self.form, None)
        right = QVBoxLayout()
        right.addWidget(self._shown, 1)
        right.addWidget(self._which, 0, Qt.AlignmentFlag.AlignHCenter)
        whole = QHBoxLayout()
        whole.setSpacing(SECTION)
        left = QWidget()
        left.setLayout(column)
        left.setFixedWidth(scaled(_LEFT))
        column.setContentsMargins(0, 0, 0, 0)
        fields.setVerticalSpacing(TIGHT)
        fields.setHorizontalSpacing(
            TIGHT + scaled(ICON) + 2 + MARK_GAP
        )  # as in the form below, whose fields have marks
        column.setSpacing(TIGHT)
        whole.addWidget(left)
        whole.addLayout(right, 1)
        self.body.addLayout(whole, 1)

    def _fill_kinds(self, chosen: str) -> None:
        """List the file types for one figure, or for several."""
        several = len(self._wanted) > 1
        self._kind.clear()
        for suffix in render.suffixes():
            if not several or suffix in (render.DECK, *render.FILMS):
                self._kind.addItem(KINDS.get(suffix, suffix), suffix)
        if several:
            self._kind.addItem("Folder of PNG images", _FOLDER)
        self._kind.setCurrentIndex(max(0, self._kind.findData(chosen)))

    def _on_each(self) -> None:
        batch = self._each.currentData()
        with QSignalBlocker(self._lines):
            self._lines.setPlainText("\n".join(batch.lines) if batch else "")
        self._lines.setVisible(batch is not None)
        self._on_lines()

    def _on_lines(self) -> None:
        """Request a figure for each typed line; while a line is invalid, nothing can be saved."""
        batch = self._each.currentData()
        try:
            wanted = tuple(batch.wanted(self._lines.toPlainText())) if batch else self._alone
        except ValueError as error:
            self._pause.stop()
            self._save.setEnabled(False)
            self._told.setText(str(error))
            return
        self._save.setEnabled(True)
        changes = (len(wanted) > 1) != (len(self._wanted) > 1)
        self._wanted = wanted
        several = len(wanted) > 1
        if changes:
            with QSignalBlocker(self._kind):
                self._fill_kinds(render.DECK if several else self._exporter.dialogs.kind)
        self._copy_button.setVisible(not several)
        self._count_pictures()
        self._on_kind()
        self._draw_soon()

    def _count_pictures(self) -> None:
        with QSignalBlocker(self._which):
            self._which.setMaximum(len(self._wanted))
        self._which.setSuffix(f" of {len(self._wanted)}")
        self._which.setVisible(len(self._wanted) > 1)

    def _on_kind(self) -> None:
        kind = self._kind.currentData()
        idle = set() if kind == ".svg" else {"lettering"}
        idle |= set() if kind in (".png", ".gif", ".mp4", _FOLDER) else {"size"}
        idle |= set() if kind == render.DECK else {"append", "charts", "title_slide"}
        if kind not in (*_PICTURES, _FOLDER):
            idle |= {"preset", "theme", "transparent"}
        self.form.leave_out(frozenset(idle))
        self._tell()
        if len(self._wanted) > 1 or kind == render.DECK:
            self._draw_soon()

    def _propose(self, choices: Frozen) -> str:
        assert isinstance(choices, ExportOptions)
        self._choices = choices
        self._draw_soon()
        return ""

    def _draw_soon(self, *_: object) -> None:
        self._asked_for += 1
        self._tell()
        self._pause.start()

    def _draw(self) -> None:
        def show(drawn: bytes) -> None:
            self.preview = QPixmap.fromImage(QImage.fromData(drawn))
            self._show_picture()
            self._drawn = asked_for
            self._tell()

        def tell(editable: str) -> None:
            if asked_for == self._asked_for:
                self._editable = editable
                self._tell()

        self._pause.stop()
        asked_for = self._asked_for
        wanted, kind, say = self._wanted[self._which.value() - 1], self._kind.currentData(), self._told.setText
        looks = self._choices.model_dump()
        small = looks | {"size": f"{2 * _PREVIEW.width()}px"}
        told = _alive(self, show), _alive(self, say)
        self._exporter.preview(wanted, small, kind, self._eyes.currentData(), *told)
        self._editable = ""
        if kind == render.DECK:
            self._exporter.tell_editable(wanted, looks, _alive(self, tell), _alive(self, say))
        if len(self._wanted) > 1:
            self._weigh()

    def _weigh(self) -> None:
        kind = self._kind.currentData()

        def tell(cost: Cost) -> None:
            if kind == self._kind.currentData():
                self._cost = cost
                self._tell()

        self._cost = None
        suffix, looks = ".png" if kind == _FOLDER else kind, self._choices.model_dump()
        told = _alive(self, tell), _alive(self, self._told.setText)
        self._exporter.weigh(self._wanted, looks, suffix, *told)

    def _show_picture(self) -> None:
        if not self.preview.isNull():
            kept = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            ratio = self.devicePixelRatioF()
            picture = self.preview.scaled(self._shown.size() * ratio, *kept)
            picture.setDevicePixelRatio(ratio)
            self._shown.setPixmap(picture)

    def _tell(self) -> None:
        kind, count = self._kind.currentData(), len(self._wanted)
        if not self._save.isEnabled():
            return  # the label shows what is wrong with the lines
        if self._drawn != self._asked_for:
            self._told.setText("Drawing the preview …")
            return
        told = "The file will look like this."
        if kind == render.DECK:
            told = self._editable
        elif kind == render.PAGE:
            told = "The page is light or dark as its reader likes; numbers are read at the pointer, by arrow keys and in tables."
        elif kind not in (*_PICTURES, _FOLDER):
            told = "The file will contain the numbers of this figure."
        elif kind in render.FILMS and count > 1:
            length = format_seconds(count * seconds_per_frame(count))
            told = f"One of {count} frames; the film lasts {length}."
        if count > 1:
            told = told if kind in (".gif", ".mp4") else f"{told} One of {count}.".strip()
            told = f"{told} {self._told_cost(kind)}".strip()
        self._told.setText(told)

    def _told_cost(self, kind: str) -> str:
        """The size of all that is written, and how long writing takes; empty until that is known."""
        if self._cost is None:
            return ""
        size, time = format_bytes(self._cost.bytes), format_seconds(self._cost.seconds)
        whole = "All files together take" if kind == _FOLDER else "The whole file takes"
        return f"{whole} about {size}, and about {time} to make."

    def _keep(self) -> None:
        looks = self._choices.model_dump()
        looks["title"] = ""  # belongs to this figure alone
        dialogs, kind = self._exporter.dialogs, self._kind.currentData()
        dialogs.keep_looks(looks, kind if len(self._wanted) == 1 else dialogs.kind)

    def _copy(self) -> None:
        self._keep()
        self._exporter.copy_picture(self._wanted[0], self._choices.model_dump(), self._done, self._failed)
        self.accept()

    def _ask_and_save(self) -> None:
        if path := self._asked():
            self._keep()
            self._exporter.save(self._wanted, path, self._choices.model_dump(), self._done, self._failed)
            self.accept()

    def _asked(self) -> Path | None:
        kind, dialogs, title = self._kind.currentData(), self._exporter.dialogs, f"Export {self._what}"
        if kind == _FOLDER:
            return dialogs.folder_of(self, title)
        filters = {suffix: f"{suffix[1:].upper()} (*{suffix})" for suffix in render.suffixes()}
        first, is_one_plot = self._wanted[0], len({one.plot for one in self._wanted}) == 1
        proposed = f"{first.plot if is_one_plot and not first.document else 'talk'}{kind}"
        extended = kind == render.DECK and self._choices.append
        return dialogs.to_save(self, title, proposed, ";;".join(filters.values()), filters[kind], is_extended=extended)


class ExportCommands(QObject):
    """Opens the dialog from the File menu: for the plot in front, all plots in view, the bookmarks, or an animation."""

    said = Signal(str)  # why nothing was exported, in a sentence
    done = Signal(str)  # what was done, in a sentence

    def __init__(
        self,
        in_front: Callable[[], tuple[str, Figure | None]],
        in_sight: Callable[[], Sequence[Figure]],
        exporter: Exporter,
        documents: Documents,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._in_front, self._in_sight, self._exporter = in_front, in_sight, exporter
        self._documents, self._window = documents, window

    def export_front(self, kind: str = "") -> None:
        """Export the plot in front, at first as this kind of file, or else as the last one was."""
        name, figure = self._in_front()
        if figure is None:
            self.said.emit("Not exported: nothing has been drawn yet.")
        else:
            self._open([request_figure(figure)], plots.find(name).title, kind)

    def export_sight(self) -> None:
        """Export all plots in view, a slide or a file each."""
        figures = self._in_sight()
        what = f"{format_count(len(figures), 'plot')} in view, without those behind other tabs"
        self._open_several([request_figure(figure) for figure in figures], what, "no plot is in view")

    def export_talk(self) -> None:
        """Export the bookmarks, a slide each, with their notes."""
        document, front = self._documents.current, self._in_front()[0]
        carried = document.for_others.to_json()
        wanted = [
            FigureRequest(one.plot or front, one.name, None, one.session.to_json(), one.note, carried, one.name)
            for one in document.bookmarks
        ]
        self._open_several(wanted, "the bookmarks", "there are no bookmarks. Ctrl+D adds one")

    def export_film(self, kind: str = ".gif") -> None:
        """Export the plot in front as an animation: of a sweep over its values, else over its position or the focus."""
        (name, figure), session = self._in_front(), self._documents.current.session
        if figure is not None and figure.frames:
            self._open([request_figure(frame) for frame in figure.frames], f"{figure.title}, animated", kind)
            return
        try:
            field, values = moving_field(name, session)
            steps = [session.changed(**settings_by_name.changed(session, name, {field: value})) for value in values]
        except ValueError as error:
            self.said.emit(f"Not exported: {error}.")
            return
        title = plots.find(name).title
        self._open([FigureRequest(name, title, None, one.to_json()) for one in steps], f"{title}, animated", kind)

    def _open_several(self, wanted: Sequence[FigureRequest], what: str, why_none: str) -> None:
        if wanted:
            self._open(wanted, what)
        else:
            self.said.emit(f"Not exported: {why_none}.")

    def _open(self, wanted: Sequence[FigureRequest], what: str, kind: str = "") -> None:
        ExportDialog(wanted, what, self._exporter, self.done.emit, self.said.emit, self._window, kind).open()


def _titles(fields: QFormLayout) -> Iterator[QLabel]:
    for row in range(fields.rowCount()):
        found = fields.itemAt(row, QFormLayout.ItemRole.LabelRole)
        if found and isinstance(label := found.widget(), QLabel):
            yield label


def _alive(dialog: ExportDialog, act: Callable[..., None]) -> Callable[..., None]:
    """Wrap a callback so that it is dropped once the dialog is gone."""
    gone: list[bool] = []
    dialog.destroyed.connect(lambda: gone.append(True))

    def run(*given: object) -> None:
        if not gone:
            act(*given)

    return run
