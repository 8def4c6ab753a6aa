"""What a question may ask of a sentence: each function computes one answer, and None where it can't be meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.figure.headline import Quantity, Row, headline
from posenc_gui.figure.panels import Hands, Note
from posenc_gui.figure.runs import Run, number_run, quote_runs, sentence
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.word_match import plain_words
from posenc_gui.foundation.wording import (
    format_count,
    format_plain,
    format_side_by_side,
    join_words,
    quote,
    spell_count,
)
from posenc_gui.measures.base import MOST_TOKENS
from posenc_gui.plots.attention import AttentionOptions, row_of
from posenc_gui.plots.base import WINDOW, describe_first_tokens, measured, require_tokens
from posenc_gui.plots.common.axes import word
from posenc_gui.plots.common.heads import describe_head, in_head
from posenc_gui.plots.hands import inline_part
from posenc_gui.scene.comparison import phrase_of, phrase_without
from posenc_gui.scene.permutations import change_among, swap_tokens
from posenc_gui.scene.remedies import SENTENCE
from posenc_gui.scene.scene import Scene
from posenc_gui.session.session import Session
from posenc_gui.text.tokenization import format_token, is_word, name_token, twin_groups

SHOW = "Show"
EQUAL = "two|both|three|first|second|equal|same|repeated|identical"
Q, K = (rf"(?:the )?(?:word |token )?(?P<{name}>\w+)" for name in "qk")  # words of the sentence
_ANY = re.compile(r"\b(?:equal|same|repeated|identical) (?:words?|tokens?)\b|\btwins?\b|^where |\b(?:two|both) apart$")
_SEEN, _SHARE = 0.005, 0.02  # from which on weights are seen to differ: in size, or as a share of the larger one
_ROUNDING = 1e-5  # of a weight: up to which it is equal
_LATER = 100  # the position from which a sentence counts where none is named


@dataclass(frozen=True)
class Answer:
    """The answer to a question: Yes, Partly or No where that can be asked, a sentence, and on what it was computed.

    `plot` and `session` show it, as `show` says on a button; an empty plot: nothing does. twins: the equal words that are
    meant. asks: other ways to ask.
    """

    verdict: str
    runs: tuple[Run, ...]
    plot: str
    session: Session
    basis: str = ""
    twins: str = "equal words"
    question: str = ""
    show: str = SHOW
    asks: tuple[str, ...] = ()


Tell = Callable[[Session, re.Match[str], Engine], Answer | None]


def by_headline(plot: str, if_so: str = "", basis: str = "", **options: Any) -> Tell:
    """Return what answers by a plot's headline, under these options; Yes if it holds some words, No if it doesn't."""

    def tell(session: Session, _said: re.Match[str], engine: Engine) -> Answer:
        seen = _with_options(session, plot, **options)
        figure = seen.picture(plot, engine)
        if figure.is_note and isinstance(note := figure.panels[0], Note):
            raise Undefined(note.text, note.remedy)
        verdict = "" if not if_so else "Yes" if if_so in quote_runs(figure.headline) else "No"
        return Answer(verdict, figure.headline, plot, seen, basis or _computed_on(seen, plot))

    return tell


# --- Equal words ----------------------------------------------------------------------------------------------------------


def parted(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """Whether a query tells equal words apart, the one in focus unless it is one of them; else, whether another does."""
    scene = session.scene.acting
    keys = _twins_asked(scene, said.string)
    if not keys:
        return None
    twins = f"the {spell_count(len(keys))} {format_token(scene.tokens[keys[0]])}"
    asking = (scene.focused or 0, *range(scene.n_tokens - 1, -1, -1))
    query = next((at for at in asking if at not in keys and (at > keys[-1] or not scene.model.causal)), None)
    rows = {} if query is None else _rows(scene, query, engine)
    if query is None or not all(key in row for row in rows.values() for key in keys):  # no other word sees them all
        session = session.changed(focus=keys[0])
        found, told = measured("twins", session.scene.acting, engine), by_headline("twins")(session, said, engine)
        return told and replace(told, verdict="Yes" if found.apart[1] else "No", twins=twins)
    runs, weights = _gives(scene, query, keys, rows), [next(iter(rows.values()))[key] for key in keys]
    apart, largest = max(weights) - min(weights), max(weights)  # of many words' weights all are small
    verdict = "Yes" if apart >= min(_SEEN, _SHARE * largest) else "Partly" if apart > _ROUNDING * largest else "No"
    if verdict != "Yes" and scene.n_tokens <= WINDOW and (best := _best(scene, keys, engine)) not in (None, query):
        query, verdict = best, "Partly"
        runs = (*runs, Run(" "), *_gives(scene, query, keys, dict([*_rows(scene, query, engine).items()][:1])))
    seen = _in_attention(session, query)
    hands = _hands(seen, engine)
    where = ""
    if hands and {key.at for key in hands.shown} <= {*keys}:
        part = inline_part(hands.columns[hands.told[0]])
        where = in_head(scene, seen.options_of("hands").head, f"they part most in {part}")
    return Answer(verdict, runs, "attention", seen, _computed_on(seen, "attention", where), twins)


def kept(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """Whether equal words stay equal: the contrary of `parted`."""
    told = parted(session, said, engine)
    return told and replace(told, verdict={"Yes": "No", "No": "Yes"}.get(told.verdict, told.verdict))


def pair(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """In which pair of dimensions equal words part, or at which stage of attention."""
    tell = by_headline("hands", **_ALL_PAIRS) if _hands(session, engine) else by_headline("twins")
    return tell(session, said, engine)


def _twins_asked(scene: Scene, text: str) -> tuple[int, ...]:
    """Return the places of the equal words that are asked about, else of the first; empty if other words are meant.

    Raises Undefined if they stand there once.
    """
    require_tokens(scene, "whether equal words are told apart")
    groups = [group for group in twin_groups(scene.tokens) if is_word(scene.tokens[group[0]])]
    named = (_places(scene, name) for name in re.findall(rf"\b(?:{EQUAL}) (\w+)", text))
    own = next(filter(None, named), [])
    if not groups:
        raise Undefined("No word of this sentence occurs twice: there are no equal words to tell apart.", SENTENCE)
    if not own:
        return groups[0] if _ANY.search(text) else ()
    if found := next((group for group in groups if {*own} & {*group}), ()):
        return found
    once = quote(format_token(scene.tokens[own[0]]))
    raise Undefined(f"{once} stands here once: there is no other to tell it from.", SENTENCE)


def _best(scene: Scene, keys: tuple[int, ...], engine: Engine) -> int | None:
    """Return the query that tells these words apart most; None if it is by no more than rounding."""
    found = engine.maps(scene.prompt_of(scene.heads_of(None)), range(scene.n_tokens))
    weights = found.weights.mean(0)[:, list(keys)]  # (n, twins)
    apart = (weights.amax(1) - weights.amin(1)) * found.visible[:, list(keys)].all(1)
    apart[list(keys)] = 0
    return int(apart.argmax()) if float(apart.max()) > _ROUNDING * float(weights.max()) else None


def _hands(session: Session, engine: Engine) -> Hands | None:
    """Return the hands of equal words that the query in focus meets, over all pairs; None where it meets no such words."""
    panel = _with_options(session, "hands", **_ALL_PAIRS).picture("hands", engine).panels[0]
    is_of_twins = isinstance(panel, Hands) and panel.told and all(key.is_twin for key in panel.shown[:2])
    return panel if isinstance(panel, Hands) and is_of_twins and len(panel.shown) > 1 else None


_ALL_PAIRS: dict[str, Any] = {"pairs": (), "start": None}


# --- One word and another -------------------------------------------------------------------------------------------------


def most(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """To which key a query gives most."""
    scene, asking = session.scene.acting, _places(session.scene, said["q"])
    if not asking:
        return None
    query = _one_of(scene, asking)
    rows = _rows(scene, query, engine)
    where, start = in_head(scene, None), scene.start
    told = headline([*rows], [*rows.values()], "probabilities", scene.tokens, query, where, start, most=True)
    seen, which = _in_attention(session, query), name_token(scene.tokens, query, scene.start) if len(asking) > 1 else ""
    return Answer("", told, "attention", seen, _computed_on(seen, "attention", which))


def weight(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """What a query gives to a key, or what position adds to its score with it."""
    scene, is_added = session.scene.acting, said[0].startswith(("penali", "add"))
    asking, asked = (_places(scene, said[name]) for name in "qk")
    if not asking or not asked:
        return None
    query = _one_of(scene, asking)
    quantity: Quantity = "position" if is_added else "probabilities"
    rows = {phrase_of(scene): _row(scene, query, engine, quantity)} if is_added else _rows(scene, query, engine)
    (phrase, row), *others = rows.items()
    keys = tuple(key for key in asked if key in row)
    key, focus = (keys or asked)[0], word(scene, query, "focus")
    to = "itself" if key == query else name_token(scene.tokens, key, scene.start)
    begun = in_head(scene, None, f"{phrase[:1].upper()}{phrase[1:]}, ")
    if not keys:
        told = sentence(f"The mask hides {to} from ", focus, ".")
    elif is_added:
        told = sentence(
            f"{begun}position adds ", number_run(format_plain(row[key])), " to the score of ", focus, f" with {to}."
        )
    elif len(keys) > 1 and query not in keys and is_word(scene.tokens[key]):
        told = _gives(scene, query, keys, rows)
    else:
        numbers = [number_run(text) for text in format_side_by_side([row[key] for row in rows.values()])]
        place = f" ({scene.positions[query]})" if len(asking) > 1 else ""
        rest = (f"; {others[0][0]} ", numbers[1]) if others else ()
        told = sentence(begun, focus, f"{place} gives {to} ", numbers[0], *rest, ".")
    seen = _in_attention(session, query, quantity, key=key)
    return Answer("" if keys else "No", told, "attention", seen, _computed_on(seen, "attention"))


def distance(session: Session, said: re.Match[str], _engine: Engine) -> Answer | None:
    """How many words two words stand apart, of equal ones the nearest."""
    scene = session.scene
    ones, others = _places(scene, said["q"]), _places(scene, said["k"] or said["q"])
    pairs = [(abs(one - other), one, other) for one in ones for other in others if one != other]
    if not pairs:
        return None
    apart, first, second = min(pairs)
    both = join_words(name_token(scene.tokens, at, scene.start) for at in (first, second))
    runs = sentence(f"{both} stand ", number_run(format_count(apart, scene.unit)), " apart.")
    return Answer("", runs, "attention", session.changed(focus=first, key=second), "counted in your sentence")


# --- The sentence as a whole ----------------------------------------------------------------------------------------------


def order(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """What another order changes: two words swapped, all reversed, or as it stands against as it was typed."""
    swap, how = re.search(rf"swap\w* {Q} (?:and|with|for) {K}", said.string), "the last word first"
    if swap or "revers" in said.string:
        session = session.changed(order=())
        now, own = session.order_of(session.n_tokens), session.scene.sentence.split().own
        changed, how = change_among(now, own, lambda of: of[::-1]), "reversed"
        if swap:
            one, other = (_places(session.scene, name)[:1] for name in swap.groups())
            if not one or not other:
                return None
            changed, how = swap_tokens(now, one[0], other[0]), f"{join_words(swap.groups())} swapped"
        session = session.reordered(changed)
    elif session.order:
        how = "your order"
    tell = by_headline("equivariance", "changes their outputs", show="maps")
    told = tell(session, said, engine)
    return told and replace(told, basis=f"{told.basis} · {how}, against as typed")


def relative(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """Whether scores stay as they are where the whole sentence moves."""
    is_moot = session.encoding.door == "none" or "absolute" in said.string
    return by_headline("shift", "" if is_moot else "no score", offset=None)(session, said, engine)


def later(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """What is attended to where the sentence starts later."""
    at = re.search(r"\d+", said.string)
    seen = session.changed(start=int(at[0]) if at else session.start or _LATER)
    if session.n_tokens > WINDOW or session.encoding.door == "none":
        return by_headline("shift", offset=seen.start)(session, said, engine)
    return by_headline("attention")(_in_attention(seen, session.focus), said, engine)


# --- Parts of answers -----------------------------------------------------------------------------------------------------


def _places(scene: Scene, name: str) -> list[int]:
    """Return the places of a word in the sentence."""
    return [at for at, token in enumerate(scene.tokens) if plain_words(token) == name]


def _one_of(scene: Scene, places: list[int]) -> int:
    """Return the query that is meant: in focus if it is one of these, else the first; under a mask the last, which sees most."""
    return scene.focused if scene.focused in places else places[-1 if scene.model.causal else 0]


def _rows(scene: Scene, query: int, engine: Engine) -> dict[str, Row]:
    """Return a query's weights as asked about, and without position where these are others, by the phrases for both."""
    sides, plain = {phrase_of(scene): scene}, scene.without_position
    if plain.prompt != scene.prompt:
        sides[phrase_without(scene)] = plain
    return {phrase: _row(side, query, engine) for phrase, side in sides.items()}


