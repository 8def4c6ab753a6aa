"""Hostile inputs: damaged or malicious files and options, given to the API, the command line and the window."""

from __future__ import annotations

import ast
import json
import random
import shutil
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from posenc_gui import cli
from posenc_gui.app.state.sealed_file import SealedFile, digest_of_program
from posenc_gui.app.state.window_slots import WindowSlot
from posenc_gui.foundation.files import embedded_session
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition import parse
from posenc_gui.labs.definition.record import Record
from posenc_gui.text import tokenization
from tools.attack import mutations
from tools.attack.child import PATIENCE, Child, Ended
from tools.attack.outcome import HANG, LOST, UNSAID, Outcome
from tools.attack.tokenizers import TOKENIZERS
from tools.attack.window import Player, come_up_and_close, play, starts_again

_ROOT = Path(__file__).parents[2]
_RECORDED = _ROOT / "tests" / "recorded" / "format-2"
_LABS = _ROOT / "resources" / "labs"

_FIGURES = ("figure.png", "figure.svg", "figure.pdf", "figure.npz")
_SESSIONS = ("plain.json", "rich.json", "rope-1.json", "shaw-1.json")
_RECORDS = ("record.json", "report.json")

WAYS = mutations.BYTES | mutations.LARGE

# Where each kind of input can be given.
DOORS = {
    "session": ("api", "cli", "window"),
    "figure": ("api", "cli", "window"),
    "tokenizer": ("api", "cli", "window"),
    "lab": ("api", "cli", "window"),
    "record": ("api", "window"),
    "config": ("window",),
    "kept": ("window",),
    "out": ("cli",),
    "option": ("cli",),
}


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Give a random hostile input to the API, the command line or the window."""
    kind = rng.choice([*DOORS])
    door = rng.choice(DOORS[kind])
    if kind in ("out", "option"):
        return _attack_options(rng, folder, kind)
    if kind == "config":
        return _attack_config(rng, folder)
    if kind == "kept":
        return _attack_kept(rng, folder)
    path, how = make(rng, kind, folder / "files")
    outcome, what = Outcome(), f"{kind} {how} → {door}"
    if door == "api":
        _judge_api(Child(folder / "api", by_api, kind, str(path)).end(), path, outcome, what)
    elif door == "cli":
        out = folder / "out.csv"
        arguments = {
            "lab": ["lab", "check", str(path)],
            "tokenizer": ["export", "attention", "--set", f"tokenizer={path}", "--out", str(out)],
        }.get(kind, ["export", "attention", "--session", str(path), "--out", str(out)])
        _judge_cli(Child(folder / "cli", by_cli, *arguments).end(), out, outcome, what)
    else:
        _judge_window(Child(folder / "window", by_window, kind, str(path), str(folder)), folder, outcome, what)
    outcome.judge_strays(folder, what)
    return outcome


# --- Files ------------------------------------------------------------------------------------------------------------


def make(rng: random.Random, kind: str, folder: Path, ways: Mapping[str, mutations.Bytes] = WAYS) -> tuple[Path, str]:
    """Make a hostile file of a kind, its bytes changed in one of these ways; return its path and what is hostile about it."""
    folder.mkdir(parents=True)
    name = rng.choice([*mutations.NAMES])
    suffix = {"figure": rng.choice(_FIGURES)[-4:], "lab": ".md"}.get(kind, ".json")
    path = folder / f"{mutations.NAMES[name] if rng.random() < 0.3 else 'it'}{suffix}"
    if kind == "tokenizer" and rng.random() < 0.6:
        which = rng.choice([*TOKENIZERS])
        path.write_text(json.dumps(TOKENIZERS[which]), encoding="utf-8")
        return path, f"{which!r} in {path.name!r}"
    base = _base(rng, kind, suffix)
    return path, f"{_put(rng, path, base, ways)} in {path.name!r}"


def _base(rng: random.Random, kind: str, suffix: str) -> bytes:
    match kind:
        case "session":
            return (_RECORDED / rng.choice(_SESSIONS)).read_bytes()
        case "figure":
            return (_RECORDED / f"figure{suffix}").read_bytes()
        case "lab":
            return rng.choice(sorted(_LABS.glob("*.md"))).read_bytes()
        case "record":
            return (_RECORDED / rng.choice(_RECORDS)).read_bytes()
        case _:
            return json.dumps(TOKENIZERS["sound"]).encode()


def _put(rng: random.Random, path: Path, base: bytes, ways: Mapping[str, mutations.Bytes]) -> str:
    """Write a file with mutated bytes or values, or a hostile thing in its place; return which mutation it is."""
    way = rng.choice(("bytes", "values", "values", "file"))
    if way == "file":
        put = rng.choice([*mutations.FILES])
        mutations.FILES[put](path)
        return put
    values = base if base.startswith(b"{") else embedded_session.find_session(base)
    if way == "values" and values is not None:
        document, how = mutations.mutated(rng, json.loads(values))
        changed = mutations.text_of(document)
        if not base.startswith(b"{"):  # the last marker in a file is the one that counts
            changed = base + embedded_session.session_marker(changed.decode()).encode()
        path.write_bytes(changed)
        return how
    how = rng.choice([*ways])
    path.write_bytes(ways[how](rng, base))
    return how


# --- Doors ------------------------------------------------------------------------------------------------------------


def by_api(kind: str, path: str) -> int:
    """Use a file as a script does. Print a refusal; any other exception ends in a traceback. Runs in a child process."""
    import posenc_gui as pe

    try:
        if kind == "lab":
            parse.load(Path(path))
        elif kind == "record":
            Record.load(Path(path))
        elif kind == "tokenizer":
            print(len(tokenization.tokenize("the cat sat on the mat", path)))
        else:
            session = pe.Session.load(path)
            if pe.Session.from_json(session.to_json()) != session:
                print("lost")
            pe.plot("attention", session)
    except (ValueError, OSError) as refusal:
        print(f"refused {str(refusal)!r}")
    return 0


def by_cli(*arguments: str) -> int:
    """Run the command line; lone surrogates stand for bytes that are not UTF-8, as in a real one."""
    return cli.main(arguments)


def by_window(kind: str, path: str, folder: str) -> int:
    """Open a file in the window, save the session, and close the window. Runs in a child process."""
    if kind == "tokenizer":
        session = {"format": "posenc-gui session", "version": 2, "session": {"tokenizer": path}}
        path = str(Path(folder) / "session.json")
        Path(path).write_text(json.dumps(session), encoding="utf-8")
    opened = () if kind in ("config", "kept", "record") else ("open", path)
    return play(partial(_use, kind=kind, path=Path(path), saved=str(Path(folder) / "saved.json")), *opened)


def _use(player: Player, kind: str, path: Path, saved: str) -> Iterator[float]:
    yield from player.come_up()
    window = player.window
    assert window.labs
    if kind == "record":
        player.say("reports of a class")
        window.labs.show_reports_in(path.parent)
    elif kind == "lab":
        player.say("folder of labs")
        window.labs.show_folder(path.parent)
    yield 0.3
    yield from player.rest(PATIENCE / 2)
    player.say("saving")
    player.choose("save_as", saved)
    yield 0.5
    player.say("closing")
    player.stop()
    window.close()


# --- Judging ----------------------------------------------------------------------------------------------------------


def _judge_api(ended: Ended, path: Path, outcome: Outcome, what: str) -> None:
    outcome.judge(ended, what)
    outcome.met = int(bool(ended.said("refused")))
    for refusal in ended.said("refused"):
        said = ast.literal_eval(refusal)
        if not said.strip() or ("\n" in said and "\n" not in path.name):
            outcome.add(UNSAID, f"{what}: {refusal[:200]}")
    if ended.said("lost"):
        outcome.add(LOST, f"{what}: written and read it is another session")


def _judge_cli(ended: Ended, out: Path, outcome: Outcome, what: str) -> None:
    outcome.judge(ended, what, (0, 2))
    if ended.hung or ended.status not in (0, 2):
        return
    outcome.met = int(ended.status == 2)
    lines = ended.err.splitlines()
    if ended.status == 2 and len(lines) != 1:
        outcome.add(UNSAID, f"{what}: {format_count(len(lines), 'line')} on standard error: {ended.err[:200]!r}")
    told = ended.out.splitlines() if ended.status == 2 else []  # else it is the path, unescaped for scripts
    for line in (*lines, *told):
        outcome.judge_sentence(line, what)
    if ended.status == 2 and out.is_file():
        outcome.add(LOST, f"{what}: it failed, and {out.name} was written")


def _judge_window(child: Child, folder: Path, outcome: Outcome, what: str) -> None:
    """Note if the window neither comes up nor says on one line why not, prints errors, or doesn't come up again."""
    if child.waits_for("ready"):
        ended = child.end(2 * PATIENCE)
        outcome.judge(ended, what)
        outcome.judge_silence(ended, what)
        for said in ended.said("said"):
            outcome.judge_sentence(said, what)
        outcome.judge_pauses(ended, what)
        outcome.met = int(bool(ended.said("said")))
    else:
        ended = child.end(0)
        outcome.met = int(ended.status == 2)
        if ended.hung:
            outcome.add(HANG, f"{what}: it doesn't come up")
        elif ended.status == 2 and len(ended.err.splitlines()) == 1:
            outcome.judge_sentence(ended.err.rstrip("\n"), what)
        else:
            outcome.judge(ended, what)
    outcome.judge_logs(folder, what)
    starts_again(folder, outcome, what)


