"""The names that others script against, and that importing them costs nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import posenc_gui as pe
from tests.recorded import wording

HEAVY = ["torch", "numpy", "matplotlib", "pydantic", "PySide6", "pyqtgraph", "transformers"]


def imported_after(statement: str) -> list[str]:
    """The heavy packages that a fresh Python has imported after a statement."""
    program = f"import sys; {statement}; print(*(name for name in {HEAVY} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert imported_after("import posenc_gui; dir(posenc_gui); posenc_gui.__version__") == []


@pytest.mark.slow
def test_a_plot_needs_neither_qt_nor_matplotlib() -> None:
    held = imported_after("import posenc_gui as pe; pe.plot('attention', pe.Session()); pe.plot('waves', pe.Session())")
    assert "torch" in held
    assert not {"PySide6", "pyqtgraph", "matplotlib"} & set(held)


def test_the_promised_names_are_there_and_listed() -> None:
    promised = {"Session", "ToyModel", "attend", "encoding", "encodings", "plot", "plots"}
    assert promised <= set(dir(pe))
    assert promised <= set(pe.__all__)
    for name in pe.__all__:
        assert getattr(pe, name) is not None
    assert dir(pe) == sorted(dir(pe))
    namespace: dict[str, object] = {}
    exec("from posenc_gui import *", namespace)
    assert promised <= set(namespace)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'posenc_gui' has no attribute 'encodigs'"):
        pe.encodigs  # noqa: B018


def test_encodings_and_plots_list_their_names_and_are_packages_still() -> None:
    assert {"none", "sinusoidal", "learned", "rope", "alibi"} <= set(pe.encodings())
    assert {"attention", "waves"} <= set(pe.plots())
    for catalogue in (pe.encodings, pe.plots):
        names = catalogue()
        assert isinstance(names, list)
        assert len(set(names)) == len(names)
        files = {path.stem for path in Path(catalogue.__file__).parent.glob("*.py")} - {"__init__", "base"}
        assert set(names) == files


def test_the_default_session_is_the_documented_one() -> None:
    session = pe.Session()
    assert session == pe.Session(
        text="The cat sat on the mat",
        encoding=pe.encoding("sinusoidal"),
        model=pe.ToyModel(d_model=64, n_heads=4, causal=False),
    )


def test_attend_gives_the_documented_shapes() -> None:
    result = pe.attend(pe.Session(encoding=pe.encoding("rope", base=10_000.0)))
    assert result.tokens == ("the", "cat", "sat", "on", "the", "mat")
    assert result.queries.shape == result.keys.shape == result.values.shape == (4, 6, 16)
    assert result.scores.shape == result.position.shape == result.probabilities.shape == (4, 6, 6)
    assert result.output.shape == (6, 64)


def test_queries_and_keys_are_those_before_rotation() -> None:
    rotated, plain = (pe.attend(pe.Session(encoding=name)) for name in ("rope", "none"))
    assert rotated.queries.equal(plain.queries)
    assert rotated.keys.equal(plain.keys)


@pytest.mark.parametrize("name", ["wavs", "", "attention ", 5, None, ["waves"], {}])
def test_a_plot_that_does_not_exist_is_a_value_error_with_those_that_do(name: object) -> None:
    with pytest.raises(ValueError, match="there is no plot") as refusal:
        pe.plot(name, pe.Session())
    assert all(plot in str(refusal.value) for plot in pe.plots())
    assert "\n" not in str(refusal.value)


def test_what_is_refused_is_told_in_one_line() -> None:
    """What is said is in `tests/recorded/wording.md`."""
    for call in wording.REFUSED:
        with pytest.raises(ValueError, match=r"^(?!.*Input).{1,999}\Z"):
            eval(call, {"pe": pe})


# --- Whatever is given ------------------------------------------------------------------------------------------------

SESSION, FIGURE = pe.Session(text="a b"), pe.plot("waves", pe.Session(text="a b"))
ANYTHING = [
    *(None, True, -1, 1.5, 10**30, float("nan"), "", "x", "a\0b", b"x", [], [1], (), {}, {"a": 1}, {1, 2}),
    *(object(), np.zeros(3), lambda: 0, pe.Session, SESSION, pe.encoding("rope"), pe.ToyModel()),
]
CALLS: dict[str, tuple[Callable[..., object], list[Any]]] = {
    "encoding": (pe.encoding, ["rope"]),
    "plot": (pe.plot, ["waves", SESSION]),
    "measure": (pe.measure, ["shift", SESSION]),
    "attend": (pe.attend, [SESSION]),
    "sweep": (pe.sweep, ["waves", SESSION, "encoding", ["rope"]]),
    "preset": (pe.preset, ["llama-3.1-8b"]),
    "from_config": (pe.from_config, [{"model_type": "llama"}]),
    "open_model": (pe.open_model, ["/nowhere"]),
    "Session.from_json": (pe.Session.from_json, [SESSION.to_json()]),
    "Session.from_share": (pe.Session.from_share, [SESSION.share()]),
    "Session.load": (pe.Session.load, ["nowhere.json"]),
    "Session.save": (SESSION.save, ["it.json"]),
    "Document.load": (pe.Document.load, ["nowhere.json"]),
    "figure.save": (FIGURE.save, ["it.svg"]),
    "vectors": (pe.encoding("sinusoidal").vectors, [[0, 1], 16]),
    "angles": (pe.encoding("rope").angles, [[0, 1], 16]),
    "rotate": (pe.encoding("rope").rotate, [torch.zeros(2, 16), [0, 1]]),
    "bias": (pe.encoding("t5").bias, [[0, 1], [0, 1], 4]),
    "bucket": (pe.encoding("t5").bucket, [[0, 1]]),
}


@pytest.mark.most(40)
@pytest.mark.parametrize("name", CALLS)
def test_whatever_is_given_is_taken_or_refused_in_one_line(name: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, given = CALLS[name]
    for place, wrong in product(range(len(given)), ANYTHING):
        said = "taken"
        try:
            call(*given[:place], wrong, *given[place + 1 :])
        except (ValueError, OSError) as why:
            said = str(why)
        assert len(said.splitlines()) == 1, (place, wrong)
