"""In what state of the window a step begins: a small picture of the plot in front, and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from posenc_gui import plots
from posenc_gui.app.state.small_pictures import Shown, SmallPictures
from posenc_gui.app.widgets.controls import elided_label, plain_label
from posenc_gui.app.widgets.style_sheet import scaled
from posenc_gui.app.widgets.theme import THEME
from posenc_gui.app.widgets.thumbnail import Thumbnail, recorded_picture
from posenc_gui.foundation.theme import GAP, TIGHT
from posenc_gui.foundation.wording import join_words
from posenc_gui.session.session import Session

_PICTURE = QSize(88, 48)  # pixels, in the proportions of small pictures
_AT_REST = 400  # milliseconds without a change


class Beginning(QWidget):
    """Shows a session; its picture is drawn once it rests."""

    def __init__(self, front: Callable[[], str]) -> None:
        super().__init__()
        self._front = front
        self._shown: Shown | None = None
        self.picture = _Picture()
        self._when, self._words = plain_label("", wraps=False), elided_label("muted")
        self._pictures = SmallPictures(self)
        self._pictures.changed.connect(self._show_picture)
        self._resting = QTimer(self, singleShot=True, interval=_AT_REST)
        self._resting.timeout.connect(self._draw)
        told = QVBoxLayout()
        told.setSpacing(scaled(TIGHT))
        for part in (self._when, self._words):
            told.addWidget(part)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(scaled(GAP))
        line.addWidget(self.picture)
        line.addLayout(told, 1)

    def show_session(self, session: Session, open_plots: Sequence[str], *, is_now: bool) -> None:
        """Show the session in which the step begins, with the plots that it opens: the window's own, or the one before the
        learner's action."""
        front = self._front()
        self._shown = Shown(session, front if front in open_plots or not open_plots else open_plots[0])
        self._when.setText("Begins as the window is now" if is_now else "Begins as the window was before")
        titles = join_words(plots.plots()[name].title for name in open_plots)
        self._words.setText(f"{session.encoding.called} · {titles}" if titles else session.encoding.called)
        self._show_picture()
        self._resting.start()

    def close_worker(self) -> None:
        """End the drawing, before the window is closed."""
        self._pictures.close_worker()

    def _draw(self) -> None:
        if self._shown and self.isVisible():
            self._pictures.draw((self._shown,))
            self._show_picture()

    def _show_picture(self) -> None:
        if self._shown:
            drawn = self._pictures.of(self._shown)
            self.picture.show_picture((drawn.picture if drawn else "") or recorded_picture(self._shown.plot))


class _Picture(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.drawn = ""  # as SVG whose colours are roles
        self.setFixedSize(scaled(_PICTURE.width()), scaled(_PICTURE.height()))
        THEME.changed.connect(self.update)

    def show_picture(self, picture: str) -> None:
        self.drawn = picture
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        Thumbnail(self.drawn, THEME.roles).draw(painter, QRectF(self.rect()))
        painter.end()
