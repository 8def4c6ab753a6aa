"""The page that says which encoding some numbers are: it covers the cards until one goes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape
from itertools import zip_longest
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication, QRegion
from PySide6.QtWidgets import QApplication, QFormLayout, QFrame, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from posenc_gui.app.docks.card import Card
from posenc_gui.app.export.export_dialog import ExportDialog
from posenc_gui.app.export.export_process import request_figure
from posenc_gui.app.export.exporter import Exporter
from posenc_gui.app.state.store import Store
from posenc_gui.app.state.worker import Worker
from posenc_gui.app.widgets import controls
from posenc_gui.app.widgets.aloud import Announcer
from posenc_gui.app.widgets.controls import Choices, in_column, in_row, plain_label, push_button, tool_button
from posenc_gui.app.widgets.headline_label import FittedSentence
from posenc_gui.app.widgets.link_rows import LinkRows
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.tab_strip import TabStrip
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.app.window.identifying import Asked, Found, Identifying, example
from posenc_gui.app.window.notifications import Messages
from posenc_gui.encodings.common.conventions import Kind
from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.errors import describe_error, describe_file_error, describe_internal_error
from posenc_gui.foundation.files import atomic
from posenc_gui.foundation.theme import BODY, CAPTION, GAP, HEADLINE, PADDING, SMALL
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import quote
from posenc_gui.identify.as_test import as_npz, as_pytest, verdict_text
from posenc_gui.identify.figures import spoken
from posenc_gui.identify.verdict import TELLS, Candidate
from posenc_gui.render.screen import FigureView

_WELCOME = "Paste numbers that your code prints, and see which encoding they are, and in which convention."
_SUCH_AS = """# A table, a row a position
print(wpe.weight[:8].tolist())
# Cosines, sines or angles
print(cos[0, :8].tolist())
# Frequencies
print(rotary.inv_freq.tolist())
# Rotated queries, then those before
print(q_rotated[0, 0, :8].tolist(), q[0, 0, :8].tolist())
# A bias, slopes or bucket numbers
print(bias[0, :, :8, :8].tolist())"""
_FILES = "Numbers (*.npy *.npz *.safetensors *.pt *.pth *.csv *.txt *.json);;All files (*)"
_TAKES = "Or drop a file of them: .npy, .npz, .safetensors, .pt, .csv or .txt. Nothing in it is executed."
_READS_ALL = Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
_NO_TEXT = "The clipboard holds no text: copy the numbers that your code prints, not a picture of them."
_KINDS: dict[Kind | None, str] = {
    "table": "a table of positions", "cosines": "cosines", "sines": "sines", "waves": "cosines and sines", "angles": "angles",
    "frequencies": "frequencies", "rotated": "rotated queries", "bias": "a bias", "slopes": "slopes", "buckets": "bucket numbers",
}  # fmt: skip
_ROWS: dict[Kind | None, tuple[str, ...]] = {None: ("positions", "dimensions"), "bias": ("heads", "queries", "keys")}
_CHOICES = {"array": "Array", "kind": "They are", "rows": "Rows are"}  # by the field of Asked
_TESTS = "Test for pytest (*.py);;Numbers (*.npz)"
_MOST_SHOWN = 20_000  # characters of what was pasted; all of them are read
_TYPED, _LONG = 400, 300  # milliseconds after which what is typed is read, and after which it is said that work goes on
_COLUMN, _ROOMY, _NARROW = 316, 1080, 760  # pixels: the column; beside it a card for each figure; no mended map
_LOW = 580  # pixels below which one card has all figures
_MOST_LINES = 3  # that are shown at once of what there is to say beyond the verdict


class NumbersField(controls.TextField):
    """A field for numbers as they are printed. Of a long text it shows the beginning, which can't be edited."""

    taken = Signal(str)  # what was typed, or pasted in place of all

    def __init__(self, says: str) -> None:
        super().__init__(tabChangesFocus=True, lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName(says)
        self._typed = controls.delayed(self, lambda: self.taken.emit(self.toPlainText()), _TYPED)
        self.textChanged.connect(self._typed.start)

    def fit(self, height: int) -> None:
        """Take this height and a font of fixed width, at the size of type."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(scaled(CAPTION.size))
        self.setFont(font)
        self.setFixedHeight(scaled(height))

    def show_text(self, text: str) -> None:
        """Show a text in place of the former one."""
        is_cut = len(text) > _MOST_SHOWN
        with QSignalBlocker(self):
            self.setPlainText(f"{text[:_MOST_SHOWN]} …\n{len(text):,} characters; all are read" if is_cut else text)
        self.setReadOnly(is_cut)
        self._typed.stop()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Take what is pasted or dropped in place of all: it may be long."""
        self.show_text(source.text())
        self.taken.emit(source.text())


class FigureCard(QFrame):
    """A figure in a box, or one of several behind tabs, with its caption and Export."""

    def __init__(self, export: Callable[[Figure], None]) -> None:
        super().__init__()
        self.setObjectName("gallery")  # boxed as that
        self._figures: dict[str, Figure] = {}  # by title
        self._front = ""
        self._tabs, self._caption = TabStrip(), controls.elided_label("muted")
        self._title = plain_label("", "cardTitle", wraps=False)  # of a figure that is alone
        self._caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # titles come first
        self.view = FigureView(THEME.roles, headed=True, scrolls=False)
        self._tabs.chosen.connect(self._bring)
        self._export = tool_button("Export", does=lambda: export(self._figures[self._front]))
        head = in_row(self._title, self._tabs, self._caption, self._export, gap=SMALL, grows=self._caption)
        self.column = in_column(head, self.view, of=self, around=SMALL, grows=self.view)
        THEME.changed.connect(self._restyle)

    def show_figures(self, *figures: Figure) -> None:
        """Show one of these figures: of the title that was seen last, or the first."""
        self._figures = {one.title: one for one in figures}
        self._bring(self._front if self._front in self._figures else figures[0].title)

    def _bring(self, title: str) -> None:
        self._front, figure = title, self._figures[title]
        self._tabs.show_tabs({one: one for one in self._figures}, title)
        self._tabs.setVisible(len(self._figures) > 1)
        controls.show_words(self._title, title if len(self._figures) == 1 else "")
        self._caption.setText(figure.caption)
        self._export.setAccessibleName(f"Export {title}")
        self.view.show_figure(figure)

    def _restyle(self) -> None:
        self.view.set_colours(THEME.roles)


class IdentifyPage(QFrame):
    """Takes numbers, and shows their encoding, what else they could be, and what goes wrong where conventions are mixed up."""

    def __init__(self, store: Store, exporter: Exporter, messages: Messages, sentence: Card, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("identify")
        self.setAccessibleName("Identify numbers")
        self._store, self._exporter, self._messages, self._sentence = store, exporter, messages, sentence
        self._before: QWidget | None = None  # what had the keyboard
        self._asked, self._found, self._shows = Asked(), Found(Asked()), False
        self._kept: Candidate | None = None  # the convention that was pressed, which is set against the verdict,
        self._beside: Candidate | None = None  # unless another one is under the pointer
        self._identifying, self._worker, self._heard = Identifying(), Worker(self), Announcer(self)
        self._worker.brought.connect(lambda found: self._show(found) if found.asked == self._asked else None)
        self._worker.failed.connect(lambda error: self._show(Found(self._asked, why=describe_internal_error(error))))
        self._late = controls.delayed(self, lambda: self._tell("Reading and comparing …"), _LONG)
        self._scroll, column = controls.scrolling_column("Numbers")
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to what has the keyboard
        self._fill_column(column)
        self._left, board = in_column(self._scroll), self._make_board()
        in_row(self._left, board, of=self, around=(PADDING, 0, PADDING, 0), gap=GAP, grows=board)
        store.changed.connect(self._request)
        sentence.room_changed.connect(self._make_room)
        THEME.changed.connect(self._restyle)
        self.hide()
        self._request()

    def _restyle(self) -> None:
        self._map.set_colours(THEME.roles)
        self._tell_further(self._found.identified.further if self._found.identified else ())

    def _fill_column(self, column: QVBoxLayout) -> None:
        self._numbers, self._queries = NumbersField("Numbers"), NumbersField("The query before")
        self._numbers.taken.connect(lambda text: self._ask(source=text, array=None, kind=None, rows=None))
        self._queries.taken.connect(lambda text: self._ask(before=text))
        paste = tool_button("Paste", "Paste numbers", hint="Ctrl+V", does=self.paste)
        opens = tool_button("Open", "Open a file of numbers", does=self._open)
        self._map, self._words = FigureView(THEME.roles, headed=True, scrolls=False), plain_label("", "muted")
        self._form = QFormLayout(fieldGrowthPolicy=QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._boxes = {field: Choices(says) for field, says in _CHOICES.items()}
        for field, box in self._boxes.items():
            box.setMinimumContentsLength(1)
            box.activated.connect(lambda _at, field=field, box=box: self._ask(**{field: box.currentData()}))
            self._form.addRow(box.accessibleName(), box)
        self._form.addRow("Before", self._queries)
        self._use = push_button("Use this encoding", self._use_it, accent=True)
        self._copy = push_button("Copy the verdict", self._copy_verdict)
        self._refusal, rows = plain_label("", "refusal"), LinkRows()
        self._such_as = such_as = NumbersField("Lines that print what can be pasted")
        such_as.show_text(_SUCH_AS)
        such_as.setReadOnly(True)
        such_as.hide()
        rows.add("What can be pasted", lambda: such_as.setVisible(such_as.isHidden())).say("five kinds of numbers")
        rows.append(such_as)
        self._test = rows.add("Code", self._save_test)
        self._test.say("a test that says the same")
        head = in_row(plain_label("Numbers", "cardTitle"), None, paste, opens)
        self._does = in_row(self._use, self._copy, gap=SMALL)
        shown = self._map, self._words, self._form, self._does, self._refusal
        sent = plain_label("Nothing is sent: it is compared on this computer.", "muted")
        controls.add_to(column, head, self._numbers, *shown, None, rows, sent)

    def _make_board(self) -> QWidget:
        """Make what stands at the right: the verdict and its figures, or an example to begin with."""
        board, self._headline = QWidget(), FittedSentence(((3, HEADLINE), (4, BODY)))
        back = push_button("Back", self.leave, hint="Back to where you were (Escape)")
        self._try = push_button("Try it with transformers’ cosines", lambda: self.take(example()))
        conventions, left, mixed = self._cards = [FigureCard(self._export) for _ in range(3)]
        for card in self._cards:  # any may show the conventions
            card.view.pointed.connect(lambda pointer, _: self._set_beside(self._candidate_at(pointer)))
            card.view.clicked.connect(self._keep)
        copies = ("Copy the permutation", False), ("Copy as PyTorch", True)
        self._orders = [(QWidget(), controls.elided_label("muted")) for _ in range(2)]  # one each way
        for at, (held, label) in enumerate(self._orders):
            copy = (push_button(words, partial(self._copy_permutation, at, is_code)) for words, is_code in copies)
            in_row(label, *copy, of=held, gap=SMALL, grows=label)
            mixed.column.addWidget(held)
        self._figures, self._blank, self._above = QWidget(), QWidget(), QWidget()
        row, rows = (
            in_row(conventions, left, of=self._above, gap=GAP),
            in_column(self._above, mixed, of=self._figures, gap=GAP),
        )
        for layout, shares in ((row, (64, 36)), (rows, (44, 56))):
            for at, share in enumerate(shares):
                layout.setStretch(at, share)
        self._takes = plain_label(_TAKES, "muted")
        in_column(self._takes, in_row(self._try, None), None, of=self._blank, gap=GAP)
        head = in_row(self._headline, back, gap=PADDING, grows=self._headline)
        self._further = controls.rich_label()
        self._further.setTextInteractionFlags(_READS_ALL)
        self._further.linkActivated.connect(self._follow_link)
        in_column(head, self._further, self._blank, self._figures, of=board, gap=GAP, around=(0, 4, 0, 0))
        return board

    def open(self, room: QRect) -> None:
        """Cover the cards in this rectangle, but for the sentence."""
        if self.isHidden():
            self._before = QApplication.focusWidget()
            self.show()
            self._request()
        self.place(room)
        self._numbers.setFocus(Qt.FocusReason.OtherFocusReason)

    def place(self, room: QRect) -> None:
        """Cover this rectangle, above the cards."""
        self.setGeometry(room)
        self._make_room()
        self._show_figures()
        self.raise_()

    def leave(self) -> bool:
        """Uncover the cards, with the keyboard where it was; return False if they weren't covered."""
        if self.isHidden():
            return False
        before, self._before = self._before, None
        self.hide()
        if before and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def follow(self) -> None:
        """Leave, since the keyboard went to a card that is covered; but not where what had it was just hidden."""
        if self._shows:
            self._numbers.setFocus()
        elif self.isVisible():
            self._before = None
            self.leave()

    @property
    def is_beside_sentence(self) -> bool:
        """True if the sentence's card stands at the top of the window's left column, where it stays in sight."""
        card, at = self._sentence, self._sentence.pos() - self.pos()
        return card.in_view and not card.isFloating() and at.x() < scaled(_COLUMN) / 2 and at.y() < GAP

    def _make_room(self) -> None:
        """Leave out the sentence's card, and fit the column to it and to the size of type."""
        self._numbers.fit(96)
        self._queries.fit(80)
        self._such_as.fit(190)
        self._map.setFixedHeight(scaled(110))
        hole, is_beside = self._sentence.geometry().translated(-self.pos()), self.is_beside_sentence
        self._scroll.setFixedWidth(hole.width() if is_beside else scaled(_COLUMN))
        fits = self._use.sizeHint().width() + self._copy.sizeHint().width() <= self._scroll.width() - 2 * PADDING
        directions = self._does.Direction
        self._does.setDirection(directions.LeftToRight if fits else directions.TopToBottom)
        self._left.setContentsMargins(0, hole.bottom() + GAP if is_beside else 0, 0, 0)
        self.setMask(QRegion(self.rect()) - (QRegion(hole) if is_beside else QRegion()))

    def paste(self) -> None:
        """Take what is on the clipboard: numbers, a file of them, or another text, for the sentence that refuses it."""
        held = QGuiApplication.clipboard().mimeData() or QMimeData()  # None if another program took it
        files = [Path(url.toLocalFile()) for url in held.urls() if url.isLocalFile()]
        if files or held.hasText():
            self.take(files[0] if files else held.text())
        else:
            self._show(Found(self._asked, why=_NO_TEXT))

    def take(self, source: str | Path) -> None:
        """Read numbers from a text or a file, and say what they are."""
        name = quote(shorten_middle(source.name)) if isinstance(source, Path) else ""
        self._numbers.setPlaceholderText(f"From {name}" if name else "")
        self._numbers.show_text("" if isinstance(source, Path) else source)
        self._ask(source=source, array=None, kind=None, rows=None)

    def _open(self) -> None:
        if path := self._exporter.dialogs.to_open(self, "Open numbers", _FILES):
            self.take(path)

    def _ask(self, **changed: Any) -> None:
        self._asked, self._kept, self._beside = replace(self._asked, **changed), None, None
        self._show_old(True)
        self._request()

    def _request(self, *_: object) -> None:
        """Have the worker identify what is asked for, on the sentence as it is now."""
        if not self._asked.source:
            self._show(Found(self._asked, why=_WELCOME))
        elif self.isVisible():
            self._late.start()
            self._worker.submit(partial(self._identifying.work, self._asked, self._store.session, self._beside))

    def _keep(self, pointer: Pointer) -> None:
        if pointer.along("answer") is not None:
            self._kept = self._candidate_at(pointer)
            self._set_beside(self._kept)

    def _set_beside(self, candidate: Candidate | None) -> None:
        if (candidate or self._kept) is not self._beside:
            self._beside = candidate or self._kept
            self._request()

    def _candidate_at(self, pointer: Pointer) -> Candidate | None:
        it, at = self._found.identified, pointer.along("answer")
        return it.others[at - 1] if it and at and at <= len(it.others) else None

    def _tell(self, sentence: str, runs: tuple[Run, ...] = (), further: tuple[str, ...] = ()) -> None:
        """Show a sentence, and have it heard with what there is to say beyond it."""
        self._headline.show_sentence(runs or (Run(sentence),))
        self._heard.say(" ".join((sentence, *further)))

    def _tell_further(self, told: tuple[str, ...], most: int = _MOST_LINES) -> None:
        """Show some sentences, a line each, with their code in fixed width: what numbers can't tell, and what would tell."""
        lines, link = list[str](), f"<a style='color: {THEME.roles.focus}' href="
        for at, line in enumerate(told[:most]):
            words, tells, code = line.partition(TELLS)
            shown = f"{tells}<code>{escape(code)}</code> &nbsp;{link}'{at}'>Copy</a>" if code else ""
            lines.append(escape(words) + shown)
        more = [f"{link}'all'>… {len(told) - most} more</a>"] if len(told) > most else []
        controls.show_words(self._further, "<br>".join((*lines, *more)))
        self._further.setAccessibleName(" ".join(told))

    def _follow_link(self, link: str) -> None:
        further = self._found.identified.further if self._found.identified else ()
        if link == "all":
            self._tell_further(further, len(further))
            self._show_figures()
        else:
            self._put(further[int(link)].partition(TELLS)[2])

    def _show_old(self, is_old: bool) -> None:
        """Fade the verdict and its figures while another one is sought."""
        self._shows = True  # one of them may have the keyboard
        for part in (self._headline, self._further, self._figures, self._use, self._copy, self._test):
            part.setEnabled(not is_old)
        self._shows = False

    def _show(self, found: Found) -> None:
        """Show a verdict with its figures, or a sentence that says why there is none."""
        it, asked = found.identified, found.asked
        if found.drawn:
            self._map.show_figure(found.drawn)
        self._map.setVisible(found.drawn is not None)
        controls.show_words(self._words, found.words)
        if not (it or found.why):
            return  # the verdict is on its way
        self._late.stop()
        self._show_old(False)
        lacks_before = asked.kind == "rotated" and not asked.before and asked != self._found.asked
        is_same = it is not None and it is self._found.identified  # of which all that is told may be unfolded
        self._found, self._shows = found, True
        self._tell(*(it.sentence, spoken(it), it.further) if it else (found.why,))
        if not is_same:
            self._tell_further(it.further if it else ())
        controls.show_words(self._refusal, "")
        for part in (self._takes, self._try):
            part.setVisible(not asked.source)
        self._blank.setVisible(not found.figures)
        self._figures.setVisible(bool(found.figures))
        for button, offered in ((self._use, it and it.encoding), (self._copy, it), (self._test, it)):
            button.setEnabled(bool(offered))
        kind = it.kind if it and it.encoding else None
        rows = _ROWS.get(kind, _ROWS[None]) if it and len(it.axes) > 1 else ()
        found_rows = [axis for axis in it.axes[:-1] if axis in rows] if it and it.encoding else []
        self._fill("array", {None: ""} if found.why else {}, {name: name for name in found.arrays})
        self._fill("kind", {None: f"{_KINDS[kind]} (found)"} if kind else {None: ""}, _KINDS if asked.source else {})
        self._fill("rows", {None: f"{found_rows[-1]} (found)" if found_rows else ""}, {one: one for one in rows})
        self._form.setRowVisible(self._queries, "rotated" in (asked.kind, kind))
        self._show_figures()
        self._shows = False
        if lacks_before:
            self._queries.setFocus()

    def _fill(self, field: str, found: dict[Any, str], choices: dict[Any, str]) -> None:
        """Offer the values of a field, unless there is no choice: what was found, until another one is chosen."""
        box, chosen = self._boxes[field], getattr(self._asked, field)
        box.clear()
        for value, words in {**found, **choices}.items():
            box.addItem("to be found" if value is None and (chosen or not words) else words, value)
        box.setCurrentIndex(max(0, box.findData(chosen)))
        self._form.setRowVisible(box, len(choices) > 1)

    def _show_figures(self) -> None:
        """Show as many figures as have room, each in a card, or two behind tabs."""
        if not (shown := self._found.figures):
            return
        conventions, left, *mixed = shown
        first, beside, below = self._cards
        width = self.width() - self._scroll.width()
        taken = self._headline.heightForWidth(width) + self._further.heightForWidth(width) * bool(self._further.text())
        is_low, is_roomy = self.height() - taken < scaled(_LOW), width >= scaled(_ROOMY)
        mixed = mixed if width >= scaled(_NARROW) else [replace(one, panels=one.panels[:2]) for one in mixed]
        first.show_figures(*((conventions,) if is_roomy else (conventions, left)))
        beside.show_figures(left)
        beside.setVisible(is_roomy)
        self._above.setVisible(not (is_low and mixed))
        below.setVisible(bool(mixed))
        below.show_figures(*(shown if is_low or not mixed else mixed))
        for (held, label), one in zip_longest(self._orders, self._found.orders):
            label.setText(str(one) if one else "")
            held.setVisible(one is not None)

    def _use_it(self) -> None:
        """Give the session this encoding and the first position, in one step of undo, or say why it can't have them."""
        session, it = self._store.session, self._found.identified
        assert it is not None
        assert it.encoding is not None
        start = session.start if it.start is None else it.start
        try:
            session = session.changed(encoding=it.encoding, start=start)
        except ValueError as error:
            controls.show_words(self._refusal, f"Not used: {describe_error(error)}")
            return
        self.leave()
        self._store.replace(session, named="Use the identified encoding")
        told = f"The encoding is now {it.encoding.called}, from position {start}. Undo returns to the former one."
        self._messages.tell(told)

    def _copy_verdict(self) -> None:
        if it := self._found.identified:
            self._put(verdict_text(it))

    def _copy_permutation(self, at: int, as_code: bool, *_: object) -> None:
        one = self._found.orders[at]
        self._put(one.line if as_code else str([*one.order]))

    def _put(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._messages.tell("Copied to the clipboard.")

    def _export(self, figure: Figure) -> None:
        told = self._messages.tell, self._messages.say
        ExportDialog([request_figure(figure)], figure.title, self._exporter, *told, self).open()

    def _save_test(self) -> None:
        dialogs, it = self._exporter.dialogs, self._found.identified
        if it and (path := dialogs.to_save(self, "Save a test that says the same", "test_positions.py", _TESTS)):
            try:
                atomic.write(path, as_npz(it) if path.suffix == ".npz" else as_pytest(it).encode())
            except (OSError, ValueError) as error:
                self._messages.say(f"Not saved: {describe_file_error(error)}")
            else:
                self._messages.tell(f"Saved {path}.")
