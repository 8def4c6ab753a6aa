"""The file behind a deck: its ZIP archive without dates, and the session that it carries."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.opc.package import Part

from posenc_gui.foundation.files import embedded_session

_CUSTOM_XML = "/customXml"  # the folder in which Office keeps parts of other programs
_DATE = (1980, 1, 1, 0, 0, 0)
_LATIN = re.compile(rb'(<a:latin typeface=")[^"]*')
_DATES = re.compile(rb'(<dcterms:\w+ xsi:type="dcterms:W3CDTF">)[^<]*')


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
