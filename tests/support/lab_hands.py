"""What a learner does in a lab, by real events on the window's own controls, and what a learner sees of it.

`Learner.reach` knows no lab: it turns the difference between the current session and the one that a step's `solve` gives
into what a user does with the sentence, the chips, the lists and the forms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

import pytest
from hands import LEFT, NO_KEY, User, choose_tab, tabs_of
from lab_answers import right_answer, visited
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QRadioButton,
    QToolButton,
    QWidget,
)

from posenc_gui.app.docks.card import Card
from posenc_gui.app.labs.answer_widgets import AnswerView, ChoiceView, NumberView, OrderView, SketchView, TextView
from posenc_gui.app.labs.sketch_pad import SketchPad
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.link_rows import LinkRow
from posenc_gui.app.window.main_window import MainWindow
from posenc_gui.attention.engine import Engine
from posenc_gui.encodings.common.rope_scalings.base import Named
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition.lab import Prediction, Step
from posenc_gui.labs.definition.lab_library import Way
from posenc_gui.labs.definition.record import Answer
from posenc_gui.labs.play.observe import curves_of
from posenc_gui.labs.play.progress import Play
from posenc_gui.labs.play.sketch import Drawing
from posenc_gui.labs.text import lab_markdown
from posenc_gui.labs.text.lab_markdown import in_line
from posenc_gui.render.screen import FigureView
from posenc_gui.session.session import Session

COMPARED = "compared"
ALT = Qt.KeyboardModifier.AltModifier
REASON = "It seems so to me."

_SHADED = re.compile('<b style="background-color: #[0-9a-f]{6}">([^<]*)</b>')


class Learner:
    """Plays labs in a window."""

    def __init__(self, window: MainWindow, user: User, qtbot: object) -> None:
        self.window, self.user, self.qtbot = window, user, qtbot
        self.panel = window.labs.panel
        self.page = window.labs.panel.step

    # --- what there is

    @property
    def play(self) -> Play:
        """The current play."""
        return self.window.labs.desk.play

    @property
    def step(self) -> Step:
        """The current step."""
        return self.play.step

    @property
    def session(self) -> Session:
        """The current session."""
        return self.window.workbench.store.session

    def sees(self) -> str:
        """All that the page says."""
        return " ".join(plain(label.text()) for label in self._labels() if label.text())

    def shaded(self) -> list[str]:
        """The numbers that the page shades since the plots frame them."""
        return [number for label in self._labels() for number in _SHADED.findall(label.text())]

    def _labels(self) -> list[QLabel]:
        return [label for label in self.page.findChildren(QLabel) if label.isVisibleTo(self.page)]

    def doubt(self) -> str:
        """What the page says against its own explanation."""
        labels = self.page.findChildren(QLabel, "refusal")
        return " ".join(label.text() for label in labels if label.isVisibleTo(self.page))

    def waits(self, ready) -> None:
        """Wait for something."""
        self.qtbot.waitUntil(ready)

    def finds(self, *parts: QWidget) -> None:
        """Wait until all of these are wholly in sight: layouts and scrolling come with later events."""
        self.waits(lambda: all(map(wholly_in_sight, parts)))

    # --- the page's ways

    def begins(self, lab: str) -> None:
        """Click a lab's button where labs begin."""
        self.invited()
        press(self.panel.home.rows[lab])
        assert self.play.lab.name == lab
        assert self.panel.currentWidget() is self.page

    def at(self, lab: str, step: str) -> Self:
        """Begin a lab at a step, as the index does."""
        self.window.labs.follow(Way(question="?", lab=lab, step=step))
        assert self.step.name == step
        return self

    def invited(self) -> None:
        """Follow the line that invites to labs, unless they are there."""
        if self.window.cards["lab"].in_view:
            return
        (row,) = (row for row in self.window.findChildren(LinkRow) if row.accessibleName().startswith("Labs:"))
        press(row)
        self.user.settle(self.window)
        assert self.window.cards["lab"].in_view

    def clicks(self, text: str) -> None:
        """Click a button of the page that is shown, or choose an entry of its menu."""
        if ways := [way for way in self._ways() if way.text() == text]:
            (way,) = ways
            way.trigger()
        else:
            press(self.button(text))

    def button(self, text: str) -> QAbstractButton:
        """A button of the page that is shown."""
        shown = self.panel.currentWidget()
        (found,) = (one for one in shown.findChildren(QAbstractButton) if one.text() == text and one.isVisibleTo(shown))
        return found

    def offers(self, text: str) -> bool:
        """Whether the page that is shown has this button, and it can be pressed."""
        shown = self.panel.currentWidget()
        buttons = [one for one in shown.findChildren(QAbstractButton) if one.text() == text]
        return text in [way.text() for way in self._ways()] or any(
            one.isVisibleTo(shown) and one.isEnabled() for one in buttons
        )

    def _ways(self) -> list[QAction]:
        """What the menu of a step's page offers."""
        more = self.page.more
        return [way for way in more.menu().actions() if way.isVisible()] if more.isVisible() else []

    def goes_on(self) -> None:
        """To the next step, or past the last one."""
        self.clicks("Finish" if self.play.index == len(self.play.lab.steps) - 1 else "Next")

    def passes(self, answer: Answer | None = None) -> None:
        """Do all that a step asks and wait until the lab notices."""
        if self.step.prediction:
            self.answers(right_answer(self.step, self.session) if answer is None else answer)
            self.commits()
        self.reach()
        self.waits(lambda: self.play.phase == "done")

    # --- predictions

    def answers(self, answer: Answer) -> None:
        """Give an answer in its own widget."""
        QApplication.processEvents()  # a widget that was just put into a layout is shown by the next event
        if isinstance(self.page.answer, SketchView):
            self._sketches(answer)
        else:
            give(self.page.answer, self.step.prediction, answer)

    def explains(self, reason: str = REASON) -> None:
        """Type a reason."""
        if self.page.reason.isVisibleTo(self.page):
            self.user.types(self.page.reason, reason)

    def pictures(self) -> dict[str, QAction]:
        """The plots that can be kept with the step, as the menu for it lists them."""
        menu = self.page.picture.menu()
        menu.aboutToShow.emit()
        return {entry.text(): entry for entry in menu.actions()}

    def transfers(self, answer: str) -> None:
        """Answer the question about another case."""
        QApplication.processEvents()
        give(self.page.transfer_answer, self.step.transfer.choice, answer)

    def writes(self, notes: str) -> None:
        """Open the row for the learner's own words, if they are folded, and type them."""
        if not self.page.notes.isVisible():
            press(self.row("Why did it come out so?"))
        self.user.types(self.page.notes, notes)

    def row(self, title: str) -> LinkRow:
        """A row at the page's foot."""
        (found,) = (
            one for one in self.page.findChildren(LinkRow) if one.isVisible() and one.accessibleName().startswith(title)
        )
        return found

    def commits(self) -> None:
        """Type a reason and commit."""
        self.explains()
        press(self.page.commit)

    def pad(self) -> SketchPad:
        """The pad that stands over the plot."""
        card = self.window.cards[f"plot.{self.step.prediction.plot}"]
        self.waits(lambda: any(not one.isHidden() for one in card.findChildren(SketchPad)))
        (found,) = (one for one in card.findChildren(SketchPad) if not one.isHidden())
        return found

    def _sketches(self, curve: Sequence[tuple[float, float]]) -> None:
        pad = self.pad()
        drawing = Drawing(curves_of(self.step.prediction, self.session, Engine()))
        places = [pad.place(drawing.across(x), drawing.up(y)).toPoint() for x, y in curve]
        QTest.mousePress(pad, LEFT, NO_KEY, places[0])
        for place in places[1:]:
            QTest.mouseMove(pad, place)
        QTest.mouseRelease(pad, LEFT, NO_KEY, places[-1])

    # --- the window's own controls

    def changes(self, **fields: object) -> None:
        """Change fields of the session, whichever control does it."""
        self.window.workbench.store.replace(self.session.changed(**fields))

    def reach(self) -> None:
        """Visit what the step asks for, and reach its goal as its solution says it can be, whichever controls do it."""
        store = self.window.workbench.store
        for condition in self.step.visit:
            store.replace(visited(condition, self.session))
            self.waits(lambda text=condition.text: text in self.play.done.visited)
        store.replace(self.step.solved(self.session))

    def asked_for(self) -> dict[str, QWidget]:
        """The controls with which the step's goal is reached, by their cards, the one in front first."""
        workbench, step = self.window.workbench, self.step
        forms = {"encoding": workbench.encoding.form(), "model": workbench.model.form}
        found = {panel: forms[panel].editor(name) for panel in forms for name in step.fields_of(panel)}
        if step.solved(self.session).encoding.name != self.session.encoding.name:
            found["encoding"] = workbench.encoding.choice
        if {"order", "focus"} & step.solve.keys():
            found["tokens"] = workbench.tokens.chips.viewport()
        if "text" in step.solve:
            found["tokens"] = workbench.tokens.text_edit
        if "fill_to" in step.solve:
            found["tokens"] = workbench.tokens.length_form.editor("fill_to")
        for plot in step.played:
            found |= {f"plot.{plot}": workbench.plots[plot].form.editor(name) for name in step.options_of(plot)}
        return dict(sorted(found.items(), key=lambda one: (*step.controls, one[0]).index(one[0])))

    def change_to(self, wanted: Session) -> None:
        """Turn what is different into a user's actions."""
        if wanted.text != self.session.text:
            self.brings("tokens")
            self.user.pastes(self.window, wanted.text)  # half a sentence may reach a goal, too
            self.user.settle(self.window)
        if (wanted.fill, wanted.fill_to) != (self.session.fill, self.session.fill_to):
            self.brings("tokens")
            self._lengthens(wanted)
        if wanted.encoding != self.session.encoding:
            self._encodes(wanted)
        if wanted.model != self.session.model:
            self.brings("model")
            self.fills(self.window.workbench.model.form, self.session.model, wanted.model)
        for plot in type(wanted.plots).model_fields:
            before, after = getattr(self.session.plots, plot), getattr(wanted.plots, plot)
            if before != after:
                self.brings(f"plot.{plot}")
                self.fills(self.window.workbench.plots[plot].form, before, after)
        if wanted.scene.sentence.order != self.session.scene.sentence.order:
            self.brings("tokens")
            self._orders(wanted.scene.sentence.order)
        elif wanted.focused != self.session.focused:
            self.brings("tokens")
            self.chooses_chip(wanted.focused)

    def brings(self, card: str) -> None:
        """Click the tab behind which a card stands, if it does."""
        if self.window.cards[card].in_view:
            return
        self.waits(lambda: len(self._fronts(card)) == 1)  # a new tab is there with the next event
        (front,) = self._fronts(card)
        self.user.settle(self.window)  # a card that has just come to the front lays out its tabs with the next event
        choose_tab(front, self.window.cards[card].windowTitle())
        self.waits(lambda: self.window.cards[card].in_view)

    def _fronts(self, card: str) -> list[Card]:
        title = self.window.cards[card].windowTitle()
        return [front for front in self.window.cards.values() if front.in_view and title in tabs_of(front)]

    def fills(self, form: ModelForm, before: object, after: object) -> None:
        """Change the fields of a form that differ."""
        for field in type(after).model_fields:
            value = getattr(after, field)
            if getattr(before, field) == value:
                continue
            if isinstance(value, Named):  # a member of a group, and then its own fields
                fill(self.user, form.editor(field), type(value).model_config["title"])
                for within, own in value:
                    if own != type(value).model_fields[within].default:
                        fill(self.user, form.editor(f"{field}.{within}"), own)
            else:
                fill(self.user, form.editor(field), value)
        assert form.refusal() == ""

    def chooses_chip(self, index: int) -> None:
        """Click a token."""
        chips = self.window.workbench.tokens.chips
        QTest.mouseClick(chips.viewport(), LEFT, pos=self.chip(index))

    def chip(self, index: int) -> QPoint:
        """The middle of a token."""
        chips = self.window.workbench.tokens.chips
        return chips.visualRect(chips.model().index(index)).center()

    def _reverses(self) -> None:
        """Choose Reverse in the menu below the tokens."""
        (button,) = (
            one
            for one in self.window.workbench.tokens.findChildren(QToolButton)
            if one.menu() and one.menu().actions()[0].text() == "Reverse"
        )
        assert button.isVisible()
        assert button.isEnabled()
        self.window.workbench.tokens.choices()["Reverse"].trigger()

    def _encodes(self, wanted: Session) -> None:
        panel = self.window.workbench.encoding
        self.brings("encoding")
        if wanted.encoding.name != self.session.encoding.name:
            self.user.picks(panel.choice, wanted.encoding.name)
        if wanted.encoding != self.session.encoding:
            self.fills(panel.form(), self.session.encoding, wanted.encoding)

    def _lengthens(self, wanted: Session) -> None:
        """Choose a length in the list of words and tokens."""
        words = f"Repeated to {format_count(wanted.fill_to, wanted.unit)}" if wanted.fill == "repeat" else "As typed"
        (action,) = (one for one in self.window.workbench.tokens.findChildren(QAction) if one.text() == words)
        action.trigger()
        self.user.settle(self.window)

    def _orders(self, order: tuple[int, ...]) -> None:
        """As the hints say: Reverse, or a drag past a neighbour."""
        chips, now = self.window.workbench.tokens.chips, self.session.scene.sentence.order
        others = [place for place, (one, other) in enumerate(zip(now, order, strict=True)) if one != other]
        if order == now[::-1]:
            self._reverses()
        else:
            QTest.mousePress(chips.viewport(), LEFT, NO_KEY, self.chip(others[0]))
            QTest.mouseMove(chips.viewport(), self.chip(others[-1]))
            QTest.mouseRelease(chips.viewport(), LEFT, NO_KEY, self.chip(others[-1]))
        assert self.session.scene.sentence.order == order


