"""The sheet, its sizes and its colours. Only this module and `fonts` use matplotlib.

Lengths are in the units of the sheet's format.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import matplotlib
import matplotlib.style
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure as Paper
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Bbox, TransformedBbox

from posenc_gui.foundation.contrast import colour_of
from posenc_gui.render.drawings.parts import Dash, Side
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.layout.badges import split_signs
from posenc_gui.render.layout.colour_scales import Colours
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import elided_before_number, visible
from posenc_gui.render.layout.type_sizes import Style
from posenc_gui.render.paper import fonts
from posenc_gui.render.paper.format import SMALL, Format

_MOST_LACKING = 6  # up to this many missing characters are listed one by one
_MOST_SHAPES = 64  # cells along a side, at most, that are drawn as vector shapes
_CRISP = 512  # pixels a side that a small map is spread over, since many viewers smooth what they enlarge

Numbers = npt.NDArray[np.float64]
Points = Sequence[float] | Numbers
_BADGE, _SIGN, _CORNER, _BEFORE_BADGE, _AFTER_BADGE = 1.15, 0.8, 0.12, 0.5, 0.35  # lengths of a badge, in type sizes
_MIDDLE = 0.42  # of capitals, below the top of a line
GROUND = -1.0  # z-order: under all but table bands


class Page:
    """A sheet on which text, lines and images are drawn; callers never see a matplotlib object.

    Text without a given colour is drawn in the ink colour.
    """

    def __init__(self, choices: ExportOptions, form: Format, height: float) -> None:
        self.zoom = form.zoom  # points a unit
        self._choices, self.roles = choices, choices.roles
        self.style: Style = form.style
        self.title = form.title  # the type of titles and of a single figure's labels
        self.margin, self.width, self.height = form.margin, form.width, height
        inches = (self.width * self.zoom / 72, self.height * self.zoom / 72)
        self._paper = Paper(figsize=inches, dpi=choices.dots_per_inch, facecolor=self.roles.card)
        FigureCanvasAgg(self._paper)
        self._points = Affine2D().scale(self.zoom / 72) + self._paper.dpi_scale_trans

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: str = "",
        side: Side = "left",
        at: Literal["middle", "top", "bottom"] = "middle",
        bold: bool = False,
        angle: int = 0,
        italic: bool = False,
    ) -> None:
        """Write a text with its `side` at x and its middle, top or bottom at y, turned to the left by `angle` degrees."""
        style: dict[str, Any] = {"rotation": angle, "rotation_mode": "anchor"} if angle else {}
        if italic:
            style["style"] = "italic"
        text = visible(text)
        self._paper.text(
            x, y, text, family=fonts.families_of(text), size=size * self.zoom, color=colour or self.roles.ink, ha=side,
            va="center_baseline" if at == "middle" else at, weight="bold" if bold else "normal",
            transform=self._points, parse_math=False, **style,
        )  # fmt: skip

    def signed_text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: str = "",
        at: Literal["middle", "top"] = "middle",
        bold: bool = False,
    ) -> float:
        """Write a text with its left end at x, the signs of compared encodings as badges; return where it ends.

        A badge and the gap beside it are about as long as the letter and its colon.
        """
        middle = y if at == "middle" else y - _MIDDLE * size
        for number, (part, is_sign) in enumerate(split_signs(text)):
            if is_sign:
                x += _BEFORE_BADGE * size * bool(number)
                self._badge(x, middle, part, size)
                x += (_BADGE + _AFTER_BADGE) * size
            else:
                self.text(x, y, part, size, colour, at=at, bold=bold)
                x += fonts.advance(part, size, bold=bold)
        return x

    def _badge(self, x: float, y: float, sign: str, size: float) -> None:
        ground, ink = (self.roles.ref, self.roles.ink) if sign == "A" else (self.roles.ink, self.roles.card)
        radius = _CORNER * size
        corner = (x + radius, y - _BADGE * size / 2 + radius)
        side = _BADGE * size - 2 * radius
        style: dict[str, Any] = {"facecolor": ground, "linewidth": 0, "transform": self._points}
        self._paper.add_artist(FancyBboxPatch(corner, side, side, boxstyle=f"round,pad={radius}", **style))
        self.text(x + _BADGE * size / 2, y, sign, _SIGN * size, ink, "center", bold=True)

    def line(
        self,
        xs: Points,
        ys: Points,
        colour: str,
        width: float,
        dash: Dash = "-",
        layer: float | None = None,
    ) -> None:
        style: dict[str, Any] = {"color": colour, "linewidth": width * self.zoom, "linestyle": dash, "zorder": layer}
        self._paper.add_artist(Line2D(xs, ys, transform=self._points, **style))

    def circle(self, x: float, y: float, radius: float, ground: str, frame: str, width: float, layer: float) -> None:
        """Draw a circle with a ground, a frame, or both; an empty colour draws none."""
        self._paper.add_artist(
            Circle((x, y), radius, transform=self._points, **self._filled(ground, frame, width, layer))
        )

    @contextmanager
    def clipped(self, box: Rect) -> Iterator[None]:
        """Show only what lies in a box of all that is drawn meanwhile."""
        before = len(self._paper.artists)
        yield
        corners = Bbox([(box.left, box.bottom), (box.right, box.top)])
        for artist in self._paper.artists[before:]:
            artist.set_clip_box(TransformedBbox(corners, self._points))

    def box(self, box: Rect, corner: float, ground: str, frame: str, width: float, layer: float) -> None:
        """Draw a rectangle, its corners rounded or not, with a ground, a frame, or both."""
        place, how = ((box.left, box.bottom), box.width, box.height), self._filled(ground, frame, width, layer)
        if corner:
            how["boxstyle"] = f"round,pad=0,rounding_size={corner}"
        self._paper.add_artist((FancyBboxPatch if corner else Rectangle)(*place, transform=self._points, **how))

    def _filled(self, ground: str, frame: str, width: float, layer: float) -> dict[str, Any]:
        edge = {"edgecolor": frame or "none", "linewidth": width * self.zoom if frame else 0}
        return {"facecolor": ground or "none", "zorder": layer, **edge}

    def stroke(
        self, path: Sequence[Sequence[tuple[float, float]]], colour: str, width: float, layer: float, dash: Dash = "-"
    ) -> None:
        """Draw a path with flat ends: a start, then the ends of lines, or two controls and the end of curves."""
        codes = [Path.MOVETO, *(Path.LINETO if len(step) == 1 else Path.CURVE4 for step in path[1:] for _ in step)]
        shape = Path([point for step in path for point in step], codes)
        style: dict[str, Any] = {"facecolor": "none", "edgecolor": colour, "linewidth": width * self.zoom}
        style |= {"linestyle": dash, "capstyle": "butt", "joinstyle": "round", "zorder": layer}
        self._paper.add_artist(PathPatch(shape, transform=self._points, **style))

    def band(self, box: Rect, colour: str) -> None:
        """Draw a light band behind a table row, with its left edge in the full colour."""
        style: dict[str, Any] = {"facecolor": colour, "linewidth": 0, "transform": self._points, "zorder": -2}
        self._paper.add_artist(Rectangle((box.left, box.bottom), box.width, box.height, alpha=0.1, **style))
        self._paper.add_artist(Rectangle((box.left, box.bottom), 2.5, box.height, **style))

    def polygon(self, corners: Sequence[tuple[float, float]], colour: str, layer: float) -> None:
        style: dict[str, Any] = {"facecolors": colour, "linewidths": 0, "transform": self._points, "zorder": layer}
        self._paper.add_artist(PolyCollection([corners], **style))

    def cells(self, box: Rect, colours: Colours, layer: float) -> None:
        """Draw coloured cells: a few as vector shapes, which stay sharp and editable, many as an image."""
        rows, columns = colours.shape[:2]
        if max(rows, columns) > _MOST_SHAPES:
            self.image(box, colours)
            return
        across, down = box.width / columns, box.height / rows
        places = np.indices((rows, columns)).reshape(2, -1).T
        # Cells of one colour are one shape; its hairline hides the seams that viewers leave between neighbours.
        found, which = np.unique(colours.reshape(-1, 3), axis=0, return_inverse=True)
        for number, colour in enumerate(found.tolist()):
            corners = [
                ((x, y), (x + across, y), (x + across, y - down), (x, y - down))
                for x, y in places[which.ravel() == number][:, ::-1] * (across, -down) + (box.left, box.top)
            ]
            shape = Path.make_compound_path_from_polys(np.array(corners))
            style: dict[str, Any] = {"color": colour_of(colour), "linewidth": 0.2, "joinstyle": "miter"}
            style["zorder"] = layer
            self._paper.add_artist(PathPatch(shape, transform=self._points, **style))

    def image(self, box: Rect, colours: Colours) -> None:
        rows, columns = colours.shape[:2]
        larger = colours.repeat(max(1, _CRISP // rows), axis=0).repeat(max(1, _CRISP // columns), axis=1)
        self._axes(box).imshow(larger, interpolation="none", aspect="auto")

    def note_missing_characters(self) -> None:
        """List at the foot of the sheet the characters that are drawn as boxes, since no installed font has them."""
        if lacking := fonts.missing(text.get_text() for text in self._paper.texts):
            codes = ", ".join(f"U+{ord(one):04X}" for one in lacking[:_MOST_LACKING])
            more = " …" if len(lacking) > _MOST_LACKING else ""
            self.text(self.margin, self.margin / 4, f"No installed font has {codes}{more}", SMALL, self.roles.muted)

    def content(self, suffix: str, title: str, description: str, session: str) -> bytes:
        """Return the sheet as a file with these metadata; `session` is the embedded session with which the file is reopened."""
        matplotlib.rcParams["pdf.fonttype"] = fonts.pdf_font_type(
            (text.get_text() for text in self._paper.texts), printed=self._choices.preset in ("paper", "column")
        )
        file = io.BytesIO()
        settings: dict[str, Any] = {"transparent": self._choices.transparent}
        if suffix == ".png":
            dpi = self._choices.declared_dots_per_inch
            settings["pil_kwargs"] = {"dpi": (dpi, dpi)}
        self._paper.savefig(
            file, format=suffix[1:], metadata=_metadata(suffix, title, description, session), **settings
        )
        return file.getvalue()

    def _axes(self, box: Rect) -> Axes:
        width, height = self.width, self.height
        place = (box.left / width, box.bottom / height, box.width / width, box.height / height)
        axes = self._paper.add_axes(place)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        return axes


@contextmanager
def blank_page(choices: ExportOptions, form: Format, height: float) -> Iterator[Page]:
    """Yield an empty page of this height, in units.

    The page is drawn and saved with fixed matplotlib settings, independent of the caller's.
    """
    settings: dict[str, Any] = {"font.family": fonts.FIRST, "svg.hashsalt": "posenc-gui"}
    settings["text.hinting"] = "none"  # with hinting, text in a PNG is longer than measured
    settings["svg.fonttype"] = "path" if choices.lettering == "outlines" else "none"
    with matplotlib.style.context(["default", settings]), fonts.without_font_warnings():
        yield Page(choices, form, height)


def _metadata(suffix: str, title: str, description: str, session: str) -> dict[str, Any]:
    match suffix:
        case ".svg":
            return {"Title": title, "Description": description, "Keywords": [session], "Date": None}
        case ".pdf":
            return {"Title": title, "Subject": description, "Keywords": session, "CreationDate": None}
        case _:
            return {"Title": title, "Description": description, "Comment": session}


def draw_panel_title(page: Page, title: str, left: float, top: float, room: float, size: float) -> None:
    """Write a panel's title at its upper left corner."""
    shown = elided_before_number(title, room, fonts.measured(size, bold=True))
    page.signed_text(left, top, shown, size, at="top", bold=True)
