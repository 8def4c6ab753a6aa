"""The size of a ZIP archive's directory, judged before zipfile reads it and makes an object of each entry."""

from __future__ import annotations

import zipfile

LARGEST = 1_000_000  # bytes: a presentation of 10,000 parts

_END, _LARGE = b"PK\x05\x06", b"PK\x06\x07"  # signatures of the end record, and of the locator of a 64-bit one
_END_SIZE, _LOCATOR_SIZE, _COMMENT = 22, 20, 65_535  # bytes; a comment may be as long


def check_directory(archive: bytes) -> None:
    """Raise BadZipFile unless an archive's end record says that its directory is of ordinary size."""
    end = archive.rfind(_END, max(0, len(archive) - _END_SIZE - _COMMENT))
    if end < 0 or end + _END_SIZE > len(archive):
        raise zipfile.BadZipFile("there is no end record")
    if end >= _LOCATOR_SIZE and archive.startswith(_LARGE, end - _LOCATOR_SIZE):
        raise zipfile.BadZipFile("it has a 64-bit directory")
    if int.from_bytes(archive[end + 12 : end + 16], "little") > LARGEST:
        raise zipfile.BadZipFile("its directory is too large")
