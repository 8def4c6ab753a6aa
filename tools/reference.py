"""Write the files that follow from declarations: docs pages on encodings, plots and measures, and the session schema.

`python tools/reference.py` writes all of them; run it after adding an encoding, a plot, a measure or an option.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import get_args

from posenc_gui.encodings.base import Door
from posenc_gui.foundation.declared_fields import kind
from posenc_gui.measures import measures
from posenc_gui.measures.requirements import PARTS, definitions
from posenc_gui.models.encoding_search import Entry, entries
from posenc_gui.plots import plots
from posenc_gui.plots.base import Group, of_group
from posenc_gui.session import json_schema

ROOT = Path(__file__).parents[1]
_DOORS: dict[Door, str] = {
    "none": "No position",
    "input": "At the input, added to the tokens",
    "rotation": "By rotation of queries and keys",
    "score": "On the scores",
}
_WRITTEN = "<!-- Written by tools/reference.py; edit the declarations, not this page. -->"


def pages() -> dict[str, str]:
    """Return the text of each page in docs, by its file name."""
    lines = {"encodings.md": _encodings(), "plots.md": _plots(), "measures.md": _measures()}
    return {name: "\n".join((_WRITTEN, "", *of_page, "")) for name, of_page in lines.items()}


def _encodings() -> Iterator[str]:
    yield "# Encodings"
    yield ""
    yield "An encoding can enter attention at three places, its doors: the input, the rotation of queries and keys, the scores."
    yield "`posenc-gui list encodings --json` prints the parameters of each; the window shows its formula and its PyTorch code."
    for door, members in groupby(entries(), lambda entry: entry.cls.door):
        yield from ("", f"## {_DOORS[door]}", "")
        yield from _table(
            ("encoding", "name", "what it does", "source"),
            (
                (entry.title, _setting(entry), entry.summary, f"{entry.source.authors} {entry.source.year}")
                for entry in members
            ),
        )


def _setting(entry: Entry) -> str:
    """Return an encoding's name and, if the entry is a variant of it, the setting that chooses that."""
    if not entry.field:
        return f"`{entry.cls.name}`"
    tag = kind(entry.cls.model_fields[entry.field]).tag
    return f"`{entry.cls.name}`, `{entry.field}.{tag}={getattr(entry.value, tag)}`"


def _plots() -> Iterator[str]:
    yield "# Plots"
    yield ""
    yield "`posenc-gui export NAME --out FILE` saves one, `pe.plot(NAME, session)` draws it from Python."
    for group in get_args(Group):
        yield from ("", f"## {group}", "")
        yield from _table(
            ("plot", "name", "answers", "shows"),
            (
                (plot.title, f"`{name}`", plot.question, plot.summary)
                for name, plot in ((name, plots()[name]) for name in of_group(plots(), group))
            ),
        )


def _measures() -> Iterator[str]:
    yield "# Measures"
    yield ""
    yield "A measure is a number with a sentence that says what it means: `pe.measure(NAME, session)` has `.value` and `.reason`."
    yield ""
    yield from _table(
        ("measure", "name", "answers"),
        ((measure.title, f"`{name}`", measure.summary) for name, measure in measures().items()),
    )
    yield from ("", "## The six requirements", "")
    yield "A requirement is met, partly met or not met, or it does not apply. It is judged by signatures: the vector that an"
    yield "encoding gives to a position, or at the score door to an offset. Where an encoding is not defined, the requirement is"
    yield "not met. Without an encoding there are no signatures: no requirement applies, and the reason says what the mask tells."
    yield "Where positions have a row and a column, each requirement is judged along rows, along columns and as for words, where"
    yield "all axes are alike; the worst counts."
    yield ""
    for name, one in definitions().items():
        yield f"- **{one.title}** (`{name}`). {one.definition}"
        yield from (
            f"    - {PARTS[part].title} (`{part}`): {PARTS[part].definition}" for part in one.divide("n/a", None)
        )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{' --- |' * len(header)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    for name, text in pages().items():
        (ROOT / "docs" / name).write_text(text, encoding="utf-8")
    (ROOT / "resources" / "session.schema.json").write_text(f"{json_schema.text()}\n", encoding="utf-8")
