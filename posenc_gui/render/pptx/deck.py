"""A deck: begun or opened, slides appended in order, written as bytes."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.util import Pt

from posenc_gui.foundation.files.embedded_session import check_zip_directory
from posenc_gui.render.export_options import DEFAULT_OPTIONS, ExportOptions, Sheet
from posenc_gui.render.paper.fonts import without_font_warnings
from posenc_gui.render.pptx.package import embed_session, set_theme_font, undated_deck
from posenc_gui.render.pptx.slide import Slide, add_slides, add_title_slide

__all__ = ["Slide", "describe_editable", "write_deck"]

_SHEET = Sheet(960, 540, 12, 18, 28, 36)
# The twin of the font of drawings, DejaVu Sans, that Office has everywhere; where it is missing, DejaVu Sans stands for it.
_FONT = "Verdana"
_LARGEST_DECK = 500_000_000  # bytes of an unpacked deck
_LARGEST_XML = 50_000_000  # bytes of its XML, which takes ten times as much in memory
_EARLIEST = 1980  # year of a ZIP archive's members
_NOT_A_DECK = "slides can't be added to this file: it is damaged, protected, or not a PowerPoint deck."
_CONTENT_TYPES = "[Content_Types].xml"
_NAMESPACE = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_RELATIONS = ".rels"
_PICTURE = "image/"  # an SVG is XML too, but no part that python-pptx reads


class _TooLarge(ValueError):
    """A deck that would take too much memory."""


def write_deck(
    slides: Sequence[Slide], choices: ExportOptions = DEFAULT_OPTIONS, document: str = "", onto: bytes = b""
) -> bytes:
    """The bytes of a new deck with these slides, or of the deck `onto` with them appended.

    document: the JSON that the deck carries; empty: the last figure's session. Raises ValueError if `onto` is not a deck, or
    if the clock is so wrong that python-pptx can't date its parts.
    """
    if (year := time.localtime().tm_year) < _EARLIEST:
        raise ValueError(f"a deck can't be made in {year}, as this computer's clock has it: set the clock.")
    presentation = _open(onto) if onto else _begin(choices)
    with without_font_warnings():
        if choices.title_slide:
            add_title_slide(presentation, [slide.figure for slide in slides], choices, own=not onto)
            choices = choices.model_copy(update={"title": ""})
        for slide in slides:
            add_slides(presentation, slide, choices, own=not onto)
    carried = document or next((slide.figure.session for slide in reversed(slides) if slide.figure.session), "")
    if carried:
        embed_session(presentation, carried)
    file = io.BytesIO()
    presentation.save(file)
    return undated_deck(file.getvalue())


def describe_editable(deck: bytes) -> str:
    """Say which parts of a figure's deck can be edited in PowerPoint, and how many slides it has if there are several."""
    slides = Presentation(io.BytesIO(deck)).slides
    shapes = [shape for slide in slides for shape in slide.shapes]
    charts, tables = any(one.has_chart for one in shapes), any(one.has_table for one in shapes)
    several = f" There are {len(slides)} slides; this is the first with the plot." if len(slides) > 1 else ""
    if not charts and not tables:
        return f"This plot becomes a picture; only its text can be edited in PowerPoint.{several}"
    own = "Charts and tables" if charts and tables else "Charts" if charts else "Tables"
    drawn = any(one.shape_type == MSO_SHAPE_TYPE.PICTURE for one in shapes)
    return f"{own} can be edited in PowerPoint{'; the rest becomes a picture' if drawn else ''}.{several}"


def _open(deck: bytes) -> Any:
    """Return the presentation in a deck's bytes. Raises ValueError, in one sentence, before anything large is unpacked."""
    try:
        check_zip_directory(deck)
        with zipfile.ZipFile(io.BytesIO(deck)) as whole:
            members = whole.infolist()
            if sum(member.file_size for member in members) > _LARGEST_DECK:
                most = _LARGEST_DECK // 10**6
                raise _TooLarge(f"slides can't be added to this deck: it unpacks to more than {most} MB.")
            _require_small([whole.getinfo(_CONTENT_TYPES)])
            is_xml = _xml_test(whole.read(_CONTENT_TYPES))
            xml = [member for member in members if is_xml(member.filename)]
            _require_small(xml)
            for member in xml:
                _check_xml(whole.read(member))
        return Presentation(io.BytesIO(deck))
    except _TooLarge:
        raise
    except Exception as error:  # python-pptx raises many kinds for files that are not decks
        raise ValueError(_NOT_A_DECK) from error


def _require_small(xml: Sequence[zipfile.ZipInfo]) -> None:
    """Raise _TooLarge for members that together take too much memory as XML."""
    if sum(member.file_size for member in xml) > _LARGEST_XML:
        most = _LARGEST_XML // 10**6
        raise _TooLarge(f"slides can't be added to this deck: its XML unpacks to more than {most} MB.")


def _xml_test(content_types: bytes) -> Callable[[str], bool]:
    """Return a test whether a member is one that Office declares as XML of its own; other programs' parts are kept as they
    are. The content type decides, not the name.
    """
    _check_xml(content_types)
    declared = ElementTree.fromstring(content_types)
    names = {
        f"{one.get('PartName')}".lower(): one.get("ContentType", "") for one in declared.iter(f"{_NAMESPACE}Override")
    }
    endings = {
        f"{one.get('Extension')}".lower(): one.get("ContentType", "") for one in declared.iter(f"{_NAMESPACE}Default")
    }

    def is_xml(member: str) -> bool:
        name = f"/{member}".lower()
        kind = names.get(name) or endings.get(name.rpartition(".")[2], "")
        return (kind.endswith("+xml") and not kind.startswith(_PICTURE)) or name.endswith(_RELATIONS)

    return is_xml


def _check_xml(part: bytes) -> None:
    """Raise ExpatError for a part that isn't well-formed, and for a declaration of entities, which python-pptx would lose."""

    def refuse(*_: object) -> None:
        raise expat.ExpatError("a document type is declared")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(part, True)


def _begin(choices: ExportOptions) -> Any:
    """An empty deck of the chosen sheet's size, or 16:9: python-pptx's own is 4:3, so its layouts are stretched too."""
    presentation = Presentation()
    before = presentation.slide_width
    sheet = choices.sheet if choices.sheet.height else _SHEET
    presentation.slide_width, presentation.slide_height = Pt(sheet.width), Pt(sheet.height or _SHEET.width)
    master = presentation.slide_master
    set_theme_font(master, _FONT)
    for shape in (shape for part in (master, *master.slide_layouts) for shape in part.placeholders):
        if shape.element.spPr.xfrm is not None:
            shape.left, shape.width = (
                round(one * presentation.slide_width / before) for one in (shape.left, shape.width)
            )
    return presentation
