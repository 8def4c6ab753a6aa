"""Every plot and every measure of a session whose model has learned: a picture, or one sentence that says why not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sampled import dealt

import posenc_gui as pe
from posenc_gui.figure.panels import Note
from posenc_gui.foundation import declared_fields
from tools.tiny_checkpoints import CONFIGS

Folders = Callable[[str], Path]
SECOND: dict[str, dict[str, Any]] = {"alone": {}, "beside none": {"other": "none"}, "half of it": {"strength": 0.5}}


def is_a_sentence(text: str) -> bool:
    return text.endswith((".", "?")) and "\n" not in text and "Traceback" not in text


@pytest.mark.parametrize(("plot", "names"), dealt(pe.plots(), list(CONFIGS), 2))
@pytest.mark.parametrize("second", SECOND)
def test_a_plot_is_a_picture_or_a_sentence(
    checkpoint_folder: Folders, plot: str, names: list[str], second: str
) -> None:
    for name in names:
        session = pe.Session(text="the cat sat on the mat", model=pe.open_model(checkpoint_folder(name), layer=1))
        if second == "beside none" and not session.model.separable:
            continue
        figure = pe.plot(plot, session.changed(**SECOND[second]))
        assert not figure.is_note or is_a_sentence(figure.description)
        assert not figure.seeded.startswith("toy model")
        for remedy in (panel.remedy for panel in figure.panels if isinstance(panel, Note) and panel.remedy):
            session.changed(**{**SECOND[second], **remedy.fields})  # raises where it is refused


@pytest.mark.parametrize(("measure", "names"), dealt(pe.measures(), list(CONFIGS), 3))
def test_every_measure_gives_a_number_or_a_sentence(checkpoint_folder: Folders, measure: str, names: list[str]) -> None:
    for name in names:
        session = pe.Session(text="the cat sat on the mat", model=pe.open_model(checkpoint_folder(name), layer=1))
        assert is_a_sentence(pe.measure(measure, session).reason)


@pytest.mark.parametrize("quantity", ["scores", "position", "probabilities"])
def test_only_weights_are_drawn_of_code_that_tells_no_more(checkpoint_folder: Folders, quantity: str) -> None:
    session = pe.Session(text="the cat sat", model=pe.open_model(checkpoint_folder("bloom")))
    options = session.plots.attention.model_copy(update={"quantity": quantity})
    figure = pe.plot("attention", session.changed(plots=session.plots.model_copy(update={"attention": options})))
    assert figure.is_note == (quantity != "probabilities")


def test_a_layer_can_be_swept_and_facts_cannot(checkpoint_folder: Folders) -> None:
    session = pe.Session(text="the cat sat", model=pe.open_model(checkpoint_folder("bert")))
    assert declared_fields.field_names(type(session.model)) == ["layer"]
    assert "rows" not in declared_fields.field_names(type(session.encoding))
    with pytest.raises(ValueError, match="has rows 64"):
        session.changed(encoding=session.encoding.model_copy(update={"rows": 3}))
    assert len(pe.sweep("attention", session, "model.layer", [0, 1])) == 2
