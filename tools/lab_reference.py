"""The table of fields in docs/writing-labs.md, as they are declared: `python -m tools.lab_reference` prints it."""

from __future__ import annotations

from posenc_gui.labs.definition.expression_grammar import fields_by_root


def table() -> str:
    """Return a Markdown table of what an expression can name: the session, attention and each measure, with their fields."""
    lines = ["| of | fields |", "| --- | --- |"]
    lines += [f"| `{root}` | {', '.join(fields)} |" for root, fields in fields_by_root().items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
