"""A model's folder is read without a weight of it, and one that can't or mustn't be opened is refused in one sentence."""

from __future__ import annotations

import json
import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_folder import (
    CONFIG,
    LAYERS,
    SHAPES,
    TOKENS,
    WIDTH,
    entries,
    safetensors,
    write_folder,
    write_shards,
    write_snapshot,
)
from odd_files import ODD, odd_files

from posenc_gui.checkpoints import folder as folders
from posenc_gui.checkpoints import safetensors_header
from posenc_gui.checkpoints.folder import Absent, Folder, read_folder
from posenc_gui.foundation.errors import Invalid, TooLarge
from posenc_gui.foundation.unicode_text import CONTROL_CHARACTERS

unix = pytest.mark.skipif(os.name != "posix", reason="links and pipes as Unix has them")
Damage = Callable[[Path], object]
WEIGHTS = "model.safetensors"
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
    assert [weights.name for weights in found.weights] == [
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
    ]
    assert (found.tensors, found.memory) == (whole.tensors, whole.memory)


@pytest.mark.parametrize(
    ("fields", "length"),
    [
        ({}, 32),
        ({"model_type": "roberta", "pad_token_id": 1}, 30),
        ({"original_max_position_embeddings": 16}, 16),
        ({"model_type": "llama", "rope_scaling": {"rope_type": "yarn", "original_max_position_embeddings": 8}}, 8),
        ({"model_type": "llama", "max_position_embeddings": None}, 2048),
        ({"model_type": "t5", "max_position_embeddings": None}, None),
    ],
)
def test_the_length_of_training_is_the_one_before_any_extension(
    fields: dict, length: int | None, tmp_path: Path
) -> None:
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
        (
            "---\n# a comment\ntags:\n- bert\n---\n\n# all-MiniLM-L6-v2\nIt maps sentences.\n# Usage-2\n",
            "all-MiniLM-L6-v2",
        ),
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


def config_of(text: str | bytes) -> Damage:
    return lambda folder: (folder / "config.json").write_bytes(text.encode() if isinstance(text, str) else text)


def fields(**changed: Any) -> Damage:
    return lambda folder: write_folder(folder, **changed)


