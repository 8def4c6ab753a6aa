"""Who looks at a view: its picture, the words that stand in it, and where things are."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QIODevice, QPoint, QPointF, QRectF
from PySide6.QtGui import QFont, QImage, QPainter, QTextLayout, QTransform
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication

from posenc_gui.figure import NOWHERE, Pointer
from posenc_gui.render.screen import FigureView


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


def at(view: FigureView, x: float, y: float, panel: int = 0) -> QPoint:
    """Where a point of a panel lies on the graphics."""
    box = view.panel_views()[panel].plot.vb
    return graphics_of(view).mapFromScene(box.mapViewToScene(QPointF(x, y)))


def room_of(view: FigureView, panel: int = 0) -> QRectF:
    """Where a panel's cells, curves, bars or dials are drawn, without its axes and its title."""
    return view.panel_views()[panel].plot.vb.sceneBoundingRect()


def side_of(view: FigureView, side: str, panel: int = 0) -> QRectF:
    """Where the axis at a side of a panel is drawn."""
    return view.panel_views()[panel].plot.getAxis(side).sceneBoundingRect()


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
    """Whether these are one text, whose letters come from several fonts."""
    beside = abs(one.box.left() - before.box.right()) < 1
    return (
        beside and before.ink == one.ink and before.box.top() < one.box.bottom() and one.box.top() < before.box.bottom()
    )


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
    """Where a panel's crosshair is seen: the coordinates of the lines that a pointer brings, upright and level."""
    view.show_pointer(NOWHERE)
    before = _pixels(view, panel)
    view.show_pointer(pointer)
    new = (_pixels(view, panel) != before).any(axis=2)
    box, room = view.panel_views()[panel].plot.vb, room_of(view, panel)
    columns, rows = (np.flatnonzero(new.mean(axis=axis) > 0.4) for axis in (0, 1))  # its lines are dashed
    corner = QPointF(room.toAlignedRect().topLeft())
    x = box.mapSceneToView(corner + QPointF(float(columns.mean()), 0)).x() if columns.size else None
    y = box.mapSceneToView(corner + QPointF(0, float(rows.mean()))).y() if rows.size else None
    return None if x is None else round(x), None if y is None else round(y)


def _pixels(view: FigureView, panel: int) -> np.ndarray:
    """The colours of a panel's room, (height, width, 4)."""
    QApplication.processEvents()
    seen = graphics_of(view).grab(room_of(view, panel).toAlignedRect()).toImage()
    seen = seen.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(seen.constBits(), dtype=np.uint8).reshape(seen.height(), seen.width(), 4).copy()
