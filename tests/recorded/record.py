"""Writes one file of each kind in the format of this explorer, for `tests/test_recorded.py`: once for each format, before
a release. What is there stays as it is.

    python tests/recorded/record.py
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

import posenc_gui as pe  # noqa: E402
from posenc_gui.session import VERSION  # noqa: E402
from test_recorded import FIGURES, RECORDS, RICH, SESSIONS, with_sessions  # noqa: E402


def main() -> None:
    """Write what is missing of this format."""
    folder = TESTS / "recorded" / f"format-{VERSION}"
    folder.mkdir(exist_ok=True)
    for name, session in SESSIONS.items():
        _once(folder / f"{name}.json", session.save)
    figure = pe.plot("waves", RICH)
    for suffix in FIGURES:
        _once(folder / f"figure.{suffix}", figure.save)
    for name, record in RECORDS.items():
        _once(folder / f"{name}.json", with_sessions(record, lambda name: SESSIONS[name].to_json()).save)


def _once(path: Path, save) -> None:
    if not path.exists():
        save(path)
        print(path.relative_to(TESTS))


if __name__ == "__main__":
    main()