def _row(scene: Scene, query: int, engine: Engine, quantity: Quantity = "probabilities") -> Row:
    """Return a query's numbers as means of heads."""
    return row_of(scene.with_fields(focus=query), AttentionOptions(quantity=quantity), scene.heads_of(None), engine)


def _gives(scene: Scene, query: int, keys: tuple[int, ...], rows: dict[str, Row]) -> tuple[Run, ...]:
    """“With RoPE, sat gives the two the 0.27 and 0.17. Without position, 0.23 each.”"""
    some = [{key: row[key] for key in keys} for row in rows.values()]
    return headline([*rows], some, "probabilities", scene.tokens, query, in_head(scene, None), scene.start)


def _in_attention(session: Session, query: int, quantity: Quantity = "probabilities", **fields: Any) -> Session:
    return _with_options(session.changed(focus=query, **fields), "attention", quantity=quantity, head=None)


def _with_options(session: Session, plot: str, **options: Any) -> Session:
    """Return the session with these options of a plot."""
    shown = session.options_of(plot).model_copy(update=options)
    return session.model_copy(update={"plots": session.plots.model_copy(update={plot: shown})})


def _computed_on(session: Session, plot: str, more: str = "") -> str:
    """Say on what a plot was computed: “computed on your sentence, toy model, mean of 4 heads · the first 512 of 600 words”."""
    model, scene = session.model, session.scene
    of = f"{model.name}, layer {model.layer}" if isinstance(model, TrainedModel) else "toy model"
    if plot == "attention" and model.n_heads > 1:
        of += f", {describe_head(scene, None).rpartition(', ')[2]}"
    is_whole = plot in ("attention", "frequencies")
    some = "" if is_whole else describe_first_tokens(min(MOST_TOKENS, session.n_tokens), scene)
    return " · ".join(filter(None, (f"computed on your sentence, {of}", some, scene.shared_in, more)))
