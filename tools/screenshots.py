"""Grab the README's pictures from the real window: `python tools/screenshots.py`.

`python tools/screenshots.py --gallery FOLDER` instead grabs every plot with every encoding, in both themes and with
sentences that are hard to draw, for visual inspection.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QPoint, QRect, QSize, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel

from posenc_gui.app.state.settings import Memory, Settings
from posenc_gui.app.talk.presenter import Presenter
from posenc_gui.app.window.application import GarbageTimer
from posenc_gui.app.window.main_window import MainWindow

README_PICTURES = Path(__file__).parents[1] / "docs" / "images"
SIZE, FIRST_SIZE = QSize(1280, 800), QSize(1440, 900)

SENTENCES = {
    "first": "The cat sat on the mat",
    "one": "dog",
    "scripts": "我爱你 مرحبا بالعالم cafe\u0301 👩‍👩‍👧 <b>x</b> antidisestablishmentarianism 我",
    "tokens64": " ".join(("the cat sat on the mat and so on " * 8).split()[:64]),
    "tokens512": " ".join(("the cat sat on the mat and so on " * 60).split()[:512]),
}


def main() -> None:
    """Save the README's pictures or the gallery, in both themes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gallery", type=Path, metavar="FOLDER")
    gallery = parser.parse_args().gallery
    app = QApplication([])
    app.setStyle("Fusion")
    with tempfile.TemporaryDirectory() as folder:
        for theme in ("light", "dark"):
            window = open_window(Path(folder), theme, first_start=True, size=FIRST_SIZE)
            if not gallery:
                grab(window, README_PICTURES / f"window-{theme}.png")
            show_usual(window)
            window.resize(SIZE)
            settle(window)
            if gallery:
                grab_gallery(window, gallery, theme)
            else:
                grab_compare(window, README_PICTURES / f"compare-{theme}.png")
                grab_present(window, README_PICTURES / f"present-{theme}.png")
                grab_lab(window, README_PICTURES / f"lab-{theme}.png")
            window.close()


def open_window(folder: Path, theme: str, *, first_start: bool = False, size: QSize = SIZE) -> MainWindow:
    """Return a window of this size, with everything loaded, with the usual column, or that of a first start."""
    memory = Memory(folder / theme)
    memory.keep_settings(Settings(theme=theme))
    window = MainWindow(memory)
    window.ready.connect(GarbageTimer(window, lambda: window.busy).begin)
    window.resize(size)
    loop = QEventLoop()
    window.ready.connect(loop.quit)
    window.show()
    loop.exec()
    settle(window)
    if not first_start:
        show_usual(window)
    return window


def show_usual(window: MainWindow) -> None:
    """Unfold the column that is in brief at a first start."""
    window.findChild(QAbstractButton, "unfold").click()
    settle(window)


def settle(window: MainWindow | Presenter) -> None:
    """Wait until the window computes nothing, and let it draw; nothing moves any more."""
    loop = QEventLoop()
    poll = QTimer(interval=50)
    poll.timeout.connect(lambda: None if window.busy or _is_covered(window) else loop.quit())
    poll.start()
    loop.exec()
    if isinstance(window, MainWindow) and window.workbench:
        window.workbench.finish_motion()
    QApplication.processEvents()


def _is_covered(window: MainWindow | Presenter) -> bool:
    """True while pictures stand over what is not yet as it will be."""
    return any(one.isVisible() for one in window.findChildren(QLabel, "painted-over"))


def grab(window: MainWindow, path: Path) -> None:
    """Save a picture of the window."""
    path.parent.mkdir(parents=True, exist_ok=True)
    window.grab().save(str(path))


def grab_compare(window: MainWindow, path: Path) -> None:
    """Compare two encodings, save a picture, and go back to one."""
    assert window.workbench
    store = window.workbench.store
    store.propose(encoding="sinusoidal", other="rope")
    settle(window)
    grab(window, path)
    store.propose(other=None)
    settle(window)


def grab_present(window: MainWindow, path: Path) -> None:
    """Save a picture of Present."""
    assert window.presenter
    presenter = window.presenter
    presenter.begin()
    settle(presenter)
    presenter.setGeometry(QRect(QPoint(), SIZE))  # rather than all of the screen
    settle(presenter)
    presenter.grab().save(str(path))
    presenter.end()


def grab_lab(window: MainWindow, path: Path) -> None:
    """Finish a step of a lab and save a picture: the prediction, the measurement and the explanation."""
    assert window.labs
    from posenc_gui.labs.definition import lab_library

    desk = window.labs.desk
    desk.begin(lab_library.lab("attention-reads-a-bag"), step="reorder")
    desk.commit("place", "… stays at its old place.", "The place decides what is read.")
    desk.show_me()
    loop = QEventLoop()
    desk.changed.connect(lambda play: loop.quit() if play.phase == "done" else None)
    loop.exec()
    settle(window)
    window.messages.hide()  # “Shown: …” would pass by itself
    grab(window, path)


def grab_gallery(window: MainWindow, folder: Path, theme: str) -> None:
    """Save two pictures for every sentence, encoding and mask: with the Waves card in front, and with the encoding map."""
    assert window.workbench
    from posenc_gui import encodings

    store = window.workbench.store
    for sentence, text in SENTENCES.items():
        for name in encodings.names():
            for causal in (False, True):
                changes: dict[str, Any] = {"model": store.session.model.model_copy(update={"causal": causal})}
                store.propose(text=text, encoding=name, **changes)
                for plot in ("waves", "encoding"):
                    window.cards[f"plot.{plot}"].raise_()
                    settle(window)
                    grab(window, folder / f"{sentence}-{name}{'-causal' if causal else ''}-{plot}-{theme}.png")


if __name__ == "__main__":
    main()
