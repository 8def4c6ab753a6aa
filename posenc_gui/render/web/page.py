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
from posenc_gui.foundation.theme import Roles
from posenc_gui.render.paper.heading import name_of
from posenc_gui.render.web.words import of_frames, sentence, table, written

# The roles that the page's own words have.
_SHARED = ("window", "card", "edge", "ref", "ink", "muted", "focus", "twin", "met", "partly", "bad")


def document(
    frames: Sequence[Figure],
    drawings: str,
    data: object,
    themes: Mapping[str, tuple[Roles, str]],
    fonts: Mapping[str, bytes],
    session: str,
    chosen: str = "",
) -> str:
    """Return a page as HTML.

    drawings: SVG elements. data: what the script reads, as JSON. themes: the roles, and the rules of more colours, of "light"
    and "dark"; one alone is for readers who can't choose. fonts: WOFF files by their CSS properties. session: the marker that
    embeds the session, or nothing. chosen: the theme at first; if none, the one of the reader's system.
    """
    style, script = _style(themes, fonts), (folder() / "web" / "figure.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src {_hashed(style)}; script-src {_hashed(script)}; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    title = written(name_of(frames[0]))
    several, can_choose = len(frames) > 1, len(themes) > 1
    controls = (
        '<div id="controls" class="controls" hidden><button type="button">Play</button>'
        f'<input type="range" min="0" max="{len(frames) - 1}" value="0" aria-label="Frame"><output></output></div>'
    )
    of_theme = f' data-theme="{chosen}"' if chosen and can_choose else ""
    kept = "<span>Open this page in posenc_gui to go on from it: it holds its session.</span>" if session else ""
    return f"""<!doctype html>
<html lang="en"{of_theme}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="posenc_gui">
<meta name="keywords" content="{session}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<figure>
{of_frames("h1", [sentence([Run(name_of(one))]) for one in frames])}
{of_frames("p", [sentence(one.headline) for one in frames], "headline")}
{controls if several else ""}
{drawings}
<p id="said" role="status"></p>
{of_frames("div", [_tables(one) for one in frames])}
<figcaption>{of_frames("div", [written(one.caption) for one in frames])}</figcaption>
<details><summary>In words</summary>
{of_frames("p", [written(one.description) for one in frames])}
</details>
<footer>{'<button type="button" id="theme" hidden></button>' if can_choose else ""}{kept}</footer>
</figure>
<div id="tip" aria-hidden="true" hidden></div>
<script type="application/json" id="data">{_json(data)}</script>
<script>{script}</script>
</body>
</html>
"""


def _tables(figure: Figure) -> str:
    return "".join(table(panel) for panel in figure.panels if isinstance(panel, Table))


def _style(themes: Mapping[str, tuple[Roles, str]], fonts: Mapping[str, bytes]) -> str:
    faces = (
        f"@font-face{{font-family:posenc;{how};src:url(data:font/woff;base64,{base64.b64encode(data).decode()})}}"
        for how, data in fonts.items()
    )
    light, *dark = (
        f":root{{{''.join(f'--{name}:{getattr(roles, name)};' for name in _SHARED)}{rules}}}"
        for roles, rules in themes.values()
    )
    sheet = (folder() / "web" / "figure.css").read_text("utf-8")
    if not dark:
        return "".join((*faces, light, sheet))
    chosen, asked = ':root[data-theme="dark"]', ':root:not([data-theme="light"])'
    by_theme = [f".theme1{{display:none}}{light}"]
    for root, around in ((chosen, "{}"), (asked, "@media screen and (prefers-color-scheme:dark){{{}}}")):
        images = f"{root} .theme0{{display:none}}{root} .theme1{{display:inline}}"
        by_theme.append(around.format(images + dark[0].replace(":root", root)))
    return "".join((*faces, *by_theme, sheet))


def _hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(data: object) -> str:
    """JSON in which nothing ends the element that it is in."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
