"""Models that have learned, at their own attention: against transformers' own eager pass, and with their positions changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.checkpoints import recording
from posenc_gui.checkpoints.records import Recorded
from posenc_gui.checkpoints.watch import Watch
from posenc_gui.figure.panels import Heatmap
from posenc_gui.foundation.errors import Undefined
from tools.later import Later
from tools.tiny_checkpoints import CLOSED, CONFIGS, OPEN_NOW, WORDS, eager, in_memory

transformers = Later("transformers")
llama = Later("transformers.models.llama.modeling_llama")

TEXT = "the cat sat on the mat dog bites man"
OPEN = [name for name in CONFIGS if name not in (*CLOSED, *OPEN_NOW)]
Folders = Callable[[str], Path]


def tokens_of(session: pe.Session) -> Tensor:
    return torch.tensor([[WORDS.index(token) for token in session.tokens]])


def eager_weights(path: Path, session: pe.Session, **named: Any) -> Tensor:
    """Return transformers' own weights of the session's layer, (h, n, n)."""
    with torch.no_grad():
        found = eager(path)(input_ids=tokens_of(session), output_attentions=True, **named)
    return found.attentions[session.model.layer][0]


@pytest.fixture
def table_of_eager() -> Any:
    """Change the rows of a model's own table, and put them back at the end."""
    changed: list[tuple[Tensor, Tensor]] = []

    def change(weight: Tensor, rows: Tensor) -> None:
        changed.append((weight, weight.data.clone()))
        weight.data.copy_(rows)

    yield change
    for weight, rows in reversed(changed):
        weight.data.copy_(rows)


# --- Opening --------------------------------------------------------------------------------------------------------


def test_opening_tells_how_far_it_is_and_once_stopped_keeps_nothing(checkpoint_folder: Folders) -> None:
    class Stop(BaseException):
        pass

    told: list[tuple[int, int]] = []

    def stop_halfway() -> None:
        if told and 2 * told[-1][0] > told[-1][1]:
            raise Stop

    path = checkpoint_folder("gpt2")
    pe.open_model(checkpoint_folder("bert"))  # so that the other one isn't in memory
    with pytest.raises(Stop):
        pe.open_model(path, watch=Watch(stop_halfway, lambda *how_far: told.append(how_far)))
    again: list[tuple[int, int]] = []
    pe.open_model(path, watch=Watch(progress=lambda *how_far: again.append(how_far)))
    assert again == [(done, len(again)) for done in range(len(again))]
    assert told == again[: len(told)]
    assert len(again) // 2 <= len(told) < len(again)


# --- As trained -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("layer", [0, 1])
def test_weights_of_every_head_are_transformers_own(checkpoint_folder: Folders, name: str, layer: int) -> None:
    path = checkpoint_folder(name)
    session = pe.Session(text=TEXT, model=pe.open_model(path, layer=layer))
    assert_close(pe.attend(session).probabilities, eager_weights(path, session), atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", ["gemma2", "gpt_oss", "t5", "llama"])
def test_a_text_that_is_read_some_queries_at_a_time_is_read_the_same(
    checkpoint_folder: Folders, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    checkpoint, ids = in_memory(checkpoint_folder(name)), torch.arange(5, 14)
    whole = checkpoint.run(ids)
    monkeypatch.setattr(recording, "_AT_ONCE", 3 * checkpoint.n_heads[0] * len(ids))
    parts = checkpoint.run(ids)
    assert_close(parts.hidden, whole.hidden, atol=1e-5, rtol=0)
    for layer, other in zip(whole.layers.values(), parts.layers.values(), strict=True):
        assert isinstance(layer, Recorded)
        assert isinstance(other, Recorded)
        assert_close((layer.sight.first, layer.sight.last), (other.sight.first, other.sight.last))


@pytest.mark.parametrize("name", OPEN)
def test_the_output_is_the_layers_own(checkpoint_folder: Folders, name: str) -> None:
    """W_o is found in the model, and applied to the heads' own outputs."""
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder(name), layer=1))
    found = pe.attend(session)
    assert found.output.shape == (len(found.tokens), session.model.d_model)
    assert found.queries.shape == found.keys.shape == (4, len(found.tokens), 8)
    assert float(found.output.abs().max()) > 0


