"""Busted with few chips, written afresh from the rules and swept one state after the other: seat by seat the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from rollwise.games.busted import Busted
from rollwise.games.registry import game
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.boards.table import solve_table
from rollwise.solver.turn.graph import compile_turn

WAYS = Counter(first + second for first, second in product(range(1, 7), repeat=2))
Shares = tuple[float, ...]


class Here(NamedTuple):
    """Chips by seat, chips by space, who moves, and whether that seat may pass."""

    chips: tuple[int, ...]
    board: tuple[int, ...]  # spaces 3 to 11
    mover: int
    may_pass: bool


def put(chips: list[int], board: list[int], seat: int, space: int) -> None:
    number = min(space, chips[seat])
    chips[seat] -= number
    board[space - 3] += number


def passed(chips: list[int], board: list[int], seat: int) -> Here:
    """The next seat that has chips begins a turn."""
    seats = len(chips)
    following = next(other % seats for other in range(seat + 1, seat + seats + 1) if chips[other % seats])
    return Here(tuple(chips), tuple(board), following, False)


def rolled(here: Here, thrown: int, again: int) -> Here:
    """What comes of a roll; ``again`` is the one that follows a 2 or 12."""
    chips, board, seat = list(here.chips), list(here.board), here.mover
    if thrown in (2, 12):
        chips[seat] += sum(board)
        board = [0] * 9
        for space in range(3, 12) if again in (2, 12) else [again]:
            put(chips, board, seat, space)
    elif thrown != 7 and board[thrown - 3]:
        chips[seat] += board[thrown - 3]
        board[thrown - 3] = 0
        return Here(tuple(chips), tuple(board), seat, True)
    else:
        put(chips, board, seat, thrown)
    return passed(chips, board, seat)


def played_out(players: int, each: int) -> Mapping[Here, Shares]:
    """Everybody's share in every state that play comes to, the mover's own best first and passing before rolling."""
    start = Here((each,) * players, (0,) * 9, 0, False)
    leads: dict[Here, dict[Here, float]] = {}
    waiting, worth = [start], {start: np.full(players, 1 / players)}
    while waiting:
        here = waiting.pop()
        standing = [seat for seat, number in enumerate(here.chips) if number]
        if len(standing) == 1:
            worth[here] = np.eye(players)[standing[0]]
            continue
        after: dict[Here, float] = {}
        for thrown, again in product(WAYS, repeat=2):
            ahead = rolled(here, thrown, again)
            after[ahead] = after.get(ahead, 0.0) + WAYS[thrown] * WAYS[again] / 36**2
        leads[here] = after
        for ahead in (*after, passed(list(here.chips), list(here.board), here.mover)):
            if ahead not in worth:
                worth[ahead] = np.full(players, 1 / players)
                waiting.append(ahead)
    moved = 1.0
    while moved > 1e-13:
        moved = 0.0
        for here, after in leads.items():
            found = np.sum([chance * worth[ahead] for ahead, chance in after.items()], axis=0)
            if here.may_pass:
                left = worth[passed(list(here.chips), list(here.board), here.mover)]
                found = left if left[here.mover] >= found[here.mover] - 1e-12 else found
            moved = max(moved, float(np.abs(found - worth[here]).max()))
            worth[here] = np.asarray(found)
    return {here: tuple(shares) for here, shares in worth.items()}


def index_of(made: Any, here: Here) -> int:
    chips = (*here.chips[here.mover :], *here.chips[: here.mover], *here.board)
    return int(made.boards().index_of(taken=int(here.may_pass), chips=chips))


@pytest.mark.parametrize("each", [2, 3])
def test_three_players_share_as_a_game_written_afresh_says(each: int) -> None:
    made = Busted(fewer=each)
    solved = solve_table(made, compile_turn(made), workers=1)
    assert solved.gain_limit < 1e-9
    found = played_out(3, each)
    going_on = {here: shares for here, shares in found.items() if np.count_nonzero(here.chips) > 1}
    assert len(going_on) > 100
    for here, shares in going_on.items():
        by_place = [shares[(here.mover + place) % 3] for place in range(3)]
        assert np.abs(solved.values[index_of(made, here)] - by_place).max() < 1e-9, here


def test_two_players_win_as_a_game_written_afresh_says() -> None:
    made = game("busted", {"players": 2, "fewer": 6})
    solved = BoardSolver(made, compile_turn(made), compiled=False).solve()  # type: ignore[arg-type]
    for here, shares in played_out(2, 6).items():
        if all(here.chips):
            assert abs(solved.values[index_of(made, here)] - shares[here.mover]) < 1e-9, here