# --- The folder of settings, and options of the command line ----------------------------------------------------------


def _attack_config(rng: random.Random, folder: Path) -> Outcome:
    """Start a window with one of its settings files or folders mutated."""
    home, outcome = folder.parent / "home", Outcome()
    if not home.exists():
        outcome.judge(Child(home / "first", begin_a_lab).end(), "a window that begins a lab")
    shutil.copytree(home / "config", folder / "config")
    path = rng.choice(sorted((folder / "config").rglob("*")))
    name = str(path.relative_to(folder))
    if path.is_dir():
        shutil.rmtree(path)
        put = rng.choice([*mutations.FILES])
        mutations.FILES[put](path)
    else:
        base = path.read_bytes()
        path.unlink()
        put = _put(rng, path, base, WAYS)
    what = f"config {put} in {name!r} → window"
    _judge_window(Child(folder / "window", by_window, "config", str(path), str(folder)), folder, outcome, what)
    outcome.judge_strays(folder, what)
    return outcome


def _attack_kept(rng: random.Random, folder: Path) -> Outcome:
    """Start a window whose kept pictures or figures are mutated, mostly under a seal that holds."""
    home, outcome = folder.parent / "kept", Outcome()
    if not home.exists():
        outcome.judge(Child(home / "first", come_up_and_close).end(), "a window that keeps its pictures")
    shutil.copytree(home / "config", folder / "config")
    path = rng.choice(sorted((folder / "config").rglob("*.kept")))
    whole = path.read_bytes()
    if rng.random() < 0.3:
        path.unlink()
        put = _put(rng, path, whole, WAYS)
    else:
        seal = whole.index(b"{")
        changed, put = _changed_kept(rng, whole[seal:])
        path.write_bytes(SealedFile(WindowSlot(path.parent), path, digest_of_program()).sealed(changed))
    before, what = _state(path), f"{path.name} {put} → window"
    _judge_window(Child(folder / "window", by_window, "kept", str(path), str(folder)), folder, outcome, what)
    outcome.judge_strays(folder, what)
    outcome.met = int(_state(path) != before)
    return outcome


