"""Fill the window once everything is imported: its services, menus and gallery, the last session, and what the search finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtGui import QKeySequence

from posenc_gui import plots
from posenc_gui.app.documents.autosave import Autosave
from posenc_gui.app.panels.workbench import Workbench
from posenc_gui.app.state.fuzzy_search import (
    ACTIONS,
    COMPARE,
    ENCODINGS,
    HEADS,
    LABS,
    MODELS,
    PLOTS,
    SENTENCES,
    SearchEntry,
)
from posenc_gui.app.state.lab_progress import LabMemory
from posenc_gui.app.state.store import go_to_part
from posenc_gui.app.window.commands import device_menu, model_actions, plots_menu
from posenc_gui.app.window.menus import Menus
from posenc_gui.app.window.plot_gallery import Gallery
from posenc_gui.app.window.restore import restore_session
from posenc_gui.app.window.services import Frame, Services, build_services
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.foundation.devices import devices
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.wording import format_count
from posenc_gui.labs.definition import lab_library
from posenc_gui.models import comparison_search, encoding_search
from posenc_gui.models.presets import models
from posenc_gui.scene import example_sentences
from posenc_gui.session.session import Session


class Filling:
    """Fills the window's parts, a few in each turn of the event loop."""

    def __init__(self, frame: Frame, asked_for: Path | str | None, *, first_start: bool) -> None:
        self._frame, self._asked_for, self._is_first = frame, asked_for, first_start
        self.place = frame.memory.claim_slot(frame.preferences.settings, new=bool(asked_for))
        self.loaded: Services | None = None  # until the cards are filled
        self.keeper: Autosave | None = None  # likewise

    def fill(self) -> Iterator[None]:
        """Fill the cards and the menus, and restore the session."""
        frame = self._frame
        memory = LabMemory(frame.memory.labs, self.place.underway, frame.writer)
        yield
        loaded = yield from build_services(frame, memory)
        yield
        frame.menus.add(loaded.labs.actions())
        frame.menus.add(plots_menu(frame.cards, frame.navigation.show_all_plots, frame.navigation.open_plot))
        frame.menus.add(model_actions(loaded.documents.choose_model))
        yield
        gallery = Gallery(plots.plots(), self._is_open, frame.window)
        yield
        self.loaded = loaded
        frame.finder.load(
            lambda: [*_entries(frame.menus, loaded, frame.navigation.open_plot)],
            lambda typed: [*_comparisons(typed, loaded)],
        )
        self._add_devices(loaded.workbench)
        self.keeper = Autosave(self.place, frame.writer, loaded.store, loaded.documents)
        restore_session(frame, loaded, self.place, self.keeper)
        if self._asked_for:
            loaded.documents.open(self._asked_for)
        elif self._is_first:
            loaded.first_start.begin()
        self._tell_left_aside()
        frame.earlier.fill(frame.memory.others())
        frame.here.look()
        self._follow(loaded)
        frame.navigation.load(loaded, gallery)
        frame.navigation.fit()
        frame.menus.refresh()
        frame.window.setAcceptDrops(True)
        loaded.workbench.tokens.text_edit.setFocus()

    def _follow(self, loaded: Services) -> None:
        """Let the menus and messages follow what is done, and open what is dropped."""
        frame = self._frame
        for changed in (loaded.store.changed, loaded.store.held):
            changed.connect(frame.menus.refresh)
        for going_on in (loaded.store.began, loaded.bookmarks.changed, loaded.documents.opening):
            going_on.connect(frame.messages.go_on)
        frame.arranger.moved.connect(frame.messages.move_on)
        frame.window.dropped.connect(loaded.documents.open)
        frame.window.left_out.connect(frame.messages.add)

    def _is_open(self, plot: str) -> bool:
        return not self._frame.cards[f"plot.{plot}"].isHidden()

    def _add_devices(self, workbench: Workbench) -> None:
        """Add the Device menu, and compute on the selected device."""
        found, preferences = devices(), self._frame.preferences

        def choose(name: str) -> None:
            preferences.keep(device=name)
            workbench.set_device(name)

        self._frame.menus.add(device_menu(found, preferences, choose))
        if (name := preferences.device_of(found)) != "cpu":
            workbench.set_device(name)
        if (selected := preferences.settings.device) not in found:
            self._frame.messages.say(f"The selected device ({selected}) is unavailable; using the CPU.")

    def _tell_left_aside(self) -> None:
        """Say what of the window's own folder was not used."""
        if self._frame.preferences.left_aside:
            self._frame.messages.add(self._frame.preferences.left_aside)
        if self.place.passed_over:
            self._frame.messages.add(f"Left aside: {format_count(self.place.passed_over, 'older kept session')}.")


