"""What a figure is of, in words: for its title, the encoding; for its caption, everything that was set."""

from __future__ import annotations

from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation import declared_fields as fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.unicode_text import cut, quoted
from posenc_gui.scene.diff import between, in_a_sentence
from posenc_gui.scene.scene import Scene

_LONGEST_TEXT = 80  # letters of a sentence that are quoted
_ALWAYS = ("d_model", "n_heads")  # of the model, which is said also where it is at its defaults


def subject(scene: Scene) -> str:
    """The encoding by its name and the parameters that differ from their defaults: "RoPE, base 100"; both, where two are
    compared."""
    if scene.other is None:
        return _named(scene.encoding)
    return f"A: {_named(scene.encoding)}, B: {_named(scene.other)}"


def settings(scene: Scene) -> str:
    """The sentence, the encoding and the model."""
    model = scene.model
    always = [f"d_model {model.d_model}", f"{model.n_heads} head{'s' if model.n_heads > 1 else ''}"]
    changed = [told for name, told in _changed(type(model)(), model) if name not in _ALWAYS]
    sentence = quoted(cut(" ".join(scene.text.split()), _LONGEST_TEXT))
    if scene.patches is not None:
        sentence = f"{sentence} with {scene.patches.in_words}"
    return " · ".join((sentence, subject(scene), ", ".join((*always, *changed))))


def _named(encoding: Encoding) -> str:
    return ", ".join((encoding.title, *(told for _, told in _changed(type(encoding)(), encoding))))


def _changed(default: Frozen, value: Frozen) -> list[tuple[str, str]]:
    """The fields that differ from their defaults, each by its name and in words: "base 100".

    Where a group is chosen, what differs from its own follows: "scaling YaRN", "factor 8".
    """
    told = []
    for one in between(default, value):
        told.append((one.path[0], f"{in_a_sentence(one.title)} {one.after}"))
        member = fields.value_at(value, ".".join(one.path))
        if one.chosen and isinstance(member, Frozen):
            told += [(one.path[0], words) for _, words in _changed(type(member)(), member)]
    return told
