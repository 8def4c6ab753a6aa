"""Questions in words: “does RoPE tell the two the apart?” is answered by what is computed of the session that is asked about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from posenc_gui.attention.engine import Engine
from posenc_gui.figure.runs import Run, number_run, quote_runs, sentence
from posenc_gui.foundation.errors import Undefined
from posenc_gui.foundation.word_match import plain_words
from posenc_gui.foundation.wording import join_words
from posenc_gui.measures.kernel import CONTENTS
from posenc_gui.models import answer_topics as topics
from posenc_gui.models.answer_topics import EQUAL, SHOW, Answer, K, Q, Tell, by_headline
from posenc_gui.models.encoding_search import fitting
from posenc_gui.models.encodings_named import names_read
from posenc_gui.plots.base import WINDOW
from posenc_gui.scene.remedies import possible
from posenc_gui.session.session import Session

_LISTED = 8  # encodings
_ASKS = re.compile(r"(?:do|did|is|are|can|could|will|would|has|have|should|what|which|where|who|how|if)(?:es|s|n)?\b")
_HOW_TO = re.compile(r"(?:how|where) (?:do|can|could|should) i\b|how to\b|(?:can|may|should|do) i\b|(?:is|are) there\b")
_OPEN = re.compile(r"what|where|who|how|which")  # questions that Yes doesn't answer
_OF_ALL = re.compile(r"(?:which|what|how many) (?:positional )?(?:encodings?|embeddings?)\b")
# What is said of these isn't read, so that nothing is answered that wasn't asked.
_UNREAD = re.compile(
    r"\b(?:not|fails?|unable|why|mean|masks?|masked|heads?|layers?|strength|base|seeds?|patch(?:es)?)\b"
)
_PART = r"\b(?:apart|differ\w*|tell|distinguish|separate)\b|\bparts?$"
_ORDERS = r"\b(?:order|revers\w*|swap\w*|shuffl\w*|reorder\w*|permut\w*)\b"
_MATTERS = "(?:matter|change|notic|know|see|care|sensitiv|aware|happen|what if|make a difference)"
_TO = r"(?:attend|look|pay|give|focus)s?(?: (?:much|most|more|any|attention|weight))*(?: (?:to|at|on))?"
_WHO, _WHERE, _REORDERED = "Which encodings tell {} apart?", "Where do they part?", "Does word order matter?"
_STARTS, _MOVED = "What changes from position 100 on?", "Does distance alone count?"
_FADES = "Does it fade with distance?"


class _Topic(NamedTuple):
    """How something is asked, what answers it, other ways to ask, and the plot that shows it of all encodings.

    asks: in “{}” the equal words are named that are meant. of_all: empty if all encodings may not be asked. takes_number: True
    if a number may be named.
    """

    words: str
    tell: Tell
    asks: tuple[str, ...] = ()
    of_all: str = ""
    takes_number: bool = False


# What was asked is the first that fits.
_TOPICS = (
    _Topic(r"^(?:where|(?:in )?which pairs?)\b.*\b(?:part|apart|differ|separate)", topics.pair, (_WHO, _REORDERED)),
    _Topic(rf"(?:how far (?:apart|away)|distance between)(?: are| is)?(?: the)?(?: two| both)? {Q}(?: (?:and|from|to) {K})?$",
           topics.distance),
    _Topic(rf"\b(?:{EQUAL}|twins?)\b.*(?:{_PART})|(?:{_PART}).*\b(?:{EQUAL}|twins?)\b",
           topics.parted, (_WHO, _WHERE, _REORDERED), of_all="meaning"),
    _Topic(rf"\b(?:{EQUAL}) \w+\b.* (?:same|alike|equal|equally|identical)\b", topics.kept, (_WHO, _WHERE)),
    _Topic(rf"(?:what|which \w+|who|where) (?:does|is|s|will) {Q} (?:attend|look|focus)(?:ing)?(?: (?:most|mostly|to|at|on))*$",
           topics.most, ("Do equal words part?", _REORDERED)),
    _Topic(rf"(?:does|do|will|would) {Q} {_TO} {K}(?: at)?$", topics.weight),
    _Topic(rf"(?:penali[sz]e|adds?) {K} (?:from|for) {Q}$", topics.weight),
    _Topic(rf"{_ORDERS}.*{_MATTERS}|{_MATTERS}.*{_ORDERS}", topics.order, (_STARTS,)),
    _Topic(r"\brelative\b|(?:only|just)(?: on)?(?: the)? distance|distance (?:alone|only)|depends? on(?: the)? distance",
           topics.relative, ("Which encodings are relative?", _STARTS, _FADES), of_all="comparison"),
    _Topic(r"\b(?:start|begin|began|count|mov|shift)\w*\b.*\b(?:later|\d+)\b|from position \d+|sentence (?:is )?(?:mov|shift)ed",
           topics.later, (_MOVED,), takes_number=True),
    _Topic(r"distance.*\b(?:weaken|decay|fade|matter)|\b(?:fall|drop|decay|fade|weaken)s?\b.*\b(?:distance|far)",
           by_headline("kernel", " weakens ", f"computed on {CONTENTS} random words, toy model"), (_MOVED,)),
    _Topic(r"\bpairs?\b.*\b(?:turn|finish|rotate)", by_headline("frequencies", context=None)),
)  # fmt: skip


def answers(typed: str, session: Session, engine: Engine) -> Iterator[Answer]:
    """Yield the answer, then those to other ways to ask; nothing where the words aren't a question that is understood."""
    first = answer(typed, session, engine)
    if first is None:
        return
    yield first
    told = [first.runs]
    for other in first.asks:
        engine.check_stop()
        found = answer(other, first.session, engine)
        if found and found.plot and found.show == SHOW and found.runs not in told:
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
        found = _understood(text, session, engine)
    except ValueError as why:  # undefined, refused by the session, or more than memory holds
        found = _refusal(why, session)
    return found and replace(found, question=typed)


