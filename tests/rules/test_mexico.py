"""Mexico, by its rules (number 3 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.claims.replay import Played, replay
from rollwise.games.mexico import NAMES, NEW_ROUND, PLACES, THROWN, Mexico, Results
from rollwise.games.policies import policies
from rollwise.games.registry import game
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.game.errors import DiceError, ParameterError, StateError
from rollwise.solver.game.model import Chance, Choice, End, Go
from rollwise.solver.turn.graph import compile_turn

SHEET = "2-1 6-6 5-5 4-4 3-3 2-2 1-1 6-5 6-4 6-3 6-2 6-1 5-4 5-3 5-2 5-1 4-3 4-2 4-1 3-2 3-1"
ORDER = SHEET.split(" ")  # highest first


def mexico(**parameters: Any) -> Mexico:
    made = game("mexico", parameters)
    assert isinstance(made, Mexico)
    return made


def round_of(*thrown: str, lives: Sequence[int] = (), opener: int | None = None, rule: str = "fixed") -> Played:
    """A round in which everybody keeps their first throw, in the order in which they throw."""
    of = mexico(players=max(len(lives), len(thrown)), opener=rule)
    state = {"lives": tuple(lives) or (of.lives,) * of.players, "opener": opener}
    throws = [tuple(int(die) for die in name.split("-")) for name in thrown]
    return replay(of, state, [(dice, "stop") for dice in throws])


def lives_after(played: Played) -> list[int]:
    """Lives by seat."""
    held = dict(zip(played.seats, played.board["lives"], strict=True))
    return [held[seat] for seat in sorted(held)]


def lost(*thrown: str) -> list[int]:
    """What a round with these results costs each player."""
    return [6 - left for left in lives_after(round_of(*thrown))]


def so_far(played: Played) -> dict[str, Any]:
    """Who moves, and what is known of the round, by seat."""
    opener, lowest, holders, with_mexico = played.board["round"]
    return {
        "mover": played.mover,
        "opener": played.seats[opener],
        "lowest": THROWN.get(lowest),
        "holders": {seat for place, seat in enumerate(played.seats) if holders >> place & 1},
        "mexico": bool(with_mexico),
    }


# --- a round ---------------------------------------------------------------------------------------------------------


def test_throws_rank_as_the_sheet_says() -> None:
    assert sorted(NAMES, key=lambda name: -NAMES[name]) == ORDER


def test_the_lowest_result_of_the_example_loses_one_life() -> None:
    assert lost("5-4", "2-2", "6-1", "4-4") == [1, 0, 0, 0]


def test_all_who_are_equally_low_lose() -> None:
    assert lost("5-4", "2-2", "5-4", "4-4") == [1, 0, 1, 0]
    assert lost("6-6", "6-6") == [1, 1]


def test_a_mexico_in_the_round_costs_the_lowest_two_lives() -> None:
    assert lost("5-4", "2-1", "6-1") == [2, 0, 0]
    assert lost("2-1", "5-4", "2-1", "5-4") == [0, 2, 0, 2]


def test_everybody_with_mexico_is_equally_low_and_loses_two() -> None:
    assert lost("2-1", "2-1") == [2, 2]


def test_the_second_player_knows_the_result_of_the_opener() -> None:
    assert so_far(round_of("6-1", lives=(4, 5))) == {
        "mover": 1, "opener": 0, "lowest": "6-1", "holders": {0}, "mexico": False,
    }  # fmt: skip


def test_of_the_round_so_far_only_the_lowest_matters_who_has_it_and_whether_there_is_a_mexico() -> None:
    second = {"mover": 2, "opener": 0, "lowest": "5-4", "holders": {0}, "mexico": False}
    assert so_far(round_of("5-4", "6-1", lives=(6, 6, 6))) == second
    assert round_of("5-4", "6-1", lives=(6, 6, 6)).board == round_of("5-4", "2-2", lives=(6, 6, 6)).board
    assert so_far(round_of("5-4", "2-1", lives=(6, 6, 6))) == {**second, "mexico": True}
    assert so_far(round_of("5-4", "5-4", lives=(6, 6, 6))) == {**second, "holders": {0, 1}}
    assert so_far(round_of("5-4", "3-1", lives=(6, 6, 6))) == {**second, "lowest": "3-1", "holders": {1}}
    assert so_far(round_of("2-1", "2-1", lives=(6, 6, 6))) == {
        "mover": 2, "opener": 0, "lowest": "2-1", "holders": {0, 1}, "mexico": True,
    }  # fmt: skip


def test_who_is_out_is_passed_over() -> None:
    assert round_of("5-4", lives=(6, 0, 6, 2)).mover == 2
    played = round_of("5-4", "6-1", "6-6", lives=(6, 0, 6, 2))
    assert (played.mover, lives_after(played)) == (0, [5, 0, 6, 2])


def test_the_same_seat_opens_every_round() -> None:
    for thrown in ("5-4", "2-2"):
        played = round_of("6-1", thrown, lives=(4, 5))
        assert (played.mover, so_far(played)["opener"], so_far(played)["lowest"]) == (0, 0, None)


def test_when_seat_0_is_out_the_next_seat_that_is_in_opens() -> None:
    played = round_of("5-4", "6-1", "6-1", lives=(1, 2, 2))
    assert (played.mover, lives_after(played)) == (1, [0, 2, 2])
    played = round_of("3-1", "6-1", "6-1", lives=(0, 1, 2, 2))
    assert (played.mover, lives_after(played)) == (2, [0, 0, 2, 2])


def test_a_rotating_opener_moves_on_to_the_next_seat_that_is_in() -> None:
    played = round_of("6-1", "5-4", lives=(5, 4), opener=1, rule="rotating")
    assert (played.mover, lives_after(played)) == (0, [4, 4])
    for opener, lives, wanted in ((0, (5, 5, 5), 1), (2, (5, 5, 5), 0), (0, (5, 0, 5), 2), (2, (0, 3, 5), 1)):
        thrown = ["6-1", "5-4", "6-6"][: sum(map(bool, lives))]
        assert round_of(*thrown, lives=lives, opener=opener, rule="rotating").mover == wanted


def test_an_opener_that_goes_out_hands_on_to_the_next() -> None:
    played = round_of("3-1", "5-4", "6-6", lives=(3, 1, 3), opener=1, rule="rotating")
    assert (played.mover, lives_after(played)) == (2, [3, 0, 3])


@pytest.mark.parametrize(
    ("lives", "thrown", "shares"),
    [
        ((6, 1), ("6-1", "5-4"), (1, 0)),
        ((1, 6), ("6-1", "2-2"), (0, 1)),
        ((1, 1), ("6-1", "6-1"), (Fraction(1, 2),) * 2),
        ((2, 2), ("2-1", "2-1"), (Fraction(1, 2),) * 2),
        ((2, 3), ("2-1", "2-1"), (0, 1)),
        ((1, 0, 1), ("5-4", "6-1"), (0, 0, 1)),
        ((1, 1, 1), ("5-4", "5-4", "5-4"), (Fraction(1, 3),) * 3),
        ((1, 0, 1, 2), ("5-4", "5-4", "6-4"), (0, 0, 0, 1)),
        ((1, 0, 1, 1), ("5-4", "5-4", "5-4"), (Fraction(1, 3), 0, Fraction(1, 3), Fraction(1, 3))),
        ((2, 2, 2, 2), ("2-1", "2-1", "2-1", "2-1"), (Fraction(1, 4),) * 4),
    ],
)
def test_the_last_player_with_a_life_wins_and_all_out_together_is_a_dead_game(
    lives: tuple[int, ...], thrown: tuple[str, ...], shares: tuple[Fraction, ...]
) -> None:
    played = round_of(*thrown, lives=lives)
    assert played.over
    assert played.shares == shares


def test_a_life_left_goes_on() -> None:
    assert not round_of("2-1", "6-6", lives=(2, 3)).over
    assert lives_after(round_of("5-4", "6-1", "6-2", lives=(1, 1, 1))) == [0, 1, 1]


# --- a turn ----------------------------------------------------------------------------------------------------------


def moves(*state: Any) -> dict[str | None, Any]:
    word = Mexico().turn(*state)
    assert isinstance(word, Choice)
    return dict(word.moves)


def test_up_to_three_throws_of_both_dice() -> None:
    first = moves(*Mexico().roots()[0])
    assert list(first) == ["roll"]
    assert isinstance(first["roll"], Chance)
    assert sum(weight for weight, _ in first["roll"].outcomes) == 36
    assert {after.state[0] for _, after in first["roll"].outcomes if isinstance(after, Go)} == {2}
    assert list(moves(2, (1, 2))) == list(moves(1, (1, 2))) == ["stop", "roll"]
    assert list(moves(0, (1, 2))) == ["stop"]


def test_the_last_throw_counts_and_a_mexico_thrown_again_is_forgotten() -> None:
    again = moves(1, (1, 2))["roll"]
    assert again.state == (1,)  # nothing of the throw is kept
    stop = moves(0, (4, 5))["stop"]
    assert isinstance(stop, End)
    assert stop.result == NAMES["5-4"] == PLACES[(4, 5)]


# --- values ----------------------------------------------------------------------------------------------------------

Pair = tuple[Fraction, Fraction]  # what the mover wins, P(dead game)


def plain(lives: int, rotating: bool) -> Callable[[int, int], Pair]:
    """The duel written again from the rule reading: what the opener wins with so many lives against so many."""
    place = {name: len(ORDER) - number for number, name in enumerate(ORDER)}
    faces = [f"{max(a, b)}-{min(a, b)}" for a, b in product(range(1, 7), repeat=2)]

    def turn(stop: Callable[[str], Pair]) -> Pair:
        ahead: Pair | None = None
        for _ in range(3):
            found = []
            for name in faces:
                here = stop(name)
                found.append(here if ahead is None or here[0] >= ahead[0] else ahead)
            ahead = (sum(p for p, _ in found) / Fraction(36), sum(dead for _, dead in found) / Fraction(36))
        assert ahead is not None
        return ahead

    def other(pair: Pair) -> Pair:
        return 1 - pair[0], pair[1]

    @cache
    def opener(mine: int, theirs: int) -> Pair:
        return turn(cache(lambda first: other(turn(cache(lambda second: round_over(mine, theirs, first, second))))))

    def round_over(mine: int, theirs: int, first: str, second: str) -> Pair:
        """What the second player wins, who has ``theirs``."""
        cost = 2 if "2-1" in (first, second) else 1
        mine -= cost * (place[first] <= place[second])
        theirs -= cost * (place[second] <= place[first])
        if mine <= 0 and theirs <= 0:
            return Fraction(1, 2), Fraction(1)
        if mine <= 0 or theirs <= 0:
            return Fraction(int(theirs > 0)), Fraction(0)
        return opener(theirs, mine) if rotating else other(opener(mine, theirs))

    return opener


@pytest.mark.parametrize("rule", ["fixed", "rotating"])
@pytest.mark.parametrize("lives", [1, 2])
def test_values_and_dead_games_agree_with_the_plain_recursion(lives: int, rule: str) -> None:
    game = Mexico(lives=lives, opener=rule)
    graph = compile_turn(game)
    exact = solve_exact(game, graph)
    solved = BoardSolver(game, graph, compiled=False).solve()
    opener = plain(lives, rule == "rotating")
    for mine, theirs in product(range(1, lives + 1), repeat=2):
        index = game.boards().index_of(lives=(mine, theirs), round=NEW_ROUND)
        worth, dead = opener(mine, theirs)
        assert exact[index] == worth
        position = game.locate(lives=(mine, theirs))
        said = game.quantities_beside(graph, lambda b: (solved.values[b], solved.radius[b].astype(float)), position)
        assert Fraction(said["dead"].lower) <= dead <= Fraction(said["dead"].upper)
        assert said["dead"].upper - said["dead"].lower < 1e-12


@pytest.mark.parametrize("rule", ["fixed", "rotating"])
def test_the_whole_duel_agrees_with_the_plain_recursion(rule: str) -> None:
    game = Mexico(opener=rule)
    graph = compile_turn(game)
    solved = BoardSolver(game, graph, compiled=False).solve()
    start = game.boards().index_of(**game.first_board())
    worth, dead = plain(6, rule == "rotating")(6, 6)
    assert abs(Fraction(float(solved.values[start])) - worth) <= Fraction(float(solved.radius[start]))
    said = game.quantities_beside(
        graph, lambda b: (solved.values[b], solved.radius[b].astype(np.float64)), game.locate()
    )
    assert Fraction(said["dead"].lower) <= dead <= Fraction(said["dead"].upper)
    assert said["dead"].upper - said["dead"].lower < 1e-9


# --- questions -------------------------------------------------------------------------------------------------------


def test_the_mover_is_the_opener_or_the_one_who_has_not_rolled() -> None:
    first = Mexico().locate(lives=(5, 3))
    assert (first.mover, first.board, first.state) == (0, {"lives": (5, 3), "round": NEW_ROUND}, (3,))
    second = Mexico().locate(lives=(5, 3), results=("6-5", None), roll=(2, 2))
    assert second.mover == 1
    assert second.board == {"lives": (3, 5), "round": (1, NAMES["6-5"], 0b10, 0)}
    assert second.state == (2, (2, 2))
    rotating = Mexico(opener="rotating").locate(lives=(5, 3), opener=1, results=(None, "6-5"), rolls_left=1)
    assert (rotating.mover, rotating.board["lives"], rotating.state) == (0, (5, 3), (1,))


def test_results_are_typed_by_seat() -> None:
    field = Results("results", "", 2)
    for given in ("6-5", "5-6,-", ["6-5", None], [(5, 6)]):
        assert field.parse(given) == ("6-5", None)
    assert field.parse("-, 1-2") == (None, "2-1")
    assert [field.parse(given) for given in ("none", "-", (), "-,-", None)] == [()] * 5
    assert (field.show(("6-5", None)), field.show(())) == ("6-5,-", "none")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"lives": (6, None), "results": (None, "6-5")}, "results has 6-5 for seat 1, which is out"),
        ({"lives": (6, 0), "results": ("6-4", "6-5")}, "results has 6-5 for seat 1, which is out"),
        ({"lives": (6, None)}, "seat 1 has no life left, seat 0 has won"),
        ({"lives": (0, 3)}, "seat 0 has no life left, seat 1 has won"),
        ({"lives": (0, None)}, "the game has ended as a dead game"),
        ({"results": (None, "6-5")}, "results has 6-5 for seat 1, which has not rolled yet: seat 0 opens this round"),
        ({"results": ("6-5", "6-5")}, "results has both players, so the round is over"),
        ({"opener": 1}, "seat 0 opens every round, got opener=1"),
        ({"rolls_left": 0}, "with rolls_left=0 give the roll"),
        ({"roll": (1, 2), "rolls_left": 3}, "with roll 1 2 on the table up to 2 throws are left, got rolls_left=3"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(given: dict[str, Any], wanted: str) -> None:
    with pytest.raises(StateError, match=wanted):
        Mexico().locate(**given)


@pytest.mark.parametrize("given", ["6-7", "65", "6-5-4", "6", ["6-5", 4], "6-", "12-3", "6--5", [(5, True)], "6-5;2-2"])
def test_a_result_is_a_throw_of_two_dice(given: Any) -> None:
    with pytest.raises(DiceError, match=r"names throws of two faces in 1\.\.6 like 6-5"):
        Results("results", "", 2).parse(given)


def test_results_come_from_as_many_seats_as_there_are() -> None:
    with pytest.raises(StateError, match="results is a list of up to 2 throws, got 3"):
        Results("results", "", 2).parse("6-5,2-2,3-1")


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"players": 5}, "players is one of 2, 3, 4"),
        ({"lives": 0}, "lives is from 1 to 50"),
        ({"opener": "first"}, "opener"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], wanted: str) -> None:
    with pytest.raises(ParameterError, match=wanted):
        Mexico(**parameters)


def test_an_answer_says_what_every_seat_wins() -> None:
    duel = rollwise.ask("mexico", {"lives": 1}, exact=True, results="6-5,-", roll="64", rolls_left=1)
    assert (duel.mover, duel.shares_exact, duel.shares) == (1, ["3/4", "1/4"], [0.75, 0.25])
    assert [move.shares for move in duel.moves or []] == [[0.75, 0.25], [1.0, 0.0]]
    table = rollwise.ask("mexico", {"lives": 1, "players": 3}, results="6-5,6-4", roll="63", rolls_left=1)
    assert table.mover == 2
    assert sum(table.shares or []) == pytest.approx(1)


@pytest.mark.parametrize(
    ("parameters", "given", "wanted"),
    [
        ({"players": 3}, {"lives": (0, 0, 3)}, "seats 0, 1 have no life left, seat 2 has won"),
        ({"players": 3}, {"lives": (0, 2, 3), "opener": 0}, "opener is a seat that is still in, and seat 0 is out"),
        ({"players": 3}, {"lives": (0, 2, 3), "opener": 2}, "seat 1, the first that is still in, opens every round"),
        (
            {"players": 3},
            {"results": ("6-5", None, "6-4")},
            "results has 6-4 for seat 2, which has not rolled yet: seat 1",
        ),
        (
            {"players": 3},
            {"results": ("6-5", "6-5", "6-4")},
            "results has all players who are in, so the round is over",
        ),
        (
            {"players": 4, "opener": "rotating"},
            {"opener": 2, "results": ("6-5", None, None, None)},
            "results has 6-5 for seat 0, which has not rolled yet: seat 2 opens this round",
        ),
    ],
)
def test_what_cannot_be_at_a_table_is_refused_with_the_reason(
    parameters: dict[str, Any], given: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(StateError, match=wanted):
        mexico(**parameters).locate(**given)


def test_the_first_seat_that_is_in_opens_where_nothing_is_said() -> None:
    told = rollwise.ask("mexico", {"players": 3, "lives": 2}, lives="-,1,2")
    assert told.mover == 1
    assert told.state["opener"] == 1


def test_a_table_with_too_many_lives_is_refused_with_what_it_would_cost() -> None:
    with pytest.raises(
        ParameterError, match="lives=20 is too much for 4; 4 players would have at least 63 million boards"
    ):
        rollwise.ask("mexico", {"players": 4, "lives": 20})
    assert mexico(players=3, lives=50).boards().size < 20_000_000


# --- rules of thumb --------------------------------------------------------------------------------------------------


def test_what_the_rules_of_thumb_play() -> None:
    known = policies("mexico")
    choice = ["stop", "roll"]
    opening: dict[str, Any] = {"results": ()}
    second: dict[str, Any] = {"results": ("6-5", None)}

    def plays(name: str, state: dict[str, Any], roll: tuple[int, int]) -> str:
        return known[name].policy({**state, "roll": roll}, choice)

    assert plays("stop-at-a-pair", opening, (1, 1)) == "stop"
    assert plays("stop-at-a-pair", opening, (5, 6)) == "roll"
    assert plays("beat-the-opener", opening, (5, 6)) == "stop"
    assert plays("beat-the-opener", opening, (4, 6)) == "roll"
    assert plays("beat-the-opener", second, (5, 6)) == "roll"
    assert plays("match-the-opener", second, (5, 6)) == "stop"
    third: dict[str, Any] = {"results": ("6-5", "5-4", None)}
    assert plays("beat-the-opener", third, (1, 6)) == plays("match-the-opener", third, (4, 5)) == "stop"
    assert plays("beat-the-opener", third, (4, 5)) == "roll"
    assert all(house.policy({**opening, "roll": (1, 3)}, ["stop", "roll"]) == "roll" for house in known.values())
