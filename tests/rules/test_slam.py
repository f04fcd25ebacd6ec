"""Slam by its rules: the sheet's example, what a throw does, what a question may say."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import icepool
import numpy as np
import pytest

from rollwise.games.claims.replay import replay
from rollwise.games.slam import GOAL, Slam, scored
from rollwise.solver.game.errors import ModelError, ParameterError, StateError
from rollwise.solver.game.model import Chance, End, Go, Position
from rollwise.solver.game.solution import Quantity
from rollwise.solver.turn.graph import compile_turn

ONE, SMALL, GRAND, NONE = (3, 1, 5), (3, 3, 6), (3, 3, 3), (1, 4, 4)  # slams in a throw


def odds(players: int = 2, **state: object) -> dict[str, Quantity]:
    game = Slam(players)
    game.locate(**state)  # type: ignore[arg-type]
    return game.quantities(compile_turn(game), state)


def test_the_example_turn_goes_as_the_sheet_says() -> None:
    rolled = [(3, 1, 5), (2, 3, 6), (1, 4, 4)]
    first, second, third = (replay(Slam(), {}, [(dice, None) for dice in rolled[: n + 1]]) for n in range(3))
    assert isinstance(first.word, Go)
    assert isinstance(second.word, Go)
    assert (first.word.state, second.word.state) == ((1,), (2,))
    assert first.board == second.board == {"score": 0}  # the turn is still on
    assert third.board == {"score": 2}
    assert third.points == 1  # one turn


def test_fourteen_points_and_a_small_slam_end_the_turn() -> None:
    played = replay(Slam(), {"scores": (14, 0)}, [(SMALL, None)])
    assert played.board == {"score": 14}
    assert played.points == 1
    assert not played.over


def test_points_made_before_a_void_throw_stay() -> None:
    played = replay(Slam(), {"scores": (9, 0)}, [(ONE, None), (ONE, None), (SMALL, None)])
    assert played.board == {"score": 11}
    assert played.points == 1


@pytest.mark.parametrize("score", range(GOAL))
def test_a_grand_slam_is_out_whatever_the_score(score: int) -> None:
    assert replay(Slam(), {"scores": (score, 0)}, [(GRAND, None)]).over


@pytest.mark.parametrize(("score", "dice"), [(14, ONE), (10, SMALL)])
def test_exactly_fifteen_points_are_out(score: int, dice: tuple[int, ...]) -> None:
    assert replay(Slam(), {"scores": (score, 0)}, [(dice, None)]).over


def test_a_player_who_is_out_throws_no_more() -> None:
    with pytest.raises(ModelError, match="is over before 3 1 5"):
        replay(Slam(), {"scores": (10, 0)}, [(SMALL, None), (ONE, None)])


@pytest.mark.parametrize(
    ("score", "dice", "after"),
    [(0, ONE, 1), (0, SMALL, 5), (0, NONE, None), (9, SMALL, 14), (11, SMALL, None), (13, ONE, 14), (2, GRAND, 15)],
)
def test_what_a_throw_scores(score: int, dice: tuple[int, ...], after: int | None) -> None:
    assert scored(score, dice) == after


def test_odds_of_a_throw_are_those_that_icepool_finds() -> None:
    slams = icepool.map(lambda *dice: dice.count(3), *[icepool.d6] * 3)
    for score in range(GOAL):
        after = {0: score, 1: score + 1, 2: score + 5 if score + 5 <= GOAL else score, 3: GOAL}
        expected = icepool.map(lambda number, after=after: after[number], slams)
        word = Slam().turn(score)
        assert isinstance(word, Chance)
        found: Counter[Any] = Counter()
        for ways, then in word.outcomes:
            assert isinstance(then, End | Go)
            reached = then.result if isinstance(then, End) else then.state[0]
            assert isinstance(then, End) == (reached in (score, GOAL))
            found[reached] += ways
        assert found == dict(expected.items())


def test_a_question_without_fields_is_the_start() -> None:
    assert Slam().locate() == Position({"score": 0}, (0,), mover=0)


def test_a_position_is_the_score_of_the_mover() -> None:
    assert Slam(3).locate(scores=(4, 15, 11), mover=2) == Position({"score": 11}, (11,), mover=2)


def test_fifteen_points_and_a_dash_both_say_out() -> None:
    scores = Slam(3).fields()[0]
    assert scores.parse("-,4,2") == scores.parse("15,4,2") == (None, 4, 2)
    assert odds(3, scores=(None, 4, 2), mover=1) == odds(3, scores=(15, 4, 2), mover=1)


@pytest.mark.parametrize("score", range(GOAL))
def test_describe_is_the_inverse_of_locate(score: int) -> None:
    game = Slam(3)
    (fields,) = game.describe({"score": score}, (score,))
    assert {field.name: field.parse(field.show(fields[field.name])) for field in game.fields()} == fields
    assert game.locate(**fields) == Position({"score": score}, (score,), mover=0)
    assert not list(game.describe({"score": score}, (score + 1,)))  # in a turn: asked with the score of by then


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"scores": (15, 15, 15)}, "the last player in never gets to 15 points, got 15 for all seats"),
        ({"scores": (15, 15, 3), "mover": 2}, "the game is over: only seat 2 is still in, and has lost"),
        ({"scores": (None, 3, None)}, "the game is over: only seat 1 is still in, and has lost"),
        ({"scores": (1, 15, 3), "mover": 1}, r"mover is a seat that is still in \(0, 2\), got 1, which is out"),
    ],
)
def test_a_state_that_cannot_be_is_refused_in_one_line(state: dict[str, object], message: str) -> None:
    with pytest.raises(StateError, match=message):
        Slam(3).locate(**state)  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [1, 9])
def test_two_to_eight_play(players: int) -> None:
    with pytest.raises(ParameterError, match=f"players is from 2 to 8, got {players}"):
        Slam(players)


def test_settling_columns_counts_a_turn_and_ends_at_the_goal() -> None:
    game = Slam()
    board = game.boards().columns(np.arange(GOAL))
    assert [game.settle(board, score).over for score in (13, 14, 15)] == [False, False, True]
    assert {game.settle(board, score).reward for score in range(GOAL + 1)} == {1}


# --- odds ----------------------------------------------------------------------------------------------------------


def test_a_seat_that_is_out_never_loses() -> None:
    told = odds(4, scores=(7, 15, 3, 15), mover=2)["lose"]
    assert [told.value[1], told.lower[1], told.upper[1]] == [told.value[3], told.lower[3], told.upper[3]] == [0, 0, 0]
    assert told.lower[2] > told.upper[0] > 0.3


def test_seats_that_are_out_change_nothing_for_the_others() -> None:
    three, two = odds(3, scores=(9, 15, 4), mover=2), odds(2, scores=(9, 4), mover=1)
    assert [three["lose"].value[0], three["lose"].value[2]] == two["lose"].value
    assert all(three[name] == two[name] for name in three if name != "lose")


def test_whoever_moves_first_loses_least_at_the_start() -> None:
    for players in (2, 3, 8):
        told = odds(players)["lose"]
        assert all(told.upper[seat] < told.lower[seat + 1] for seat in range(players - 1))


def test_turns_alone_are_those_of_the_mover() -> None:
    for score, mover in product((0, 14), (0, 1)):
        scores = (score, 3) if mover == 0 else (3, score)
        assert odds(2, scores=scores, mover=mover)["turns_alone"] == odds(2, scores=(score, 0))["turns_alone"]


def test_with_fourteen_points_every_turn_ends_the_same_way() -> None:
    """One slam or a grand slam is out, 76 of 216 throws, and any other throw ends the turn."""
    told = odds(2, scores=(14, 0))
    assert told["turns_alone"].exact == "54/19"
    distribution = told["turns_alone_distribution"]
    assert distribution.value["1"] == pytest.approx(19 / 54, abs=1e-15)
    assert distribution.value["3"] == pytest.approx(19 / 54 * (35 / 54) ** 2, abs=1e-15)
    assert distribution.tail is not None
    assert distribution.tail["upper"] <= 1e-12


def test_the_facts_of_a_question() -> None:
    told = odds(3)
    assert list(told) == ["lose", "length", "length_distribution", "turns_alone", "turns_alone_distribution"]
    assert [told[name].unit for name in ("lose", "length", "turns_alone")] == ["probability", "turns", "turns"]
    assert min(map(int, told["length_distribution"].value)) == 2  # two grand slams at once
