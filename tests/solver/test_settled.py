"""What a game says in ``transition`` is read in one way, and what its kind does not use is refused, never ignored."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.kinds import KINDS, kind_of
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.markov_chains.chain import expected_rewards
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import OTHER, Boards, Columns, End, Node, Transition, TurnGame, chance_of
from rollwise.solver.turn import perspective
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.perspective import ILLEGAL, Constants
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.values.board_solver import BoardSolver
from rollwise.solver.values.table import solve_table
from tests.reference.walk import walk

WORDS = tuple(field.name for field in fields(Transition) if field.name not in ("next", "mover", "per"))


@dataclass(frozen=True)
class Says(TurnGame):
    """A coin is thrown once a turn: heads says ``heads`` of the board, tails goes on; two steps at most."""

    name = "says"
    measure = "win"
    unit = "probability"
    cyclic = False

    heads: Transition = Transition()  # noqa: RUF009 -- frozen
    seats: int = 0

    def __post_init__(self) -> None:
        """Nothing to check."""

    def parameters(self) -> dict[str, Any]:
        return {"players": self.seats or 2}

    def boards(self) -> Boards:
        return Boards(step=3)

    def level(self, board: Columns) -> Any:
        return board.step

    def turn(self) -> Node:
        return chance_of([("heads", 1), ("tails", 5)], End)

    def transition(self, board: Columns, result: str) -> Transition:
        if result == "heads":
            return self.heads
        shares = [0] * (self.seats - 1) + [1] if self.seats else None
        return Transition(over=board.step == 2, next={"step": np.minimum(board.step + 1, 2)}, shares=shares)


SAID = {
    "legal": Transition(legal=False),
    "over": Transition(over=True),
    "won": Transition(won=True),
    "drawn": Transition(drawn=True),
    "reward": Transition(over=True, reward=1),
    "shares": Transition(over=True, shares=[1, 0], per=1),
}
SEATS = {"table": 3, "seats": 2}


def says(kind: str, heads: Transition, seats: int | None = None) -> Says:
    """The toy as a game of this kind."""
    toy: type[Says] = type("Says", (Says,), {"kind": kind, "total": int(kind in ("duel", "duel-rows"))})
    return toy(heads, SEATS.get(kind, 0) if seats is None else seats)


def solved(toy: Says) -> None:
    """Every solver that takes this kind of game; of hidden dice, whose turns have another form, the reading alone.

    So of boards in rows, whose ends are told by what is needed there.
    """
    graph = compile_turn(toy)
    if toy.kind.startswith("hidden") or toy.kind.endswith("rows"):
        reader = TransitionReader(toy, graph, Constants(3, 2), uses=kind_of(toy).uses(toy))
        reader.read(graph.results.index("heads"), reader.block(np.array([0, 1])))
        return
    kind_of(toy).solve(toy, graph, Tools())
    if toy.kind == "alone":
        expected_rewards(toy, graph)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_a_kind_does_not_use_is_refused_by_solver_and_walker(kind: str, word: str) -> None:
    toy = says(kind, SAID[word])
    if word in kind_of(toy).uses(toy).names:
        return
    for refusing in (solved, walk):
        with pytest.raises(ModelError, match=f"says {word}, which .* does not use"):
            refusing(toy)


def test_a_duel_that_ends_with_shares_is_refused_and_not_solved_to_the_wrong_number() -> None:
    toy = says("duel", Transition(over=True, shares=[1, 0], per=1))
    for solve in (
        BoardSolver(toy, compile_turn(toy), compiled=False).solve,
        BoardSolver(toy, compile_turn(toy), compiled=True).solve,
        lambda: solve_exact(toy, compile_turn(toy)),
    ):
        with pytest.raises(ModelError, match="shares"):
            solve()


def ends(*shares: int, per: int = 1) -> Transition:
    return Transition(over=True, shares=list(shares), per=per)


HANDED_ON = Transition(next={"step": 2}, mover=OTHER)
REFUSED: list[tuple[Says, str]] = [
    (says("solo", HANDED_ON), "hands the dice to another player"),
    (says("alone", HANDED_ON), "hands the dice to another player"),
    (says("duel", Transition(next={"step": 2}, mover=np.array([2]))), "another player; a duel passes them to 1 seats"),
    (says("duel", Transition(over=True, per=0)), "counts in parts of 1/0"),
    *[(says(kind, Transition()), "result heads of .* leads nowhere") for kind in ("duel", "solo", "table", "alone")],
    *[
        (says(kind, Transition(next={"step": 7})), "result heads of .* leads off")
        for kind in ("duel", "solo", "table", "alone")
    ],
    *[(says(kind, Transition(over=True)), "without shares") for kind in SEATS],
    *[(says(kind, ends(1)), "with 1 shares instead of") for kind in SEATS],
    *[(says(kind, ends(1, 1, 0), 3), "not 1 together") for kind in SEATS],
    *[(says(kind, ends(2, -1, 0), 3), "not 1 together") for kind in SEATS],
    *[(says(kind, ends(1 << 40, 0, 0, per=1 << 40), 3), "too fine parts") for kind in SEATS],
    (says("seats", ends(1, 1, -1), 3), "not 1 together"),  # none is below 0, though all are 1 together
    (says("seats", ends(2), 1), "not 1 together"),  # one seat alone gets no more than the whole
]


@pytest.mark.parametrize(("toy", "told"), REFUSED)
def test_what_cannot_be_is_refused_by_the_solvers(toy: Says, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        solved(toy)


def test_a_game_may_not_end_in_more_ways_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perspective, "MAX_CONSTANTS", 4)
    constants = Constants(10)
    assert len({constants.code(worth) for worth in (Fraction(0), Fraction(1), Fraction(2), ILLEGAL)}) == 4
    with pytest.raises(ModelError, match="more than 4 different worths"):
        constants.code(Fraction(3))


def test_boards_that_codes_cannot_name_are_refused() -> None:
    for bits in (1, 3):
        most = 2 ** (31 - bits) - perspective.MAX_CONSTANTS - 1
        assert Constants(most, bits).code(ILLEGAL) < 2**31
        with pytest.raises(TooLarge, match="codes of 32 bits"):
            Constants(most + 1, bits)


# --- the same reading as those who share nothing with it --------------------------------------------------------------


def test_a_reward_in_parts_is_a_fraction_and_a_table_reads_through_the_one_reader() -> None:
    toy = says("solo", Transition(next={"step": 2}, reward=1, per=3))
    graph = compile_turn(toy)
    reader = TransitionReader(toy, graph, Constants(3), uses=kind_of(toy).uses(toy))
    reading = reader.read(graph.results.index("heads"), reader.block(np.array([0, 1])))
    assert reading.fractions() == [Fraction(1, 3)] * 2
    toy = says("table", Transition(over=True, shares=[1, 0, 0]))
    assert solve_table(toy, compile_turn(toy)).values[2].tolist() == pytest.approx([1 / 6, 0, 5 / 6])
