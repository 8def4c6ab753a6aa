"""The splitter: splits texts as tokenizer files say, in a process of its own, so that no such file can harm the explorer's."""

from __future__ import annotations

import atexit
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Lock, Thread, Timer
from time import monotonic

from cachetools import LRUCache
from pydantic import TypeAdapter

from posenc_gui.text import tokenizer_process as splitter_process
from posenc_gui.text.token_sequence import Tokens
from posenc_gui.text.tokenizer_process import CONTENT, LONGEST_TOGETHER, TEXT, Broken, receive, send

PATIENCE = 8.0  # seconds for reading a tokenizer and splitting a text by it: nobody waits for an answer for 10
_STARTING = 60.0  # seconds for a process to be there with its library, which a slow disk has to find first
_TRIES = 2  # what ended a process once may not have been the content
_GLANCE = 0.05  # seconds after which who waits looks whether to stop
_TEXTS, _CONTENTS = 16, 64  # of which answers, and refusals, are remembered
_LONGEST_ANSWER = 16 * LONGEST_TOGETHER  # bytes: no character takes more than 12 in JSON
_ANSWER: TypeAdapter[tuple[str, ...] | str] = TypeAdapter(tuple[str, ...] | str)
_NO_WINDOW = 0x0800_0000 if sys.platform == "win32" else 0  # subprocess.CREATE_NO_WINDOW
_Process = subprocess.Popen[bytes]

Content = Callable[[], bytes]


class Refused(Exception):
    """A content or a text that got no tokens; what it says goes on what names the tokenizer."""


class _TooLong(Exception):
    """The other process has not answered in time."""


class Splitter:
    """Answers one question after the other, and remembers the last answers. Who waits for one may be stopped at any time:
    a question that has begun is answered all the same, for the next who asks; one that waits is dropped."""

    def __init__(self, most_tokens: int) -> None:
        self._most_tokens = most_tokens
        self._begin()
        atexit.register(self.close)
        if sys.platform != "win32":
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """With nothing, also in a copy of the explorer's process: two would read each other's answers."""
        self._desk = _Desk(self._most_tokens)
        self._turn = Lock()  # of the desk
        self._lock = Lock()  # of the answers
        self._answers: LRUCache[Hashable, Future[tuple[str, ...] | str]] = LRUCache(_TEXTS)

    def split(
        self, text: str, mark: Hashable, content: Content, check_stop: Callable[[], None] = lambda: None
    ) -> tuple[str, ...]:
        """The tokens of a text, the first `most_tokens` of them, by the tokenizer in a content; waited for.

        mark: tells this content from others; it is asked for where it is not at hand. check_stop: called while it is waited
        for; what it raises goes through. Raises Refused, and what `content` raises.
        """
        with self._lock:
            answer = self._answers.get((text, mark))
            if answer is None or answer.cancelled():
                answer = self._answers[text, mark] = Future()
                # No pool, whose threads the interpreter would wait for at its exit.
                Thread(target=self._find, args=(answer, text, mark, content), name="splitter", daemon=True).start()
        try:
            while not answer.done():
                wait((answer,), _GLANCE)
                check_stop()
        except BaseException:
            answer.cancel()
            raise
        if answer.cancelled():  # by another who waited for the same
            return self.split(text, mark, content, check_stop)
        found = answer.result()
        if isinstance(found, str):
            raise Refused(found)
        return found

    def close(self) -> None:
        """End the process, if there is one."""
        self._desk.end()

    def _find(self, answer: Future[tuple[str, ...] | str], text: str, mark: Hashable, content: Content) -> None:
        with self._turn:
            if not answer.set_running_or_notify_cancel():
                return
            try:
                answer.set_result(self._desk.split(text, mark, content))
            except Refused as why:
                answer.set_result(str(why))
            except Exception as error:  # the content can't be had, this time
                with self._lock:
                    self._answers.pop((text, mark), None)
                answer.set_exception(error)


