"""Solve every game and the variants below, whole games side by side: python scripts/solve_all.py

Games run in processes of their own (joblib's loky backend), one thread each; answers land in the cache, so that the
first question about any of them is answered at once.
"""

from __future__ import annotations

import time
from typing import Any

from joblib import Parallel, cpu_count, delayed

from rollwise.games.registry import REGISTRY

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("421", {"players": 2}),
    ("busted", {"players": 2}),
    *(("finish", {"players": players, "placing": "free"}) for players in (2, 3)),
    ("martinetti", {"crossing": "free"}),
    *(("mexico", {"players": players}) for players in (3, 4)),
    ("piggy-six", {"target": 50}),
    ("piggy-six", {"max_dice": 3}),
    ("shut-the-box", {"variant": "partial"}),
    ("shut-the-box", {"objective": "clear"}),
    *(("six-by-6", {"players": players, "posting": "free"}) for players in range(1, 5)),
    *(("shut-the-box", {"players": players}) for players in range(2, 7)),
    ("ten-thousand", {"goal": 5000}),
    ("ten-thousand", {"players": 1}),
    ("ten-thousand", {"players": 1, "objective": "points"}),
    ("yahtzee", {"joker": "free"}),
]


def solve_one(name: str, parameters: dict[str, Any]) -> str:
    """Solve one game; returns a line about it."""
    from rollwise.door import the_game
    from rollwise.stored import stored

    begin = time.perf_counter()
    made = the_game(name, parameters)
    found = stored(made, workers=1, quiet=True)
    how = "known" if found.cached else f"{time.perf_counter() - begin:.1f} s"
    return f"{made}: {found.facts['boards']:,} boards, {how}"


def main() -> None:
    """All of them."""
    jobs = [*((name, {}) for name in REGISTRY), *VARIANTS]
    solves = (delayed(solve_one)(name, parameters) for name, parameters in jobs)
    for line in Parallel(n_jobs=cpu_count(), backend="loky", return_as="generator_unordered")(solves):
        print(line, flush=True)


if __name__ == "__main__":
    main()
