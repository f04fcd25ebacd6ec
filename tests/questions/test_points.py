"""The odds of a turn that is played in a fixed way, and of one throw of it: against icepool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import icepool
import pytest
from icepool import Die, d6

from rollwise.parsing.validate import parse_game
from rollwise.questions.ask.compute import ask
from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import Chance, Decision, End, Goto, Node, NodeKey
from rollwise.solver.model.turn_points import PointGame, PointSpread
from rollwise.solver.policy.points_of_turn import (
    CUT,
    OneMore,
    chance_to_bust,
    one_more,
    only_move,
    points_distribution,
    result_chances,
    rule_choice,
)
from rollwise.solver.turn.graph import compile_turn

Faces = tuple[int, ...]
Rule = Callable[[Mapping[str, Any], Sequence[str]], str]


def point_game(name: str, **parameters: Any) -> PointGame:
    made = parse_game(name, parameters)
    assert isinstance(made, PointGame)
    return made


def under(game: PointGame, rule: Rule | None, **fields: Any) -> PointSpread:
    """The points of a turn from a state on, played by a rule, or by nobody."""
    position = game.locate(**fields)

    def seen(state: NodeKey) -> dict[str, Any] | None:
        told = next(iter(game.describe(position.board, state)), None)
        return None if told is None else {**game.parameters(), **told}

    choose = only_move if rule is None else rule_choice(game, position.board, rule, seen)
    return points_distribution(game, position.board, position.state, choose)


def chances(die: Die[Any]) -> dict[Any, Fraction]:
    return {outcome: die.probability(outcome) for outcome in die.outcomes()}


def thrown(dice: int) -> Die[Faces]:
    """A throw, faces ascending."""
    found: Die[Faces] = icepool.d6.pool(dice).expand()
    return found


# --- what a throw makes ----------------------------------------------------------------------------------------------


def most_at_ten_thousand(faces: Faces) -> int:
    points = 0
    for face, count in Counter(faces).items():
        triple, single = {1: (1000, 100), 5: (500, 50)}.get(face, (100 * face, 0))
        points += count // 3 * triple + count % 3 * single
    return points


def most_at_zilch(faces: Faces, trio: int | None = None) -> int:
    """The most that a throw counts: singles, trios with their matches, or one of the specials."""
    points = 0
    for face, count in Counter(faces).items():
        single = 100 if face in (1, trio) else 50 if face == 5 else 0
        ways = [single * count]
        if count >= 3:
            ways.append((1000 if face == 1 else 100 * face) + 100 * (count - 3))
        if count == 6:
            ways.append(2 * (1000 if face == 1 else 100 * face))
        points += max(ways)
    if len(faces) == 6 and len(set(faces)) == 6:
        points = max(points, 1500)
    if len(faces) == 6 and all(count % 2 == 0 for count in Counter(faces).values()):
        points = max(points, 1000)
    return points


def left_at_sevens(faces: Faces) -> Faces:
    count = Counter(faces)
    return tuple(face for face in range(1, 7) for _ in range(count[face] - count[7 - face]))


def rank_at_mexico(faces: Faces) -> tuple[int, ...]:
    low, high = faces
    return (3,) if faces == (1, 2) else (2, high) if low == high else (1, high, low)


def throw_at_piggy_six(faces: Faces, turn: int, mine: int) -> int:
    """Two sixes cost the score too."""
    return {0: sum(faces), 1: -turn}.get(faces.count(6), -turn - mine)


BUSTS: dict[str, tuple[Sequence[int], Callable[[Faces, int | None], bool]]] = {  # dice that are thrown, and what busts
    "pig": ([1], lambda faces, _: 1 in faces),
    "piggy-six": (range(1, 4), lambda faces, _: 6 in faces),
    "zilch": (range(1, 7), lambda faces, trio: not most_at_zilch(faces, trio)),
    "ten-thousand": (range(1, 7), lambda faces, _: not most_at_ten_thousand(faces)),
    "drop-dead": (range(1, 6), lambda faces, _: 2 in faces or 5 in faces),
    "slam": ([3], lambda faces, _: 3 not in faces),
    "thunderstorm": (range(1, 7), lambda faces, _: 1 not in faces),
    "sevens": ([], lambda faces, _: False),
    "mexico": ([], lambda faces, _: False),
    "shut-the-box": ([], lambda faces, _: False),
}


def hands(game: PointGame, **fields: Any) -> dict[tuple[int, int | None], Fraction]:
    position = game.locate(**fields)
    told = game.hands(position.board, position.state)
    return {(hand.dice, hand.trio): chance_to_bust(game, position.board, hand) for hand in told}


@pytest.mark.parametrize("name", BUSTS)
def test_icepool_counts_as_many_busts_for_every_hand(name: str) -> None:
    game = point_game(name, **({"max_dice": 3} if name == "piggy-six" else {}))
    found, (dice_thrown, busts) = hands(game), BUSTS[name]
    trios = [(dice, trio) for trio in range(1, 7) for dice in (1, 2, 3)] if name == "zilch" else []
    assert list(found) == [(dice, None) for dice in dice_thrown] + trios
    assert found or not game.busts
    for (dice, trio), chance in found.items():
        assert chance == thrown(dice).map(lambda faces, trio=trio: busts(faces, trio)).probability(True)


def test_two_dice_always_are_no_other_hand_and_near_the_goal_a_slam_may_be_a_bust_too() -> None:
    assert hands(point_game("piggy-six")) == {(2, None): Fraction(11, 36)}
    no_or_two_threes = Fraction(5**3 + 3 * 5, 6**3)
    assert hands(point_game("slam"), scores=(11, 0)) == {(3, None): no_or_two_threes}


CHANGES: dict[str, Callable[[Faces, dict[str, Any]], int]] = {  # by how much a throw changes what there is
    "pig": lambda faces, at: -at["turn"] if faces == (1,) else sum(faces),
    "piggy-six": lambda faces, at: throw_at_piggy_six(faces, at["turn"], at["mine"]),
    "ten-thousand": lambda faces, at: most_at_ten_thousand(faces) or -at["turn"],
    "zilch": lambda faces, at: most_at_zilch(faces, at.get("trio")) or at.get("mine", 0) // 10 - at["turn"],
    "sevens": lambda faces, at: 18 - sum(left_at_sevens(faces)),  # fewer points are a gain
    "mexico": lambda faces, at: (rank_at_mexico(faces) > (1, 6, 4)) - (rank_at_mexico(faces) < (1, 6, 4)),
    "shut-the-box": lambda faces, at: sum(faces) * (set(faces) <= {1, 2, 4} and len(set(faces)) == len(faces)),
    "slam": lambda faces, at: (0, 1, 5, 15)[faces.count(3)],  # here nothing that was made is lost
    "drop-dead": lambda faces, at: 0 if {2, 5} & set(faces) else sum(faces),
}
THROWS: list[tuple[str, int, dict[str, Any]]] = [
    *(("pig", 1, {"turn": turn}) for turn in (0, 2, 20, 99, 150)),
    *(("piggy-six", dice, {"turn": 18, "dice": dice, "mine": 43}) for dice in (1, 2, 3)),
    *(("ten-thousand", dice, {"turn": 1000, "dice": dice}) for dice in range(1, 7)),
    *(("zilch", dice, {"turn": 1000, "dice": dice}) for dice in (1, 2, 5)),
    ("zilch", 3, {"turn": 1200, "dice": 3, "trio": 2}),
    ("zilch", 2, {"turn": 1450, "dice": 2, "trio": 4}),
    *(("zilch", 6, {"turn": 1000, "dice": 6, "mine": mine}) for mine in (0, 1000)),  # the consolation
    ("sevens", 4, {"left": (2, 4, 6, 6), "rolls_left": 2}),
    ("mexico", 2, {"roll": (4, 6)}),
    *(("shut-the-box", dice, {"open": (1, 2, 4)}) for dice in (1, 2)),
    ("slam", 3, {}),
    ("drop-dead", 4, {"dice": 4}),
]


def one(game: PointGame, throw: int | None = None, **fields: Any) -> OneMore | None:
    position = game.locate(**fields)
    return one_more(game, position.board, position.state, lambda state, word: word.moves[-1][1], throw)


@pytest.mark.parametrize(("name", "dice", "fields"), THROWS)
def test_one_more_throw_gains_and_loses_what_icepool_says(name: str, dice: int, fields: dict[str, Any]) -> None:
    game = point_game(name, **({"max_dice": 3} if name == "piggy-six" else {}))
    found = one(game, dice if name == "shut-the-box" else None, **fields)
    gain, loss = (thrown(dice).map(lambda faces, s=s: max(0, s * CHANGES[name](faces, fields))).mean() for s in (1, -1))
    assert found is not None
    assert found == OneMore(dice, found.in_hand, gain, loss)
    assert name == "mexico" or found.in_hand == fields.get("turn", {"sevens": 18, "shut-the-box": 7}.get(name, 0))


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        *(("mexico", fields) for fields in ({}, {"roll": (4, 6), "rolls_left": 0})),
        *(("sevens", fields) for fields in ({}, {"left": (2, 4, 6, 6), "rolls_left": 0})),
        ("thunderstorm", {}),
    ],
)
def test_a_turn_that_is_over_or_of_one_throw_has_no_throw_more(name: str, fields: dict[str, Any]) -> None:
    assert one(point_game(name), **fields) is None


# --- turns that are played in a fixed way ----------------------------------------------------------------------------


def hold_at(points: int) -> Rule:
    return lambda state, moves: "hold" if state["turn"] >= points and "hold" in moves else "roll"


def test_pig_held_at_20_is_what_icepool_says() -> None:
    def turn(total: int) -> Any:
        return total if total >= 20 else d6.map(lambda face: 0 if face == 1 else turn(total + face))

    found = under(point_game("pig"), hold_at(20))
    assert found.chances == chances(turn(0))
    assert found.bust == found.chances[0] == Fraction(9440899, 15116544)
    assert found.mean == (sum(n * chance for n, chance in found.chances.items()),) * 2
    assert found.beyond is None


def test_piggy_six_loses_the_score_with_two_sixes() -> None:
    @cache
    def turn(total: int) -> Die[int]:
        if total >= 18:
            return Die([total])
        return thrown(2).map(lambda faces: turn(total + sum(faces)) if 6 not in faces else -43 * (faces == (6, 6)))

    found = under(point_game("piggy-six"), hold_at(18), mine=43)
    assert found.chances == chances(turn(0))
    assert found.bust == found.chances[0] + found.chances[-43]


SPECIALS = {"score straight": 1500, "score three pairs": 1000}


def keep_most(stop_at: int) -> Rule:
    def rule(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if "stop" in moves or "roll" in moves:
            return "stop" if "stop" in moves and state["turn"] >= stop_at else "roll"
        return max(moves, key=lambda move: int(SPECIALS.get(move) or move.rpartition(" for ")[2]))

    return rule


def test_ten_thousand_stopped_at_300_is_what_icepool_says() -> None:
    @cache
    def turn(total: int, dice: int) -> Die[int]:
        def after(faces: Faces) -> Any:
            count = Counter(faces)
            kept = sum(n if face in (1, 5) else n // 3 * 3 for face, n in count.items())
            return turn(total + most_at_ten_thousand(faces), dice - kept or 6) if kept else 0

        return Die([total]) if total >= 300 else thrown(dice).map(after)

    game = point_game("ten-thousand")
    assert under(game, keep_most(300)).chances == chances(turn(0, 6))
    assert under(game, keep_most(300), roll=(1, 2, 2, 3, 4, 6)).chances == chances(turn(100, 5))


def test_slam_and_thunderstorm_are_what_icepool_says() -> None:
    @cache
    def turn(score: int) -> Die[int]:
        def after(faces: Faces) -> Any:
            reached = 15 if faces.count(3) == 3 else score + (99, 1, 5)[faces.count(3)]
            return turn(reached) if reached < 15 else 15 if reached == 15 else score

        return thrown(3).map(after)

    found = under(point_game("slam"), None, scores=(7, 0))
    assert {7 + points: chance for points, chance in found.chances.items()} == chances(turn(7))
    assert found.bust == found.chances[0]
    assert under(point_game("thunderstorm"), None, dice=4).chances == chances(thrown(4).map(lambda f: f.count(1)))


def test_a_go_of_drop_dead_is_the_distribution_that_ask_tells() -> None:
    game = point_game("drop-dead")
    position = game.locate(turn=14, dice=3)
    found = game.chain_points(compile_turn(game), position)
    assert found is not None
    told = ask("drop-dead", turn=14, dice=3).quantities
    assert {str(n): float(chance) for n, chance in found.chances.items()} == told["score_distribution"].value
    assert found.mean is not None
    assert str(found.mean[0]) == told["mean_score"].exact
    assert found.beyond is not None
    assert sum(found.chances.values()) + found.beyond[1] == 1


# --- ends that are not followed --------------------------------------------------------------------------------------


def test_what_lies_past_a_cut_is_told_apart() -> None:
    found = under(point_game("piggy-six", target=2), lambda state, moves: "roll", seat=0)  # never holds
    assert found.beyond is not None
    assert found.beyond[0] > 60
    assert found.beyond[1] == found.open_ == 1 - sum(found.chances.values())
    assert found.chances[0] == found.bust
    assert found.mean is not None
    assert found.mean[0] == 0 < found.mean[1] < 30


def test_past_the_goal_points_are_so_many_or_more() -> None:
    found = under(point_game("ten-thousand", goal=500), keep_most(10_000))
    assert found.bust is not None
    assert (found.beyond, found.open_) == ((500, 1 - found.bust), Fraction(0))
    assert found.chances == {0: found.bust}


def test_a_turn_that_stands_past_its_end_has_the_points_it_has() -> None:
    for name, fields in {"pig": {"turn": 150}, "ten-thousand": {"turn": 12_000, "dice": 3}}.items():
        found = under(point_game(name), lambda state, moves: moves[0], **fields)
        assert [*found.chances, *(found.beyond or ())[:1]] == [fields["turn"]]


def test_alone_at_zilch_a_special_past_the_goal_may_still_be_lost() -> None:
    found = under(point_game("zilch", goal=50, players=1), keep_most(50), turn=0)
    assert found.beyond is not None
    assert 0 < found.open_ < found.beyond[1] == 1 - sum(found.chances.values())


# --- the mechanism ---------------------------------------------------------------------------------------------------


def test_throws_in_one_state_are_multiplied_and_ways_that_meet_are_added() -> None:
    flips: dict[str, Node] = {
        "start": Chance([(1, Chance([(1, Goto("again")), (2, End("one"))])), (3, Goto("again"))]),
        "again": Chance([(1, End("one")), (4, End("two"))]),
    }
    again = Fraction(1, 4) / 3 + Fraction(3, 4)
    one, two = 1 - again + again / 5, again * 4 / 5
    assert result_chances(lambda state: flips[state], ("start",)) == {"one": one, "two": two}


def test_nobody_chooses_only_where_there_is_no_choice() -> None:
    assert only_move(("here",), Decision([("roll", End(3))])).result == 3  # type: ignore[union-attr]
    with pytest.raises(ModelError, match="there is a choice"):
        only_move(("here",), Decision([("roll", End(3)), ("hold", End(4))]))


def test_a_rule_is_asked_with_the_moves_that_are_legal_there() -> None:
    heard: list[tuple[str, ...]] = []

    def rule(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        heard.append(tuple(moves))
        assert "stop" not in moves or state["turn"] >= 750  # the opening
        return moves[0]

    under(point_game("zilch"), rule, turn=600, dice=2)
    assert all(len(moves) > 1 for moves in heard)
    assert ("stop", "roll") in heard


def test_a_state_that_no_question_can_stand_in_is_a_cut() -> None:
    game = point_game("pig")
    position = game.locate(turn=18)
    choose = rule_choice(game, position.board, lambda state, moves: "roll", lambda state: None)
    word = choose(position.state, Decision([("hold", End(18)), ("roll", End(0))]))
    assert isinstance(word, End)
    assert word.result == (CUT, 18)


def test_where_no_move_is_legal_the_turn_is_over() -> None:
    game = point_game("zilch")
    board = game.locate().board
    with pytest.raises(StateError, match="the turn is over"):
        rule_choice(game, board, lambda state, moves: moves[0], lambda state: {})((0,), Decision([("stop", End(350))]))
