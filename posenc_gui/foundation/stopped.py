"""What ends work that was asked to stop; a file of its own, since the first paint waits for it and for nothing heavy."""

from __future__ import annotations


class Stopped(BaseException):
    """Raised in work that should end; not an Exception, which the work itself might catch."""
