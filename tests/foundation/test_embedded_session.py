import base64
import json

import pytest

from posenc_gui.foundation.files import embedded_session

SESSION = json.dumps({"text": "The cat – 位置 🙂", "encoding": {"name": "rope"}})


def test_a_session_comes_back_from_between_other_bytes() -> None:
    data = b"\x00\xff" + embedded_session.session_marker(SESSION).encode("ascii") + b"\xff:tail"
    assert embedded_session.find_session(data) == SESSION


def test_the_mark_is_plain_ascii_in_one_run() -> None:
    marker = embedded_session.session_marker(SESSION)
    assert marker.isascii()
    assert marker.isprintable()
    assert " " not in marker


def test_the_last_complete_mark_counts() -> None:
    first, second = (
        embedded_session.session_marker('{"n": 1}').encode(),
        embedded_session.session_marker('{"n": 2}').encode(),
    )
    assert embedded_session.find_session(first + b"\n" + second) == '{"n": 2}'
    assert embedded_session.find_session(first + b"\n" + second[:-1]) == '{"n": 1}'
    assert embedded_session.find_session(b"posenc-gui-session:" + second) == '{"n": 2}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no marker here",
        b"posenc-gui-session:",
        b"posenc-gui-session::",
        b"posenc-gui-session:a:",
        b"posenc-gui-session:" + base64.urlsafe_b64encode(b"\xff\xfe\xff") + b":",
        b"posenc-gui-session:" + base64.urlsafe_b64encode(b"not json") + b":",
        b"posenc-gui-session:" + base64.urlsafe_b64encode(b'{"cut": tr') + b":",
        b"posenc-gui-session:" + base64.urlsafe_b64encode(b"[" * 200_000) + b":",
        embedded_session.session_marker(SESSION).encode("ascii").replace(b"e", b"\n"),
    ],
)
def test_what_is_missing_or_damaged_is_none(data: bytes) -> None:
    assert embedded_session.find_session(data) is None


def test_a_session_may_be_as_large_as_files_are_read() -> None:
    session = json.dumps("a" * 30_000_000)
    assert embedded_session.find_session(embedded_session.session_marker(session).encode("ascii")) == session


def test_many_broken_marks_are_passed_over() -> None:
    assert (
        embedded_session.find_session(
            b"posenc-gui-session:" * 100_000 + embedded_session.session_marker("{}").encode("ascii")
        )
        == "{}"
    )
