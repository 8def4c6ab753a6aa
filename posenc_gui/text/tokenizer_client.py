"""Client of the tokenizer process, so that no tokenizer file can crash or block the explorer."""

from __future__ import annotations

import errno
import os
import sys
from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from time import monotonic
from typing import cast

from cachetools import LRUCache
from pydantic import TypeAdapter

from posenc_gui.foundation.child import STARTING, Child, ChildError, Crashed, TooMuchMemory, TooSlow
from posenc_gui.foundation.stopped import CheckStop, Stopped, go_on
from posenc_gui.text import tokenizer_process
from posenc_gui.text.token_sequence import Token, Tokens
from posenc_gui.text.tokenizer_process import CONTENT, LONGEST_TOGETHER, TOKENS

Found = tuple[str, ...] | tuple[int, ...]  # tokens, or their numbers
Answer = Found | str  # or why there are none
_Shown = tuple[tuple[str, ...], tuple[str, ...]]  # tokens as readers see them, and as a vocabulary spells them
Question = tuple[str, str | tuple[str, ...]]  # its kind, and a text or tokens

PATIENCE = 8.0  # seconds for loading a tokenizer and splitting a text: users don't wait for 10
_TRIES = 2  # the first crash may not be the tokenizer's fault
_GLANCE = 0.05  # seconds between two calls of check_stop
_TEXTS, _CONTENTS = 16, 64  # cached: answers to texts, and refusals of tokenizers
_MEMORY = 2 * 2**30  # bytes
_LONGEST_ANSWER = (
    32 * LONGEST_TOGETHER
)  # bytes: no character takes more than 12 in JSON, and tokens come in two spellings
_ONE_THREAD = {"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"}
_ANSWER: TypeAdapter[tuple[int, ...] | _Shown | str] = TypeAdapter(tuple[int, ...] | _Shown | str)

Content = Callable[[], bytes]
_Asked = tuple[Question, Hashable, Future[Answer]]  # of which tokenizer, and its answer


class NoTokens(Exception):
    """A tokenizer or a text gave no tokens; the message continues a sentence that begins with the tokenizer's name."""


class TokenizerClient:
    """A client that handles one request at a time and caches the last answers.

    A waiting caller can be stopped at any time. Its request is then dropped if it is queued. If it is running, it is still
    completed for the cache, unless somebody waits for another tokenizer.
    """

    def __init__(self, most_tokens: int) -> None:
        self._most_tokens = most_tokens
        self._begin()
        if sys.platform != "win32":
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """Reset the client. This also runs in a forked copy of the explorer, since two processes would read each other's
        answers."""
        self._owner = _ProcessOwner(self._most_tokens)
        self._turn = Lock()  # held while the process answers
        self._lock = Lock()  # guards all that follows
        self._waiting = Counter[_Asked]()
        self._at_work: _Asked | None = None
        self._answers: LRUCache[Hashable, Future[Answer]] = LRUCache(_TEXTS)

    def ask(self, question: Question, mark: Hashable, content: Content, check_stop: CheckStop = go_on) -> Found:
        """Return a text's tokens, at most `most_tokens`, or tokens' numbers, by the given tokenizer file. Blocks. mark:
        identifies the file. content: reads the file, and is called if the process hasn't loaded it. check_stop: called while
        waiting; it may raise. Raises NoTokens, and whatever `content` raises."""
        with self._lock:
            answer = self._answers.get((question, mark))
            if answer is None or answer.cancelled():
                answer = self._answers[question, mark] = Future()
                # Not a pool: the interpreter would wait for its threads on exit.
                Thread(target=self._find, args=(answer, question, mark, content), name="splitter", daemon=True).start()
            self._waiting[asked := (question, mark, answer)] += 1
            self._make_way()
        try:
            while not answer.done():
                wait((answer,), _GLANCE)
                check_stop()
        except BaseException:
            answer.cancel()
            raise
        finally:
            with self._lock:
                self._waiting[asked] -= 1
                self._waiting = +self._waiting
                self._make_way()
        if answer.cancelled():  # another caller that waited for the same request cancelled it
            return self.ask(question, mark, content, check_stop)
        found = answer.result()
        if isinstance(found, str):
            raise NoTokens(found)
        return found

    def _make_way(self) -> None:
        """End the process if nobody waits for what it does, and somebody for another tokenizer."""
        now = self._at_work
        if now and now not in self._waiting and any(mark != now[1] for _, mark, _ in self._waiting):
            self._forget(*now)  # who asks again waits for an answer that comes
            self._owner.end()

    def _forget(self, question: Question, mark: Hashable, answer: Future[Answer]) -> None:
        """Take an answer out of the cache, unless there is another in its place."""
        if self._answers.get((question, mark)) is answer:
            del self._answers[question, mark]

    def close(self) -> None:
        """End the process, if there is one."""
        self._owner.end()

    def _find(self, answer: Future[Answer], question: Question, mark: Hashable, content: Content) -> None:
        with self._turn:
            if not answer.set_running_or_notify_cancel():
                return
            with self._lock:
                self._at_work = question, mark, answer
                self._make_way()
            try:
                answer.set_result(self._owner.ask(question, mark, content))
            except NoTokens as why:
                answer.set_result(str(why))
            except (Exception, Stopped) as error:  # the file can't be read at the moment, or the process was ended
                with self._lock:
                    self._forget(question, mark, answer)
                answer.set_exception(error)
            finally:
                with self._lock:
                    self._at_work = None


