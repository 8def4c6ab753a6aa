"""The Encoding card: the choice of an encoding, its description, formula, parameters and requirements; and the Code card."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QPointF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from posenc_gui.app.docks.card import Card
from posenc_gui.app.panels.encoding_chooser import EncodingChoice
from posenc_gui.app.panels.field_form import StrengthForm
from posenc_gui.app.panels.formula_editor import FormulaEditor
from posenc_gui.app.panels.requirements_table import RequirementsTable
from posenc_gui.app.panels.trained_form import TrainedForm
from posenc_gui.app.state.recent_formulas import RecentFormulas
from posenc_gui.app.state.store import where_changed
from posenc_gui.app.widgets.controls import (
    delayed,
    discard,
    explain,
    in_column,
    in_row,
    layout_height,
    plain_label,
    scroll_into_view_soon,
    show_words,
    tool_button,
    wrap_tooltip,
)
from posenc_gui.app.widgets.forms.editors import edited_fields
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.widgets.formula_view import FormulaView
from posenc_gui.app.widgets.link_rows import LinkRow
from posenc_gui.app.widgets.menu_button import Unfolding
from posenc_gui.app.widgets.style_sheet import font_like, scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Door, Encoding, Formula, counted_from
from posenc_gui.encodings.common.trained import TrainedTable
from posenc_gui.encodings.common.typed.program import Fault
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined, describe_error
from posenc_gui.foundation.glossary import GLOSSARY
from posenc_gui.foundation.theme import BODY, CAPTION, CORNER, SMALL, TIGHT
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import inner_case
from posenc_gui.models import encoding_search
from posenc_gui.models.presets import Preset
from posenc_gui.scene import comparison
from posenc_gui.scene.caption import changed_words
from posenc_gui.scene.same_word import on_the_same_words
from posenc_gui.scene.scene import Scene
from posenc_gui.scene.splitting import Split
from posenc_gui.session.first_session import with_toy
from posenc_gui.session.session import Session

_LONGEST_TITLE = 10  # letters
_FORMS_AFTER = 150  # milliseconds after which numbers that are typed into a formula have fields
_LONGEST_CHANGE = 20  # characters of changed parameters in a line of words
_TAGS = {"none": "no position", "absolute": "absolute", "relative": "relative", "both": "absolute and relative"}
_DONE: Final[dict[Door, str]] = {"input": "added", "rotation": "turned", "score": "biased"}
_DOORS: Final[dict[Door, str]] = {
    "input": "at the input: a vector is added at each position",
    "rotation": "by rotation: queries and keys are rotated",
    "score": "at the score: a number is added to it",
}


class EncodingPanel(QWidget):
    """The panel that chooses an encoding, describes it, edits its parameters, and shows which requirements it meets. In
    brief, one line stands for all below the description; pressing it unfolds that."""

    unfolded = Signal()  # by its line

    def __init__(
        self,
        card: Card,
        propose: Callable[..., str],
        replace: Callable[[Session], None],
        as_last_used: Callable[[], Encoding | None],
        formulas: RecentFormulas,
    ) -> None:
        super().__init__()
        self._card = card
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._propose, self._replace, self._as_last_used = propose, replace, as_last_used
        self.formulas, self.formula = formulas, FormulaEditor(lambda own: propose(encoding=own), formulas)
        self.formula.told.connect(self._on_told)
        self._session: Session | None = None
        self._split: Split | None = None
        self._shown: Encoding | None = None
        self._quiet = False
        self.choice = EncodingChoice()
        self.choice.currentIndexChanged.connect(self._on_chosen)
        self.choice.entry_chosen.connect(self._on_entry)
        self.choice.compared.connect(self._on_compared)
        self.trained = TrainedForm(propose)
        self._back = tool_button(
            "To the toy model",
            hint="The toy model and the encoding of a first start; Undo brings this model back",
            does=self._leave_trained,
        )
        for part in (self.trained, self._back):
            part.hide()  # until a session has such a model
        card.add_button(self._back)
        self.former = LinkRow("As last used")
        self.former.clicked.connect(self._take_former)
        self.former.hide()
        self._refusal = plain_label(name="refusal")
        self._refusal.hide()
        self._summary, self._remark, self._told = plain_label("", "muted"), plain_label(), plain_label()
        self._told_of: tuple[object, ...] = ()
        self._doors = DoorsView()
        self._doors.pressed.connect(self.list_door)
        self.strength = StrengthForm(propose)
        self._facts, self._source = plain_label(name="muted"), plain_label(name="muted")
        self.typeset: Formula | None = None  # the formula shown
        self._is_overdue = False
        self._formula = FormulaView()
        self.verdicts = RequirementsTable()
        self._form: ModelForm | None = None
        self._ranges: dict[str, tuple[float, float]] = {}  # of the numbers that its form has from a formula
        self._is_editing = False
        self._reforming = delayed(self, self._renew_form, _FORMS_AFTER)
        self._form_place = QVBoxLayout()
        self._more, self._line = QWidget(), Unfolding(hint="Show all of the encoding")
        self._line.setObjectName("unfold")
        self._line.setMinimumWidth(1)  # it is elided in a narrow card with large type
        self._line.clicked.connect(lambda: self.brief(False))
        self._line.clicked.connect(self.unfolded)
        self._line.hide()
        self._fitting = delayed(self, self._make_room)  # delayed: nothing may be hidden during Qt's layout
        card.room_changed.connect(self._fitting.start)
        self._lay_out()

    def _lay_out(self) -> None:
        self._column = column = in_column(
            self.choice, self.former, self.trained, self._refusal, self._summary, of=self, gap=SMALL
        )
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute  # the button itself runs from right to left
        column.addWidget(self._line, 0, left)
        column.addWidget(self._more)
        self._more.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        typeset = in_row(self._formula, self.formula.copy, gap=TIGHT, grows=self._formula)
        own = (self.formula, self.strength, typeset, self._told, self._remark, self._form_place, self.formula.hints)
        self._inner = in_column(self._doors, *own, self._facts, self._source, of=self._more, gap=SMALL)

    def show_session(self, session: Session) -> None:
        """Show a session's encoding."""
        self._session = session
        encoding, model = session.encoding, session.model
        self._refuse("")
        is_trained = isinstance(model, TrainedModel)
        self._card.setWindowTitle("Model" if is_trained else "Encoding")
        self.choice.setHidden(is_trained)
        self.trained.setVisible(is_trained)
        self._back.setVisible(is_trained)
        self._doors.setDisabled(is_trained)
        if isinstance(model, TrainedModel):
            self.trained.show_session(model, session)
        with QSignalBlocker(self.choice):
            self.choice.show_encoding(encoding)
        self._show_refused(session)
        self._offer_former()
        if type(self._shown) is not type(encoding):
            self._replace_form(encoding)
        elif _ranges(encoding) != self._ranges and not (self._is_editing or self._reforming.isActive()):
            self._reforming.start()  # a drag goes on in its form, and typing on in its field
        self._shown = encoding
        self._show_own(encoding, session)
        self._line.setText(", ".join(("Formula", *_in_brief(encoding), "where it comes in")))
        if self._form and not self._reforming.isActive():
            self._form.show_value(encoding)
            if isinstance(encoding, TrainedTable):  # what is done to it stands in the model's form
                self._form.leave_out(encoding.unread | {"surgery"})
        shape = (model.d_model, model.n_heads, model.head_width)
        learned = encoding.n_parameters(*shape)
        numbers = f"{learned:,} learned numbers" if learned else "nothing to learn"
        tag = _TAGS[encoding.tag]
        self._summary.setText(encoding.summary)
        self._facts.setText(f"{tag} · {numbers}")
        self._doors.show_encoding(encoding)
        self.strength.show_session(session)
        used = f"\nUsed by: {', '.join(encoding.models)}." if encoding.models else ""
        self._mark_formula()
        sources = encoding.sources if encoding.built_in else ()
        published = "\n".join(f"{source.authors} {source.year}: {source.title}." for source in sources)
        self._source.setText(f"{published}{used}")
        self._summary.setToolTip(f"{self._facts.text()}\n\n{self._source.text()}")

    @where_changed(lambda session: (session.model.d_model, session.model.n_heads, session.model.head_width))
    def _show_refused(self, session: Session) -> None:
        """List what the model can't take."""
        model = session.model
        self.choice.refuse(encoding_search.refusals(model.d_model, model.n_heads, model.head_width))

    @property
    def wants_heads(self) -> bool:
        """True if the map of a model's heads is in sight."""
        is_trained = self._session is not None and isinstance(self._session.model, TrainedModel)
        return is_trained and self._card.in_view

    def show_split(self, split: Split) -> None:
        """Show how the encoding acts on the current number of tokens."""
        self._split = split
        if self._session:
            is_trained = isinstance(self._session.model, TrainedModel)
            why_not = split.why if is_trained and split.of == self._session.splitting else ""
            self.trained.show_why_not(why_not)
            if self._form:
                self._form.setHidden(bool(why_not))  # its numbers may not be the model's any more
            self._show_own(self._session.encoding, self._session)
            remark = Scene(self._session).acting.remark(len(split.tokens))
            self._remark.setText(remark)
            self._remark.setVisible(bool(remark) and not self._quiet)

    @property
    def lacks_formula(self) -> bool:
        """True until the formula is that of the session's encoding."""
        return self._session is not None and self._session.encoding.own_equations != self.typeset

    def mark_overdue(self, is_overdue: bool) -> None:
        """Leave out a formula of a former encoding while pictures are long in coming."""
        self._is_overdue = is_overdue
        self._mark_formula()

    def _mark_formula(self) -> None:
        self._formula.mark_old(self.lacks_formula, for_long=self._is_overdue)

    def show_formula(self, encoding: Encoding, lines: tuple[str, ...]) -> None:
        """Show the typeset formula; for input encodings, and a user's own, only its definitions, since the stops above show
        where they act."""
        formula = encoding.own_equations
        if (encoding.door == "input" or not encoding.built_in) and formula.where:
            lines = lines[-len(formula.where) :]
        spoken = "; ".join((formula.query, formula.key, formula.value, *formula.where))
        self.typeset = formula
        self._formula.show_lines(lines, f"Formula: {spoken}")
        self._fitting.start()

    def quiet(self, quiet: bool) -> None:
        """Hide or show what explains the encoding's effect, so that a lab can ask for it."""
        self._quiet = quiet
        self._doors.setHidden(quiet)
        self._summary.setHidden(quiet or self._is_own)
        self._remark.setHidden(quiet or not self._remark.text())
        self._told.setHidden(quiet or not self._told.text() or self.lacks_told)
        self.verdicts.setHidden(quiet)
        self._fitting.start()

    def brief(self, brief: bool) -> None:
        """Fold all below the description into a line, or unfold it."""
        self._line.setVisible(brief)
        self._more.setHidden(brief)
        if brief:
            self._column.insertWidget(self._column.indexOf(self._line), self.formula)
        else:
            self._inner.insertWidget(self._inner.indexOf(self._doors) + 1, self.formula)
        self._fitting.start()

    def ask_for(self, names: tuple[str, ...]) -> None:
        """Scroll to the fields with these names or, if there are none, to the choice of encoding."""
        if self._form:
            self._form.ask_for(names)
        if not names:
            scroll_into_view_soon(self.choice)

    def list_door(self, door: Door) -> None:
        """Open the list at the encodings that come in at a door."""
        self._card.bring()
        if self.choice.isVisibleTo(self):  # a model that has learned keeps its door
            self.choice.list_door(door)

    def _on_entry(self, entry: encoding_search.Entry | Preset) -> None:
        try:
            if not isinstance(entry, Preset):
                self._refuse(self._propose(encoding=self.formulas.chosen(entry, self._shown)))
                if self._is_own:
                    scroll_into_view_soon(self.formula.field)
            elif self._session:
                self._replace(entry.chosen(self._session))
        except ValueError as error:
            self._refuse(describe_error(error))

    def _on_compared(self, one: encoding_search.Entry | Preset) -> None:
        try:
            other = one.encoding if isinstance(one, Preset) else self.formulas.chosen(one, self._shown)
            self._refuse(self._propose(other=other))
        except ValueError as error:
            self._refuse(describe_error(error))

    def _on_chosen(self) -> None:
        chosen = self.choice.currentData()
        self._on_entry(chosen if isinstance(chosen, Preset) else encoding_search.entry(chosen))
        if self._shown:
            with QSignalBlocker(self.choice):
                self.choice.show_encoding(self._shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Check whether everything still fits at the new size."""
        super().resizeEvent(event)
        self._fitting.start()

    def _make_room(self) -> None:
        """If not everything fits, fold the verdicts and show the encoding's facts only in its tooltip."""
        if self._session is None:
            return
        width, gap = self._card.room.width(), self._column.spacing()
        known = {label: label.heightForWidth(width) + gap for label in (self._facts, self._source) if label.text()}
        others = layout_height(self._column, width)
        others -= sum(height for label, height in known.items() if not label.isHidden())
        room = self._card.room.height() + self.verdicts.sizeHint().height() - others  # which stand in the card's foot
        has_rows = room >= self.verdicts.height_of_rows
        room -= self.verdicts.height_of_rows if has_rows else self.verdicts.head.sizeHint().height()
        # Qt's least height of a scrolled column has up to a line more than its wrapped words take in this width.
        has_known = room >= sum(known.values()) + self.fontMetrics().lineSpacing()
        self.verdicts.give_room(has_rows)
        self._facts.setVisible(has_known and not self._quiet)
        self._source.setVisible(has_known and bool(self._source.text()))
        if self._form:
            self._form.bring_asked_for()

    def form(self) -> ModelForm | None:
        """Return the form of the encoding's parameters; None if it has none."""
        return self._form

    def _replace_form(self, encoding: Encoding) -> None:
        if self._form:
            self._form.take_back()  # discard half-typed values
            self._form_place.removeWidget(self._form)
            discard(self._form)
        self._ranges = _ranges(encoding)
        self._reforming.stop()
        has_parameters = bool(edited_fields(encoding))
        folds = encoding.built_in and not isinstance(encoding, TrainedTable)  # all numbers of a formula are in sight
        self._form = ModelForm(encoding, self._on_edited, folds=folds) if has_parameters else None
        if self._form:
            self._form_place.addWidget(self._form)
        self._inner.removeWidget(self.strength)  # it stands below all of a user's own formula
        above = self._doors if encoding.built_in else self.formula.hints
        self._inner.insertWidget(self._inner.indexOf(above) + 1, self.strength)

    def _renew_form(self) -> None:
        if self._shown:
            self._replace_form(self._shown)

    def _offer_former(self) -> None:
        """Offer the parameters with which the encoding was last used, where it was chosen anew and came without them."""
        former = self._as_last_used()
        self.former.setVisible(former is not None)
        if former is not None:
            self.former.say(", ".join(changed_words(former)) or "at its defaults")

    def _take_former(self) -> None:
        former = self._as_last_used()
        if former is not None and self._session is not None:
            self.choice.setFocus()  # the button is about to go
            self._replace(self._session.changed(encoding=former))

    def _leave_trained(self) -> None:
        if self._session:
            toy = with_toy(self._session)
            self._replace(on_the_same_words(toy, toy.split_at_once, self._session, self._split))

    def _on_edited(self, encoding: Frozen) -> str:
        """Propose a form's value; not that of a form that was replaced, to whose closed lists Qt still gives keys."""
        self._is_editing = True
        try:
            return self._propose(encoding=encoding) if type(encoding) is type(self._shown) else ""
        finally:
            self._is_editing = False

    # --- Your own formula ------------------------------------------------------------------------------------------

    @property
    def _is_own(self) -> bool:
        return self._shown is not None and not self._shown.built_in

    def _show_own(self, encoding: Encoding, session: Session) -> None:
        self.formula.show_encoding(encoding, session, len(self._split.tokens) if self._split else 1)
        self._formula.setToolTip(wrap_tooltip(self.formula.explained) if self._is_own else "")
        for part in (self.formula, self.formula.hints, self.formula.copy):
            part.setVisible(self._is_own)
        self._summary.setHidden(self._quiet or self._is_own)
        if self.lacks_told or not self._is_own:
            self._told.hide()
        self._on_told(self.formula.refusal())

    @property
    def lacks_told(self) -> bool:
        """True until it is told what the user's own formula is."""
        return self._is_own and self._session is not None and _told_by(self._session) != self._told_of

    def show_told(self, session: Session, told: str | Fault) -> None:
        """Show which encoding the user's own formula is in a session, or where it has no values."""
        self._told_of = _told_by(session)
        if not self.lacks_told:
            self.formula.show_undefined(told if isinstance(told, Fault) else None)
            self._told.setText("" if isinstance(told, Fault) else told)
            self._told.setHidden(self._quiet or not self._told.text())
            self._fitting.start()

    def _on_told(self, why: str) -> None:
        """Show the typeset formula and its numbers, unless another one is being typed that can't be read."""
        self._formula.setHidden(bool(why) and self._is_own)
        self.formula.copy.setVisible(self._is_own and not why)
        if self._form:
            self._form.setDisabled(bool(why) and self._is_own)

    def _refuse(self, why: str) -> None:
        show_words(self._refusal, why)


def _in_brief(encoding: Encoding) -> list[str]:
    """Return what a line of words says of the parameters: those that are changed, or else the first one's title if short."""
    if changed := changed_words(encoding):
        return [shorten_middle(", ".join(changed), _LONGEST_CHANGE)]
    titles = [inner_case(field.title or name) for name, field in edited_fields(encoding).items()]
    return [title for title in titles[:1] if len(title) <= _LONGEST_TITLE]


def _told_by(session: Session) -> tuple[object, ...]:
    """Return what the sentence on a formula depends on."""
    return session.encoding, session.model, session.splitting, session.start


def _ranges(encoding: Encoding) -> dict[str, tuple[float, float]]:
    """Return the ranges of the numbers that a formula names; of built-in encodings none."""
    return {name: declared_fields.bounds(field) for name, (field, _) in encoding.also_declared.items()}


class CodePanel(QWidget):
    """The encoding's code with the current parameters filled in; when two encodings are compared, A's and then B's."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setAccessibleName("PyTorch code of the encoding")
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.identify = tool_button("Identify numbers", hint="Paste numbers that your code prints")
        in_column(self._text, in_row(plain_label("Are yours the same?", "muted"), self.identify), of=self)
        card.add_button(tool_button("Copy", "Copy the code", hint="Copy the code", does=self._copy))

    @where_changed(lambda session: (session.encoding, session.other, session.strength, session.model, session.start))
    def show_session(self, session: Session) -> None:
        """Show the code of a session's encodings, with the shape of its model."""
        code = _code_of(session)
        if code != self._text.toPlainText():
            self._text.setPlainText(code)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text.toPlainText())


