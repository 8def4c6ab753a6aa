"""A reader sees the text's own letters, however a vocabulary spells them: bytes, word beginnings, pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.text.token_sequence import entry_of
from posenc_gui.text.tokenization import format_token, is_word, token_numbers, tokenize

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
FAMILY = "👩‍👩‍👧"


def numbered(pieces: Iterable[str]) -> dict[str, int]:
    return {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}


def byte_level() -> Tokenizer:
    """As GPT-2: bytes as letters of an alphabet, a space as Ġ."""
    merges = [("Ã", "¤"), ("Ġ", "t"), ("h", "e"), ("Ġt", "he"), ("t", "he"), ("ð", "Ł"), ("Ġ", "ðŁ"), ("Ġ", "Ġ")]
    vocab = numbered([*sorted(pre_tokenizers.ByteLevel.alphabet()), *map("".join, merges)])
    made = Tokenizer(models.BPE(vocab, merges))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.add_special_tokens(["<|endoftext|>"])
    return made


def without_decoder() -> Tokenizer:
    made = byte_level()
    made.decoder = None
    return made


def of_llama() -> Tokenizer:
    """As Llama 2: a word begins with ▁, and what is no piece is bytes, <0xF0>."""
    merges = [("t", "h"), ("th", "e"), ("▁", "the")]
    made = Tokenizer(
        models.BPE(numbered(["<unk>", *BYTES, *"▁theäls", *map("".join, merges)]), merges, byte_fallback=True)
    )
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    parts = decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)
    made.decoder = decoders.Sequence([*parts])
    return made


def unigram() -> Tokenizer:
    """As T5: a word begins with ▁."""
    made = Tokenizer(
        models.Unigram([("<unk>", -9.0), ("▁the", -1.0), ("▁", -3.0), ("the", -2.0), ("ä", -3.0)], unk_id=0)
    )
    made.pre_tokenizer, made.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    return made


def word_piece() -> Tokenizer:
    """As BERT: what goes on with a word begins with ##."""
    made = Tokenizer(
        models.WordPiece(numbered(["[UNK]", "the", "##the", "##m", "them", ",", "läste"]), unk_token="[UNK]")
    )
    made.pre_tokenizer, made.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
    return made


