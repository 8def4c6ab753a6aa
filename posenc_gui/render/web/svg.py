"""Parts as SVG elements, in the colours of one theme, or of several that the reader chooses among.

Colours are written as variables, since only the reader's theme says what they are. Cells are images that the page holds once,
however often they are drawn.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

import numpy as np
import numpy.typing as npt
from PIL import Image

from posenc_gui.foundation.theme import Roles
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
from posenc_gui.render.layout.type_sizes import Style
from posenc_gui.render.paper.format import MIDDLE, size_of
from posenc_gui.render.paper.signs import with_badges

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_DASHES: dict[Dash, tuple[float, ...]] = {"-": (), "--": (3.7, 1.6), ":": (1, 1.65), "-.": (6.4, 1.6, 1, 1.6)}
_SHARP = 1.5  # units: smaller cells are smoothed, since some would be left out
_MOST_COLOURS = 256  # in a palette


class Names:
    """The colours, the images and the clipping rectangles of a page, each with a name of its own."""

    def __init__(self) -> None:
        self._colours: dict[tuple[str, ...], str] = {}
        self._images: dict[bytes, str] = {}
        self._clips: dict[Rect, str] = {}

    def colour(self, of_themes: tuple[str, ...]) -> str:
        """The variable of a colour, which has a value in each theme."""
        return f"var(--{self._colours.setdefault(of_themes, f'c{len(self._colours)}')})"

    def rules(self, theme: int) -> str:
        """The values of all variables in a theme, as CSS."""
        return "".join(f"--{name}:{colours[theme]};" for colours, name in self._colours.items())

    def image(self, colours: Colours) -> str:
        """The name of the image of these cells."""
        return self._images.setdefault(_png(colours), f"i{len(self._images)}")

    def clip(self, rect: Rect) -> str:
        """The name of what shows only what lies in a rectangle."""
        return self._clips.setdefault(rect, f"clip{len(self._clips)}")

    def definitions(self) -> str:
        """All images, of size 1, and all rectangles that clip."""
        clips = (f'<clipPath id="{name}"><rect{place(rect)}/></clipPath>' for rect, name in self._clips.items())
        return "".join(clips) + "".join(
            f'<image id="{name}" width="1" height="1" preserveAspectRatio="none" '
            f'href="data:image/png;base64,{base64.b64encode(png).decode()}"/>'
            for png, name in self._images.items()
        )


def _png(colours: Colours) -> bytes:
    """An image of cells, (rows, columns, 3); few colours are a palette, which takes a third of the bytes."""
    found, which = np.unique(colours.reshape(-1, 3), axis=0, return_inverse=True)
    picture = Image.fromarray(np.ascontiguousarray(colours))
    if len(found) <= _MOST_COLOURS:
        picture = Image.fromarray(which.reshape(colours.shape[:2]).astype(np.uint8), "P")
        picture.putpalette(found.tobytes())
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


class SvgWriter:
    """Writes parts in a style as elements, the same parts in each theme's colours at once."""

    def __init__(self, style: Style, themes: Mapping[str, Roles], names: Names) -> None:
        self._style, self._themes, self._names = style, themes, names

    def write(self, themes: Sequence[Iterable[Part]], x: float = 0.0, y: float = 0.0) -> Iterator[str]:
        """Yield an element for each part that lies this far to the right and below.

        themes: the parts in each theme. Raises ValueError if they aren't equally many.
        """
        for same in zip(*themes, strict=True):
            match same[0]:
                case Moved() as part:
                    yield from self.write([one.parts for one in same], x + part.x, y + part.y)
                case Clipped() as part:
                    yield self._clipped(part.rect.shifted(x, y), "".join(self.write([one.parts for one in same], x, y)))
                case Text(signed=True) as part:
                    size = size_of(self._style.face(part.size))
                    pairs = zip(same, self._themes.values(), strict=True)
                    yield from self.write([[*with_badges(one, size, roles)] for one, roles in pairs], x, y)
                case Cells() as part:
                    yield self._cells(part.rect.shifted(x, y), [one.colours for one in same])
                case Text() as part:
                    yield self._text(part, x + part.x, y + part.y, self._fill("colour", same))
                case Box(rect=rect) as part:
                    corner = f' rx="{_number(part.corner)}"' if part.corner else ""
                    yield f"<rect{place(rect.shifted(x, y))}{corner}{self._filled(part, same)}/>"
                case Dot() as part:
                    where = f' cx="{_number(x + part.x)}" cy="{_number(y + part.y)}" r="{_number(part.radius)}"'
                    yield f"<circle{where}{self._filled(part, same)}/>"
                case Area() as part:
                    yield f'<path d="{_through(part.corners, x, y)}Z"{self._fill("ground", same)}/>'
                case Curve() as part:
                    yield f'<path d="{_through(part.points, x, y)}"{self._drawn(part, same)}/>'
                case Stroke() | Arc() as part:
                    yield f'<path d="{_path(part.path, x, y)}"{self._drawn(part, same)}/>'

    def _colour(self, name: str, same: Sequence[Part]) -> str:
        return self._names.colour(tuple(getattr(one, name) for one in same))

    def _fill(self, name: str, same: Sequence[Part]) -> str:
        return f' fill="{self._colour(name, same)}"'

    def _filled(self, part: Box | Dot, same: Sequence[Part]) -> str:
        ground = self._fill("ground", same) if part.ground else ' fill="none"'
        if not part.frame:
            return ground
        return f'{ground} stroke="{self._colour("frame", same)}" stroke-width="{_number(part.width)}"'

    def _drawn(self, part: Stroke | Curve | Arc, same: Sequence[Part]) -> str:
        dashes = () if isinstance(part, Arc) else _DASHES[part.dash]
        dash = f' stroke-dasharray="{" ".join(_number(part.width * one) for one in dashes)}"' if dashes else ""
        width = f' stroke-width="{_number(part.width)}"{dash}'
        return f' fill="none" stroke="{self._colour("colour", same)}"{width}'

    def _text(self, part: Text, x: float, y: float, fill: str) -> str:
        size = size_of(self._style.face(part.size))
        turned = f' transform="rotate({-part.angle} {_number(x)} {_number(y)})"' if part.angle else ""
        bold, italic = ' font-weight="bold"' * part.bold, ' font-style="italic"' * part.italic
        place = f'x="{_number(x)}" y="{_number(y + MIDDLE * size)}" text-anchor="{_ANCHORS[part.side]}"'
        return (
            f'<text {place} font-size="{_number(size)}"{bold}{italic}{turned}{fill}>{escape(visible(part.text))}</text>'
        )

    def _cells(self, rect: Rect, of_themes: Sequence[Colours]) -> str:
        rows, columns = of_themes[0].shape[:2]
        is_sharp = min(rect.width / columns, rect.height / rows) >= _SHARP
        scale = " ".join(map(_number, (rect.width, 0, 0, rect.height, rect.left, rect.top)))
        how = f'transform="matrix({scale})" image-rendering="{"pixelated" if is_sharp else "auto"}"'
        return "".join(
            f'<use href="#{self._names.image(colours)}" class="{theme}" {how}/>'
            for theme, colours in zip(self._themes, of_themes, strict=True)
        )

    def _clipped(self, rect: Rect, drawn: str) -> str:
        return f'<g clip-path="url(#{self._names.clip(rect)})">{drawn}</g>'