CONFIGS: dict[str, tuple[Damage, str]] = {
    "no config": (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
    "a list": (config_of("[1]"), "config.json: this is no model's config.json, which holds fields"),
    "empty": (config_of(""), "config.json: this is no model's config.json"),
    "cut": (config_of('{"model_type": "be'), "config.json: this is no model's config.json"),
    "not UTF-8": (config_of(b'{"model_type": "\xff\xfe"}'), "config.json: this is no model's config.json"),
    "NaN": (config_of('{"model_type": "bert", "hidden_size": NaN}'), "config.json: this is no model's config.json"),
    "nested": (config_of('{"a":' * 5000 + "1" + "}" * 5000), "config.json: this is no model's config.json"),
    "many names": (
        config_of("{" + ",".join(f'"{i}":1' for i in range(60_000)) + "}"),
        "holds more than 50,000 names of fields, more than any has",
    ),
    "too large": (config_of(b" " * 5_000_001), "config.json is larger than 5 MB"),
    "remote code": (
        fields(auto_map={"AutoModel": "modeling_evil.Evil"}),
        "needs code of its own (auto_map in its config.json): a model's code is never run",
    ),
    "nested remote code": (
        fields(text_config={"inner": {"auto_map": {"AutoConfig": "other/repo--evil.Evil"}}}),
        "needs code of its own",
    ),
    "a function of the hub": (
        fields(_attn_implementation="someone/evil:run"),
        "asks for code of the hub (_attn_implementation in its config.json), which is never run",
    ),
    "functions of the hub": (
        fields(text_config={"attn_implementation": {"": "kernels-community/evil"}}),
        "asks for code of the hub (attn_implementation in its config.json), which is never run",
    ),
    "other weights": (fields(transformers_weights="adapter_model.bin"), "(transformers_weights)"),
    "quantised": (
        fields(quantization_config={"quant_method": "gptq", "bits": 4}),
        "has quantised weights (quantization_config of its config.json says so)",
    ),
    "no kind": (fields(model_type=None), "without model_type"),
    "kind is no text": (fields(model_type=3), "config.json: model_type: should be text, not '3'"),
    "other width": (fields(hidden_size=6), "has no weights of the hidden_size 6"),
    "another width among those there": (
        fields(hidden_size=32),
        "8, and its config.json says vocab_size 11 and hidden_size 32",
    ),
    "other vocabulary": (fields(vocab_size=TOKENS + 1), "and its config.json says vocab_size 12"),
    "a layer less": (fields(num_hidden_layers=LAYERS - 1), "has the weights of 2 layers, and its config.json says"),
    "a layer more": (fields(num_hidden_layers=LAYERS + 1), "lacks the weights of layer 2: its config.json says"),
    "negative layers": (
        fields(num_hidden_layers=-1),
        "num_hidden_layers: should be a whole number from 1 on, not '-1'",
    ),
    "huge width": (fields(hidden_size=10**30), "hidden_size: should be no more than a float64 holds exactly"),
    "text is no group": (fields(hidden_size=None, text_config=[1]), "text_config: should be a group of fields"),
}


def weights(header: Any = None, held: int | None = None) -> Damage:
    return lambda folder: (folder / WEIGHTS).write_bytes(safetensors(header, held))


def raw(data: bytes) -> Damage:
    return lambda folder: (folder / WEIGHTS).write_bytes(data)


def one(**changed: Any) -> dict[str, Any]:
    """A header whose first tensor is described otherwise."""
    header = entries()
    name = next(iter(header))
    header[name] = {key: value for key, value in (header[name] | changed).items() if value is not None}
    return header


LAST = max(said["data_offsets"][1] for said in entries().values())
FIRST = entries()["embeddings.word_embeddings.weight"]["data_offsets"][1]
HEADERS: dict[str, tuple[Damage, str]] = {
    "empty": (raw(b""), "is no safetensors file, or only a part of one"),
    "a few bytes": (raw(b"\x02\0\0\0"), "is no safetensors file, or only a part of one"),
    "zeros": (raw(bytes(1000)), "is no safetensors file"),
    "ones": (raw(b"\xff" * 1000), "is no safetensors file"),
    "a pickle's ZIP": (raw(b"PK\x03\x04" + bytes(100)), "is no safetensors file"),
    "a note of Git LFS": (
        raw(b"version https://git-lfs.github.com/spec/v1\noid sha256:53aa\nsize 90868376\n"),
        "is a note that Git LFS left in place of the weights: git lfs pull brings them",
    ),
    "a huge header": (raw((2**62).to_bytes(8, "little") + b"{}"), "GB: that is no model's"),
    "a header longer than the file": (
        raw((500).to_bytes(8, "little") + b"{}"),
        "is incomplete: its header has 500 bytes",
    ),
    "half downloaded": (lambda folder: os.truncate(folder / WEIGHTS, 900), "is incomplete: it holds"),
    "a byte less": (
        weights(held=LAST - 1),
        f"it holds {LAST - 1:,} of the {LAST:,} bytes of weights that its header names",
    ),
    "a byte more": (weights(held=LAST + 1), "is damaged: behind its weights it holds 1 byte of something else"),
    "no JSON": (weights(b"{nothing}", 0), "is damaged: its header can't be read"),
    "not UTF-8": (weights(b'{"\xff": 1}', 0), "is damaged: its header can't be read"),
    "NaN": (weights('{"a": NaN}', 0), "is damaged: its header can't be read"),
    "a number of 5,000 digits": (weights('{"a": ' + "9" * 5000 + "}", 0), "is damaged: its header can't be read"),
    "nested": (weights('{"a":' * 40_000 + "1" + "}" * 40_000, 0), "is damaged: its header can't be read"),
    "too many lists": (weights('{"a": [' + "[]," * 60_000 + "[]]}", 0), "holds more than 50,000 lists"),
    "a name twice": (weights('{"a": 1, "a": 1}', 0), "its header names “a” twice"),
    "no weights": (weights({}), "holds no weights: no header of its safetensors names any"),
    "metadata are no texts": (weights({"__metadata__": {"a": 1}, **entries()}, LAST), "the __metadata__ of its header"),
}
TENSORS: dict[str, tuple[Damage, str]] = {
    "no entry": (
        weights(entries() | {"x": 3}, LAST),
        "its header should give “x” a dtype, a shape and two data_offsets",
    ),
    "no shape": (weights(one(shape=None)), "should give “embeddings.word_embeddings.weight” a dtype, a shape"),
    "a field more": (weights(one(code="import os")), "a dtype, a shape and two data_offsets"),
    "a shape of truths": (weights(one(shape=[True, 8])), "a dtype, a shape and two data_offsets"),
    "a negative shape": (weights(one(shape=[-TOKENS, -WIDTH])), "a dtype, a shape and two data_offsets"),
    "a shape of fractions": (weights(one(shape=[11.0, 8.0])), "a dtype, a shape and two data_offsets"),
    "a huge shape": (weights(one(shape=[2**60, 2**60])), "a dtype, a shape and two data_offsets"),
    "a shape of many sizes": (weights(one(shape=[2**50] * 10_000)), "a dtype, a shape and two data_offsets"),
    "three offsets": (weights(one(data_offsets=[0, 4, 8]), LAST), "a dtype, a shape and two data_offsets"),
    "negative offsets": (weights(one(data_offsets=[-FIRST, 0]), LAST), "a dtype, a shape and two data_offsets"),
    "offsets turned round": (
        weights(one(data_offsets=[FIRST, 0]), LAST),
        "doesn't have as many bytes as its shape needs",
    ),
    "another size": (weights(one(shape=[TOKENS, WIDTH + 1])), "doesn't have as many bytes as its shape needs"),
    "out of range": (
        weights(one(data_offsets=[10**12, 10**12 + FIRST]), LAST),
        "the bytes of its header and “embeddings.position_embeddings.weight” leave a gap",
    ),
    "overlapping": (
        weights(one(data_offsets=[4, FIRST + 4]), LAST),
        "the bytes of its header and “embeddings.word_embeddings.weight” leave a gap",
    ),
    "twice the same bytes": (
        weights(entries() | {"copy": entries()["embeddings.word_embeddings.weight"]}, LAST),
        "the bytes of “copy” and “embeddings.word_embeddings.weight” overlap",
    ),
    "an unknown type": (weights(one(dtype="PICKLE")), "as “PICKLE”, which is no type of safetensors"),
    "a type with controls": (weights(one(dtype="\x1b[31m\u202e")), "which is no type of safetensors"),
    "FP8": (weights(entries(dtype="F8_E4M3", bits=8)), "has quantised weights"),
    "INT8": (weights(entries(dtype="I8", bits=8)), "is I8); only weights in 16, 32 or 64 bits are read"),
    "GPTQ": (weights(entries({"model.layers.0.q.qweight": [4, 4]}, "I32")), "has quantised weights"),
    "without layers": (
        weights(entries({"embeddings.word_embeddings.weight": [TOKENS, WIDTH]})),
        "the weights of 0 layers",
    ),
    "a missing layer": (
        weights(entries(SHAPES | {"encoder.layer.3.output.weight": [8, 8]})),
        "has the weights of 3 layers, and its config.json says num_hidden_layers 2",
    ),
    "markup in a name": (weights(entries({"<b>\n\x07</b>\u202e": [3]}) | {"x": 1}, 12), "its header should give “x”"),
}


def index(weight_map: Any, folder: Path) -> None:
    (folder / f"{WEIGHTS}.index.json").write_text(json.dumps({"weight_map": weight_map}))


def indexed(shard: str) -> Damage:
    """An index that names one file more."""

    def damage(folder: Path) -> None:
        write_shards(folder)
        weight_map = json.loads((folder / f"{WEIGHTS}.index.json").read_text())["weight_map"]
        index(weight_map | {"x": shard}, folder)

    return damage


def shards(damage: Damage) -> Damage:
    def done(folder: Path) -> None:
        write_shards(folder)
        damage(folder)

    return done


def both_have_it(folder: Path) -> None:
    (folder / "model-00002-of-00002.safetensors").write_bytes(safetensors())


OUTSIDE = "model.safetensors.index.json should name safetensors files in its own folder, not "
INDICES: dict[str, tuple[Damage, str]] = {
    "no JSON": (shards(lambda folder: (folder / f"{WEIGHTS}.index.json").write_text("{")), f"{WEIGHTS}.index.json: "),
    "a list": (shards(lambda folder: (folder / f"{WEIGHTS}.index.json").write_text("[]")), "has no weight_map"),
    "no map": (shards(lambda folder: index([1], folder)), "has no weight_map"),
    "an empty map": (shards(lambda folder: index({}, folder)), "has no weight_map"),
    "no names": (shards(lambda folder: index({"a": 1}, folder)), f"{OUTSIDE}“1”"),
    "a missing file": (
        indexed("model-00003-of-00002.safetensors"),
        "“model-00003-of-00002.safetensors”, which isn't there",
    ),
    "a file above": (indexed("../other.safetensors"), f"{OUTSIDE}“../other.safetensors”"),
    "an absolute path": (indexed("/etc/passwd.safetensors"), f"{OUTSIDE}“/etc/passwd.safetensors”"),
    "Windows' path": (indexed("..\\other.safetensors"), OUTSIDE),
    "Windows' drive": (indexed("C:other.safetensors"), OUTSIDE),
    "a host": (indexed("//host/share/other.safetensors"), OUTSIDE),
    "a pickle": (indexed("pytorch_model.bin"), f"{OUTSIDE}“pytorch_model.bin”"),
    "NUL": (indexed("a\0.safetensors"), OUTSIDE),
    "a file without the weight": (indexed("model-00001-of-00002.safetensors"), "lacks “x”, which"),
    "a weight twice": (
        shards(both_have_it),
        "“embeddings.word_embeddings.weight” twice: in model-00001-of-00002.safetensors",
    ),
    "many files": (
        shards(lambda folder: index({str(i): f"{i}.safetensors" for i in range(1001)}, folder)),
        "names 1,001 files: no model has more than 1,000",
    ),
    "too many weights": (
        shards(lambda folder: index({str(i): "a.safetensors" for i in range(200_001)}, folder)),
        "holds more than 200,000 names",
    ),
    "half downloaded": (
        shards(lambda folder: os.truncate(folder / "model-00002-of-00002.safetensors", 700)),
        "model-00002-of-00002.safetensors is incomplete: it holds",
    ),
}


class Writes:
    """Writes a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.write_text, (self.path, "executed")


def instead(*files: str) -> Damage:
    """Pickles that write a file when they are loaded, in place of the weights."""

    def damage(folder: Path) -> None:
        (folder / WEIGHTS).unlink()
        for file in files:
            (folder / file).write_bytes(pickle.dumps(Writes(folder / "executed")))

    return damage


def link(name: str, target: str) -> Damage:
    def damage(folder: Path) -> None:
        (folder.parent / "outside").mkdir()
        (folder / name).rename(folder.parent / "outside" / name)
        (folder / name).symlink_to(target)

    return damage


def gone(name: str, *left: str) -> Damage:
    def damage(folder: Path) -> None:
        (folder / name).unlink()
        for other in left:
            (folder / other).parent.mkdir(parents=True, exist_ok=True)
            (folder / other).write_text("{}")

    return damage


def endless(folder: Path) -> None:
    os.truncate(folder / "tokenizer.json", 10**9)


FILES: dict[str, tuple[Damage, str]] = {
    "no weights": (
        gone(WEIGHTS),
        "has no model.safetensors: a model's folder holds config.json, model.safetensors and",
    ),
    "a pickle": (
        instead("pytorch_model.bin"),
        "has its weights only as a pickle (pytorch_model.bin), which can run code: only safetensors are read",
    ),
    "pickles": (instead("a.pt", "b.pth", "c.ckpt"), "only as a pickle (a.pt and 2 more files)"),
    "a pickle called safetensors": (
        lambda folder: (folder / WEIGHTS).write_bytes(pickle.dumps(Writes(folder / "executed"))),
        "is no safetensors file",
    ),
    "GGUF": (gone(WEIGHTS, "model-q4.gguf"), "holds GGUF (model-q4.gguf), which isn't read"),
    "GGUF alone": (gone("config.json", "model-q4.gguf"), "holds GGUF (model-q4.gguf), which isn't read"),
    "an adapter alone": (
        gone("config.json", "adapter_config.json"),
        "is an adapter such as LoRA (adapter_config.json)",
    ),
    "an adapter beside weights": (gone("tokenizer.json", "adapter_config.json"), "is an adapter such as LoRA"),
    "other weights": (gone(WEIGHTS, "model.fp16.safetensors"), "has no model.safetensors, but model.fp16.safetensors"),
    "a download under way": (
        gone(WEIGHTS, f"{WEIGHTS}.incomplete"),
        "is only half downloaded: it has no model.safetensors",
    ),
    "a download into the folder": (
        gone("config.json", ".cache/huggingface/download/config.json.abc.incomplete"),
        "is only half downloaded: it has no config.json yet",
    ),
    "no tokenizer": (gone("tokenizer.json"), "has no tokenizer.json: tokens are read from that file."),
    "another tokenizer": (gone("tokenizer.json", "tokenizer.model"), "from that file, not from tokenizer.model"),
    "a huge tokenizer": (endless, "tokenizer.json is larger than 100 MB: that is no tokenizer"),
    "a config elsewhere": (
        link("config.json", "../outside/config.json"),
        "has a config.json that is a link to a file outside",
    ),
    "weights elsewhere": (
        link(WEIGHTS, f"../outside/{WEIGHTS}"),
        "has a model.safetensors that is a link to a file outside",
    ),
    "a tokenizer elsewhere": (link("tokenizer.json", "../outside/tokenizer.json"), "link to a file outside the folder"),
    "a link to nothing": (link(WEIGHTS, "../nothing"), "its model.safetensors is a link to a file that isn't there"),
    "a link to itself": (link(WEIGHTS, WEIGHTS), "model.safetensors can't be read"),
    "endless zeros": (link(WEIGHTS, "/dev/zero"), "is a link to a file outside the folder"),
}


def judged(damage: Damage, said: str, folder: Path) -> None:
    write_folder(folder)
    damage(folder)
    assert said in refusal(folder)
    assert not (folder / "executed").exists()


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_config_that_cannot_be_used_is_refused(kind: str, tmp_path: Path) -> None:
    judged(*CONFIGS[kind], tmp_path / "it")


@pytest.mark.parametrize("kind", HEADERS)
def test_a_damaged_file_of_weights_is_refused(kind: str, tmp_path: Path) -> None:
    judged(*HEADERS[kind], tmp_path / "it")


@pytest.mark.parametrize("kind", TENSORS)
def test_weights_that_are_described_wrongly_are_refused(kind: str, tmp_path: Path) -> None:
    judged(*TENSORS[kind], tmp_path / "it")


@pytest.mark.parametrize("kind", INDICES)
def test_an_index_of_weights_leads_nowhere_else(kind: str, tmp_path: Path) -> None:
    judged(*INDICES[kind], tmp_path / "it")


@unix
@pytest.mark.parametrize("kind", FILES)
def test_a_folder_without_what_is_read_says_what_is_missing(kind: str, tmp_path: Path) -> None:
    judged(*FILES[kind], tmp_path / "it")


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
    assert "is no folder; a model is a folder with config.json, model.safetensors and tokenizer.json" in refusal(
        folder / WEIGHTS, Absent
    )


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
    lengths = [
        safetensors_header.read_header(folder / f"model-0000{n}-of-00002.safetensors", "it").length for n in (1, 2)
    ]
    monkeypatch.setattr(folders, "LARGEST", sum(lengths) - 1)
    assert "model-00002-of-00002.safetensors has a header of" in refusal(folder)
