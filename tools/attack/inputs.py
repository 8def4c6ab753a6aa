"""Inputs: what can be opened, pasted and appended to, hostile or just below a limit, and what each takes to be dealt with."""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit

import posenc_gui as pe
from posenc_gui import cli
from posenc_gui.app.export.export_process import request_figure
from posenc_gui.checkpoints import config_json
from posenc_gui.foundation.files import embedded_session, share_string
from posenc_gui.session import bookmarks
from posenc_gui.session.session import LARGEST_SHARED
from posenc_gui.text import tokenization
from tools.attack import mutations
from tools.attack.child import COLD, PATIENCE, Child
from tools.attack.outcome import HANG, LOST, UNSAID, Outcome
from tools.attack.window import Player, play

Make = Callable[[random.Random, Path], str]  # makes an input in a folder; returns its path, or the text itself

_HEAD = {"format": "posenc-gui session", "version": 2, "written_by": "0.1.0"}
_LLAMA = {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2}
_LAYERED = {**_LLAMA, "model_type": "gemma3_text", "head_dim": 64, "sliding_window": 8}
_PRESENTED = "ppt/presentation.xml"
_MOST_XML = 49_000_000  # bytes: a deck's XML may unpack to 50 MB
_MOST_DECK = 190_000_000  # bytes of a deck, which may be 200 MB
_PASTE, _ALL = Qt.Key.Key_V, Qt.Key.Key_A


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Give a random input to the command line or to a window."""
    return give(*rng.choice([*pairs()]), rng, folder)


def pairs() -> Iterator[tuple[str, str, str]]:
    """Yield each kind of input with each name of it and each door that it has."""
    for kind, makes in KINDS.items():
        for name in makes:
            for door in _doors(kind):
                yield kind, name, door


def give(kind: str, name: str, door: str, rng: random.Random, folder: Path) -> Outcome:
    """Give one input, and measure what it takes. A deck that isn't appended to must stay, and whatever is refused is told."""
    (folder / "files").mkdir()
    given = KINDS[kind][name](rng, folder / "files")
    what, outcome = f"{kind}, {name} → {door}", Outcome()
    deck = Path(given).read_bytes() if kind == "deck" else b""
    if door == "cli":
        out = given if kind == "deck" else str(folder / "out.csv")
        child = Child(folder / "cli", by_cli, *_words(kind, given), "--out", out)
    else:
        child = Child(folder / "window", by_window, kind, given, str(folder))
    if door == "window" and not child.waits_for("ready", COLD):
        outcome.add(HANG, f"{what}: the window doesn't come up")
    ended = child.end(COLD)
    outcome.judge(ended, what, (0, 2) if door == "cli" else (0,))
    outcome.judge_pauses(ended, what)
    told = ended.err.splitlines() if door == "cli" else [*ended.said("said"), *ended.said("exported")]
    for sentence in told:
        outcome.judge_sentence(sentence, what)
    if door == "cli" and ended.status == 2 and len(told) != 1:
        outcome.add(UNSAID, f"{what}: {len(told)} lines on standard error")
    if door == "window":
        outcome.judge_silence(ended, what)
    if deck and Path(given).read_bytes() != deck and not _is_longer(Path(given).read_bytes(), deck):
        outcome.add(LOST, f"{what}: the deck is neither the old one nor that with a slide more")
    outcome.judge_logs(folder, what)
    outcome.judge_strays(folder, what)
    outcome.met = int(bool(told))
    outcome.seconds, outcome.megabytes = float(next(iter(ended.said("took")), ended.seconds)), ended.megabytes
    return outcome


def _doors(kind: str) -> tuple[str, ...]:
    return ("window",) if kind == "number" else ("cli", "window")


def _is_longer(deck: bytes, before: bytes) -> bool:
    counts = []
    for one in (deck, before):
        with zipfile.ZipFile(io.BytesIO(one)) as whole:
            counts.append(sum(bool(re.fullmatch(r"ppt/slides/slide\d+\.xml", name)) for name in whole.namelist()))
    return counts[0] == counts[1] + 1


# --- Doors ------------------------------------------------------------------------------------------------------------


def by_cli(*arguments: str) -> int:
    """Run the command line. Runs in a child process."""
    return cli.main(arguments)


def _words(kind: str, given: str) -> list[str]:
    match kind:
        case "deck":
            return ["export", "waves", "--append"]
        case "text":
            return ["export", "waves", "--text", given]
        case _:
            return ["export", "waves", "--session", given]


