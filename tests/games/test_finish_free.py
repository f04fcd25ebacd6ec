"""Finish where the roller says how many dice are added: what may be said, what comes of it, and what it is worth."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from rollwise.games.finish.rules import NEW, Finish, FinishFree, FinishFreeTable
from rollwise.games.registry import game
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from rollwise.solver.values.table import solve_table
from tests.games.helping import plays_out, rules
from tests.tables import Explicit

DUEL = FinishFree(2, placing="free")
TABLE = FinishFreeTable(3, placing="free")


def test_the_number_of_players_says_what_is_played_and_more_would_have_too_many_boards() -> None:
    assert (game("finish", {"placing": "free", "players": 2}), game("finish", {"placing": "free"})) == (DUEL, TABLE)
    assert (DUEL.kind, TABLE.kind) == ("duel", "table")
    assert [game("finish", {"players": players}).kind for players in (3, 4, 5)] == ["seats"] * 3
    assert DUEL.unsolved() == TABLE.unsolved() == {4: 863_870, 5: 22_137_570}
    assert Finish().unsolved() == {}


EXAMPLE = "123661: place 3, 413: place 1, 62, 55: place 1, 6: place 1"


@rules(
    "of, question, play, then",
    {
        **{
            f"{of.kind}, {told}": (of, question, play, {"moves": offered})
            for of, chips in ((DUEL, (8, 8)), (TABLE, (8, 8, 8)))
            for told, question, play, offered in (
                ("all dice that fit or fewer", {}, "123446", ["place 4", "place 3", "place 2", "place 1"]),
                ("but not none", {}, "134566", ["place 1"]),
                ("on a row", {"placed": 3, "chips": chips}, "451", ["place 2", "place 1"]),
            )
        },
        "the example is one way to play it": (TABLE, {}, EXAMPLE, {"row": NEW, "chips": (7, 9, 12), "mover": 2}),
        "what is not placed is rolled by the next": (
            *(DUEL, {}, "123456: place 2, 3456: place 4"),
            {"row": NEW, "chips": (9, 11), "mover": 0, "over": False},
        ),
        "all six dice win at once": (DUEL, {}, "123456: place 6", {"shares": (1, 0)}),
        "five do not": (DUEL, {}, "123456: place 5", {"over": False}),
        "at a table too": (TABLE, {"mover": 1}, "123456: place 6", {"shares": (0, 1, 0)}),
        "the last chip loses": (DUEL, {"chips": (1, 9), "placed": 5}, "1", {"shares": (0, 1)}),
        "also given": (DUEL, {"chips": (9, 1), "placed": 5}, "6: place 1", {"shares": (1, 0)}),
    },
)
def test_a_round_goes_as_the_roller_likes(
    of: TurnGame, question: dict[str, Any], play: str, then: dict[str, Any]
) -> None:
    plays_out(of, question, play, then)


# --- what it is worth ------------------------------------------------------------------------------------------------


def duel_by_hand(chips: int) -> dict[tuple[int, int, int], float]:
    """P(the mover wins) by (row, mine, theirs), written once more from the rules, swept till it stands."""
    most = 2 * chips
    rolls: dict[int, dict[int, int]] = {}
    for placed in range(6):
        rolls[placed] = {}
        for dice in product(range(1, 7), repeat=6 - placed):
            fits = next((number for number in range(placed, 6) if number + 1 not in dice), 6) - placed
            rolls[placed][fits] = rolls[placed].get(fits, 0) + 1
    sums = [(mine, theirs) for mine, theirs in product(range(1, most), repeat=2) if mine + theirs <= most]
    worth = {(row, *chips): 0.5 for row in range(-1, 6) for chips in sums}

    def passed(row: int, mine: int, theirs: int) -> float:
        return 1 - worth[row, theirs, mine] if mine and theirs else float(theirs == 0)

    def placing(row: int, mine: int, theirs: int, count: int) -> float:
        after = max(row, 0) + count
        if after == 6:
            return 1.0 if row == -1 else passed(-1, mine + 1, theirs - 1)
        return passed(after, mine, theirs)

    for _ in range(40):
        for row, mine, theirs in worth:
            placed, total = max(row, 0), 0.0
            for fits, ways in rolls[placed].items():
                options = [placing(row, mine, theirs, count) for count in range(1, fits + 1)]
                total += ways * max(options or [passed(placed, max(mine - (6 - placed), 0), theirs)])
            worth[row, mine, theirs] = total / 6 ** (6 - placed)
    return worth


def test_the_duel_is_worth_what_it_is_by_hand() -> None:
    small = FinishFree(2, 2, placing="free")
    solved = BoardSolver(small, compile_turn(small), compiled=False).solve()
    by_hand = duel_by_hand(2)
    for index in np.flatnonzero(np.isfinite(solved.values)).tolist():
        board = small.boards().board(index)
        mine, theirs = board["chips"]
        assert solved.values[index] == pytest.approx(by_hand[board["row"], mine, theirs], abs=1e-9)


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
