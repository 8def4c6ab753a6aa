"""The page's text: a document that asks no network for anything, and runs nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence

from posenc_gui.figure.figure import Figure
from posenc_gui.figure.panels import Table
from posenc_gui.figure.runs import Run
from posenc_gui.foundation.resources import folder
from posenc_gui.foundation.theme import THEMES
from posenc_gui.render.paper.heading import name_of
from posenc_gui.render.web.words import of_frames, sentence, table, written

# The roles that the page's own words have.
_SHARED = ("window", "card", "edge", "ref", "ink", "muted", "focus", "twin", "met", "partly", "bad")


def document(
    frames: Sequence[Figure], drawings: str, data: object, rules: Mapping[str, str], fonts: Mapping[str, bytes], *,
    session: str, is_dark: bool,
) -> str:  # fmt: skip
    """Return a page as HTML.

    drawings: SVG elements. data: what the script reads, as JSON. rules: the colours of the drawings in each theme, as CSS.
    fonts: WOFF files by their CSS properties. session: the marker that embeds the session, or nothing. is_dark: the page is
    dark at first, whatever the reader's system asks for.
    """
    style, script = _style(rules, fonts), (folder() / "web" / "figure.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src {_hashed(style)}; script-src {_hashed(script)}; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    controls = (
        '<div id="controls" class="controls" hidden><button type="button">Play</button>'
        f'<input type="range" min="0" max="{len(frames) - 1}" value="0" aria-label="Frame">'
        '<output aria-live="off"></output></div>'
        f'<noscript><p class="caption">JavaScript is off here: this is the first of {len(frames)} pictures.</p></noscript>'
    )
    names, titles = (dict.fromkeys(map(called, frames)) for called in (name_of, lambda one: one.title))
    kept = "<span>Open this page in posenc_gui to go on from it: it holds its session.</span>" if session else ""
    return f"""<!doctype html>
<html lang="en"{' data-theme="dark"' if is_dark else ""}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="posenc_gui">
<title>{written(" · ".join(names if len(names) == 1 else titles))}</title>
<style>{style}</style>
</head>
<body>
<main>
{of_frames("h1", [sentence([Run(name_of(one))]) for one in frames])}
<div class="stack">{of_frames("p", [sentence(one.headline) for one in frames], "headline")}</div>
{controls if len(frames) > 1 else ""}
{drawings}
<p id="said" role="status"></p>
{of_frames("div", [_tables(one) for one in frames])}
{of_frames("p", [written(one.caption) for one in frames], "caption")}
<details><summary>In words</summary>
{of_frames("p", [written(one.description or one.title) for one in frames])}
</details>
<footer><button type="button" id="theme" hidden></button>{kept}</footer>
</main>
<div id="tip" aria-hidden="true" hidden></div>
<script type="application/json" id="data">{_json(data)}</script>
<script data-session="{session}">{script}</script>
</body>
</html>
"""


def _tables(figure: Figure) -> str:
    return "".join(table(panel) for panel in figure.panels if isinstance(panel, Table))


def _style(rules: Mapping[str, str], fonts: Mapping[str, bytes]) -> str:
    faces = (
        f"@font-face{{font-family:posenc;{how};src:url(data:font/woff;base64,{base64.b64encode(data).decode()})}}"
        for how, data in fonts.items()
    )
    light, dark = (
        f"{''.join(f'--{name}:{getattr(roles, name)};' for name in _SHARED)}{rules[theme]}"
        for theme, roles in THEMES.items()
    )
    found = [*faces, f":root{{{light}}}.dark{{display:none}}"]
    for root, asked in (
        (':root:not([data-theme="light"])', " and (prefers-color-scheme:dark)"),
        (':root[data-theme="dark"]', ""),
    ):
        rule = f"{root}{{{dark}}}{root} .light{{display:none}}{root} .dark{{display:inline}}"
        found.append(f"@media screen{asked}{{{rule}}}")  # paper is white
    return "".join((*found, (folder() / "web" / "figure.css").read_text("utf-8")))


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(data: object) -> str:
    """JSON in which nothing ends the element that it is in."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
