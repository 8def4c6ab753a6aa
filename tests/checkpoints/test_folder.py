"""A model's folder is read without a weight of it, and one that can't or mustn't be opened is refused in one sentence."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from damaged_folders import GROUPS, WEIGHTS
from model_folder import CONFIG, SHAPES, entries, safetensors, write_folder, write_shards, write_snapshot
from odd_files import ODD, odd_files

from posenc_gui.checkpoints import folder as folders
from posenc_gui.checkpoints import safetensors_header
from posenc_gui.checkpoints.folder import Absent, Folder, read_folder
from posenc_gui.foundation.errors import Invalid, TooLarge
from posenc_gui.foundation.unicode_text import CONTROL_CHARACTERS

unix = pytest.mark.skipif(os.name != "posix", reason="links and pipes as Unix has them")
NUMBERS = sum(entries()[name]["data_offsets"][1] - entries()[name]["data_offsets"][0] for name in SHAPES) // 4


def refusal(folder: Path | str, kind: type[Exception] = Invalid) -> str:
    """What is said of a folder that is refused: one sentence, without anything that could be read as markup or control."""
    with pytest.raises(ValueError, match=r".") as refused:
        read_folder(folder)
    said = str(refused.value)
    assert type(refused.value) is kind
    assert not re.search(f"[{CONTROL_CHARACTERS}]", said)
    assert said.endswith(".")
    assert len(said) < 500
    return said


# --- Sound ones


def test_a_folder_is_what_its_config_and_headers_say(tmp_path: Path) -> None:
    found = read_folder(write_folder(tmp_path / "tiny-bert"))
    assert (found.path, found.name, found.trained_length) == (tmp_path / "tiny-bert", "tiny-bert", 32)
    assert dict(found.config) == CONFIG
    assert {name: list(tensor.shape) for name, tensor in found.tensors.items()} == SHAPES
    assert found.memory == 4 * NUMBERS
    assert found.tokenizer.is_file()
    (weights,) = found.weights
    assert (weights.name, weights.size) == (WEIGHTS, (found.path / WEIGHTS).stat().st_size)
    assert len(weights.header_sha256) == 64


def test_no_weight_is_read(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    size = (folder / WEIGHTS).stat().st_size
    before = read_folder(folder)
    with (folder / WEIGHTS).open("r+b") as file:
        file.seek(size - 4)
        file.write(b"\xff\xff\xff\xff")
    assert read_folder(folder) == before


def test_half_precision_takes_twice_its_size_as_float32_and_whole_numbers_their_own(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    header = entries(dtype="BF16", bits=16)
    end = max(said["data_offsets"][1] for said in header.values())
    header["embeddings.position_ids"] = {"dtype": "I64", "shape": [1, 32], "data_offsets": [end, end + 256]}
    (folder / WEIGHTS).write_bytes(safetensors({"__metadata__": {"format": "pt"}, **header}))
    assert read_folder(folder).memory == 4 * NUMBERS + 256


def test_weights_in_several_files_are_one_model(tmp_path: Path) -> None:
    found, whole = read_folder(write_shards(tmp_path / "shards")), read_folder(write_folder(tmp_path / "whole"))
    assert [weights.name for weights in found.weights] == [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    assert (found.tensors, found.memory) == (whole.tensors, whole.memory)


@pytest.mark.parametrize(
    ("fields", "length"),
    [
        ({}, 32),
        ({"model_type": "roberta", "pad_token_id": 1}, 30),
        ({"original_max_position_embeddings": 16}, 16),
        ({"max_trained_positions": 16}, 16),
        ({"model_type": "llama", "rope_scaling": {"rope_type": "linear", "factor": 4.0}}, 32),
        ({"model_type": "llama", "rope_scaling": {"rope_type": "yarn", "original_max_position_embeddings": 8}}, 8),
        ({"model_type": "llama", "max_position_embeddings": None}, 2048),
        ({"model_type": "t5", "max_position_embeddings": None}, None),
    ],
)
def test_the_length_of_training_is_that_before_any_extension(fields: dict, length: int | None, tmp_path: Path) -> None:
    assert read_folder(write_folder(tmp_path / "it", **fields)).trained_length == length


def test_the_layers_that_read_text_are_judged_in_a_config_that_nests_them(tmp_path: Path) -> None:
    fields = dict.fromkeys(CONFIG) | {"model_type": "llava", "text_config": {**CONFIG, "model_type": "llama"}}
    assert read_folder(write_folder(tmp_path / "it", **fields)).trained_length == 32
    fields["text_config"]["num_hidden_layers"] = 3
    assert "text_config.num_hidden_layers 3" in refusal(write_folder(tmp_path / "other", **fields))


@unix
def test_a_snapshot_of_the_hub_has_the_models_name_and_its_links_are_followed(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "hub", "someone/some-model")
    found = read_folder(snapshot)
    assert (found.name, found.path) == ("someone/some-model", snapshot)


@unix
def test_blobs_that_several_models_of_a_cache_share_are_followed(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "hub")
    blob = (snapshot / WEIGHTS).resolve()
    shared = tmp_path / "hub" / "blobs" / "0a" / "0ab1"
    shared.parent.mkdir(parents=True)
    blob.rename(shared)
    blob.symlink_to(shared)
    assert read_folder(snapshot).name == "someone/some-model"


@unix
def test_a_link_to_a_folder_is_that_folder(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    (tmp_path / "link").symlink_to(folder)
    assert read_folder(tmp_path / "link") == read_folder(folder)


def test_a_folder_of_ones_home_may_be_called_by_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    folder = write_folder(tmp_path / "it")
    assert read_folder("~/it") == read_folder(folder)


def test_a_folder_in_a_package_is_called_by_the_package(tmp_path: Path) -> None:
    assert read_folder(write_folder(tmp_path / "some_package" / "model")).name == "some_package"


@pytest.mark.parametrize(
    ("card", "name"),
    [
        ("---\n# a comment\ntags:\n- bert\n---\n\n# all-MiniLM-L6-v2\nIt maps.\n# Usage-2\n", "all-MiniLM-L6-v2"),
        ("# Qwen/Qwen2.5-0.5B\r\n", "Qwen/Qwen2.5-0.5B"),
        ("# Usage\n# gpt-2\n", "it"),
        ("# Model Card for v2\n", "it"),
        ("# 2<b>\n", "it"),
        ("# ../../../etc/v2\n", "it"),
        ("", "it"),
    ],
)
def test_a_model_is_called_as_its_card_calls_it_if_that_is_a_name(tmp_path: Path, card: str, name: str) -> None:
    folder = write_folder(tmp_path / "it")
    (folder / "README.md").write_text(card, newline="")
    assert read_folder(folder).name == name


@unix
def test_a_card_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    (tmp_path / "README.md").write_text("# secret-1\n")
    (folder / "README.md").symlink_to(tmp_path / "README.md")
    assert read_folder(folder).name == "it"


def test_the_format_is_the_one_that_safetensors_writes(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import save_file

    folder = write_folder(tmp_path / "it")
    weights = {name: torch.zeros(shape, dtype=torch.float16) for name, shape in SHAPES.items()}
    save_file(weights, folder / WEIGHTS, {"format": "pt"})
    found = read_folder(folder)
    assert {name: list(tensor.shape) for name, tensor in found.tensors.items()} == SHAPES
    assert {tensor.dtype for tensor in found.tensors.values()} == {"F16"}
    assert found.memory == 4 * NUMBERS


# --- Hostile ones


@pytest.mark.parametrize("group", [*list(GROUPS)[:-1], pytest.param("files", marks=unix)])
def test_a_damaged_folder_is_refused_and_nothing_of_it_is_run(group: str, tmp_path: Path) -> None:
    """What is said of each is in `tests/recorded/wording.md`."""
    for kind, damage in GROUPS[group].items():
        folder = write_folder(tmp_path / kind / "it")
        damage(folder)
        assert refusal(folder)
        assert not (folder / "executed").exists(), kind


@unix
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("name", ["config.json", WEIGHTS, f"{WEIGHTS}.index.json", "tokenizer.json"])
def test_what_is_no_ordinary_file_is_not_opened(name: str, kind: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    if name.endswith("index.json"):
        (folder / WEIGHTS).unlink()
    (folder / name).unlink(missing_ok=True)
    (tmp_path / "odd").mkdir()
    with odd_files(tmp_path / "odd") as odd:
        odd[kind].rename(folder / name)
        assert ("link to a file outside" if kind == "device" else "only ordinary files can be read") in refusal(folder)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("bert-base-uncased", "bert-base-uncased is no folder on this computer; nothing is downloaded."),
        ("~root/x", "~root/x is no folder on this computer; nothing is downloaded."),
        ("https://huggingface.co/bert-base-uncased", "A model's folder must be a local folder, not 'https://"),
        ("\\\\host\\share\\model", "A model's folder must be a local folder"),
        ("//host/share/model", "A model's folder must be a local folder"),
        ("a\0b", "A model's folder's path can't contain control characters."),
        ("a\nb", "A model's folder's path can't contain control characters."),
        ("x" * 5000, "has at most 4,096 characters, not 5,000."),
        ("x" * 3000, "can't be read: File name too long."),
        ("\ud800", "U+D800 is no folder on this computer."),
    ],
)
def test_a_path_that_is_no_folder_here_is_refused(path: str, said: str) -> None:
    assert said in refusal(path, Invalid if "too long" in said else Absent)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    assert "is no folder; a model is a folder with config.json, model.safe" in refusal(folder / WEIGHTS, Absent)


@unix
def test_a_snapshot_cannot_lead_out_of_its_cache(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "hub")
    other = write_snapshot(tmp_path / "other", "else/where")
    (snapshot / WEIGHTS).unlink()
    (snapshot / WEIGHTS).symlink_to((other / WEIGHTS).resolve())
    assert "is a link to a file outside the folder" in refusal(snapshot)


@unix
def test_a_snapshot_that_is_being_downloaded_says_so(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "hub")
    blob = (snapshot / WEIGHTS).resolve()
    blob.rename(blob.with_name("abc.incomplete"))
    assert "its model.safetensors is a link to a file that isn't there" in refusal(snapshot)
    (snapshot / WEIGHTS).unlink()
    assert "is only half downloaded: it has no model.safetensors yet" in refusal(snapshot)


def test_what_does_not_fit_into_memory_is_refused_before_it_is_read(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "giant", vocab_size=10**9, hidden_size=1000, num_hidden_layers=1)
    shapes = {"embed_tokens.weight": [10**9, 1000], "layers.0.weight": [1000, 1000]}
    file = folder / WEIGHTS
    head = safetensors(entries(shapes, "F16", 16), 0)
    file.write_bytes(head)
    try:
        os.truncate(file, len(head) + 2 * (10**12 + 10**6))  # a hole, which takes no room
    except OSError:
        pytest.skip("this disk has no files with holes")
    said = refusal(folder, TooLarge)
    assert said.startswith("giant needs 4000.0 GB as float32; ")
    assert said.endswith(" are free.")
    with pytest.raises(TooLarge):
        read_folder(folder)


def test_a_folder_of_thousands_of_files_is_quickly_read(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    for number in range(3000):
        (folder / f"{number}.bin").touch()
    assert isinstance(read_folder(folder), Folder)
    (folder / WEIGHTS).unlink()
    assert "only as a pickle" in refusal(folder)


@unix
def test_a_name_is_shown_without_what_would_turn_or_hide_a_sentence(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a\u202e<b>\u200b")
    assert read_folder(folder).name == "aU+202E<b>U+200B"
    (folder / WEIGHTS).unlink()
    assert refusal(folder).startswith("aU+202E<b>U+200B has no model.safetensors")


def test_headers_of_all_files_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_shards(tmp_path / "it")
    lengths = (safetensors_header.read_header(file, "it").length for file in folder.glob("model-*.safetensors"))
    monkeypatch.setattr(folders, "LARGEST", sum(lengths) - 1)
    assert "model-00002-of-00002.safetensors has a header of" in refusal(folder)
