"""Mexico at a table, against the rules written again: all results of a round kept by seat, no boards, no turn graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest

from rollwise.games.mexico import MexicoTable
from rollwise.games.registry import game
from rollwise.solver.boards.table import TableValues, solve_table
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import InMemory, Kept, Opened, Tools, Wanted
from rollwise.solver.turn.graph import compile_turn

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


def opened(made: TurnGame) -> Opened:
    kind, graph = kind_of(made), compile_turn(made)
    found = kind.solve(made, graph, Tools())
    kept: Kept = InMemory(found.arrays)
    return kind.restore(made, graph, kept, found.facts)


def starts(players: int, lives: int) -> Iterator[Held]:
    """Lives before a round."""
    for held in product(range(lives + 1), repeat=players):
        if sum(map(bool, held)) > 1:
            yield held


@pytest.mark.parametrize(
    ("players", "lives", "rule"),
    [(3, 1, "fixed"), (3, 1, "rotating"), pytest.param(3, 2, "rotating", marks=pytest.mark.slow)],
)
def test_shares_and_dead_games_agree_with_the_plain_recursion_in_fractions(players: int, lives: int, rule: str) -> None:
    made, plain = table(players, lives, rule), Plain(players, rule == "rotating")
    found = opened(made)
    for held in starts(players, lives):
        for opener in range(players) if rule == "rotating" else [next(s for s in range(players) if held[s])]:
            if not held[opener]:
                continue
            *shares, dead = plain.start(held, opener)
            told = found.ask(made.locate(lives=held, opener=opener), {}, Wanted(), lambda share: None)
            assert told.shares is not None
            for low, share, high in zip(told.shares[1], shares, told.shares[2], strict=True):
                assert Fraction(low) <= share <= Fraction(high)
            assert told.mover == opener
            assert Fraction(told.quantities["dead"].lower) <= dead <= Fraction(told.quantities["dead"].upper)
            assert told.quantities["dead"].upper - told.quantities["dead"].lower < 1e-11
            assert max(told.shares[2]) - max(told.shares[1]) < 1e-11


@pytest.mark.parametrize("rule", ["fixed", "rotating"])
def test_four_players_agree_with_the_plain_recursion(rule: str) -> None:
    made, plain = table(4, 1, rule), Plain(4, rule == "rotating", 1.0)
    *shares, dead = plain.start((1,) * 4, 0)
    told = opened(made).ask(made.locate(), {}, Wanted(), lambda share: None)
    assert told.shares is not None
    assert told.shares[0] == pytest.approx(shares, abs=1e-11)
    assert told.quantities["dead"].value == pytest.approx(dead, abs=1e-11)


def test_in_the_middle_of_a_turn_the_moves_are_worth_what_the_recursion_says() -> None:
    """Seat 2 of three, the last to throw, after 5-4 and 6-1, with 5-4 or 4-3 on the table and one throw to come."""
    made, plain = table(3, 2, "fixed"), Plain(3, rotating=False)
    found = opened(made)

    def ends(name: str) -> Vector:
        left, opener, ended = plain.after_round((2, 1, 2), {0: "5-4", 1: "6-1", 2: name}, 0)
        return plain.start(left, opener) if ended is None else ended

    for name in ("5-4", "4-3"):
        roll = tuple(sorted(int(die) for die in name.split("-")))
        position = made.locate(lives=(2, 1, 2), results=("5-4", "6-1", None), roll=roll, rolls_left=1)
        told = found.ask(position, {}, Wanted(), lambda share: None)
        again = tuple(sum(WAYS[thrown] * ends(thrown)[i] for thrown in ORDER) / 36 for i in range(4))
        for move, wanted in zip(told.moves, (ends(name), again), strict=True):
            assert move.shares == pytest.approx([float(share) for share in wanted[:3]], abs=1e-11)
        best = max((ends(name), again), key=lambda vector: vector[2])
        assert told.quantities["dead"].value == pytest.approx(float(best[3]), abs=1e-11)


# --- the merged boards -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["fixed", "rotating"])
def test_every_question_about_a_board_leads_back_to_it(rule: str) -> None:
    made = table(3, 2, rule)
    space = made.boards()
    every = np.arange(space.size)
    fields = {field.name: field for field in made.fields()}
    for index in every[np.broadcast_to(made.possible(space.columns(every)), space.size)].tolist():
        board = space.board(index)
        told = list(made.describe(board, (3,)))
        assert told
        for given in told:
            typed = {name: fields[name].parse(fields[name].show(value)) for name, value in given.items()}
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
            said = made.settle(columns, result)
            on = ~np.broadcast_to(said.over, len(new))
            ahead |= set(space.index(said.next, len(new))[on].tolist())  # type: ignore[arg-type]
        new = ahead - seen
    every = np.arange(space.size)
    assert seen == set(every[np.broadcast_to(made.possible(space.columns(every)), space.size)].tolist())


# --- endings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Swept(MexicoTable):
    """The same, solved as if its boards might come again."""

    cyclic: ClassVar[bool] = True


def test_endings_are_counted_alike_where_boards_may_come_again() -> None:
    once, again = (solve_table(made, compile_turn(made)) for made in (MexicoTable(3, 2), Swept(3, 2)))
    assert once.endings.keys() == again.endings.keys() == {"dead"}
    there = ~np.isnan(once.endings["dead"][:, 0])
    assert there.sum() == once.n_boards
    difference = np.abs(once.endings["dead"][there, 0] - again.endings["dead"][there, 0])
    assert (difference <= once.endings["dead"][there, 1] + again.endings["dead"][there, 1]).all()
    assert again.endings["dead"][there, 1].max() < 1e-9


def test_endings_are_counted_alike_by_numpy_and_compiled() -> None:
    made = MexicoTable(3, 2)
    plain, fast = (solve_table(made, compile_turn(made), compiled=compiled) for compiled in (False, True))
    assert np.nanmax(np.abs(plain.endings["dead"][:, 0] - fast.endings["dead"][:, 0])) < 1e-14


# --- games played ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "lives", "games"), [(3, 2, 4_000), (4, 1, 4_000)])
def test_games_played_by_the_policy_end_as_often_as_the_solver_says(players: int, lives: int, games: int) -> None:
    made, rng = table(players, lives, "rotating"), np.random.default_rng(12)
    found, plain = opened(made), Plain(players, rotating=True, one=1.0)
    sides = iter(rng.integers(1, 7, size=(games * 60 * players, 2)).tolist())

    @cache
    def turn_on(board: tuple[tuple[str, Held], ...]) -> Any:
        return found.turn_on(dict(board))

    @cache
    def best(board: tuple[tuple[str, Held], ...], state: tuple[Any, ...]) -> str:
        moves = list(turn_on(board).moves(state))
        most = max(shares[0] for _, shares in moves)
        return str(next(name for name, shares in moves if shares[0] >= most - CLOSE))

    def move(held: Held, opener: int, results: tuple[str | None, ...], roll: tuple[int, ...], left: int) -> str:
        position = made.locate(lives=held, opener=opener, results=results, roll=roll, rolls_left=left)
        return best(tuple(position.board.items()), position.state)

    totals = np.zeros(players + 1)
    for _ in range(games):
        held, opener, ended = (lives,) * players, 0, None
        while ended is None:
            results: dict[int, str] = {}
            for seat in ((opener + step) % players for step in range(players)):
                for left in (2, 1, 0) if held[seat] else ():
                    roll = tuple(sorted(next(sides)))
                    known = tuple(results.get(other) for other in range(players))
                    if move(held, opener, known, roll, left) == "stop":
                        results[seat] = f"{roll[1]}-{roll[0]}"
                        break
            held, opener, ended = plain.after_round(held, results, opener)
        totals += ended
    told = found.ask(made.locate(), {}, Wanted(), lambda share: None)
    assert told.shares is not None
    wanted = np.array([*told.shares[0], told.quantities["dead"].value])
    error = np.sqrt(wanted * (1 - wanted) / games)
    assert (np.abs(totals / games - wanted) < 4 * error).all()


def test_the_certificate_says_that_nobody_gains() -> None:
    made = table(3, 2, "fixed")
    solved: TableValues = solve_table(made, compile_turn(made))
    assert solved.replies is None
    assert solved.gain_limit < 1e-11
