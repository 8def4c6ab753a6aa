"""Figures as data: every plot returns one, and every renderer draws one.

A `Figure` holds finite numbers, explicit ranges and plain text, nothing of a screen or of paper. Every axis names its
role, which decides the linked crosshair, the tick labels and the effect of a click.
"""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from posenc_gui.figure.caption_parts import CaptionPart, compose_caption, join_caption
from posenc_gui.figure.panels import Flow, Note, Panel, Table
from posenc_gui.figure.runs import Run
from posenc_gui.foundation import outputs
from posenc_gui.foundation.errors import Remedy, path_of
from posenc_gui.foundation.memory import size_of
from posenc_gui.foundation.unicode_text import shorten_middle
from posenc_gui.foundation.wording import format_count

_LONGEST_PRINTED = 160  # characters of one part of the settings


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A finished plot: its panels, `across` per row (or as many as fit), and its texts.

    `name` and `title` are the plot's, which are given to what it draws.
    `headline` says in one sentence what is to be seen, `caption_parts` make the caption under the title, `description` is
    for those who can't see the picture; `session` is the session's JSON, which exported files carry so that they can be
    opened again. `subject` names the encoding, as "RoPE, base 100", and `settings` the sentence, the encoding and the
    model; both are empty in a figure of all encodings. `bands` names the rows, of `across` panels each, if they repeat one
    row in several states; columns are then titled in the first row, and the last band is what the others are compared with.
    `value` is that of what is swept, as "base 100", in a figure of a sweep; `frames` are the figures that a film of this one
    shows. `remedy` is a change under which is seen what the headline can't say yet.
    `done` is the share of the work on a figure that comes in steps; 1 for a whole one.
    """

    name: str = ""
    title: str = ""
    panels: tuple[Panel, ...] = ()
    caption_parts: tuple[CaptionPart, ...] = ()
    description: str = ""
    headline: tuple[Run, ...] = ()
    across: int | None = None
    session: str = field(default="", repr=False)
    subject: str = ""
    settings: str = ""
    bands: tuple[str, ...] = ()
    value: str = ""
    frames: tuple[Figure, ...] = ()
    remedy: Remedy | None = None
    done: float = 1.0

    @property
    def titled_panels(self) -> tuple[Panel, ...]:
        """The panels with titles that name each alone, also where they stand in bands."""
        if not self.bands or not self.across:
            return self.panels
        columns = self.panels[: self.across]
        names = (name for name in self.bands for _ in columns)
        titles = (one.title or columns[at % self.across].title for at, one in enumerate(self.panels))
        return tuple(
            replace(panel, title=" · ".join(filter(None, (name, title))))
            for panel, name, title in zip(self.panels, names, titles, strict=True)
        )

    @property
    def caption(self) -> str:
        """The caption as text."""
        return join_caption(self.caption_parts)

    @property
    def seeded(self) -> str:
        """The caption part that must accompany every picture of the toy model; empty for other pictures."""
        return join_caption(part for part in self.caption_parts if part.kind == "seeded")

    def captioned(self, *parts: CaptionPart) -> Figure:
        """Return the figure with these parts added to its caption."""
        return replace(self, caption_parts=compose_caption(*parts, *self.caption_parts))

    @property
    def is_note(self) -> bool:
        """True if the figure consists only of notes, which say why nothing is drawn."""
        return all(isinstance(panel, Note) for panel in self.panels)

    @property
    def pictured(self) -> Figure:
        """The figure as sheets and pages have it: notes beside its pictures are told in the caption, so that the pictures have
        all the room, and tables, which stand below all bands, have the names of theirs."""
        if self.bands:
            both = zip(self.panels, self.titled_panels, strict=True)
            return replace(self, panels=tuple(titled if isinstance(one, Table) else one for one, titled in both))
        notes = [panel for panel in self.panels if isinstance(panel, Note)]
        if not notes or self.is_note or self.frames:  # of small multiples each keeps its place
            return self
        said = (": ".join(filter(None, (note.title.partition(":")[0], note.text))) for note in notes)
        told = (CaptionPart(text.rstrip("."), "absent") for text in said)
        panels = tuple(panel for panel in self.panels if not isinstance(panel, Note))
        return replace(self, panels=panels).captioned(*told)

    @property
    def pictures(self) -> tuple[Panel, ...]:
        """The panels that aren't tables."""
        return tuple(panel for panel in self.panels if not isinstance(panel, Table))

    @property
    def alone(self) -> Panel | None:
        """The only panel that isn't a table, or the only panel; None if there are several."""
        drawn = self.pictures or self.panels
        return drawn[0] if len(drawn) == 1 else None

    @property
    def pauses(self) -> bool:
        """True if a walk through the figure pauses here: at an open door, and at its end."""
        return any(isinstance(panel, Flow) and panel.pauses for panel in self.panels)

    @cached_property
    def nbytes(self) -> int:
        """The approximate memory used, in bytes."""
        return size_of(self)

    @property
    def printed_settings(self) -> str:
        """The settings with long parts, such as a typed formula, shortened."""
        return " · ".join(shorten_middle(part, _LONGEST_PRINTED) for part in self.settings.split(" · "))

    def __repr__(self) -> str:
        panels = format_count(len(self.panels), "panel")
        return f"<Figure {self.name!r}: {' · '.join(filter(None, (self.title, self.subject, panels)))}>"

    def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
        """Return the figure for a notebook: a drawing with its description, and plain text for viewers without drawings."""
        render = outputs()
        drawn = render.content(self, ".svg", render.make_options({"preset": "paper"}))
        data, told = base64.b64encode(drawn).decode(), html.escape(self.description or self.title)
        image = f'<img src="data:image/svg+xml;base64,{data}" alt="{told}" style="max-width: 100%">'
        return {"text/html": image, "image/svg+xml": drawn.decode(), "text/plain": repr(self)}

    def save(self, path: str | Path, **choices: object) -> Path:
        """Write the figure to a file; its suffix, one of `render.suffixes()`, decides how.

        choices: the fields of `render.export_options.ExportOptions`, such as preset="slide", title="Three doors".
        The file is whole or not there at all. Raises ValueError for a suffix that no renderer knows or an unknown choice,
        and OSError if the file can't be written.
        """
        render = outputs()
        return Path(render.save(self, path_of(path), render.make_options(choices)))
