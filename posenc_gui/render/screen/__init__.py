"""The screen: any figure in a live view."""

from posenc_gui.render.drawings.motion import MOST_TOKENS, Change
from posenc_gui.render.layout.colour_scales import prepare
from posenc_gui.render.screen.figure_view import FigureView
from posenc_gui.render.screen.still_table import StillTable

__all__ = ["MOST_TOKENS", "Change", "FigureView", "StillTable", "prepare"]
