"""Writing labs from the window: the session at hand becomes a step."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from posenc_gui.session import Session
from posenc_gui.ways_in import first_session

_NEW_LAB = """\
# A new lab

What does it ask? Write one sentence here.

```lab
format = 1
minutes = 10
```
"""
_STEP = """
## What do you see?

Write one question here, in at most 60 words. Formulas stand between dollar signs: $q_m \\cdot k_n$.

```step
name = "{name}"
{session}show = [{show}]
```

### Explain

Say why. Numbers are filled in live: there are {{{{session.n_tokens}}}} tokens.
"""


_STEP_NAME = re.compile(r"""^\s*name\s*=\s*["']([^"'\n]*)""", re.MULTILINE)


def with_step(content: str, session: Session, shown: Iterable[str]) -> str:
    """A lab file's text with one more step that begins with this session and shows these plots; a new lab where empty."""
    content = content.rstrip("\n") + "\n" if content.strip() else _NEW_LAB
    names = set(_STEP_NAME.findall(content))
    number = next(number for number in range(1, len(names) + 2) if f"step-{number}" not in names)
    show = ", ".join(json.dumps(name) for name in shown)
    return content + _STEP.format(name=f"step-{number}", session=declared(session), show=show)


def declared(session: Session) -> str:
    """A session as a step's block declares it: what differs from the one with which each step begins, a line a field."""
    base = first_session()
    lines = []
    for path, value in _differences(base.model_dump(mode="json"), session.model_dump(mode="json"), ()):
        lines.append(f"session.{'.'.join(path)} = {_toml(value)}\n")
    return "".join(lines)


def _differences(base: Any, value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The fields that differ; an encoding is named with all its parameters, since another has others."""
    for name, own in value.items():
        before = base.get(name)
        if own == before or own is None:
            continue
        if isinstance(own, dict) and isinstance(before, dict) and name != "encoding":
            yield from _differences(before, own, (*path, name))
        else:
            yield (*path, name), own


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(own)}' for name, own in value.items() if own is not None)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    # JSON's texts, numbers and truth values are TOML's too, but for one sign that TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
