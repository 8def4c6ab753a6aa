"""A talk of six slides given from two screens, in a process of its own: the platform has its screens from the beginning."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from posenc_gui.app.talk.speaker_window import told_of_plan

SCREENS = {"Laptop": (0, 1280, 800), "Projector": (1280, 1920, 1080)}
TALK = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QEventLoop, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit
from tools.screenshots import open_window
import posenc_gui as pe
from posenc_gui.app.talk.bookmarks import Bookmarks

app, key = QApplication([]), Qt.Key
window = open_window(Path(sys.argv[1]), "dark", size=QSize(1000, 700))
names = "none", "sinusoidal", "rope", "alibi", "t5", "shaw"
talk = [pe.Bookmark(name=name, note=f"<b>say {name}</b>", plot="attention", session=pe.Session(encoding=name)) for name in names]
window.findChild(Bookmarks).begin(tuple(talk))
page = window.presenter
page.begin()
speaker, seen = page.speaker, []

def wait(for_it):
    while not for_it():
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)

def of(figure):
    return figure and pe.Session.from_json(figure.session)

def see(**more):
    texts = [one.toPlainText() for one in speaker.findChildren(QPlainTextEdit)]
    on_page = [one.text() for one in page.figure.window().findChildren(QLabel)]
    seen.append({
        "at": page.at, "page": page.screen().name(), "speaker": speaker.screen().name() if speaker.isVisible() else "",
        "told": [text for text in texts if "say" in text], "leaks": [text for text in on_page if "say" in text], **more,
    })

for at in range(6):
    wait(lambda: not page.busy and of(page.shown) == talk[at].session)
    last = at == 5
    wait(lambda: last or of(speaker.coming.figure) == talk[at + 1].session)
    if at == 1:
        page._store.propose(focus=4)  # as by hand
        wait(lambda: of(page.shown).focus == 4)
        see(follows=of(speaker.now.figure).focus)
        QTest.keyClick(speaker, key.Key_B)
        pictures = page.grab().toImage(), speaker.grab().toImage()
        see(black=[len({one.pixelColor(x, y).name() for x in range(0, 1200, 40) for y in range(0, 700, 40)}) for one in pictures])
        QTest.keyClick(speaker, key.Key_B)
        QTest.keyClick(speaker, key.Key_S)
        see()
        QTest.keyClick(page, key.Key_S)
    see(slide=at)
    QTest.keyClick(speaker if at % 2 else page, key.Key_Right)
speaker.close()
see(ended=not page.isVisible())
print(json.dumps(seen))
window.close()
"""


@pytest.mark.slow
def test_six_slides_are_given_from_two_screens(tmp_path: Path) -> None:
    dots = {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    layout = [
        {"name": name, "x": x, "y": 0, "width": width, "height": height, **dots}
        for name, (x, width, height) in SCREENS.items()
    ]
    (tmp_path / "screens.json").write_text(json.dumps({"screens": layout}))
    environment = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={tmp_path / 'screens.json'}"}
    command = [sys.executable, "-c", TALK, str(tmp_path)]
    root = Path(__file__).parents[3]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=root, check=False, timeout=180)
    assert ran.returncode == 0, ran.stderr
    *seen, ended = json.loads(ran.stdout)
    assert not any(one["leaks"] for one in seen)
    by_hand, black, swapped, *_ = seen[1:]
    assert by_hand["follows"] == 4
    assert black["black"][0] == 1 < black["black"][1]
    assert (swapped["page"], swapped["speaker"]) == ("Laptop", "Projector")
    usual = [one for one in seen if one is not swapped]
    assert {(one["page"], one["speaker"]) for one in usual} == {("Projector", "Laptop")}
    slides = [one for one in seen if "slide" in one]
    assert [one["at"] for one in slides] == list(range(6))
    names = "none", "sinusoidal", "rope", "alibi", "t5", "shaw"
    assert [one["told"] for one in slides] == [[f"<b>say {name}</b>"] for name in names]
    assert ended["ended"]
    assert ended["speaker"] == ""


@pytest.mark.parametrize(
    ("minutes", "planned", "share", "told"),
    [
        (12, 0, 0.5, ""),
        (12, 45, 0.5, "on time"),
        (26, 45, 0.5, "3 min behind"),
        (45.5, 45, 1, "on time"),
        (47, 45, 1, "2 min over"),
    ],
)
def test_the_clock_says_how_the_talk_stands(minutes: float, planned: int, share: float, told: str) -> None:
    assert told_of_plan(60 * minutes, planned, share) == (f"of {planned} · {told}" if planned else "")
