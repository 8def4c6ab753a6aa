"""Share strings: one word that comes back as the same session through mails, chats and paper, or says why it doesn't."""

from __future__ import annotations

import base64
import re
import textwrap
import tracemalloc
import zlib

import pytest
from any_session import sessions
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.foundation.files import share_string
from posenc_gui.session.first_session import first_session
from posenc_gui.session.session import LARGEST_SHARED
from posenc_gui.text import tokenization
from tests.session.test_session import UNKNOWN_PLOTS, written
from tests.whole.test_recorded import SESSIONS

LINE = r"[a-z].{10,300}"

# What strings that were handed out hold, for ever.
HANDED_OUT = {
    "posenc1uorjdnnvaa0pn3o5uq": pe.Session(),
    "posenc1uoazd2frir6hbvacaa0pjsdsyi": pe.Session(text="dog bites man", encoding=pe.encoding("rope", base=500_000.0)),
}


def refusal_of(text: str) -> str:
    with pytest.raises(ValueError, match=r"\S") as refusal:
        pe.Session.from_share(text)
    assert type(refusal.value) is ValueError
    assert re.fullmatch(LINE, str(refusal.value)), str(refusal.value)
    return str(refusal.value)


@given(sessions)
def test_any_session_comes_back_from_its_share_string(session: pe.Session) -> None:
    shared = session.share()
    assert re.fullmatch(r"posenc1[a-z0-9]+", shared)
    assert pe.Session.from_share(shared) == session
    assert pe.Session.from_share(shared).to_json() == session.to_json()
    assert share_string.is_share_string(shared)


@pytest.mark.parametrize("shared", HANDED_OUT)
def test_a_share_string_that_was_handed_out_is_read_for_ever(shared: str) -> None:
    assert pe.Session.from_share(shared) == HANDED_OUT[shared]


def test_ordinary_sessions_have_short_share_strings() -> None:
    assert len(pe.Session().share()) < 30
    assert len(first_session().share()) < 50
    assert len(pe.Session(text="dog bites man", encoding="rope", focus=1).share()) < 50
    assert max(len(session.share()) for session in SESSIONS.values()) < 400


LONG = pe.Session(text="Wo die Zitronen blühen, im dunkeln Laub die Goldorangen glühn", encoding="alibi").share()
AROUND = {
    "white space": f" \t{LONG}\r\n\n",
    "quotation marks": f"“{LONG}”",
    "a sentence": f"Try this one, posenc-gui 0.1.0: {LONG}, and tell me at 8:30 what row 3 shows.",
    "the mark before it": f"posenc1 strings are pasted with Ctrl+Shift+V: {LONG}",
    "lines of a mail": "\r\n".join(textwrap.wrap(LONG, 40)),
    "a quoted mail": textwrap.indent("\n".join(textwrap.wrap(LONG, 40)), "> > "),
    "quoted-printable": "=\n".join(textwrap.wrap(LONG, 75)),
    "markup": f"**`{LONG}`**",
    "soft hyphens and spaces without a width": "\u00ad\u200b".join(textwrap.wrap(LONG, 9)),
    "hyphens at the ends of lines": "-\n".join(textwrap.wrap(LONG, 30)),
    "capitals": LONG.upper(),
    "a broken one before it": f"{LONG[:30]}a{LONG[30:]}\n{LONG}",
    "another one behind it": f"{LONG}\n{pe.Session().share()}",
}


@pytest.mark.parametrize("text", AROUND.values(), ids=AROUND)
def test_what_stands_around_it_and_between_its_letters_does_no_harm(text: str) -> None:
    assert pe.Session.from_share(text) == pe.Session.from_share(LONG)


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text_may_stand_around_it(before: str, after: str) -> None:
    assert pe.Session.from_share(f"{before} {LONG} {after}") == pe.Session.from_share(LONG)


@pytest.mark.slow
@given(sessions, st.data())
def test_a_letter_lost_added_or_changed_is_told(session: pe.Session, data: st.DataObject) -> None:
    shared = session.share()
    at = data.draw(st.integers(len(share_string.MARK), len(shared) - 1))
    other = data.draw(st.sampled_from(["", *"abcdefghijklmnopqrstuvwxyz234567"]) | st.text(max_size=3))
    mutated = shared[:at] + other + shared[at + data.draw(st.integers(0, 2)) :]
    try:
        found = pe.Session.from_share(mutated)
    except ValueError:
        refusal_of(mutated)
    else:
        assert found == session


