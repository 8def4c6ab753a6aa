"""Batches of an exported figure, which are drawn in another process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import posenc_gui as pe
from posenc_gui.app.export.export_dialog import batches
from posenc_gui.app.export.export_process import FigureRequest


def test_a_batch_finds_the_model_that_its_figure_says_no_path_of(checkpoint_folder: Callable[[str], Path]) -> None:
    session = pe.Session(text="dog bites man", model=pe.open_model(checkpoint_folder("bert"), layer=1))
    assert session.for_others.here == session
    one = FigureRequest("attention", "Attention", pe.plot("attention", session))
    of_sentences = next(batch for batch in batches(one) if batch.title == "Sentences of your own")
    (request,) = of_sentences.wanted("man bites dog")
    assert pe.Session.from_json(request.session).model == session.model
