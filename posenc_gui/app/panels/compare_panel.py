"""The Compare card: A beside B, one row per parameter, and the verdicts on both; and what turns comparing on and off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from posenc_gui import encodings
from posenc_gui.app.docks.card import Card
from posenc_gui.app.panels.compare_grid import SIDES, RowTitle, Side, SideGrid, encodings_of, narrow
from posenc_gui.app.panels.compare_parameters import ParameterRows, RowsShape, parameters
from posenc_gui.app.panels.field_form import StrengthForm
from posenc_gui.app.panels.formula_editor import FormulaEditor
from posenc_gui.app.panels.verdicts import TwoVerdicts
from posenc_gui.app.state.recent_formulas import RecentFormulas
from posenc_gui.app.state.store import Store, where_changed
from posenc_gui.app.widgets.controls import Choices, in_column, plain_label, show_words, tool_button
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.any_encoding import AnyEncoding
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.wording import format_count
from posenc_gui.models.encoding_search import fitting
from posenc_gui.models.presets import presets_shown_by
from posenc_gui.scene import surgeries
from posenc_gui.scene.splitting import Split
from posenc_gui.session.session import Session

_BELOW = 500  # a row below all parameters; empty rows have no height


def _offered_to(session: Session) -> tuple[Mapping[str, Encoding], str]:
    """Return the encodings that can be tried on a session's model, and the name of a trained one, after which some are called."""
    model = session.model
    return fitting(model), model.name if isinstance(model, TrainedModel) else ""


