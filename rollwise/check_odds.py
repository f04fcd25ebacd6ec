"""``check`` for luck games of several seats: the stored odds are backed up once more, and the start is played again.

The backup is written here, from ``settle`` and NumPy alone: if no row changes by more than the stored error, then no
chance is off by more than that error times the expected number of turns (``solver.chains.values`` has the argument).
What is stored of the start alone, the lengths of games and the odds of games too large to keep, is computed again and
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.cache.store import Entry
from rollwise.solver.chains.layout import Throws, lay_out, throws_of
from rollwise.solver.chains.odds import Odds, odds
from rollwise.solver.chains.values import Eliminated
from rollwise.solver.game.model import TurnGame
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Report = Callable[[float], None]
BLOCK = 1 << 14
SLACK = 64 * UNIT


def check_odds(entry: Entry, game: TurnGame, graph: TurnGraph, seats: tuple[int, ...], progress: Report) -> str | None:
    """What is wrong with an entry, in words; None where all of it holds."""
    facts = entry.manifest["facts"]
    known = None
    if "values" in entry.names:
        known = _known(entry)
        wrong = _backed_up(known, entry.array("boards"), game, graph, lambda done: progress(0.6 * done))
        if wrong is not None:
            return wrong
    steps = lay_out(game, graph)
    start = game.boards().index_of(**game.first_board())
    known_place = 0 if known is None else int(np.searchsorted(entry.array("boards"), start))
    again: Odds = odds(
        steps,
        steps.place(start),
        lambda done: progress(0.6 + 0.4 * done),
        known=known,
        known_place=known_place,
        exact=False,
    )
    told = again.quantities(seats, max(game.seats, 1), game.outcome)
    for name, quantity in told.items():
        if name not in facts["start"] or not _meet(quantity.plain(), facts["start"][name]):
            return f"{name.replace('_', ' ')} of the start is not what comes out now"
    return None


def _known(entry: Entry) -> Eliminated:
    facts = entry.manifest["facts"]
    return Eliminated(np.asarray(entry.array("values")), facts["chance_error"], facts["turn_error"])


def _backed_up(known: Eliminated, boards: Ints, game: TurnGame, graph: TurnGraph, progress: Report) -> str | None:
    """Every row from the rows that follow it."""
    throws = throws_of(game, graph)
    space = game.boards()
    for first in range(0, len(boards), BLOCK):
        block = boards[first : first + BLOCK]
        roots = np.broadcast_to(game.root(space.columns(block)), len(block))
        for root in np.unique(roots):
            inside = np.flatnonzero(roots == root)
            rows = known.values[first + inside]
            change = np.abs(_backup(known.values, boards, block[inside], game, throws[int(root)]) - rows)
            turns = 1 + rows[:, -1]
            wrong = (change[:, :-1].max(axis=1, initial=0) > known.chance_error + SLACK) | (
                change[:, -1] > known.turn_error + SLACK * turns
            )
            if not np.isfinite(rows).all() or wrong.any():
                return f"the odds of {space.board(int(block[inside][np.argmax(wrong)]))} are not those of what follows"
        progress((first + len(block)) / len(boards))
    return None


def _backup(values: Floats, boards: Ints, block: Ints, game: TurnGame, throws: Throws) -> Floats:
    """The rows of these boards, all of one root, from the rows of what follows."""
    space = game.boards()
    columns = space.columns(block)
    seats, lanes = max(game.seats, 1), np.arange(len(block))
    around = np.broadcast_to(game.standing(columns), len(block))
    found = np.zeros((len(block), values.shape[1]))
    for result, ways in zip(throws.results, throws.ways, strict=True):
        said = game.settle(columns, result)
        over = np.broadcast_to(np.asarray(said.over, dtype=bool), len(block))
        left = np.broadcast_to(np.asarray(said.mover, dtype=np.int64), len(block))
        following = np.full(len(block), -1) if said.next is None else space.index(said.next, len(block))
        place = np.clip(np.searchsorted(boards, np.where(over, boards[0], following)), 0, len(boards) - 1)
        row = values[place]
        if not (over | (boards[place] == following)).all():
            return np.full_like(found, np.nan)
        turned = np.zeros_like(row)
        turned[:, seats:] = row[:, seats:]
        for seat in range(seats):
            there = np.where(seat < around, row[lanes, (seat - left) % around], 0.0)
            share = 0 if said.shares is None else np.broadcast_to(np.asarray(said.shares[seat]), len(block)) / said.per
            turned[:, seat] = np.where(over, share, there)
        turned[over, seats:] = 0.0
        if values.shape[1] > seats + 1:
            turned[over, seats] = np.count_nonzero(turned[over, :seats], axis=1) > 1
        found += ways * turned
    found /= throws.total
    found[:, -1] += 1.0
    return found


def _meet(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """Two certified statements about the same numbers: their intervals must meet."""
    if ours["unit"] != theirs["unit"]:
        return False
    names = ("value", "lower", "upper")
    if isinstance(ours["value"], dict):
        pairs = [
            [told.get(key, 0.0) for told in (ours["lower"], ours["upper"], theirs["lower"], theirs["upper"])]
            for key in ours["value"].keys() | theirs["value"].keys()
        ]
    elif isinstance(ours["value"], list):
        if any(len(ours[name]) != len(theirs[name]) for name in names):
            return False
        pairs = [list(row) for row in zip(ours["lower"], ours["upper"], theirs["lower"], theirs["upper"], strict=True)]
    else:
        pairs = [[ours["lower"], ours["upper"], theirs["lower"], theirs["upper"]]]
    tail = float((ours.get("tail") or {}).get("upper", 0.0)) + float((theirs.get("tail") or {}).get("upper", 0.0))
    return all(low <= above + tail and below <= high + tail for low, high, below, above in pairs)
