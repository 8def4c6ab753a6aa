"""The encoding: which one, what it is, its formula, its parameters and the requirements that it meets."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QComboBox, QMenu, QToolButton, QVBoxLayout, QWidget

from posenc_gui import encodings, ways_in
from posenc_gui.app.card import Card
from posenc_gui.app.controls import Choices, plain, scrolling, tool
from posenc_gui.app.panels.form import ModelForm
from posenc_gui.app.panels.formula import FormulaView
from posenc_gui.app.panels.verdicts import VerdictsView
from posenc_gui.attention.layer import context_of
from posenc_gui.encodings.base import Encoding
from posenc_gui.errors import sentence
from posenc_gui.look import Roles
from posenc_gui.scene import Split
from posenc_gui.session import Session

_DOORS = {"none": "no door", "input": "input door", "rotation": "rotation door", "score": "score door"}

_TAGS = {"none": "no position", "absolute": "absolute", "relative": "relative", "both": "absolute and relative"}


class EncodingPanel(QWidget):
    """Chooses an encoding, shows its card, and edits its parameters."""

    def __init__(
        self, card: Card, propose: Callable[..., str], replace: Callable[[Session], None], theme: Roles
    ) -> None:
        super().__init__()
        self._propose, self._replace = propose, replace
        self._session: Session | None = None
        card.add_button(self._models())
        self._shown: Encoding | None = None
        self._quiet = False
        self._last: dict[str, Encoding] = {}  # the parameters each encoding had when it was left
        self._choice = Choices("Encoding")
        for name, cls in encodings.classes().items():
            self._choice.addItem(cls.title, name)
            self._choice.setItemData(self._choice.count() - 1, cls.summary, Qt.ItemDataRole.ToolTipRole)
        self._choice.currentIndexChanged.connect(self._on_chosen)
        self._refusal = plain(name="refusal")
        self._refusal.hide()
        self._summary, self._remark = plain(), plain()
        self._facts, self._source = plain(name="muted"), plain(name="muted")
        self._formula = FormulaView(theme)
        self.verdicts = VerdictsView()
        self._form: ModelForm | None = None
        self._form_place = QVBoxLayout()

        self._scroll, column = scrolling("Formula and parameters")
        column.setSpacing(8)
        for widget in (self._summary, self._formula, self._remark):
            column.addWidget(widget)
        column.addLayout(self._form_place)
        column.addWidget(self._facts)
        column.addWidget(self._source)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._choice)
        outer.addWidget(self._refusal)
        outer.addWidget(self._scroll, 1)
        outer.addWidget(self.verdicts)

    def show_session(self, session: Session) -> None:
        """Show a session's encoding."""
        self._session = session
        encoding, model = session.encoding, session.model
        self._refuse("")
        with QSignalBlocker(self._choice):
            self._choice.setCurrentIndex(self._choice.findData(encoding.name))
        if type(self._shown) is not type(encoding):
            self._replace_form(encoding)
        self._shown = self._last[encoding.name] = encoding
        if self._form:
            self._form.show_value(encoding)
        shape = (model.d_model, model.n_heads, model.head_width)
        learned = encoding.n_parameters(*shape)
        numbers = f"{learned:,} learned numbers" if learned else "nothing to learn"
        tag = _TAGS[encoding.tag]
        self._summary.setText(encoding.summary)
        self._facts.setText(f"{tag} · {_DOORS[encoding.door]} · {numbers}")
        used = f"\nUsed by: {', '.join(encoding.models)}." if encoding.models else ""
        self._source.setText(f"{encoding.source.authors} {encoding.source.year}: {encoding.source.title}.{used}")

    def show_split(self, split: Split) -> None:
        """Say what becomes of the encoding over so many tokens."""
        if self._session:
            remark = self._session.encoding.remark(context_of(len(split.tokens), self._session.model))
            self._remark.setText(remark)
            self._remark.setVisible(bool(remark) and not self._quiet)

    def show_formula(self, encoding: Encoding, lines: tuple[str, ...]) -> None:
        """Show the typeset formula."""
        formula = encoding.formula
        spoken = "; ".join((formula.query, formula.key, formula.value, *formula.where))
        self._formula.show_lines(lines, f"Formula: {spoken}")

    def forget(self) -> None:
        """Encodings that are chosen from now on have their own parameters, not those they had when they were left."""
        self._last = {}

    def quiet(self, quiet: bool) -> None:
        """Say nothing of what the encoding does, or say it again."""
        self._quiet = quiet
        for said in (self._summary, self._facts):
            said.setHidden(quiet)
        self._remark.setHidden(quiet or not self._remark.text())
        self.verdicts.quiet(quiet)

    def set_theme(self, theme: Roles) -> None:
        """Draw the formula in another theme."""
        self._formula.set_theme(theme)

    def choice(self) -> QComboBox:
        """Where the encoding is chosen."""
        return self._choice

    def form(self) -> ModelForm | None:
        """The form of the encoding's parameters; None where it has none."""
        return self._form

    def _models(self) -> QToolButton:
        button = tool("Models", hint="The encoding of a published model")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        for model in ways_in.models():
            action = menu.addAction(model.description)
            action.triggered.connect(lambda _=False, model=model: self._choose(model))
        button.setMenu(menu)
        return button

    def _choose(self, model: ways_in.ModelWayIn) -> None:
        if self._session:
            try:
                self._replace(model.chosen(self._session))
            except ValueError as error:
                self._refuse(sentence(error))

    def _on_chosen(self) -> None:
        name = self._choice.currentData()
        why = self._propose(encoding=self._last.get(name) or encodings.encoding(name))
        if why and self._shown:
            with QSignalBlocker(self._choice):
                self._choice.setCurrentIndex(self._choice.findData(self._shown.name))
        self._refuse(why)

    def _replace_form(self, encoding: Encoding) -> None:
        if self._form:
            self._form_place.removeWidget(self._form)
            self._form.hide()
            self._form.deleteLater()
        has_parameters = bool(type(encoding).model_fields)
        self._form = ModelForm(type(encoding), lambda value: self._propose(encoding=value)) if has_parameters else None
        if self._form:
            self._form_place.addWidget(self._form)
            self._form.come_after(self._scroll)

    def _refuse(self, why: str) -> None:
        self._refusal.setText(why)
        self._refusal.setVisible(bool(why))
