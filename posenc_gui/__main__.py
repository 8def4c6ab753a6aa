"""`python -m posenc_gui`: the same as the command `posenc-gui`."""

from __future__ import annotations

import sys

from posenc_gui.cli import main

if __name__ == "__main__":
    sys.exit(main())