class _Desk:
    """Keeps one process, begun when it is first needed and again when it has failed, which holds one tokenizer at a time.

    A content over which it failed twice is not tried again; a text over which it lost its patience is refused alone.
    """

    def __init__(self, most_tokens: int) -> None:
        self._most_tokens = most_tokens
        self._process: _Process | None = None
        self._held: Hashable = None
        self._refused: LRUCache[Hashable, str] = LRUCache(_CONTENTS)

    def split(self, text: str, mark: Hashable, content: Content) -> tuple[str, ...]:
        """The tokens of a text. Raises Refused, what `content` raises, and OSError where no process starts, this time."""
        if mark in self._refused:
            raise Refused(self._refused[mark])
        self._running()  # a start from a slow disk is no fault of the content
        latest = monotonic() + PATIENCE
        for _ in range(_TRIES):
            with suppress(Broken):
                return self._tokens(text, mark, content, latest)
        raise self._refusal(mark, "can't be used: the tokenizers library failed or ran out of memory over it")

    def _tokens(self, text: str, mark: Hashable, content: Content, latest: float) -> tuple[str, ...]:
        """What `split` gives. Raises what it does, and Broken."""
        process = self._holding(mark, content, latest)
        try:
            answer = self._answer(process, latest, TEXT, json.dumps(text).encode())
        except _TooLong:
            raise Refused(f"takes longer than {PATIENCE:g} s with this text: try a shorter one") from None
        if isinstance(answer, str):
            raise Refused(f"can't split this text: {answer}")
        return Tokens(answer)

    def _holding(self, mark: Hashable, content: Content, latest: float) -> _Process:
        """The process, which holds this content. Raises what `split` does, and Broken."""
        process = self._running()
        if self._held == mark:
            return process
        data = content()
        self._held = None
        try:
            why = self._answer(process, latest, CONTENT, data)
        except _TooLong:
            raise self._refusal(mark, f"can't be used: it takes longer than {PATIENCE:g} s to read") from None
        if why:
            raise self._refusal(mark, "is no tokenizer.json that the tokenizers library can read")
        self._held = mark
        return process

    def _refusal(self, mark: Hashable, why: str) -> Refused:
        self._refused[mark] = why
        return Refused(why)

    def _answer(self, process: _Process, latest: float, *question: bytes) -> tuple[str, ...] | str:
        """The tokens, or why there are none. Without an answer by then the process is ended: _TooLong where that was the reason,
        Broken where it ended by itself or answered what it shouldn't."""
        assert process.stdin is not None
        assert process.stdout is not None
        impatience = Timer(max(0.0, latest - monotonic()), process.kill)
        impatience.daemon = True
        impatience.start()
        try:
            send(process.stdin, *question)
            return _ANSWER.validate_json(receive(process.stdout, _LONGEST_ANSWER))
        except (Broken, OSError, ValueError):
            self.end()
            raise (Broken if monotonic() < latest else _TooLong) from None
        finally:
            impatience.cancel()

    def _running(self) -> _Process:
        """The process, or a new one, once it is there. Raises OSError where none starts: that tells nothing of a content."""
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.end()
        # Isolated, and by its path: nothing is imported from the folder at hand.
        bounds = (str(2 * PATIENCE), str(self._most_tokens))
        command = [sys.executable, "-I", splitter_process.__file__, *bounds, *filter(None, sys.path)]
        self._process = process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a panic writes ten kilobytes
            env=os.environ | {"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"},
            creationflags=_NO_WINDOW,
        )
        try:
            self._answer(process, monotonic() + _STARTING)
        except (Broken, _TooLong):
            raise OSError(errno.EAGAIN, "No process for it could be started") from None
        return process

    def end(self) -> None:
        """End the process, if there is one; another is begun when it is needed."""
        process, self._process, self._held = self._process, None, None
        if process is not None:
            process.kill()
            with suppress(OSError), process:  # at its end: what was not sent any more
                pass
