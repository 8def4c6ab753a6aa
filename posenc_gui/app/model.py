"""The toy model's shape and weights, as a form."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from posenc_gui.app.form import ModelForm
from posenc_gui.attention.toy import ToyModel
from posenc_gui.session import Session


class ModelPanel(QWidget):
    """Edits the toy model."""

    def __init__(self, propose: Callable[..., str]) -> None:
        super().__init__()
        self._form = ModelForm(ToyModel, lambda model: propose(model=model))
        content = QWidget(objectName="scrolled")
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 6, 0)
        column.addWidget(self._form)
        column.addStretch(1)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        scroll.setAccessibleName("Parameters of the toy model")  # it takes the keyboard, to scroll
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)

    def show_session(self, session: Session) -> None:
        """Show a session's model."""
        self._form.show_value(session.model)

    def form(self) -> ModelForm:
        """The form."""
        return self._form
