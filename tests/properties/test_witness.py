"""The proof of stored answers refutes what no right game and no right answer can give, each by its own comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from rollwise.solver.game.model import Boards, Columns, End, Settled, TurnGame, Word, named
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.witness.bounds import bounds_hold
from rollwise.solver.witness.seats import Rows, rows_hold
from rollwise.solver.witness.table import Claimed, table_holds

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

    def turn(self) -> Word:
        return named([("heads", 1), ("tails", 5)], End)

    def settle(self, board: Columns, result: str) -> Settled:
        shares = [0, 1, 0][: self.players] if self.kind != "solo" else None
        if result == "tails":
            return Settled(over=True, shares=shares)
        step = {OFF: board.step + 7, BACK: 0 * board.step}.get(self.heads, 1 + 0 * board.step)
        last = {FINE: 1, BACK: 0}.get(self.heads)
        return Settled(next={"step": step}, over=False if last is None else board.step == last, shares=shares,
                       legal=self.heads != ILLEGAL)  # fmt: skip

    def fields(self) -> list[Any]:
        return []

    def describe(self, board: Any, state: Any) -> list[Any]:
        return []


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


def test_a_result_that_leads_off_the_boards_proves_no_bounds() -> None:
    assert "step=0" in (bounds(OFF) or "")


@pytest.mark.parametrize(("value", "told"), [(-1e-6, "upper bound is too low"), (1e-6, "lower bound is too high")])
def test_the_bound_that_fails_is_named(value: float, told: str) -> None:
    assert told in (bounds(FINE, (value, 0.0)) or "")


@pytest.mark.parametrize(("values", "radius"), [((0.0, np.nan), (1.0, 1.0)), ((0.0, 0.0), (1.0, np.nan))])
def test_bounds_that_are_no_numbers_prove_nothing(values: Any, radius: Any) -> None:
    assert bounds(FINE, values, radius) is not None


def test_a_radius_below_0_is_refuted() -> None:
    assert bounds(FINE, radius=(1.0, -1.0)) is not None


# --- odds by seat ---------------------------------------------------------------------------------------------------

RIGHT = [[0.0, 1.0, 7 / 6], [0.0, 1.0, 1.0]]  # the second player wins; heads on the first board takes one turn more


def odds(heads: str, values: Any = RIGHT, boards: Any = (0, 1), errors: tuple[Any, Any] = (1e-15, 1e-15)) -> str | None:
    """What is said of these rows."""
    return rows_hold(Rows(np.array(values), np.array(boards), *errors), *coin("seats", heads), 2, quiet)


def test_right_odds_hold() -> None:
    assert odds(FINE) is None


@pytest.mark.parametrize("column", [0, 1, 2])
def test_odds_and_turns_that_do_not_follow_are_refuted(column: int) -> None:
    values = np.array(RIGHT)
    values[1, column] += 1e-9
    assert "are not those of what follows" in (odds(FINE, values) or "")


@pytest.mark.parametrize("heads", [OFF, ILLEGAL])
def test_a_result_that_cannot_be_proves_no_odds(heads: str) -> None:
    # what would hold, were heads to lead back to the first board
    assert "are not those of what follows" in (odds(heads, [[0.0, 1.0, 1.2], [0.0, 1.0, 1.2]]) or "")


def test_odds_hold_in_whatever_order_their_boards_are_kept() -> None:
    assert odds(FINE, RIGHT[::-1], boards=(1, 0)) is None
    assert odds(FINE, RIGHT, boards=(1, 0)) is not None


@pytest.mark.parametrize(
    ("values", "boards", "told"),
    [
        (RIGHT, (0, 2), "not those of boards from 0 to 1"),
        (RIGHT, (-1, 1), "not those of boards from 0 to 1"),
        (RIGHT, (0,), "not those of boards from 0 to 1"),
        (RIGHT, (1, 1), "a board has two rows"),
    ],
)
def test_rows_that_are_not_one_for_each_of_some_boards_are_refuted(values: Any, boards: Any, told: str) -> None:
    assert told in (odds(FINE, values, boards) or "")


def test_odds_that_lead_to_a_board_that_is_not_kept_are_refuted() -> None:
    assert "step': 0" in (odds(FINE, [[0.0, 1.0, 1.2]], boards=(0,)) or "")


@pytest.mark.parametrize("errors", [(0.5, 1e-15), (1e-15, 2.0), (-1.0, 1e-15), (np.nan, 1e-15), (None, 1e-15)])
def test_errors_that_allow_anything_are_refuted(errors: tuple[Any, Any]) -> None:
    assert "no small numbers" in (odds(FINE, errors=errors) or "")


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
) -> str | None:
    """What is said of these shares."""
    toy, graph = coin("table", heads)
    by_seat = np.repeat(np.array(radius, dtype=np.float32)[:, None], 3, axis=1)
    most = None if replies is None else np.array(replies)
    return table_holds(toy, graph, Claimed(np.array(values), by_seat, most, np.array(mixed), tie, gain), quiet)


def test_right_shares_hold() -> None:
    assert shares(FINE) is None


def test_shares_that_do_not_follow_are_refuted() -> None:
    assert "further off than their radius" in (shares(FINE, ((0.0, 1.0, 0.0), (0.0, 1.0 - 1e-6, 0.0))) or "")


def test_shares_that_are_too_high_are_refuted_though_nobody_could_gain() -> None:
    assert "step=0: the shares are further off" in (shares(FINE, ((0.0, 1.0, 1e-6), (0.0, 1.0, 0.0))) or "")


def test_shares_at_the_end_that_are_not_1_together_are_refuted() -> None:
    toy, graph = coin("table", FINE)

    def settle(self: Any, board: Columns, result: str) -> Settled:
        said: Settled = type(toy).settle(self, board, result)
        return replace(said, shares=[0, 1, 1])

    generous: Any = type("Generous", (type(toy),), {"settle": settle})(FINE, 3)
    by_seat = np.repeat(np.array(ONWARD, dtype=np.float32)[:, None], 3, axis=1)
    claimed = Claimed(np.array([[0.0, 1.0, 1.0]] * 2), by_seat, None, NO_LOTS, 1e-12, 1e-9)
    assert "further off than their radius" in (table_holds(generous, graph, claimed, quiet) or "")


def test_a_radius_that_does_not_grow_with_the_turns_is_refuted() -> None:
    assert "step=0: the shares are further off" in (shares(FINE, radius=(1e-12, 1e-11)) or "")
    assert "step=1: the shares are further off" in (shares(BACK, radius=(1e-11, 1e-12)) or "")
    assert shares(BACK, radius=(1e-11, 2e-12)) is None  # heads, one throw in six, leads back to the first board


@pytest.mark.parametrize("tie", [None, np.nan, -1.0, 0.5, "0"])
def test_a_tie_that_is_none_is_refuted(tie: Any) -> None:
    assert "as good as each other" in (shares(FINE, tie=tie) or "")


def test_replies_that_are_too_low_are_refuted_and_higher_ones_need_a_higher_gain() -> None:
    low = ((0.0, 1.0 - 1e-6, 0.0), (0.0, 1.0 - 1e-6, 0.0))
    assert "further off" in (shares(FINE, replies=low) or "")
    high = ((0.1, 1.0, 0.0), (0.2, 1.0, 0.0))
    assert "a seat can gain 0.2" in (shares(FINE, replies=high) or "")
    assert shares(FINE, replies=high, gain=0.21) is None


@pytest.mark.parametrize("lot", [(0, 99, 0, 1.0), (0, 0, 0, 1.0), (5, 2, 0, 1.0)])
def test_lots_for_what_is_no_decision_are_refuted(lot: tuple[float, ...]) -> None:
    assert "no chances of moves" in (shares(FINE, mixed=[lot]) or "")


def test_a_result_that_leads_off_a_table_is_refuted_even_if_it_is_worth_nothing() -> None:
    for values in (((0.0, 5 / 6, 0.0), (0.0, 5 / 6, 0.0)), SURE):
        assert "further off than their radius, by inf" in (shares(OFF, values) or "")


@pytest.mark.parametrize("gain", [0.0, np.nan, None, "1"])
def test_a_gain_that_is_not_the_limit_is_refuted(gain: Any) -> None:
    assert "a seat can gain" in (shares(FINE, gain=gain) or "")
