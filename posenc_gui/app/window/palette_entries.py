"""Everything that the search finds: actions, plots, encodings, labs and their steps, sentences, models and comparisons, and
the heads of a model that has learned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtGui import QKeySequence

from posenc_gui import plots
from posenc_gui.app.state.click_target import go_to_part
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
from posenc_gui.app.window.composition import Services
from posenc_gui.app.window.menus import Menus
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.foundation.errors import describe_error
from posenc_gui.labs.definition import lab_library
from posenc_gui.models import comparison_search, encoding_search
from posenc_gui.models.presets import models
from posenc_gui.scene import example_sentences
from posenc_gui.session.session import Session


def list_entries(menus: Menus, loaded: Services, open_plot: Callable[[str], object]) -> Iterator[SearchEntry]:
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


def list_comparisons(typed: str, loaded: Services) -> Iterator[SearchEntry]:
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