def press(button: QWidget) -> None:
    """Click a button that can be seen and pressed."""
    assert button.isVisible(), f"{button} can't be seen"
    assert button.isEnabled(), f"{button} can't be pressed"
    QTest.mouseClick(button, LEFT)


def plain(text: str) -> str:
    """A label's words as they are read, on one line."""
    page = QTextDocument()
    if text.lstrip().startswith("<"):
        page.setHtml(text)
    else:
        page.setPlainText(text)
    return " ".join(page.toPlainText().split())


def told(markdown: str, values: dict[str, str] | None = None) -> str:
    """A lab's words as they are read in the page."""
    return plain(lab_markdown.html(markdown, values or {}, "#000000"))


def fill(user: User, editor: QWidget, value: object) -> None:
    """Give a form's field a value, through the widget that it is."""
    box = editor.focusProxy()
    match box:
        case QCheckBox():
            if box.isChecked() != value:
                QTest.keyClick(box, Qt.Key.Key_Space)
        case QComboBox():
            user.picks(box, value)
        case QAbstractSpinBox():
            user.types(box, f"{value:.10g}")
        case QLineEdit():
            user.types(box, value if isinstance(value, str) else ", ".join(map(str, value)))
        case _:
            raise AssertionError(f"{box} is an editor that no hand knows how to use")


