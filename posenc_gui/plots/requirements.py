"""Requirements: six verdicts on the encoding, each with its number, the finding, and the plot that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from pydantic import Field

from posenc_gui import plots
from posenc_gui.attention.engine import Engine
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Judged, Table, Told
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.wording import format_count
from posenc_gui.measures.base import is_rounding
from posenc_gui.measures.requirements import PARTS, WORDS, Requirement, Requirements, definitions, verdict_told
from posenc_gui.plots.base import Plot, measured
from posenc_gui.scene.scene import Scene

# The plot that shows each requirement.
SHOWN_BY = {
    "unique": "similarity",
    "bounded": "waves",
    "deterministic": "waves",
    "generalizable": "length",
    "smooth": "similarity",
    "relative_aware": "linear_shift",
}


class RequirementsOptions(Frozen):
    """The columns of the table."""

    definitions: bool = Field(
        True, title="What is measured", description="A column that defines each requirement and says when it is met."
    )


def number_of(name: str, row: Requirement) -> str | float:
    """Return a requirement's number as a cell of a table; a change or an error that is only rounding reads as 0."""
    if row.value is None:
        return ""
    return Told(row.value) if definitions()[name].is_difference and is_rounding(row.value) else row.value


def draw(scene: Scene, options: RequirementsOptions, engine: Engine) -> Figure:
    """Draw a table with one row per requirement, followed by one for each of its parts."""
    found: Requirements = measured("requirements", scene, engine)
    rows = tuple(chain.from_iterable(_rows(name, row, options) for name, row in found.items()))
    header = ["requirement", "verdict", "what was found", "number", "to be seen in"]
    header += ["what is measured"] if options.definitions else []
    over = f"judged over {format_count(found.judged, scene.encoding.along)} " if found.judged else ""
    return Figure(
        panels=(Table(scene.encoding.titled, tuple(header), rows),),
        headline=_headline(scene, found),
        caption_parts=compose_caption(
            f"{over}with d_model {scene.model.d_model}, d_head {scene.model.head_width}",
            "" if scene.encoding.axes == 1 else "along rows, along columns and as for words; the worst counts",
            "what isn't defined isn't met" if found.judged else "",
        ),
        description=_description(found),
    )


def _rows(name: str, row: Requirement, options: RequirementsOptions) -> Iterator[tuple[str | float, ...]]:
    seen_in = plots.plots()[SHOWN_BY[name]].title
    definition = [row.definition] if options.definitions else []
    yield row.title, Judged(row.told, row.verdict), row.reason, number_of(name, row), seen_in, *definition
    for part, verdict in row.parts.items():
        definition = [PARTS[part].definition] if options.definitions else []
        yield f"· {PARTS[part].title}", Judged(verdict_told(verdict), verdict), "", "", "", *definition


def _description(found: Requirements) -> str:
    if not found.judged:
        return f"No requirement applies. {found.reason}"
    return " ".join(f"{row.title}: {WORDS[row.verdict]}{row.told_in_parts}. {row.reason}" for row in found.values())


def _headline(scene: Scene, found: Requirements) -> tuple[Run, ...]:
    """“RoPE is unique, bounded, deterministic, smooth and relative-aware; partly within the same range in longer texts.”"""
    if not found.judged and scene.encoding.door != "none":
        return sentence(found.reason)
    if not found.judged:
        return sentence("Without an encoding there is nothing to judge: no position has a signature.")
    return sentence(f"{scene.encoding.titled} is {found.told}.")


PLOT = Plot(
    "Requirements",
    "Which of the six requirements the encoding meets, by measurement.",
    "What does a good encoding need?",
    RequirementsOptions,
    draw,
    "Requirements",
)
