"""Record what `tests/whole/test_recorded.py` keeps for ever: one file of each kind in today's format, and all defaults.

    python tests/recorded/record.py

Run it before a release. It adds what is missing; what is there was released and stays as it is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER.parents[1]), str(FOLDER.parent / "support")]

import posenc_gui as pe  # noqa: E402
from posenc_gui.session.session import FILE  # noqa: E402
from tests.whole.test_recorded import FIGURES, RECORDS, RICH, SESSIONS, all_defaults, with_sessions  # noqa: E402


def main() -> None:
    """Write what is missing."""
    folder = FOLDER / f"format-{FILE.version}"
    folder.mkdir(exist_ok=True)
    for name, session in SESSIONS.items():
        _once(folder / f"{name}.json", session.save)
    for suffix in FIGURES:
        _once(folder / f"figure.{suffix}", pe.plot("waves", RICH).save)
    for name, record in RECORDS.items():
        _once(folder / f"{name}.json", with_sessions(record, lambda name: SESSIONS[name].to_json()).save)
    defaults = FOLDER / "defaults.json"
    known = json.loads(defaults.read_text(encoding="utf-8"))
    defaults.write_text(json.dumps(all_defaults() | known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _once(path: Path, save: Callable[[Path], Path]) -> None:
    if not path.exists():
        print(save(path).relative_to(FOLDER))


if __name__ == "__main__":
    main()
