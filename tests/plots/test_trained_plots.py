"""Plots of what positions are worth to a trained model: heads, surgery and the learned table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import posenc_gui as pe
from posenc_gui.figure.runs import quote_runs
from posenc_gui.scene import surgeries
from tools.later import Later
from tools.tiny_checkpoints import WORDS

transformers = Later("transformers")

Folders = Callable[[str], Path]
TEXT = "the cat sat on the mat dog bites man"


def opened(folders: Folders, name: str, text: str = TEXT, layer: int = 0) -> pe.Session:
    return pe.Session(text=text, model=pe.open_model(folders(name), layer=layer))


@pytest.mark.parametrize("name", ["bert", "llama", "t5", "mpt"])
def test_the_map_of_heads_is_the_total_variation_of_their_weights(checkpoint_folder: Folders, name: str) -> None:
    found = pe.measure("heads", opened(checkpoint_folder, name))
    for layer in (0, 1):
        session = opened(checkpoint_folder, name, layer=layer)
        own, without = (pe.attend(one).probabilities for one in (session, session.changed(encoding="none")))
        assert torch.allclose(found.moved[layer], (own - without).abs().sum(-1).mean(-1) / 2, atol=1e-5)


def test_a_head_is_named_by_what_it_gives_more_than_half(checkpoint_folder: Folders) -> None:
    session = opened(checkpoint_folder, "gpt2")
    weights = pe.attend(session).probabilities
    for look in pe.measure("heads", session).looks:
        assert look.weight > 0.5
        if look.layer == 0 and look.words == "the token before":
            assert look.weight == pytest.approx(float(weights[look.head].diagonal(-1).mean()), abs=1e-5)


def test_a_map_of_heads_has_a_row_a_layer_and_marks_the_one_that_is_seen(checkpoint_folder: Folders) -> None:
    figure = pe.plot("heads", opened(checkpoint_folder, "bert", layer=1))
    assert figure.panels[0].values.shape == (2, 4)
    assert figure.panels[0].rows.focus == 1
    assert "trained weights, one text" in figure.caption


def test_zeroed_both_orders_are_one_and_at_one_position_even_another_topic(checkpoint_folder: Folders) -> None:
    found = pe.measure("surgery", opened(checkpoint_folder, "bert", "dog bites man"), control="stocks rose today")
    outcomes = {one.words: one for one in found.outcomes}
    assert (found.first, found.second) == (("dog", "bites", "man"), ("man", "bites", "dog"))
    assert outcomes["zeroed"].reordered == pytest.approx(1, abs=1e-5)
    assert outcomes["all at position 0"].reordered == pytest.approx(1, abs=1e-5)
    assert outcomes["as trained"].reordered < 0.999
    assert outcomes["as trained"].as_trained == pytest.approx(1)
    assert next(iter(outcomes)) == "as trained"
    headline = quote_runs(pe.plot("surgery", opened(checkpoint_folder, "bert", "dog bites man")).headline)
    assert headline.startswith(("With the table ", "With all tokens at position 0, "))


def test_a_rotation_is_extended_and_taken_away(checkpoint_folder: Folders) -> None:
    words = [one.words for one in pe.measure("surgery", opened(checkpoint_folder, "llama", "dog bites man")).outcomes]
    assert words[0] == "as trained"
    assert words[-1] == "without the rotation"
    assert "with YaRN × 4" in words


@pytest.mark.parametrize(
    ("name", "strength", "changed", "words"),
    [
        ("llama", 0.5, {}, "with positions at strength 0.5"),
        ("llama", 0.0, {}, "without the rotation"),
        ("llama", 1.0, {"base": 500.0}, "with base 500"),
        ("bert", 0.25, {"surgery": "shuffled"}, "with the table shuffled, at strength 0.25"),
        ("bert", 0.0, {"surgery": "as_trained"}, "zeroed"),
    ],
)
def test_what_the_session_does_to_positions_is_a_row_and_the_headline(
    checkpoint_folder: Folders, name: str, strength: float, changed: dict[str, object], words: str
) -> None:
    own = opened(checkpoint_folder, name, "dog bites man")
    session = own.changed(encoding=own.encoding.model_copy(update=changed), strength=strength)
    figure = pe.plot("surgery", session)
    bars, table = figure.panels
    assert table.rows[bars.categories.focus][0] == words
    assert len({surgeries.in_a_sentence(row[0]) for row in table.rows}) == len(table.rows)
    told = surgeries.in_a_sentence(words)
    assert quote_runs(figure.headline).startswith(f"{told[:1].upper()}{told[1:]}, “dog bites man” and ")


def test_surgery_at_a_strength_is_transformers_own_at_that_share_of_each_position(checkpoint_folder: Folders) -> None:
    session = opened(checkpoint_folder, "llama", "dog bites man").changed(strength=0.5)
    found = pe.measure("surgery", session).outcomes[-1]
    own = transformers.AutoModel.from_pretrained(session.model.path).eval()

    def vector(text: str) -> torch.Tensor:
        ids = torch.tensor([[WORDS.index(token) for token in text.split()]])
        at = 0.5 * torch.arange(3.0)[None]
        with torch.no_grad():
            return own(input_ids=ids, position_ids=at, attention_mask=torch.ones_like(ids)).last_hidden_state[0].mean(0)

    first, second = vector("dog bites man"), vector("man bites dog")
    assert found.words == "with positions at strength 0.5"
    assert found.reordered == pytest.approx(float(torch.cosine_similarity(first, second, dim=0)), abs=1e-5)


def test_the_order_that_was_dragged_is_the_one_that_is_compared(checkpoint_folder: Folders) -> None:
    session = opened(checkpoint_folder, "bert", "dog bites man").reordered((0, 2, 1, 3, 4))
    assert pe.measure("surgery", session).second == ("bites", "dog", "man")


def test_the_table_shows_the_models_own_rows(checkpoint_folder: Folders) -> None:
    session = opened(checkpoint_folder, "bert")
    cosines, waves, lengths = pe.plot("table", session).panels
    rows = session.model.positions()
    assert np.allclose(cosines.values, torch.nn.functional.cosine_similarity(rows[:, None], rows, dim=-1), atol=1e-5)
    assert np.allclose(lengths.series[0].y, rows.norm(dim=-1))
    centred = rows.double() - rows.double().mean(0)
    gram, whole = centred @ centred.T, centred.square().sum()
    for wave in waves.series:  # an eigenvector of the rows' products, of which it has the share that its name says
        along = torch.as_tensor(wave.y).double()
        assert torch.allclose(gram @ along, along * along.square().sum(), atol=1e-6)
        assert wave.label.endswith(f": {100 * along.square().sum() / whole:.0f}%")


@pytest.mark.parametrize("changed", [{"strength": 0.0}, {"encoding": {"surgery": "zeroed"}}])
def test_a_table_of_zeros_has_no_cosines(checkpoint_folder: Folders, changed: dict[str, Any]) -> None:
    session = opened(checkpoint_folder, "bert")
    encoding = session.encoding.model_copy(update=changed.get("encoding", {}))
    figure = pe.plot("table", session.changed(**{**changed, "encoding": encoding}))
    assert figure.description.startswith("All rows are 0, so there is nothing to compare")


@pytest.mark.parametrize("plot", ["heads", "surgery", "loss", "table"])
def test_on_a_toy_they_say_that_they_need_a_trained_model(plot: str) -> None:
    figure = pe.plot(plot, pe.Session())
    assert figure.is_note
    assert figure.description == "This is seen in a model that has learned: open one from its folder."


@pytest.mark.parametrize(
    ("name", "changed", "titles"),
    [
        ("bert", {}, ("Table zeroed", "As trained")),
        ("bert", {"surgery": "one_position"}, ("All at position 0", "As trained")),
        ("llama", {}, ("Rotation off", "As trained")),
        ("llama", {"base": 500.0}, ("Base 500", "As trained")),
    ],
)
def test_attention_shows_the_surgery_beside_as_trained(
    checkpoint_folder: Folders, name: str, changed: dict[str, object], titles: tuple[str, str]
) -> None:
    own = opened(checkpoint_folder, name)
    session = own.changed(encoding=own.encoding.model_copy(update=changed), plots={"attention": {"head": 1}})
    first, second = pe.plot("attention", session).panels[:2]
    assert (first.title, second.title) == titles
    trained = pe.attend(own).probabilities[1]
    seen = pe.attend(session if changed else session.changed(encoding="none")).probabilities[1]
    assert torch.allclose(torch.as_tensor(first.values), seen.float(), atol=1e-6)
    assert torch.allclose(torch.as_tensor(second.values), trained.float(), atol=1e-6)


def test_a_head_that_gives_one_place_most_is_told_and_named_as_in_heads(checkpoint_folder: Folders) -> None:
    session = opened(checkpoint_folder, "bert")
    looks = {(look.layer, look.head): look for look in pe.measure("heads", session).looks}
    for layer in range(session.model.layers):
        for head in range(session.model.n_heads):
            told = "".join(run.text for run in pe.plot("attention", session.at_head(layer, head)).headline)
            look = looks.get((layer, head))
            if look and look.words != "the same token elsewhere":
                assert told.startswith(f"Head {head} of layer {layer} gives {look.words} ")
            if look is None:
                assert not told.startswith(f"Head {head} of layer")
