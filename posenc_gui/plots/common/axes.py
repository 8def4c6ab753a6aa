"""Axes of positions, tokens and offsets, which part of them is shown, and what is told of a place on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from posenc_gui.figure.axis import Axis, Role
from posenc_gui.figure.panels import VerticalMark
from posenc_gui.figure.runs import Kind, Run, sentence
from posenc_gui.foundation.wording import format_number, isolate
from posenc_gui.plots.base import WINDOW
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

_MARKED_TWINS = 8  # up to so many repeated words are all marked


def describe_window(scene: Scene, window: range) -> str:
    """Return a caption text that says which tokens around the focus are shown, and of how many; empty if all are."""
    if len(window) == scene.n_tokens:
        return ""
    return f"{scene.unit}s {window.start:,} to {window.stop - 1:,} of {scene.n_tokens:,}, around the focus"


def word(scene: Scene, at: int, kind: Kind = "plain") -> Run:
    """Return a token for a sentence."""
    return Run(isolate(format_token(scene.tokens[at])), kind)


def focus_word(scene: Scene) -> Run:
    """Return the token in focus for a sentence."""
    return word(scene, scene.focused or 0, "focus")


def placed(scene: Scene, at: int) -> str:
    """“the (4)”: a token with its position."""
    return f"{word(scene, at).text} ({scene.positions[at]:,})"


def token_axis(scene: Scene, role: Role, title: str, window: range) -> Axis:
    """Return the axis of a range of positions or, for queries and keys, of token indices.

    Those of the sentence are labelled with its tokens, positions before it with their numbers.
    """
    axis = Axis(role, title, window.start, start=scene.start)
    first, focus = axis.first_token, scene.focused
    shown = range(max(0, window.start - first), max(0, window.stop - first))
    before = (str(position) for position in window if position < first)
    labels = (*before, *(format_token(token) for token in scene.tokens[shown.start : shown.stop]))
    twins = frozenset(first + at for at in shown if at in scene.sentence.twins)
    return replace(axis, labels=labels, focus=None if focus is None else first + focus, twins=twins)


def along(scene: Scene) -> str:
    """Return the name of a profile's coordinates: “position”, “offset”, or “token” if patches have several coordinates each."""
    return scene.encoding.along if scene.places is None else "token"


def place_told(scene: Scene, span: range) -> int:
    """Return the coordinate of which a headline tells: the focus where it is seen, else the last one."""
    focus = scene.start + (scene.focused or 0)
    return focus if scene.encoding.along == "position" and scene.n_tokens and focus in span else span.stop - 1


def sentence_at(scene: Scene, at: int, names: Sequence[str], values: Tensor, among: str = "") -> tuple[Run, ...]:
    """“At position 2, dim 2 is highest, 1, and 63 of 64 are lowest, 0.” `among`: of which, if these aren't all."""
    place = f"At {along(scene)} {format_number(at)}, {f'{among}, ' if among else ''}"
    low, high = int(values.argmin()), int(values.argmax())
    lowest, highest = float(values[low]), float(values[high])
    if len(names) == 1:
        return sentence(f"{place}{names[0]} is ", highest, ".")
    if format_number(lowest) == format_number(highest):
        return sentence(f"{place}{'both' if len(names) == 2 else f'all {len(names)}'} are ", highest, ".")
    most, least = (_those_with(names, values, index) for index in (high, low))
    return sentence(f"{place}{most} highest, ", highest, f", and {least} lowest, ", lowest, ".")


def turned_at(scene: Scene, at: float, pairs: Sequence[int], turned: Tensor, unit: str) -> tuple[Run, ...]:
    """“At position 31, pair 0 has turned furthest of the pairs shown, 4.93 times, and pair 4 least, 0.493 times.”"""
    place = f"At {along(scene)} {format_number(at)}, "
    most, least = int(turned.argmax()), int(turned.argmin())
    if most == least:
        which = f"pair {pairs[0]} has" if len(pairs) == 1 else "the pairs shown have all"
        return sentence(f"{place}{which} turned ", float(turned[most]), f"{unit}.")
    furthest = f"{place}pair {pairs[most]} has turned furthest of the pairs shown, "
    return sentence(
        furthest, float(turned[most]), f"{unit}, and pair {pairs[least]} least, ", float(turned[least]), f"{unit}."
    )


