"""Files that come with the explorer: icons, example sentences."""

from __future__ import annotations

from pathlib import Path


def folder() -> Path:
    """The folder of the resources: inside the package where it is installed, beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "resources"
    return installed if installed.is_dir() else package.parent / "resources"
