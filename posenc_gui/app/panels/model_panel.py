"""The toy model: its shape and weights as a form, its token vectors as an editable table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QLabel, QTableWidget, QTableWidgetItem, QWidget

from posenc_gui.app.panels.field_form import FieldForm
from posenc_gui.app.state.store import where_changed
from posenc_gui.app.widgets.controls import add_to, in_column, plain_label, scrolling_column, show_words, tool_button
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_number, quote
from posenc_gui.models.presets import Preset, presets_shown_by
from posenc_gui.scene.splitting import Split
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import Session
from posenc_gui.text.token_sequence import entry_of
from posenc_gui.text.tokenization import format_token

_MOST_DIMENSIONS, _MOST_TOKENS = 8, 12  # largest table that is shown for editing
_LONGEST_NAME = 20  # code points of a token in the row's title
_LEARNED = "This model has learned its weights and vectors: nothing of them can be set here."
_LARGEST = 1e6  # largest entry of a vector: scores are products of them, and float32 overflows at 3e38


class ModelPanel(QWidget):
    """The panel that edits the toy model; of a model that has learned it says where that is seen."""

    def __init__(self, propose: Callable[..., str]) -> None:
        super().__init__()
        self._session: Session | None = None
        self.form = ModelForm(ToyModel, lambda model: propose(model=model), defaults=first_session().model)
        self.vectors = VectorsTable(lambda model: propose(model=model))
        scroll, column = scrolling_column("Parameters of the toy model")
        self.published = plain_label("", "muted")
        self.trained_length = FieldForm("trained_length", propose, lambda session: isinstance(session.model, ToyModel))
        add_to(column, self.form, self.trained_length, self.published, self.vectors, None)
        in_column(scroll, of=self)

    def show_session(self, session: Session) -> None:
        """Show a session's model."""
        self._session = session
        self._show_model(session)

    @where_changed(lambda session: (session.model, session.trained_length, session.encoding, session.other))
    def _show_model(self, session: Session) -> None:
        is_toy = isinstance(session.model, ToyModel)
        for part in (self.form, self.vectors):
            part.setVisible(is_toy)
        if isinstance(session.model, ToyModel):
            self.form.show_value(session.model)
        self.trained_length.show_session(session)
        told = [_told(preset) for preset in presets_shown_by(session)] if is_toy else [_LEARNED]
        show_words(self.published, "\n\n".join(told))

    def show_split(self, split: Split) -> None:
        """Show the tokens' vectors."""
        if self._session and isinstance(self._session.model, ToyModel):
            self.vectors.show_vectors(self._session.model, self._session.standing(split.tokens), self._session.unit)


class VectorsTable(QWidget):
    """The vectors of the sentence's tokens, drawn from a random seed or typed in."""

    def __init__(self, propose: Callable[[ToyModel], str]) -> None:
        super().__init__()
        self._propose = propose
        self._model = ToyModel()
        self._tokens: tuple[str, ...] = ()
        self._help = plain_label("", "muted")
        self.table = QTableWidget()
        self.table.cellChanged.connect(self._on_typed)
        self._seeded = tool_button(
            "Seeded again",
            "Discard the typed vectors and use the seeded ones",
            does=lambda: self._propose(self._model.model_copy(update={"vectors": ()})),
        )
        self._title = QLabel()
        in_column(self._title, self._help, self.table, self._seeded, of=self, around=(0, 8, 0, 0))

    def show_vectors(self, model: ToyModel, sentence: tuple[str, ...], unit: str) -> None:
        """Show the vectors of a sentence's tokens if the table is small enough to read."""
        tokens = tuple(dict.fromkeys(sentence if model.d_model <= _MOST_DIMENSIONS else ()))
        fits = 0 < len(tokens) <= _MOST_TOKENS
        self.table.setVisible(fits)
        self._seeded.setVisible(bool(model.vectors))
        title = f"{unit.capitalize()} vectors"
        self._title.setText(title)
        self.table.setAccessibleName(title)
        self._help.setText(
            f"Type over a number to give a {unit} a vector of your own."
            if fits
            else f"{title} can be edited with at most {_MOST_DIMENSIONS} dimensions and {_MOST_TOKENS} different {unit}s."
        )
        if fits and (model, tokens) != (self._model, self._tokens):
            self._fill(model, tokens)
        self._model, self._tokens = model, tokens

    def _fill(self, model: ToyModel, tokens: tuple[str, ...]) -> None:
        vectors = model.embed(tokens).tolist()
        with QSignalBlocker(self.table):
            self.table.setRowCount(len(tokens))
            self.table.setColumnCount(model.d_model)
            self.table.setVerticalHeaderLabels([shorten_middle(format_token(token), _LONGEST_NAME) for token in tokens])
            self.table.setHorizontalHeaderLabels([str(dimension) for dimension in range(model.d_model)])
            for row, vector in enumerate(vectors):
                for column, value in enumerate(vector):
                    self.table.setItem(row, column, QTableWidgetItem(format_number(value)))
        self.table.resizeColumnsToContents()
        height = self.table.horizontalHeader().height() + sum(map(self.table.rowHeight, range(len(tokens)))) + 20
        self.table.setFixedHeight(height)

    def _on_typed(self, row: int, column: int) -> None:
        item, token = self.table.item(row, column), self._tokens[row]
        assert item is not None
        vector = [round(value, 6) for value in self._model.embed((token,))[0].tolist()]
        try:
            typed_number = float(item.text().replace("−", "-").replace(",", "."))
            if abs(typed_number) > _LARGEST:
                self._refuse(item, vector[column], f"is outside −{_LARGEST:,.0f} to {_LARGEST:,.0f}")
                return
            changed = [*vector[:column], typed_number, *vector[column + 1 :]]
            others = [(other, typed) for other, typed in self._model.vectors if other not in (token, entry_of(token))]
            model = ToyModel(**{**dict(self._model), "vectors": (*others, (entry_of(token), tuple(changed)))})
        except ValueError:
            self._refuse(item, vector[column], "is not a number")
            return
        self._propose(model)

    def _refuse(self, item: QTableWidgetItem, stays: float, why: str) -> None:
        self._help.setText(f"{quote(item.text()[:20])} {why}; the vector was not changed.")
        with QSignalBlocker(self.table):
            item.setText(format_number(stays))


def _told(preset: Preset) -> str:
    sources = "; ".join(cited.source for cited in preset.sources)
    told = f"Shape, mask and scale of {preset.title}; its weights are seeded, not trained. {preset.remark}"
    return f"{told.rstrip()}\nNumbers: {sources}."
