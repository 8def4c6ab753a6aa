"""Parameters that people know by a name, as they know RoPE's scalings."""

from __future__ import annotations

from typing import ClassVar

from posenc_gui.encodings.base import Source
from posenc_gui.foundation.declared_model import Frozen


class Named(Frozen):
    """A group of fields that is found by its title, by other names and by models, as an encoding is."""

    summary: ClassVar[str]
    source: ClassVar[Source]
    also: ClassVar[tuple[str, ...]] = ()
    models: ClassVar[tuple[str, ...]] = ()
