"""Descriptions of a comparison of two encodings, A and B: their names, what is equal, and what differs."""

from __future__ import annotations

from posenc_gui import encodings
from posenc_gui.attention.layer import scale_of
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.wording import format_number, inner_case, join_words
from posenc_gui.scene import surgeries
from posenc_gui.scene.diff import Difference, between
from posenc_gui.scene.scene import Scene

_NAMED = 2  # number of parameters in the name of A or B; "…" represents the others


def names(scene: Scene) -> tuple[str, str]:
    """Label the encodings A and B: "A: base 10,000" and "B: base 500,000"."""
    first, second = side_names(scene)
    return f"A: {first}", f"B: {second}"


def side_names(scene: Scene) -> tuple[str, str]:
    """Name A and B by up to two parameters in which they differ, "base 10,000"; equal ones and other classes by name."""
    first, second = (side.encoding for side in scene.sides)
    if isinstance(scene.model, TrainedModel):
        return surgeries.done(scene.model, first), surgeries.done(scene.model, second)
    return _called(first, second)


def title(scene: Scene) -> str:
    """Name the encoding of a scene that has one: “RoPE”, or of a model that has learned “Table zeroed”."""
    if not isinstance(scene.model, TrainedModel):
        return scene.encoding.titled
    done = surgeries.done(scene.model, scene.encoding)
    return f"{done[0].upper()}{done[1:]}"


def headings(scene: Scene) -> tuple[str, str]:
    """Head two columns of numbers, one for each of `scene.sides`, in a word or two."""
    if scene.other is not None:
        return "A", "B"
    if not isinstance(scene.model, TrainedModel):
        return "without", "with"
    first, second = (surgeries.heading(scene.model, side.encoding) for side in scene.sides)
    return first, second


def before_and_now_labels(before: Encoding | None, now: Encoding | None) -> tuple[str, str]:
    """Label a pinned picture and the current one; the labels name their encodings if these differ."""
    if before is None or now is None or before == now:
        return "Before", "Now"
    first, second = _called(before, now)
    return f"Before: {first}", f"Now: {second}"


def _called(first: Encoding, second: Encoding) -> tuple[str, str]:
    found = _parameters(first, second)
    if not found:
        is_another = first != second and not (first.built_in or second.built_in)
        return first.called, "your other formula" if is_another else second.called
    more = " …" if len(found) > _NAMED else ""
    return (
        ", ".join(_format_parameter(one.title, one.before) for one in found[:_NAMED]) + more,
        ", ".join(_format_parameter(one.title, one.after) for one in found[:_NAMED]) + more,
    )


def _format_parameter(title: str, value: str) -> str:
    """Format a parameter: “base 10,000”, “scaling YaRN”, “no scaling”."""
    return f"no {inner_case(title)}" if value == declared_fields.NONE else f"{inner_case(title)} {value}"


def phrases(scene: Scene) -> tuple[str, str]:
    """Return phrases for `scene.sides`, such as "without position" and "with RoPE"; they begin in lower case."""
    words = (side.encoding.called for side in scene.sides) if scene.other is None else side_names(scene)
    first, second = (phrase_of(side, name) for side, name in zip(scene.sides, words, strict=True))
    return first, second


def phrase_of(side: Scene, name: str = "") -> str:
    """Return the phrase for a scene of one encoding; of a model that has learned, "as trained" or what was done to it."""
    if isinstance(side.model, TrainedModel):
        return surgeries.phrase(side.model, side.encoding)
    return phrase(side.encoding, name)


def phrase(encoding: Encoding, name: str = "") -> str:
    """Return "without position", or "with RoPE", in which `name` may replace the encoding's own name."""
    return "without position" if encoding.door == "none" else f"with {name or encoding.called}"


def phrase_without(scene: Scene) -> str:
    """Return "without position", or of a model that keeps some what `scene.without_position` is: "with the rotation off"."""
    if scene.can_lose_position:
        return phrase(encodings.encoding("none"))
    assert isinstance(scene.model, TrainedModel)
    return surgeries.phrase(scene.model, scene.without_position.encoding)


def held_and_different(scene: Scene) -> tuple[str, str]:
    """Return two parts of a caption: what is equal in A and B, and what differs."""
    first, second = scene.sides
    held = [
        "sentence",
        "order",
        "toy model (seeded weights)" if isinstance(scene.model, ToyModel) else "model (trained weights)",
    ]
    if first.encoding == second.encoding:
        return f"the same in both: {', '.join(held)}, encoding", "A and B are the same"
    alike = first.encoding.name == second.encoding.name
    found = between(first.encoding, second.encoding) if alike else ()
    differs = [inner_case(one.title) for one in found] or ["encoding"]
    if found:
        changed = {one.path[0] for one in found}
        declared = type(first.encoding).model_fields.items()
        held += [inner_case(field.title or name) for name, field in declared if name not in changed]
    scales = [scale_of(side.model, side.encoding) for side in (first, second)]
    if scales[0] != scales[1]:
        differs.append(f"the factor of q · k ({join_words(map(format_number, scales))})")
    return f"the same in both: {', '.join(held)}", f"differs: {', '.join(differs)}"


def every_encoding(scene: Scene) -> dict[str, Encoding]:
    """Return every encoding by name, A and B with their parameters, which tell two of one class apart."""
    found: dict[str, Encoding] = {}
    other = scene.other
    for encoding in encodings.every(scene.encoding):
        if other is None or encoding.name != other.name or encoding == other:
            found[encoding.titled] = encoding
        elif encoding is scene.encoding:
            apart = f"{encoding.title}, " if other.told_apart_by(encoding) else ""
            titles = (f"{apart}{name}" if apart else f"{name[0].upper()}{name[1:]}" for name in side_names(scene))
            found |= zip(titles, (encoding, other), strict=True)
        else:
            found[encoding.titled] = other
    if other is not None and not other.built_in and other not in found.values():
        found[other.titled] = other
    return found


def in_a_sentence(scene: Scene, title: str) -> str:
    """Return a title that begins with the encoding's name as it stands within a sentence: “your formula, growth 3”."""
    is_written = not scene.encoding.built_in and title.startswith(scene.encoding.title)
    return inner_case(title) if is_written else title


def _parameters(first: Encoding, second: Encoding) -> tuple[Difference, ...]:
    """Return the parameters in which two encodings of one class differ; none for different classes."""
    return between(first, second) if second.told_apart_by(first) else ()
