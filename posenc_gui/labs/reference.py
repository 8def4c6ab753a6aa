"""What a lab file may ask for, as the table in docs/writing-labs.md: `python -m posenc_gui.labs.reference` prints it."""

from __future__ import annotations

from posenc_gui.labs.questions import fields_by_root


def table() -> str:
    """A line for each thing that can be asked, with its declared fields."""
    lines = ["| of | fields |", "| --- | --- |"]
    lines += [f"| `{root}` | {', '.join(fields)} |" for root, fields in fields_by_root().items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
