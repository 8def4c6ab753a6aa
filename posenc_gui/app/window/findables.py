"""What Find can find: parameters of what is chosen, actions, plots, encodings, models, exports, sentences and labs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Literal, get_args, get_origin

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from posenc_gui import plots, render
from posenc_gui.app.docks.arranger import Arranger
from posenc_gui.app.docks.card import Card
from posenc_gui.app.export.export_dialog import KINDS
from posenc_gui.app.panels.compare_grid import SIDES, Side, encodings_of
from posenc_gui.app.panels.compare_parameters import parameters
from posenc_gui.app.panels.split_menu import SplitMenu
from posenc_gui.app.panels.token_order import OrderMenu
from posenc_gui.app.state.action import Action
from posenc_gui.app.state.fuzzy_search import Kind, SearchEntry
from posenc_gui.app.state.store import go_to_part
from posenc_gui.app.widgets.forms.editors import is_edited
from posenc_gui.app.widgets.forms.form import ModelForm
from posenc_gui.app.window.menus import Menus
from posenc_gui.app.window.navigation import Navigation
from posenc_gui.app.window.services import Services
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.foundation import declared_fields
from posenc_gui.foundation.declared_fields import DeclaredField
from posenc_gui.foundation.declared_model import Frozen, format_value
from posenc_gui.foundation.errors import describe_error
from posenc_gui.foundation.resources import folder
from posenc_gui.labs.definition import lab_library
from posenc_gui.measures import measures
from posenc_gui.models import comparison_search, encoding_search
from posenc_gui.models.presets import models
from posenc_gui.scene import example_sentences
from posenc_gui.session.session import Session

_FIELD, _AT_ONCE, _CARD, _REPLACES = (
    "goes to the field",
    "changes the sentence",
    "opens the card",
    "replaces the session",
)
_PLACES: Mapping[str, str] = {"recent": "Recent file", "earlier": "Earlier session"}  # where there is a list of files
_REPLACING = ("new", "revert", "paste_share")
_LISTED_ELSEWHERE = ("card.plot.", "card.tokens", "card.compare", "lab.", "model.", "export")


@cache
def other_words() -> Mapping[str, Sequence[str]]:
    """Return what else people call a thing, by its kind and name: "action.undo", "parameter.base", "export.gif"."""
    words: Mapping[str, Sequence[str]] = json.loads((folder() / "other_words.json").read_text(encoding="utf-8"))
    return words


def _also(kind: str, name: str) -> tuple[str, ...]:
    return tuple(other_words().get(f"{kind}.{name}", ()))


class Findables:
    """Collects what can be found now, each with what Enter does."""

    def __init__(
        self, menus: Menus, loaded: Services, navigation: Navigation, arranger: Arranger, cards: Mapping[str, Card]
    ) -> None:
        self._menus, self._loaded, self._navigation = menus, loaded, navigation
        self._arranger, self._cards, self._bench = arranger, cards, loaded.workbench

    def all(self) -> list[SearchEntry]:
        """Return everything that can be found now; disabled actions are left out."""
        parts = self._parameters, self._heads, self._actions, self._plots, self._options, self._encodings
        others = self._models, self._exports, self._sentences, self._labs
        return [one for part in (*parts, *others) for one in part()]

    def comparisons(self, typed: str) -> list[SearchEntry]:
        """Return the comparisons that the typed words ask for, as in “rope vs alibi”."""
        found, compare = comparison_search.pairs(typed), self._loaded.documents.compare
        does = "shows both side by side"
        return [SearchEntry(one.title, "Compare", partial(compare, one), does, one.remark) for one in found]

    # --- Fields -----------------------------------------------------------------------------------------------------------

    def _parameters(self) -> Iterator[SearchEntry]:
        """Yield the fields of what is chosen: of the encodings, the sentence, the model."""
        session, bench = self._bench.store.session, self._bench
        if session.other is not None:
            for side, encoding in encodings_of(session).items():
                under = f"Parameters of {SIDES[side]}, {encoding.title}"
                for place in parameters(encoding):
                    yield self._field(place, under, partial(self._go_compared, side, place.name))
        elif form := bench.encoding.form():
            under = f"Parameters of {session.encoding.title}"
            yield from self._fields(form, session.encoding, under, "encoding")
        tokens, strength = bench.tokens, bench.compare.strength if session.other else bench.encoding.strength
        whole = "compare" if session.other else "encoding"
        if not strength.isHidden():
            yield from self._fields(strength, session, "Parameters of the session", whole)
        for form in (tokens.start_form, tokens.length_form):
            if form is tokens.start_form or not form.isHidden():
                yield from self._fields(form, session, "Parameters of the session", "tokens")
        if session.patches is not None:
            yield from self._fields(tokens.patches_form, session.patches, "Parameters of the patches", "tokens")
        if not isinstance(session.model, TrainedModel):
            yield from self._fields(bench.model.form, session.model, "Parameters of the toy model", "model")
            yield from self._fields(bench.model.trained_length, session, "Parameters of the session", "model")
        yield from self._sentence_parts()

    def _sentence_parts(self) -> Iterator[SearchEntry]:
        """Yield the parts of the sentence's card, and what the menus there do at once."""
        tokens = self._bench.tokens
        parts: list[tuple[str, QWidget, str]] = [
            ("Sentence", tokens.text_edit, "the text itself"),
            ("Query in focus", tokens.chips, "the word that attends to the others"),
        ]
        for name, kind in (("Split into", SplitMenu), ("Order", OrderMenu)):
            if menu := tokens.findChild(kind):
                entries = [one for one in menu.menu().actions() if one.text() and one.isVisible() and not one.menu()]
                parts.append((name, menu, " · ".join(one.text() for one in entries)))
                for one in entries:
                    yield SearchEntry(one.text(), "Actions and settings", one.trigger, _AT_ONCE, f"{name} …")
        for name, part, about in parts:
            go, also = partial(self._go, "tokens", part), _also("parameter", name.lower().replace(" ", "_"))
            yield SearchEntry(name, "Parameters", go, _FIELD, about, also, under="Parameters of the session")

    def _fields(self, form: ModelForm, whole: Frozen, under: str, card: str) -> Iterator[SearchEntry]:
        places = {place.name: place for place in declared_fields.walk(whole)}
        for name in form.names():
            if place := places.get(name):
                yield self._field(place, under, partial(self._go, card, partial(form.go_to, name)))

    def _field(self, place: DeclaredField, under: str, go: Callable[[], object]) -> SearchEntry:
        also = (place.name.replace(".", " "), *_options_of(place), *_also("parameter", place.path[-1]))
        told = place.declared.description or ""
        return SearchEntry(place.title, "Parameters", go, _FIELD, values_of(place), also, told, under)

    def _options(self) -> Iterator[SearchEntry]:
        """Yield options of plots that have values with names."""
        for name, plot in plots.plots().items():
            for place in declared_fields.walk(plot.options):
                if _options_of(place) and is_edited(place.declared):
                    go = partial(self._go_to_option, name, place.name)
                    also = _also("option", f"{name}.{place.name}")
                    title, values = f"{plot.title}: {place.title}", values_of(place)
                    yield SearchEntry(title, "Plots", go, "goes to the option", values, also, icon="options")

    def _go(self, card: str, to: QWidget | Callable[[], object]) -> None:
        """Show a card, unfolded, and go to a field of it; from a lab to Explore, where the lab waits."""
        if self._arranger.at == "lab" and not self._cards[card].in_view:
            self._navigation.go("explore")
        self._cards[card].bring()
        self._bench.encoding.brief(False)
        self._bench.tokens.brief(False)
        to.setFocus(Qt.FocusReason.TabFocusReason) if isinstance(to, QWidget) else to()

    def _go_compared(self, side: Side, name: str) -> None:
        if rows := self._bench.compare.rows:
            self._go("compare", partial(rows.go_to, side, name))

    def _go_to_option(self, plot: str, option: str) -> None:
        self._navigation.open_plot(plot)
        panel = self._bench.plots[plot]
        if option in panel.form.names():
            panel.options_button.setChecked(True)
            panel.form.go_to(option)

    # --- What the window does ---------------------------------------------------------------------------------------------

    def _actions(self) -> Iterator[SearchEntry]:
        for action in self._menus.actions:
            if not action.name.startswith(_LISTED_ELSEWHERE) and action.shown() and action.enabled():
                yield self._action(action)

    def _action(self, action: Action) -> SearchEntry:
        kind: Kind = "Actions and settings"
        listed, _, _ = action.name.partition(".")
        run, also = partial(self._menus.run, action), _also("action", action.name)
        if listed == "here":  # models that have learned
            return SearchEntry(action.step(), "Models", run, _REPLACES, "on this computer", also)
        if listed in _PLACES and action.step():
            return SearchEntry(action.step(), kind, run, _REPLACES, _PLACES[listed], also, icon="open")
        menu = " ▸ ".join(title.replace("&", "") for title in action.menu)
        keys = next(iter(action.shortcuts), QKeySequence()).toString(QKeySequence.SequenceFormat.NativeText)
        words, about = action.words, action.step() or action.summary
        if action.exclusive and listed != "go":  # of several, such as a theme
            words = f"{action.menu[-1].replace('&', '')}: {words}"
        also = (*also, action.words) if words != action.words else also
        is_card = listed == "card"
        does = " · ".join(filter(None, (_REPLACES if action.name in _REPLACING else "", keys)))
        does = _CARD if is_card else does or f"in {menu}"
        return SearchEntry(words, kind, run, does, about, also, menu, icon=action.icon)

    def _plots(self) -> Iterator[SearchEntry]:
        for name, plot in plots.plots().items():
            measure = measures().get(name)
            told = f"{plot.summary} {measure.title} {measure.summary}" if measure else plot.summary
            go = partial(self._navigation.open_plot, name)
            also = (name.replace("_", " "), plot.question, *_also("plot", name))
            yield SearchEntry(plot.title, "Plots", go, _CARD, plot.question, also, told)

    def _exports(self) -> Iterator[SearchEntry]:
        """Yield the kinds of files in which the plot in front is exported, and what else is."""
        for suffix in render.suffixes():
            film = suffix in render.FILMS and suffix != render.PAGE
            commands = self._loaded.export_commands
            run = partial(commands.export_film if film else commands.export_front, suffix)
            also = (suffix[1:], *_also("export", suffix[1:]))
            about = "the plot in front as it moves" if film else "the plot in front"
            yield SearchEntry(KINDS.get(suffix, suffix), "Exports", run, "opens Export", about, also, "export save as")
        for action in self._menus.actions:
            if action.name.startswith("export") and action.enabled():
                one = self._action(action)
                yield SearchEntry(one.words, "Exports", one.run, one.does, one.about, one.also, one.more)

    # --- What can be chosen -----------------------------------------------------------------------------------------------

    def _heads(self) -> Iterator[SearchEntry]:
        """Yield the heads of a model that has learned which are named by what they look at."""
        named, store = self._bench.encoding.trained.named, self._bench.store
        if named is None or not isinstance(store.session.model, TrainedModel):
            return
        for (head, looks_at, *_), pointer in zip(named.rows, named.pressed, strict=True):
            yield SearchEntry(
                f"{looks_at}: {head}", "Heads", partial(go_to_part, pointer, None, store), "shows this head"
            )

    def _encodings(self) -> Iterator[SearchEntry]:
        does = "becomes A" if self._bench.store.session.other else "becomes the encoding"
        for entry in encoding_search.entries():
            about = f"{entry.kind}: {entry.summary}" if entry.field else entry.summary
            also = (entry.cls.name, *entry.also, *_also("encoding", entry.title))
            more = " ".join((*entry.used_by, str(entry.source.year), entry.source.authors))
            yield SearchEntry(entry.title, "Encodings", partial(self._choose, entry), does, about, also, more)

    def _models(self) -> Iterator[SearchEntry]:
        does = "takes its shape and encoding"
        for one in models():
            choose = partial(self._loaded.documents.choose_model, one)
            about = f"{one.year}, {one.encoding.title}"
            yield SearchEntry(one.title, "Models", choose, does, about, (one.name,), one.description)

    def _sentences(self) -> Iterator[SearchEntry]:
        for group in example_sentences.sentences():
            for one in group.sentences:
                replace = partial(self._replace, one.chosen)
                about = group.title if one.title == one.session["text"] else str(one.session["text"])
                yield SearchEntry(one.title, "Sentences", replace, "replaces the sentence", about, more=group.title)

    def _labs(self) -> Iterator[SearchEntry]:
        begin, does = self._loaded.labs.begin, "begins the lab"
        for lab in lab_library.labs():
            yield SearchEntry(lab.title, "Labs", partial(begin, lab), does, also=_also("lab", lab.name))
            for step in lab.steps:
                about = f"a step of {lab.title}"
                yield SearchEntry(step.title, "Labs", partial(begin, lab, step=step.name), does, about)

    def _choose(self, entry: encoding_search.Entry) -> None:
        """Choose an encoding with the parameters that it last had."""
        own = self._bench.store.latest(entry.cls)
        self._replace(lambda session: session.changed(encoding=entry.chosen(own)))

    def _replace(self, chosen: Callable[[Session], Session]) -> None:
        """Replace the session by one derived from it, or say why that is refused."""
        try:
            self._bench.store.replace(chosen(self._bench.store.session))
        except ValueError as error:
            self._bench.said.emit(f"Not chosen: {describe_error(error)}")


def values_of(place: DeclaredField) -> str:
    """Return the values that a field can have by name, "half · interleaved"; of a number that which it has."""
    held = declared_fields.kind(place.declared)
    if named := _options_of(place) or [*map(declared_fields.title, held.members)]:
        return " · ".join([*(["none"] if held.optional else []), *named])
    return "" if place.value is None else f"now {format_value(place.value)}"


def _options_of(place: DeclaredField) -> list[str]:
    held, field = declared_fields.kind(place.declared), place.declared
    is_literal = get_origin(held.type) is Literal
    return [declared_fields.option_title(field, one) for one in get_args(held.type)] if is_literal else []