def _refusal(why: ValueError, session: Session) -> Answer:
    """Tell why there is no answer, with what can be shown instead."""
    told, remedy = (Run(f"{str(why)[:1].upper()}{str(why)[1:].rstrip('.')}."),), getattr(why, "remedy", None)
    if remedy and remedy.fields:
        with suppress(ValueError):  # a model that has learned may refuse it
            remedy = possible(session.scene, remedy)
            return Answer("", told, "attention", session.changed(**remedy.fields), show=remedy.words)
    return Answer("", told, "", session)


def _understood(text: str, session: Session, engine: Engine) -> Answer | None:
    text, named = names_read(text, session)
    is_of_all, has_number = bool(_OF_ALL.match(text)), bool(re.search(r"\d", text))
    if _UNREAD.search(text) or len(named) > (0 if is_of_all else 2):
        return None
    named = named or [one for one in (session.encoding, session.other) if one is not None]
    for topic in _TOPICS:
        said = re.search(topic.words, text)
        if not said or (is_of_all and not topic.of_all) or (has_number and not topic.takes_number):
            continue
        if is_of_all:
            told = [_of_all(topic, said, session, engine)]
        else:
            told = [topic.tell(session.changed(encoding=one, other=None), said, engine) for one in named]
        if (found := [one for one in told if one]) and len(found) == len(told):
            return _joined(found, topic.asks, is_open=bool(_OPEN.match(text)))
    return None


def _joined(found: list[Answer], asks: tuple[str, ...], is_open: bool) -> Answer:
    """Answer once for each encoding that was asked about, or once for all where the answers are the same."""
    runs: tuple[Run, ...] = ()
    for one in found:
        said = one.runs if is_open or not one.verdict else (Run(f"{one.verdict}. ", "number"), *one.runs)
        if quote_runs(said) not in quote_runs(runs):
            runs = (*runs, *([Run(" ")] if runs else []), *said)
    first, seen = found[0], found[0].session
    if len(found) > 1:
        seen = seen.changed(encoding=seen.encoding, other=found[-1].session.encoding)
    return replace(first, runs=runs, session=seen, asks=tuple(ask.format(first.twins) for ask in asks))


def _of_all(topic: _Topic, said: re.Match[str], session: Session, engine: Engine) -> Answer | None:
    """Count the encodings that do what is asked, each answered alone: “18 of 24 do; not ALiBi and FIRE.”"""
    if session.n_tokens > WINDOW:
        raise Undefined(f"All encodings are compared on at most {WINDOW} words: shorten the text.")
    found: dict[str, list[str]] = {"Yes": [], "Partly": [], "No": []}
    fitted = {name: one for name, one in fitting(session.model).items() if one.built_in}
    for one in {**fitted, session.encoding.name: session.encoding}.values():
        engine.check_stop()
        with suppress(ValueError):  # of one that isn't defined here
            told = topic.tell(session.changed(encoding=one, other=None), said, engine) if one.door != "none" else None
            if told and told.verdict:
                found[told.verdict].append(one.called)
    if not any(found.values()):
        return topic.tell(session, said, engine)  # which says why
    rest = ""
    for verdict, says in (("Partly", "partly"), ("No", "not")):
        if names := found[verdict]:
            rest += f"; {says} {join_words(names) if len(names) <= _LISTED else f'{len(names)} others'}"
    do = "are" if " are " in said.string else "do"
    runs = sentence(number_run(f"{len(found['Yes'])} of {sum(map(len, found.values()))}"), f" {do}{rest}.")
    hardly = "; partly: hardly, or for other words alone" if found["Partly"] else ""
    return Answer("", runs, topic.of_all, session, f"computed with the others at their defaults{hardly}")
