"""A model's folder: config.json, model.safetensors and tokenizer.json, judged before a weight is read.

Nothing is executed, downloaded or unpickled: two texts of JSON and the headers of the weights are all that is read.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import Field
from pydantic_core import from_json

from posenc_gui.checkpoints import config_json
from posenc_gui.checkpoints.config_fields import D_MODEL, Level
from posenc_gui.checkpoints.safetensors_header import FLOATS, LARGEST, PACKED, Header, Tensor, read_header
from posenc_gui.foundation.declared_model import Frozen
from posenc_gui.foundation.devices import free_memory
from posenc_gui.foundation.errors import Invalid, TooLarge, describe_error
from posenc_gui.foundation.files import atomic, json_text
from posenc_gui.foundation.wording import format_bytes, format_count, join_words, quote
from posenc_gui.text.tokenization import LARGEST_TOKENIZER, format_path, path_refusal

SHA256 = r"[0-9a-f]{64}"
CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
_NEEDED = join_words((CONFIG, WEIGHTS, TOKENIZER))
_INDEX = f"{WEIGHTS}.index.json"
_ADAPTER = ("adapter_config.json", "adapter_model.safetensors", "adapter_model.bin")
_PICKLES = re.compile(r".*\.(?:bin|pt|pth|pkl|pickle|ckpt)")
_OTHER_TOKENIZERS = ("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "vocab.txt", "vocab.json")

MOST_SHARDS = 1000  # files of weights of one model
MOST_FILES = MOST_SHARDS + 3  # with its config, index and tokenizer

_GENERATION, _LARGEST_GENERATION = "generation_config.json", 1_000_000  # bytes; published ones have some hundred
_LARGEST_INDEX = 25_000_000  # bytes; DeepSeek-V3's has 9 million
_MOST_TENSORS = 200_000
_SHARD = re.compile(r"[^/\\:\x00-\x1f]{1,200}\.safetensors")  # a file's name alone
_MOST_LISTED = 1000  # files of a folder that are looked at to say what it holds instead
_FUNCTION = ("implementation", "implementation_internal")  # of attention or experts, in the names of fields
_DEEPEST = 20  # groups in groups of a config
_NAMELESS = "model"  # a folder in a package or a backup, whose own folder says which model it is
_CARD, _LONGEST_CARD = "README.md", 100_000  # the model card, and bytes of it in which its heading is looked for
_HEADING = re.compile(r"^# +(.+)$", re.MULTILINE)
_NAME = re.compile(r"(?:[\w.-]{1,96}/)?(?=[\w.-]*\d)[\w.-]{1,96}")  # ORG/NAME or NAME, with a number as they all have

_LAYERS = ("num_layers_per_stack", "num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers")
_SHARING = "albert"  # its layers share the weights of a group
_BEYOND = "num_nextn_predict_layers"  # layers behind the last one that guess further tokens, and aren't run
_NARROWER = ("embedding_size", "word_embed_proj_dim")  # tokens' vectors may be narrower than the layers
_EMBEDDINGS = re.compile(
    r"(?:^|\.)(?:embed_tokens|embed_in|word_embeddings|tok_embeddings|wte|word_embedding|shared)\.weight"
)
_IN_LAYER = re.compile(r"(.*?)\.(\d{1,6})\.")
_QUANTISED = re.compile(r"\.(?:qweight|qzeros|SCB|weight_packed|weight\.quant_state\..*|weight_scale(?:_inv)?)")
_OF_QUANTISATION = ("quantization_config", "compression_config")


Stamps = Mapping[str, atomic.StrictStamp | None]


class Absent(Invalid):
    """There is no such folder on this computer."""


class WeightFile(Frozen):
    """A file of weights: its name in the folder, its size in bytes, and the SHA-256 of its header."""

    name: str = Field(max_length=255)
    size: int = Field(ge=0)
    header_sha256: str = Field(pattern=f"^{SHA256}$")


@dataclass(frozen=True)
class Folder:
    """A folder whose model can be opened.

    path: absolute. name: ORG/NAME in a hub cache, else as its model card is headed, or the folder's. config: the fields
    of config.json. tensors: by name, as the headers say. trained_length: positions, None if the config doesn't say.
    memory: bytes of all weights as float32. sha256: of its texts of JSON. stamps: of every file that the model is read from,
    by name, as they were before it was read.
    """

    path: Path
    name: str
    config: Mapping[str, Any]
    weights: tuple[WeightFile, ...]
    tensors: Mapping[str, Tensor]
    trained_length: int | None
    memory: int
    sha256: Mapping[str, str]
    stamps: Stamps = field(compare=False)

    @property
    def numbers(self) -> int:
        """How many numbers its weights are."""
        return sum(tensor.numel for tensor in self.tensors.values())

    @property
    def is_as_read(self) -> bool:
        """True unless a file that the model is read from was written since."""
        return stamps_now(self.path, self.stamps) == self.stamps

    @property
    def tokenizer(self) -> Path:
        """The file of its tokenizer."""
        return self.path / TOKENIZER


def read_folder(path: str | Path) -> Folder:
    """Read what a model's folder says of itself, and see that it is whole. Raises Invalid, in one sentence, for a folder that
    can't be opened or may not be, as Absent if there is none; TooLarge, in one sentence, if its weights don't fit this
    computer's memory."""
    files = _Files.at(path)
    files.refuse_adapter()
    config = files.config()
    with _naming(CONFIG):
        level, family = config_json.of_text(Level(config))
        trained = config_json.lengths(level, family).trained
    _refuse_code(config, files.name)
    for one in (Level(config), level):
        _check_unquantised(one, files.name)
    if not Level(config).text("model_type"):
        raise Invalid(f"{files.name} has a {CONFIG} without model_type, which says what kind of model it is.")
    files.refuse_large_generation()
    headers = files.headers()
    files.require_tokenizer()
    tensors = {tensor: said for header in headers.values() for tensor, said in header.tensors.items()}
    if not tensors:
        raise Invalid(f"{files.name} holds no weights: no header of its safetensors names any.")
    with _naming(CONFIG):
        _check_agreement(level, tensors, files.name)
    memory, free = sum(tensor.loaded for tensor in tensors.values()), free_memory()
    if memory > free:
        raise TooLarge(f"{files.name} needs {format_bytes(memory)} as float32; {format_bytes(free)} are free.")
    weights = tuple(WeightFile(name=name, size=one.size, header_sha256=one.sha256) for name, one in headers.items())
    return Folder(files.path, files.name, config, weights, tensors, trained, memory, files.sha256, files.stamps)


