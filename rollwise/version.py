"""Which version this is: what the installed package says of itself."""

from __future__ import annotations

import importlib.metadata

UNKNOWN = "unknown"


def version() -> str:
    """The version; ``unknown`` where the package was not installed, only put on the path."""
    try:
        return importlib.metadata.version("rollwise")
    except importlib.metadata.PackageNotFoundError:
        return UNKNOWN
