"""Axes of positions, tokens and offsets, which part of them is shown, and what is told of a place on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from posenc_gui.figure.axis import Axis, Role
from posenc_gui.figure.panels import VerticalMark
from posenc_gui.figure.runs import Kind, Run, sentence
from posenc_gui.foundation.wording import format_brief, format_number, isolate
from posenc_gui.plots.base import WINDOW
from posenc_gui.scene.scene import Scene
from posenc_gui.text.tokenization import format_token

OFFSET = "offset m − n, earlier at the right"  # query minus key: the public convention, which runs against the text
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
    """Return the axis of positions, or of tokens' indices: labelled with the sentence's tokens, before it with numbers."""
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


def told_range(scene: Scene, span: range, values: Tensor, names: Sequence[str]) -> tuple[Run, ...]:
    """“From offset −31 to 31 what is added lies between −7.75 and 0.”"""
    what = names[0] if len(names) == 1 else "what is added"
    place = f"From {along(scene)} {format_number(span.start)} to {format_number(span.stop - 1)} {what} "
    low, high = float(values.min()), float(values.max())
    if format_brief(low) == format_brief(high):
        return sentence(f"{place}stays at ", low, ".")
    return sentence(f"{place}lies between ", low, " and ", high, ".")


def position_axis(scene: Scene, role: Role, title: str, span: range) -> Axis:
    """Return the axis of a range of positions, labelled with tokens; without labels if several patches share a position."""
    return token_axis(scene, role, title, span) if scene.places is None else Axis(role, title, span.start)


def window_around(focus: int, length: int) -> range:
    """Return the indices of at most `WINDOW` tokens around a token."""
    start = max(0, min(focus - WINDOW // 2, length - WINDOW))
    return range(start, min(length, start + WINDOW))


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
    return Axis("offset", OFFSET, span.start)


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
