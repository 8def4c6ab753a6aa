"""Titles and captions of figures: the encoding for the title, all settings for the caption."""

from __future__ import annotations

from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.trained import KINDS
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_count, format_number, inner_case, quote
from posenc_gui.scene.comparison import names
from posenc_gui.scene.diff import between
from posenc_gui.scene.scene import Scene

_LONGEST_TEXT = 80  # characters of a quoted sentence
_ALWAYS = ("d_model", "n_heads")  # fields of the model that are listed even at their defaults


def describe_encodings(scene: Scene) -> str:
    """Describe the encoding by its name and non-default parameters, "RoPE, base 100"; in a comparison, both encodings:
    "A: RoPE, B: ALiBi", or "RoPE, A: base 100, B: base 10,000"."""
    acting = scene.acting
    if acting.other is None:
        return _named(acting.encoding)
    sides = [_named(acting.encoding), _named(acting.other)]
    shared = [name for name in sides[0].split(", ") if name in sides[1].split(", ")]
    apart = names(scene)
    is_written = bool(acting.encoding.written and acting.other.written) and acting.encoding != acting.other
    if is_written and not acting.other.told_apart_by(acting.encoding):
        return ", ".join(apart)
    is_same = sides[0] == sides[1] and not is_written
    if type(acting.encoding) is not type(acting.other) or "…" in "".join(apart) or is_same:
        return f"A: {sides[0]}, B: {sides[1]}"
    return ", ".join((*shared, *apart))


def describe_settings(scene: Scene, subject: str = "") -> str:
    """Describe the sentence, shortened, its start, the encoding or `subject`, and the model: d_model, heads, other fields."""
    model = scene.model
    if isinstance(model, ToyModel):
        always = [f"d_model {model.d_model}", format_count(model.n_heads, "head")]
        changed = model_changes(type(model)(), model)
    else:
        always = [model.marked, f"layer {model.layer} of {model.layers}", format_count(model.n_heads, "head")]
        changed = []
    sentence = quote(shorten_middle(" ".join(scene.setup.text.split()), _LONGEST_TEXT))
    if scene.patches is not None:
        sentence = f"{sentence} with {scene.patches.in_words}"
    if scene.starts:
        sentence = f"{sentence} {scene.starts}"
    told = subject or describe_encodings(scene)
    return " · ".join((sentence, told, *_formulas(scene), ", ".join((*always, *changed))))


def _formulas(scene: Scene) -> list[str]:
    """Return the formulas that were typed, on a line each; beside another encoding with its side."""
    first, other = scene.acting.encoding, scene.acting.other
    sides = {"": first} if other is None else {"A: ": first, "B: ": other}
    return [f"{side}{one.written}" for side, one in sides.items() if one.written]


def model_changes(default: Frozen, model: Frozen) -> list[str]:
    """List in which fields a model differs, besides its shape, which is always told: "seed 3"."""
    return [text for name, text in _changed(default, model) if name not in _ALWAYS]


def changed_words(value: Frozen) -> list[str]:
    """List what differs from the defaults, facts aside: "base 100"."""
    return [text for _, text in _changed(declared_fields.at_defaults(value), value)]


def _named(encoding: Encoding) -> str:
    strength = [] if encoding.strength == 1 else [f"strength {format_number(encoding.strength)}"]
    if encoding.name in KINDS:
        return ", ".join((encoding.called, *strength))  # whose fields say what the model has
    return ", ".join((encoding.title, *strength, *changed_words(encoding)))


def _changed(default: Frozen, value: Frozen) -> list[tuple[str, str]]:
    """List non-default fields with a description, "base 100", a group's own after it: "scaling YaRN", "factor 8"."""
    found = []
    for one in between(default, value):
        found.append((one.path[0], f"{inner_case(one.title)} {one.after}"))
        member = declared_fields.value_at(value, ".".join(one.path))
        if one.chosen and isinstance(member, Frozen):
            found += [(one.path[0], words) for _, words in _changed(type(member)(), member)]
    return found
