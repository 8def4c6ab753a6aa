"""Requirements: six verdicts on the encoding, each with its number, the finding, and the plot that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from posenc_gui import encodings, plots
from posenc_gui.attention.engine import Engine
from posenc_gui.attention.toy_model import ToyModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.caption_parts import compose_caption
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Judged, Table, Told
from posenc_gui.figure.runs import Run, sentence
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.wording import format_count, join_words
from posenc_gui.measures.base import is_rounding
from posenc_gui.measures.requirements import (
    PARTS,
    SIGNS,
    WORDS,
    Requirement,
    Requirements,
    definitions,
    verdict_told,
)
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

# What a formula that a user has written stands beside, by its door.
_FAMOUS = {"input": "sinusoidal", "rotation": "rope", "score": "alibi"}
_MOST_REASONS = 2  # in a headline

if TYPE_CHECKING:
    Beside = str
else:
    Beside = Literal[("automatic", *encodings.classes())]


class RequirementsOptions(Frozen):
    """The columns of the table."""

    beside: Beside = Field(
        "automatic",
        title="Beside",
        description="Another encoding, with its defaults, whose verdicts stand beside. Automatic is none for a built-in "
        "encoding, and for your formula Sinusoidal, RoPE or ALiBi, where position comes in as in yours.",
        json_schema_extra={
            "names": {name: "none" if name == "none" else cls.title for name, cls in encodings.classes().items()}
        },
    )
    definitions: bool = Field(
        True,
        title="What is measured",
        description="A column that defines each requirement and says when it is met, where no other stands beside.",
    )


def number_of(name: str, row: Requirement) -> str | float:
    """Return a requirement's number as a cell of a table; a change or an error that is only rounding reads as 0."""
    if row.value is None:
        return ""
    return Told(row.value) if definitions()[name].is_difference and is_rounding(row.value) else row.value


def draw(scene: Scene, options: RequirementsOptions, engine: Engine) -> Figure:
    """Draw a table with one row per requirement, followed by one for each of its parts; or beside another encoding's verdicts."""
    found: Requirements = measured("requirements", scene, engine)
    other = _beside(scene, options) if found.judged else None
    over = f"judged over {format_count(found.judged, scene.encoding.along)} " if found.judged else ""
    missing = "" if other is None else _why_missing(other, scene)
    panel, headline, description = _table(scene, found, options), _headline(scene, found), _description(found)
    if other is not None and not missing:
        known: Requirements = measured("requirements", scene.with_encoding(other), engine)
        names = scene.encoding.titled, other.titled
        panel, headline = _both(names, found, known), sentence(_what_parts(scene.encoding, other.called, found, known))
        description += f" {other.titled} is {known.told}."
    return Figure(
        panels=(panel,),
        headline=headline,
        caption_parts=compose_caption(
            f"{over}with d_model {scene.model.d_model}, d_head {scene.model.head_width}",
            "" if scene.encoding.axes == 1 else "along rows, along columns and as for words; the worst counts",
            "what isn't defined isn't met" if found.judged else "",
            "pale: the same verdict" if other is not None and not missing else missing,
        ),
        description=description,
    )


def _beside(scene: Scene, options: RequirementsOptions) -> Encoding | None:
    """Return the encoding that stands beside, if any."""
    automatic = "none" if scene.encoding.built_in else _FAMOUS[scene.encoding.door]
    name = automatic if options.beside == "automatic" else options.beside
    return None if name in ("none", scene.encoding.name) else encodings.encoding(name)


def _why_missing(other: Encoding, scene: Scene) -> str:
    """Say for a caption why another encoding isn't judged; empty if it is."""
    try:
        other.check_shape(scene.model.d_model, scene.model.n_heads, scene.model.head_width)
    except Undefined as why:
        return f"missing: {other.called}, {str(why).rstrip('.')}"
    is_toy = isinstance(scene.model, ToyModel)
    return "" if is_toy else f"missing: {other.called}, which only a toy model can have in place of its own"


def _table(scene: Scene, found: Requirements, options: RequirementsOptions) -> Table:
    rows = tuple(chain.from_iterable(_rows(name, row, options) for name, row in found.items()))
    header = ["requirement", "verdict", "what was found", "number", "to be seen in"]
    header += ["what is measured"] if options.definitions else []
    return Table(scene.encoding.titled, tuple(header), rows)


def _both(names: tuple[str, str], found: Requirements, known: Requirements) -> Table:
    """A row for each requirement, with what was found in a few words; the known one's verdict is pale where it is the same."""
    rows = []
    for name, row in found.items():
        other = known[name]
        judged, beside = Judged(row.told, row.verdict), Judged(other.told, other.verdict, row.verdict == other.verdict)
        rows.append((row.title, judged, row.short, beside, number_of(name, row), plots.plots()[SHOWN_BY[name]].title))
    header = "requirement", names[0], "what was found", names[1], "number", "to be seen in"
    return Table("the six requirements", header, tuple(rows), spare=(5, 4))


def _what_parts(own: Encoding, other: str, found: Requirements, known: Requirements) -> str:
    """“Your formula is unique and bounded, as Sinusoidal is; unlike it, not relative-aware (no map for a step).”"""
    if found.undefined:
        return found.reason
    ranks = list(SIGNS)
    ahead = {name: ranks.index(known[name].verdict) - ranks.index(row.verdict) for name, row in found.items()}
    if not any(ahead.values()):
        return f"{own.titled} is {found.told}: as {other} in all six."
    shared = _adjectives([row for name, row in found.items() if not ahead[name] and row.verdict == "met"])
    more = _adjectives([row for name, row in found.items() if ahead[name] > 0], partly="partly ")
    less = [row for name, row in found.items() if ahead[name] < 0]
    lacks = _adjectives(less, partly="only partly ", with_reasons=len(less) <= _MOST_REASONS)
    unlike = ", but ".join(filter(None, (more, lacks)))
    if shared:
        return f"{own.titled} is {shared}, as {other} is; unlike it, {unlike}."
    return f"Unlike {other}, {own.called} is {unlike}."


def _adjectives(rows: Iterable[Requirement], partly: str = "", *, with_reasons: bool = False) -> str:
    """“only partly smooth (neighbours are nearer) and not relative-aware (no map for a step)”"""
    degrees = {"met": "", "partly": partly, "not": "not "}
    told = (f"{degrees[row.verdict]}{row.adjective}{f' ({row.short})' * with_reasons}" for row in rows)
    return join_words(sorted(told, key=lambda words: words.startswith("within")))


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
    compared={"beside": "none"},
)
