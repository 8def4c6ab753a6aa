"""x-transformers, which speaks of its dependencies' deprecations while it is imported."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from x_transformers import x_transformers

__all__ = ["x_transformers"]
