"""Two encodings that are compared, A and B, in words: their names, what is held equal, and what differs."""

from __future__ import annotations

from posenc_gui import encodings
from posenc_gui.attention.layer import scale_of
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.figure import number
from posenc_gui.foundation import declared_fields as fields
from posenc_gui.scene.diff import Difference, between, in_a_sentence
from posenc_gui.scene.scene import Scene

_NAMED = 2  # parameters that name a side; more are hinted at


def names(scene: Scene) -> tuple[str, str]:
    """What A and B are called where they stand alone: "A: base 10,000" and "B: base 500,000"."""
    first, second = called(scene)
    return f"A: {first}", f"B: {second}"


def called(scene: Scene) -> tuple[str, str]:
    """A and B by what differs: base 10,000 and base 500,000 of one encoding, the encodings' titles otherwise."""
    first, second = (side.encoding for side in scene.sides)
    return _called(first, second)


def before_and_now(before: Encoding | None, now: Encoding | None) -> tuple[str, str]:
    """What a pinned picture and the one at hand are called; where their encodings differ, by these too."""
    if before is None or now is None or before == now:
        return "Before", "Now"
    first, second = _called(before, now)
    return f"Before: {first}", f"Now: {second}"


def _called(first: Encoding, second: Encoding) -> tuple[str, str]:
    found = _parameters(first, second)
    if not found:
        return first.called, second.called
    more = " …" if len(found) > _NAMED else ""
    return (
        ", ".join(_worded(one.title, one.before) for one in found[:_NAMED]) + more,
        ", ".join(_worded(one.title, one.after) for one in found[:_NAMED]) + more,
    )


def _worded(title: str, value: str) -> str:
    """“base 10,000”, “scaling YaRN”, “no scaling”."""
    return f"no {in_a_sentence(title)}" if value == fields.NONE else f"{in_a_sentence(title)} {value}"


def phrases(scene: Scene) -> tuple[str, str]:
    """What is shown with the one and with the other, in words that a sentence can begin with after a capital."""
    words = (side.encoding.called for side in scene.sides) if scene.other is None else called(scene)
    first, second = (phrase(side.encoding, name) for side, name in zip(scene.sides, words, strict=True))
    return first, second


def phrase(encoding: Encoding, name: str = "") -> str:
    """With which encoding, by its title or another name, in words that a sentence can begin with after a capital."""
    return "without position" if encoding.door == "none" else f"with {name or encoding.called}"


def held_and_different(scene: Scene) -> tuple[str, str]:
    """For a caption: what is held equal between A and B, and what differs."""
    first, second = scene.sides
    held = ["sentence", "order", "toy model (seeded weights)"]
    if first.encoding == second.encoding:
        return f"held equal: {', '.join(held)}, encoding", "A and B are the same"
    found = _parameters(first.encoding, second.encoding)
    differs = [in_a_sentence(one.title) for one in found] or ["encoding"]
    if found:
        changed = {one.path[0] for one in found}
        declared = type(first.encoding).model_fields.items()
        held += [in_a_sentence(field.title or name) for name, field in declared if name not in changed]
    scales = [scale_of(side.model, side.encoding) for side in (first, second)]
    if scales[0] != scales[1]:
        differs.append(f"what q · k is multiplied by ({' and '.join(map(number, scales))})")
    return f"held equal: {', '.join(held)}", f"differs: {', '.join(differs)}"


def every(scene: Scene) -> dict[str, Encoding]:
    """All encodings by what they are called: A and B with their parameters, the others at their defaults."""
    found: dict[str, Encoding] = {}
    other = scene.other
    for encoding in encodings.every(scene.encoding):
        if other is None or type(encoding) is not type(other) or encoding == other:
            found[encoding.called] = encoding
        elif encoding is scene.encoding:
            titles = (f"{encoding.title}, {name}" for name in called(scene))
            found |= zip(titles, (encoding, other), strict=True)
        else:
            found[encoding.called] = other
    return found


def _parameters(first: Encoding, second: Encoding) -> tuple[Difference, ...]:
    """The parameters in which two encodings of one kind differ; none where they are of two kinds."""
    return between(first, second) if type(first) is type(second) else ()
