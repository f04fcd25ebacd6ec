"""Settings of the cache from the environment: its folder, and its largest size."""

from __future__ import annotations

import os
import re
from pathlib import Path

from rollwise.cache.errors import NOWHERE, StoreError, printable

LIMIT_VARIABLE = "ROLLWISE_CACHE_LIMIT"
SIZE_PATTERN = re.compile(r"(\d{1,6}(?:\.\d{1,3})?) ?([KMGT])B?|0")


def default_root() -> Path:
    """Folder of the cache: ``ROLLWISE_CACHE`` if that is set, else the user's own cache folder.

    ``NOWHERE`` for a user without a home: every write there fails with ``NO_FOLDER_ERROR``.

    Raises StoreError for ``~name`` of an unknown user.
    """
    value = os.environ.get("ROLLWISE_CACHE")
    if value:
        try:
            return Path(value).expanduser()
        except RuntimeError:
            raise StoreError(f"ROLLWISE_CACHE is {printable(value)}, and there is no such user here") from None
    import platformdirs

    try:
        folder = platformdirs.user_cache_path("rollwise")
    except RuntimeError:
        return NOWHERE
    return folder if folder.is_absolute() else NOWHERE  # "~/.cache", as older ones have it


def read_limit() -> int | None:
    """Largest size of the cache in bytes, None where none is set. Raises StoreError for a value that is no size."""
    value = os.environ.get(LIMIT_VARIABLE, "").strip()
    n_bytes = parse_size(value) if value else None
    if value and n_bytes is None:
        raise StoreError(f"{LIMIT_VARIABLE} is a size like 2GB, 500MB or 0, got '{printable(value, 40)}'")
    return n_bytes


def parse_size(text: str) -> int | None:
    """Bytes of a size like ``2GB``; None for other text.

    >>> parse_size("2GB"), parse_size("1.5 mb"), parse_size("2G"), parse_size("0"), parse_size("2")
    (2000000000, 1500000, 2000000000, 0, None)
    """
    number = SIZE_PATTERN.fullmatch(text.strip().upper())
    if number is None:
        return None
    return round(float(number[1]) * 1000 ** " KMGT".index(number[2])) if number[1] else 0