class ComparePanel(QWidget):
    """The panel that chooses A and B, edits, swaps and copies their parameters, and shows the verdicts on both."""

    def __init__(
        self, card: Card, propose: Callable[..., str], replace: Callable[[Session], None], formulas: RecentFormulas
    ) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._propose, self._replace = propose, replace
        self._session: Session | None = None
        self._offered: Mapping[str, Encoding] = {}
        self._apart: set[str] = set()  # shared parameters that have a separate field on each side
        self.rows: ParameterRows | None = None
        self.choices: dict[Side, Choices] = {side: self._choice(side) for side in SIDES}
        self._refusal = plain_label(name="refusal")
        self._refusal.hide()
        self._formulas, self._n_tokens = formulas, 1
        self.formulas = {
            side: FormulaEditor(partial(self._set, side), formulas, f" of {letter}") for side, letter in SIDES.items()
        }
        self._order_title, self._order = RowTitle("Order"), plain_label("not as typed", name="muted")
        self._model = plain_label(name="muted")
        self._layers = plain_label(name="muted")
        self._swap = tool_button("Swap", "Swap A and B", hint="Exchange A and B", does=self._on_swap)
        self._copy = tool_button("A → B", "Copy A to B", hint="Make B the same as A", does=self._on_copy)
        self._grid = SideGrid()
        self._grid.add_badges(0)
        self._grid.add(1, RowTitle("Encoding"), *self.choices.values())
        self._grid.add_below(2, self._refusal)
        for row, editor in enumerate(self.formulas.values(), start=3):
            self._grid.add_below(row, editor)
        self._grid.add_once(_BELOW, self._order_title, self._order)
        self._grid.add_once(_BELOW + 1, RowTitle("Model"), self._model)
        for button in (self._swap, self._copy):
            card.add_button(button)  # in the header, where it stays visible however many parameters there are
        self.strength = StrengthForm(propose)
        self.verdicts = TwoVerdicts()
        in_column(self._layers, self._grid, self.strength, self.verdicts, of=self)

    def show_session(self, session: Session) -> None:
        """Show a session's encodings. If it has only A, B can be chosen."""
        self._session = session
        self._offer(session)
        for side, choice in self.choices.items():
            encoding = encodings_of(session).get(side)
            with QSignalBlocker(choice):
                choice.setCurrentIndex(-1 if encoding is None else choice.findData(encoding.name))
        compared = session.other is not None
        self._swap.setEnabled(compared)
        self._copy.setEnabled(compared and session.encoding != session.other)
        self._show_encodings(session)
        self._show_formulas(session)
        self.strength.show_session(session)
        model = session.model
        for part in (self._order_title, self._order):  # hide the row for the default order
            part.setVisible(bool(session.order))
        shape = f"{format_count(model.d_model, 'dimension')}, {format_count(model.n_heads, 'head')}"
        self._show_layers(session)
        self._model.setText(f"toy, {shape}" if isinstance(model, ToyModel) else f"{model.name}, layer {model.layer}")

    @where_changed(lambda session: (session.model, session.trained_length, session.encoding, session.other))
    def _show_layers(self, session: Session) -> None:
        """Say which layers of a published model turn how."""
        layered = (f"{one.title}: {', '.join(one.turns)}." for one in presets_shown_by(session) if one.turns)
        show_words(self._layers, " ".join(layered))

    def show_split(self, split: Split) -> None:
        """Take the number of tokens, for what symbols of formulas mean."""
        self._n_tokens = len(split.tokens)

    def _show_formulas(self, session: Session) -> None:
        for side, editor in self.formulas.items():
            encoding = encodings_of(session).get(side)
            editor.setVisible(encoding is not None and not encoding.built_in)
            if encoding is not None:
                editor.show_encoding(encoding, session, self._n_tokens)

    def take_back(self) -> None:
        """Discard refused values in the fields, as undo does."""
        self._refuse("")
        for editor in self.formulas.values():
            editor.take_back()
        if self.rows:
            self.rows.take_back()

    def refusal(self) -> str:
        """Return the refusals shown, one per line; empty if there are none."""
        return "\n".join(filter(None, (self._refusal.text(), *(self.rows.refusals() if self.rows else ()))))

    def refused(self) -> list[str]:
        """Return the titles of the parameters whose fields hold a refused value."""
        return self.rows.refused() if self.rows else []

    def _choice(self, side: Side) -> Choices:
        choice = Choices(f"Encoding of {SIDES[side]}")
        choice.setPlaceholderText("Choose …")
        narrow(choice)
        choice.currentIndexChanged.connect(lambda: self._on_chosen(side))
        return choice

    @where_changed(encodings_of)
    def _show_encodings(self, session: Session) -> None:
        """Show the encodings' parameters, and no refusal of others."""
        self._refuse("")
        self._show_parameters(session)

    @where_changed(_offered_to)
    def _offer(self, session: Session) -> None:
        """List the encodings that can be tried on the model; of one that has learned none are its own zeroed, or turned off."""
        model = session.model
        self._offered = fitting(model)
        for choice in self.choices.values():
            with QSignalBlocker(choice):
                choice.clear()
                for name, one in self._offered.items():
                    title = one.title
                    if isinstance(model, TrainedModel) and one.door == "none":
                        title = surgeries.done(model, one)
                    choice.addItem(title, name)
                    choice.setItemData(choice.count() - 1, one.summary, Qt.ItemDataRole.ToolTipRole)

    def _on_chosen(self, side: Side) -> None:
        if self._session is None:
            return
        name = self.choices[side].currentData()
        beside = self._session.other if side == "encoding" else self._session.encoding
        offered = self._offered[name]
        if not offered.built_in and isinstance(self._session.model, ToyModel):
            offered = self._formulas.last(name)
        # If both sides use the same encoding, start with the other side's parameters, so that only changes differ.
        self._set(side, beside if beside is not None and beside.name == name else offered)

    def _set(self, side: Side, encoding: Encoding) -> str:
        why = self._propose(**{side: encoding})
        if why and self._session:
            self.show_session(self._session)
        self._refuse(why)
        return why

    def _on_swap(self) -> None:
        if self._session and self._session.other is not None:
            self._replace(self._session.swapped())

    def _on_copy(self) -> None:
        if self._session:
            self._set("other", self._session.encoding)

    def _refuse(self, why: str) -> None:
        show_words(self._refusal, why)

    # --- Parameters ------------------------------------------------------------------------------------------------

    def _show_parameters(self, session: Session) -> None:
        own = encodings_of(session)
        known = {side: {one.name: one for one in parameters(encoding)} for side, encoding in own.items()}
        are_alike = type(session.encoding) is type(session.other)
        both = known["encoding"].keys() & known["other"].keys() if are_alike else set()
        self._apart |= {name for name in both if len({declared_fields.value_at(one, name) for one in own.values()}) > 1}
        self._apart &= set().union(*known.values())
        shape = RowsShape(known, frozenset(both), frozenset(self._apart))
        if self.rows is None or not (self.rows.shape == shape or self.rows.edits_formula(shape)):
            if self.rows is not None:
                self.rows.leave()
            self.rows = ParameterRows(self._grid, shape, own, self._propose, self._on_sign)
        self.rows.show_sides(own)

    def _on_sign(self, name: str) -> None:
        """Separate a shared parameter into two values, or join them again by giving B the value of A."""
        session = self._session
        if session is None or session.other is None or self.rows is None:
            return
        if name not in self._apart:
            self._apart.add(name)
            self._show_parameters(session)
            # Focus as by Tab, which selects the value so that typing replaces it.
            self.rows.editors["other", name].setFocus(Qt.FocusReason.TabFocusReason)
            return
        self._apart.discard(name)
        value = declared_fields.value_at(session.encoding, name)
        if value == declared_fields.value_at(session.other, name):
            self._show_parameters(session)
        else:
            self._set("other", declared_fields.with_values(session.other, {name: value}))
        (self.rows.once.get(name) or self.rows.signs[name]).setFocus()  # still separate if joining was refused


class CompareMode:
    """Adds a second encoding to the session or removes it; the last one comes back. A model that has learned is compared with
    itself: A is what stands there instead of its own positions, at first nothing, B its own."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last: AnyEncoding | None = None

    @property
    def is_on(self) -> bool:
        """True while two encodings are compared."""
        return self._store.session.other is not None

    def turn(self, on: bool) -> str:
        """Turn comparing on or off. Return a sentence if that is refused, else an empty text."""
        session = self._store.session
        if on == self.is_on:
            return ""
        if on:
            return self._store.propose(**to_compare(session, self._last))
        if isinstance(session.model, TrainedModel):
            without = session.encoding == encodings.encoding("none")
            return self._store.propose(encoding=session.other if without else session.encoding, other=None)
        self._last = session.other
        return self._store.propose(other=None)


def to_compare(session: Session, last: AnyEncoding | None = None) -> dict[str, AnyEncoding]:
    """Return the fields by which a session comes to compare: with the `last` encoding that it was compared with, or a
    familiar one."""
    if isinstance(session.model, TrainedModel):
        own = session.model.encoding
        return {"encoding": encodings.encoding("none") if session.encoding == own else session.encoding, "other": own}
    return {"other": last or encodings.encoding("sinusoidal" if session.encoding.name == "rope" else "rope")}
