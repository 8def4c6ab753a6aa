"""A form alone: what it proposes, and what it says."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel, QWidget

from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.foundation.declared_model import Frozen


class ShownForm:
    """A form on a model's defaults, what it proposed, and what stands for the rest of the window's refusals."""

    def __init__(self, model: type[Frozen], inline: bool = False) -> None:
        self.proposed: list[Any] = []
        self.why = ""
        self.form = ModelForm(model, self._propose, inline=inline)
        self.form.show_value(model())

    def _propose(self, value: Frozen) -> str:
        self.proposed.append(value)
        return self.why

    def box(self, name: str) -> QWidget:
        """The widget of a field's editor."""
        return self.form.editor(name).focusProxy()

    def refusals(self) -> list[str]:
        """The refusals that are seen."""
        return [label.text() for label in self.form.findChildren(QLabel, "refusal") if label.isVisible()]
