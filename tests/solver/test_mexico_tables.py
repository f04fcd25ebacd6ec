"""Mexico at a table, against the rules written again: all results of a round kept by seat, no boards, no turn graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest

from rollwise.games.mexico.variants import MexicoTable
from rollwise.games.registry import game
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.kinds.kind import QueryOptions, possible_boards
from rollwise.solver.model.solution import Answer
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.table import solve_table
from tests.solver.plain import slow, thorough

SHEET = "2-1 6-6 5-5 4-4 3-3 2-2 1-1 6-5 6-4 6-3 6-2 6-1 5-4 5-3 5-2 5-1 4-3 4-2 4-1 3-2 3-1"
ORDER = SHEET.split(" ")[::-1]  # lowest first
FACES = [f"{max(a, b)}-{min(a, b)}" for a, b in product(range(1, 7), repeat=2)]
WAYS = {name: FACES.count(name) for name in ORDER}
HEIGHT = {name: height for height, name in enumerate(ORDER)}
Vector = tuple[Any, ...]  # what each seat wins, then the chance of a dead game
Held = tuple[int, ...]  # lives by seat
CLOSE = 1e-12  # values that are nearer are the same, in floats


@dataclass
class Plain:
    """The table written again; ``one`` is 1 as the number that it counts in."""

    players: int
    rotating: bool
    one: Any = Fraction(1)
    known: dict[tuple[Held, int], Vector] = field(default_factory=dict)

    def after_round(self, lives: Held, results: dict[int, str], opener: int) -> tuple[Held, int, Vector | None]:
        """(lives, next opener, what all get if the game is over)."""
        lowest = min(HEIGHT[name] for name in results.values())
        cost = 2 if "2-1" in results.values() else 1
        left = tuple(
            max(0, held - cost) if seat in results and HEIGHT[results[seat]] == lowest else held
            for seat, held in enumerate(lives)
        )
        winners = [seat for seat, held in enumerate(left) if held] or list(results)
        if sum(map(bool, left)) < 2:
            share = self.one / len(winners)
            dead = self.one * (len(winners) > 1)
            return left, 0, (*(share if seat in winners else 0 * share for seat in range(self.players)), dead)
        seats = [(opener + self.rotating + step) % self.players for step in range(self.players)]
        return left, next(seat for seat in seats if left[seat]), None

    def turn(self, seat: int, stop: Callable[[str], Vector]) -> Vector:
        """Three throws at most; of equally good moves the first, to stop, is taken."""
        ahead: Vector | None = None
        slack = 0 if isinstance(self.one, Fraction) else CLOSE
        for _ in range(3):
            found = []
            for name in ORDER:
                here = stop(name)
                found.append((WAYS[name], here if ahead is None or here[seat] >= ahead[seat] - slack else ahead))
            ahead = tuple(sum(ways * vector[i] for ways, vector in found) / (36 * self.one) for i in range(len(here)))
        assert ahead is not None
        return ahead

    def start(self, lives: Held, opener: int) -> Vector:
        """Before a round."""
        if (lives, opener) not in self.known:
            self.known[lives, opener] = self.round(lives, opener)
        return self.known[lives, opener]

    def round(self, lives: Held, opener: int) -> Vector:
        """One round, and what follows."""
        order = [
            (opener + step) % self.players for step in range(self.players) if lives[(opener + step) % self.players]
        ]

        def rolls(so_far: tuple[str, ...]) -> Vector:
            if len(so_far) < len(order):
                return self.turn(order[len(so_far)], cache(lambda name: rolls((*so_far, name))))
            left, next_opener, ended = self.after_round(lives, dict(zip(order, so_far, strict=True)), opener)
            return self.start(left, next_opener) if ended is None else ended

        return rolls(())


def table(players: int, lives: int, rule: str) -> MexicoTable:
    made = game("mexico", {"players": players, "lives": lives, "opener": rule})
    assert isinstance(made, MexicoTable)
    return made


def told(made: MexicoTable, **fields: Any) -> Answer:
    return load_or_solve(made, quiet=True).solution.ask(made.locate(**fields), {}, QueryOptions(), lambda share: None)


@pytest.mark.parametrize(
    ("players", "lives", "rule"),
    [(3, 1, "fixed"), *thorough((3, 1, "rotating")), *slow((3, 2, "rotating"))],
)
def test_shares_and_dead_games_agree_with_the_plain_recursion_in_fractions(players: int, lives: int, rule: str) -> None:
    made, plain = table(players, lives, rule), Plain(players, rule == "rotating")
    for held in product(range(lives + 1), repeat=players):
        standing = [seat for seat in range(players) if held[seat]]
        for opener in standing if rule == "rotating" else standing[:1]:
            if len(standing) > 1:
                *shares, dead = plain.start(held, opener)
                found: Any = told(made, lives=held, opener=opener)
                assert found.mover == opener
                for low, share, high in zip(found.shares[1], shares, found.shares[2], strict=True):
                    assert Fraction(low) <= share <= Fraction(high)
                    assert high - low < 1e-11
                lower, upper = found.quantities["dead"].lower, found.quantities["dead"].upper
                assert Fraction(lower) <= dead <= Fraction(upper)
                assert upper - lower < 1e-11


def test_in_the_middle_of_a_turn_the_moves_are_worth_what_the_recursion_says() -> None:
    """Seat 2 of three, the last to throw, after 5-4 and 6-1, with 5-4 or 4-3 on the table and one throw to come."""
    made, plain = table(3, 2, "fixed"), Plain(3, rotating=False, one=1.0)

    def ends(name: str) -> Vector:
        left, opener, ended = plain.after_round((2, 1, 2), {0: "5-4", 1: "6-1", 2: name}, 0)
        return plain.start(left, opener) if ended is None else ended

    again = tuple(sum(WAYS[thrown] * ends(thrown)[i] for thrown in ORDER) / 36 for i in range(4))
    for name, roll in (("5-4", (4, 5)), ("4-3", (3, 4))):
        found = told(made, lives=(2, 1, 2), results=("5-4", "6-1", None), roll=roll, rolls_left=1)
        for move, wanted in zip(found.moves, (ends(name), again), strict=True):
            assert move.shares == pytest.approx(wanted[:3], abs=1e-11)
        best = max((ends(name), again), key=lambda vector: vector[2])
        assert found.quantities["dead"].value == pytest.approx(best[3], abs=1e-11)


# --- the merged boards -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["fixed", "rotating"])
def test_every_question_about_a_board_leads_back_to_it(rule: str) -> None:
    made = table(3, 2, rule)
    fields = {field.name: field for field in made.fields()}
    for board in map(made.boards().board, boards_of(made)):
        questions = list(made.describe(board, (3,)))
        assert questions
        for question in questions:
            typed = {name: fields[name].parse(fields[name].show(value)) for name, value in question.items()}
            position = made.locate(**typed)
            assert (position.board, position.state) == (board, (3,))


@pytest.mark.parametrize(("players", "rule"), [(3, "fixed"), (3, "rotating"), (4, "rotating")])
def test_boards_that_can_be_are_those_that_rounds_come_to(players: int, rule: str) -> None:
    made = table(players, 2 if players == 3 else 1, rule)
    space, results = made.boards(), compile_turn(made).results
    seen, new = set(), {space.index_of(**made.first_board())}
    while new:
        seen |= new
        columns = space.columns(np.array(sorted(new)))
        ahead: set[int] = set()
        for result in results:
            said: Any = made.transition(columns, result)
            on = ~np.broadcast_to(said.over, len(new))
            ahead |= set(space.index(said.next, len(new))[on].tolist())
        new = ahead - seen
    assert seen == set(boards_of(made))


def boards_of(made: MexicoTable) -> list[int]:
    """Those that can be, by index."""
    return [board for some in possible_boards(made) for board in some.tolist()]


# --- endings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Swept(MexicoTable):
    """The same, solved as if its boards might come again."""

    cyclic: ClassVar[bool] = True


@pytest.mark.parametrize(
    ("other", "compiled", "within"), [(Swept, True, 1e-9), (MexicoTable, False, 1e-14)], ids=["again", "numpy"]
)
def test_endings_are_counted_alike_by_numpy_and_where_boards_may_come_again(
    other: type[MexicoTable], compiled: bool, within: float
) -> None:
    one = solve_table(MexicoTable(3, 2), compile_turn(MexicoTable(3, 2)))
    found = solve_table(other(3, 2), compile_turn(other(3, 2)), compiled=compiled)
    assert one.endings.keys() == found.endings.keys() == {"dead"}
    there = ~np.isnan(one.endings["dead"][:, 0])
    assert there.sum() == one.n_boards
    (chance, off), (again, off_again) = one.endings["dead"][there].T, found.endings["dead"][there].T
    assert (np.abs(chance - again) <= np.minimum(off + off_again, within)).all()