def _entries(menus: Menus, loaded: Services, open_plot: Callable[[str], object]) -> Iterator[SearchEntry]:
    """Yield everything that can be found now; disabled actions are left out."""
    for name, plot in plots.plots().items():
        yield SearchEntry(plot.title, PLOTS, partial(open_plot, name), about=f"{plot.question} {plot.summary}")
    for entry in encoding_search.entries():
        beside = entry.kind if entry.field else ""
        yield SearchEntry(entry.title, ENCODINGS, partial(_choose, loaded, entry), beside, entry.about)
    yield from _heads(loaded)
    for lab in lab_library.labs():
        yield SearchEntry(lab.title, LABS, partial(loaded.labs.begin, lab))
        for step in lab.steps:
            begin = partial(loaded.labs.begin, lab, step=step.name)
            yield SearchEntry(step.title, LABS, begin, f"in {lab.title}")
    for group in example_sentences.sentences():
        for one in group.sentences:
            replace = partial(_replace, loaded, one.chosen)
            yield SearchEntry(one.title, SENTENCES, replace, about=f"{one.session['text']} {group.title}")
    for model in models():
        begin_with = partial(loaded.documents.choose_model, model, model.title)
        yield SearchEntry(model.title, MODELS, begin_with, str(model.year), f"{model.name} {model.description}")
    for action in menus.actions:
        if not action.name.startswith(("card.plot.", "lab.", "model.")) and action.shown() and action.enabled():
            keys = next(iter(action.shortcuts), QKeySequence()).toString(QKeySequence.SequenceFormat.NativeText)
            words = f"{action.words}: {action.step()}" if action.step() else action.words
            menu = " ▸ ".join(title.replace("&", "") for title in action.menu)
            yield SearchEntry(words, ACTIONS, partial(menus.run, action), keys or menu)


def _comparisons(typed: str, loaded: Services) -> Iterator[SearchEntry]:
    """Yield the comparisons that the typed words ask for, as in “rope vs alibi”."""
    for pair in comparison_search.pairs(typed):
        yield SearchEntry(pair.title, COMPARE, partial(loaded.documents.compare, pair), about=pair.remark)


def _heads(loaded: Services) -> Iterator[SearchEntry]:
    """Yield the heads of a model that has learned which are named by what they look at."""
    named = loaded.workbench.encoding.trained.named
    if named is None or not isinstance(loaded.store.session.model, TrainedModel):
        return
    for (head, looks_at, *_), pointer in zip(named.rows, named.pressed, strict=True):
        yield SearchEntry(f"{looks_at}: {head}", HEADS, partial(go_to_part, pointer, None, loaded.store))


def _choose(loaded: Services, entry: encoding_search.Entry) -> None:
    """Choose an encoding with the parameters that it last had."""
    own = loaded.store.latest(entry.cls)
    _replace(loaded, lambda session: session.changed(encoding=entry.chosen(own)))


def _replace(loaded: Services, chosen: Callable[[Session], Session]) -> None:
    """Replace the session by one derived from it, or say why that is refused."""
    try:
        loaded.store.replace(chosen(loaded.store.session))
    except ValueError as error:
        loaded.workbench.said.emit(f"Not chosen: {describe_error(error)}")