def of_clip() -> Tokenizer:
    """As CLIP: bytes, and a word ends with </w>."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("h", "e"), ("h", "e</w>"), ("t", "he</w>"), ("t", "he")]
    vocab = numbered([*letters, *(f"{one}</w>" for one in letters), *map("".join, merges)])
    made = Tokenizer(models.BPE(vocab, merges, end_of_word_suffix="</w>"))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    return made


KINDS: dict[str, Callable[[], Tokenizer]] = {
    made.__name__: made for made in (byte_level, without_decoder, of_llama, unigram, word_piece, of_clip)
}
READS: list[tuple[str, str, str]] = [
    ("byte_level", "é 日", "é 1/2·é 2/2·␣·日 1/3·日 2/3·日 3/3"),
    ("without_decoder", "é 日", "é 1/2·é 2/2·␣·日 1/3·日 2/3·日 3/3"),
    ("byte_level", "läs", "l·ä·s"),
    ("byte_level", "s the the", "s·the·the"),
    ("byte_level", "the the", "the·␣the"),
    ("byte_level", "s  the\n", "s·␣·the·␊"),
    ("byte_level", "s   the", "s·␣␣·the"),
    ("byte_level", "🦊", "🦊 1/3·🦊 2/3·🦊 3/3"),
    ("byte_level", "🦊 🦊", "🦊 1/3·🦊 2/3·🦊 3/3·␣🦊 1/3·🦊 2/3·🦊 3/3"),
    ("byte_level", "\N{IDEOGRAPHIC SPACE}", "U+3000 1/3·U+3000 2/3·U+3000 3/3"),
    ("byte_level", "💒", "💒 1/3·💒 2/3·💒 3/3"),
    ("byte_level", "هـ", "ه 1/2·ه 2/2·ـ 1/2·ـ 2/2"),
    ("byte_level", FAMILY, "·".join(f"{FAMILY} {part}/15" for part in range(1, 16))),
    ("byte_level", "s<|endoftext|>", "s·<|endoftext|>"),
    ("byte_level", "\N{REPLACEMENT CHARACTER}", "� 1/3·� 2/3·� 3/3"),
    ("of_llama", "the the", "the·the"),
    ("of_llama", "läs 🦊", "␣·l·ä·s·␣·🦊 1/4·🦊 2/4·🦊 3/4·🦊 4/4"),
    ("of_llama", "the日the", "␣the·日 1/3·日 2/3·日 3/3·the"),
    ("unigram", "the the", "the·the"),
    ("unigram", "theä ä the", "the·ä·␣·ä·the"),
    ("unigram", "thethe", "␣the·the"),
    ("word_piece", "läste them , thethe", "läste·them·,·␣the·the"),
    ("word_piece", "the 🦊", "the·[UNK]"),
    ("of_clip", "the", "the"),
    ("of_clip", "theä", "the·ä 1/2·ä 2/2"),
]


@pytest.fixture
def save(tmp_path: Path) -> Callable[[str], str]:
    def saved(kind: str) -> str:
        path = tmp_path / f"{kind}.json"
        KINDS[kind]().save(str(path))
        return str(path)

    return saved


@pytest.mark.parametrize(("kind", "text", "read"), READS, ids=[f"{kind} {text!a}" for kind, text, _ in READS])
def test_tokens_are_the_letters_of_their_text(kind: str, text: str, read: str, save: Callable[[str], str]) -> None:
    path = save(kind)
    tokens = tokenize(text, path)
    assert [format_token(token) for token in tokens] == read.split("·")
    assert list(token_numbers(tokens, path)) == KINDS[kind]().encode(text).ids


@pytest.mark.parametrize("kind", KINDS)
def test_two_tokens_look_alike_only_if_they_are_one(kind: str, save: Callable[[str], str]) -> None:
    path = save(kind)
    for text in (
        "the the thethe lä them\n the  the",
        "日 日日 é é e\u0301 🦊🦁 💒",
        f"the{FAMILY} {FAMILY}the",
        "القطة",
    ):
        tokens = tokenize(text, path)
        assert len({*tokens}) == len({(token, entry_of(token)) for token in tokens})
        for token in tokens:
            assert not {"Ġ", "Ċ", "▁", "#", "Ã"} & {*token}
            assert not token.startswith("<0x")
            assert "</w>" not in token


def test_bytes_of_a_letter_are_no_repeated_word(save: Callable[[str], str]) -> None:
    session = pe.Session(text="💒 the s the s the", tokenizer=save("byte_level"))
    assert session.tokens == ("💒 1/3", "💒 2/3", "💒 3/3", "the", "␣", "s", "the", "␣", "s", "the")
    assert entry_of(session.tokens[1]) == entry_of(session.tokens[2])  # the same byte
    assert session.scene.sentence.twins == {3, 4, 5, 6, 7, 8, 9}
    assert [is_word(token) for token in session.tokens[1:6]] == [False, False, True, False, True]
    figure = pe.plot("attention", session)
    assert figure.panels[0].rows.labels == session.tokens
    assert "💒 3/3 gives both s" in "".join(run.text for run in figure.headline)


def test_a_word_with_its_space_and_without_it_are_two_in_everything_computed(save: Callable[[str], str]) -> None:
    path = save("byte_level")
    joined, apart = (pe.Session(text=text, tokenizer=path) for text in ("sthe", "s the"))
    assert [*map(str, joined.tokens)] == [*map(str, apart.tokens)] == ["s", "the"]
    assert joined.tokens != apart.tokens
    engine = Engine()
    weights = [pe.attend(one, engine).probabilities for one in (joined, apart)]
    assert (weights[0] != weights[1]).any()


def test_a_typed_vector_is_of_the_token_as_its_vocabulary_has_it_or_as_it_looks(save: Callable[[str], str]) -> None:
    path = save("byte_level")
    for name in ("Ġthe", "the"):
        model = pe.ToyModel(d_model=2, n_heads=1, vectors=((name, (3.0, 4.0)),))
        session = pe.Session(text="s the", tokenizer=path, model=model)
        assert model.embed(session.tokens)[1].tolist() == [3.0, 4.0]


def test_exports_have_no_spelling_of_a_vocabulary(save: Callable[[str], str], tmp_path: Path) -> None:
    session = pe.Session(text="läs the 🦊", tokenizer=save("byte_level"))
    for name in ("attention.csv", "attention.json", "attention.svg"):
        text = pe.plot("attention", session).save(tmp_path / name).read_text()
        assert "Ġ" not in text
        assert "Ã" not in text
    assert "🦊 2/3" in (tmp_path / "attention.csv").read_text()
