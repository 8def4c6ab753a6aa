"""Parts as SVG elements, the same parts in the colours of several themes at once."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator, Sequence
from html import escape

import numpy as np
import numpy.typing as npt
from PIL import Image

from posenc_gui.render.drawings.parts import (
    Arc,
    Area,
    Box,
    Cells,
    Clipped,
    Curve,
    Dash,
    Dot,
    Moved,
    Part,
    Path,
    Stroke,
    Text,
)
from posenc_gui.render.layout.colour_scales import Colours
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.text_fit import visible
from posenc_gui.render.layout.type_sizes import MIDDLE

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_DASHES: dict[Dash, tuple[float, ...]] = {"-": (), "--": (3.7, 1.6), ":": (1, 1.65), "-.": (6.4, 1.6, 1, 1.6)}
_SHARP = 1.5  # units: smaller cells are smoothed, since some would be left out
_MOST_COLOURS = 256  # in a palette


class SvgWriter:
    """Writes parts as elements. An output says how it writes colours, texts and cells, and what is clipped."""

    def colour(self, of_themes: tuple[str, ...]) -> str:
        """A colour, which has a value in each theme."""
        raise NotImplementedError

    def texts(self, same: Sequence[Text], x: float, y: float) -> Iterator[str]:
        """Yield the elements of a text, in each theme, that is moved this far."""
        raise NotImplementedError

    def cells(self, rect: Rect, of_themes: Sequence[Colours]) -> str:
        """Cells that fill a rectangle."""
        raise NotImplementedError

    def clipped(self, rect: Rect, drawn: str) -> str:
        """Elements of which what lies in a rectangle is seen."""
        raise NotImplementedError

    def write(self, themes: Sequence[Iterable[Part]], x: float = 0.0, y: float = 0.0) -> Iterator[str]:
        """Yield an element for each part that lies this far to the right and below. themes: the parts in each theme. Raises
        ValueError if they aren't equally many."""
        for same in zip(*themes, strict=True):
            match same[0]:
                case Moved() as part:
                    yield from self.write([one.parts for one in same], x + part.x, y + part.y)
                case Clipped() as part:
                    yield self.clipped(part.rect.shifted(x, y), "".join(self.write([one.parts for one in same], x, y)))
                case Cells() as part:
                    yield self.cells(part.rect.shifted(x, y), [one.colours for one in same])
                case Text():
                    yield from self.texts(same, x, y)
                case Box(rect=rect) as part:
                    corner = f' rx="{number(part.corner)}"' if part.corner else ""
                    yield f"<rect{place(rect.shifted(x, y))}{corner}{self._filled(part, same)}/>"
                case Dot() as part:
                    where = f' cx="{number(x + part.x)}" cy="{number(y + part.y)}" r="{number(part.radius)}"'
                    yield f"<circle{where}{self._filled(part, same)}/>"
                case Area() as part:
                    yield f'<path d="{_through(part.corners, x, y)}Z"{self._fill("ground", same)}/>'
                case Curve() as part:
                    yield f'<path d="{_through(part.points, x, y)}"{self._drawn(part, same)}/>'
                case Stroke() | Arc() as part:
                    yield f'<path d="{_path(part.path, x, y)}"{self._drawn(part, same)}/>'

    def _colour(self, name: str, same: Sequence[Part]) -> str:
        return self.colour(tuple(getattr(one, name) for one in same))

    def _fill(self, name: str, same: Sequence[Part]) -> str:
        return f' fill="{self._colour(name, same)}"'

    def _filled(self, part: Box | Dot, same: Sequence[Part]) -> str:
        ground = self._fill("ground", same) if part.ground else ' fill="none"'
        if not part.frame:
            return ground
        return f'{ground} stroke="{self._colour("frame", same)}" stroke-width="{number(part.width)}"'

    def _drawn(self, part: Stroke | Curve | Arc, same: Sequence[Part]) -> str:
        dashes = () if isinstance(part, Arc) else _DASHES[part.dash]
        dash = f' stroke-dasharray="{" ".join(number(part.width * one) for one in dashes)}"' if dashes else ""
        width = f' stroke-width="{number(part.width)}"{dash}'
        return f' fill="none" stroke="{self._colour("colour", same)}"{width}'

    def text(self, same: Sequence[Text], x: float, y: float, size: float) -> str:
        """A text, in each theme, in type of this size."""
        part, across, middle = same[0], number(x + same[0].x), y + same[0].y
        turned = f' transform="rotate({-part.angle} {across} {number(middle)})"' if part.angle else ""
        bold, italic = ' font-weight="bold"' * part.bold, ' font-style="italic"' * part.italic
        place = f'x="{across}" y="{number(middle + MIDDLE * size)}" text-anchor="{_ANCHORS[part.side]}"'
        fill = self._fill("colour", same)
        return (
            f'<text {place} font-size="{number(size)}"{bold}{italic}{turned}{fill}>{escape(visible(part.text))}</text>'
        )


def data_of(colours: Colours) -> str:
    """The address of an image of cells, (rows, columns, 3); few colours are a palette, which takes a third of the bytes."""
    found, which = np.unique(colours.reshape(-1, 3), axis=0, return_inverse=True)
    picture = Image.fromarray(np.ascontiguousarray(colours))
    if len(found) <= _MOST_COLOURS:
        picture = Image.fromarray(which.reshape(colours.shape[:2]).astype(np.uint8), "P")
        picture.putpalette(found.tobytes())
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def is_sharp(rect: Rect, colours: Colours) -> bool:
    """True if cells that fill a rectangle are large enough to be drawn with sharp edges."""
    rows, columns = colours.shape[:2]
    return bool(rect.width >= _SHARP * columns and rect.height >= _SHARP * rows)


def place(rect: Rect) -> str:
    """A rectangle's attributes."""
    sides = zip(("x", "y", "width", "height"), (rect.left, rect.top, rect.width, rect.height), strict=True)
    return "".join(f' {name}="{number(one)}"' for name, one in sides)


def _through(points: npt.NDArray[np.float64], x: float, y: float) -> str:
    return "M" + "L".join(f"{number(x + across)} {number(y + down)}" for across, down in points.tolist())


def _path(path: Path, x: float, y: float) -> str:
    steps = [" ".join(f"{number(x + across)} {number(y + down)}" for across, down in step) for step in path]
    letters = ["M", *("L" if len(step) == 1 else "C" for step in path[1:])]
    return "".join(letter + step for letter, step in zip(letters, steps, strict=True))


def number(value: float) -> str:
    """A length to a hundredth of a unit."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