class _ProcessOwner:
    """Owns the process: starts it when needed and again after a failure. It has one tokenizer loaded at a time. A tokenizer
    that crashed it twice is not tried again; after a timeout only the text is refused."""

    def __init__(self, most_tokens: int) -> None:
        self._most_tokens = most_tokens
        self._child: Child | None = None
        self._held: Hashable = None
        self._refused: LRUCache[Hashable, str] = LRUCache(_CONTENTS)

    def ask(self, question: Question, mark: Hashable, content: Content) -> Found:
        """Answer a question about a text or tokens. Raises NoTokens, OSError if no process can be started, and what `content`
        raises."""
        if mark in self._refused:
            raise NoTokens(self._refused[mark])
        self._running()  # a slow start doesn't count against the tokenizer
        latest = monotonic() + PATIENCE
        for _ in range(_TRIES):
            try:
                return self._answered(question, mark, content, latest)
            except TooMuchMemory:
                break
            except ChildError:
                continue
        raise self._refusal(mark, "can't be used: the tokenizers library failed or ran out of memory over it")

    def _answered(self, question: Question, mark: Hashable, content: Content, latest: float) -> Found:
        """Try once to answer. Raises ChildError, and the same errors as `ask`."""
        child = self._running()
        if self._held != mark:
            self._load(child, mark, content(), latest)
        try:
            answer = self._answer(child, latest, *question)
        except TooSlow:
            raise NoTokens(f"takes longer than {PATIENCE:g} s with this text: try a shorter one") from None
        if isinstance(answer, str):
            raise NoTokens(f"can't split this text: {answer}")
        return answer

    def _load(self, child: Child, mark: Hashable, content: bytes, latest: float) -> None:
        """Load a tokenizer. Raises ChildError, and NoTokens."""
        self._held = None
        try:
            why = self._answer(child, latest, CONTENT, content)
        except TooSlow:
            raise self._refusal(mark, f"can't be used: it takes longer than {PATIENCE:g} s to read") from None
        if why:
            raise self._refusal(mark, "is no tokenizer.json that the tokenizers library can read")
        self._held = mark

    def _refusal(self, mark: Hashable, why: str) -> NoTokens:
        self._refused[mark] = why
        return NoTokens(why)

    def _answer(self, child: Child, latest: float, kind: str, about: object) -> Answer:
        """Return tokens or numbers, or the reason why there are none. Raises ChildError."""
        seconds = max(0.0, latest - monotonic())
        found = child.call(tokenizer_process.answer, kind, about, self._most_tokens, seconds=seconds, memory=_MEMORY)
        try:
            answer = _ANSWER.validate_python(found)
            if isinstance(answer, str):
                return answer
            return cast(tuple[int, ...], answer) if kind == TOKENS else _tokens(*cast(_Shown, answer))
        except ValueError:
            child.stop()
            raise Crashed("The tokenizer process gave an invalid answer.") from None

    def _running(self) -> Child:
        """Return the running process, starting it if necessary. Raises OSError if it can't be started."""
        if self._child is None or not self._child.is_alive:
            self._held = None
            self._child = Child(longest=_LONGEST_ANSWER, environment=_ONE_THREAD)
            try:
                self._child.call(tokenizer_process.begin, _MEMORY, seconds=STARTING, memory=_MEMORY)
            except ChildError:
                self.end()
                raise OSError(errno.EAGAIN, "The tokenizer process could not be started") from None
        return self._child

    def end(self) -> None:
        """End the process, if any; the next request starts another."""
        if self._child is not None:
            self._child.stop()


def _tokens(shown: tuple[str, ...], entries: tuple[str, ...]) -> Tokens:
    """Return the tokens of a text, equal ones as one object. Raises ValueError unless each has both its spellings."""
    made: dict[tuple[str, str], Token] = {}
    pairs = zip(shown, entries, strict=True)
    return Tokens(made.setdefault(pair, Token(*pair)) for pair in pairs)
