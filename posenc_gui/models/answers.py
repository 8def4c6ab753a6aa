"""Questions in words: “does RoPE tell the two the apart?” is answered by what is computed of the session that is asked about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from rapidfuzz.distance import OSA
from torch import Tensor

from posenc_gui.attention.engine import Engine
from posenc_gui.attention.trained_model import TrainedModel
from posenc_gui.encodings.base import Encoding
from posenc_gui.figure.headline import Row, headline
from posenc_gui.figure.panels import Hands, Heatmap, Note
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
from posenc_gui.measures.kernel import CONTENTS
from posenc_gui.models.encoding_search import Entry, entries, fitting
from posenc_gui.plots.base import WINDOW, describe_first_tokens, measured, require_tokens
from posenc_gui.plots.common.axes import word
from posenc_gui.plots.common.heads import describe_head, in_head
from posenc_gui.scene.comparison import phrase_without, phrases
from posenc_gui.scene.permutations import change_among, swap_tokens
from posenc_gui.scene.remedies import SENTENCE, SINUSOIDAL, possible
from posenc_gui.scene.scene import Scene
from posenc_gui.session.session import Session
from posenc_gui.text.token_letters import SPACE
from posenc_gui.text.tokenization import format_token, is_word, name_token, twin_groups

_SEEN, _SHARE = 0.005, 0.02  # from which on weights are seen to differ: in size, or as a share of the larger one
_ROUNDING = 1e-5  # of a weight: up to which it is equal
_SHOW = "Show"
_LISTED = 8  # encodings
_LATER = 100  # the position from which a sentence counts where none is named
_ASKS = re.compile(r"(?:do|did|is|are|can|could|will|would|has|have|should|what|which|where|who|how|if)(?:es|s|n)?\b")
_HOW_TO = re.compile(r"(?:how|where) (?:do|can|could|should) i\b|how to\b|(?:can|may|should|do) i\b|(?:is|are) there\b")
# What is said of these isn't read, so that nothing is answered that wasn't asked.
_UNREAD = re.compile(
    r"\b(?:not|fails?|unable|why|mean|masks?|masked|heads?|layers?|strength|base|seeds?|patch(?:es)?)\b"
)
_NUMBER = re.compile(r"(?<![\w(“.,])(−?\d[\d,]*(?:\.\d+)?(?:e−?\d+)?%?)(?![\w)”])")


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
    show: str = _SHOW
    asks: tuple[str, ...] = ()


Tell = Callable[[Session, re.Match[str], Engine], Answer | None]


def answers(typed: str, session: Session, engine: Engine) -> Iterator[Answer]:
    """Yield the answer, then those to other ways to ask; nothing where the words aren't a question that is understood."""
    if first := answer(typed, session, engine):
        yield first
        is_moved = first.session.order != session.order
        asked, told = first.session.changed(focus=(first.session if is_moved else session).focus), [first.runs]
        for other in first.asks:
            engine.check_stop()
            found = answer(other, asked, engine)
            if found and found.plot and found.show == _SHOW and found.runs not in told:
                told.append(found.runs)
                yield found


def answer(typed: str, session: Session, engine: Engine) -> Answer | None:
    """Answer a question about the sentence and the encodings that it names, by default the session's own; None where that isn't
    understood. Of what isn't defined there the reason is told, and its remedy is what can be shown.
    """
    text = " ".join(plain_words(typed).split())
    if _HOW_TO.match(text) or not (_ASKS.match(text) or typed.rstrip().endswith("?")):
        return None
    try:
        return _answer(typed, text, session, engine)
    except ValueError as why:  # undefined, refused by the session, or more than memory holds
        told, remedy = _bold(f"{str(why)[:1].upper()}{str(why)[1:].rstrip('.')}."), getattr(why, "remedy", None)
        if remedy and remedy.fields:
            with suppress(ValueError):  # a model that has learned may refuse it
                remedy = possible(session.scene, remedy)
                return Answer(
                    "", told, "attention", session.changed(**remedy.fields), question=typed, show=remedy.words
                )
        return Answer("", told, "", session, question=typed)