def stamps_now(path: Path, names: Iterable[str]) -> Stamps:
    """Return the stamps of these files of a folder."""
    return {name: atomic.strict_stamp(path / name) for name in names}


def name_of(path: Path) -> str:
    """Return what a model's folder is called: ORG/NAME in a hub cache, else its own name, fit to be shown."""
    repository = repository_of(path)
    if repository:
        return format_path(repository.name.removeprefix("models--").replace("--", "/"))
    return format_path((path.parent.name if path.name == _NAMELESS else path.name) or str(path))


def repository_of(path: Path) -> Path | None:
    """Return the hub cache's folder of the model whose snapshot this path is; None elsewhere."""
    is_snapshot = path.parent.name == "snapshots" and path.parent.parent.name.startswith("models--")
    return path.parent.parent if is_snapshot else None


@contextmanager
def _naming(file: str) -> Iterator[None]:
    """Turn what is wrong with a file into one sentence that begins with its name."""
    try:
        yield
    except (Invalid, TooLarge):
        raise
    except OSError as error:
        raise Invalid(f"{file} can't be read: {error.strerror or type(error).__name__}.") from None
    except atomic.Oversized as error:
        raise Invalid(f"{file} {error.why}.") from None
    except ValueError as error:
        raise Invalid(f"{file}: {describe_error(error).rstrip('.')}.") from None


def _refuse_code(config: Mapping[str, Any], name: str) -> None:
    """Raise Invalid if a config, or one in it, asks for code, or for other files than those that are read."""
    groups: list[tuple[Mapping[str, Any], int]] = [(config, 0)]
    while groups:
        group, depth = groups.pop()
        if group.get("auto_map"):
            raise Invalid(f"{name} needs code of its own (auto_map in its {CONFIG}): a model's code is never run.")
        # By such a field transformers would fetch a function, as ORG/NAME, in place of its own.
        of_functions = (name for name, value in group.items() if name.endswith(_FUNCTION) and "/" in json.dumps(value))
        if named := next(of_functions, ""):
            raise Invalid(
                f"{name} asks for code of the hub ({format_path(named)} in its {CONFIG}), which is never run."
            )
        if group.get("transformers_weights"):
            raise Invalid(f"{name} names other weights in its {CONFIG} (transformers_weights): only {WEIGHTS} is read.")
        if depth == 0 and group.get("configuration_files"):  # of which transformers would read one in place of this
            raise Invalid(f"{name} names other configs in its {CONFIG} (configuration_files): only {CONFIG} is read.")
        if depth < _DEEPEST:
            groups += [(value, depth + 1) for value in group.values() if isinstance(value, Mapping)]


