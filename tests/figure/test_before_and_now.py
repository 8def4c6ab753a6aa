"""Before and Now in one figure: bands, what has changed, and one sentence for both."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

import posenc_gui as pe
from posenc_gui.figure.compare import CHANGED, band_of, changes_alone, compare
from posenc_gui.figure.compared_headline import headline_over_time
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panel_pairs import equal
from posenc_gui.figure.panels import Links, Slopes
from posenc_gui.figure.runs import quote_runs, sentence
from posenc_gui.render import csv_table

NAMES = ("Before: RoPE", "Now: Sinusoidal")


def plots(name: str, *encodings: object, **fields: object) -> list[Figure]:
    return [pe.plot(name, pe.Session(encoding=encoding, **fields)) for encoding in encodings]


def test_maps_stand_in_two_bands_on_one_scale_whose_columns_are_named_once() -> None:
    before, now = plots("shift", "rope", "sinusoidal")
    figure = compare((before, now), NAMES, over_time=True)
    assert (figure.bands, figure.across) == (NAMES, 3)
    titles = [panel.title for panel in now.panels]
    assert [panel.title for panel in figure.panels] == [*titles, "", "", ""]
    assert len({(panel.low, panel.high) for panel in figure.panels}) == 1
    assert quote_runs(figure.headline).startswith(
        "Moved by 100 positions: with RoPE no score of head 0 changes, with Sinusoidal all"
    )
    names = {row[0] for row in csv.reader(io.StringIO(csv_table.content(figure, ".csv").decode("utf-8-sig")))}
    assert {f"{band} · {title}" for band in NAMES for title in titles} <= names  # each panel is told apart in a table


def test_of_bands_one_can_be_shown_or_what_has_changed_in_each() -> None:
    figure = compare(plots("shift", "rope", "sinusoidal"), NAMES, over_time=True)
    now = band_of(figure, 1)
    assert now.bands == NAMES[1:]
    assert [panel.title for panel in now.panels] == [panel.title for panel in figure.panels[:3]]
    assert all((one.values == of_both.values).all() for one, of_both in zip(now.panels, figure.panels[3:], strict=True))
    changes = changes_alone(figure)
    assert [panel.title for panel in changes.panels] == [CHANGED, ""]
    assert not changes.panels[0].values.any()
    clocks = compare(plots("clocks", "rope", "sinusoidal"), NAMES, over_time=True)
    assert changes_alone(clocks) is clocks


def test_a_map_that_differs_alone_stands_in_a_row_with_what_has_changed_and_what_is_the_same_stands_once() -> None:
    before, now = plots("attention", "rope", "sinusoidal")
    figure = compare((before, now), ("Before", "Now"), over_time=True)
    assert [panel.title for panel in figure.panels] == ["No encoding", "Before: RoPE", "Now: Sinusoidal", CHANGED]
    assert not figure.bands
    assert "one scale" in figure.caption
    _, old, new, changed = figure.panels
    assert changed.values == pytest.approx(new.values - old.values)


def test_what_shows_the_earlier_picture_too_stands_alone() -> None:
    for name in ("attention", "twins"):
        before, now = plots(name, "none", "rope")
        assert compare((before, now), ("Before", "Now"), over_time=True) is now


def test_clocks_stand_in_bands_that_say_where_they_were_read() -> None:
    before, now = (pe.plot("clocks", pe.Session(plots={"clocks": {"position": at}})) for at in (1, 5))
    figure = compare((before, now), ("Before", "Now"), over_time=True)
    assert [name.partition(": ")[0] for name in figure.bands] == ["Before", "Now"]
    assert all(told in figure.caption for told in ("Before: the focus at position 1", "Now: the focus"))


def test_what_both_say_of_an_encoding_is_said_of_neither_alone() -> None:
    figure = compare(plots("shift", "rope", "sinusoidal"), NAMES, over_time=True)
    assert figure.subject == ""
    assert all(told in figure.settings for told in ("Before: ", "RoPE", "Now: ", "Sinusoidal"))


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (("It needs ", 628, " positions."), ("It needs ", 62.8, " positions."), "Before → now: It needs 628 → 62.8 positions."),
        (("From ", 0, " to ", 1, "."), ("From ", 2, " to ", 3, "."), "Before: From 0 to 1. Now: From 2 to 3."),
        (("It gives ", 1, "."), ("It gives ", 1, ", then ", 2, "."), "It gives 1, then 2."),
        (("Moved: A has ", 1, "."), ("Moved: B has ", 2, "."), "Moved: A has 1, B has 2."),
        (("All of it."), ("None."), "Before: All of it. Now: None."),
        ((), ("None."), "None."),
    ],
)  # fmt: skip
def test_one_headline_says_before_and_now(first: tuple, second: tuple, told: str) -> None:
    runs = (sentence(*(words if isinstance(words, tuple) else (words,))) for words in (first, second))
    assert quote_runs(headline_over_time(*runs, ("Before", "Now"))) == told


def test_a_map_of_other_cells_has_no_changes() -> None:
    before, now = (pe.plot("encoding", pe.Session(encoding="normalized", text=text)) for text in ("a b", "a b c"))
    figure = compare((before, now), ("Before", "Now"), over_time=True)
    assert [panel.title for panel in figure.panels] == ["Before", "Now"]
    assert np.unique([panel.high for panel in figure.panels]).size == 1


@pytest.mark.parametrize(("name", "options"), [("comparison", {}), ("meaning", {})])
def test_what_differs_in_the_row_in_focus_alone_marks_the_current_one(name: str, options: dict) -> None:
    before, now = plots(name, "integer", "alibi", plots={name: options})
    figure = compare((before, now), ("Before", "Now"), over_time=True)
    assert equal(figure.panels, now.panels)
    assert not figure.bands
    assert quote_runs(figure.headline).startswith("Before: ")


def test_maps_without_a_change_stand_once_where_only_slopes_beside_them_differ() -> None:
    (before,) = plots("attention", "rope", plots={"attention": {"row": True}})
    *maps, slopes = before.panels
    assert isinstance(slopes, Slopes)
    now = replace(before, panels=(*maps, replace(slopes, others=slopes.others + 1)))
    figure = compare((before, now), ("Before", "Now"), over_time=True)
    assert sorted(panel.title for panel in figure.panels) == sorted(panel.title for panel in maps)


def test_names_that_say_no_more_than_before_and_now_are_not_said_alone() -> None:
    """“Before broad, Now fine” says it of curves; where nothing else is told, the words would stand for themselves."""
    longer = {"text": "The cat sat on the mat and slept", "plots": {"recurrence": {"show": "influence"}}}
    (before,) = plots("recurrence", "none", plots=longer["plots"])
    (now,) = plots("recurrence", "none", **longer)
    parts = compare((before, now), ("Before", "Now"), over_time=True).caption.split(" · ")
    assert "Before broad, Now fine" in parts
    assert not {"Before", "Now"} & {*parts}


def test_lines_are_as_broad_as_what_changes_beside_lines_where_nothing_does() -> None:
    """Else a small change, such as ALiBi's, is not to be seen: where nothing changes, the range of the lines says nothing."""
    moved = {"text": "Only I love you", "order": (1, 0, 2, 3), "plots": {"equivariance": {"show": "outputs"}}}
    before, now = plots("equivariance", "none", "alibi", **moved)
    both = compare((before, now), ("Before", "Now"), over_time=True)
    (still, changed) = (panel for panel in both.panels if isinstance(panel, Links))
    assert (still.high, changed.high) == (now.panels[1].high, now.panels[1].high)
