"""The headline while the mark of a former state is seen: former numbers before the present ones."""

from __future__ import annotations

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.runs import Run


def headline_since(former: Figure, now: Figure) -> tuple[Run, ...]:
    """Write former numbers before those that differ, as in “0.23 → 0.43 and 0.17”.

    It is the present headline alone if that differs in more than numbers and the encoding's name, since the former numbers
    would then be of something else.
    """
    if _beside_numbers(former) != _beside_numbers(now):
        return now.headline
    found: list[Run] = []
    for one, other in zip(former.headline, now.headline, strict=True):
        if one.text != other.text and other.kind == "number":
            found.append(Run(f"{one.text} → ", "former"))
        found.append(other)
    return tuple(found)


def _beside_numbers(figure: Figure) -> list[Run]:
    """The headline's runs without numbers and without the encoding's name."""
    name = figure.subject.partition(",")[0]
    texts = (
        "" if run.kind == "number" else run.text.replace(name, "") if name else run.text for run in figure.headline
    )
    return [Run(text, run.kind) for text, run in zip(texts, figure.headline, strict=True)]