@dataclass(frozen=True)
class _Files:
    """The files of a folder, none of which may lie elsewhere; a snapshot's lie among the blobs of its hub cache. What is read
    of the model is noted: each file's stamp before that, and the SHA-256 of texts."""

    path: Path
    name: str
    roots: tuple[Path, ...]
    stamps: dict[str, atomic.StrictStamp | None] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)

    @classmethod
    def at(cls, given: str | Path) -> _Files:
        if refusal := path_refusal(str(given), "a model's folder", "folder"):
            raise Absent(f"{refusal[0].upper()}{refusal[1:]}.")
        shown = format_path(str(given))
        with _naming(shown):
            try:
                # Where another user's home is may be asked of a host.
                own = Path(given).expanduser() if Path(given).parts[:1] == ("~",) else given
                path = Path(os.path.realpath(own, strict=True))
            except FileNotFoundError:
                raise Absent(f"{shown} is no folder on this computer; nothing is downloaded.") from None
            except (RuntimeError, ValueError):  # there is no home, or this is no name of a file
                raise Absent(f"{shown} is no folder on this computer.") from None
            if not path.is_dir():
                raise Absent(f"{shown} is no folder; a model is a folder with {_NEEDED}.")
        repository = repository_of(path)
        blobs = (repository / "blobs", repository.parent / "blobs") if repository else ()
        files = cls(path, name_of(path), (path, *(Path(os.path.realpath(one)) for one in blobs)))
        return files if repository else replace(files, name=files.heading() or files.name)

    def heading(self) -> str:
        """Return the heading of the model card if that is a model's name; else nothing."""
        if not self.has(_CARD):
            return ""
        try:
            beginning, _ = atomic.read_beginning(self.real(_CARD), _LONGEST_CARD)
        except (OSError, ValueError):
            return ""
        text = beginning.decode("utf-8", "replace").lstrip("\ufeff")
        if text.startswith("---"):  # fields in YAML, in which # begins a comment
            text = text.partition("\n---")[2]
        found = _HEADING.search(text)
        name = found[1].strip() if found else ""
        return name if _NAME.fullmatch(name) else ""

    def has(self, name: str) -> bool:
        """Return True if there is a file of that name, or a link, even to nothing."""
        return os.path.lexists(self.path / name)

    def real(self, name: str) -> Path:
        """Return where a file lies. Raises Invalid if that is elsewhere, or nowhere."""
        with _naming(name):
            try:
                path = Path(os.path.realpath(self.path / name, strict=True))
            except FileNotFoundError:
                raise Invalid(f"{self.name} is incomplete: its {name} is a link to a file that isn't there.") from None
        if not any(path.is_relative_to(root) for root in self.roots):
            raise Invalid(f"{self.name} has a {name} that is a link to a file outside the folder, which isn't read.")
        return path

    def noted(self, name: str) -> Path:
        """Return where a file of the model lies, of which the stamp is noted. Raises as `real` does."""
        self.stamps.update(stamps_now(self.path, (name,)))
        return self.real(name)

    def content(self, name: str, most: int) -> bytes:
        """Return a file's bytes."""
        path = self.noted(name)
        with _naming(name):
            found = atomic.read_bytes(path, most, name)
        self.sha256[name] = hashlib.sha256(found).hexdigest()
        return found

    def listed(self) -> list[str]:
        """Return the names of what the folder holds, as far as it is looked at."""
        with suppress(OSError), os.scandir(self.path) as entries:
            return sorted(entry.name for entry in islice(entries, _MOST_LISTED))
        return []

    def refuse_adapter(self) -> None:
        """Raise Invalid for an adapter: its config leads to the weights of another model, wherever that is."""
        if found := next(filter(self.has, _ADAPTER), None):
            raise Invalid(
                f"{self.name} is an adapter such as LoRA ({found}), which changes another model: merge it into that one "
                "and open the result."
            )

    def config(self) -> Mapping[str, Any]:
        """Return the fields of its config.json."""
        if not self.has(CONFIG):
            raise self._lacking(CONFIG)
        text = self.content(CONFIG, config_json.LARGEST)
        with _naming(CONFIG):
            return config_json.parse(text)

    def headers(self) -> dict[str, Header]:
        """Return the header of each file of weights, by its name."""
        if self.has(WEIGHTS):
            return {WEIGHTS: self._header(WEIGHTS, LARGEST)}
        if not self.has(_INDEX):
            raise self._lacking(WEIGHTS)
        of_tensors = self._index()
        found: dict[str, Header] = {}
        left = LARGEST
        for shard in sorted(set(of_tensors.values())):
            if not self.has(shard):
                named = quote(format_path(shard))
                raise Invalid(f"{self.name} is incomplete: {_INDEX} names {named}, which isn't there.")
            found[shard] = self._header(shard, left)
            left -= found[shard].length
        self._match(of_tensors, found)
        return found

    def _header(self, name: str, most: int) -> Header:
        path, shown = self.noted(name), format_path(name)
        with _naming(shown):
            return read_header(path, shown, most)

    def _index(self) -> dict[str, str]:
        """Return the file of each tensor."""
        text = self.content(_INDEX, _LARGEST_INDEX)
        with _naming(_INDEX):
            json_text.check_count(text, _MOST_TENSORS)
            found = from_json(text, allow_inf_nan=False)
        of_tensors = found.get("weight_map") if isinstance(found, dict) else None
        if not isinstance(of_tensors, dict) or not of_tensors:
            raise Invalid(f"{_INDEX} has no weight_map, which says where each weight stands.")
        for shard in of_tensors.values():
            if not isinstance(shard, str) or not _SHARD.fullmatch(shard):
                named = quote(format_path(str(shard)))
                raise Invalid(f"{_INDEX} should name safetensors files in its own folder, not {named}.")
        if (count := len(set(of_tensors.values()))) > MOST_SHARDS:
            raise Invalid(f"{_INDEX} names {format_count(count, 'file')}: no model has more than {MOST_SHARDS:,}.")
        return of_tensors

    def _match(self, of_tensors: Mapping[str, str], headers: Mapping[str, Header]) -> None:
        """Raise Invalid unless each weight stands where the index says, and nowhere else."""
        for tensor, shard in of_tensors.items():
            if tensor not in headers[shard].tensors:
                raise Invalid(
                    f"{self.name} is incomplete: {format_path(shard)} lacks {quote(format_path(tensor))}, which {_INDEX} "
                    "says is there."
                )
        seen: dict[str, str] = {}
        for shard, header in headers.items():
            for tensor in header.tensors:
                if tensor in seen:
                    raise Invalid(
                        f"{self.name} has {quote(format_path(tensor))} twice: in {format_path(seen[tensor])} and in "
                        f"{format_path(shard)}."
                    )
                seen[tensor] = shard

    def refuse_large_generation(self) -> None:
        """Raise Invalid if transformers would read a large file of how text is generated, which isn't done here."""
        if self.has(_GENERATION) and _size(self.real(_GENERATION), _GENERATION) > _LARGEST_GENERATION:
            raise Invalid(f"{_GENERATION} is larger than {format_bytes(_LARGEST_GENERATION)}: that is no model's.")

    def require_tokenizer(self) -> None:
        """Raise Invalid unless there is a tokenizer.json."""
        if not self.has(TOKENIZER):
            others = [name for name in _OTHER_TOKENIZERS if self.has(name)]
            instead = f", not from {join_words(others, 'or')}" if others else ""
            raise Invalid(f"{self.name} has no {TOKENIZER}: tokens are read from that file{instead}.")
        if _size(self.noted(TOKENIZER), TOKENIZER) > LARGEST_TOKENIZER:
            raise Invalid(f"{TOKENIZER} is larger than {format_bytes(LARGEST_TOKENIZER)}: that is no tokenizer.")

    def _lacking(self, missing: str) -> Invalid:
        """Return an error that says what the folder holds instead of a file."""
        listed = self.listed()
        if self._is_downloading(listed):
            return Invalid(f"{self.name} is only half downloaded: it has no {missing} yet.")
        if found := [name for name in listed if name.lower().endswith(".gguf")]:
            return Invalid(f"{self.name} holds GGUF ({_few(found)}), which isn't read: only safetensors are.")
        if missing == WEIGHTS and (found := [name for name in listed if name.endswith(".safetensors")]):
            return Invalid(f"{self.name} has no {WEIGHTS}, but {_few(found)}, which isn't read under that name.")
        if missing == WEIGHTS and (found := [name for name in listed if _PICKLES.fullmatch(name.lower())]):
            return Invalid(
                f"{self.name} has its weights only as a pickle ({_few(found)}), which can run code: only safetensors are "
                "read."
            )
        return Invalid(f"{self.name} has no {missing}: a model's folder holds {_NEEDED}.")

    def _is_downloading(self, listed: list[str]) -> bool:
        """Return True if a download into this folder or its repository has left a file that isn't whole."""
        if any(name.endswith(".incomplete") for name in listed):
            return True
        for folder in (self.path / ".cache" / "huggingface" / "download", *self.roots[1:2]):
            with suppress(OSError), os.scandir(folder) as entries:
                if any(entry.name.endswith(".incomplete") for entry in islice(entries, _MOST_LISTED)):
                    return True
        return False