def give(view: AnswerView, prediction: Prediction, answer: Answer) -> None:
    """Answer by clicks and keys."""
    match view:
        case ChoiceView():
            words = in_line(prediction.options[answer])
            (choose,) = (one for one in view.findChildren(QRadioButton) if one.accessibleName() == words)
            assert choose.isVisible()
            QTest.mouseClick(choose, LEFT, pos=choose.rect().center())
        case NumberView():
            QTest.keyClicks(view.findChild(QLineEdit), f"{answer:.6g}")
        case OrderView():
            arrange(view, [prediction.items[name] for name in answer])
        case TextView():
            QTest.keyClicks(view.findChild(QPlainTextEdit), str(answer))
        case _:
            raise AssertionError(f"{view} is an answer that no hand knows how to give")


def arrange(view: OrderView, wanted: list[str]) -> None:
    """Move rows by Alt and arrow keys until they stand so; where they do already, say so."""
    rows, sure = view.findChild(QListView), view.findChild(QCheckBox)
    for target, item in enumerate(wanted):
        place = rows.model().stringList().index(item)
        QTest.mouseClick(rows.viewport(), LEFT, pos=rows.visualRect(rows.model().index(place)).center())
        for _ in range(place - target):
            QTest.keyClick(rows, Qt.Key.Key_Up, ALT)
    assert rows.model().stringList() == wanted
    if not sure.isChecked():
        QTest.keyClick(sure, Qt.Key.Key_Space)


