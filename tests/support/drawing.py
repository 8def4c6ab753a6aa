"""What stands in an SVG of the paper renderer, in points from the lower left corner of the slide."""

from __future__ import annotations

import re
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Panel
from posenc_gui.render.paper.fonts import measured, without_font_warnings

SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = r"(-?[\d.]+(?:e-?\d+)?)"


class Text(NamedTuple):
    """Words with the left end of their baseline, their size, and whether they are read from below."""

    words: str
    left: float
    y: float
    size: float
    colour: str
    upright: bool

    @property
    def right(self) -> float:
        with without_font_warnings():
            return self.left + measured(self.size)(self.words)


class Shape(NamedTuple):
    """A line through points, or the outline of a filled shape."""

    points: tuple[tuple[float, float], ...]
    stroke: str
    fill: str
    width: float
    clipped: bool

    @property
    def xs(self) -> list[float]:
        return [x for x, _ in self.points]

    @property
    def ys(self) -> list[float]:
        return [y for _, y in self.points]


class Image(NamedTuple):
    """A picture's place."""

    left: float
    bottom: float
    width: float
    height: float


@dataclass(frozen=True)
class Drawing:
    """All of a slide, in the order in which it is painted."""

    width: float
    height: float
    title: str
    description: str
    texts: tuple[Text, ...]
    paths: tuple[Shape, ...]
    images: tuple[Image, ...]

    def named(self, words: str) -> list[Text]:
        """All texts of these words, from left to right."""
        return sorted((text for text in self.texts if text.words == words), key=lambda text: text.left)

    @property
    def curves(self) -> list[Shape]:
        """The lines that end at the edge of their plot."""
        return [path for path in self.paths if path.clipped]

    @property
    def lines(self) -> list[Shape]:
        """Straight lines from one place to another."""
        return [path for path in self.paths if path.fill == "none" and len(path.points) == 2]

    @property
    def boxes(self) -> list[Shape]:
        """Filled rectangles, white grounds not among them."""
        return [path for path in self.paths if path.fill not in ("none", "#ffffff") and len(set(path.points)) == 4]


def drawing(path: Path) -> Drawing:
    """Read an SVG."""
    builder = ElementTree.TreeBuilder(insert_comments=True)
    root = ElementTree.parse(path, ElementTree.XMLParser(target=builder)).getroot()
    width, height = (float(root.attrib[side].removesuffix("pt")) for side in ("width", "height"))
    described = root.find(".//{http://purl.org/dc/elements/1.1/}description")
    return Drawing(
        width,
        height,
        root.findtext(f"{SVG}title") or "",
        (described.text or "") if described is not None else "",
        tuple(_text(group, height) for group in root.iter(f"{SVG}g") if group.attrib.get("id", "").startswith("text_")),
        tuple(_path(one, height) for group in root.iter(f"{SVG}g") for one in group.findall(f"{SVG}path[@style]")),
        tuple(_image(one, height) for one in root.iter(f"{SVG}image")),
    )


def drawn(*panels: Panel, **words: str) -> Drawing:
    """A slide with these panels, as it is saved."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.svg"
        Figure("figure", words.pop("title", "Title"), panels, **words).save(path)
        return drawing(path)


def _text(group: ElementTree.Element, height: float) -> Text:
    comment, glyphs = group[0], group[-1]
    assert comment.text is not None
    moved = glyphs.attrib.get("transform", "")
    (x, y), (size,) = _numbers(r"translate\({n} {n}\)", moved), _numbers(r"scale\({n} -", moved)
    colour = re.search(r"fill: (#\w+)", glyphs.attrib.get("style", ""))
    words = comment.text[1:-1]
    return Text(words, x, height - y, size * 100, colour[1] if colour else "#000000", "rotate" in moved)


def _path(path: ElementTree.Element, height: float) -> Shape:
    style = dict(part.strip().split(": ") for part in path.attrib["style"].split(";") if ":" in part)
    points = tuple((float(x), height - float(y)) for x, y in re.findall(rf"{_NUMBER} {_NUMBER}", path.attrib["d"]))
    width = float(style.get("stroke-width", 1))
    return Shape(points, style.get("stroke", "none"), style.get("fill", "#000000"), width, "clip-path" in path.attrib)


def _image(image: ElementTree.Element, height: float) -> Image:
    across, up, left, top = _numbers(r"matrix\({n} 0 0 {n} {n} {n}\)", image.attrib["transform"])
    width, tall = across * float(image.attrib["width"]), abs(up) * float(image.attrib["height"])
    return Image(left, height - top - (tall if up > 0 else 0), width, tall)


def _numbers(pattern: str, text: str) -> tuple[float, ...]:
    found = re.search(pattern.replace("{n}", _NUMBER), text)
    assert found, f"{pattern} in {text!r}"
    return tuple(map(float, found.groups()))
