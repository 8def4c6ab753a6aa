"""Model's folders that are damaged in every way that was thought of: what each damage does to a sound folder."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from model_folder import LAYERS, SHAPES, TOKENS, WIDTH, entries, safetensors, write_folder, write_shards

from posenc_gui.checkpoints.config_json import LARGEST

Damage = Callable[[Path], object]
WEIGHTS = "model.safetensors"


def config_of(text: str | bytes) -> Damage:
    return lambda folder: (folder / "config.json").write_bytes(text.encode() if isinstance(text, str) else text)


def fields(**changed: Any) -> Damage:
    return lambda folder: write_folder(folder, **changed)


CONFIGS: dict[str, Damage] = {
    "no config": lambda folder: (folder / "config.json").unlink(),
    "a list": config_of("[1]"),
    "empty": config_of(""),
    "cut": config_of('{"model_type": "be'),
    "not UTF-8": config_of(b'{"model_type": "\xff\xfe"}'),
    "NaN": config_of('{"model_type": "bert", "hidden_size": NaN}'),
    "nested": config_of('{"a":' * 5000 + "1" + "}" * 5000),
    "too large": config_of(b" " * (LARGEST + 1)),
    "remote code": fields(auto_map={"AutoModel": "modeling_evil.Evil"}),
    "nested remote code": fields(text_config={"inner": {"auto_map": {"AutoConfig": "other/repo--evil.Evil"}}}),
    "a function of the hub": fields(_attn_implementation="someone/evil:run"),
    "functions of the hub": fields(text_config={"attn_implementation": {"": "kernels-community/evil"}}),
    "other weights": fields(transformers_weights="adapter_model.bin"),
    "quantised": fields(quantization_config={"quant_method": "gptq", "bits": 4}),
    "no kind": fields(model_type=None),
    "kind is no text": fields(model_type=3),
    "other width": fields(hidden_size=6),
    "another width among those there": fields(hidden_size=32),
    "other vocabulary": fields(vocab_size=TOKENS + 1),
    "a layer less": fields(num_hidden_layers=LAYERS - 1),
    "a layer more": fields(num_hidden_layers=LAYERS + 1),
    "negative layers": fields(num_hidden_layers=-1),
    "huge width": fields(hidden_size=10**30),
    "text is no group": fields(hidden_size=None, text_config=[1]),
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
HEADERS: dict[str, Damage] = {
    "empty": raw(b""),
    "a few bytes": raw(b"\x02\0\0\0"),
    "zeros": raw(bytes(1000)),
    "ones": raw(b"\xff" * 1000),
    "a pickle's ZIP": raw(b"PK\x03\x04" + bytes(100)),
    "a note of Git LFS": raw(b"version https://git-lfs.github.com/spec/v1\noid sha256:53aa\nsize 90868376\n"),
    "a huge header": raw((2**62).to_bytes(8, "little") + b"{}"),
    "a header longer than the file": raw((500).to_bytes(8, "little") + b"{}"),
    "half downloaded": lambda folder: os.truncate(folder / WEIGHTS, 900),
    "a byte less": weights(held=LAST - 1),
    "a byte more": weights(held=LAST + 1),
    "no JSON": weights(b"{nothing}", 0),
    "not UTF-8": weights(b'{"\xff": 1}', 0),
    "NaN": weights('{"a": NaN}', 0),
    "a number of 5,000 digits": weights('{"a": ' + "9" * 5000 + "}", 0),
    "nested": weights('{"a":' * 40_000 + "1" + "}" * 40_000, 0),
    "too many lists": weights('{"a": [' + "[]," * 60_000 + "[]]}", 0),
    "a name twice": weights('{"a": 1, "a": 1}', 0),
    "no weights": weights({}),
    "metadata are no texts": weights({"__metadata__": {"a": 1}, **entries()}, LAST),
}
TENSORS: dict[str, Damage] = {
    "no entry": weights(entries() | {"x": 3}, LAST),
    "no shape": weights(one(shape=None)),
    "a field more": weights(one(code="import os")),
    "a shape of truths": weights(one(shape=[True, 8])),
    "a negative shape": weights(one(shape=[-TOKENS, -WIDTH])),
    "a shape of fractions": weights(one(shape=[11.0, 8.0])),
    "a huge shape": weights(one(shape=[2**60, 2**60])),
    "a shape of many sizes": weights(one(shape=[2**50] * 10_000)),
    "three offsets": weights(one(data_offsets=[0, 4, 8]), LAST),
    "negative offsets": weights(one(data_offsets=[-FIRST, 0]), LAST),
    "offsets turned round": weights(one(data_offsets=[FIRST, 0]), LAST),
    "another size": weights(one(shape=[TOKENS, WIDTH + 1])),
    "out of range": weights(one(data_offsets=[10**12, 10**12 + FIRST]), LAST),
    "overlapping": weights(one(data_offsets=[4, FIRST + 4]), LAST),
    "twice the same bytes": weights(entries() | {"copy": entries()["embeddings.word_embeddings.weight"]}, LAST),
    "an unknown type": weights(one(dtype="PICKLE")),
    "a type with controls": weights(one(dtype="\x1b[31m\u202e")),
    "FP8": weights(entries(dtype="F8_E4M3", bits=8)),
    "INT8": weights(entries(dtype="I8", bits=8)),
    "GPTQ": weights(entries({"model.layers.0.q.qweight": [4, 4]}, "I32")),
    "without layers": weights(entries({"embeddings.word_embeddings.weight": [TOKENS, WIDTH]})),
    "a missing layer": weights(entries(SHAPES | {"encoder.layer.3.output.weight": [8, 8]})),
    "markup in a name": weights(entries({"<b>\n\x07</b>\u202e": [3]}) | {"x": 1}, 12),
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


INDICES: dict[str, Damage] = {
    "no JSON": shards(lambda folder: (folder / f"{WEIGHTS}.index.json").write_text("{")),
    "a list": shards(lambda folder: (folder / f"{WEIGHTS}.index.json").write_text("[]")),
    "no map": shards(lambda folder: index([1], folder)),
    "an empty map": shards(lambda folder: index({}, folder)),
    "no names": shards(lambda folder: index({"a": 1}, folder)),
    "a missing file": indexed("model-00003-of-00002.safetensors"),
    "a file above": indexed("../other.safetensors"),
    "an absolute path": indexed("/etc/passwd.safetensors"),
    "Windows' path": indexed("..\\other.safetensors"),
    "Windows' drive": indexed("C:other.safetensors"),
    "a host": indexed("//host/share/other.safetensors"),
    "a pickle": indexed("pytorch_model.bin"),
    "NUL": indexed("a\0.safetensors"),
    "a file without the weight": indexed("model-00001-of-00002.safetensors"),
    "a weight twice": shards(both_have_it),
    "many files": shards(lambda folder: index({str(i): f"{i}.safetensors" for i in range(1001)}, folder)),
    "too many weights": shards(lambda folder: index({str(i): "a.safetensors" for i in range(200_001)}, folder)),
    "half downloaded": shards(lambda folder: os.truncate(folder / "model-00002-of-00002.safetensors", 700)),
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


FILES: dict[str, Damage] = {
    "no weights": gone(WEIGHTS),
    "a pickle": instead("pytorch_model.bin"),
    "pickles": instead("a.pt", "b.pth", "c.ckpt"),
    "a pickle called safetensors": instead(WEIGHTS),
    "GGUF": gone(WEIGHTS, "model-q4.gguf"),
    "GGUF alone": gone("config.json", "model-q4.gguf"),
    "an adapter alone": gone("config.json", "adapter_config.json"),
    "an adapter beside weights": gone("tokenizer.json", "adapter_config.json"),
    "other weights": gone(WEIGHTS, "model.fp16.safetensors"),
    "a download under way": gone(WEIGHTS, f"{WEIGHTS}.incomplete"),
    "a download into the folder": gone("config.json", ".cache/huggingface/download/config.json.abc.incomplete"),
    "no tokenizer": gone("tokenizer.json"),
    "another tokenizer": gone("tokenizer.json", "tokenizer.model"),
    "a huge tokenizer": endless,
    "a config elsewhere": link("config.json", "../outside/config.json"),
    "weights elsewhere": link(WEIGHTS, f"../outside/{WEIGHTS}"),
    "a tokenizer elsewhere": link("tokenizer.json", "../outside/tokenizer.json"),
    "a link to nothing": link(WEIGHTS, "../nothing"),
    "a link to itself": link(WEIGHTS, WEIGHTS),
    "endless zeros": link(WEIGHTS, "/dev/zero"),
}

GROUPS = {"config": CONFIGS, "header": HEADERS, "tensors": TENSORS, "index": INDICES, "files": FILES}
