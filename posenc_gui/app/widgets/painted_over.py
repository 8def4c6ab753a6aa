"""Pictures of widgets that stand over them, as they looked in another window, until they look so themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QFontInfo, QImage, QImageReader, QImageWriter, QPixmap
from PySide6.QtWidgets import QLabel, QWidget

from posenc_gui.app.widgets.theme import THEME

_FORMAT = QByteArray(b"png")


class PaintedOver(QLabel):
    """A picture over a part of a widget, which is used through it; it goes when the widget gets another size."""

    def __init__(self, widget: QWidget, at: QPoint, picture: QPixmap) -> None:
        super().__init__(widget)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setObjectName("painted-over")
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setPixmap(picture)
        self.adjustSize()
        self.move(at)
        widget.installEventFilter(self)
        self.show()

    def show_top(self, height: int) -> None:
        """Show the picture down to this height alone, in pixels."""
        self.resize(self.width(), height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hide the picture, which fits no longer."""
        if event.type() == QEvent.Type.Resize:
            self.hide()
        return super().eventFilter(watched, event)


def to_bytes(pictures: Mapping[str, QImage], look: str) -> bytes:
    """Return pictures of one look as bytes. May run on any thread."""
    contents = {name: _content(picture) for name, picture in pictures.items()}
    words = {"look": look, "lengths": {name: len(content) for name, content in contents.items()}}
    return b"".join((json.dumps(words).encode(), b"\n", *contents.values()))


def from_bytes(content: bytes, look: str) -> dict[str, bytes]:
    """Return the contents of the pictures, if they are of this look. Raises ValueError for other bytes."""
    words, _, rest = content.partition(b"\n")
    found, at = {}, 0
    try:
        told = json.loads(words)
        for name, length in told["lengths"].items() if told["look"] == look else ():
            found[name] = rest[at : at + length]
            at += length
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no pictures are kept here: {error}") from error
    return found


def picture_of(content: bytes, size: QSize, ratio: float) -> QPixmap | None:
    """Return the picture, if it is one of this size in pixels of a screen with so many dots each."""
    buffer = QBuffer()
    buffer.setData(QByteArray(content))
    reader = QImageReader(buffer, _FORMAT)
    if reader.size() != size * ratio:  # told before anything is unpacked
        return None
    image = reader.read()
    image.setDevicePixelRatio(ratio)
    return None if image.isNull() else QPixmap.fromImage(image)


def look_of(widget: QWidget) -> str:
    """Tell what a widget's picture follows from besides its size and what it shows: colours, type, and the screen's dots."""
    font = QFontInfo(widget.font())
    return f"{THEME.roles} {THEME.scale} {font.family()} {font.pixelSize()} {widget.devicePixelRatioF()}"


def _content(picture: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, _FORMAT).write(picture)
    return bytes(buffer.data().data())
