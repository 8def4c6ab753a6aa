"""How long tests wait: a limit for what never comes, and no measure, so that none fails on a busy machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytestqt.qtbot import QtBot

PATIENT = 180_000  # milliseconds


class PatientBot(QtBot):
    """A robot of pytest-qt that by itself waits for minutes, not for five seconds."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENT) -> None:
        """Wait until the callback returns True, or no longer fails."""
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENT, **options: Any) -> Any:
        """Wait for a signal."""
        return super().waitSignal(signal, timeout=timeout, **options)

    def waitActive(self, widget: Any, *, timeout: int = PATIENT) -> Any:
        """Wait until a window has the keyboard."""
        return super().waitActive(widget, timeout=timeout)

    def waitExposed(self, widget: Any, *, timeout: int = PATIENT) -> Any:
        """Wait until a window is on the screen."""
        return super().waitExposed(widget, timeout=timeout)
