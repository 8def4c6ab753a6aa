"""Where cards stand, as data: in the first arrangement, and in that of a lab's step."""

from __future__ import annotations

from typing import NamedTuple

from posenc_gui.areas import Area

Tabs = tuple[str, ...]  # the names of cards that share a place, the one in front first


class Row(NamedTuple):
    """Places beside each other, equally wide."""

    places: tuple[Tabs, ...]
    height: int  # in proportion to the other rows of the column


class Column(NamedTuple):
    """Rows below each other. A column without a width takes what the others leave."""

    rows: tuple[Row, ...]
    least: int = 0  # pixels of width
    share: float = 0.0  # of the window's width, where that is more


class Layout(NamedTuple):
    """Columns from left to right; the cards that they don't name are closed."""

    columns: tuple[Column, ...]
    opening: str = ""  # the card beside which plots that no column names open, as tabs

    def area(self, width: int) -> Area:
        """The same for a window of this width, in pixels."""
        widths = [max(column.least, int(column.share * width)) for column in self.columns]
        rest = max(1, width - sum(widths))
        return Area(
            across=tuple(_of_column(*one) for one in zip(self.columns, (own or rest for own in widths), strict=True))
        )


def _of_column(column: Column, share: int) -> Area:
    return Area(share=share, down=tuple(_of_row(row) for row in column.rows))


def _of_row(row: Row) -> Area:
    return Area(share=row.height, across=tuple(Area(tabs=tabs) for tabs in row.places))


_PANELS, _LAB = 320, 310  # pixels

FIRST = Layout(
    columns=(
        Column((Row((("tokens",),), 40), Row((("encoding", "model", "code"),), 60)), least=_PANELS),
        Column(
            (
                Row((("plot.attention",),), 58),
                Row(
                    (
                        ("plot.waves", "plot.encoding", "plot.combined"),
                        ("plot.dials", "plot.row", "plot.why", "plot.projections", "plot.angles"),
                    ),
                    42,
                ),
            )
        ),
        Column((Row((("lab",),), 100),), least=_LAB, share=0.2),
    ),
    opening="plot.attention",
)


# The plots that tell of one cell of the map, the one that is brought first when a cell is clicked.
OF_A_CELL = ("why", "row")


def for_lab(panels: tuple[str, ...], plots: tuple[str, ...]) -> Layout:
    """A step's panels on the left, its plots in the middle, the lab on the right."""
    columns = (
        Column(_two_rows(panels, 40), least=_PANELS),
        Column(_two_rows(tuple(f"plot.{name}" for name in plots), 55)),
        Column(_two_rows(("lab",), 100), least=_LAB, share=0.2),
    )
    return Layout(tuple(column for column in columns if column.rows))


def _two_rows(names: tuple[str, ...], height: int) -> tuple[Row, ...]:
    """The first card above, the others in tabs below it."""
    rows = Row((names[:1],), height), Row((names[1:],), 100 - height)
    return tuple(row for row in rows if row.places[0])
