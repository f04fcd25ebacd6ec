"""The proof of stored answers refutes what no right game and no right answer can give, each by its own comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from rollwise.solver.checker.backup import UNIT
from rollwise.solver.checker.bounds import bounds_hold
from rollwise.solver.checker.seats import StoredOdds, rows_hold
from rollwise.solver.checker.table import Claims, table_holds
from rollwise.solver.model.game import Boards, Columns, End, Node, Transition, TurnGame, chance_of
from rollwise.solver.turn.graph import TurnGraph, compile_turn

OFF, BACK, ILLEGAL, FINE = "off", "back", "illegal", "fine"


@dataclass(frozen=True)
class Coin(TurnGame):
    """Two boards; five times in six the game ends, and the second of two players has won; else ``heads`` says."""

    name = "coin"
    measure = "score"
    unit = "points"
    total = 0

    heads: str = FINE
    players: int = 2

    @property
    def seats(self) -> int:
        return self.players

    def boards(self) -> Boards:
        return Boards(step=2)

    def level(self, board: Columns) -> Any:
        return board.step

    def standing(self, board: Columns) -> Any:
        return self.players + 0 * board.step

    def turn(self) -> Node:
        return chance_of([("heads", 1), ("tails", 5)], End)

    def transition(self, board: Columns, result: str) -> Transition:
        shares = [0, 1, 0][: self.players] if self.kind != "solo" else None
        if result == "tails":
            return Transition(over=True, shares=shares)
        step = {OFF: board.step + 7, BACK: 0 * board.step}.get(self.heads, 1 + 0 * board.step)
        last = {FINE: 1, BACK: 0}.get(self.heads)
        return Transition(next={"step": step}, over=False if last is None else board.step == last, shares=shares,
                       legal=self.heads != ILLEGAL)  # fmt: skip


def coin(kind: str, heads: str) -> tuple[Any, TurnGraph]:
    """The toy as a game of this kind, and its turn."""
    toy: Any = type("Coin", (Coin,), {"kind": kind})(heads, 3 if kind == "table" else 2)
    return toy, compile_turn(toy)


def quiet(share: float) -> None:
    """Nobody waits."""


# --- one value a board ---------------------------------------------------------------------------------------------


def bounds(heads: str, values: Any = (0.0, 0.0), radius: Any = (0.0, 0.0)) -> str | None:
    """What is said of these values; nobody ever gains, so all are 0."""
    return bounds_hold(*coin("solo", heads), np.array(values), np.array(radius, dtype=np.float32), quiet, 1)


def test_right_bounds_hold() -> None:
    assert bounds(FINE) is None
    assert bounds(FINE, (1e-9, -1e-9), (2e-9, 2e-9)) is None


@pytest.mark.parametrize(
    ("heads", "values", "radius", "told"),
    [
        (OFF, (0.0, 0.0), (0.0, 0.0), "step=0"),  # a result leads off the boards
        (FINE, (-1e-6, 0.0), (0.0, 0.0), "upper bound is too low"),
        (FINE, (1e-6, 0.0), (0.0, 0.0), "lower bound is too high"),
        (FINE, (0.0, np.nan), (1.0, 1.0), ""),
        (FINE, (0.0, 0.0), (1.0, np.nan), ""),
        (FINE, (0.0, 0.0), (1.0, -1.0), ""),
    ],
)
def test_bounds_that_are_none_are_refuted_by_name(heads: str, values: Any, radius: Any, told: str) -> None:
    found = bounds(heads, values, radius)
    assert found is not None
    assert told in found


class Passed(Coin):
    """Tails ends the game, on the second board won; heads passes from the first to the second, where it is lost."""

    kind, measure, unit, total = "duel", "win", "probability", 1

    def transition(self, board: Columns, result: str) -> Transition:
        tails = result == "tails"
        return Transition(next={"step": 1}, over=tails | (board.step == 1), won=tails & (board.step == 1), mover=1)


def test_a_chance_that_is_taken_from_1_is_off_by_the_rounding_of_1_not_by_a_part_of_itself() -> None:
    toy = Passed()
    graph = compile_turn(toy)
    unit = (graph.terms + 8) * UNIT

    def holds(part: float) -> str | None:
        """With a radius that on the first board has room for so large a chance to be rounded."""
        radius = np.array([2 * unit / 6 + part * unit, 2 * unit])
        return bounds_hold(toy, graph, np.array([1 / 36, 5 / 6]), radius, quiet, 1)

    assert holds(1 / 4) is None
    assert "step=0" in (holds(2 / 36) or "")


# --- odds by seat ---------------------------------------------------------------------------------------------------

RIGHT = [[0.0, 1.0, 7 / 6], [0.0, 1.0, 1.0]]  # the second player wins; heads on the first board takes one turn more


def odds(heads: str, values: Any = RIGHT, boards: Any = (0, 1), errors: tuple[Any, Any] = (1e-15, 1e-15)) -> str | None:
    """What is said of these rows."""
    return rows_hold(StoredOdds(np.array(values), np.array(boards), *errors), *coin("seats", heads), 2, quiet)


def test_right_odds_hold_in_whatever_order_their_boards_are_kept() -> None:
    assert odds(FINE) is None
    assert odds(FINE, RIGHT[::-1], boards=(1, 0)) is None
    assert odds(FINE, RIGHT, boards=(1, 0)) is not None


def test_odds_are_refuted_by_whatever_is_more_than_their_errors_and_held_up_to_them() -> None:
    for row, column in ((0, 0), (0, 2)):
        values, unit = np.array(RIGHT), np.spacing(max(RIGHT[row][column], 1 / 8))
        values[row, column] += 30 * unit
        for granted, holds in ((32 * unit, True), (28 * unit, False)):
            errors = (float(granted), 0.4) if column < 2 else (0.4, float(granted))
            assert (odds(FINE, values, errors=errors) is None) == holds
    on = np.array(RIGHT) - [[0, 0, 0], [-1e-20, 0, 0]]  # the first board comes to it, so it is more than 0 too
    assert WRONG in (odds(FINE, on, errors=(1e-9, 1e-9)) or "")
    off = 30 * UNIT  # closer than the rounding of a backup
    values = np.array(RIGHT) - [[0, 0, 0], [0, off, 0]]
    assert odds(FINE, values, errors=(off, 1e-15)) is None
    assert WRONG in (odds(FINE, values, errors=(np.nextafter(off, 0.0), 1e-15)) or "")


BACK_AGAIN = [[0.0, 1.0, 1.2], [0.0, 1.0, 1.2]]  # what would hold, were heads to lead back to the first board
WRONG = "are not those of what follows"


@pytest.mark.parametrize(
    ("heads", "how", "told"),
    [
        *[(FINE, {"values": np.array(RIGHT) + 1e-9 * np.eye(3)[column]}, WRONG) for column in range(3)],
        (OFF, {"values": BACK_AGAIN}, WRONG),
        (ILLEGAL, {"values": BACK_AGAIN}, WRONG),
        *[(FINE, {"boards": boards}, "not those of boards from 0 to 1") for boards in ((0, 2), (-1, 1), (0,))],
        (FINE, {"boards": (1, 1)}, "a board has two rows"),
        (FINE, {"values": [[0.0, 1.0, 1.2]], "boards": (0,)}, "step': 0"),  # it leads to a board that is not kept
        *[(FINE, {"errors": (wrong, 1e-15)}, "no small numbers") for wrong in (0.5, -1.0, np.nan, None)],
        (FINE, {"errors": (1e-15, 2.0)}, "no small numbers"),
    ],
)
def test_odds_that_are_none_are_refuted(heads: str, how: dict[str, Any], told: str) -> None:
    assert told in (odds(heads, **how) or "")


# --- tables ----------------------------------------------------------------------------------------------------------


SURE = ((0.0, 1.0, 0.0), (0.0, 1.0, 0.0))
ONWARD = (1e-11, 1e-12)  # what follows adds to the radius of the first board
NO_LOTS = np.zeros((0, 4))


def shares(
    heads: str,
    values: Any = SURE,
    gain: Any = 1e-9,
    radius: Any = ONWARD,
    replies: Any = None,
    mixed: Any = NO_LOTS,
    tie: Any = 1e-12,
    toy: TurnGame | None = None,
) -> str | None:
    """What is said of these shares."""
    made, graph = coin("table", heads)
    by_seat = np.repeat(np.array(radius, dtype=np.float32)[:, None], 3, axis=1)
    most = None if replies is None else np.array(replies)
    return table_holds(toy or made, graph, Claims(np.array(values), by_seat, most, np.array(mixed), tie, gain), quiet)


HIGH = ((0.1, 1.0, 0.0), (0.2, 1.0, 0.0))
LOW = ((0.0, 1.0 - 1e-6, 0.0), (0.0, 1.0 - 1e-6, 0.0))


def test_right_shares_hold() -> None:
    assert shares(FINE) is None
    assert shares(BACK, radius=(1e-11, 2e-12)) is None  # heads, one throw in six, leads back to the first board
    assert shares(FINE, replies=HIGH, gain=0.21) is None  # higher replies need a higher gain


OFF_BY = "the radius of the shares is too small"


@pytest.mark.parametrize(
    ("heads", "how", "told"),
    [
        (FINE, {"values": ((0.0, 1.0, 0.0), (0.0, 1.0 - 1e-6, 0.0))}, OFF_BY),
        (FINE, {"values": ((0.0, 1.0, 1e-6), SURE[1])}, f"step=0: {OFF_BY}"),  # nobody could gain
        (FINE, {"radius": (1e-12, 1e-11)}, f"step=0: {OFF_BY}"),  # it does not grow with the turns
        (BACK, {"radius": (1e-11, 1e-12)}, f"step=1: {OFF_BY}"),
        (FINE, {"replies": LOW}, OFF_BY),
        (FINE, {"replies": HIGH}, "a seat can gain 0.2"),
        (OFF, {}, f"{OFF_BY} by inf"),
        (OFF, {"values": ((0.0, 5 / 6, 0.0), (0.0, 5 / 6, 0.0))}, f"{OFF_BY} by inf"),  # even if it is worth nothing
        *[(FINE, {"tie": tie}, "as good as each other") for tie in (None, np.nan, -1.0, 0.5, "0")],
        *[(FINE, {"gain": gain}, "a seat can gain") for gain in (0.0, np.nan, None, "1")],
        # lots for what is no decision
        *[(FINE, {"mixed": [lot]}, "no chances of moves") for lot in ((0, 99, 0, 1.0), (0, 0, 0, 1.0), (5, 2, 0, 1.0))],
    ],
)
def test_shares_that_are_none_are_refuted(heads: str, how: dict[str, Any], told: str) -> None:
    assert told in (shares(heads, **how) or "")


def test_what_a_table_takes_as_certain_is_in_every_radius() -> None:
    toy, _ = coin("table", FINE)
    unsure: Any = type("Unsure", (type(toy),), {"uncertain": 1e-3})(FINE, 3)
    for radius, holds in (
        ((0.01, 0.005), True),
        ((1e-3 + 1e-9, 1e-3 + 1e-10), True),
        (ONWARD, False),
        ((9e-4, 9e-4), False),
    ):
        assert (shares(FINE, radius=radius, gain=0.1, toy=unsure) is None) == holds


def test_shares_at_the_end_that_are_not_1_together_are_refuted() -> None:
    toy, _ = coin("table", FINE)

    def transition(self: Any, board: Columns, result: str) -> Transition:
        said: Transition = type(toy).transition(self, board, result)
        return replace(said, shares=[0, 1, 1])

    generous: Any = type("Generous", (type(toy),), {"transition": transition})(FINE, 3)
    assert OFF_BY in (shares(FINE, [[0.0, 1.0, 1.0]] * 2, toy=generous) or "")
