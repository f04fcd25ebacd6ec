"""Piggy Six for three players: who moves, who has won, and what a question may say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rollwise.games.claims.replay import describe_position
from rollwise.games.piggy_six.table import PiggySixTable
from rollwise.solver.model.dice import Faces
from tests.games.helping import made, may, no_game, played, refused, rules

TABLE, THREE_DICE = PiggySixTable(target=50, players=3), PiggySixTable(target=50, players=3, max_dice=3)
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def seen(faces: Faces, score: int, dice: int, chase: int, *fresh: str) -> Any:
    """What a throw leads to from a state of the turn."""
    if 6 in faces:
        return "zero" if faces.count(6) > 1 else 0
    return (score + sum(faces), dice, chase)


@rules(
    "mine, theirs, seat, play, after",
    {
        "turns go to the left": (0, (0, 0), 0, "23: hold", (0, (0, 5), 1)),
        "points are banked": (0, (0, 0), 0, "23: hold, 44: hold", (0, (5, 8), 2)),
        "all round": (0, (0, 0), 0, "23: hold, 44: hold, 55: hold", (5, (8, 10), 0)),
        "a six earns nothing": (20, (10, 11), 0, "61", (10, (11, 20), 1)),
        "two lose the score": (20, (10, 11), 0, "66", (10, (11, 0), 1)),
        "also of the last": (20, (10, 11), 2, "66", (10, (11, 0), 0)),
        "the round is finished once the target is reached": (45, (30, 40), 0, "55: hold", (30, (40, 55), 1)),
        "of scores before the last turn only the highest is told": (30, (40, 55), 1, "61", (40, (55, 0), 2)),
    },
)
def test_the_next_turn_starts_with(
    mine: int, theirs: tuple[int, int], seat: int, play: str, after: tuple[int, tuple[int, int], int]
) -> None:
    at = played(TABLE, {"mine": mine, "theirs": theirs, "seat": seat}, play, seen)
    said = describe_position(TABLE, at)
    assert (at.over, (said["mine"], said["theirs"], said["seat"])) == (False, after)


def test_before_the_last_turn_the_highest_score_counts_and_throws_add_their_dice_at_least() -> None:
    assert TABLE.locate(mine=40, theirs=(55, 30), seat=2) == TABLE.locate(mine=40, theirs=(55, 0), seat=2)
    assert TABLE.locate(mine=40, theirs=(55, 55), seat=2).board == {"scores": (2, 40, 55, 55)}
    assert TABLE.locate(mine=40, theirs=(45, 30), seat=2).board == {"scores": (2, 40, 45, 30)}
    assert THREE_DICE.locate(mine=10, turn=3, dice=3).state == (13, 3, 0)
    line = "turn=2 is impossible: a throw of 3 dice adds 3 points or more"
    assert line in str(refused(THREE_DICE, {"mine": 10, "turn": 2, "dice": 3}))
    assert may(THREE_DICE, {"mine": 10}) == ["roll 1", "roll 2", "roll 3"]


@pytest.mark.parametrize(
    ("mine", "theirs", "play", "shares"),
    [
        (46, (55, 30), "55: hold", (0, 0, 1)),  # 56
        (46, (55, 30), "45: hold", (HALF, 0, HALF)),
        (46, (55, 55), "45: hold", (THIRD, THIRD, THIRD)),
        (46, (55, 55), "44: hold", (HALF, HALF, 0)),
        (46, (55, 30), "61", (1, 0, 0)),
        (46, (30, 55), "66", (0, 1, 0)),
        (45, (49, 30), "55: hold", (0, 0, 1)),  # the last reaches the target
    ],
)
def test_most_points_win_and_equal_scores_share(
    mine: int, theirs: tuple[int, int], play: str, shares: tuple[Fraction, ...]
) -> None:
    ended = played(TABLE, {"mine": mine, "theirs": theirs, "seat": 2}, play, seen)
    assert (ended.over, ended.shares) == (True, shares)


@pytest.mark.parametrize(("turn", "moves"), [(10, ["hold", "roll"]), (54, ["hold", "roll"]), (0, ["roll"])])
def test_the_leader_may_roll_on_past_the_target(turn: int, moves: list[str]) -> None:
    assert may(TABLE, {"mine": 45, "theirs": (30, 40), "turn": turn}) == moves


def test_three_play_to_50_and_no_further_and_the_others_as_they_did() -> None:
    assert made("piggy-six", players=3, target=50).kind == "table"
    for target in (51, 100):
        error = no_game("piggy-six", players=3, target=target)
        assert f"up to 50, got {target}: in longer games more best moves follow each other in cycles" in str(error)
        assert (error.field, error.hint) == ("players", "-p players=3 -p target=50")
    assert (made("piggy-six", players=2).kind, made("piggy-six", robots=(8,)).kind) == ("duel", "solo")
    error = no_game("piggy-six", robots=(8,), players=3)
    assert "against robots is played alone" in str(error)
    assert error.field == "players"