def _answer(typed: str, text: str, session: Session, engine: Engine) -> Answer | None:
    text, named = _names_read(text, session)
    is_of_all = bool(re.match(r"(?:which|what|how many) (?:positional )?(?:encodings?|embeddings?)\b", text))
    if _UNREAD.search(text) or len(named) > (0 if is_of_all else 2):
        return None
    named = named or [one for one in (session.encoding, session.other) if one is not None]
    for words, tell, asks in _TOPICS:
        said = re.search(words, text)
        if not said or (is_of_all and tell not in _OF_ALL) or (tell is not _later and re.search(r"\d", text)):
            continue
        if tell is _alike:
            told = [_alike(session.changed(encoding=named[0], other=named[-1]), said, engine)]
        elif is_of_all:
            told = [_of_all(tell, said, session, engine)]
        else:
            told = [tell(session.changed(encoding=one, other=None), said, engine) for one in named]
        if all(told) and (found := [one for one in told if one]):
            return _joined(found, typed, text, asks)
    return None


def _joined(found: list[Answer], typed: str, text: str, asks: tuple[str, ...]) -> Answer:
    """Answer once for each encoding that was asked about, or once for all where the answers are the same."""
    runs: tuple[Run, ...] = ()
    for one in found:
        is_asked = one.verdict and not re.match(r"(?:what|where|who|how|which)", text)
        said = (Run(f"{one.verdict}. ", "number"), *one.runs) if is_asked else one.runs
        if quote_runs(said) not in quote_runs(runs):
            runs = (*runs, *([Run(" ")] if runs else []), *said)
    first, seen = found[0], found[0].session
    if len(found) > 1:
        seen = seen.changed(encoding=seen.encoding, other=found[-1].session.encoding)
    model = f"{seen.model.name}, layer {seen.model.layer}" if isinstance(seen.model, TrainedModel) else "toy model"
    if first.plot == "attention" and seen.model.n_heads > 1:
        model += f", {describe_head(seen.scene, None).rpartition(', ')[2]}"
    rests = "" if first.basis.startswith(("judged", "computed")) else f"computed on your sentence, {model}"
    some = (
        ""
        if first.plot in ("attention", "frequencies")
        else describe_first_tokens(min(MOST_TOKENS, seen.n_tokens), seen.scene)
    )
    basis = " · ".join(filter(None, (rests, *((some, seen.scene.shared_in) if rests else ()), first.basis)))
    others = tuple(ask.format(first.twins) for ask in asks)
    return replace(first, runs=runs, session=seen, question=typed, basis=basis, asks=others)


def _of_all(tell: Tell, said: re.Match[str], session: Session, engine: Engine) -> Answer | None:
    """Count the encodings that do what is asked, each answered alone: “18 of 24 do; not ALiBi and FIRE.”"""
    if session.n_tokens > WINDOW:
        raise Undefined(f"All encodings are compared on at most {WINDOW} words: shorten the text.")
    found: dict[str, list[str]] = {"Yes": [], "Partly": [], "No": []}
    why: ValueError | None = None
    for one in {**fitting(session.model), session.encoding.name: session.encoding}.values():
        engine.check_stop()
        try:
            told = tell(session.changed(encoding=one, other=None), said, engine) if one.door != "none" else None
        except ValueError as error:  # of one that isn't defined here, or of all
            why = error
        else:
            if told and told.verdict:
                found[told.verdict].append(one.called)
    if not any(found.values()) and why:
        raise why
    named = {
        one: join_words(names) if len(names) <= _LISTED else f"{len(names)} others" for one, names in found.items()
    }
    rest = [f"; {word} {named[one]}" for one, word in (("Partly", "partly"), ("No", "not")) if found[one]]
    do = "are" if " are " in said.string else "do"
    runs = sentence(number_run(f"{len(found['Yes'])} of {sum(map(len, found.values()))}"), f" {do}{''.join(rest)}.")
    hardly = "; partly: hardly, or for other words alone" if found["Partly"] and tell is _parted else ""
    basis = f"{'judged with' if tell is _requirement else ''} others at their defaults{hardly}".strip()
    return Answer("", runs, _OF_ALL[tell], session, basis) if any(found.values()) else None


