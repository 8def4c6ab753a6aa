"""A page's parts as SVG elements, in the colours of one theme, or of several that the reader chooses among.

Colours are written as variables, since only the reader's theme says what they are. Cells are images that the page holds once,
however often they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from posenc_gui.foundation.theme import Roles
from posenc_gui.render.drawings.parts import Text
from posenc_gui.render.layout.colour_scales import Colours
from posenc_gui.render.layout.rect import Rect
from posenc_gui.render.layout.type_sizes import Style
from posenc_gui.render.paper.format import size_of
from posenc_gui.render.paper.signs import with_badges
from posenc_gui.render.svg import SvgWriter, data_of, is_sharp, number, place


class Names:
    """The colours, the images and the clipping rectangles of a page, each with a name of its own."""

    def __init__(self) -> None:
        self._colours: dict[tuple[str, ...], str] = {}
        self._images: dict[str, str] = {}
        self._clips: dict[Rect, str] = {}

    def colour(self, of_themes: tuple[str, ...]) -> str:
        """The variable of a colour, which has a value in each theme."""
        return f"var(--{self._colours.setdefault(of_themes, f'c{len(self._colours)}')})"

    def rules(self, theme: int) -> str:
        """The values of all variables in a theme, as CSS."""
        return "".join(f"--{name}:{colours[theme]};" for colours, name in self._colours.items())

    def image(self, colours: Colours) -> str:
        """The name of the image of these cells."""
        return self._images.setdefault(data_of(colours), f"i{len(self._images)}")

    def clip(self, rect: Rect) -> str:
        """The name of what shows only what lies in a rectangle."""
        return self._clips.setdefault(rect, f"clip{len(self._clips)}")

    def definitions(self) -> str:
        """All images, of size 1, and all rectangles that clip."""
        clips = (f'<clipPath id="{name}"><rect{place(rect)}/></clipPath>' for rect, name in self._clips.items())
        return "".join(clips) + "".join(
            f'<image id="{name}" width="1" height="1" preserveAspectRatio="none" href="{data}"/>'
            for data, name in self._images.items()
        )


class PageWriter(SvgWriter):
    """Writes parts in a style as elements that refer to a page's names, the same parts in each theme's colours at once."""

    def __init__(self, style: Style, themes: Mapping[str, Roles], names: Names) -> None:
        self._style, self._themes, self._names = style, themes, names

    def colour(self, of_themes: tuple[str, ...]) -> str:
        return self._names.colour(of_themes)

    def texts(self, same: Sequence[Text], x: float, y: float) -> Iterator[str]:
        size = size_of(self._style.face(same[0].size))
        if same[0].signed:
            pairs = zip(same, self._themes.values(), strict=True)
            yield from self.write([[*with_badges(one, size, roles)] for one, roles in pairs], x, y)
        else:
            yield self.text(same, x, y, size)

    def cells(self, rect: Rect, of_themes: Sequence[Colours]) -> str:
        scale = " ".join(map(number, (rect.width, 0, 0, rect.height, rect.left, rect.top)))
        smooth = "pixelated" if is_sharp(rect, of_themes[0]) else "auto"
        return "".join(
            f'<use href="#{self._names.image(colours)}" class="{theme}" transform="matrix({scale})" image-rendering="{smooth}"/>'
            for theme, colours in zip(self._themes, of_themes, strict=True)
        )

    def clipped(self, rect: Rect, drawn: str) -> str:
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
