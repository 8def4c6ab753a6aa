"""The screen: any figure as live pyqtgraph plots."""

from posenc_gui.render.screen.colours import prepare
from posenc_gui.render.screen.figure_view import FigureView

__all__ = ["FigureView", "prepare"]
