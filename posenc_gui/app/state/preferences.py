"""The user's preferences: current settings, saved as soon as one changes, and the theme that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from posenc_gui.app.state.settings import Memory, Settings
from posenc_gui.app.widgets import style_sheet as themes
from posenc_gui.app.widgets.style_sheet import Choice
from posenc_gui.foundation.theme import Roles


class Preferences(QObject):
    """Holds the settings, and applies the theme to the window."""

    restyled = Signal()  # after everything took on another theme or size of text

    def __init__(self, memory: Memory, app: QApplication, window: QWidget) -> None:
        super().__init__(window)
        self._memory, self._app, self._window = memory, app, window
        # What of the kept settings can't be used or isn't known, in words, or "".
        self._settings, self.left_aside = memory.settings_and_faults()
        themes.apply(self.theme, window, self._settings.scale)
        app.styleHints().colorSchemeChanged.connect(self._on_scheme)

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self._settings

    @property
    def kept(self) -> Settings:
        """The settings as they were last saved, by whichever window; the current ones if they can't be read."""
        return self._memory.settings(self._settings)

    @property
    def theme(self) -> Roles:
        """The colours of the chosen theme, or of the desktop's."""
        return themes.theme_for(self._settings.theme, self._app)

    @property
    def reduces_motion(self) -> bool:
        """True if nothing is to move, by the user's choice or the desktop's."""
        return self._settings.reduce_motion or not self._app.style().styleHint(QStyle.StyleHint.SH_Widget_Animate)

    def device_of(self, devices: Iterable[str]) -> str:
        """The selected device, or the CPU if that one is unavailable."""
        return self._settings.device if self._settings.device in devices else "cpu"

    def keep(self, **changes: Any) -> None:
        """Change these settings, now and for the next start, and leave the others as other windows kept them."""
        kept = replace(self.kept, **changes)
        self._settings = replace(self._settings, **changes)
        self._memory.keep_settings(kept)

    def choose_theme(self, choice: Choice) -> None:
        """Draw everything in this theme."""
        self.keep(theme=choice)
        self._apply_theme()

    def choose_scale(self, scale: float) -> None:
        """Scale all text by this factor."""
        self.keep(scale=scale)
        self._apply_theme()

    def _on_scheme(self) -> None:
        if self._settings.theme == "system":
            self._apply_theme()

    def _apply_theme(self) -> None:
        themes.apply(self.theme, self._window, self._settings.scale)
        self.restyled.emit()
