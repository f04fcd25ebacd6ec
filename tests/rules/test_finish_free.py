"""Finish where the roller says how many dice are added: what may be said, what comes of it, and what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import Step, moves, replay
from rollwise.games.finish.rules import NEW, Finish, FinishFree, FinishFreeTable
from rollwise.games.registry import game
from rollwise.solver.model.errors import DiceError, ParameterError, StateError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from rollwise.solver.values.table import solve_table
from tests.tables import Explicit

DUEL = FinishFree(2, placing="free")
TABLE = FinishFreeTable(3, placing="free")
WHOLE_ROW = (1, 2, 3, 4, 5, 6)


def test_the_number_of_players_says_what_is_played() -> None:
    assert (game("finish", {"placing": "free", "players": 2}), game("finish", {"placing": "free"})) == (DUEL, TABLE)
    assert (DUEL.kind, TABLE.kind) == ("duel", "table")
    assert [game("finish", {"players": players}).kind for players in (3, 4, 5)] == ["seats"] * 3


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"players": 2}, "'finish' with placing=forced is for 3 to 5 players, got 2"),
        ({"players": 4, "placing": "free"}, "with placing=free is for 2 or 3 players, got 4"),
        ({"players": 5, "placing": "free"}, "with placing=free is for 2 or 3 players, got 5"),
        ({"players": 6}, "players is from 2 to 5, got 6"),
        ({"players": 1, "placing": "free"}, "players is from 2 to 5, got 1"),
    ],
)
def test_other_numbers_of_players_are_refused_in_one_line(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said) as refused:
        game("finish", parameters)
    assert refused.value.field == "players"


def test_it_is_said_how_many_boards_more_players_would_have() -> None:
    assert DUEL.unsolved() == TABLE.unsolved() == {4: 863_870, 5: 22_137_570}
    assert Finish().unsolved() == {}


@pytest.mark.parametrize("of", [DUEL, TABLE], ids=str)
def test_all_dice_that_fit_may_be_placed_or_fewer_but_not_none(of: TurnGame) -> None:
    assert moves(of, replay(of, {}, [((1, 2, 3, 4, 4, 6), None)])) == ["place 4", "place 3", "place 2", "place 1"]
    assert moves(of, replay(of, {}, [((1, 3, 4, 5, 6, 6), None)])) == ["place 1"]
    assert moves(of, replay(of, {"placed": 3, "chips": (8, 8) if of == DUEL else (8, 8, 8)}, [((4, 5, 1), None)])) == [
        "place 2",
        "place 1",
    ]


def test_the_example_round_is_one_way_to_play_it() -> None:
    steps: list[Step] = [((1, 2, 3, 6, 6, 1), "place 3"), ((4, 1, 3), "place 1"), ((6, 2), None), ((5, 5), "place 1")]
    played = replay(TABLE, {}, [*steps, ((6,), "place 1")])
    assert (played.board, played.mover) == ({"row": NEW, "chips": (7, 9, 12)}, 2)  # seat 1 has placed the 6


def test_what_is_not_placed_is_rolled_by_the_next_player() -> None:
    played = replay(DUEL, {}, [((1, 2, 3, 4, 5, 6), "place 2"), ((3, 4, 5, 6), "place 4")])
    assert (played.board, played.mover, played.over) == ({"row": NEW, "chips": (9, 11)}, 0, False)


def shares(of: TurnGame, state: dict[str, Any], *steps: Step) -> list[Any]:
    """Who has won how much, by seat, after these steps end the game."""
    return list(replay(of, state, steps).shares)


def test_only_all_six_dice_win_the_game_at_once() -> None:
    assert shares(DUEL, {}, (WHOLE_ROW, "place 6")) == [1, 0]
    assert not replay(DUEL, {}, [(WHOLE_ROW, "place 5")]).over
    assert shares(TABLE, {"mover": 1}, (WHOLE_ROW, "place 6")) == [0, 1, 0]


def test_with_two_players_the_last_chip_loses() -> None:
    assert shares(DUEL, {"chips": (1, 9), "placed": 5}, ((1,), None)) == [0, 1]
    assert shares(DUEL, {"chips": (9, 1), "placed": 5}, ((6,), "place 1")) == [1, 0]


@pytest.mark.parametrize(
    ("state", "error", "said"),
    [
        ({"roll": (2, 3, 3, 4, 5, 6)}, StateError, "roll 2 3 3 4 5 6 has no 1 to add to the row, the turn is over"),
        ({"placed": 2, "roll": (3, 3, 3)}, DiceError, "roll needs 4 faces with placed=2, got 3: 3 3 3"),
        ({"chips": (20, None)}, StateError, "the game is over, seat 0 is the last one in and won"),
        ({"chips": (15, 6)}, StateError, "the game holds 20 chips, got 21"),
    ],
)
def test_a_question_that_cannot_be_is_refused_in_one_line(
    state: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        DUEL.locate(**state)


# --- what it is worth ------------------------------------------------------------------------------------------------


def duel_by_hand(chips: int, forced: Callable[[int], bool]) -> dict[tuple[int, int, int, int], float]:
    """P(the mover wins) by (row, mine, theirs, mover's seat), written once more from the rules, swept till it stands.

    Seats for whom ``forced`` holds place all that fits.
    """
    most = 2 * chips
    rolls: dict[int, dict[int, int]] = {}
    for placed in range(6):
        rolls[placed] = {}
        for dice in product(range(1, 7), repeat=6 - placed):
            fits = next((number for number in range(placed, 6) if number + 1 not in dice), 6) - placed
            rolls[placed][fits] = rolls[placed].get(fits, 0) + 1
    worth = {
        (row, mine, theirs, seat): 0.5
        for row in range(-1, 6)
        for mine, theirs in product(range(1, most), repeat=2)
        for seat in (0, 1)
        if mine + theirs <= most
    }

    def passed(row: int, mine: int, theirs: int, seat: int) -> float:
        if not mine or not theirs:
            return float(theirs == 0)
        return 1 - worth[row, theirs, mine, 1 - seat]

    def placing(row: int, mine: int, theirs: int, seat: int, count: int) -> float:
        after = max(row, 0) + count
        if after == 6:
            return 1.0 if row == -1 else passed(-1, mine + 1, theirs - 1, seat)
        return passed(after, mine, theirs, seat)

    for _ in range(60):
        for row, mine, theirs, seat in worth:
            placed, total = max(row, 0), 0.0
            for fits, ways in rolls[placed].items():
                if fits == 0:
                    then = passed(placed, max(mine - (6 - placed), 0), theirs, seat)
                elif forced(seat):
                    then = placing(row, mine, theirs, seat, fits)
                else:
                    then = max(placing(row, mine, theirs, seat, count) for count in range(1, fits + 1))
                total += ways * then
            worth[row, mine, theirs, seat] = total / 6 ** (6 - placed)
    return worth


def test_the_duel_is_worth_what_it_is_by_hand() -> None:
    small = FinishFree(2, 2, placing="free")
    solved = BoardSolver(small, compile_turn(small), compiled=False).solve()
    by_hand = duel_by_hand(2, forced=lambda seat: False)
    for index in np.flatnonzero(np.isfinite(solved.values)).tolist():
        board = small.boards().board(index)
        mine, theirs = board["chips"]
        assert solved.values[index] == pytest.approx(by_hand[board["row"], mine, theirs, 0], abs=1e-9)


def test_a_table_of_one_chip_each_is_an_equilibrium_in_fractions() -> None:
    small = FinishFreeTable(3, 1, placing="free")
    graph = compile_turn(small)
    solved = solve_table(small, graph)
    explicit = Explicit(small, solved.values, solved.tie)
    exact, replies = explicit.worth(), explicit.best_reply()
    for (board, place), worth in exact.items():
        assert abs(Fraction(float(solved.values[board, place])) - worth) <= Fraction(float(solved.radius[board, place]))
        assert replies[board, place] - worth <= Fraction(solved.gain_limit)


def test_a_table_in_which_nobody_stops_short_is_the_game_of_luck() -> None:
    """The same boards and settle: only the choice differs."""
    luck, table = Finish(3, 2), FinishFreeTable(3, 2, placing="free")
    boards = luck.boards()
    columns = boards.columns(np.flatnonzero(luck.possible(boards.columns(np.arange(boards.size)))))
    for result in ("pays", "finishes", "wins", 3):
        one, other = (of.transition(columns, result) for of in (luck, table))
        assert np.array_equal(np.asarray(one.shares), np.asarray(other.shares))
        assert np.array_equal(one.mover, other.mover)
