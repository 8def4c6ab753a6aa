"""The mark of a field that isn't at its default, which takes it back there; and how a default reads."""

from __future__ import annotations

from typing import Any, Literal, get_origin

from pydantic.fields import FieldInfo
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton

from posenc_gui.app.widgets.icons import icon
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import format_value
from posenc_gui.foundation.theme import ICON


class ChangeMark(QToolButton):
    """A small button beside a field, seen while that isn't at its default; a press takes the default back."""

    def __init__(self, name: str, default: str) -> None:
        super().__init__()
        self.setObjectName("changed")
        self._default = default
        self.setAccessibleName(f"{name}: back to {default}")
        self.setToolTip(f"Changed: {default} by default. Press to go back to that.")
        self._draw()
        self.hide()

    def keep_room(self, keeps: bool) -> None:
        """Take the same room while it isn't seen, or none."""
        policy = QSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        policy.setRetainSizeWhenHidden(keeps)
        self.setSizePolicy(policy)

    def say_default(self) -> None:
        """Write the default beside the mark, where that stands below its field."""
        self.setText(self._default)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def sizeHint(self) -> QSize:
        """Return the size that it has in its style, also before it is seen: the fields behind marks are in line."""
        size = super().sizeHint()
        return size if self.text() else QSize(scaled(ICON) + 2, size.height())

    def changeEvent(self, event: QEvent) -> None:
        """Redraw in the new theme's colour."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        self.setIcon(icon("reset", self.palette().buttonText().color().name()))


def value_words(field: FieldInfo, value: Any) -> str:
    """Return one of a field's values as its editor shows it: "10,000", "none" or "auto"."""
    extra, kind = field.json_schema_extra, declared_fields.kind(field)
    if value in (None, (), ""):
        automatic = declared_fields.NONE if kind.members else "auto"
        return str(extra.get("none", automatic)) if isinstance(extra, dict) else automatic
    return declared_fields.option_title(field, value) if get_origin(kind.type) is Literal else format_value(value)