def _changed_kept(rng: random.Random, content: bytes) -> tuple[bytes, str]:
    """Return kept words and numbers with some of them hostile, and which."""
    words, _, rest = content.partition(b"\n")
    match rng.choice(("words", "words", "no numbers", "bits", "larger pictures")):
        case "words":
            document, how = mutations.mutated(rng, json.loads(words))
            return mutations.text_of(document) + b"\n" + rest, how
        case "no numbers":
            return words + b"\n" + struct.pack("<f", float("nan")) * (len(rest) // 4), "NaN"
        case "bits":
            return words + b"\n" + mutations.flipped(rng, rest), "bits"
        case _:
            head = b"IHDR" + struct.pack(">2L5B", 100_000, 100_000, 8, 6, 0, 0, 0)
            pieces = rest.split(b"IHDR")
            larger = (head + struct.pack(">L", zlib.crc32(head)) + piece[17:] for piece in pieces[1:])
            return words + b"\n" + pieces[0] + b"".join(larger), "PNG of 100,000 × 100,000"


def begin_a_lab() -> int:
    """Begin a lab in a window, so that there are settings to mutate. Runs in a child process."""
    return play(_begin_a_lab)


def _begin_a_lab(player: Player) -> Iterator[float]:
    yield from player.come_up()
    player.choose("lab.attention-reads-a-bag")
    yield 0.5
    player.window.close()


def _attack_options(rng: random.Random, folder: Path, kind: str) -> Outcome:
    """Give `export` a hostile option. What is at --out must stay, unless it is an ordinary file."""
    outcome, out = Outcome(), folder / "out.csv"
    options = {"--text": "a b", "--encoding": "rope", "--set": "base=100", "--session": str(_RECORDED / "plain.json")}
    put = ""
    if kind == "out":
        (folder / "files").mkdir()
        name, put = rng.choice([*mutations.NAMES]), rng.choice([*mutations.FILES, ""])
        out = folder / "files" / f"{mutations.NAMES[name]}.{rng.choice(('csv', 'svg', 'json', 'exe'))}"
        if put:
            mutations.FILES[put](out)
        what = f"{put or 'nothing'} at --out {out.name!r}"
    else:
        option, which = rng.choice([*options]), rng.choice([*mutations.TEXTS])
        named = f"{rng.choice(('base', 'tokenizer', 'focus', 'model.d_model', 'order', 'scaling'))}="
        options[option] = (named if option == "--set" and rng.random() < 0.7 else "") + mutations.TEXTS[which]
        what = f"{option} {options[option][:20]!r} ({which})"
    before = _state(out)
    arguments = [word for option in options.items() for word in option]
    ended = Child(folder / "cli", by_cli, "export", "attention", *arguments, "--out", str(out)).end()
    _judge_cli(ended, folder / "out.csv", outcome, f"{what} → cli")
    if put != "sparse" and _state(out)[: len(before)] != before:  # a file, which may be replaced
        outcome.add(LOST, f"{what} → cli: what stood there was replaced")
    outcome.judge_strays(folder, what)
    return outcome


def _state(path: Path) -> list[tuple[int, int]]:
    """Return the file type and inode of what is at a path and, behind a link, of its target; empty if there is nothing."""
    found = []
    with suppress(OSError):
        found.append(path.lstat())
        found.append(path.stat())
    return [(stat.S_IFMT(one.st_mode), one.st_ino) for one in found]
