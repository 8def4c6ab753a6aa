"""Everything that the search finds: actions, plots, encodings, labs and their steps, sentences and published models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtGui import QKeySequence

from posenc_gui import plots
from posenc_gui.app.state.fuzzy_search import Findable
from posenc_gui.app.window.composition import Loaded
from posenc_gui.app.window.menus import Menus
from posenc_gui.foundation.errors import sentence
from posenc_gui.labs.definition import lab_library as shelf
from posenc_gui.models import encoding_search as catalogue
from posenc_gui.scene import example_sentences as sentences
from posenc_gui.session import first_session as ways_in
from posenc_gui.session.session import Session


def findables(menus: Menus, loaded: Loaded, open_plot: Callable[[str], object]) -> Iterator[Findable]:
    """What can be found now; actions that can't be done now are left out."""
    for name, plot in plots.plots().items():
        yield Findable(plot.title, "Plot", partial(open_plot, name), about=f"{plot.question} {plot.summary}")
    for entry in catalogue.entries():
        yield Findable(entry.title, entry.kind, partial(_replace, loaded, entry.chosen_in), about=entry.about)
    for lab in shelf.labs():
        yield Findable(lab.title, "Lab", partial(loaded.labs.begin, lab))
        for step in lab.steps:
            begin = partial(loaded.labs.begin, lab, step=step.name)
            yield Findable(step.title, f"Step of {lab.title}", begin)
    for group in sentences.sentences():
        for one in group.sentences:
            replace = partial(_replace, loaded, one.chosen)
            yield Findable(one.title, "Sentence", replace, about=f"{one.session['text']} {group.title}")
    for model in ways_in.models():
        begin_with = partial(loaded.documents.choose_model, model, model.title)
        yield Findable(model.title, "Model", begin_with, about=f"{model.name} {model.description}")
    for action in menus.actions:
        if not action.name.startswith(("card.plot.", "lab.", "model.")) and action.shown() and action.enabled():
            keys = next(iter(action.shortcuts), QKeySequence()).toString(QKeySequence.SequenceFormat.NativeText)
            words = f"{action.words}: {action.step()}" if action.step() else action.words
            menu = " ▸ ".join(title.replace("&", "") for title in action.menu)
            yield Findable(words, menu, partial(menus.run, action), keys)


def _replace(loaded: Loaded, chosen: Callable[[Session], Session]) -> None:
    """Go on with a session that is chosen from the one at hand."""
    try:
        loaded.store.replace(chosen(loaded.store.session))
    except ValueError as error:
        loaded.workbench.said.emit(f"Not chosen: {sentence(error)}")
