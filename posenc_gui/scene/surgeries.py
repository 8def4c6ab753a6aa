"""How it is said what was done to the positions of a model that has learned: in a title, a sentence, a column's heading."""

from __future__ import annotations

from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.strength import at_strength
from posenc_gui.encodings.common.trained import TrainedTable
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.wording import format_number, inner_case
from posenc_gui.scene.diff import between

_OFF = {"input": "table zeroed", "rotation": "rotation off", "score": "bias off", "none": "no positions"}
_ALL_AT, _TOKENS_AT = "all at ", "with all tokens at "


def done(model: TrainedModel, encoding: Encoding) -> str:
    """Return “as trained”, “table zeroed”, “rotation off”, “base 500”, “positions at strength 0.5”, “base 5, at strength 0.5”."""
    own = model.encoding
    if encoding.strength == 0:
        return _OFF[own.door]
    if encoding.strength != 1:
        whole = at_strength(encoding, 1)
        changed = "positions" if whole == own else f"{done(model, whole)},"
        return f"{changed} at strength {format_number(encoding.strength)}"
    if encoding == own:
        return "as trained"
    if encoding.door == "none":
        return _OFF["none" if model.beside else own.door]
    if isinstance(encoding, TrainedTable):
        return encoding.done if encoding.surgery == "one_position" else f"table {encoding.done}"
    if type(encoding) is not type(own):
        return f"{encoding.called}{alike(model)}"
    found = between(own, encoding)
    changed = ", ".join(
        f"no {inner_case(one.title)}" if one.after == declared_fields.NONE else f"{inner_case(one.title)} {one.after}"
        for one in found
    )
    return f"{changed}{alike(model)}"


def phrase(model: TrainedModel, encoding: Encoding) -> str:
    """Return “as trained”, “with the table zeroed”, “with all tokens at position 0”, “with base 500”."""
    words = done(model, encoding)
    if encoding == model.encoding:
        return words
    if words.startswith(_ALL_AT):
        return words.replace(_ALL_AT, _TOKENS_AT)
    the = "the " if words.startswith(("table ", "rotation ", "bias ")) else ""
    return f"with {the}{words}"


def alike(model: TrainedModel) -> str:
    """Return in which layers another rotation takes the place of this layer's, to be added to what is done: empty for all."""
    return " in layers that turn like this one" if model.turns_by_layer else ""


def in_a_sentence(change: str) -> str:
    """Return the name of a change, as in a list of changes, as a part of a sentence: “zeroed” is “with the table zeroed”."""
    if change.startswith(("with", "as ")):
        return change
    return change.replace(_ALL_AT, _TOKENS_AT) if change.startswith(_ALL_AT) else f"with the table {change}"


def heading(model: TrainedModel, encoding: Encoding) -> str:
    """Return a word or two: “trained”, “zeroed”, “off”, “at 0”."""
    words = done(model, encoding)
    for first in ("as ", "table ", "rotation ", "bias ", "positions "):
        words = words.removeprefix(first)
    return words.replace("all at position", "at")
