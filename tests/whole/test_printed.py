"""What is printed of an encoding, a scaling and a session is Python that makes it again."""

from __future__ import annotations

import subprocess
import sys

import pytest
from any_session import of_model, sessions
from hypothesis import given
from hypothesis import strategies as st

import posenc_gui as pe
from posenc_gui.encodings import printed
from posenc_gui.encodings.base import Encoding
from posenc_gui.encodings.common.rope_scalings.base import Scaling


@given(st.one_of(*map(of_model, printed())))
def test_a_printed_encoding_makes_it_again(encoding: Encoding) -> None:
    assert eval(repr(encoding), vars(pe)) == encoding


@given(sessions)
def test_a_printed_session_makes_it_again(session: pe.Session) -> None:
    for text in (repr(session), str(session)):
        assert eval(text, vars(pe)) == session


@pytest.mark.parametrize("name", pe.presets())
def test_a_printed_model_s_session_makes_it_again_and_says_what_is_not_modelled(name: str) -> None:
    session = pe.preset(name)
    assert eval(repr(session), vars(pe)) == eval(str(session), vars(pe)) == session
    assert all(sentence in str(session) for sentence in session.unmodelled)


def test_scalings_are_public_and_are_what_mappings_make() -> None:
    yarn = pe.Yarn(factor=8.0, original_max_position_embeddings=8192)
    for scaling in (yarn, pe.Linear(factor=2.0), pe.NTK(), pe.Dynamic(), pe.LongRope(), pe.Llama3(), pe.Proportional()):
        assert isinstance(scaling, Scaling)
        made = pe.encoding("rope", scaling=scaling)
        assert made == pe.encoding("rope", scaling=scaling.model_dump())
        assert eval(repr(scaling), vars(pe)) == scaling


@pytest.mark.slow
@pytest.mark.parametrize("made", ["preset('gemma-3-12b')", "RoPE(base=100.0)"])
def test_so_it_is_in_a_python_just_begun(made: str) -> None:
    program = f"import posenc_gui as pe; made = pe.{made}; assert eval(repr(made), vars(pe)) == made"
    subprocess.run([sys.executable, "-c", program], check=True)
