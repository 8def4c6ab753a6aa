"""A click on the figure of a model that has learned chooses a head, or a surgery, wherever the figure is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import posenc_gui as pe
from posenc_gui.app.state.store import part_clicked
from posenc_gui.figure.axis import Pointer


def test_a_click_chooses_a_head_or_a_surgery_or_neither(checkpoint_folder: Callable[[str], Path]) -> None:
    session = pe.Session(text="the cat sat on the mat", model=pe.open_model(checkpoint_folder("bert")))
    heads, surgery = pe.plot("heads", session), pe.plot("surgery", session)
    seen = part_clicked(Pointer((("layer", 1), ("head", 2))), heads, session)
    assert (seen.model.layer, seen.options_of("attention").head, seen.encoding) == (1, 2, session.encoding)
    done = part_clicked(Pointer((("surgery", 1),)), surgery, session)
    assert (done.encoding.surgery, done.model) == ("zeroed", session.model)
    assert part_clicked(Pointer((("surgery", 99),)), surgery, session) is None
    assert part_clicked(Pointer((("query", 1), ("key", 2))), heads, session) is None
