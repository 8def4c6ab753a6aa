"""The sheet, its sizes and its colours. Only this module and `fonts` use matplotlib.

Lengths are in the units of the sheet's format.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
import matplotlib.style
import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure as Paper
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Bbox, Transform, TransformedBbox

from posenc_gui.foundation.contrast import colour_of
from posenc_gui.render.drawings.parts import Arc, Area, Box, Cells, Clipped, Curve, Dot, Moved, Part, Stroke, Text
from posenc_gui.render.export_options import ExportOptions
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.paper import fonts
from posenc_gui.render.paper.format import Format, size_of
from posenc_gui.render.paper.signs import with_badges

_MOST_LACKING = 6  # up to this many missing characters are listed one by one
_MOST_SHAPES = 64  # cells along a side, at most, that are drawn as vector shapes
_CRISP = 512  # pixels a side that a small map is spread over, since many viewers smooth what they enlarge


class Page:
    """A sheet on which parts are drawn, from its upper left corner; callers never see a matplotlib object."""

    def __init__(self, choices: ExportOptions, form: Format, height: float) -> None:
        self._choices, self._form = choices, form
        self._roles, self._zoom = choices.roles, form.zoom  # points a unit
        self._width, self._height = form.width, height
        inches = (form.width * form.zoom / 72, height * form.zoom / 72)
        self._paper = Paper(figsize=inches, dpi=choices.dots_per_inch, facecolor=self._roles.card)
        FigureCanvasAgg(self._paper)
        # From units below the upper left corner to the canvas.
        down = Affine2D().scale(1, -1).translate(0, height).scale(form.zoom / 72)
        self._units = down + self._paper.dpi_scale_trans
        self._layers = itertools.count(1)

    def draw(self, parts: Iterable[Part], x: float = 0.0, y: float = 0.0) -> None:
        """Draw parts in order, their corner at a point."""
        place = Affine2D().translate(x, y) + self._units
        for part in parts:
            match part:
                case Moved():
                    self.draw(part.parts, x + part.x, y + part.y)
                case Clipped():
                    self._draw_clipped(part, x, y)
                case Text(signed=True):
                    self.draw(with_badges(part, size_of(self._form.style.face(part.size)), self._roles), x, y)
                case Text():
                    self._write(part, place)
                case Cells():
                    self._draw_cells(part, place)
                case _:
                    self._add(self._artist(part), place)

    def _add(self, artist: Artist, place: Transform) -> None:
        artist.set(transform=place, zorder=next(self._layers))
        self._paper.add_artist(artist)

    def _artist(self, part: Box | Stroke | Arc | Dot | Curve | Area) -> Artist:
        """The artist of a part, in units."""
        match part:
            case Box(rect=rect):
                where, how = ((rect.left, rect.top), rect.width, rect.height), self._filled(part)
                if not part.corner:
                    return Rectangle(*where, **how)
                return FancyBboxPatch(*where, boxstyle=f"round,pad=0,rounding_size={part.corner}", **how)
            case Dot():
                return Circle((part.x, part.y), part.radius, **self._filled(part))
            case Curve():
                style: dict[str, Any] = {"color": part.colour, "linestyle": part.dash}
                return Line2D(*part.points.T, linewidth=part.width * self._zoom, **style)
            case Area():
                return PolyCollection([part.corners], facecolors=part.ground, linewidths=0)
        codes = [Path.MOVETO, *(Path.LINETO if len(step) == 1 else Path.CURVE4 for step in part.path[1:] for _ in step)]
        shape = Path([point for step in part.path for point in step], codes)
        ends: dict[str, Any] = {"facecolor": "none", "capstyle": "butt", "joinstyle": "round"}
        dash = part.dash if isinstance(part, Stroke) else "-"
        return PathPatch(shape, edgecolor=part.colour, linewidth=part.width * self._zoom, linestyle=dash, **ends)

    def _filled(self, part: Box | Dot) -> dict[str, Any]:
        edge = {"edgecolor": part.frame or "none", "linewidth": part.width * self._zoom if part.frame else 0}
        return {"facecolor": part.ground or "none", **edge}

    def _write(self, part: Text, place: Transform) -> None:
        style: dict[str, Any] = {"rotation": part.angle, "rotation_mode": "anchor"} if part.angle else {}
        if part.italic:
            style["style"] = "italic"
        text, size = visible(part.text), size_of(self._form.style.face(part.size)) * self._zoom
        self._paper.text(
            part.x, part.y, text, family=fonts.families_of(text), size=size, color=part.colour, ha=part.side,
            va="center_baseline", weight="bold" if part.bold else "normal", transform=place, parse_math=False,
            zorder=next(self._layers), **style,
        )  # fmt: skip

    def _draw_clipped(self, part: Clipped, x: float, y: float) -> None:
        """Draw parts of which only what lies in their rectangle is seen; text is never cut."""
        before, rect = len(self._paper.artists), part.rect
        self.draw(part.parts, x, y)
        seen = Bbox([(x + rect.left, y + rect.top), (x + rect.right, y + rect.bottom)])
        for artist in self._paper.artists[before:]:
            artist.set_clip_box(TransformedBbox(seen, self._units))

    def _draw_cells(self, part: Cells, place: Transform) -> None:
        """Draw coloured cells: a few as vector shapes, which stay sharp and editable, many as an image."""
        rows, columns = part.colours.shape[:2]
        if max(rows, columns) > _MOST_SHAPES:
            self._draw_image(part, place)
            return
        across, down = part.rect.width / columns, part.rect.height / rows
        places = np.indices((rows, columns)).reshape(2, -1).T
        # Cells of one colour are one shape; its hairline hides the seams that viewers leave between neighbours.
        found, which = np.unique(part.colours.reshape(-1, 3), axis=0, return_inverse=True)
        for number, colour in enumerate(found.tolist()):
            corners = [
                ((x, y), (x + across, y), (x + across, y + down), (x, y + down))
                for x, y in places[which.ravel() == number][:, ::-1] * (across, down) + (part.rect.left, part.rect.top)
            ]
            shape = Path.make_compound_path_from_polys(np.array(corners))
            self._add(PathPatch(shape, color=colour_of(colour), linewidth=0.2, joinstyle="miter"), place)

    def _draw_image(self, part: Cells, place: Transform) -> None:
        rows, columns = part.colours.shape[:2]
        larger = part.colours.repeat(max(1, _CRISP // rows), axis=0).repeat(max(1, _CRISP // columns), axis=1)
        corners = [(part.rect.left, part.rect.bottom), (part.rect.right, part.rect.top)]
        canvas = self._paper.transFigure.inverted()
        bounds = Bbox(canvas.transform(place.transform(corners))).bounds
        axes = self._paper.add_axes(bounds, zorder=next(self._layers))
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        axes.imshow(larger, interpolation="none", aspect="auto")

    def note_missing_characters(self) -> None:
        """List at the foot of the sheet the characters that are drawn as boxes, since no installed font has them."""
        if lacking := fonts.missing(text.get_text() for text in self._paper.texts):
            codes = ", ".join(f"U+{ord(one):04X}" for one in lacking[:_MOST_LACKING])
            more = " …" if len(lacking) > _MOST_LACKING else ""
            margin, words = self._form.margin, f"No installed font has {codes}{more}"
            self.draw([Text(margin, self._height - margin / 4, words, self._roles.muted, "small")])

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


@contextmanager
def blank_page(choices: ExportOptions, form: Format, height: float) -> Iterator[Page]:
    """Yield an empty page of this height, in units."""
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
