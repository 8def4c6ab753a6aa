"""Parameters with a name of their own, such as RoPE's scalings."""

from __future__ import annotations

from typing import ClassVar

from posenc_gui.encodings.base import Source
from posenc_gui.foundation.declared_model import Frozen


class Named(Frozen):
    """A group of fields that search finds by its title, other names and models, like an encoding."""

    summary: ClassVar[str]
    source: ClassVar[Source]
    also: ClassVar[tuple[str, ...]] = ()
    models: ClassVar[tuple[str, ...]] = ()
