"""Code that every package uses and that knows nothing of attention: wording, errors, declared models, files, colours."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

outputs: Callable[[], ModuleType]  # imports what saves figures: `posenc_gui` sets it, since a figure knows no output