def merged(frames: Sequence[Sequence[str]]) -> str:
    """The elements of all frames of a film: once those that are the same in all, the rest frame by frame."""
    if len(set(map(len, frames))) > 1:
        return "".join(_frame(number, "".join(one)) for number, one in enumerate(frames))
    found = list[str]()
    for stays, run in groupby(zip(*frames, strict=True), lambda slot: len(set(slot)) == 1):
        slots = list(run)
        if stays:
            found += [slot[0] for slot in slots]
        else:
            found += [_frame(number, "".join(one)) for number, one in enumerate(zip(*slots, strict=True))]
    return "".join(found)


def _frame(number: int, drawn: str) -> str:
    return f'<g class="frame{"" if number else " now"}" data-frame="{number}">{drawn}</g>'


def place(rect: Rect) -> str:
    """A rectangle's attributes."""
    sides = zip(("x", "y", "width", "height"), (rect.left, rect.top, rect.width, rect.height), strict=True)
    return "".join(f' {name}="{_number(one)}"' for name, one in sides)


def _through(points: npt.NDArray[np.float64], x: float, y: float) -> str:
    return "M" + "L".join(f"{_number(x + across)} {_number(y + down)}" for across, down in points.tolist())


def _path(path: Path, x: float, y: float) -> str:
    steps = [" ".join(f"{_number(x + across)} {_number(y + down)}" for across, down in step) for step in path]
    letters = ["M", *("L" if len(step) == 1 else "C" for step in path[1:])]
    return "".join(letter + step for letter, step in zip(letters, steps, strict=True))


def _number(value: float) -> str:
    """A length to a hundredth of a unit."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