def test_queries_before_rotation_turned_by_the_models_own_encoding_give_its_scores(checkpoint_folder: Folders) -> None:
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder("llama"), layer=1))
    found, at = pe.attend(session), torch.arange(len(session.tokens))
    queries, keys = session.encoding.rotate(found.queries, at), session.encoding.rotate(found.keys, at, "key")
    assert_close(queries @ keys.mT / 8**0.5, found.scores, atol=1e-4, rtol=0)


@pytest.mark.parametrize(
    ("name", "encoding", "causal"),
    [
        ("bert", "trained_table", False),
        ("opt", "trained_table", True),
        ("gpt_neox", "rope", True),
        ("gptj", "rope", True),
        ("glm", "rope", True),
        ("gpt_oss", "rope", True),
        ("llama4", "rope", True),
        ("bloom", "alibi", True),
        ("t5", "trained_bias", False),
        ("mpnet", "trained_table", False),
        ("roformer", "rope", False),
        ("xglm", "fixed_table", True),
    ],
)
def test_what_is_said_of_a_model(checkpoint_folder: Folders, name: str, encoding: str, causal: bool) -> None:
    model = pe.open_model(checkpoint_folder(name))
    assert (model.name, model.encoding.name, model.causal) == (name, encoding, causal)
    assert (model.layers, model.heads, model.d_model) == (2, 4, 32)
    assert pe.Session(text="dog", model=model).encoding == model.encoding


def test_each_layer_has_the_base_of_its_own_rotation(checkpoint_folder: Folders) -> None:
    bases = [pe.open_model(checkpoint_folder("gemma3"), layer=layer).encoding.base for layer in (0, 1)]
    assert bases == [10_000, 1_000_000]  # of a sliding window and of all tokens


def test_a_sliding_window_hides_what_stands_before_it(checkpoint_folder: Folders) -> None:
    found = pe.attend(pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder("gemma3"))))
    assert not found.probabilities[:, 8, :6].any()
    assert found.probabilities[:, 8, 6:].all()


@pytest.mark.parametrize("name", CLOSED)
def test_code_that_tells_weights_alone_is_named_where_more_is_asked(checkpoint_folder: Folders, name: str) -> None:
    found = pe.attend(pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder(name))))
    with pytest.raises(Undefined, match=f"^The code of {name} tells its attention weights alone"):
        _ = found.scores


# --- Positions changed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ({"surgery": "zeroed"}, torch.zeros_like),
        ({"surgery": "shifted", "shift": 7}, lambda table: table.roll(-7, 0)),
        ({"surgery": "reversed"}, lambda table: table.flip(0)),
        ({"surgery": "one_position", "position": 3}, lambda table: table[3].expand_as(table)),
    ],
)
def test_a_changed_table_is_the_same_model_with_other_rows(
    checkpoint_folder: Folders, table_of_eager: Any, change: dict[str, Any], rows: Callable[[Tensor], Tensor]
) -> None:
    path = checkpoint_folder("bert")
    model = pe.open_model(path, layer=1)
    session = pe.Session(text=TEXT, model=model, encoding=model.encoding.model_copy(update=change))
    weight = eager(path).embeddings.position_embeddings.weight
    table_of_eager(weight, rows(weight.data))
    assert_close(pe.attend(session).probabilities, eager_weights(path, session), atol=1e-5, rtol=0)


def test_a_shuffled_table_holds_the_same_rows(checkpoint_folder: Folders) -> None:
    model = pe.open_model(checkpoint_folder("bert"))
    session = pe.Session(text=TEXT, model=model)
    own, shuffled = (
        session.changed(encoding=model.encoding.model_copy(update={"surgery": surgery})).encoding.vectors(
            range(64), 32, session.scene.context
        )
        for surgery in ("as_trained", "shuffled")
    )
    assert_close(shuffled.sum(0), own.sum(0))
    assert not torch.equal(shuffled, own)


