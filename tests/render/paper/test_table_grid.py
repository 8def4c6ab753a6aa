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
