"""A tiny model's folder, written byte by byte so that a test can damage any part of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WIDTH, LAYERS, TOKENS = 8, 2, 11
CONFIG = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "hidden_size": WIDTH,
    "num_attention_heads": 2,
    "num_hidden_layers": LAYERS,
    "intermediate_size": 12,
    "vocab_size": TOKENS,
    "max_position_embeddings": 32,
}
SHAPES = {
    "embeddings.word_embeddings.weight": [TOKENS, WIDTH],
    "embeddings.position_embeddings.weight": [32, WIDTH],
    **{f"encoder.layer.{layer}.attention.self.query.weight": [WIDTH, WIDTH] for layer in range(LAYERS)},
    **{f"encoder.layer.{layer}.attention.self.query.bias": [WIDTH] for layer in range(LAYERS)},
}
TOKENIZER = {
    "version": "1.0",
    "model": {"type": "WordLevel", "vocab": {f"t{i}": i for i in range(TOKENS)}, "unk_token": "t0"},
}


def entries(shapes: Mapping[str, list[int]] = SHAPES, dtype: str = "F32", bits: int = 32) -> dict[str, Any]:
    """Return a header's entries for tensors one behind the other."""
    found, begin = {}, 0
    for name, shape in shapes.items():
        end = begin + math.prod(shape) * bits // 8
        found[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
        begin = end
    return found


def safetensors(header: Mapping[str, Any] | str | bytes | None = None, held: int | None = None) -> bytes:
    """Return a safetensors file with this header and `held` zeros behind it: as many as the header names, if None."""
    header = entries() if header is None else header
    if held is None:
        assert isinstance(header, Mapping)
        held = max((said["data_offsets"][1] for name, said in header.items() if name != "__metadata__"), default=0)
    text = json.dumps(header) if isinstance(header, Mapping) else header
    data = text.encode() if isinstance(text, str) else text
    return len(data).to_bytes(8, "little") + data + bytes(held)


def write_folder(folder: Path, **config: Any) -> Path:
    """Write a sound folder whose config has these fields beside its own; None leaves one out."""
    folder.mkdir(parents=True, exist_ok=True)
    fields = {name: value for name, value in (CONFIG | config).items() if value is not None}
    (folder / "config.json").write_text(json.dumps(fields))
    (folder / "model.safetensors").write_bytes(safetensors())
    (folder / "tokenizer.json").write_text(json.dumps(TOKENIZER))
    return folder


def write_shards(folder: Path) -> Path:
    """Write a sound folder whose weights stand in two files and an index."""
    write_folder(folder)
    (folder / "model.safetensors").unlink()
    names = list(SHAPES)
    weight_map = {}
    for number, part in enumerate((names[:2], names[2:])):
        shard = f"model-{number + 1:05}-of-00002.safetensors"
        (folder / shard).write_bytes(safetensors(entries({name: SHAPES[name] for name in part})))
        weight_map |= dict.fromkeys(part, shard)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    return folder


def write_snapshot(cache: Path, repo: str = "someone/some-model", commit: str = "0123abcd", main: bool = True) -> Path:
    """Write a snapshot of a hub's cache as huggingface_hub does, its files being links to blobs; return the snapshot."""
    repository = cache / f"models--{repo.replace('/', '--')}"
    snapshot = repository / "snapshots" / commit
    plain = write_folder(repository / "made")
    snapshot.mkdir(parents=True)
    (repository / "blobs").mkdir(exist_ok=True)
    for file in plain.iterdir():
        blob = repository / "blobs" / f"{commit}-{file.name}"
        file.rename(blob)
        (snapshot / file.name).symlink_to(Path("../../blobs") / blob.name)
    plain.rmdir()
    if main:
        (repository / "refs").mkdir(exist_ok=True)
        (repository / "refs" / "main").write_text(commit)
    return snapshot
