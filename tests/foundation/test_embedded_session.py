import base64
import io
import json
import struct
import zipfile

import pytest

from posenc_gui.foundation.files import embedded_session, json_text

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
    first, second = (embedded_session.session_marker(f'{{"n": {n}}}').encode() for n in (1, 2))
    assert embedded_session.find_session(first + b"\n" + second) == '{"n": 2}'
    assert embedded_session.find_session(first + b"\n" + second[:-1]) == '{"n": 1}'
    assert embedded_session.find_session(b"posenc-gui-session:" + second) == '{"n": 2}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no marker here",
        *(b"posenc-gui-session:" + end for end in (b"", b":", b"a:")),
        *(
            b"posenc-gui-session:" + base64.urlsafe_b64encode(held) + b":"
            for held in (b"\xff\xfe\xff", b"not json", b'{"cut": tr', b"[" * 200_000)
        ),
        embedded_session.session_marker(SESSION).encode("ascii").replace(b"e", b"\n"),
    ],
)
def test_what_is_missing_or_damaged_is_none(data: bytes) -> None:
    assert embedded_session.find_session(data) is None


def test_a_session_may_be_as_large_as_files_hold_and_no_larger() -> None:
    largest = json.dumps("a" * (embedded_session.LARGEST - 2))
    assert embedded_session.find_session(embedded_session.session_marker(largest).encode("ascii")) == largest
    larger = json.dumps("a" * (embedded_session.LARGEST + 1))
    assert embedded_session.find_session(embedded_session.session_marker(larger).encode("ascii")) is None


def test_a_mark_of_millions_of_values_is_never_parsed() -> None:
    values = "[" + "[]," * json_text.MOST_VALUES + "[]]"
    assert embedded_session.find_session(embedded_session.session_marker(values).encode("ascii")) is None


def deck_of(*parts: bytes, packed: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packed) as deck:
        for number, part in enumerate(parts):
            deck.writestr(f"customXml/item{number}.xml", part)
    return made.getvalue()


def test_a_deck_s_parts_are_unpacked_up_to_a_session_s_size_together() -> None:
    found = embedded_session.session_marker(SESSION).encode("ascii")
    assert embedded_session.find_session(deck_of(b" " * 10**6, found)) == SESSION
    assert embedded_session.find_session(deck_of(*[b" " * 10**7] * 4, found)) is None
    assert embedded_session.find_session(deck_of(found, packed=zipfile.ZIP_LZMA)) is None


def test_an_archive_of_too_many_entries_is_not_listed() -> None:
    found = deck_of(embedded_session.session_marker(SESSION).encode("ascii"))
    begin = found.index(b"PK\x01\x02")
    end = found.index(b"PK\x05\x06")
    entry = b"PK\x01\x02" + bytes(42)
    for count in (10, 400_000):
        directory = found[begin:end] + entry * count
        record = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(directory), begin, 0)
        carried = embedded_session.find_session(found[:begin] + directory + record)
        assert carried == (SESSION if count == 10 else None)


def test_many_broken_marks_are_passed_over() -> None:
    marks = b"posenc-gui-session:" * 100_000 + embedded_session.session_marker("{}").encode("ascii")
    assert embedded_session.find_session(marks) == "{}"
