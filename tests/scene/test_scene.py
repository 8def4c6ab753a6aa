"""What follows from a session is derived once for all that show it, and never shown for another session."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

import posenc_gui as pe
from posenc_gui.attention.engine import Engine
from posenc_gui.foundation.derived_once import derived
from posenc_gui.foundation.errors import Undefined
from posenc_gui.scene.scene import Scene, Sentence
from posenc_gui.scene.splitting import Splitting
from posenc_gui.session.evaluate import evaluate, judge
from posenc_gui.session.released_defaults import Defaults

SEEN_AT_FIRST = ("attention", "row", "encoding", "waves", "clocks", "flow", "similarity", "requirements", "slopes")
READ_ANEW = ("n_tokens", "context", "can_lose_position")  # what is merely looked up
FACTS = [
    (fact._derive if isinstance(fact, derived) else fact.fget).__code__
    for kind in (Scene, Sentence)
    for name, fact in vars(kind).items()
    if isinstance(fact, derived | property) and name not in READ_ANEW
]


def calls_of(work: Callable[[], object]) -> list[FrameType]:
    """Every call of Python functions while some work is done."""
    found: list[FrameType] = []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            found.append(frame)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("compared", [{}, {"other": "alibi"}, {"strength": 0.5}])
def test_one_typed_number_derives_each_fact_once_for_all_plots_and_verdicts(compared: dict[str, object]) -> None:
    engine = Engine()
    before = pe.Session(encoding="rope", **compared)
    list(evaluate(before, SEEN_AT_FIRST, engine))

    def type_a_number() -> None:
        session = before.changed(encoding=pe.encoding("rope", base=12_345))
        list(evaluate(session, SEEN_AT_FIRST, engine))
        judge(session, engine)
        assert session.to_json()

    calls = calls_of(type_a_number)
    facts = Counter((frame.f_code, id(frame.f_locals["self"])) for frame in calls if frame.f_code in FACTS)
    assert facts, "the plots read scenes"
    assert {frame.co_qualname for (frame, _), count in facts.items() if count > 1} == set()
    names = Counter(frame.f_code for frame in calls)
    assert names[Splitting.split.__code__] <= 1
    assert names[Defaults.shortened.__code__] == 1


def test_a_scene_is_of_its_session_alone() -> None:
    session = pe.Session(text="the dog bites the man", focus=4)
    assert (session.tokens[0], session.scene.sentence.twins, session.focused) == ("the", {0, 3}, 4)
    assert session.scene is session.scene
    typed = session.model_copy(update={"text": "man bites dog"})
    assert (typed.tokens, typed.scene.sentence.twins, typed.focused) == (("man", "bites", "dog"), frozenset(), 2)
    moved = session.reordered((4, 3, 2, 1, 0))
    assert (moved.tokens[0], moved.focused, moved.scene.sentence.twins) == ("man", 0, {1, 4})
    assert session.tokens[0] == "the", "as after undo"
    other = moved.changed(encoding="rope")
    assert other.scene.prompt.encoding == other.encoding
    assert other.scene.without_position.encoding.door == "none"


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda session: pickle.loads(pickle.dumps(session)), lambda one: one.changed()]
)
def test_a_copy_is_equal_and_carries_nothing_that_was_derived(copied: Callable[[pe.Session], pe.Session]) -> None:
    session = pe.Session(text="the dog bites the man", other="rope")
    plain, size = dict(vars(session)), len(pickle.dumps(session))
    assert session.scene.sides
    assert session.to_json()
    again = copied(session)
    assert again == session
    assert hash(again) == hash(session)
    assert vars(session) == vars(again) == plain
    assert len(pickle.dumps(session)) == size
    assert again.scene == session.scene


def test_scenes_of_sessions_that_were_left_are_let_go() -> None:
    session = pe.Session(text=" ".join(map(str, range(2000))))
    assert session.scene.sentence.twins == frozenset()
    scene = weakref.ref(session.scene)
    for at in range(40):
        assert session.changed(focus=at).focused == at
    gc.collect()
    assert scene() is None


def test_threads_that_read_at_once_read_the_same_scene() -> None:
    session = pe.Session(text="a b c " * 2000)
    together, found = threading.Barrier(4), []

    def read() -> None:
        together.wait()
        found.append((session.scene, session.scene.tokens, session.scene.sides))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    scenes, tokens, sides = zip(*found, strict=True)
    assert len({id(one) for one in scenes}) == len({id(one) for one in tokens}) == len({id(one) for one in sides}) == 1


def test_a_tokenizer_that_changed_failed_or_came_back_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    session = pe.Session(text="one two", tokenizer=str(path))
    scene = Scene(session)  # held while its file comes
    assert (session.n_tokens, scene.context.length) == (0, 0)
    with pytest.raises(Undefined):
        _ = session.tokens

    def write(words: dict[str, int]) -> None:
        made = Tokenizer(WordLevel(words, unk_token="?"))
        made.pre_tokenizer = WhitespaceSplit()
        made.save(str(path))

    write({"one": 0, "two": 1, "?": 2})
    assert session.tokens == ("one", "two")
    assert (scene.tokens, scene.context.length) == (("one", "two"), 2)
    write({"one": 0, "three": 1, "four": 2, "?": 3})
    assert session.tokens == ("one", "?")
    assert pe.plot("attention", session).panels[0].columns.labels == ("one", "?")
    path.unlink()
    assert session.n_tokens == 0
    assert pe.plot("attention", session).is_note