def _those_with(names: Sequence[str], values: Tensor, index: int) -> str:
    """“dim 2 is” or, if others have its value up to rounding, “63 of 64 are”."""
    count = int(torch.isclose(values, values[index], rtol=1e-6, atol=1e-9).sum())
    return f"{names[index]} is" if count == 1 else f"{count} of {len(names)} are"


def position_axis(scene: Scene, role: Role, title: str, span: range) -> Axis:
    """Return the axis of a range of positions, labelled with tokens; without labels if several patches share a position."""
    return token_axis(scene, role, title, span) if scene.places is None else Axis(role, title, span.start)


def window_around(focus: int, length: int) -> range:
    """Return the indices of at most `WINDOW` tokens around a token."""
    start = max(0, min(focus - WINDOW // 2, length - WINDOW))
    return range(start, min(length, start + WINDOW))


def steps_around(scene: Scene, reach: int | None, least: int, most: int) -> range:
    """Return the steps from the focus to keys that it may see: `reach` to either side, or as far as the sentence, in bounds."""
    focus, is_causal = scene.focused or 0, scene.model.causal
    furthest = max(focus, 0 if is_causal else scene.n_tokens - 1 - focus)
    reach = reach or max(least, min(furthest, most))
    return range(-reach, 1 if is_causal else reach + 1)


def fully_labelled(axis: Axis, span: range) -> Axis:
    """Label the positions past the sentence's end with their numbers, since a map's axis labels all cells or none."""
    numbers = tuple(str(position) for position in span[len(axis.labels) :])
    return replace(axis, labels=(*axis.labels, *numbers)) if axis.labels else axis


def encoding_span(scene: Scene, positions: range) -> range:
    """Return the coordinates of the encoding's profile: the positions, or, for a relative encoding, a range of offsets."""
    if scene.encoding.along == "position":
        return positions
    return range(0 if scene.model.causal else 1 - len(positions), len(positions))


def encoding_axis(scene: Scene, span: range) -> Axis:
    """Return the axis of `encoding_span`. Offsets are m − n, query minus key, so keys in the past have positive offsets."""
    if scene.encoding.along == "position":
        return token_axis(scene, "position", along(scene), span)
    return Axis("offset", "offset m − n, query minus key", span.start)


def marked_twins(scene: Scene) -> frozenset[int]:
    """Return the indices of the words that are marked as repeated: all of few; of many, those that are the word in focus."""
    twins, focus = scene.sentence.twins, scene.focused
    if len(twins) <= _MARKED_TWINS or focus is None:
        return twins if len(twins) <= _MARKED_TWINS else frozenset()
    return frozenset(at for at in twins if scene.tokens[at] == scene.tokens[focus] and at != focus)


def sentence_marks(scene: Scene, axis: Axis, span: range) -> tuple[VerticalMark, ...]:
    """Return vertical lines for the end of the sentence, a few twins and the token in focus, as far as they are shown."""
    if axis.role != "position":
        return ()
    positions, focus = scene.positions, scene.focused
    marks = []
    if positions and span.start < positions.stop < span.stop:
        marks.append(VerticalMark(positions.stop - 0.5, "sentence ends", "end"))
    twins = (positions[at] for at in sorted(marked_twins(scene)) if at != focus)
    marks += [VerticalMark(position, "", "twin") for position in twins if position in span]
    if focus is not None and positions[focus] in span:
        marks.append(VerticalMark(positions[focus], format_token(scene.tokens[focus]), "focus"))
    return tuple(marks)
