"""Figures in notebooks, and their numbers as JSON."""

from __future__ import annotations

import base64
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import posenc_gui as pe
from posenc_gui import plots
from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Note

SESSION = pe.Session(text="dog bites man", encoding=pe.encoding("rope", base=100.0))


def test_a_notebook_shows_a_figure_and_describes_it() -> None:
    shown = pe.plot("waves", SESSION)._repr_mimebundle_(include=None, exclude=None)
    ElementTree.fromstring(shown["image/svg+xml"])
    (image,) = ElementTree.fromstring(shown["text/html"].replace('%">', '%"/>')).iter("img")
    assert image.attrib["alt"] == pe.plot("waves", SESSION).description
    data = image.attrib["src"].removeprefix("data:image/svg+xml;base64,")
    assert base64.b64decode(data).decode() == shown["image/svg+xml"]
    assert shown["text/plain"] == "<Figure 'waves': Waves · RoPE, base 100 · 1 panel>"


def test_words_in_a_notebook_are_data() -> None:
    hostile = '"><script>alert(1)</script>'
    shown = Figure("a", hostile, (Note(hostile),), description=hostile)._repr_mimebundle_()
    assert not any("<script" in shown[kind] for kind in ("text/html", "image/svg+xml"))
    model = pe.ToyModel(d_model=2, n_heads=1, vectors=((hostile, (1.0, 2.0)),))
    assert "<script" not in pe.Session(text=hostile, model=model)._repr_mimebundle_()["text/html"]


def test_measures_and_encodings_are_readable() -> None:
    shown = pe.measure("requirements", SESSION)._repr_mimebundle_()["text/plain"]
    assert re.match(r"Requirements: \d · RoPE meets \d of 6 requirements", shown)
    assert repr(SESSION.encoding).startswith("RoPE(base=100.0")


def test_sessions_encodings_sweeps_and_what_attend_returns_show_themselves() -> None:
    shown = SESSION._repr_mimebundle_(include=None)
    assert shown["image/svg+xml"] == pe.plot("attention", SESSION)._repr_mimebundle_()["image/svg+xml"]
    assert shown["text/plain"] == repr(SESSION)
    formulas = pe.encoding("rope", base=100.0)._repr_mimebundle_()["text/markdown"]
    assert formulas.startswith("**RoPE**: Turns each pair")
    assert r"\color{blue}{" in formulas
    assert r"\pos" not in formulas
    assert "rotation door: queries and keys are turned" in formulas
    assert "<td>Base</td><td><code>base</code></td><td><b>100</b></td><td>10,000</td>" in formulas
    assert "<td>Pairing</td><td><code>pairing</code></td><td>half</td><td></td>" in formulas
    for part in ("<caption>RoPE</caption>", "<td><code>n_heads</code></td><td>4</td><td></td>"):
        assert part in shown["text/html"]
    assert "<td><b>8</b></td><td>4</td>" in pe.Yarn(factor=8.0)._repr_mimebundle_()["text/html"]
    gemma = pe.preset("gemma-3-12b")
    told = gemma._repr_mimebundle_()["text/html"]
    assert "<caption>A: RoPE (Linear)</caption>" in told
    assert all(f"<li>{sentence}</li>" in told for sentence in gemma.unmodelled)
    swept = pe.sweep("waves", SESSION, "base", [10.0, 100.0])
    assert isinstance(swept, tuple)
    assert swept._repr_mimebundle_()["text/html"].count("<img") == 2  # type: ignore[attr-defined]
    assert repr(pe.attend(SESSION)).startswith("<Attention of 3 tokens: queries (4, 3, 16), keys (4, 3, 16), ")

    document = pe.Document(SESSION, (pe.Bookmark(name="<b>first</b>", session=SESSION),))
    seen = document._repr_mimebundle_()["text/html"]
    assert seen.startswith(shown["text/html"])
    assert "<li>&lt;b&gt;first&lt;/b&gt;</li>" in seen


@pytest.mark.parametrize(("text", "rows"), [("<b>dog</b> bites dog", 10), ("a b " * 20, 16), ("", 0)])
def test_what_attend_returns_is_a_table_of_weights_whose_words_are_data(text: str, rows: int) -> None:
    found = pe.attend(SESSION.changed(text=text))
    table = ElementTree.fromstring(found._repr_mimebundle_()["text/html"])
    cells = [float(cell.text) for cell in table.iter("td")]
    assert len(cells) == rows * rows
    assert all(
        cell == pytest.approx(weight, abs=0.006)
        for cell, weight in zip(cells, found.probabilities.mean(0)[:rows, :rows].flatten().tolist(), strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("plot", plots.names())
def test_json_has_axes_quantities_settings_and_numbers(plot: str, tmp_path: Path) -> None:
    figure = pe.plot(plot, SESSION)
    found = json.loads(figure.save(tmp_path / "figure.json").read_text(encoding="utf-8"))
    assert (found["format"], found["written_by"], found["settings"]) == (
        "posenc-gui figure",
        pe.__version__,
        figure.settings,
    )
    assert len(found["panels"]) == len(figure.panels)
    for panel, written in zip(figure.panels, found["panels"], strict=True):
        if written["kind"] == "heatmap":
            values = np.array(written["values"], dtype=float)
            masked = np.zeros_like(values, dtype=bool) if panel.mask is None else panel.mask
            assert np.array_equal(np.isnan(values), masked)
            assert np.array_equal(values[~masked], panel.values[~masked].astype(float))
            assert written["axes"]["rows"] == {"role": panel.rows.role, "title": panel.rows.title}
