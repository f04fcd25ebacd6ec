"""How often play comes to each board of a chain: from one start, exactly.

Expected points say what a board is worth. How often each board is visited says everything else about where a game of
chance goes: the chance of every ending, the number of turns, the chance of passing a cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.solver.chains.chain import OVER, Steps
from rollwise.solver.order.components import components
from rollwise.solver.turn.arrays import UNIT

Rational = Any  # flint's fmpq
Ahead = dict[int, Rational]  # chances, or numbers of visits, by board
Leads = dict[int, Ahead]  # the chance of each next board, by board


def visits(chain: Mapping[int, Steps], start: int) -> dict[int, Fraction]:
    """Expected number of visits by board (by index) of a game that starts on ``start``, which counts as one.

    ``chain`` is as ``solver.chains.chain.chain_from`` lays it out. Boards at which that stopped are counted too.
    """
    from flint import fmpq

    leads: Leads = {board: {} for board in chain}
    for board, steps in chain.items():
        for (target, _), p in steps.items():
            if target != OVER:
                leads[board][target] = leads[board].get(target, fmpq(0)) + fmpq(p.numerator, p.denominator)
    came: Ahead = {start: fmpq(1)}  # visits that come from boards that are done, and the start
    found: Ahead = {}
    for members in _in_order(leads):
        inside = {board: {t: p for t, p in leads[board].items() if t in members} for board in members}
        for board, count in _among(inside, came).items():
            found[board] = count
            for target, p in leads[board].items():
                if target not in members:
                    came[target] = came.get(target, fmpq(0)) + count * p
    found |= {board: count for board, count in came.items() if board not in chain}
    return {board: Fraction(int(count.numerator), int(count.denominator)) for board, count in found.items()}


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


def _in_order(leads: Leads) -> Iterator[set[int]]:
    """Boards that lead to each other, component by component, each before those that it leads to."""
    boards = np.array(sorted(leads))
    pairs = [(board, target) for board, ahead in leads.items() for target in ahead if target in leads]
    source, target = np.searchsorted(boards, np.array(pairs, dtype=np.int64).reshape(-1, 2).T)
    component, rank = components(len(boards), source, target)
    by_rank = np.lexsort((component, -rank))
    for places in np.split(by_rank, np.flatnonzero(np.diff(component[by_rank])) + 1):
        yield set(boards[places].tolist())


def _among(leads: Leads, came: Ahead) -> Ahead:
    """Visits of boards that lead to each other, from those that come from outside.

    Boards are taken out one by one, the highest index first: whoever led there leads on to where that board led. Where
    boards only lead to their neighbours, as the points of a purse do, hardly anything has to be filled in.
    """
    from flint import fmpq

    from_outside = {board: came.get(board, fmpq(0)) for board in leads}
    before: dict[int, set[int]] = {board: set() for board in leads}
    for board, ahead in leads.items():
        for target in ahead:
            before[target].add(board)
    taken: list[tuple[int, Rational, Ahead]] = []  # board, visits from outside, visits for each of another board's
    for board in sorted(leads, reverse=True):
        leaves = 1 - leads[board].pop(board, fmpq(0))
        onward = {target: p / leaves for target, p in leads.pop(board).items()}
        arrives = {other: leads[other].pop(board) for other in before.pop(board) - {board}}
        outside = from_outside.pop(board)
        for target, p in onward.items():
            before[target].discard(board)
            from_outside[target] += outside * p
            for other, q in arrives.items():
                leads[other][target] = leads[other].get(target, fmpq(0)) + q * p
                before[target].add(other)
        taken.append((board, outside / leaves, {other: q / leaves for other, q in arrives.items()}))
    found: Ahead = {}
    for board, outside, arrives in reversed(taken):
        found[board] = sum((found[other] * q for other, q in arrives.items()), outside)
    return found