def _size(path: Path, name: str) -> int:
    """Return the bytes of a file that is called `name`."""
    with _naming(name):
        return atomic.read_beginning(path, 0)[1]


def _few(names: list[str]) -> str:
    """Name the first of some files."""
    more = f" and {format_count(len(names) - 1, 'more file')}" if len(names) > 1 else ""
    return f"{format_path(names[0])}{more}"


# --- Do the weights fit the config? Judged by names and shapes ----------------------------------------------------------


def _check_agreement(level: Level, tensors: Mapping[str, Tensor], name: str) -> None:
    """Raise Invalid, in one sentence, if weights are quantised or disagree with the config of a model's text layers."""
    _check_types(tensors, name)
    _check_width(level, tensors, name)
    _check_layers(level, tensors, name)


def _check_unquantised(level: Level, name: str) -> None:
    """Raise Invalid if a config says that the weights are quantised."""
    if field := level.own(*_OF_QUANTISATION):
        raise _quantised(name, f"{level.where}{field} of its config.json says so")


def _quantised(name: str, how: str) -> Invalid:
    return Invalid(f"{name} has quantised weights ({how}); only weights in 16, 32 or 64 bits are read.")


def _check_types(tensors: Mapping[str, Tensor], name: str) -> None:
    for tensor, (dtype, shape) in tensors.items():
        is_small = dtype not in FLOATS and tensor.endswith(".weight") and len(shape) > 1
        if dtype in PACKED or is_small or _QUANTISED.search(tensor):
            raise _quantised(name, f"{quote(format_path(tensor))} is {dtype}")


