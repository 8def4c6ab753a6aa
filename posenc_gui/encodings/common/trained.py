"""The encodings of models that have learned: a model's own table, rotation or bias, and what can be done to it.

They aren't in the list of encodings, since each belongs to one model: its numbers come from the context, as a seed does.
"""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

import torch
from pydantic import Field
from pydantic.config import JsonDict
from torch import Tensor

from posenc_gui.encodings.base import (
    Context,
    Encoding,
    Formula,
    InputEncoding,
    RotationEncoding,
    ScoreEncoding,
    Source,
    as_positions,
    require_rows,
)
from posenc_gui.encodings.learned import Learned
from posenc_gui.encodings.rope import RoPE
from posenc_gui.encodings.sinusoidal import Sinusoidal
from posenc_gui.encodings.t5 import T5
from posenc_gui.foundation import random_streams
from posenc_gui.foundation.declared_fields import FACT
from posenc_gui.foundation.errors import Undefined

Surgery = Literal["as_trained", "zeroed", "shifted", "reversed", "shuffled", "one_position"]

_TITLES: JsonDict = {name: name.replace("_", " ") for name in get_args(Surgery)}
_TITLES["one_position"] = "one position for all"


class TrainedTable(InputEncoding):
    """p_m = table[m], the table that the model learned, as trained or after an operation on its rows."""

    name: ClassVar[str] = "trained_table"
    title: ClassVar[str] = "Learned table"
    summary: ClassVar[str] = "Adds to each token a row of the table that training filled, or what was put in its place."
    equations: ClassVar[Formula] = InputEncoding.equations.defining(
        r"\pos{p_m} = \mathrm{table}[\pos{m}], \quad \mathrm{as\ trained}"
    )
    source: ClassVar[Source] = Learned.source
    fractional: ClassVar[bool] = False

    surgery: Surgery = Field(
        "as_trained",
        title="Table",
        description="What is done to the rows before the model reads them, in the whole model.",
        json_schema_extra={"names": _TITLES},
    )
    rows: int = Field(
        512,
        ge=1,
        le=2**20,
        title="Rows",
        description="Positions for which the model has a row.",
        json_schema_extra=FACT,
    )
    shift: int = Field(
        7, ge=1, le=4096, title="Shift", description="By how many rows a shifted table is read further on."
    )
    position: int = Field(
        0, ge=0, le=2**20, title="Position", description="The position whose row all tokens get, where they share one."
    )

    @property
    def called(self) -> str:
        """The title with what was done: “Learned table zeroed”."""
        return f"{self.title} {self.done}"

    @property
    def done(self) -> str:
        """What was done to the table: “as trained”, “shifted by 7”."""
        at = {"shifted": f"shifted by {self.shift}", "one_position": f"all at position {self.position}"}
        return at.get(self.surgery, str(_TITLES[self.surgery]))

    @property
    def unread(self) -> frozenset[str]:
        """The parameters that do nothing, as what is done to the table doesn't read them."""
        read = {"shifted": "shift", "one_position": "position"}.get(self.surgery)
        return frozenset({"shift", "position"} - {read})

    @property
    def own_equations(self) -> Formula:
        """The formula with what was done to the table."""
        row = {
            "shifted": rf"\mathrm{{table}}[\pos{{m}} + {self.shift}]",
            "reversed": rf"\mathrm{{table}}[{self.rows - 1} - \pos{{m}}]",
            "shuffled": r"\mathrm{table}[\pi(\pos{m})]",
            "one_position": rf"\mathrm{{table}}[{self.position}]",
            "zeroed": "0",
        }.get(self.surgery)
        return self.equations if row is None else InputEncoding.equations.defining(rf"\pos{{p_m}} = {row}")

    def length_limit(self, d_model: int) -> int:
        """Return the number of positions that get a row."""
        return max(0, self.rows - self.shift) if self.surgery == "shifted" else self.rows

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count the table's numbers."""
        return self.rows * d_model

    def vectors(self, positions: Tensor, d_model: int, context: Context | None = None) -> Tensor:
        """Return the rows that these positions get, (n, d_model), float64. Raises Undefined for a position without one."""
        positions = as_positions(positions)
        require_rows(positions, self.length_limit(d_model), f"The model's table of {self.rows:,} rows has none for")
        rows = positions.long().cpu()
        match self.surgery:
            case "shifted":
                rows = rows + self.shift
            case "reversed":
                rows = self.rows - 1 - rows
            case "shuffled":
                rows = torch.randperm(self.rows, generator=random_streams.stream(0, "shuffled table"))[rows]
            case "one_position":
                rows = torch.full_like(rows, min(self.position, self.rows - 1))
        found = _numbers(context).to(torch.float64)[rows].to(positions)
        return torch.zeros_like(found) if self.surgery == "zeroed" else found

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Return PyTorch code: the table's look-up."""
        looked_up = {
            "zeroed": "0 * table(positions)",
            "shifted": f"table(positions + {self.shift})",
            "reversed": f"table({self.rows - 1} - positions)",
            "shuffled": "table(order[positions])  # order: a permutation of the rows",
            "one_position": f"table(0 * positions + {self.position})",
        }.get(self.surgery, "table(positions)")
        return self.snippet(
            f"""
            from torch import nn

            table = nn.Embedding({self.rows}, {d_model})  # (positions, d_model): load the model's own rows
            """,
            f'''
            def position_vectors(positions):
                """Positions (n,), whole numbers from 0 to {self.rows - 1} -> (n, {d_model})."""
                return {self.share}{looked_up}
            ''',
        )


