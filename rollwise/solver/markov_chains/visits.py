"""How often play comes to each board of a chain: from one start, exactly.

Expected points say what a board is worth. How often each board is visited says everything else about where a game of
chance goes: the chance of every ending, the number of turns, the chance of passing a cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.solver.markov_chains.chain import OVER, Steps, onward
from rollwise.solver.markov_chains.longrun import totals
from rollwise.solver.turn.arrays import UNIT


def visits(chain: Mapping[int, Steps], start: int) -> dict[int, Fraction]:
    """Expected number of visits by board (by index) of a game that starts on ``start``, which counts as one.

    ``chain`` is as ``solver.markov_chains.chain.chain_from`` lays it out. Boards at which that stopped are counted too.
    """
    came: dict[int, dict[int, Fraction]] = {board: {} for board in chain}  # by board: from where, with what chance
    for board, following in onward(chain).items():
        for target, p in following.items():
            came.setdefault(target, {})[board] = p
    return {board: n for board, (n,) in totals(came, {board: [Fraction(board == start)] for board in came}).items()}


def turns_to_end(chain: Mapping[int, Steps], start: int, tail: float = 1e-12) -> dict[int, Fraction]:
    """The chance, at least, of each number of turns until the game ends; what is missing to 1 is longer or rounded off.

    ``chain`` is as for ``visits``; what comes to a board at which it stopped is among what is missing.
    """
    boards = {board: place for place, board in enumerate(chain)}
    moves = [(boards[board], target, float(p)) for board, steps in chain.items() for (target, _), p in steps.items()]
    source, target, chance = (np.array(column) for column in zip(*moves, strict=True))
    over, on = target == OVER, np.isin(target, list(boards))
    following = np.array([boards[board] for board in target[on].tolist()], dtype=np.int64)
    fan_in = int(np.bincount(following, minlength=1).max(initial=0))
    now: Any = np.zeros(len(boards))
    now[boards[start]] = 1.0
    found: dict[int, Fraction] = {}
    turn = 0
    while now.sum() > tail:
        turn += 1
        flow = now[source] * chance
        sure = 1 - turn * (fan_in + len(moves) + 8) * UNIT  # however the sums were rounded
        found[turn] = Fraction(float(flow[over].sum()) * sure)
        now = np.bincount(following, flow[on], len(boards))
    return found
