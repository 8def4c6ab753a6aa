"""Changes that give plots and measures something to show where a scene has no sentence, or an encoding turns or adds nothing."""

from __future__ import annotations

from posenc_gui.foundation.errors import Remedy
from posenc_gui.foundation.wording import quote
from posenc_gui.scene.scene import Scene

_TEXT = Scene.model_fields["text"].default

SENTENCE = Remedy(f"Take {quote(_TEXT)}", {"text": _TEXT})
ROPE = Remedy("Choose RoPE", {"encoding": "rope"})
SINUSOIDAL = Remedy("Choose Sinusoidal", {"encoding": "sinusoidal"})
