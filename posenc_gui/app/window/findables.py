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
from posenc_gui.app.panels.compare_grid import SIDES, encodings_of
from posenc_gui.app.panels.compare_parameters import parameters
from posenc_gui.app.panels.split_menu import SplitMenu
from posenc_gui.app.panels.sweep_row import Sweeping
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

_FIELD, _CARD, _REPLACES = "goes to the field", "opens the card", "replaces the session"
_REPLACING = ("new", "revert", "paste_share")
_LISTED_ELSEWHERE = ("card.plot.", "card.tokens", "card.compare", "lab.", "model.")
_OF_SESSION = "Parameters of the session"


@cache
def other_words() -> Mapping[str, Sequence[str]]:
    """Return what else people call a thing, by its kind and name: "action.undo", "parameter.base", "export.gif"."""
    words: Mapping[str, Sequence[str]] = json.loads((folder() / "other_words.json").read_text(encoding="utf-8"))
    return words


def _also(name: str) -> tuple[str, ...]:
    return tuple(other_words().get(name, ()))


class Findables:
    """Collects what can be found now, each with what Enter does."""

    def __init__(
        self, menus: Menus, loaded: Services, navigation: Navigation, arranger: Arranger, cards: Mapping[str, Card]
    ) -> None:
        self._menus, self._loaded, self._navigation = menus, loaded, navigation
        self._arranger, self._cards, self._bench = arranger, cards, loaded.workbench

    def all(self) -> list[SearchEntry]:
        """Return everything that can be found now; disabled actions are left out."""
        fields = self._parameters, self._compared, self._of_sentence, self._options
        others = self._heads, self._actions, self._plots, self._choices, self._exports, self._labs
        return [one for part in (*fields, *others) for one in part()]

    def comparisons(self, typed: str) -> list[SearchEntry]:
        """Return the comparisons that the typed words ask for, as in “rope vs alibi”."""
        found, compare = comparison_search.pairs(typed), self._loaded.documents.compare
        does = "shows both side by side"
        return [SearchEntry(one.title, "Compare", partial(compare, one), does, one.remark) for one in found]

    # --- Fields -----------------------------------------------------------------------------------------------------------

    def _parameters(self) -> Iterator[SearchEntry]:
        """Yield the fields of the forms that do something now."""
        session, bench, tokens = self._bench.store.session, self._bench, self._bench.tokens
        compares = session.other is not None
        strength = bench.compare.strength if compares else bench.encoding.strength
        forms: tuple[tuple[str, ModelForm | None, Frozen | None, str], ...] = (
            ("encoding", None if compares else bench.encoding.form(), session.encoding, session.encoding.title),
            ("compare" if compares else "encoding", strength, session, ""),
            ("tokens", tokens.start_form, session, ""),
            ("tokens", tokens.length_form, session, ""),
            ("tokens", tokens.patches_form, session.patches, "the patches"),
            ("model", bench.model.form, session.model, "the toy model"),
            ("model", bench.model.trained_length, session, ""),
        )
        for card, form, whole, of in forms:
            if form and whole and (form is tokens.start_form or not form.isHidden()):
                places = {place.name: place for place in declared_fields.walk(whole)}
                for name in form.names():
                    go = partial(self._go, card, partial(form.go_to, name))
                    yield _field(places[name], f"Parameters of {of}" if of else _OF_SESSION, go)

    def _compared(self) -> Iterator[SearchEntry]:
        """Yield the parameters of two compared encodings."""
        session, rows = self._bench.store.session, self._bench.compare.rows
        if session.other is None or rows is None:
            return
        for side, encoding in encodings_of(session).items():
            for place in parameters(encoding):
                go = partial(self._go, "compare", partial(rows.go_to, side, place.name))
                yield _field(place, f"Parameters of {SIDES[side]}, {encoding.title}", go)

    def _of_sentence(self) -> Iterator[SearchEntry]:
        """Yield the parts of the sentence's card, and what its menus do at once."""
        tokens = self._bench.tokens
        parts: dict[str, tuple[QWidget, str]] = {
            "Sentence": (tokens.text_edit, ""),
            "Query in focus": (tokens.chips, ""),
        }
        for menu in (*tokens.findChildren(SplitMenu), *tokens.findChildren(OrderMenu)):
            name = (menu.accessibleName() or menu.text()).partition(":")[0]
            entries = [one for one in menu.menu().actions() if one.text() and one.isVisible() and not one.menu()]
            parts[name] = menu, " · ".join(one.text() for one in entries)
            for one in entries:
                yield SearchEntry(one.text(), "Actions and settings", one.trigger, "changes the sentence", f"{name} …")
        for name, (part, about) in parts.items():
            go = partial(self._go, "tokens", partial(part.setFocus, Qt.FocusReason.TabFocusReason))
            also = _also(f"parameter.{name.lower()}")
            yield SearchEntry(name, "Parameters", go, _FIELD, about, also, under=_OF_SESSION)

    def _options(self) -> Iterator[SearchEntry]:
        """Yield options of plots that have values with names."""
        for plot, declared in plots.plots().items():
            for place in declared_fields.walk(declared.options):
                if _options_of(place) and is_edited(place.declared):
                    go, also = partial(self._go_to_option, plot, place.name), _also(f"option.{plot}.{place.name}")
                    title = f"{declared.title}: {place.title}"
                    yield SearchEntry(title, "Plots", go, "goes to the option", values_of(place), also, icon="options")

    def _go(self, card: str, take_keyboard: Callable[[], object]) -> None:
        """Show a card, unfolded, and go to a field of it; from the list of labs to Explore."""
        if self._arranger.at == "lab" and self._loaded.labs.desk.play is None:
            self._navigation.go("explore")
        self._cards[card].bring()
        self._bench.encoding.brief(False)
        self._bench.tokens.brief(False)
        take_keyboard()

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
        begin = Sweeping(self._bench.store, self._navigation.open_plot).begin_encodings
        also = ("compare encodings", "sweep over encodings", "three encodings")
        title, about = "Several encodings side by side", "on one model and one scale"
        yield SearchEntry(title, "Actions and settings", begin, "opens Sweep", about, also)

    def _action(self, action: Action) -> SearchEntry:
        of, run = action.name.partition(".")[0], partial(self._menus.run, action)
        words, about = action.words, action.step()
        menu = " ▸ ".join(title.replace("&", "") for title in action.menu)
        if of in ("here", "recent", "earlier") and about:  # a list of models or files
            kind: Kind = "Models" if of == "here" else "Actions and settings"
            return SearchEntry(about, kind, run, _REPLACES, menu, icon="open", replaces=True)
        keys = next(iter(action.shortcuts), QKeySequence()).toString(QKeySequence.SequenceFormat.NativeText)
        if action.exclusive and of != "go":  # of several, such as a theme
            words = f"{action.menu[-1].replace('&', '')}: {words}"
        replaces = action.name in _REPLACING
        does = " · ".join(filter(None, (_REPLACES if replaces else "", keys))) or f"in {menu}"
        also = (action.words, *_also(f"action.{action.name}"))
        kind = "Exports" if of.startswith("export") else "Actions and settings"
        about = about or action.summary
        does = _CARD if of == "card" else does
        return SearchEntry(words, kind, run, does, about, also, menu, icon=action.icon, replaces=replaces)

    def _plots(self) -> Iterator[SearchEntry]:
        for name, plot in plots.plots().items():
            measure = measures().get(name)
            told = f"{plot.summary} {measure.title} {measure.summary}" if measure else plot.summary
            also = (name.replace("_", " "), plot.question, *_also(f"plot.{name}"))
            go = partial(self._navigation.open_plot, name)
            yield SearchEntry(plot.title, "Plots", go, _CARD, plot.question, also, told)

    def _exports(self) -> Iterator[SearchEntry]:
        """Yield the kinds of files in which the plot in front is exported."""
        commands = self._loaded.export_commands
        for suffix in render.suffixes():
            moves = suffix in render.FILMS and suffix != render.PAGE
            run = partial(commands.export_film if moves else commands.export_front, suffix)
            about = "the plot in front, as it moves" if moves else "the plot in front"
            also = (suffix, *_also(f"export{suffix}"))
            yield SearchEntry(KINDS.get(suffix, suffix), "Exports", run, "opens Export", about, also, "export save as")

    # --- What can be chosen -----------------------------------------------------------------------------------------------

    def _heads(self) -> Iterator[SearchEntry]:
        """Yield the heads of a model that has learned which are named by what they look at."""
        named, store = self._bench.encoding.trained.named, self._bench.store
        if named is None or not isinstance(store.session.model, TrainedModel):
            return
        for (head, looks_at, *_), pointer in zip(named.rows, named.pressed, strict=True):
            go = partial(go_to_part, pointer, None, store)
            yield SearchEntry(f"{looks_at}: {head}", "Heads", go, "shows this head")

    def _choices(self) -> Iterator[SearchEntry]:
        """Yield encodings, models and sentences."""
        does = "becomes A" if self._bench.store.session.other else "becomes the encoding"
        for entry in encoding_search.entries():
            about = f"{entry.kind}: {entry.summary}" if entry.field else entry.summary
            also = (entry.cls.name, *entry.also, *_also(f"encoding.{entry.title}"))
            yield SearchEntry(entry.title, "Encodings", partial(self._choose, entry), does, about, also, entry.about)
        takes = f"{'leaves the lab, ' if self._loaded.labs.desk.play else ''}takes its shape and encoding"
        for model in models():
            choose, about = partial(self._loaded.documents.choose_model, model), f"{model.year}, {model.encoding.title}"
            also, more = (model.name, model.name.replace("-", "")), model.description
            yield SearchEntry(model.title, "Models", choose, takes, about, also, more, replaces=True)
        for group in example_sentences.sentences():
            for one in group.sentences:
                about = group.title if one.title == one.session["text"] else str(one.session["text"])
                replace = partial(self._replace, one.chosen)
                yield SearchEntry(one.title, "Sentences", replace, "replaces the sentence", about, more=group.title)

    def _labs(self) -> Iterator[SearchEntry]:
        begin, does = self._loaded.labs.begin, "begins the lab, then back to yours"
        for lab in lab_library.labs():
            yield SearchEntry(lab.title, "Labs", partial(begin, lab), does, also=_also(f"lab.{lab.name}"))
            for step in lab.steps:
                about = f"a step of {lab.title}"
                yield SearchEntry(step.title, "Labs", partial(begin, lab, step=step.name), does, about)

    def _choose(self, entry: encoding_search.Entry) -> None:
        """Choose an encoding at its defaults, or another variant of the one that stands."""
        chosen = self._bench.encoding.formulas.chosen
        self._replace(lambda session: session.changed(encoding=chosen(entry, session.encoding)))

    def _replace(self, chosen: Callable[[Session], Session]) -> None:
        """Replace the session by one derived from it, or say why that is refused."""
        try:
            self._bench.store.replace(chosen(self._bench.store.session))
        except ValueError as error:
            self._bench.said.emit(f"Not chosen: {describe_error(error)}")


def _field(place: DeclaredField, under: str, go: Callable[[], object]) -> SearchEntry:
    also = (place.name.replace(".", " "), *_options_of(place), *_also(f"parameter.{place.path[-1]}"))
    told = place.declared.description or ""
    return SearchEntry(place.title, "Parameters", go, _FIELD, values_of(place), also, told, under)


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
