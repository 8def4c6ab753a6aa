"""Surroundings: a window and the command line in other languages' places, at odd times, and in odd home folders."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import posenc_gui as pe
from posenc_gui import cli
from posenc_gui.app.export.export_process import request_figure
from tools.attack.child import COLD, Child, Ended
from tools.attack.outcome import HANG, LOST, Outcome
from tools.attack.window import Player, come_up_and_close, play

Around = Mapping[str, str]  # variables of the environment

_I18N = Path("/usr/share/i18n/locales")
_FAKETIME = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))), None)
_LONG_AGO, _LATER = 0, 4_102_444_800  # seconds: 1970 and 2100
_PLACES = ("C", "tr_TR.UTF-8", "de_DE.UTF-8", "ar_EG.UTF-8", "hi_IN.UTF-8", "nowhere")
_NUMBERS = "map.csv"
_REFUSED = {"clock of 1970": (".pptx",)}
_KEEPS_NOTHING = ("home below a file", "home read-only", "home full")


def attack(rng: random.Random, folder: Path) -> Outcome:
    """Use the command line and a window in random surroundings, then start the window again."""
    return use_in(rng.choice([*SURROUNDINGS]), folder)


def use_in(name: str, folder: Path) -> Outcome:
    """Export, edit, save and close in these surroundings: the same numbers are written as elsewhere, and nothing is lost
    that could be kept.
    """
    outcome, work = Outcome(), folder / "work"
    work.mkdir()
    with SURROUNDINGS[name](folder) as around:
        ended = Child(folder / "cli", by_cli, str(work / _NUMBERS), fresh=True, around=around).end(COLD)
        if outcome.judge(ended, f"{name} → cli"):
            _judge_numbers(work / _NUMBERS, outcome, f"{name} → cli")
        ended = _in_window(folder / "first", by_window, around, outcome, f"{name} → window", str(work), "first")
        _judge_files(work, _REFUSED.get(name, ()), outcome, f"{name} → window")
        ended = _in_window(folder / "second", come_up_and_close, around, outcome, f"{name} → the next start")
        if name not in _KEEPS_NOTHING and "first" not in "".join(ended.said("text")):
            outcome.add(LOST, f"{name}: the next start doesn't begin with what the window kept")
        outcome.met = int(bool(ended.said("text")))
        outcome.judge_logs(folder, name)
        outcome.judge_strays(folder, name)
    return outcome


def _in_window(
    folder: Path, work: Callable[..., int], around: Around, outcome: Outcome, what: str, *arguments: str
) -> Ended:
    child = Child(folder, work, *arguments, fresh=True, around=around)
    if not child.waits_for("ready", COLD):
        outcome.add(HANG, f"{what}: it doesn't come up")
    ended = child.end(COLD)
    outcome.judge(ended, what)
    outcome.judge_silence(ended, what)
    if "LD_PRELOAD" not in around:  # libfaketime takes its time
        outcome.judge_pauses(ended, what)
    for said in ended.said("said"):
        outcome.judge_sentence(said, what)
    return ended


def _judge_numbers(path: Path, outcome: Outcome, what: str) -> None:
    pe.plot("attention", pe.Session()).save(path.with_name("expected.csv"))
    if path.read_bytes() != path.with_name("expected.csv").read_bytes():
        outcome.add(LOST, f"{what}: {path.name} isn't what it is elsewhere")


def _judge_files(work: Path, refused: Collection[str], outcome: Outcome, what: str) -> None:
    """Note what was not saved or exported, though it isn't `refused` there, or can't be opened again."""
    for suffix in {".json", *_EXPORTED} - {*refused}:
        path = work / f"first{suffix}"
        try:
            if "first" not in pe.Session.load(path).text:
                outcome.add(LOST, f"{what}: {path.name} has another text")
        except (OSError, ValueError) as error:
            outcome.add(LOST, f"{what}: {error}")


# --- What is done -----------------------------------------------------------------------------------------------------

_EXPORTED = (".svg", ".png", ".pdf", ".pptx", ".npz", ".gif")


def by_cli(path: str) -> int:
    """Export numbers with the command line. Runs in a child process."""
    return cli.main(["export", "attention", "--out", path])


def by_window(work: str, sitting: str) -> int:
    """Edit, save, export and close a window. Runs in a child process."""
    return play(partial(_use, work=Path(work), sitting=sitting))


def _use(player: Player, work: Path, sitting: str) -> Iterator[float]:
    yield from player.come_up()
    window = player.window
    assert window.workbench
    print(f"text {window.workbench.store.session.text!r}")
    player.choose("go.explore")  # a sitting before this one ended in the list of labs
    window.workbench.store.propose(text=f"the {sitting} İıi straße 1,5", encoding="alibi")
    yield from player.rest(COLD)
    player.say("exporting")
    exporter, told = window.workbench.exporter, list[str]()

    def tell(sentence: str) -> None:
        print(f"said {sentence!r}")
        told.append(sentence)

    figure = window.workbench.plots["attention"].view.figure()
    assert figure
    for suffix in _EXPORTED:
        exporter.save([request_figure(figure)], work / f"{sitting}{suffix}", {}, tell, tell)
    yield from player.until(lambda: len(told) == len(_EXPORTED), COLD)
    player.say("saving")
    player.choose("save_as", str(work / f"{sitting}.json"))
    for shown in ("diagnostics", "history", "bookmark", "labs", "measures"):
        player.say(shown)
        player.choose(shown)
        yield 0.2
    yield 1.5  # automatic saving is done by now
    player.say("closing")
    player.stop()
    window.close()


# --- Surroundings -----------------------------------------------------------------------------------------------------


@contextmanager
def _locale(name: str, folder: Path) -> Iterator[Around]:
    """A language's place, made from the system's definitions where it has them; Qt has its own for all."""
    language, _, charset = name.partition(".")
    if charset and (_I18N / language).exists():
        made = ["localedef", "-i", language, "-f", charset, str(folder / "locales" / name)]
        (folder / "locales").mkdir()
        subprocess.run(made, capture_output=True, check=False)
    yield {"LC_ALL": name, "LANG": name, "LOCPATH": str(folder / "locales")}


@contextmanager
def _clock(at: str, _folder: Path) -> Iterator[Around]:
    """Another time, where libfaketime is installed."""
    if _FAKETIME:
        yield {"LD_PRELOAD": str(_FAKETIME), "FAKETIME": at, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
    else:
        yield {}


@contextmanager
def _dated(at: float, folder: Path) -> Iterator[Around]:
    """Settings and a session that are from another time, as after a clock went backwards."""
    Child(folder / "before", by_window, str(folder / "work"), "before").end(COLD)
    for path in (folder / "config").rglob("*"):
        os.utime(path, (at, at))
    yield {}


@contextmanager
def _home(make: Callable[[Path], Path], folder: Path) -> Iterator[Around]:
    """A home folder that is odd."""
    home = make(folder)
    try:
        yield {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_CACHE_HOME": str(home / "cache")}
    finally:
        subprocess.run(["umount", "--lazy", str(home)], capture_output=True, check=False)


def _missing(folder: Path) -> Path:
    return folder / "not" / "there"


def _below_a_file(folder: Path) -> Path:
    (folder / "file").write_bytes(b"")
    return folder / "file" / "home"


def _named(name: str, folder: Path) -> Path:
    (folder / name).mkdir()
    return folder / name


def _read_only(folder: Path) -> Path:
    home = _named("read-only", folder)
    mount = ["mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", str(home)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        home.chmod(0o500)
    return home


def _full(folder: Path) -> Path:
    home = _named("full", folder)
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(home)]
    subprocess.run(mount, capture_output=True, check=False)
    return home


SURROUNDINGS = {
    **{f"locale {name}": partial(_locale, name) for name in _PLACES},
    "clock of 1970": partial(_clock, "@1970-01-02 00:00:00"),
    "clock of 2100": partial(_clock, "@2100-01-01 00:00:00"),
    "files of 1970": partial(_dated, _LONG_AGO),
    "files of 2100": partial(_dated, _LATER),
    "home missing": partial(_home, _missing),
    "home below a file": partial(_home, _below_a_file),
    "home read-only": partial(_home, _read_only),
    "home full": partial(_home, _full),
    "home with a line break": partial(_home, partial(_named, "a\nb")),
    "home in Unicode": partial(_home, partial(_named, "dom ünïcødé 家 \u202e")),
    "home not UTF-8": partial(_home, partial(_named, os.fsdecode(b"a\xff"))),
}
