"""Ears: what screen readers are told, by Qt's interface, which all platforms translate."""

from __future__ import annotations

from collections.abc import Iterator

import shiboken6
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QWidget


def heard(widget: QWidget) -> QAccessibleInterface:
    """A widget as screen readers meet it."""
    return QAccessible.queryAccessibleInterface(widget)


def name(widget: QWidget) -> str:
    """The name of a widget: that of the label that stands for it, or else its own."""
    labels = [other for other, relation in heard(widget).relations() if relation == QAccessible.RelationFlag.Label]
    return (labels[0] if labels else heard(widget)).text(QAccessible.Text.Name)


def description(widget: QWidget) -> str:
    """What is said of a widget after its name."""
    return heard(widget).text(QAccessible.Text.Description)


def inside(widget: QWidget) -> Iterator[QWidget]:
    """All widgets below this one that screen readers meet."""
    children = [heard(widget).child(at).object() for at in range(heard(widget).childCount())]
    for child in children:
        if isinstance(child, QWidget) and shiboken6.isValid(child):
            yield child
            yield from inside(child)
