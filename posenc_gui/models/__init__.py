"""Published models: by name, and from their config.json."""

from posenc_gui.models.config import from_config
from posenc_gui.models.presets import preset, presets

__all__ = ["from_config", "preset", "presets"]
