"""The keys that move a row of a list."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

_SHIFTS = {int(Qt.Key.Key_Up): -1, int(Qt.Key.Key_Down): 1}


def shift_of(event: QKeyEvent) -> int:
    """Return by how many rows Alt with an arrow key moves a row: −1 or 1; 0 for other keys."""
    return _SHIFTS.get(event.key(), 0) if event.modifiers() & Qt.KeyboardModifier.AltModifier else 0
