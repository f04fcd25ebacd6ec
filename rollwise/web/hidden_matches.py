"""Store of matches with hidden dice: their records by unguessable names, for an hour."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MATCH_LIFETIME_S = 3600.0
MAX_MATCHES = 300  # each at most as large as a record on a page


@dataclass(frozen=True)
class StoredMatch:
    """A match as plain data; ``step`` counts how often it was stored."""

    plain: dict[str, Any]
    step: int
    at: float


class MatchStore:
    """Matches by name, least recently stored first, which are dropped first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, max_matches: int = MAX_MATCHES) -> None:
        self._clock, self._max_matches = clock, max_matches
        self._stored: OrderedDict[str, StoredMatch] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._stored)

    def put(self, name: str | None, plain: dict[str, Any], step: int = 0) -> tuple[str, int] | None:
        """Store a match under a new name, or as the successor of ``step``; None if that is not its last step."""
        with self._lock:
            self._drop_old()
            if name is None:
                name = secrets.token_urlsafe(24)
            elif name not in self._stored or self._stored[name].step != step:
                return None
            self._stored[name] = StoredMatch(plain, step + 1, self._clock())
            self._stored.move_to_end(name)
            while len(self._stored) > self._max_matches:
                self._stored.popitem(last=False)
            return name, step + 1

    def get(self, name: str) -> StoredMatch | None:
        """The match of this name; None if there is none, or it has expired."""
        with self._lock:
            self._drop_old()
            return self._stored.get(name)

    def _drop_old(self) -> None:
        while self._stored and next(iter(self._stored.values())).at < self._clock() - MATCH_LIFETIME_S:
            self._stored.popitem(last=False)