def _names_read(text: str, session: Session) -> tuple[str, list[Encoding]]:
    """Return the words with “it” for each encoding that they name, and these encodings as they follow each other."""
    named: list[tuple[int, Entry]] = []

    def take(found: re.Match[str], entry: Entry) -> str:
        named.append((found.start(), entry))
        return "it".ljust(len(found[0]), "~")  # what follows stays where it is

    for name, entry in _names():
        text = re.sub(rf"\b{re.escape(name)}s?\b", partial(take, entry=entry), text)
    own = {_plain(token) for token in session.tokens}
    for found in re.finditer(r"\b[a-z]{5,}\b", text):
        alike = [entry for name, entry in _names() if len(name) > 4 and OSA.distance(name, found[0]) == 1]
        if alike and found[0] not in own:
            text = f"{text[: found.start()]}{take(found, alike[0])}{text[found.end() :]}"
    text = re.sub(r"~+(?: (?:positional )?(?:encodings?|embeddings?)\b)?", "", text)
    text = re.sub(r"(?: (?:with|under|using|in|for) it| here| now)+$|^(?:with|under|in) it ", "", text)
    return text, list(dict.fromkeys(_own(entry, session) for _, entry in sorted(named, key=lambda one: one[0])))


@cache
def _names() -> list[tuple[str, Entry]]:
    """Return the names by which encodings are known, the longest first; a common word only if it begins a longer name."""
    found: dict[str, Entry] = {}
    for entry in entries():
        own = (entry.title, *(() if entry.field else (entry.cls.name.replace("_", " "),)))
        also = (
            name
            for name in entry.also
            if " " in name or not name.islower() or any(other.startswith(f"{name} ") for other in entry.also)
        )
        found = {plain_words(name).strip(): entry for name in (*own, *also)} | found
    return sorted(found.items(), key=lambda one: -len(one[0]))


def _own(entry: Entry, session: Session) -> Encoding:
    """Return the encoding that an entry names, with the session's own parameters where it has one of the kind."""
    sides = [one for one in (session.encoding, session.other) if type(one) is entry.cls]
    exact = next((one for one in sides if not entry.field or entry.is_of(one)), None)
    return exact or entry.chosen(next(iter(sides), None))


def _plain(token: str) -> str:
    return token.strip(SPACE).casefold()


def _places(scene: Scene, name: str) -> list[int]:
    """Return the places of a word in the sentence."""
    return [at for at, token in enumerate(scene.tokens) if _plain(token) == name]


def _seen(session: Session, plot: str, **options: Any) -> Session:
    """Return the session with these options of a plot."""
    shown = session.options_of(plot).model_copy(update=options)
    return session.model_copy(update={"plots": session.plots.model_copy(update={plot: shown})})


def _bold(text: str) -> tuple[Run, ...]:
    """Return a sentence with its numbers emphasized."""
    return sentence(*(number_run(part) if at % 2 else part for at, part in enumerate(_NUMBER.split(text))))


def _rows(scene: Scene, query: int, engine: Engine, scores: bool = False) -> dict[str, Row]:
    """Return a query's weights, or scores, as means of heads: as asked about, and without position, by the phrases for both."""
    asked = phrases(scene)[scene.encoding == scene.sides[1].encoding]
    found: dict[str, Row] = {}
    plain = scene.without_position
    for phrase, side in {
        asked: scene,
        **({} if plain.prompt == scene.prompt else {phrase_without(scene): plain}),
    }.items():
        row = engine.attended(side.prompt_of(scene.heads_of(None)), range(query, query + 1), range(scene.n_tokens))
        values = (row.scores if scores else row.weights).mean(0)[0].tolist()
        found[phrase] = {key: values[key] for key in row.visible[0].nonzero().flatten().tolist()}
    return found


def _in_attention(session: Session, query: int, quantity: str = "probabilities", **fields: Any) -> Session:
    return _seen(session.changed(focus=query, **fields), "attention", quantity=quantity, head=None)


