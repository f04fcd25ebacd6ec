"""Expected visits to each board of a chain from one start: a row of its fundamental matrix (Kemeny and Snell 1960).

Visits give every other mean of a game of chance: the chance of every ending, the number of turns, the chance of
passing a cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.solver.markov_chains.chain import OVER, Steps, transition_probabilities
from rollwise.solver.markov_chains.longrun import expected_sums
from rollwise.solver.turn.arrays import UNIT


def expected_visits(chain: Mapping[int, Steps], start: int) -> dict[int, Fraction]:
    """Expected number of visits by board (by index) of a game that starts on ``start``, which counts as one.

    ``chain`` comes from ``solver.markov_chains.chain.chain_from``. Boards at which its walk stopped are counted too.
    """
    back: dict[int, dict[int, Fraction]] = {board: {} for board in chain}  # by board, with the chance
    for board, following in transition_probabilities(chain).items():
        for target, p in following.items():
            back.setdefault(target, {})[board] = p
    return {
        board: n for board, (n,) in expected_sums(back, {board: [Fraction(board == start)] for board in back}).items()
    }


def turns_to_end(chain: Mapping[int, Steps], start: int, tail: float = 1e-12) -> dict[int, Fraction]:
    """Lower bounds of the chance of each number of turns until the game ends, by the forward pass.

    What they lack to 1 is longer games, rounding, and games that come to a board at which ``chain`` stopped.
    """
    boards = {board: place for place, board in enumerate(chain)}
    moves = [(boards[board], target, float(p)) for board, steps in chain.items() for (target, _), p in steps.items()]
    source, target, chance = (np.array(column) for column in zip(*moves, strict=True))
    over, on = target == OVER, np.isin(target, list(boards))
    following = np.array([boards[board] for board in target[on].tolist()], dtype=np.int64)
    fan_in = int(np.bincount(following, minlength=1).max(initial=0))
    now: Any = np.zeros(len(boards))
    now[boards[start]] = 1.0
    chances: dict[int, Fraction] = {}
    turn = 0
    while now.sum() > tail:
        turn += 1
        flow = now[source] * chance
        rounding = 1 - turn * (fan_in + len(moves) + 8) * UNIT  # a lower bound of the relative rounding of the sums
        chances[turn] = Fraction(float(flow[over].sum()) * rounding)
        now = np.bincount(following, flow[on], len(boards))
    return chances
