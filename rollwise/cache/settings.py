"""What the environment says of the cache: where it is, and how large it may be."""

from __future__ import annotations

import os
import re
from pathlib import Path

from rollwise.cache.errors import NOWHERE, StoreError, shown

LIMIT = "ROLLWISE_CACHE_LIMIT"
SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,3})?) ?([KMGT])B?|0")


def default_root() -> Path:
    """The folder of the cache: ``ROLLWISE_CACHE`` if that is set, else the user's own cache folder.

    ``NOWHERE`` for a user without a home: whatever is tried there fails, and says why.

    Raises StoreError for ``~somebody`` who is not there.
    """
    chosen = os.environ.get("ROLLWISE_CACHE")
    if chosen:
        try:
            return Path(chosen).expanduser()
        except RuntimeError:
            raise StoreError(f"ROLLWISE_CACHE is {shown(chosen)}, and there is no such user here") from None
    import platformdirs

    try:
        found = platformdirs.user_cache_path("rollwise")
    except RuntimeError:
        return NOWHERE
    return found if found.is_absolute() else NOWHERE  # "~/.cache", as older ones have it


def limit() -> int | None:
    """How many bytes the cache may have, None where nobody says. Raises StoreError for what is no size."""
    chosen = os.environ.get(LIMIT, "").strip()
    most = size_in_bytes(chosen) if chosen else None
    if chosen and most is None:
        raise StoreError(f"{LIMIT} is a size like 2GB, 500MB or 0, got '{shown(chosen, 40)}'")
    return most


def size_in_bytes(text: str) -> int | None:
    """How many bytes a size has; None for what is none.

    >>> size_in_bytes("2GB"), size_in_bytes("1.5 mb"), size_in_bytes("2G"), size_in_bytes("0"), size_in_bytes("2")
    (2000000000, 1500000, 2000000000, 0, None)
    """
    number = SIZE.fullmatch(text.strip().upper())
    if number is None:
        return None
    return round(float(number[1]) * 1000 ** " KMGT".index(number[2])) if number[1] else 0