# --- covers, locks, files ---------------------------------------------------------------------------------------------


def is_covered(window: MainWindow, plot: str) -> bool:
    """Whether nothing of a plot can be seen or taken away; fails where only a part of it can."""
    QApplication.processEvents()  # what was just put into a layout is shown by the next event
    card = window.cards[f"plot.{plot}"]
    panel = window.workbench.plots.get(plot)
    if compared := [one for one in card.findChildren(FigureView, COMPARED) if one.isVisibleTo(card)]:
        assert len(compared) == 1  # a sketch beside what was measured stands in the plot's place
        return False
    tools = [one for one in card.findChildren(QToolButton) if one.objectName() in ("copy", "export")]
    seen = [one for one in (panel, *tools) if one is not None and one.isVisibleTo(card)]
    covers = [*card.findChildren(QLabel, "cover"), *card.findChildren(SketchPad)]
    covers = [one for one in covers if one.isVisibleTo(card)]
    assert len(covers) <= 1
    assert bool(covers) != bool(seen), f"{plot}: {covers} over {seen}"
    return bool(covers)


def lock_sign(card: Card) -> str:
    """Why a card can't be changed, as its header says; empty where it can be."""
    signs = ("after your prediction", "locked by the lab")
    return " ".join(one.text() for one in card.findChildren(QLabel) if one.text() in signs and one.isVisibleTo(card))


def wholly_in_sight(widget: QWidget) -> bool:
    """Whether nothing of a widget is cut off or scrolled away."""
    return widget.visibleRegion().boundingRect() == widget.rect()


def arrangement_of(window: MainWindow) -> dict[str, tuple[bool, bool, tuple[int, ...]]]:
    """Which cards are there, where, and in front."""
    return {
        name: (card.isHidden(), card.in_view, card.geometry().getRect() if card.in_view else ())
        for name, card in window.cards.items()
        if name != "lab"
    }


def assert_arranged(window: MainWindow, before: dict[str, tuple[bool, bool, tuple[int, ...]]]) -> None:
    """The cards stand as before, but for a few pixels that Qt gives to another column."""
    for name, (hidden, in_view, box) in arrangement_of(window).items():
        assert (hidden, in_view) == before[name][:2], name
        assert box == pytest.approx(before[name][2], abs=40), name