def _check_width(level: Level, tensors: Mapping[str, Tensor], name: str) -> None:
    """Check the width of the layers, and the tokens' vectors."""
    width, field = level.whole(*D_MODEL), level.own(*D_MODEL)
    if not width or not field:
        return
    matrices = {tensor: shape for tensor, (_, shape) in tensors.items() if len(shape) > 1}
    if not any(width in shape for shape in matrices.values()):
        raise Invalid(f"{name} has no weights of the {level.where}{field} {width:,} that its config.json says.")
    widths = {width, *(found for narrower in _NARROWER if (found := level.whole(narrower)))}
    n_tokens = level.whole("vocab_size")
    for tensor, shape in matrices.items():
        if _EMBEDDINGS.search(tensor) and (shape[-1] not in widths or (n_tokens and shape[0] != n_tokens)):
            said = f"{level.where}vocab_size {n_tokens:,} and " if n_tokens else ""
            raise Invalid(
                f"{name} has {quote(format_path(tensor))} of {' × '.join(f'{size:,}' for size in shape)}, and its "
                f"config.json says {said}{level.where}{field} {width:,}."
            )


def _check_layers(level: Level, tensors: Mapping[str, Tensor], name: str) -> None:
    n_layers, field = level.whole(*_LAYERS), level.own(*_LAYERS)
    if not n_layers or level.text("model_type") == _SHARING:
        return
    n_layers -= level.listed("layer_types").count("mlp")  # Dory counts what stands between two attentions as a layer
    beyond = int(level.number(_BEYOND) or 0)
    stacks: defaultdict[str, set[int]] = defaultdict(set)
    for found in filter(None, map(_IN_LAYER.match, tensors)):  # a stack of layers, and a place in it: model.layers, 3
        stacks[found[1]].add(int(found[2]))
    if any(n_layers <= len(found) <= n_layers + beyond and max(found) == len(found) - 1 for found in stacks.values()):
        return
    most = max(stacks.values(), key=len, default=set())
    says = f"its config.json says {level.where}{field} {n_layers:,}"
    missing = next((index for index in range(n_layers) if index not in most), None)
    if most and len(most) < n_layers and missing is not None:
        raise Invalid(f"{name} lacks the weights of layer {missing}: {says}.")
    raise Invalid(f"{name} has the weights of {format_count(len(most), 'layer')}, and {says}.")
