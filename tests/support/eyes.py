"""Who looks at a view: its picture, the words that stand in it, and where things are."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QIODevice, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QImage, QPainter, QTextLayout, QTransform, QWheelEvent
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from posenc_gui.figure.axis import NOWHERE, Pointer
from posenc_gui.render.screen import FigureView
from posenc_gui.render.screen.panel_view import PanelView


@dataclass(frozen=True)
class Written:
    """Words on the graphics, the space that they take there, and their colour."""

    text: str
    box: QRectF
    ink: str


def graphics_of(view: FigureView) -> pg.GraphicsView:
    """What panels are drawn in."""
    return view.findChild(pg.GraphicsView)


def picture(view: FigureView) -> QImage:
    """What is seen, with all that is drawn late."""
    QApplication.processEvents()
    return view.grab().toImage()


def told(view: FigureView) -> list[str]:
    """What a view says of the pointer from now on."""
    said: list[str] = []
    view.pointed.connect(lambda _pointer, words: said.append(words))
    return said


def turn_wheel(view: FigureView, turns: int, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Turn the wheel between the middle of the graphics and its upper left corner: a step away from the user is 120."""
    viewport = graphics_of(view).viewport()
    place = QPointF(viewport.rect().center() / 2)
    event = QWheelEvent(
        place, viewport.mapToGlobal(place), QPoint(), QPoint(0, turns), Qt.MouseButton.NoButton, held,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(viewport, event)


def press(view: FigureView, keys: str) -> None:
    """Press keys, such as "Right Right Up"."""
    for key in keys.split():
        QTest.keyClick(view, Qt.Key[f"Key_{key}"])


def at(view: FigureView, x: float, y: float, panel: int = 0) -> QPoint:
    """Where a point of a panel lies on the graphics: of one that is drawn, the nearest of the pixels that are read so."""
    shown = view.panel_views()[panel]
    shown.prepare()
    area, middle = _stage_of(shown).toAlignedRect(), room_of(view, panel).center()
    across, down = range(area.left(), area.right() + 1), range(area.top(), area.bottom() + 1)
    left = min(across, key=lambda left: abs(shown.at(QPointF(left, middle.y()))[0] - x))
    return QPoint(left, min(down, key=lambda top: abs(shown.at(QPointF(left, top))[1] - y)))


def room_of(view: FigureView, panel: int = 0) -> QRectF:
    """Where a panel's cells, curves, bars or dials are drawn, without its axes and its title."""
    shown = view.panel_views()[panel]
    shown.prepare()
    return shown.vb.sceneBoundingRect()


def _stage_of(shown: PanelView) -> QRectF:
    """Where a panel is drawn, below its title."""
    return shown.mapRectToScene(QRectF(0, 0, shown.drawing().stage.width, shown.drawing().stage.height))


def side_of(view: FigureView, side: str, panel: int = 0) -> QRectF:
    """Where the axis at a side of a panel is drawn."""
    shown = view.panel_views()[panel]
    room, around = room_of(view, panel), _stage_of(shown)
    title = [shown.mapToScene(line.x, line.y + line.size.line / 2).y() for line in shown.title]
    around.setTop(max(title, default=shown.sceneBoundingRect().top()))
    left, top, right, bottom = around.left(), around.top(), around.right(), around.bottom()
    sides = {
        "left": (left, room.top(), room.left(), room.bottom()),
        "right": (room.right(), room.top(), right, room.bottom()),
        "top": (left, top, right, room.top()),
        "bottom": (left, room.bottom(), right, bottom),
    }
    x, y, end, low = sides[side]
    return QRectF(x, y, end - x, low - y)


def writing(view: FigureView, room: QRectF | None = None) -> list[Written]:
    """All words on the graphics, in the order in which they are painted; in a room: those whose middle is there."""
    picture(view)  # lays everything out
    graphics, buffer = graphics_of(view), QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setResolution(graphics.logicalDpiX())
    drawing.setSize(graphics.size())
    painter = QPainter(drawing)
    graphics.render(painter, QRectF(graphics.rect()), graphics.rect())
    painter.end()
    found: list[Written] = []
    for group in ElementTree.fromstring(bytes(buffer.data())).iter("{http://www.w3.org/2000/svg}g"):
        for part in group.findall("{*}text"):
            one = _written(part, group.get("transform", ""))
            if found and _goes_on(found[-1], one):
                one = Written(found[-1].text + one.text, found.pop().box.united(one.box), one.ink)
            found.append(one)
    return [one for one in found if room is None or room.contains(one.box.center())]


def _goes_on(before: Written, one: Written) -> bool:
    """Whether these are one text on one line, whose letters come from several fonts."""
    beside = abs(one.box.left() - before.box.right()) < 1
    shared = min(before.box.bottom(), one.box.bottom()) - max(before.box.top(), one.box.top())
    return beside and before.ink == one.ink and shared > min(before.box.height(), one.box.height()) / 2


def _written(text: ElementTree.Element, matrix: str) -> Written:
    font = QFont(text.get("font-family"))
    font.setPixelSize(round(float(text.get("font-size"))))
    font.setWeight(QFont.Weight(int(text.get("font-weight"))))
    words = text.text or ""
    layout = QTextLayout(words, font)  # knows the fonts that letters come from which this one doesn't have
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    left, baseline = float(text.get("x")), float(text.get("y"))
    box = QRectF(left, baseline - line.ascent(), line.naturalTextWidth(), line.height())
    a, b, c, d, e, f = map(float, matrix.removeprefix("matrix(").removesuffix(")").split(","))
    return Written(words, QTransform(a, b, c, d, e, f).mapRect(box), text.get("fill"))


def crosshair(view: FigureView, pointer: Pointer, panel: int = 0) -> tuple[int | None, int | None]:
    """Which place of a panel a pointer brings out, by a line or a frame: its coordinates, None where that is all of a side."""
    view.show_pointer(NOWHERE)
    before = _pixels(view, panel)
    view.show_pointer(pointer)
    new = (_pixels(view, panel) != before).any(axis=2)
    if not new.any():
        return None, None
    shown, room = view.panel_views()[panel], room_of(view, panel)
    middles = []
    for along in (0, 1):
        changed = np.flatnonzero(new.any(axis=along))
        first, last = int(changed[0]), int(changed[-1])
        middles.append(None if last - first > 0.9 * new.shape[1 - along] else (first + last + 1) / 2)
    corner = room.toAlignedRect().topLeft()
    x, y = shown.at(QPointF(corner) + QPointF(middles[0] or 0, middles[1] or 0))
    return (None if middles[0] is None else round(x)), (None if middles[1] is None else round(y))


def _pixels(view: FigureView, panel: int) -> np.ndarray:
    """The colours of a panel's room, (height, width, 4)."""
    QApplication.processEvents()
    seen = graphics_of(view).grab(room_of(view, panel).toAlignedRect()).toImage()
    seen = seen.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(seen.constBits(), dtype=np.uint8).reshape(seen.height(), seen.width(), 4).copy()


def ratio_picture(view: FigureView, ratio: float) -> QImage:
    """What is seen on a screen with so many pixels a logical one."""
    picture(view)
    image = QImage(view.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    view.render(painter, QPoint())
    painter.end()
    return image
