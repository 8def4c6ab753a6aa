"""Tables that need more than one sheet: every row keeps its name."""

from __future__ import annotations

import posenc_gui as pe
from posenc_gui.figure.panels import Table
from posenc_gui.render.paper.table_grid import pages


def test_each_page_repeats_the_columns_that_name_a_row() -> None:
    """Six rows share a prompt: without their token none could be told from another."""
    figure = pe.plot("generation", pe.Session(encoding="rope", other="alibi"))
    table = next(panel for panel in figure.panels if isinstance(panel, Table))
    assert table.naming == 2
    found = pages(table, 600.0, 300.0, 14.0)
    assert len(found) > 1
    assert {page.panel.header[:2] for page in found} == {table.header[:2]}


def test_columns_of_both_sides_stay_beside_each_other_and_no_word_of_their_names_breaks() -> None:
    sentence = "The nearest positions are a little less than one apart, which is more than was asked of them here. "
    row = "Unique", "met", sentence, sentence, 1.015, 0.979, "Similarity", 3 * sentence
    header = (
        "requirement",
        "verdict",
        "A: found",
        "B: found",
        "A: number",
        "B: number",
        "to be seen in",
        "what is measured",
    )
    for width in (600.0, 700.0, 814.0):
        found = pages(Table("", header, (row,) * 6), width, 300.0, 14.0)
        assert len(found) > 1
        assert {name for page in found for name in page.panel.header} == {*header}
        for page in found:
            signed = [name.split(": ") for name in page.panel.header if ": " in name]
            assert sorted(name for sign, name in signed if sign == "A") == sorted(
                name for sign, name in signed if sign == "B"
            )
            assert [" ".join(lines) for lines in page.header] == [*page.panel.header]
