"""Piggy Six for three players: who moves, who has won, and what a question may say."""

from __future__ import annotations

from typing import Any

import pytest

from rollwise.games.claims.replay import Played, begin, moves, replay, told
from rollwise.games.piggy_six_table import PiggySixTable
from rollwise.games.registry import game
from rollwise.solver.game.dice import Faces
from rollwise.solver.game.errors import BadInput, ParameterError, StateError
from rollwise.solver.game.model import TurnGame

TABLE = PiggySixTable(target=50, players=3)
ONE_SIX, TWO_SIXES = (6, 1), (6, 6)


def seen(faces: Faces, score: int, dice: int, chase: int, *fresh: str) -> Any:
    """What a throw leads to from a state of the turn."""
    if 6 in faces:
        return "zero" if faces.count(6) > 1 else 0
    return (score + sum(faces), dice, chase)


def played(*steps: tuple[Faces | None, str | None], **state: Any) -> Played:
    return replay(TABLE, state, steps, seen)


def fields(at: Played) -> tuple[int, tuple[int, ...], int]:
    """(mine, theirs, seat) where the next turn starts."""
    said = told(TABLE, at)
    return said["mine"], said["theirs"], said["seat"]


def test_turns_go_to_the_left_and_points_are_banked() -> None:
    assert fields(played(((2, 3), "hold"))) == (0, (0, 5), 1)
    assert fields(played(((2, 3), "hold"), ((4, 4), "hold"))) == (0, (5, 8), 2)
    assert fields(played(((2, 3), "hold"), ((4, 4), "hold"), ((5, 5), "hold"))) == (5, (8, 10), 0)


def test_a_six_earns_nothing_and_two_lose_the_score() -> None:
    assert fields(played((ONE_SIX, None), mine=20, theirs=(10, 11))) == (10, (11, 20), 1)
    assert fields(played((TWO_SIXES, None), mine=20, theirs=(10, 11))) == (10, (11, 0), 1)
    assert fields(played((TWO_SIXES, None), mine=20, theirs=(10, 11), seat=2)) == (10, (11, 0), 0)


def test_the_round_is_finished_once_somebody_has_reached_the_target() -> None:
    reached = played(((5, 5), "hold"), mine=45, theirs=(30, 40))
    assert not reached.over
    assert fields(reached) == (30, (40, 55), 1)
    assert fields(played((ONE_SIX, None), mine=30, theirs=(40, 55), seat=1)) == (40, (55, 0), 2)


def test_before_the_last_turn_only_the_highest_score_is_told() -> None:
    assert TABLE.locate(mine=40, theirs=(55, 30), seat=2) == TABLE.locate(mine=40, theirs=(55, 0), seat=2)
    assert TABLE.locate(mine=40, theirs=(55, 55), seat=2).board == {"scores": (2, 40, 55, 55)}
    assert TABLE.locate(mine=40, theirs=(45, 30), seat=2).board == {"scores": (2, 40, 45, 30)}


@pytest.mark.parametrize(
    ("theirs", "throw", "shares"),
    [
        ((55, 30), (5, 5), ["0", "0", "1"]),  # 56
        ((55, 30), (4, 5), ["1/2", "0", "1/2"]),
        ((55, 55), (4, 5), ["1/3", "1/3", "1/3"]),
        ((55, 55), (4, 4), ["1/2", "1/2", "0"]),
        ((55, 30), ONE_SIX, ["1", "0", "0"]),
        ((30, 55), TWO_SIXES, ["0", "1", "0"]),
    ],
)
def test_most_points_win_and_equal_scores_share(theirs: tuple[int, int], throw: Faces, shares: list[str]) -> None:
    ended = played((throw, None if 6 in throw else "hold"), mine=46, theirs=theirs, seat=2)
    assert ended.over
    assert list(map(str, ended.shares)) == shares


def test_the_last_to_move_ends_the_game_by_reaching_the_target() -> None:
    assert list(played(((5, 5), "hold"), mine=45, theirs=(49, 30), seat=2).shares) == [0, 0, 1]


def test_the_leader_may_roll_on_past_the_target() -> None:
    assert moves(TABLE, begin(TABLE, {"mine": 45, "theirs": (30, 40), "turn": 10})) == ["hold", "roll"]
    assert moves(TABLE, begin(TABLE, {"mine": 45, "theirs": (30, 40), "turn": 54})) == ["hold", "roll"]
    assert moves(TABLE, begin(TABLE, {"mine": 45, "theirs": (30, 40)})) == ["roll"]


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"theirs": "50,0"}, "theirs has 50 for seat 1, which has not moved in this round: whoever reaches 50", "theirs"),
    ({"theirs": "50,0", "seat": "1"}, "theirs has 50 for seat 2, which has not moved in this round", "theirs"),
    ({"theirs": "0,105", "seat": "1"}, "theirs is solved up to 99 for seat 0, got 105", "theirs"),
    ({"theirs": "0"}, "theirs is a list of 2 numbers, got 1", "theirs"),
    ({"mine": "50"}, "mine is from 0 to 49, got 50", "mine"),
    ({"turn": "1"}, "turn=1 is impossible: a throw of 2 dice adds 2 points or more", "turn"),
    ({"mine": "40", "turn": "70"}, "turn=70 and mine=40 make 110; from 90 on you hold, and scores are solved", "turn"),
    ({"seat": "3"}, "seat is from 0 to 2, got 3", "seat"),
]


@pytest.mark.parametrize(("asked", "line", "field"), WRONG, ids=str)
def test_a_question_that_cannot_be_is_refused_in_one_line(asked: dict[str, Any], line: str, field: str) -> None:
    with pytest.raises(BadInput) as refused:
        begin(TABLE, asked)
    assert str(refused.value).startswith(line)
    assert refused.value.field == field


def test_with_three_dice_a_turn_has_the_points_of_a_throw_at_least() -> None:
    three = PiggySixTable(target=50, players=3, max_dice=3)
    assert three.locate(mine=10, turn=3, dice=3).state == (13, 3, 0)
    with pytest.raises(StateError, match="turn=2 is impossible: a throw of 3 dice adds 3 points or more"):
        three.locate(mine=10, turn=2, dice=3)
    assert moves(three, begin(three, {"mine": 10})) == ["roll 1", "roll 2", "roll 3"]


def test_three_play_to_50_and_no_further() -> None:
    assert game("piggy-six", {"players": 3, "target": 50}).parameters()["target"] == 50
    for target in (51, 100):
        with pytest.raises(ParameterError, match=f"up to 50, got {target}: in longer games ever more") as refused:
            game("piggy-six", {"players": 3, "target": target})
        assert (refused.value.field, refused.value.hint) == ("players", "-p players=3 -p target=50")


def test_the_duel_and_the_game_against_robots_are_as_they_were() -> None:
    assert game("piggy-six", {"players": 2}).kind == "duel"
    assert game("piggy-six", {"robots": (8,)}).kind == "solo"
    with pytest.raises(ParameterError, match="against robots is played alone") as refused:
        game("piggy-six", {"robots": (8,), "players": 3})
    assert refused.value.field == "players"
    assert isinstance(TABLE, TurnGame)
