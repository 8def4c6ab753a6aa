"""The same words among the tokens of one text that two tokenizers have split."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TypeVar

from posenc_gui.scene.setup import Setup
from posenc_gui.scene.splitting import Split
from posenc_gui.text.token_letters import whole

S = TypeVar("S", bound=Setup)


def on_the_same_words(setup: S, split: Split | None, before: Setup, split_before: Split | None) -> S:
    """Return a setup in typed order, its focus and key on the words that they were before, once both splits are known."""
    if split is None or split_before is None or not split.own or not split_before.own:
        return setup
    if (split.of, split_before.of) != (setup.splitting, before.splitting):
        return setup
    count = len(split_before.tokens)
    order = before.order_of(count)
    looked_at = {"focus": before.focus_of(count), "key": None if before.key is None else before.key_of(count)}
    found = {name: same_word(split_before, order[at], split) for name, at in looked_at.items() if at is not None}
    return setup.changed(**found)


def same_word(split: Split, at: int, other: Split) -> int:
    """Return where a token, or the nearest of the text's own, stands in another split of the same text. That is the token
    that is as many characters into the text; an equal one beside it is preferred, since what a tokenizer doesn't know may
    have other characters."""
    own = [whole(token).casefold() for token in split.tokens[split.own.start : split.own.stop]]
    others = [whole(token).casefold() for token in other.tokens[other.own.start : other.own.stop]]
    index = min(max(at - split.own.start, 0), len(own) - 1)
    starts = [0, *accumulate(map(len, others))]
    start = sum(map(len, own[:index])) * starts[-1] // max(1, sum(map(len, own)))
    near = bisect_right(starts, start, hi=len(others)) - 1
    beside = (place for place in (near, near - 1, near + 1) if 0 <= place < len(others))
    return other.own[next((place for place in beside if others[place] == own[index]), near)]
