"""A round of Six By 6 written again from its rules, in floats: rolls of ordered dice, posted and carry as played.

Nothing of the game's own file is read here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

DICE = 6
CAP = 150  # carry that is followed, where nearly nobody comes
Array = NDArray[Any]


def rolls(dice: int) -> dict[tuple[int, int, int, int | None], int]:
    """How many rolls give (sixes, carry earned, sum of the others, carry earned if posted whole or None)."""
    found: dict[tuple[int, int, int, int | None], int] = defaultdict(int)
    for faces in product(range(1, 7), repeat=dice):
        counts = Counter(faces)
        earned = sum(n - 1 for n in counts.values()) + counts[6]
        whole = (len(counts) in (1, 6) and dice == 6) or (len(counts) == 5 and not counts[6] and dice == 5)
        left = sum(face for face in faces if face != 6)
        found[counts[6], earned, left, 2 * dice - 1 if whole else None] += 1
    return found


ROLLS = [rolls(DICE - posted) for posted in range(DICE)]


def round_worth(utility: Callable[[Array], Array], forced: bool = False, cap: int = CAP) -> list[Array]:
    """The best mean of ``utility(score)`` by posted and carry, swept until nothing moves; no more than ``cap`` is kept.

    ``utility`` may tell several numbers of each score, in a further axis. ``forced``: what may be posted whole is.
    """
    carries = np.arange(cap + 1)
    worth = [utility(36 + carries) for _ in range(DICE)]
    for posted in reversed(range(DICE)):
        moved = 1.0
        while moved > 1e-14:
            found = np.zeros_like(worth[posted])
            for (sixes, earned, left, whole), ways in ROLLS[posted].items():
                if posted + sixes == DICE:
                    each = utility(36 + carries + earned)
                else:
                    each = worth[posted + sixes][np.clip(carries + earned - 1, 0, cap)]
                    if earned == 0:
                        each[0] = utility(np.array([6 * (posted + sixes) + left]))[0]
                if whole is not None:
                    post = utility(36 + carries + whole)
                    each = post if forced else np.maximum(post, each)
                found += ways * each / 6 ** (DICE - posted)
            moved = float(np.max(np.abs(found - worth[posted])))
            worth[posted] = found
    return worth


@cache
def scores(carry: int = 0, posted: int = 0) -> tuple[dict[int, float], float]:
    """The chance of each score and the mean number of rolls, roll by roll; what may be posted is."""
    now = {(posted, carry): 1.0}
    found: dict[int, float] = defaultdict(float)
    length = 0.0
    while (alive := sum(now.values())) > 1e-15:
        length += alive
        following: dict[tuple[int, int], float] = defaultdict(float)
        for (out, held), chance in now.items():
            for (sixes, earned, left, whole), ways in ROLLS[out].items():
                p = chance * ways / 6 ** (DICE - out)
                if whole is not None or out + sixes == DICE:
                    found[36 + held + (whole or earned)] += p
                elif held + earned == 0:
                    found[6 * (out + sixes) + left] += p
                elif p > 1e-22:
                    following[out + sixes, held + earned - 1] += p
        now = following
    return found, length
