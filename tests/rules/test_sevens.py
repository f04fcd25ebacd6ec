"""Sevens, by its rules (number 14 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from rollwise.games.policies import policies
from rollwise.games.sevens import FOLLOWS, OPENS, Opener, Sevens, left_over
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.errors import DiceError, StateError
from rollwise.solver.game.fields import Faces
from rollwise.solver.game.model import OTHER, SAME, Chance, Choice, End, Settled
from rollwise.solver.play.followed import Followed
from rollwise.solver.turn.graph import compile_turn


def settled(score: int | tuple[int, int], **board: int) -> Settled:
    game = Sevens()
    space = game.boards()
    index = space.index_of(**{"rolls": 0, "result": 0, **board})
    return game.settle(space.columns(np.array([index])), score)


def after(said: Settled) -> dict[str, int]:
    assert said.next is not None
    assert not np.any(said.over)
    return {name: int(np.ravel(column)[0]) for name, column in said.next.items()}


def word(*state: Any) -> Any:
    return Sevens().turn(*state)


def moves(*state: Any) -> dict[str | None, Any]:
    choice = word(*state)
    assert isinstance(choice, Choice)
    return dict(choice.moves)


# --- a turn ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("faces", "left"),
    [
        ((2, 2, 4, 5, 6, 6), (2, 4, 6, 6)),
        ((1, 1, 2, 6), (1, 2)),
        ((1, 2, 3, 4, 5, 6), ()),
        ((1, 1, 1, 6, 6, 6), ()),
        ((3, 3, 3, 3, 4, 4), (3, 3)),
        ((5, 5), (5, 5)),
    ],
)
def test_every_pair_that_makes_seven_is_set_aside(faces: tuple[int, ...], left: tuple[int, ...]) -> None:
    assert left_over(faces) == left


def test_the_turn_of_the_sheet_scores_three() -> None:
    after_first = {(2, 4, 6, 6)} & {state.state[2] for _, state in word(OPENS, 3, 6).outcomes}
    assert after_first
    again = moves(OPENS, 2, (2, 4, 6, 6))["roll"]
    assert again.state == (OPENS, 2, 4)
    assert (OPENS, 1, (1, 2)) in {state.state for _, state in word(*again.state).outcomes}
    stop = moves(OPENS, 1, (1, 2))["stop"]
    assert isinstance(stop, End)
    assert stop.result == (3, 2)  # three points, with two throws


def test_what_is_left_is_thrown_again_all_together_and_at_most_twice() -> None:
    assert list(moves(OPENS, 3)) == ["roll"]
    for rolls_left in (2, 1):
        assert list(moves(OPENS, rolls_left, (2, 2, 3, 3))) == ["stop", "roll"]
        thrown = word(*moves(OPENS, rolls_left, (2, 2, 3, 3))["roll"].state)
        assert isinstance(thrown, Chance)
        assert sum(weight for weight, _ in thrown.outcomes) == 6**4
    assert list(moves(OPENS, 0, (2, 2, 3, 3))) == ["stop"]


def test_without_dice_left_the_turn_is_over_at_zero() -> None:
    assert list(moves(OPENS, 2, ())) == ["stop"]
    assert moves(OPENS, 2, ())["stop"].result == (0, 1)  # one throw was used
    assert moves(FOLLOWS, 1, ())["stop"].result == 0


def test_the_second_player_may_use_as_many_throws_as_the_opener() -> None:
    game = Sevens()
    for rolls in (1, 2, 3):
        board = after(settled((10, rolls), mine=20, theirs=30))
        assert board == {"rolls": rolls, "mine": 30, "theirs": 20, "result": 10}
        root = game.root(game.boards().columns(np.array([game.boards().index_of(**board)])))
        assert game.roots()[int(root[0])] == (FOLLOWS, rolls)
    assert list(moves(FOLLOWS, 0, (1, 1))) == ["stop"]


# --- a round ---------------------------------------------------------------------------------------------------------


def test_the_opener_of_a_round_is_followed_by_the_other_player() -> None:
    assert settled((10, 2), mine=20, theirs=30).mover == OTHER


def test_after_a_round_both_scores_are_added_and_the_second_player_opens() -> None:
    said = settled(4, rolls=2, mine=30, theirs=20, result=10)
    assert after(said) == {"rolls": 0, "mine": 34, "theirs": 30, "result": 0}
    assert said.mover == SAME


def test_a_round_without_points_comes_back_to_the_same_totals_with_the_opener_changed() -> None:
    said = settled(0, rolls=1, mine=30, theirs=20, result=0)
    assert after(said) == {"rolls": 0, "mine": 30, "theirs": 20, "result": 0}


@pytest.mark.parametrize(
    ("board", "points", "ends"),
    [
        ({"mine": 70, "theirs": 20, "result": 0}, 6, None),
        ({"mine": 70, "theirs": 20, "result": 0}, 7, "lost"),
        ({"mine": 20, "theirs": 70, "result": 6}, 0, None),
        ({"mine": 20, "theirs": 70, "result": 7}, 0, "won"),
        ({"mine": 70, "theirs": 70, "result": 8}, 6, "won"),
        ({"mine": 70, "theirs": 70, "result": 8}, 7, "won"),
        ({"mine": 72, "theirs": 70, "result": 8}, 8, "lost"),
        ({"mine": 68, "theirs": 70, "result": 8}, 10, "won"),
        ({"mine": 72, "theirs": 70, "result": 8}, 6, "lost"),
        ({"mine": 70, "theirs": 70, "result": 8}, 8, "drawn"),
        ({"mine": 70, "theirs": 70, "result": 8}, 9, "lost"),
    ],
)
def test_at_77_after_a_round_one_is_out_and_the_lower_total_wins_if_both_are(
    board: dict[str, int], points: int, ends: str | None
) -> None:
    said = settled(points, rolls=1, **board)
    over, won, drawn = (bool(np.ravel(column)[0]) for column in (said.over, said.won, said.drawn))
    assert over == (ends is not None)
    assert (won, drawn) == (ends == "won", ends == "drawn")


# --- values ----------------------------------------------------------------------------------------------------------

Pair = tuple[float, float]  # what the mover wins, P(draw)
END = 1e-13


@cache
def thrown(dice: int) -> tuple[tuple[int, int, float], ...]:
    """(dice left, their sum, chance) after one throw, every way it can fall looked at."""
    found: Counter[tuple[int, int]] = Counter()
    for faces in product(range(1, 7), repeat=dice):
        left = list(faces)
        for face in faces:
            if face in left and 7 - face in left:
                left.remove(face)
                left.remove(7 - face)
        found[len(left), sum(left)] += 1
    return tuple((*left, ways / 6**dice) for left, ways in found.items())


def best_turn(all_dice: int, rolls: int, stop: Any) -> Pair:
    """Throw up to so many times; ``stop(points, throws used)`` is a pair, preferred where both are as good."""

    def throw(dice: int, used: int) -> Pair:
        worth = draw = 0.0
        for n, points, chance in thrown(dice):
            here = stop(points, used + 1)
            if n and used + 1 < rolls:
                ahead = thrown_again[n, used + 1]
                here = here if here[0] >= ahead[0] - END else ahead
            worth, draw = worth + chance * here[0], draw + chance * here[1]
        return worth, draw

    thrown_again: dict[tuple[int, int], Pair] = {}
    for used in range(rolls - 1, 0, -1):
        for dice in range(2, all_dice + 1, 2):
            thrown_again[dice, used] = throw(dice, used)
    return throw(all_dice, 0)


def plain(goal: int, dice: int) -> dict[tuple[int, int], Pair]:
    """The duel written again from the rule reading: what the opener wins with totals (own, other's), by iteration."""
    totals = [(mine, theirs) for mine in range(goal) for theirs in range(goal)]
    known = dict.fromkeys(totals, (0.5, 0.0))

    def other(pair: Pair) -> Pair:
        return 1 - pair[0], pair[1]

    def ended(mine: int, theirs: int, mine_before: int, theirs_before: int) -> Pair:
        if mine < goal and theirs < goal:
            return known[mine, theirs]
        if mine >= goal and theirs >= goal:
            one, two = (mine, mine_before), (theirs, theirs_before)
            return (float(one < two), 0.0) if one != two else (0.5, 1.0)
        return float(mine < goal), 0.0

    def opener(mine: int, theirs: int) -> Pair:
        @cache
        def followed(points: int, rolls: int) -> Pair:
            return other(best_turn(dice, rolls, cache(lambda p, _: ended(theirs + p, mine + points, theirs, mine))))

        return best_turn(dice, 3, followed)

    for mine, theirs in sorted((pair for pair in totals if pair[0] <= pair[1]), key=sum, reverse=True):
        moved = 1.0
        while moved > END / 10:
            both = {(one, two): opener(one, two) for one, two in ((mine, theirs), (theirs, mine))}
            moved = max(abs(new - old) for key in both for new, old in zip(both[key], known[key], strict=True))
            known |= both
    return known


@pytest.mark.parametrize(("goal", "dice"), [(1, 6), (3, 4)])
def test_values_and_draws_agree_with_the_plain_iteration(goal: int, dice: int) -> None:
    game = Sevens(goal=goal, dice=dice)
    graph = compile_turn(game)
    solved = BoardSolver(game, graph, compiled=False).solve()

    def read(boards: Any) -> Any:
        return solved.values[boards], solved.radius[boards].astype(np.float64)

    known = plain(goal, dice)
    for (mine, theirs), (worth, _) in known.items():
        index = game.boards().index_of(rolls=0, mine=mine, theirs=theirs, result=0)
        assert abs(solved.values[index] - worth) <= solved.radius[index] + 20 * END
    for mine, theirs in {(0, 0), (0, goal - 1)}:
        draw = known[mine, theirs][1]
        board = {"rolls": 0, "mine": mine, "theirs": theirs, "result": 0}
        told = Followed(game, graph, read, lambda ending: ending.denominator == 2, board).quantity(game.roots()[0], "")
        assert told.lower - 20 * END <= draw <= told.upper + 20 * END


# --- questions -------------------------------------------------------------------------------------------------------


def test_who_opens_can_be_told_from_the_result() -> None:
    game = Sevens()
    assert game.locate().state == (OPENS, 3)
    assert game.locate(left=(1, 1)).state == (OPENS, 2, (1, 1))
    second = game.locate(mine=4, theirs=9, result=10)
    assert second.board == {"rolls": 3, "mine": 4, "theirs": 9, "result": 10}
    assert second.state == (FOLLOWS, 3)


def test_before_the_second_players_throw_rolls_left_tells_how_many_the_opener_used() -> None:
    game = Sevens()
    for rolls, rolls_left in ((None, 2), (2, None), (2, 2)):
        found = game.locate(result=10, rolls=rolls, rolls_left=rolls_left)
        assert (found.board["rolls"], found.state) == (2, (FOLLOWS, 2))
    assert game.locate(result=10, rolls=2, left=(1, 1)).state == (FOLLOWS, 1, (1, 1))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"mine": 77}, "the mover is out, the other player has won"),
        ({"theirs": 80}, "the other player is out, the mover has won"),
        ({"mine": 77, "theirs": 77}, "both players are out"),
        ({"left": (1, 2, 5, 5)}, "left has 2 and 5, which make seven and are set aside"),
        ({"left": (1, 1, 2)}, "left is an even number of dice, since sevens go in pairs, got 1 1 2"),
        ({"left": (1, 1), "rolls_left": 3}, "of 3 throws allowed up to 2 are left after one, got rolls_left=3"),
        ({"left": (1, 1), "result": 4, "rolls": 1, "rolls_left": 1}, "of 1 throws allowed up to 0 are left after one"),
        ({"rolls_left": 2}, "before the first throw 3 of 3 are left, got rolls_left=2"),
        ({"result": 4, "rolls": 2, "rolls_left": 3}, "before the first throw 2 of 2 are left, got rolls_left=3"),
        ({"result": 4, "rolls_left": 0}, "before the first throw 3 of 3 are left, got rolls_left=0"),
        ({"opener": "theirs"}, "give result, the opener's points"),
        ({"rolls": 2}, "give result, the opener's points"),
        ({"opener": "mine", "result": 4}, "result=4 is the opener's, who has not rolled yet"),
        ({"opener": "mine", "rolls": 1}, "rolls=1 is the opener's, who has not rolled yet"),
        ({"result": 1}, "result=1 cannot be: an even number of dice is left over"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(given: dict[str, Any], wanted: str) -> None:
    with pytest.raises(StateError, match=wanted):
        Sevens().locate(**given)


def test_the_words_of_a_question() -> None:
    left = Faces("left", "", 0, 6)
    assert [left.parse(given) for given in ("none", "-", "", (), "6,2,6,4")] == [(), (), (), (), (2, 4, 6, 6)]
    assert (left.show(()), left.show((2, 4))) == ("none", "2,4")
    with pytest.raises(DiceError, match="left needs 0 to 6 faces"):
        left.parse("1,7")
    with pytest.raises(StateError, match="opener is mine or theirs, got 'me'"):
        Opener("opener", "").parse("me")
    result = {field.name: field for field in Sevens().fields()}["result"]
    assert [result.parse(given) for given in ("none", None, "7", 0)] == [None, None, 7, 0]
    with pytest.raises(StateError, match="result is from 0 to 36, got 37"):
        result.parse(37)


# --- rules of thumb --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "left", "plays"),
    [
        ("stop-at-8", (2, 6), "stop"),
        ("stop-at-8", (3, 6), "roll"),
        ("stop-at-10", (1, 2, 3, 4), "stop"),
        ("stop-at-10", (5, 6), "roll"),
        ("two-dice-left", (6, 6), "stop"),
        ("two-dice-left", (1, 1, 1, 1), "roll"),
    ],
)
def test_what_the_rules_of_thumb_play(name: str, left: tuple[int, ...], plays: str) -> None:
    rule = policies("sevens")[name].policy
    assert rule({"left": left}, ["stop", "roll"]) == plays
    assert rule({"left": left}, ["stop"]) == "stop"
    assert rule({}, ["roll"]) == "roll"
