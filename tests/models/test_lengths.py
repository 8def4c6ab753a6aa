"""How many positions published models were trained on, of each config.json, judged by hand, and of its folder alike.

`lengths.json` has whole files; the one that is left to transformers is made from the one above it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import posenc_gui as pe
from posenc_gui.checkpoints import config_json
from posenc_gui.checkpoints.config_fields import Level
from posenc_gui.figure.runs import quote_runs
from posenc_gui.models.config import understood
from tests.recorded import wording

ROWS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("lengths.json").read_text("utf-8"))


def test_the_lengths_of_a_config_are_known_or_said_to_be_assumed() -> None:
    for row in ROWS:
        trained, context, may_be_after = row["lengths"]
        found, of_folder = understood(row["config"]), config_json.lengths(*config_json.of_text(Level(row["config"])))
        assert of_folder == (trained, context, may_be_after), row["model"]
        assert (found.trained_length, found.context) == (trained, context), row["model"]
        assert (f"{trained:,} is the length before the scaling, not the" in found.remark) is may_be_after, row["model"]
        assert (f"trained on {trained:,} positions" in found.summary) is not may_be_after, row["model"]
        scaling = getattr(pe.from_config(row["config"]).encoding, "scaling", None)
        assert (getattr(scaling, "trained_length_is", None) == "unsaid") is may_be_after, row["model"]


def test_of_every_scaling_the_length_is_assumed_unless_the_config_has_that_before_it() -> None:
    """transformers' standardize_rope_params puts max_position_embeddings in its place for yarn, llama3 and longrope."""
    lists = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32}
    for kind in ("linear", "dynamic", "yarn", "llama3", "longrope", "proportional"):
        block = {"rope_type": kind, "factor": 4.0, **(lists if kind == "longrope" else {})}
        config = wording.LLAMA | {"max_position_embeddings": 4096, "rope_scaling": block}
        for fields, is_known in (({}, False), ({"original_max_position_embeddings": 1024}, True)):
            session = pe.from_config(config | fields)
            assert (session.encoding.scaling.trained_length_is == "before") is is_known, kind
            assert session.trained_length == (1024 if is_known else 4096), kind
            assert ("If training had" in quote_runs(pe.plot("extension", session).headline)) is not is_known, kind