class FixedTable(TrainedTable):
    """p_m = table[m], a table that a formula fills and training leaves as it is."""

    name: ClassVar[str] = "fixed_table"
    title: ClassVar[str] = "Sinusoidal table"
    summary: ClassVar[str] = (
        "Adds to each token a row of a fixed table of sines and cosines, or what was put in its place."
    )
    source: ClassVar[Source] = Sinusoidal.source

    def n_parameters(self, d_model: int, n_heads: int, d_head: int) -> int:
        """Count none: the table isn't learned."""
        return 0


class TrainedRotation(RotationEncoding):
    """The model's own rotation, where it follows none of the formulas in the list: as trained, or off."""

    name: ClassVar[str] = "trained_rotation"
    title: ClassVar[str] = "Trained rotation"
    summary: ClassVar[str] = "Turns queries and keys as the model's own code does."
    source: ClassVar[Source] = RoPE.source
    known: ClassVar[bool] = False
    by_degrees: ClassVar[bool] = False

    def angles(self, positions: Tensor, d_head: int, context: Context | None = None) -> Tensor:
        """Raise Undefined: only the model's own code knows these angles."""
        told = "The angles of this model's rotation aren't known here"
        raise Undefined(f"{told}: it can be seen as trained, or taken away.")

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Raise Undefined as `angles` does."""
        raise Undefined("The rotation of this model is known to its own code alone.")


class TrainedTerm(ScoreEncoding):
    """What the model's own code adds to the scores, where it follows none of the formulas in the list."""

    name: ClassVar[str] = "trained_term"
    title: ClassVar[str] = "Trained term of the scores"
    summary: ClassVar[str] = "Adds to the scores what the model's own code does."
    equations: ClassVar[Formula] = Formula()
    source: ClassVar[Source] = T5.source
    known: ClassVar[bool] = False
    by_degrees: ClassVar[bool] = False

    def bias(self, q_positions: Tensor, k_positions: Tensor, n_heads: int, context: Context | None = None) -> Tensor:
        """Raise Undefined: only the model's own code knows this term."""
        raise Undefined("What this model adds to its scores isn't known here: it can be seen at work alone.")

    def code(self, d_model: int, n_heads: int, d_head: int, causal: bool = False) -> str:
        """Raise Undefined as `bias` does."""
        raise Undefined("What this model adds to its scores is known to its own code alone.")


class TrainedBias(T5):
    """table[bucket(n − m), h], the numbers that the model learned in place of seeded ones."""

    name: ClassVar[str] = "trained_bias"
    title: ClassVar[str] = "Trained relative bias"
    random_table: ClassVar[bool] = False

    buckets: int = Field(32, ge=4, le=512, multiple_of=4, title="Buckets", json_schema_extra=FACT)
    max_distance: int = Field(128, ge=2, le=100_000, title="Largest distance", json_schema_extra=FACT)
    bidirectional: bool = Field(True, title="Both directions", json_schema_extra=FACT)

    def remark(self, context: Context) -> str:
        """Return nothing: the caveats of the seeded table don't hold."""
        return ""

    def table(self, n_heads: int, context: Context | None) -> Tensor:
        """Return the model's numbers, (buckets, n_heads)."""
        return _numbers(context)


_KINDS: tuple[type[Encoding], ...] = (TrainedTable, FixedTable, TrainedRotation, TrainedTerm, TrainedBias)
KINDS = {kind.name: kind for kind in _KINDS}


def _numbers(context: Context | None) -> Tensor:
    """Return the numbers that the context's model learned for its positions. Raises Undefined without a model."""
    if context is None or context.learned is None:
        raise Undefined("These are the positions of a model that has learned: open the model to see them.")
    return context.learned.positions()
