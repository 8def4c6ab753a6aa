"""Files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path with the same suffix beside `path`; what was written there takes its place at the end.

    An existing file stays as it was unless everything went well, also on a full disk or after a kill. A symbolic link
    stays one: what it points to is replaced. Raises OSError, which names `path`, never the temporary one.
    """
    unfinished: Path | None = None
    try:
        target = Path(os.path.realpath(path))
        handle, name = tempfile.mkstemp(suffix=path.suffix, prefix=".posenc-", dir=target.parent)
        unfinished = Path(name)
        os.close(handle)
        yield unfinished
        with unfinished.open("rb+") as written:
            os.fsync(written.fileno())
        _keep_permissions(unfinished, target)
        unfinished.replace(target)
    except BaseException as error:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        raise


def _keep_permissions(unfinished: Path, path: Path) -> None:
    # mkstemp makes files that only their owner can read; a saved figure is an ordinary file.
    if path.exists():
        unfinished.chmod(path.stat().st_mode)
    else:
        mask = os.umask(0)
        os.umask(mask)
        unfinished.chmod(0o666 & ~mask)
