"""Encodings are found by names, other names, models and years."""

from __future__ import annotations

import pytest

import posenc_gui as pe
from posenc_gui.foundation.declared_fields import kind
from posenc_gui.models.encoding_search import entries, entry, entry_of, refusals


def test_every_encoding_is_an_entry_and_every_scaling_too() -> None:
    found = entries()
    assert [entry.cls.name for entry in found if not entry.field] == pe.encodings()
    members = kind(pe.encodings.classes()["rope"].model_fields["scaling"]).members
    assert [type(entry.value) for entry in found if entry.field] == list(members)
    assert len({entry.title for entry in found}) == len(found)
    assert all(entry.summary.endswith(".") for entry in found)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.title)
def test_an_entry_is_chosen_with_what_else_is_there(entry) -> None:
    own = pe.encoding("rope", base=500_000.0, pairing="interleaved", scaling={"rope_type": "linear", "factor": 3.0})
    chosen = entry.chosen(own)
    assert type(chosen) is entry.cls
    assert entry.is_of(chosen)
    assert entry_of(chosen) == entry
    if entry.cls is type(own):
        assert (chosen.base, chosen.pairing) == (own.base, own.pairing)
        assert entry.chosen(None).base == entry.chosen(pe.encoding("none")).base == 10_000
    else:
        assert chosen == entry.cls()
    assert entry.chosen(chosen) is chosen


def test_of_a_named_parameter_the_row_that_names_it_keeps_what_it_last_had() -> None:
    own = pe.encoding("rope", base=500_000.0, scaling={"rope_type": "linear", "factor": 3.0})
    assert entry_of(own).title.startswith("Linear")
    assert entry_of(own).chosen(own) == own
    assert entry("rope").chosen(own) == pe.encoding("rope", base=500_000.0)
    scaled = pe.encoding("mrope", scaling={"rope_type": "linear", "factor": 3.0})  # has no row of its own
    assert entry_of(scaled).title == "M-RoPE"
    assert entry("mrope").chosen(scaled).scaling is None


def test_a_name_that_does_not_go_with_what_is_there_is_refused() -> None:
    (yarn,) = (entry for entry in entries() if entry.title == "YaRN")
    with pytest.raises(ValueError, match="YaRN needs a base of more than 1"):
        yarn.chosen(pe.encoding("rope", base=1.0))


def test_what_a_model_can_not_take_says_why() -> None:
    assert refusals(64, 4, 16) == {}
    assert "d_head must be even, not 15" in refusals(60, 4, 15)["rope"]
    assert "none" not in refusals(60, 4, 15)
