"""Files: read no further than they may be long, and written whole or not at all, beside their place and then moved into it."""

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


class TooLarge(ValueError):
    """A file that was not read, since nothing of its kind is that large; `why` goes on what names it."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} {why}.")
        self.why = why


def content(path: Path, most: int, kind: str) -> bytes:
    """All bytes of a file. Raises TooLarge where there are more than `most`, OSError where it can't be read.

    No more than these are read, whatever the file says of its size: pipes and devices say nothing.
    """
    with path.open("rb") as file:
        is_larger = os.fstat(file.fileno()).st_size > most
        data = b"" if is_larger else file.read(most + 1)
    if is_larger or len(data) > most:
        size = f"{most // 10**6} MB" if most >= 10**6 else f"{most // 1000} kB"
        raise TooLarge(path.name, f"is larger than {size}: that is no {kind}")
    return data
