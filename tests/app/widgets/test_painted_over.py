"""Pictures over widgets: read back as they were, of the same look and size alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from posenc_gui.app.widgets.painted_over import PaintedOver, from_bytes, picture_of, to_bytes

SIZE = QSize(40, 30)


def painted(colour: str) -> QImage:
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    return image


def test_pictures_are_read_back_as_they_were(qapp: object) -> None:
    pictures = {"one": painted("red"), "two": painted("blue")}
    found = from_bytes(to_bytes(pictures, "light"), "light")
    for name, picture in pictures.items():
        read = picture_of(found[name], SIZE, 1.0)
        assert read is not None
        assert read.toImage().pixelColor(5, 5) == picture.pixelColor(5, 5)
        assert picture_of(found[name], SIZE, 2.0) is None
        assert picture_of(found[name], SIZE + QSize(1, 0), 1.0) is None
    assert from_bytes(to_bytes(pictures, "light"), "dark") == {}


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"1", b"[" * 100_000, b'{"look": "light"}', b'{"look": "light", "lengths": {"a": "b"}}'],
)
def test_other_bytes_hold_no_pictures(content: bytes) -> None:
    with pytest.raises(ValueError, match="no pictures are kept here"):
        from_bytes(content, "light")


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_picture_is_none(qapp: object, content: bytes) -> None:
    assert picture_of(content, SIZE, 1.0) is None


def test_a_picture_goes_when_its_widget_gets_another_size(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.resize(SIZE)
    widget.show()
    read = picture_of(from_bytes(to_bytes({"one": painted("red")}, ""), "")["one"], SIZE, 1.0)
    assert read is not None
    over = PaintedOver(widget, QPoint(), read)
    assert widget.grab().toImage().pixelColor(5, 5) == QColor("red")
    widget.resize(SIZE * 2)
    qtbot.waitUntil(over.isHidden)