def by_window(kind: str, given: str, folder: str) -> int:
    """Give an input to a window at rest, wait until it is dealt with, save, and close. Runs in a child process."""
    return play(partial(_give, kind=kind, given=given, folder=Path(folder)))


def _give(player: Player, kind: str, given: str, folder: Path) -> Iterator[float]:
    yield from player.come_up()
    yield from player.rest(COLD)
    player.say("giving")
    yield from player.time(_HANDS[kind](player, given), PATIENCE)
    player.say("saving")
    player.choose("save_as", str(folder / "saved.json"))
    yield 0.5
    player.say("closing")
    player.stop()
    player.window.close()


def _drop(player: Player, given: str) -> Iterator[float]:
    before = player.window.workbench.store.session
    player.window.dropped.emit(Path(given), "")
    yield from player.until(lambda: player.told or player.window.workbench.store.session != before, COLD)


def _paste_share(player: Player, given: str) -> Iterator[float]:
    before = player.window.workbench.store.session
    QApplication.clipboard().setText(given)
    player.choose("paste_share")
    yield from player.until(lambda: player.told or player.window.workbench.store.session != before, COLD)


def _paste_text(player: Player, given: str) -> Iterator[float]:
    edit = player.window.workbench.tokens.text_edit
    QApplication.clipboard().setText(given)
    QTest.keyClick(edit, _ALL, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(edit, _PASTE, Qt.KeyboardModifier.ControlModifier)
    yield 0.5


def _paste_numbers(player: Player, given: str) -> Iterator[float]:
    """Paste into each field for a number, and into each of the first tokens' vectors."""
    player.window.cards["model"].bring()
    player.window.workbench.store.propose(encoding="rope")
    yield from player.rest(COLD)
    fields = [box.findChild(QLineEdit) for box in player.window.findChildren(QAbstractSpinBox)]
    QApplication.clipboard().setText(given)
    for field in fields:
        if field and field.isVisible() and field.isEnabled():
            field.setFocus()
            field.selectAll()
            QTest.keyClick(field, _PASTE, Qt.KeyboardModifier.ControlModifier)
            QTest.keyClick(field, Qt.Key.Key_Return)
            yield 0.0
    model = player.window.workbench.store.session.model
    player.window.workbench.store.propose(model=model.model_copy(update={"d_model": 8, "n_heads": 1, "d_head": None}))
    yield from player.rest(COLD)
    table = player.window.workbench.model.vectors.table
    for row in range(table.rowCount()):
        if item := table.item(row, 0):
            item.setText(given)
            yield 0.0


def _append(player: Player, given: str) -> Iterator[float]:
    exporter, told = player.window.workbench.exporter, list[str]()
    figure = player.window.workbench.plots["attention"].view.figure()
    assert figure

    def tell(sentence: str) -> None:
        print(f"exported {sentence}")
        told.append(sentence)

    exporter.save([request_figure(figure)], Path(given), {"append": True}, tell, tell)
    yield from player.until(lambda: told, COLD)


_HANDS: dict[str, Callable[[Player, str], Iterator[float]]] = {
    "deck": _append,
    "figure": _drop,
    "model": _drop,
    "share": _paste_share,
    "text": _paste_text,
    "session": _drop,
    "bookmarks": _drop,
    "arrangement": _drop,
    "number": _paste_numbers,
}

# --- Decks to append to -----------------------------------------------------------------------------------------------


def _deck(change: Callable[[random.Random, bytes], bytes]) -> Make:
    def make(rng: random.Random, folder: Path) -> str:
        path = pe.plot("waves", pe.Session()).save(folder / "it.pptx")
        path.write_bytes(change(rng, path.read_bytes()))
        return str(path)

    return make


def _with_parts(deck: bytes, parts: dict[str, bytes], packed: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a deck with these parts in place of its own, or beside them."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(deck)) as before, zipfile.ZipFile(made, "w") as after:
        for name in before.namelist():
            if name not in parts:
                after.writestr(name, before.read(name), zipfile.ZIP_DEFLATED)
        for name, content in parts.items():
            after.writestr(name, content, packed)
    return made.getvalue()


def _presented(deck: bytes, change: Callable[[bytes], bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(deck)) as whole:
        return _with_parts(deck, {_PRESENTED: change(whole.read(_PRESENTED))})


_LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (n, b"&l%d;" % (n - 1) * 10 if n else b"ha" * 10) for n in range(10))

DECKS: dict[str, Make] = {
    "sound": _deck(lambda _, deck: deck),
    "cut short": _deck(mutations.cut),
    "some bits turned": _deck(mutations.flipped),
    "a gigabyte in custom parts": _deck(mutations.parts),
    "400,000 entries": _deck(mutations.entries),
    "entities in entities": _deck(
        lambda _, deck: _presented(deck, lambda xml: xml.replace(b"?>", b"?><!DOCTYPE p [" + _LAUGHS + b"]>", 1))
    ),
    "names outside": _deck(lambda _, deck: _with_parts(deck, {"../../../outside.xml": b"<x/>", "/it": b"x"})),
    "nested 100,000 deep": _deck(
        lambda _, deck: _with_parts(deck, {"ppt/slides/slide1.xml": b"<a>" * 100_000 + b"</a>" * 100_000})
    ),
    "XML just below the limit": _deck(
        lambda _, deck: _with_parts(deck, {"ppt/extra.xml": b"<x>" + b"a" * _MOST_XML + b"</x>"})
    ),
    "media just below the limit": _deck(
        lambda _, deck: _with_parts(deck, {"ppt/media/film.mp4": bytes(_MOST_DECK)}, zipfile.ZIP_STORED)
    ),
}

# --- Exported figures -------------------------------------------------------------------------------------------------


def _figure(tail: Callable[[], bytes], suffix: str = ".gif") -> Make:
    def make(_rng: random.Random, folder: Path) -> str:
        path = pe.plot("waves", pe.Session()).save(folder / f"it{suffix}")
        path.write_bytes(path.read_bytes() + tail())
        return str(path)

    return make


def _comment(content: bytes) -> bytes:
    """Return a GIF's comment."""
    blocks = (content[at : at + 255] for at in range(0, len(content), 255))
    return b"!\xfe" + b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"


def _marked(session: str) -> bytes:
    return embedded_session.session_marker(session).encode()


def _session_text(**fields: object) -> str:
    return json.dumps({**_HEAD, "session": fields})


_LONG_TEXT = "word " * (tokenization.MAX_CHARACTERS // 5)

FIGURES: dict[str, Make] = {
    "sound GIF": _figure(bytes),
    "GIF with another session in a comment": _figure(lambda: _comment(_marked(_session_text(text="a b")))),
    "GIF with 30 MB of comments": _figure(lambda: _comment(b"x" * 30_000_000)),
    "GIF with a million broken marks": _figure(lambda: b"posenc-gui-session:" * 1_000_000),
    "GIF with the longest text": _figure(lambda: _marked(_session_text(text=_LONG_TEXT))),
    "GIF with a session just below the limit": _figure(
        lambda: _marked(_session_text(text="a b") + " " * (embedded_session.LARGEST - 1000))
    ),
    "GIF with markup for a text": _figure(lambda: _marked(_session_text(text=mutations.TEXTS["markup"]))),
    "NPZ with a million broken marks": _figure(lambda: b"posenc-gui-session:" * 1_000_000, ".npz"),
}

# --- Models' configs --------------------------------------------------------------------------------------------------


def _config(**fields: Any) -> Make:
    return _written("config.json", lambda: json.dumps({**_LLAMA, **fields}).encode())


def _layered(**fields: Any) -> Make:
    return _written("config.json", lambda: json.dumps({**_LAYERED, **fields}).encode())


def _written(name: str, content: Callable[[], bytes]) -> Make:
    def make(_rng: random.Random, folder: Path) -> str:
        (folder / name).write_bytes(content())
        return str(folder / name)

    return make


def _nested(levels: int) -> dict[str, Any]:
    return {**_LLAMA, "text_config": _nested(levels - 1)} if levels else _LLAMA


_LONGROPE = {"rope_type": "longrope", "original_max_position_embeddings": 4096}

CONFIGS: dict[str, Make] = {
    "sound": _config(),
    "100,000 brackets": _written("config.json", lambda: b'{"model_type": "llama", "a": ' + b"[" * 100_000),
    "configs in configs": _written("config.json", lambda: json.dumps(_nested(90)).encode()),
    "a width of 2^53": _config(hidden_size=2**53),
    "a width of 10^400": _config(hidden_size=10**400),
    "as many heads as dimensions": _config(hidden_size=4096, num_attention_heads=4096),
    "a base of 1e308": _config(rope_theta=1e308),
    "a base of 5e-324": _config(rope_theta=5e-324),
    "infinity": _config(rope_theta=float("inf")),
    "a factor of 1e-300": _config(rope_scaling={"rope_type": "linear", "factor": 1e-300}),
    "a length of 2^53": _config(max_position_embeddings=2**53),
    "text for numbers": _config(hidden_size="256", num_attention_heads="four", rope_theta="1e4"),
    "lists for numbers": _config(hidden_size=[256], num_attention_heads={"a": 4}),
    "numbers for groups": _config(rope_scaling=4, rope_parameters=[1], text_config=7),
    "truth for numbers": _config(hidden_size=True, num_attention_heads=False),
    "too few per_layer_config": _layered(num_hidden_layers=30, per_layer_config=[{"head_dim": 32}]),
    "too many per_layer_config": _layered(num_hidden_layers=2, per_layer_config=[{"head_dim": 32}] * 50_000),
    "per_layer_config of anything": _layered(per_layer_config=[None, 7, "x", [], {"head_dim": "x"}]),
    "a million layer_types": _layered(layer_types=["f"] * 1_000_000),
    "layer_types of lists": _layered(layer_types=[["full_attention"], 7, None]),
    "as many factors as the limit holds": _config(
        rope_scaling={**_LONGROPE, "short_factor": [1.5] * 400_000, "long_factor": [1.5] * 400_000}
    ),
    "a name of a megabyte": _config(model_type="n" * 1_000_000),
    "lone surrogates": _config(model_type="\ud800", rope_scaling={"rope_type": "\udfff"}),
    "markup": _config(model_type=mutations.TEXTS["markup"], _name_or_path=mutations.TEXTS["bidi"]),
    "just below the limit": _config(other="x" * (config_json.LARGEST - 1000)),
}

# --- Share strings ----------------------------------------------------------------------------------------------------


def _shared(text: Callable[[], str]) -> Make:
    return lambda _rng, _folder: text()


def _share(content: str) -> str:
    return share_string.encode_share_string(content)


SHARES: dict[str, Make] = {
    "sound": _shared(lambda: pe.Session(text="dog bites man").share()),
    "cut short": _shared(lambda: pe.Session(text="dog bites man").share()[:-9]),
    "a letter changed": _shared(lambda: pe.Session().share()[:-1] + "2"),
    "two in a mail": _shared(lambda: f"> {pe.Session(text='a b').share()}\n> {pe.Session(text='c d').share()}"),
    "with marks of direction": _shared(lambda: "\u202e" + pe.Session(text="a b").share() + "\u202c"),
    "a gigabyte unpacked": _shared(lambda: _share("0" * 10**9)),
    "just below the limit": _shared(lambda: _share(_session_text(text="a b") + " " * (LARGEST_SHARED - 1000))),
    "the longest text": _shared(lambda: pe.Session(text=_LONG_TEXT).share()),
    "16 million letters": _shared(lambda: share_string.MARK + "a" * (2 * LARGEST_SHARED - 100)),
    "a million marks": _shared(lambda: share_string.MARK * 1_000_000),
    "no session": _shared(lambda: _share("[]")),
    "another file": _shared(lambda: _share('{"format": "posenc-gui lab record", "version": 2}')),
}

# --- Texts ------------------------------------------------------------------------------------------------------------

TEXTS: dict[str, Make] = {
    name: _shared(partial(str, text))
    for name, text in {
        "a word of 50,000 letters": "x" * 50_000,
        "right to left": "\u202e" + "שלום עולם " * 50 + "\u202c abc \u2067123\u2069 مرحبا",
        "joiners of no width": "a\u200db\u200cc\u2060d " * 2000,
        "lone surrogates": "\ud800 x \udfff y",
        "NUL": "a\0b c\0",
        "towers of marks": ("e" + "\u0301" * 500 + " ") * 100,
        "controls": mutations.TEXTS["control"],
        "joined emoji": "👨‍👩‍👧‍👦" * 300,
        "131,072 words": "the cat " * (tokenization.MAX_TOKENS // 2),
        "as many words as the limit holds": _LONG_TEXT,
        "one word just below the limit": "x" * (tokenization.MAX_CHARACTERS - 1),
        "markup": mutations.TEXTS["markup"],
    }.items()
}

# --- Sessions, bookmarks and arrangements -----------------------------------------------------------------------------


def _beside(session: dict[str, Any] | None = None, **parts: object) -> Make:
    content = {**_HEAD, "session": session or {"text": "dog bites man"}, **parts}
    return _written("it.json", lambda: json.dumps(content).encode())


def _bookmark(**fields: object) -> dict[str, object]:
    return {"name": "one", "session": {"text": "a b"}, **fields}


_SHARE_OF_EACH = bookmarks.LARGEST // bookmarks.MOST - 500  # bytes of a bookmark

SESSIONS: dict[str, Make] = {
    "the longest text": _beside({"text": _LONG_TEXT}),
    "131,072 words backwards": _beside(
        {"text": "the cat " * (tokenization.MAX_TOKENS // 2), "order": [*range(tokenization.MAX_TOKENS)][::-1]}
    ),
    "an order of text": _beside({"order": ["0"] * 1000}),
    "50 MB of spaces": _written("it.json", lambda: _session_text(text="a b").encode() + b" " * 49_999_000),
    "1.6 million values": _beside({"order": [0] * 1_600_000}),
}

BOOKMARKS: dict[str, Make] = {
    "a hundred, just below the limit": _beside(
        bookmarks=[_bookmark(session={"text": "word " * (_SHARE_OF_EACH // 5)})] * bookmarks.MOST
    ),
    "a thousand": _beside(bookmarks=[_bookmark()] * 1000),
    "names and notes too long": _beside(bookmarks=[_bookmark(name="n" * 100_000, note="x" * 100_000)] * 3),
    "marks of direction and NUL": _beside(bookmarks=[_bookmark(name="\u202ea\0b", note="\u2066x\ud800")]),
    "each the longest text": _beside(bookmarks=[_bookmark(session={"text": _LONG_TEXT})] * 5),
    "no plot": _beside(bookmarks=[_bookmark(plot="gone"), _bookmark(plot=7), _bookmark(plot=["waves"])]),
    "no session": _beside(bookmarks=[{}, None, 7, "x", [], {"session": None}] * 20),
    "in each other": _beside(bookmarks=[_bookmark(bookmarks=[_bookmark()])]),
    "not a list": _beside(bookmarks={"0": _bookmark()}),
}


def _deep_area(levels: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"tabs": ["plot.waves"]}
    for level in range(levels):
        inner = {"down" if level % 2 else "across": [inner, {"tabs": ["plot.attention"]}]}
    return inner


ARRANGEMENTS: dict[str, Make] = {
    "a hundred areas across": _beside(arrangement={"across": [{"tabs": ["plot.waves"]}] * 100}),
    "every card a hundred times": _beside(
        arrangement={"down": [{"tabs": [f"plot.{name}" for name in pe.plots()]}] * 100}
    ),
    "60 areas deep": _beside(arrangement=_deep_area(60)),
    "300 areas deep": _beside(arrangement=_deep_area(300)),
    "just below the limit": _beside(arrangement={"across": [{"tabs": ["plot.waves", "x" * 960]}] * 99}),
    "no cards": _beside(arrangement={}),
    "unknown cards": _beside(arrangement={"tabs": ["plot.gone", "\0", "\u202e", "x" * 5000]}),
    "shares of one and of 100,000": _beside(
        arrangement={"across": [{"share": 1, "tabs": ["tokens"]}, {"share": 100_000, "tabs": ["plot.waves"]}]}
    ),
    "no shares": _beside(arrangement={"across": [{"share": 0, "tabs": ["tokens"]}, {"share": -1}]}),
    "across and tabs": _beside(arrangement={"across": [{}], "tabs": ["tokens"]}),
    "the headline's own card": _beside(arrangement={"tabs": ["lab", "tokens", "code", "model", "encoding"]}),
}

# --- Pasted numbers ---------------------------------------------------------------------------------------------------

NUMBERS: dict[str, Make] = {
    repr(text[:16]): _shared(partial(str, text))
    for text in (
        *("1,5", "1.234,56", "1 000", "1_000", "1e999", "5e-324", "-0", "−5", "inf", "nan", "0x10", "½", "10^4"),
        *("٣", "１２", "\u202e21", "12\0", "5\n6\n7", "1\t2\t3\n4\t5\t6", "9" * 100_000, "1 " * 500_000, ""),
    )
}

KINDS: dict[str, dict[str, Make]] = {
    "deck": DECKS,
    "figure": FIGURES,
    "model": CONFIGS,
    "share": SHARES,
    "text": TEXTS,
    "session": SESSIONS,
    "bookmarks": BOOKMARKS,
    "arrangement": ARRANGEMENTS,
    "number": NUMBERS,
}
