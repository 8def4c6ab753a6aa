"""Files bundled with the explorer, such as icons and example sentences."""

from __future__ import annotations

from pathlib import Path

import posenc_gui


def folder() -> Path:
    """Return the resources folder: inside the package if installed, beside it in a checkout."""
    package = Path(posenc_gui.__file__).parent
    installed = package / "resources"
    return installed if installed.is_dir() else package.parent / "resources"
