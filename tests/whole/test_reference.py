"""The pages that list encodings, plots and measures say what the program declares."""

from __future__ import annotations

import pytest

from tools.reference import ROOT, pages


@pytest.mark.parametrize("name", ["encodings.md", "plots.md", "measures.md"])
def test_a_page_is_up_to_date(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == pages()[name], "run `python tools/reference.py`"
