"""The theme in use: one for the whole application, like its palette and font."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from posenc_gui.foundation.theme import LIGHT, Roles


class Theme(QObject):
    """Holder of the current colour roles. Widgets read `roles` in paintEvent, which a new palette triggers. Objects that
    store colours, such as icons and figures, refresh them on `changed`; Qt disconnects deleted widgets."""

    changed = Signal()  # other colours, or text of another size

    def __init__(self) -> None:
        super().__init__()
        self.roles = LIGHT
        self.sheet = ""  # the style sheet in these colours
        self.scale = 1.0  # of all text

    def use(self, roles: Roles, scale: float = 1.0) -> None:
        """Use these colours from now on, with text scaled by `scale`."""
        if (roles, scale) != (self.roles, self.scale):
            self.roles, self.scale = roles, scale
            self.changed.emit()


THEME = Theme()
