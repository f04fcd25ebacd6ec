"""What comes of the best play besides its value, against plain recursions over the games' own words."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import turn_game
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.errors import NotConverged, TooLarge
from rollwise.solver.game.model import Chance, Choice, End, Go, TurnGame, Word
from rollwise.solver.play.followed import Followed
from rollwise.solver.turn.graph import TurnGraph, compile_turn


def solved(name: str, **parameters: Any) -> tuple[TurnGame, TurnGraph, Callable[[Any], Any]]:
    of = turn_game(name, **parameters)
    graph = compile_turn(of)
    found = BoardSolver(of, graph, compiled=False).solve()
    return of, graph, lambda boards: (found.values[boards], found.radius[boards].astype(np.float64))


def plain(of: TurnGame, counts: Callable[[int], bool]) -> tuple[Fraction, Fraction]:
    """(value, chance) of a game that is one turn, worth its result: of equally good moves the first is played."""
    better = max if of.sense == "max" else min

    @cache
    def state(*at: Any) -> tuple[Fraction, Fraction]:
        return word(of.turn(*at))

    def word(said: Word) -> tuple[Fraction, Fraction]:
        if isinstance(said, Go):
            return state(*said.state)
        if isinstance(said, Choice):
            return better((word(after) for _, after in said.moves), key=lambda pair: pair[0])
        if isinstance(said, Chance):
            parts = [(weight, word(after)) for weight, after in said.outcomes]
            whole = sum(weight for weight, _ in parts)
            value, chance = (sum(weight * pair[i] for weight, pair in parts) / whole for i in (0, 1))
            return Fraction(value), Fraction(chance)
        assert isinstance(said, End)
        assert isinstance(said.result, int)
        return Fraction(said.result), Fraction(int(counts(said.result)))

    return state(*of.roots()[0])


@pytest.mark.parametrize("variant", ["basic", "partial"])
def test_the_chance_to_shut_every_box_while_playing_for_the_lowest_score(variant: str) -> None:
    of, graph, read = solved("shut-the-box", variant=variant, boxes=8)
    told = Followed(of, graph, read, lambda ending: ending == 0, of.first_board()).quantity(
        of.roots()[0], "probability"
    )
    value, chance = plain(of, lambda score: score == 0)
    assert abs(Fraction(float(read(np.array([0]))[0][0])) - value) < Fraction(1, 10**9)
    assert Fraction(told.lower) <= chance <= Fraction(told.upper)
    assert told.upper - told.lower < 1e-12


def test_a_chance_that_is_the_value_is_found_again() -> None:
    of, graph, read = solved("shut-the-box", objective="clear")
    told = Followed(of, graph, read, lambda ending: ending == 1, of.first_board()).quantity(
        of.roots()[0], "probability"
    )
    assert abs(told.value - read(np.array([0]))[0][0]) < 1e-12


@pytest.mark.parametrize(("counts", "chance"), [(True, 1.0), (False, 0.0)])
def test_every_game_ends_and_no_game_of_pig_is_drawn(counts: bool, chance: float) -> None:
    of, graph, read = solved("pig", target=20)
    followed = Followed(of, graph, read, lambda ending: counts, {"mine": 3, "theirs": 5})
    told = followed.quantity((4,), "probability")
    assert abs(told.value - chance) < 1e-9
    assert told.lower <= chance <= told.upper
    assert told.upper - told.lower < 1e-9


def test_from_a_board_only_later_ones_are_looked_at() -> None:
    of, graph, read = solved("pig", target=20)
    followed = Followed(of, graph, read, lambda ending: True, {"mine": 10, "theirs": 5})
    assert np.isnan(followed.chances[of.boards().index_of(mine=4, theirs=4)])
    assert followed.chances[of.boards().index_of(mine=19, theirs=19)] > 0.999


def test_what_lies_past_a_cut_is_refused() -> None:
    of, graph, read = solved("piggy-six", target=4)
    with pytest.raises(TooLarge, match="past its cut"):
        Followed(of, graph, read, lambda ending: ending == Fraction(1, 2), of.first_board())


def test_turns_that_do_not_come_to_an_end_certify_nothing() -> None:
    of, graph, read = solved("pig", target=5)
    found = Followed(of, graph, read, lambda ending: True, of.first_board())
    found.turns[np.isfinite(found.turns)] = 3.0  # after a turn there would be as many to come as before it
    with pytest.raises(NotConverged, match="do not come to an end"):
        found._certified()
