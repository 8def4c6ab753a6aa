"""`posenc-gui identify`: the verdict on a file's numbers, and what its exit status says."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
import torch

from posenc_gui import cli


@pytest.fixture
def cosines() -> np.ndarray:
    angles = np.arange(6, dtype=np.float32)[:, None] / 10_000 ** (np.arange(0, 16, 2, dtype=np.float32) / 16)
    return np.cos(np.concatenate((angles, angles), 1))


def test_a_file_s_numbers_are_named(tmp_path, capsys, cosines):
    np.save(tmp_path / "cos.npy", cosines)
    assert cli.main(["identify", str(tmp_path / "cos.npy")]) == 0
    sentence, *others = capsys.readouterr().out.splitlines()
    assert sentence.startswith("This is RoPE, half-split, base 10,000, from position 0: off by ")
    assert any("interleaved" in one and "off by" in one for one in others)


def test_text_is_read_from_standard_input_and_answered_as_json(capsys, monkeypatch, cosines):
    monkeypatch.setattr("sys.stdin", io.StringIO(str(torch.tensor(cosines).T.tolist())))
    assert cli.main(["identify", "-", "--kind", "cosines", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["encoding"], found["start"], found["axes"]) == ("rope", 0, ["dimensions", "positions"])


def test_unknown_numbers_are_status_1_and_failures_one_line_and_2(tmp_path, capsys):
    np.save(tmp_path / "random.npy", np.random.default_rng(0).normal(size=(3, 4)))
    assert cli.main(["identify", str(tmp_path / "random.npy")]) == 1
    assert capsys.readouterr().out.startswith("No convention that is known here.")
    for wrong in (["nothing.npy"], [str(tmp_path / "random.npy"), "--kind", "cosine"]):
        assert cli.main(["identify", *wrong]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
