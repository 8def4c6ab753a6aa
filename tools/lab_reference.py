"""What a lab file may ask for, as the table in docs/writing-labs.md: `python -m tools.lab_reference` prints it."""

from __future__ import annotations

from posenc_gui.labs.definition.expressions import fields_by_root


def table() -> str:
    """A line for each thing that can be asked, with its declared fields."""
    lines = ["| of | fields |", "| --- | --- |"]
    lines += [f"| `{root}` | {', '.join(fields)} |" for root, fields in fields_by_root().items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
