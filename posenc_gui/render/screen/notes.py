"""Notes on the screen: a sentence in place of a panel, beside other panels."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from posenc_gui.figure.axis import Pointer
from posenc_gui.figure.panels import Note
from posenc_gui.foundation.theme import BODY, Roles
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.render.screen.fonts import caption, font_of
from posenc_gui.render.screen.panel_view import PanelView, PixelItem, Spot

_LONGEST = 1000  # code points of a sentence
_AIR = 12.0  # pixels around it


class NoteView(PanelView):
    """A sentence in place of a panel; nothing in it can be pointed at."""

    def __init__(self, colours: Roles) -> None:
        super().__init__(colours, {})
        self.plot.vb.setMouseEnabled(False, False)
        self._words = _Words(self)

    def show(self, panel: Note) -> None:
        self.panel = panel
        self.title.show_text(panel.title)
        self._words.update()

    def show_pointer(self, pointer: Pointer) -> None:
        """A sentence has nothing to mark."""

    def reset(self) -> None:
        """A sentence is always whole."""

    def start(self) -> Spot:
        return 0, 0.0


class _Words(PixelItem):
    """The sentence, wrapped and centred."""

    def __init__(self, view: NoteView) -> None:
        super().__init__(view.plot.vb)
        self._view = view

    def paint(self, painter: QPainter, *_: object) -> None:
        """Write it in the colour of captions, and in their size if room is short."""
        painter.setPen(QColor(self._view.colours.muted))
        whole, text = QRectF(self.box.rect()), shorten_middle(self._view.panel.text, _LONGEST)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        for font, air in ((font_of(BODY), _AIR), (caption(), 0.0)):
            painter.setFont(font)
            room = whole.adjusted(air, air, -air, -air)
            if room.contains(painter.boundingRect(room, flags, text)):
                break
        painter.drawText(room, flags, text)
