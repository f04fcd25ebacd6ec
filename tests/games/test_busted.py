"""Busted, by its rules (number 4 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from rollwise.games.busted.boards import AllChips, can_have_taken
from rollwise.games.busted.rules import Busted, BustedDuel
from rollwise.games.claims.replay import begin, by_seat, describe_position
from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import TurnGame
from tests.games.helping import made, may, played, rules

SUMS = {thrown: f"{max(1, thrown - 6)}{min(6, thrown - 1)}" for thrown in range(2, 13)}  # dice that make it
PLAIN = (3, 4, 5, 6, 8, 9, 10, 11)
EVERY = "3:3,4:4,5:5,6:6,7:7,8:8,9:9,10:10,11"  # so many chips on each space, and some on the last
Table = tuple[str, str, int, bool]


@cache
def the_table(chips: str, board: str) -> TurnGame:
    """The game in which there are so many chips, and as many players."""
    held = [int(part) for part in chips.split(",") if part != "-"]
    total, players = sum(held) + sum(int(part.split(":")[1]) for part in board.split(",") if part), chips.count(",") + 1
    each = total // players
    assert each * players == total
    return made("busted", players=players, **({"chips": each} if each >= 25 else {"fewer": each}))


def after(chips: str, board: str, *rolls: int, **state: Any) -> Table:
    """Rolls of these sums lead to: chips by seat, what lies on the board, who moves, whether that one has taken."""
    game = the_table(chips, board)
    play = ", ".join(SUMS[thrown] for thrown in rolls)
    at = played(game, {"chips": chips, "board": board or "none", "taken": False, **state}, play)
    fields = describe_position(game, at)
    left = ",".join("-" if held is None else str(held) for held in by_seat(game, at, "chips"))
    return left, ",".join(f"{space}:{lying}" for space, lying in fields["board"].items()), at.mover, fields["taken"]


# --- one roll --------------------------------------------------------------------------------------------------------


def test_everybody_starts_with_25_chips_and_an_empty_board() -> None:
    fields = describe_position(Busted(), begin(Busted(), {}))
    assert fields == {"chips": (25, 25, 25), "board": {}, "mover": 0, "taken": False}


@rules(
    "chips, board, rolls, then",
    {
        **{
            f"{n} fills an empty space": ("25,25,25", "", (n,), (f"{25 - n},25,25", f"{n}:{n}", 1, False))
            for n in PLAIN
        },
        **{
            f"{n} takes what lies there": (
                *(f"25,25,{25 - n}", f"{n}:{n}", (n,)),
                (f"{25 + n},25,{25 - n}", "", 0, True),
            )
            for n in PLAIN
        },
        "a 7 always costs seven chips": ("25,25,25", "", (7,) * 4, ("11,18,18", "7:28", 1, False)),
        **{
            f"{lucky} takes the whole board and the next roll, {n}, is paid for": (
                *("20,19,19", "3:3,7:14", (lucky, n)),
                (f"{37 - n},19,19", f"{n}:{n}", 1, False),
            )
            for lucky in (2, 12)
            for n in range(3, 12)
        },
        **{
            f"{one} and {two} fill every space{left}": (chips, board, (one, two), then)
            for one in (2, 12)
            for two in (2, 12)
            for left, chips, board, then in (
                (" in part", "59,10,6", "", ("-,10,6", f"{EVERY}:7", 1, False)),
                (" nearly", "61,8,6", "", ("-,8,6", f"{EVERY}:9", 1, False)),
                ("", "58,5,5", "7:7", ("2,5,5", f"{EVERY}:11", 1, False)),
            )
        },
        "the lowest first": ("20,30,25", "", (2, 12), ("-,30,25", "3:3,4:4,5:5,6:6,7:2", 1, False)),
        "as far as chips go": ("12,30,33", "", (2, 2), ("-,30,33", "3:3,4:4,5:5", 1, False)),
        "two play by the same rules": ("25,25", "", (6, 6), ("19,31", "", 1, True)),
        "with too few one puts down what there is and is out": ("4,40,31", "", (9,), ("-,40,31", "9:4", 1, False)),
        "on a 7 too": ("4,40,17", "7:14", (7,), ("-,40,17", "7:18", 1, False)),
        "but not with what a 12 has brought": ("1,40,20", "7:14", (12, 11), ("4,40,20", "11:11", 1, False)),
        "unless it is too little": ("1,40,30", "4:4", (12, 11), ("-,40,30", "11:5", 1, False)),
        "an exact fit puts the player out too": ("9,40,26", "", (9,), ("-,40,26", "9:9", 1, False)),
        "also on a 7": ("7,40,28", "", (7,), ("-,40,28", "7:7", 1, False)),
        "who is out is passed over": ("40,-,35", "", (3,), ("37,-,35", "3:3", 2, False)),
        "again": ("40,-,35", "", (3, 4), ("37,-,31", "3:3,4:4", 0, False)),
        "by all": ("40,35,-", "", (3, 4, 5), ("32,31,-", "3:3,4:4,5:5", 1, False)),
    },
)
def test_chips_after_a_roll(chips: str, board: str, rolls: tuple[int, ...], then: Table) -> None:
    assert after(chips, board, *rolls) == then


def test_a_space_filled_in_part_pays_what_lies_there() -> None:
    assert after("-,40,31", "9:4", 9, mover=1) == ("-,44,31", "", 1, True)
    assert after("-,40,17", "7:18", 7, mover=1) == ("-,33,17", "7:25", 2, False)


def test_who_has_taken_chips_may_pass_or_roll_again() -> None:
    state = {"chips": "31,25,19", "taken": True}
    assert may(Busted(), {"chips": "25,25,20", "board": "5:5", "taken": False}, SUMS[5]) == ["pass", "roll"]
    passed, rolled = (played(Busted(), state, play) for play in ("pass", f"roll, {SUMS[5]}"))
    assert (by_seat(Busted(), passed, "chips"), passed.mover) == ((31, 25, 19), 1)
    assert (by_seat(Busted(), rolled, "chips"), rolled.mover) == ((26, 25, 19), 1)
    with pytest.raises(ModelError, match="no move 'pass' here"):  # after a 2 or 12
        played(Busted(), {}, "11: pass")


@pytest.mark.parametrize(
    ("chips", "board", "mover", "play", "winner"), [("-,3,65", "7:7", 1, "14", 2), ("40,10", "", 0, "66, 66", 1)]
)
def test_the_last_player_in_wins(chips: str, board: str, mover: int, play: str, winner: int) -> None:
    at = played(
        the_table(chips, board), {"chips": chips, "board": board or "none", "taken": False, "mover": mover}, play
    )
    assert at.over
    assert [bool(share) for share in at.shares] == [seat == winner for seat in range(len(at.shares))]


# --- boards ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "total"), [(2, 2), (2, 17), (3, 3), (3, 10)])
def test_boards_are_counted_through(players: int, total: int) -> None:
    part = AllChips(players, total)
    every = np.arange(part.size)
    chips = part.column(every)
    assert (part.rank(list(chips), part.size) == every).all()
    assert (chips.sum(axis=0) == total).all()
    assert (chips[:players] > 0).sum(axis=0).min() >= 2
    assert len({tuple(one) for one in chips.T.tolist()}) == part.size


def test_what_has_no_rank_and_no_board() -> None:
    part = AllChips(3, 30)
    whole = [10, 10, 7, 3, 0, 0, 0, 0, 0, 0, 0, 0]
    assert part.rank([np.array([number]) for number in whole], 1) >= 0
    wrong: list[dict[int, int]] = [
        {0: 9},  # a chip is missing
        {0: 12, 3: 1},  # filled in part while all are in
        {0: 0, 1: 20},  # the mover is out
        {1: 0, 2: 0, 0: 27},  # two are out
        {0: 23, 2: 0, 3: 1, 4: 1, 1: 5},  # two spaces are filled in part
        {0: 16, 2: 0, 3: 1, 7: 3},  # and space 7 is one of them
        {0: 14, 3: -1},
        {0: 9, 3: 4},  # more than fits
    ]
    for changes in wrong:
        rows = [np.array([changes.get(row, number)]) for row, number in enumerate(whole)]
        assert part.rank(rows, 1).tolist() == [-1], changes
    for players, total in ((1, 5), (4, 40), (3, 2)):
        with pytest.raises(ValueError, match="have no board"):
            AllChips(players, total)


def test_chips_can_have_been_taken_where_a_space_for_them_is_empty() -> None:
    """As many boards as a take leads to."""
    for game in (Busted(fewer=4), BustedDuel(players=2, fewer=9)):
        part = game.space
        chips = part.column(np.arange(part.size))
        board = game.boards().columns(game.boards().index({"taken": 0, "chips": chips}, part.size))
        reached = np.zeros(part.size, dtype=bool)
        for thrown in (3, 4, 5, 6, 8, 9, 10, 11):
            said = game.transition(board, ("rolled", thrown))
            assert said.next is not None
            takes = np.asarray(said.next["taken"]) == 1
            reached[part.rank([row[takes] for row in said.next["chips"]], int(takes.sum()))] = True
        assert (reached == can_have_taken(chips, game.players)).all()


# --- questions -------------------------------------------------------------------------------------------------------


def test_a_question_is_whether_to_pass_once_chips_are_in_play_and_may_have_a_space_filled_in_part() -> None:
    asked = {"chips": "20,19,19", "board": "3:3,7:14"}
    nothing_to_take = {"chips": "3,30,35", "board": "7:7"}  # the least that can be taken leaves one chip more
    assert [may(Busted(), each) for each in (asked, {**asked, "taken": False}, {}, nothing_to_take)] == [
        *(["pass", "roll"], ["roll"], ["roll"], ["roll"])
    ]
    for chips, board in (("25,-,50", ""), ("25,-,46", "5:4"), ("25,-,45", "7:5")):
        begin(Busted(), {"chips": chips, "board": board or "none"})
    for held, hint in (((20, 19, 19), "board=3:3,7:14"), ((20, 19, 20), "")):
        with pytest.raises(StateError) as refused:
            Busted().locate(chips=held, board={3: 3})
        assert refused.value.hint == hint
    assert min(Busted().unsolved().values()) > 10**8