def test_another_base_is_the_same_model_with_another_base(checkpoint_folder: Folders, table_of_eager: Any) -> None:
    path = checkpoint_folder("llama")
    session = pe.Session(text=TEXT, model=pe.open_model(path, layer=1), encoding=pe.encoding("rope", base=500.0))
    config = transformers.LlamaConfig(
        hidden_size=32, num_attention_heads=4, rope_parameters={"rope_type": "default", "rope_theta": 500.0}
    )
    table_of_eager(eager(path).rotary_emb.inv_freq, llama.LlamaRotaryEmbedding(config).inv_freq)
    assert_close(pe.attend(session).probabilities, eager_weights(path, session), atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", ["gpt_neox", "llama", "llama4", "gpt_oss", "glm"])
def test_a_rotation_that_is_replaced_by_its_like_turns_the_same(checkpoint_folder: Folders, name: str) -> None:
    """Cosines stand in a module's output twice in halves, once (GPT-OSS), or as complex numbers (Llama 4)."""
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder(name), layer=1))
    like = session.encoding.model_copy(update={"base": session.encoding.base * (1 + 1e-9)})
    found, own = (pe.attend(one).probabilities for one in (session.changed(encoding=like), session))
    assert_close(found, own, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "name", ["gpt_neox", "gptj", "llama", "qwen3", "gemma3", "gemma2", "llama4", "gpt_oss", "falcon", "codegen"]
)
def test_without_rotation_every_token_is_at_position_0(
    checkpoint_folder: Folders, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """GPT-OSS has YaRN, whose attention factor goes with the rotation."""
    path = checkpoint_folder(name)
    if name == "gpt_oss":
        monkeypatch.setattr(eager(path).rotary_emb, "attention_scaling", 1.0)
    session = pe.Session(text=TEXT, model=pe.open_model(path, layer=1), encoding="none")
    still = torch.zeros_like(tokens_of(session))
    assert_close(pe.attend(session).probabilities, eager_weights(path, session, position_ids=still), atol=1e-5, rtol=0)


@pytest.mark.parametrize("name", ["bert", "roberta", "t5", "mpnet", "roformer"])
@pytest.mark.parametrize("layer", [0, 1])
def test_without_positions_an_encoder_reads_a_bag_of_words(checkpoint_folder: Folders, name: str, layer: int) -> None:
    """MPNet has a table and a bias; in RoFormer a table holds the rotation, and zeroing it would take the tokens away."""
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder(name), layer=layer), encoding="none")
    weights, reversed_ = (
        pe.attend(one).probabilities for one in (session, session.reordered(range(len(session.tokens))[::-1]))
    )
    assert_close(reversed_, weights.flip(-2, -1), atol=1e-5, rtol=0)
    assert float(weights.std(-1).max()) > 0.01
    assert "Reordering the words reorders the outputs and changes nothing else" in pe.plot("attention", session).caption
    assert not pe.plot("encoding", session.changed(encoding=session.model.encoding)).is_note


@pytest.mark.parametrize("name", ["yarn", "longrope", "llama", "bert", "t5"])
def test_at_strength_0_nothing_is_left_as_without_an_encoding(checkpoint_folder: Folders, name: str) -> None:
    """An attention factor goes with the rotation: 1.1386 of factor 4 under YaRN, 1.2247 under LongRoPE."""
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder(name), layer=1))
    none, at_0 = (pe.attend(session.changed(**fields)) for fields in ({"encoding": "none"}, {"strength": 0.0}))
    assert_close(at_0.probabilities, none.probabilities, atol=1e-6, rtol=0)
    assert not torch.allclose(none.probabilities, pe.attend(session).probabilities, atol=0.01)


@pytest.mark.parametrize("name", ["falcon", "mpnet", "gpt_neox"])
def test_where_no_share_is_brought_in_the_strength_does_nothing_and_says_so(
    checkpoint_folder: Folders, name: str
) -> None:
    whole = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder(name), layer=1))
    half = whole.changed(strength=0.5)
    is_same = torch.equal(pe.attend(half).probabilities, pe.attend(whole).probabilities)
    assert is_same == (not half.has_degrees) == (name != "gpt_neox")
    told = f"strength 0.5 does nothing: the code of {name} brings its positions in whole or not at all"
    assert (told in pe.plot("attention", half).caption) == is_same


def test_a_model_that_keeps_some_order_is_never_said_to_be_without(checkpoint_folder: Folders) -> None:
    """LFM2's convolutions read the text in order: its rotation can be off, but the model isn't without positions."""
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder("lfm2")))
    with pytest.raises(ValueError, match=r"^lfm2 can't be read without positions, .* RoPE is off at strength 0"):
        session.changed(encoding="none")
    off = session.changed(strength=0.0)
    still = torch.zeros_like(tokens_of(session))
    expected = eager_weights(session.model.folder, session, position_ids=still)
    assert_close(pe.attend(off).probabilities, expected, atol=1e-5, rtol=0)
    assert_close(pe.attend(session).position, pe.attend(session).scores - pe.attend(off).scores)
    maps = [panel.title for panel in pe.plot("attention", session).panels if isinstance(panel, Heatmap)]
    assert maps[:2] == ["Rotation off", "As trained"]
    for plot in pe.plots():
        figure = pe.plot(plot, session)
        assert "without position" not in f"{figure.headline} {figure.caption} {figure.description} {figure.panels}"


