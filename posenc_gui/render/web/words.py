"""A page's words as HTML: user text is text, sentences look as in the window, and tables are tables of the document."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from posenc_gui.figure.panels import Dotted, Judged, Table
from posenc_gui.figure.runs import Run
from posenc_gui.render.layout.text_fit import split_signs, visible

_LONG = 32  # characters: longer texts in a table are broken into lines
_VERDICTS = {"met": "met", "partly": "partly", "not": "bad", "n/a": "muted"}


def written(text: str) -> str:
    """Text of a figure, in which nothing is markup."""
    return escape(visible(text))


def sentence(runs: Sequence[Run]) -> str:
    """A sentence as the window writes it: numbers and tokens stand out, signs of what is compared are badges."""
    found = list[str]()
    for kind, same in groupby(runs, lambda run: run.kind):
        text = "".join(run.text for run in same)
        for words, is_sign in split_signs(text) if kind == "plain" else [(text, False)]:
            if is_sign:
                found.append(f'{" " * bool(found)}<span class="sign{" a" * (words == "A")}">{words}</span> ')
            else:
                found.append(written(words) if kind == "plain" else f'<span class="{kind}">{written(words)}</span>')
    return "".join(found)


def of_frames(tag: str, each: Sequence[str], kind: str = "") -> str:
    """An element with the HTML of the frame that is shown; one alone if it is the same in all."""
    if len(set(each)) == 1:
        return f'<{tag} class="{kind}">{each[0]}</{tag}>' if each[0] else ""
    return "".join(
        f'<{tag} class="{kind} frame{"" if number else " now"}" data-frame="{number}">{words}</{tag}>'
        for number, words in enumerate(each)
    )


def table(panel: Table) -> str:
    """A table that is scrolled where it is broader than the window."""
    kinds = [
        "number" if panel.is_numeric(column) else "dot" * panel.is_dotted(column) for column in range(len(panel.header))
    ]
    names = zip(map(panel.heading, range(len(kinds))), kinds, strict=True)
    heads = (f'<th scope="col"{_kind(kind)}>{sentence([Run(name)])}</th>' for name, kind in names)
    rows = (_row(panel, row, kinds) for row in range(len(panel.rows)))
    return (
        f'<div class="table" role="group" aria-label="{written(panel.title)}" tabindex="0"><table>'
        f"<caption>{sentence([Run(panel.title)])}</caption><thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(panel: Table, row: int, kinds: Sequence[str]) -> str:
    cells = list[str]()
    for column, (cell, kind) in enumerate(zip(panel.rows[row], kinds, strict=True)):
        tag, scope = ("th", ' scope="row"') if column < panel.naming else ("td", "")
        judged, text = _VERDICTS[cell.verdict] if isinstance(cell, Judged) else "", panel.text(row, column)
        look = f"{kind} {judged}{' long' * (len(text) > _LONG)}"
        told = f' title="{written(cell)}"' if isinstance(cell, Dotted) else ""
        cells.append(f"<{tag}{scope}{_kind(look)}{told}>{written(text)}</{tag}>")
    state = "sum" * (row in panel.sums) + " marked" * (row == panel.focus) + " group" * panel.begins_group(row)
    return f"<tr{_kind(state)}>{''.join(cells)}</tr>"


def _kind(kind: str) -> str:
    return f' class="{kind.strip()}"' if kind.strip() else ""