def _parted(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """Whether a query tells equal words apart, the one in focus unless it is one of them; else, whether another does."""
    scene = session.scene.acting
    require_tokens(scene, "whether equal words are told apart")
    groups = {_plain(scene.tokens[one[0]]): one for one in twin_groups(scene.tokens) if is_word(scene.tokens[one[0]])}
    names = re.findall(rf"\b(?:{_EQUAL}) (\w+)", said.string)
    own = [name for name in names if _places(scene, name)]
    if groups and not own and not (_ANY.search(said.string) or said.string.endswith(("two apart", "both apart"))):
        return None
    if not groups:
        raise Undefined("No word of this sentence occurs twice: there are no equal words to tell apart.", SENTENCE)
    if own and own[0] not in groups:
        raise Undefined(f"{quote(own[0])} stands here once: there is no other to tell it from.", SENTENCE)
    keys = groups[own[0]] if own else next(iter(groups.values()))
    twins = f"the {spell_count(len(keys))} {format_token(scene.tokens[keys[0]])}"
    asking = (scene.focused or 0, *range(scene.n_tokens - 1, -1, -1))
    query = next((at for at in asking if at not in keys and (at > keys[-1] or not scene.model.causal)), None)
    rows = {} if query is None else _rows(scene, query, engine)
    if query is None or not all(key in row for row in rows.values() for key in keys):  # no other word sees them all
        told = _by_headline("twins")(session, said, engine)
        return told and replace(
            told, verdict="No" if measured("twins", scene, engine).first is None else "Yes", twins=twins
        )
    runs, weights = _told(scene, query, keys, rows), [next(iter(rows.values()))[key] for key in keys]
    apart, most = max(weights) - min(weights), max(weights)  # of many words' weights all are small
    verdict = "Yes" if apart >= min(_SEEN, _SHARE * most) else "Partly" if apart > _ROUNDING * most else "No"
    if verdict != "Yes" and scene.n_tokens <= WINDOW and (best := _best(scene, keys, engine)) not in (None, query):
        query, verdict = best, "Partly"
        runs = (*runs, Run(" "), *_told(scene, query, keys, dict([*_rows(scene, query, engine).items()][:1])))
    seen = _in_attention(session, query)
    return Answer(verdict, runs, "attention", seen, _where(seen, keys, engine), twins)


def _told(scene: Scene, query: int, keys: tuple[int, ...], rows: dict[str, Row]) -> tuple[Run, ...]:
    """“With RoPE, sat gives the two the 0.27 and 0.17. Without position, 0.23 each.”"""
    some = [{key: row[key] for key in keys} for row in rows.values()]
    return headline([*rows], some, "probabilities", scene.tokens, query, in_head(scene, None), scene.start)


def _best(scene: Scene, keys: tuple[int, ...], engine: Engine) -> int | None:
    """Return the query that tells these words apart most; None if it is by no more than rounding."""
    found = engine.maps(scene.prompt_of(scene.heads_of(None)), range(scene.n_tokens))
    weights: Tensor = found.weights.mean(0)[:, list(keys)]  # (n, twins)
    apart = (weights.amax(1) - weights.amin(1)) * found.visible[:, list(keys)].all(1)
    apart[list(keys)] = 0
    return int(apart.argmax()) if float(apart.max()) > _ROUNDING * float(weights.max()) else None


def _hands(session: Session, engine: Engine) -> Hands | None:
    """Return the hands of equal words that the query in focus meets, over all pairs; None where it meets no such words."""
    panel = _seen(session, "hands", **_ALL_PAIRS).picture("hands", engine).panels[0]
    is_of_twins = isinstance(panel, Hands) and panel.told and all(key.is_twin for key in panel.shown[:2])
    return panel if isinstance(panel, Hands) and is_of_twins and len(panel.shown) > 1 else None


def _where(session: Session, keys: tuple[int, ...], engine: Engine) -> str:
    """Say in which pair these equal words part most: “they part most in pair 0”; empty where no pair turns."""
    panel = _hands(session, engine)
    if panel is None or not {key.at for key in panel.shown} <= {*keys}:
        return ""
    head = f"in head {session.options_of('hands').head} " if session.model.n_heads > 1 else ""
    return f"{head}they part most in {panel.columns[panel.told[0]]}"


def _by_headline(plot: str, if_so: str = "", basis: str = "", **options: Any) -> Tell:
    """Return what answers by a plot's headline, under these options; Yes if it holds some words, No if it doesn't."""

    def tell(asked: Session, _said: re.Match[str], engine: Engine) -> Answer:
        seen = _seen(asked, plot, **options)
        figure = seen.picture(plot, engine)
        if figure.is_note and isinstance(note := figure.panels[0], Note):
            raise Undefined(note.text, note.remedy)
        verdict = "" if not if_so else "Yes" if if_so in quote_runs(figure.headline) else "No"
        return Answer(verdict, figure.headline, plot, seen, basis)

    return tell


_ALL_PAIRS: dict[str, Any] = {"pairs": (), "start": None}
_reordered = _by_headline("equivariance", "changes their outputs", show="maps")


def _kept(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """Whether equal words stay equal: the contrary of `_parted`."""
    told = _parted(session, said, engine)
    return told and replace(told, verdict={"Yes": "No", "No": "Yes"}.get(told.verdict, told.verdict))


def _pair(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    tell = _by_headline("hands", **_ALL_PAIRS) if _hands(session, engine) else _by_headline("twins")
    return tell(session, said, engine)


def _order(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """What another order changes: two words swapped, all reversed, or as it stands against as it was typed."""
    swap, how = re.search(rf"swap\w* {_Q} (?:and|with|for) {_K}", said.string), "the last word first"
    if swap or "revers" in said.string:
        session = session.changed(order=())
        order, own = session.order_of(session.n_tokens), session.scene.sentence.split().own
        places = [_places(session.scene, name) for name in swap.groups()] if swap else []
        if not all(places):
            return None
        swapped = (
            swap_tokens(order, *(of[0] for of in places)) if swap else change_among(order, own, lambda of: of[::-1])
        )
        session, how = session.reordered(swapped), f"{join_words(swap.groups())} swapped" if swap else "reversed"
    told = _reordered(session, said, engine)
    return told and replace(told, basis=f"{'your order' if session.order and how[0] == 't' else how}, against as typed")


def _texts(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """Whether two sentences of the same words are told apart: “dog bites man” from “man bites dog”."""
    first, second = said.groups()
    if sorted(first.split()) != sorted(second.split()) or first == second:
        return None
    seen = _seen(session.changed(text=first, tokenizer="words", fill="none", patches=None), "meaning", other=second)
    told = _by_headline("meaning", " differs ")(seen, said, engine)
    return told and replace(told, basis=f"{quote(first)} in its place")


def _requirement(session: Session, said: re.Match[str], engine: Engine) -> Answer:
    if session.encoding.door == "none":
        raise Undefined("Without an encoding there is nothing to judge: no position has a signature.", SINUSOIDAL)
    name = next(name for name, words in _REQUIREMENTS.items() if re.search(words, said[0]))
    found = measured("requirements", session.scene, engine)
    verdict = {"met": "Yes", "partly": "Partly", "not": "No"}.get(found[name].verdict, "")
    far = "; whether a trained model answers well there isn’t measured" if name == "generalizable" else ""
    basis = f"judged over {format_count(found.judged, found[name].about)}{far}"
    return Answer(verdict, _bold(f"{session.encoding.called}: {found[name].reason}"), "requirements", session, basis)


def _relative(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """Whether scores stay as they are where the whole sentence moves."""
    told = _by_headline("shift", "no score", offset=None)(session, said, engine)
    is_moot = session.encoding.door == "none" or "absolute" in said.string
    return told and replace(told, verdict="" if is_moot else told.verdict)


def _later(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """What is attended to where the sentence starts later."""
    at = re.search(r"\d+", said.string)
    seen = session.changed(start=int(at[0]) if at else session.start or _LATER)
    if session.n_tokens > WINDOW or session.encoding.door == "none":
        return _by_headline("shift", offset=seen.start)(session, said, engine)
    return _by_headline("attention")(_in_attention(seen, session.focus), said, engine)


def _alike(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """Whether two encodings give all weights alike, and what they make of the row in focus; None where only one is named."""
    if session.encoding == session.other:
        return None
    if session.n_tokens > WINDOW:
        raise Undefined(f"All weights are compared for at most {WINDOW} words: shorten the text.")
    seen = _seen(_in_attention(session, session.focus), "attention", maps="sides", queries="all", row=False)
    told = _by_headline("attention")(seen, said, engine)
    one, other = (panel.values for panel in seen.picture("attention", engine).panels if isinstance(panel, Heatmap))
    return told and replace(told, verdict="Yes" if abs(one - other).max() <= _ROUNDING else "No")


def _weight(session: Session, said: re.Match[str], engine: Engine) -> Answer | None:
    """What a query gives to a key, or the most that it gives to one; or what position adds to its score with a key."""
    scene, names, is_added = session.scene.acting, said.groupdict(), bool(re.search(_ADDS, said[0]))
    asking, asked = (_places(scene, names.get(name) or names["q"]) for name in "qk")
    if not asking or not asked:
        return None
    query = scene.focused if scene.focused in asking else asking[0]
    focus, rows = word(scene, query, "focus"), _rows(scene, query, engine, scores=is_added)
    first, *others = rows.values()
    keys = tuple(key for key in asked if key in first) if "k" in names else (max(first, key=first.__getitem__),)
    seen = _in_attention(session, query, "position" if is_added else "probabilities", key=next(iter(keys), None))
    if not keys:
        return Answer(
            "No", sentence(f"The mask hides {_key(scene, asked[0], query)} from ", focus, "."), "attention", seen
        )
    begun = in_head(scene, None, f"{next(iter(rows))[:1].upper()}{next(iter(rows))[1:]}, ")
    if is_added:
        added = number_run(format_plain(first[keys[0]] - (others or [first])[0][keys[0]]))
        told = f"{begun}position adds ", added, " to the score of ", focus, f" with {_key(scene, keys[0], query)}."
        return Answer("", sentence(*told), "attention", seen)
    if len(keys) > 1 and query not in keys and is_word(scene.tokens[keys[0]]):
        return Answer("", _told(scene, query, keys, rows), "attention", seen)
    most = [
        (keys[0], _key(scene, keys[0], query)) if "k" in names else _most(scene, row, query) for row in rows.values()
    ]
    numbers = format_side_by_side([row[key] for row, (key, _) in zip(rows.values(), most, strict=True)])
    place = f" ({scene.positions[query]})" if len(asking) > 1 else ""
    gives = f"{place}{' gives' if 'k' in names else ' gives most to'} {most[0][1]} "
    parts: list[str | Run] = [begun, focus, gives, number_run(numbers[0])]
    for phrase, (_, to), number in zip([*rows][1:], most[1:], numbers[1:], strict=True):
        parts += [f"; {phrase} ", f"to {to} " if to != most[0][1] else "", number_run(number)]
    return Answer("", sentence(*parts, "."), "attention", seen)


def _most(scene: Scene, row: Row, query: int) -> tuple[int, str]:
    """Return the key of most weight, and its name with the number of those that have as much."""
    best = max(row, key=row.__getitem__)
    alike = sum(weight >= row[best] * (1 - _ROUNDING) for weight in row.values()) - 1
    return best, f"{_key(scene, best, query)}{' and ' * bool(alike)}{format_count(alike, 'other') * bool(alike)}"


def _key(scene: Scene, key: int, query: int) -> str:
    return "itself" if key == query else name_token(scene.tokens, key, scene.start)


def _distance(session: Session, said: re.Match[str], _engine: Engine) -> Answer | None:
    """How many words two words stand apart, of equal ones the nearest."""
    scene = session.scene
    one, *others = (_places(scene, name) for name in said.groups())
    pairs = [
        (abs(first - second), first, second) for first in one for second in (others or [one])[0] if first != second
    ]
    if not pairs:
        return None
    apart, first, second = min(pairs)
    both = join_words(name_token(scene.tokens, at, scene.start) for at in (first, second))
    runs = sentence(f"{both} stand ", number_run(format_count(apart, scene.unit)), " apart.")
    return Answer("", runs, "attention", session.changed(focus=first, key=second))


# Which encodings do it may be asked, too; and the plot that shows them.
_OF_ALL: dict[Tell, str] = {_parted: "meaning", _relative: "comparison", _requirement: "comparison"}
_EQUAL = "two|both|three|first|second|equal|same|repeated|identical"
_ANY = re.compile(r"\b(?:equal|same|repeated|identical) (?:words?|tokens?)\b|\btwins?\b|^where ")
_Q, _K = (rf"(?:the )?(?:word |token )?(?P<{name}>\w+)" for name in "qk")
_TO = r"(?:attend|look|pay|give|focus)s?(?: (?:much|most|more|any|attention|weight))*(?: (?:to|at|on))?"
_ADDS, _PART = r"penali[sz]e|adds?", r"\b(?:apart|differ\w*|tell|distinguish|separate)\b|\bparts?$"
_ORDERS = r"\b(?:order|revers\w*|swap\w*|shuffl\w*|reorder\w*|permut\w*)\b"
_MATTERS = "(?:matter|change|notic|know|see|care|sensitiv|aware|happen|what if|make a difference)"
_REQUIREMENTS = {
    **{name: rf"\b{name}$" for name in ("unique", "bounded", "deterministic", "smooth")},
    "generalizable": r"extrapolat|generali[sz]|(?:work|defined|hold|go)\w*\b.* (?:longer|long|past|beyond)\b",
}
_WHO, _WHERE, _REORDERED = "Which encodings tell {} apart?", "Where do they part?", "Does word order matter?"
_ALL_MOVE, _FADES, _STARTS = (
    "Does distance alone count?",
    "Does it fade with distance?",
    "What changes from position 100 on?",
)

# What was asked is the first that fits: how it is said, what answers it, other ways to ask.
_TOPICS: tuple[tuple[str, Tell, tuple[str, ...]], ...] = (
    (r"(?:tell|distinguish|between|separate)s? (.+? .+?) (?:from|and) (.+? .+?)(?: apart)?$", _texts, ()),
    (r"\bit\b.*\b(?:same|alike|equal|differ\w*)\b.*\bit\b|differ\w* .*\bit and it\b", _alike, ()),
    (r"^(?:where|(?:in )?which pairs?)\b.*\b(?:part|apart|differ|separate)", _pair, (_WHO, _REORDERED)),
    (rf"(?:how far (?:apart|away)|distance between)(?: (?:are|is))? {_Q} (?:and|from|to) {_K}$", _distance, ()),
    (r"how far (?:apart|away) are (?:the )?(?:two|both) (\w+)$", _distance, (_WHO, _WHERE)),
    (rf"\b(?:{_EQUAL}|twins?)\b.*(?:{_PART})|(?:{_PART}).*\b(?:{_EQUAL}|twins?)\b", _parted, (_WHO, _WHERE, _REORDERED)),
    (rf"\b(?:{_EQUAL}) \w+\b.* (?:same|alike|equal|equally|identical)\b", _kept, (_WHO, _WHERE)),
    (rf"(?:what|which \w+|who|where) (?:does|is|s|will) {_Q} (?:attend|look|focus)(?:ing)?(?: (?:most|mostly|to|at|on))*$",
     _weight, ("Do equal words part?", _REORDERED)),
    (rf"(?:does|do|will|would) {_Q} {_TO} {_K}(?: at)?$", _weight, ()),
    (rf"(?:{_ADDS}) {_K} (?:from|for) {_Q}$", _weight, ()),
    (rf"{_ORDERS}.*{_MATTERS}|{_MATTERS}.*{_ORDERS}", _order, (_STARTS,)),
    (r"\brelative\b|(?:only|just)(?: on)?(?: the)? distance|distance (?:alone|only)|depends? on(?: the)? distance",
     _relative, ("Which encodings are relative?", _STARTS, _FADES)),
    (rf"^(?!.*weight).*(?:{'|'.join(_REQUIREMENTS.values())})", _requirement, (_FADES, "How many pairs never finish a turn?")),
    (r"\b(?:start|begin|began|count|mov|shift)\w*\b.*\b(?:later|\d+)\b|from position \d+|sentence (?:is )?(?:moved|shifted)",
     _later, (_ALL_MOVE,)),
    (r"distance.*\b(?:weaken|decay|fade|matter)|\b(?:fall|drop|decay|fade|weaken)s?\b.*\b(?:distance|far)",
     _by_headline("kernel", " weakens ", f"computed on {CONTENTS} random words, toy model"), (_ALL_MOVE,)),
    (r"\bpairs?\b.*\b(?:turn|finish|rotate)", _by_headline("frequencies", context=None), ()),
)  # fmt: skip