@pytest.mark.parametrize("name", ["bloom", "mpt", "xglm"])
def test_without_slopes_nothing_but_the_mask_tells_order(checkpoint_folder: Folders, name: str) -> None:
    session = pe.Session(text="dog bites dog", model=pe.open_model(checkpoint_folder(name)), encoding="none")
    own = session.changed(encoding=session.model.encoding)
    first, second = (pe.attend(one).probabilities[:, 2, [0, 2]].diff() for one in (session, own))
    assert_close(first, torch.zeros_like(first), atol=1e-6, rtol=0)
    assert float(second.abs().max()) > 1e-3


def test_position_is_the_difference_of_two_whole_passes(checkpoint_folder: Folders) -> None:
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder("gpt2"), layer=1))
    found, without = pe.attend(session), pe.attend(session.changed(encoding="none"))
    assert_close(found.position, found.scores - without.scores)


def test_half_the_strength_is_half_of_every_row(checkpoint_folder: Folders, table_of_eager: Any) -> None:
    path = checkpoint_folder("bert")
    session = pe.Session(text=TEXT, model=pe.open_model(path, layer=1), strength=0.5)
    weight = eager(path).embeddings.position_embeddings.weight
    table_of_eager(weight, weight.data / 2)
    assert_close(pe.attend(session).probabilities, eager_weights(path, session), atol=1e-5, rtol=0)


@pytest.mark.parametrize("layer", [0, 1])
def test_layers_of_two_bases_keep_each_its_own_at_any_strength(checkpoint_folder: Folders, layer: int) -> None:
    """Gemma 3 turns layers of a sliding window by a base of 10,000, layers that see all tokens by one of 1,000,000."""
    path = checkpoint_folder("gemma3")
    session = pe.Session(text=TEXT, model=pe.open_model(path, layer=layer))
    at, ids = torch.arange(len(session.tokens)), tokens_of(session)
    for strength in (0.5, 0.0):
        expected = eager_weights(path, session, position_ids=strength * at[None], attention_mask=torch.ones_like(ids))
        found = pe.attend(session.changed(strength=strength)).probabilities
        assert_close(found, expected, atol=1e-5, rtol=0)


def test_a_base_takes_the_place_of_that_of_the_layers_that_turn_alike(checkpoint_folder: Folders) -> None:
    path = checkpoint_folder("gemma3")
    session = pe.Session(text=TEXT, model=pe.open_model(path, layer=1))
    changed = session.changed(encoding=session.encoding.model_copy(update={"base": 500.0}))
    own = transformers.AutoModel.from_pretrained(path, attn_implementation="eager").eval()
    own.rotary_emb.full_attention_inv_freq = 500.0 ** (-torch.arange(0, 8, 2) / 8)
    with torch.no_grad():
        expected = own(input_ids=tokens_of(session), output_attentions=True).attentions[1][0]
    assert_close(pe.attend(changed).probabilities, expected, atol=1e-5, rtol=0)
    engine = Engine()
    moved = [pe.measure("heads", one, engine).moved for one in (session.at_head(0, 0), session)]
    assert torch.equal(*moved)
    of_local, of_full = (
        pe.measure(
            "heads", pe.Session(text=TEXT, model=pe.open_model(path, layer=at), encoding=changed.encoding), engine
        )
        for at in (0, 1)
    )
    assert float(of_full.moved[0].max()) < 1e-6 < float(of_local.moved[0].max())
    half = pe.measure("heads", changed.changed(strength=0.5)).reason
    assert half.startswith("With base 500 in layers that turn like this one, at strength 0.5 attention moves most in ")


def test_at_half_the_strength_the_model_is_seen_beside_itself_as_trained(checkpoint_folder: Folders) -> None:
    whole = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder("bert"), layer=1))
    half, trained = pe.plot("attention", whole.changed(strength=0.5)).panels[:2]
    assert (half.title, trained.title) == ("Positions at strength 0.5", "As trained")
    assert trained.values.tolist() == pe.plot("attention", whole).panels[1].values.tolist() != half.values.tolist()
    assert "positions at strength 0.5" in pe.measure("heads", whole.changed(strength=0.5)).reason


