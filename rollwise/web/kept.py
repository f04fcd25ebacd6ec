"""What the server keeps of games with hidden dice: their records, under names that nobody can guess, for an hour."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

HOUR = 3600.0
MOST_KEPT = 300  # games, each of at most as many bytes as a page may carry


@dataclass(frozen=True)
class KeptMatch:
    """A game as it stands, as plain data; ``step``: how often it was stored."""

    plain: dict[str, Any]
    step: int
    at: float


class Matches:
    """Games by name, the last used last; the oldest go first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_KEPT) -> None:
        self._clock, self._most = clock, most
        self._kept: OrderedDict[str, KeptMatch] = OrderedDict()
        self._busy = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def put(self, name: str | None, plain: dict[str, Any], step: int = 0) -> tuple[str, int] | None:
        """Store a game under a new name, or as what follows ``step``; None where that was not its last step."""
        with self._busy:
            self._drop_old()
            if name is None:
                name = secrets.token_urlsafe(24)
            elif name not in self._kept or self._kept[name].step != step:
                return None
            self._kept[name] = KeptMatch(plain, step + 1, self._clock())
            self._kept.move_to_end(name)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return name, step + 1

    def get(self, name: str) -> KeptMatch | None:
        """A game; None where it is not, or no longer, known."""
        with self._busy:
            self._drop_old()
            return self._kept.get(name)

    def _drop_old(self) -> None:
        while self._kept and next(iter(self._kept.values())).at < self._clock() - HOUR:
            self._kept.popitem(last=False)