def test_one_that_is_cut_short_says_so() -> None:
    for end in range(len(share_string.MARK), len(LONG)):
        assert re.search("is cut short|was lost or changed", refusal_of(LONG[:end]))
    assert "from “posenc1” to its last letter" in refusal_of(LONG[:40])
    assert "a letter was lost or changed" in refusal_of(LONG.replace(LONG[20], "", 1))


@pytest.mark.parametrize("text", ["", "dog bites man", "posenc", "posenc-gui 1.0", "posenc-gui-session:e30=:", "{}"])
def test_what_is_none_says_what_one_looks_like(text: str) -> None:
    assert share_string.MARK in refusal_of(text)
    assert not share_string.is_share_string(text)


@given(st.text())
def test_any_text_is_refused_in_one_line(text: str) -> None:
    refusal_of(text)
    refusal_of(share_string.MARK + text)


def test_it_ages_as_files_do() -> None:
    shared = share_string.encode_share_string(written({"focus": 1, "plots": UNKNOWN_PLOTS}))
    opened = pe.Session.read_share(shared)
    assert opened.content == pe.Session(focus=1, plots={"attention": {"head": 1}})
    assert opened.remarks == (
        "left out the options of 'spectrogram' and 'wheel', since this explorer has no such plots.",
    )
    with pytest.warns(UserWarning, match="left out the options"):
        assert pe.Session.from_share(shared) == opened.content
    refusal = refusal_of(share_string.encode_share_string(written({"mood": "glad"})))
    assert refusal.endswith("mood: there is no such field; a newer explorer wrote it, posenc-gui 99.1.0")


@pytest.mark.slow
def test_what_grows_without_end_is_refused_before_it_has_grown() -> None:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    bomb = b"".join([*(squeeze.compress(bytes(10**7)) for _ in range(40)), squeeze.flush()])  # 400 MB in 400 kB
    held = (bomb, zlib.crc32(bomb).to_bytes(4, "big"))
    letters, checksum = (base64.b32encode(data).decode().rstrip("=").lower() for data in held)
    tracemalloc.start()
    assert f"more than {LARGEST_SHARED // 10**6} MB" in refusal_of(f"{share_string.MARK}{letters}0{checksum}")
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 3 * LARGEST_SHARED
    with pytest.raises(ValueError, match="is longer than 40 letters"):
        share_string.decode_share_string("a" * 41, 20)


def test_the_longest_text_and_order_can_be_shared_and_what_is_larger_says_so() -> None:
    order = tuple(reversed(range(tokenization.MAX_TOKENS)))
    largest = pe.Session(text="\x01" * tokenization.MAX_CHARACTERS, tokenizer="characters", order=order)
    assert pe.Session.from_share(largest.share()) == largest
    row = tuple(-(index + 1) / 7e100 for index in range(4096))
    typed = tuple((str(index), row) for index in range(61))
    with pytest.raises(ValueError, match=r"^this session is too large for a share string, .* 8 MB\.$"):
        largest.changed(model=pe.ToyModel(d_model=4096, vectors=typed)).share()


def test_of_many_damaged_ones_only_the_first_are_tried() -> None:
    damaged = share_string.MARK + "a" * 8 + "0" + "b" * 7
    assert pe.Session.from_share(f"{damaged}\n{LONG}") == pe.Session.from_share(LONG)
    assert "damaged" in refusal_of(f"{damaged}\n" * 100 + LONG)


def test_what_looks_like_one_is_told_from_words() -> None:
    for text in (LONG, f' "{LONG}"\n', f"> {LONG[:50]}\n> {LONG[50:]}", LONG[:60], LONG.upper()):
        assert share_string.is_share_string(text), text
    for text in (
        f"see {LONG}",
        f"{LONG} {LONG}",
        f"{LONG} is mine",
        "posenc1",
        "posenc1 is a mark",
        "posenc2abcdefghijkl",
    ):
        assert not share_string.is_share_string(text), text