def _code_of(session: Session) -> str:
    scene, model = Scene(session).acting, session.model
    shape = (model.d_model, model.n_heads, model.head_width, model.causal)
    if scene.other is None:
        return counted_from(scene.start, _of_one(scene.encoding, *shape))
    both = zip(comparison.names(scene), (scene.encoding, scene.other), strict=True)
    return counted_from(scene.start, "\n\n".join(f"# {name}\n{_of_one(encoding, *shape)}" for name, encoding in both))


def _of_one(encoding: Encoding, d_model: int, n_heads: int, d_head: int, causal: bool) -> str:
    try:
        return encoding.code(d_model, n_heads, d_head, causal)
    except Undefined as why:
        return f"# {why}"


class DoorsView(QWidget):
    """The three doors as buttons; the one at which the encoding acts is open. Without an encoding, none is."""

    pressed = Signal(str)  # the door whose encodings are asked for

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.doors = {door: DoorButton(door) for door in _DOORS}
        for door, button in self.doors.items():
            button.clicked.connect(partial(self.pressed.emit, door))
        line = in_row(*self.doors.values(), gap=scaled(2 * SMALL))
        in_column(plain_label("Where position comes in", "muted", wraps=False), line, of=self, gap=TIGHT)

    def show_encoding(self, encoding: Encoding) -> None:
        """Show at which door an encoding acts."""
        where = _DOORS.get(encoding.door, "nowhere: no position is added")
        self.setAccessibleName(f"Where position comes in: {where}")
        explain(self, f"{encoding.titled}: {where}.\n\n{GLOSSARY['Door']}")
        for door, button in self.doors.items():
            button.open_up(is_open=door == encoding.door)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line on which the doors stand."""
        first, *_, last = self.doors.values()
        height = first.geometry().center().y() + 0.5
        painter = QPainter(self)
        painter.setPen(QPen(QColor(THEME.roles.muted), 1))
        painter.drawLine(QPointF(first.geometry().center().x(), height), QPointF(last.geometry().center().x(), height))
        painter.end()


class DoorButton(QAbstractButton):
    """A door with its name and what is done there; a press asks for the encodings that come in there."""

    def __init__(self, door: Door) -> None:
        super().__init__()
        self._door, self._is_open = door, False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        explain(self, f"Position comes in {_DOORS[door]}. Press to see the encodings that do so.")

    def open_up(self, *, is_open: bool) -> None:
        """Show the door open or closed."""
        self._is_open = is_open
        self.setAccessibleName(f"Door {self._door}, {'open' if is_open else 'closed'}")
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of two lines."""
        lines = (QFontMetrics(font_like(self.font(), size)).height() for size in (BODY, CAPTION))
        return QSize(0, sum(lines) + scaled(SMALL))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a frame with the door's name above what is done there."""
        painter, theme = QPainter(self), THEME.roles
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = theme.focus if self._is_open else theme.ink
        broad = self._is_open or self.hasFocus()
        edge = theme.focus if broad else theme.ink if self.underMouse() else theme.edge
        ground, wash = QColor(theme.field), QColor(theme.focus)
        wash.setAlphaF(0.12)
        box = self.rect().toRectF().adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        for fill in (ground, wash) if self._is_open else (ground,):
            painter.setBrush(fill)
            painter.drawRoundedRect(box, CORNER, CORNER)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(edge), 2 if broad else 1))
        painter.drawRoundedRect(box, CORNER, CORNER)
        inside = box.adjusted(0, TIGHT, 0, -TIGHT)
        centre = Qt.AlignmentFlag.AlignHCenter
        painter.setFont(font_like(self.font(), BODY, bold=self._is_open))
        painter.setPen(QColor(ink))
        painter.drawText(inside, centre | Qt.AlignmentFlag.AlignTop, self._door)
        painter.setFont(font_like(self.font(), CAPTION))
        painter.setPen(QColor(ink if self._is_open else theme.muted))
        painter.drawText(inside, centre | Qt.AlignmentFlag.AlignBottom, _DONE[self._door])
        painter.end()