@pytest.mark.parametrize(
    ("strength", "told"), [(0.5, "With all tokens at position 0, at strength 0.5 "), (0.0, "With the table zeroed ")]
)
def test_a_surgery_by_degrees_is_told_with_its_strength_and_at_0_as_what_is_left(
    checkpoint_folder: Folders, strength: float, told: str
) -> None:
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder("bert")))
    at_one = session.model.encoding.model_copy(update={"surgery": "one_position"})
    assert pe.measure("heads", session.changed(encoding=at_one, strength=strength)).reason.startswith(told)


# --- What is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("bert", "rope"), ("llama", "sinusoidal"), ("llama", "xpos"), ("t5", "rope"), ("bloom", "kerple")],
)
def test_an_encoding_of_another_kind_is_refused_in_a_sentence(
    checkpoint_folder: Folders, name: str, encoding: str
) -> None:
    model = pe.open_model(checkpoint_folder(name))
    with pytest.raises(ValueError, match=rf"{name}|{model.encoding.called}"):
        pe.Session(text=TEXT, model=model, encoding=encoding)


def test_a_rotation_of_other_pairs_is_refused(checkpoint_folder: Folders) -> None:
    model = pe.open_model(checkpoint_folder("llama"))
    with pytest.raises(ValueError, match="more than a rotation of this shape"):
        pe.Session(text=TEXT, model=model, encoding=pe.encoding("rope", pairing="interleaved"))


def test_a_models_own_encoding_belongs_to_it(checkpoint_folder: Folders) -> None:
    own = pe.open_model(checkpoint_folder("bert")).encoding
    with pytest.raises(ValueError, match="belongs to a model that has learned"):
        pe.Session(encoding=own)


@pytest.mark.parametrize("name", ["gpt2", "roformer"])
def test_a_text_longer_than_the_table_is_told(checkpoint_folder: Folders, name: str) -> None:
    session = pe.Session(text="dog " * 70, model=pe.open_model(checkpoint_folder(name)))
    with pytest.raises(Undefined, match=f"{name} has 64 positions, and this text has 70 tokens"):
        pe.attend(session)


def test_order_is_dragged_in_the_models_own_tokens(checkpoint_folder: Folders) -> None:
    session = pe.Session(text="dog bites man", model=pe.open_model(checkpoint_folder("bert")))
    assert session.tokens == ("[CLS]", "dog", "bites", "man", "[SEP]")
    other = session.reordered((0, 3, 2, 1, 4))
    assert other.tokens == ("[CLS]", "man", "bites", "dog", "[SEP]")
    typed = session.changed(text="man bites dog")
    assert_close(pe.attend(other).probabilities, pe.attend(typed).probabilities)


def test_positions_that_the_code_adds_by_itself_are_never_said_to_be_gone(checkpoint_folder: Folders) -> None:
    """DeBERTa's table could be zeroed, but what it adds to the scores would stay."""
    session = pe.Session(text=TEXT, model=pe.open_model(checkpoint_folder("deberta")))
    assert not session.model.separable
    with pytest.raises(ValueError, match="can't be read without positions"):
        session.changed(encoding="none")
    (own,) = [panel for panel in pe.plot("attention", session).panels if isinstance(panel, Heatmap)]
    assert_close(torch.tensor(own.values), eager_weights(session.model.folder, session).mean(0), atol=1e-5, rtol=0)
    assert not pe.measure("requirements", session).value


def test_of_an_encoder_and_a_decoder_with_a_head_the_encoder_is_opened(tmp_path: Path) -> None:
    from transformers import BartConfig, BartForConditionalGeneration

    from tools.tiny_checkpoints import write_tokenizer

    sizes = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 3, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64}
    heads = {"encoder_attention_heads": 4, "decoder_attention_heads": 4}
    special = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "decoder_start_token_id": 2}
    config = BartConfig(
        vocab_size=32, max_position_embeddings=64, forced_eos_token_id=None, **sizes, **heads, **special
    )
    torch.manual_seed(0)
    BartForConditionalGeneration(config).save_pretrained(tmp_path / "bart")
    write_tokenizer(tmp_path / "bart")
    model = pe.open_model(tmp_path / "bart", layer=1)
    assert model.layers == 2
    own = (
        BartForConditionalGeneration.from_pretrained(tmp_path / "bart", attn_implementation="eager")
        .get_encoder()
        .eval()
    )
    with torch.no_grad():
        expected = own(torch.tensor([[4, 5, 6]]), output_attentions=True).attentions[1][0]
    session = pe.Session(text="dog bites man", model=model)
    torch.testing.assert_close(pe.attend(session).probabilities, expected, rtol=0, atol=1e-5)
