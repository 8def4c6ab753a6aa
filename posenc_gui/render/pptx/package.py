"""The file behind a deck: opened with care, without dates, with the session that it carries."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from pptx import Presentation
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.opc.package import Part

from posenc_gui.foundation.files import embedded_session

_LARGEST_DECK = 500_000_000  # bytes of an unpacked deck
_LARGEST_XML = 50_000_000  # bytes of its XML, which takes ten times as much in memory
_NOT_A_DECK = "slides can't be added to this file: it is damaged, protected, or not a PowerPoint deck."
_CONTENT_TYPES = "[Content_Types].xml"
_NAMESPACE = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_RELATIONS = ".rels"
_PICTURE = "image/"  # an SVG is XML too, but no part that python-pptx reads
_CUSTOM_XML = "/customXml"  # the folder in which Office keeps parts of other programs
_DATE = (1980, 1, 1, 0, 0, 0)
_LATIN = re.compile(rb'(<a:latin typeface=")[^"]*')
_DATES = re.compile(rb'(<dcterms:\w+ xsi:type="dcterms:W3CDTF">)[^<]*')


class _TooLarge(ValueError):
    """A deck that would take too much memory."""


def open_deck(deck: bytes) -> Any:
    """Return the presentation in a deck's bytes. Raises ValueError, in one sentence, before anything large is unpacked."""
    try:
        embedded_session.check_zip_directory(deck)
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
    are. The content type decides, not the name."""
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


def embed_session(presentation: Any, document: str) -> None:
    """Put the document into a custom XML part, from which the deck is reopened as a session; replace an earlier one."""
    root, package = presentation.part, presentation.part.package
    words = f'<session xmlns="urn:posenc-gui">{embedded_session.session_marker(document)}</session>'.encode()
    for part in package.iter_parts():
        if part.partname.startswith(_CUSTOM_XML) and embedded_session.find_session(part.blob):
            part.blob = words
            return
    name = package.next_partname(f"{_CUSTOM_XML}/item%d.xml")
    root.relate_to(Part(name, "application/xml", package, words), RELATIONSHIP_TYPE.CUSTOM_XML)


def set_theme_font(master: Any, family: str) -> None:
    """Set the font of headings and of all other text of a slide master's theme."""
    theme = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    theme._blob = _LATIN.sub(rb"\g<1>" + family.encode(), theme.blob)


def undated_workbook(book: bytes) -> bytes:
    """A chart's workbook with every date set to 1980, so that equal figures give equal bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as before, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as after:
        for member in before.infolist():
            dated = _DATES.sub(rb"\g<1>1980-01-01T00:00:00Z", before.read(member))
            after.writestr(zipfile.ZipInfo(member.filename, _DATE), dated, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def undated_deck(deck: bytes) -> bytes:
    """The deck with undated members; custom XML is stored uncompressed, so that the session is found in the file's bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(deck)) as before, zipfile.ZipFile(made, "w") as after:
        for member in before.infolist():
            kept = zipfile.ZipInfo(member.filename, _DATE)
            is_custom = f"/{member.filename}".startswith(_CUSTOM_XML)
            kept.compress_type = zipfile.ZIP_STORED if is_custom else zipfile.ZIP_DEFLATED
            after.writestr(kept, before.read(member))
    return made.getvalue()
