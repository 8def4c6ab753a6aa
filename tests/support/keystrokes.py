"""How long an expert takes with controls: the Keystroke-Level Model (Card, Moran and Newell 1980), counted while it is done.

K 0.28 s a key, P 1.1 s to point, B 0.1 s to press or release a button, H 0.4 s from mouse to keyboard and back, M 1.35 s to
decide; prose is counted at 40 words a minute, which holds its thinking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hands import LEFT, arrows_to
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget

SECONDS = {"K": 0.28, "P": 1.1, "B": 0.1, "H": 0.4, "M": 1.35}
WORDS_A_MINUTE = 40
_TABS = 6  # more of them take longer than the way to the mouse and back


class Hand:
    """Clicks, keys and prose, with what they cost."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.words = 0
        self._at = "keyboard"

    @property
    def minutes(self) -> float:
        """What was done so far takes so long."""
        acts = sum(SECONDS[one] * count for one, count in self.counts.items())
        return acts / 60 + self.words / WORDS_A_MINUTE

    def clicks(self, widget: QWidget, place: QPoint | None = None) -> None:
        """Decide, point and click."""
        self._moves_to("mouse")
        self.counts.update("MPBB")
        QTest.mouseClick(widget, LEFT, pos=place or widget.rect().center())

    def keys(self, widget: QWidget, text: str) -> None:
        """Type what is known by heart: a name, a number."""
        self._moves_to("keyboard")
        self.counts["K"] += len(text)
        QTest.keyClicks(widget, text)

    def presses(self, widget: QWidget, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
        """Press one key, with others held."""
        self._moves_to("keyboard")
        self.counts["K"] += 1 + len(modifiers)
        held = modifiers[0] if modifiers else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(widget, key, held)

    def writes(self, field: QWidget, prose: str) -> None:
        """Go to a field and write in the place of what stands there."""
        self.goes_to(field)
        if field.property("text") or field.property("plainText"):
            self.presses(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        self.goes_on(field, prose)

    def goes_on(self, field: QWidget, prose: str) -> None:
        """Write where the cursor stands."""
        self._moves_to("keyboard")
        self.words += len(prose.split())
        QTest.keyClicks(field, prose)

    def chooses(self, box: QComboBox, words: str) -> None:
        """Open a list, go to the first entry that holds these words, by letters or arrow keys, and take it."""
        (wanted, *_) = (at for at in range(box.count()) if words in box.itemText(at))
        self.counts["M"] += 1
        self.goes_to(box)
        self.presses(box, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        entries = box.view()
        arrows, letters = arrows_to(box, wanted), _shortest(box, wanted)
        self.counts["K"] += min(arrows, len(letters) or arrows)
        for _ in range(arrows):  # letters that come slowly, as where much else runs, would begin another search
            QTest.keyClick(entries, Qt.Key.Key_Down if wanted > box.currentIndex() else Qt.Key.Key_Up)
        assert entries.currentIndex().row() == wanted
        self.presses(entries, Qt.Key.Key_Return)
        assert box.isVisible()

    def goes_to(self, widget: QWidget) -> None:
        """By Tab where it is near, else by the mouse."""
        assert widget.isVisible(), f"{widget} can't be seen"
        self.counts["M"] += 1
        now = QApplication.focusWidget()
        if now is widget:
            return
        for backwards in (False, True):
            way = list(_stops(now, widget, backwards)) if now and now.window() is widget.window() else []
            if way:
                for stop in way:
                    self.counts["K"] += 1 + backwards
                    stop.setFocus(Qt.FocusReason.TabFocusReason)
                self._moves_to("keyboard")
                return
        self._moves_to("mouse")
        self.counts.update("PBB")
        widget.setFocus(Qt.FocusReason.MouseFocusReason)

    def _moves_to(self, device: str) -> None:
        self.counts["H"] += device != self._at
        self._at = device


def _stops(now: QWidget, wanted: QWidget, backwards: bool) -> Iterator[QWidget]:
    """Where Tab stops on the way, the wanted one last; nothing where that is too far."""
    found, one = [], now
    while len(found) < _TABS:
        one = one.previousInFocusChain() if backwards else one.nextInFocusChain()
        if one is now:
            return iter(())
        if one.isVisible() and one.isEnabled() and one.focusPolicy() & Qt.FocusPolicy.TabFocus:
            found.append(one)
            if one is wanted:
                return iter(found)
    return iter(())


def _shortest(box: QComboBox, wanted: int) -> str:
    """The fewest letters by which a list goes from where it stands to an entry; empty where none do, or no key has one."""
    titles = [box.itemText(at).lower() for at in range(box.count())]
    start = box.currentIndex()
    ahead = [*range(start + 1, len(titles)), *range(start + 1)]
    for count in range(2, len(titles[wanted]) + 1):
        letters = titles[wanted][:count]
        if letters.isascii() and next(at for at in ahead if titles[at].startswith(letters)) == wanted:
            return letters
    return ""
