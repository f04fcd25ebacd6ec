from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from rollwise.games.patterns import full_house, only_pairs, only_triples, three_two_one
from rollwise.games.sheets import NUMBERS
from rollwise.games.yahtzee import BIT, BOXES, HOLDS_0, HOLDS_50, LOWER, Yahtzee, points
from rollwise.solver.game.dice import Faces, throws
from rollwise.solver.game.errors import DiceError, ParameterError, StateError
from rollwise.solver.game.model import Choice, End, Go
from rollwise.solver.game.outcome import outcome
from rollwise.solver.turn.graph import compile_turn, states_in_order

FORCED = Yahtzee()
FREE = Yahtzee(joker="free")
SIXES = (6, 6, 6, 6, 6)
TWOS = (2, 2, 2, 2, 2)


def scored(game: Yahtzee, sheet: dict[str, int], dice: Faces) -> dict[str, int]:
    """What each legal box earns now, bonuses included."""
    board = game.locate(sheet).board
    columns = tuple(board[name] for name in game.boards().names)
    last = game.turn(0, dice, "roll")
    assert isinstance(last, Choice)
    found = {}
    for move, end in last.moves:
        assert isinstance(end, End)
        assert move is not None
        said = outcome(game, columns, end.result)
        if said.legal:
            found[move.removeprefix("score ")] = int(said.worth + end.reward)
    return found


def after(game: Yahtzee, sheet: dict[str, int], box: str, dice: Faces) -> dict[str, int]:
    """The board after these dice went into this box."""
    board = game.locate(sheet).board
    following = outcome(game, tuple(board.values()), game.entry(box, dice).result).following
    assert following is not None
    return dict(zip(game.boards().names, following, strict=True))


def full(*open_boxes: str, **held: int) -> dict[str, int]:
    """A sheet with only these boxes open; the others hold the least they can."""
    least = {"chance": 5}
    return {box: held.get(box, least.get(box, 0)) for box in BOXES if box not in open_boxes}


# --- boxes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("box", "dice", "worth"),
    [
        ("ones", (1, 1, 2, 3, 6), 2),
        ("twos", (2, 2, 2, 2, 6), 8),
        ("threes", (1, 1, 2, 4, 6), 0),
        ("fours", (4, 4, 4, 5, 6), 12),
        ("fives", (1, 2, 3, 4, 5), 5),
        ("sixes", SIXES, 30),
        ("three of a kind", (2, 2, 2, 5, 6), 17),
        ("three of a kind", (2, 2, 5, 5, 6), 0),
        ("three of a kind", TWOS, 10),
        ("four of a kind", (3, 3, 3, 3, 6), 18),
        ("four of a kind", (3, 3, 3, 6, 6), 0),
        ("full house", (3, 3, 3, 6, 6), 25),
        ("full house", (3, 3, 3, 3, 6), 0),
        ("full house", SIXES, 0),
        ("small straight", (1, 2, 3, 4, 6), 30),
        ("small straight", (3, 3, 4, 5, 6), 30),
        ("small straight", (2, 3, 4, 5, 6), 30),
        ("small straight", (1, 2, 3, 5, 6), 0),
        ("large straight", (1, 2, 3, 4, 5), 40),
        ("large straight", (2, 3, 4, 5, 6), 40),
        ("large straight", (1, 2, 3, 4, 6), 0),
        ("yahtzee", TWOS, 50),
        ("yahtzee", (2, 2, 2, 2, 1), 0),
        ("chance", (1, 2, 2, 4, 6), 15),
    ],
)
def test_a_box_scores_what_the_rules_say(box: str, dice: Faces, worth: int) -> None:
    assert points(box, dice) == worth
    assert scored(FORCED, {}, dice)[box] == worth


def test_the_ways_to_throw_each_pattern_add_up() -> None:
    ways = {box: sum(n for dice, n in throws(5) if points(box, dice)) for box in LOWER}
    assert ways == {
        "three of a kind": 1656, "four of a kind": 156, "full house": 300, "small straight": 1200,
        "large straight": 240, "yahtzee": 6, "chance": 7776,
    }  # fmt: skip


def test_six_dice_patterns_take_equal_dice_apart() -> None:
    assert full_house((1, 1, 1, 2, 2))
    assert three_two_one((6, 6, 6, 1, 1, 2))
    assert not three_two_one((6, 6, 6, 1, 1, 1))
    assert only_pairs((6, 6, 6, 6, 1, 1))
    assert not only_pairs((6, 6, 6, 1, 1, 1))
    assert only_triples((6, 6, 6, 1, 1, 1))
    assert only_triples((*SIXES, 6))


def test_a_filled_box_takes_nothing_more() -> None:
    assert set(scored(FORCED, {"chance": 20, "ones": 0, "yahtzee": 0}, (1, 2, 2, 4, 6))) == set(BOXES) - {
        "chance", "ones", "yahtzee",
    }  # fmt: skip


def test_every_move_is_listed_in_sheet_order() -> None:
    assert list(scored(FORCED, {}, (1, 2, 2, 4, 6))) == list(BOXES)


def test_scoring_fills_the_box() -> None:
    start = FORCED.locate({}).board
    assert after(FORCED, {}, "threes", (3, 3, 1, 1, 1)) == FORCED.locate({"threes": 6}).board
    assert after(FORCED, {}, "chance", (3, 3, 1, 1, 1)) == {**start, "lower": BIT["chance"]}
    assert after(FORCED, {}, "yahtzee", TWOS) == {**start, "yahtzee": HOLDS_50}
    assert after(FORCED, {}, "yahtzee", (2, 2, 2, 2, 3)) == {**start, "yahtzee": HOLDS_0}


def test_the_last_box_ends_the_game() -> None:
    for box in ("chance", "yahtzee"):
        board = FORCED.locate(full(box)).board
        said = outcome(FORCED, tuple(board.values()), FORCED.entry(box, TWOS).result)
        assert (said.legal, said.following) == (True, None)


# --- the bonus for 63 -------------------------------------------------------------------------------------------------


def test_reaching_63_with_a_number_box_earns_35_at_once() -> None:
    sheet = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
    assert scored(FORCED, sheet, (6, 6, 6, 1, 2))["sixes"] == 18 + 35
    assert scored(FORCED, sheet, (6, 6, 6, 6, 2))["sixes"] == 24 + 35
    assert scored(FORCED, sheet, (6, 6, 1, 1, 2))["sixes"] == 12
    assert after(FORCED, sheet, "sixes", (6, 6, 6, 6, 2)) == after(FORCED, sheet, "sixes", (6, 6, 1, 1, 2))  # settled


def test_the_35_are_earned_once() -> None:
    sheet = {"threes": 9, "fours": 12, "fives": 20, "sixes": 24}
    assert FORCED.locate(sheet).points == 65 + 35
    assert scored(FORCED, sheet, (1, 1, 1, 1, 2))["ones"] == 4


def test_lower_boxes_do_not_count_towards_63() -> None:
    sheet = {"threes": 9, "fours": 12, "fives": 20, "ones": 1, "twos": 2}
    assert scored(FORCED, sheet, (6, 6, 6, 6, 2))["chance"] == 26


# --- further yahtzees and jokers --------------------------------------------------------------------------------------


def test_a_first_yahtzee_is_no_joker_and_may_go_anywhere() -> None:
    for game in (FORCED, FREE):
        worth = scored(game, {"sixes": 18}, SIXES)
        assert set(worth) == set(BOXES) - {"sixes"}
        assert worth["yahtzee"] == 50
        assert worth["chance"] == worth["four of a kind"] == 30
        assert worth["full house"] == worth["small straight"] == worth["large straight"] == worth["ones"] == 0


@pytest.mark.parametrize("game", [FORCED, FREE])
def test_a_further_yahtzee_earns_100_wherever_it_goes_while_the_box_holds_50(game: Yahtzee) -> None:
    sheet = {"yahtzee": 50, "sixes": 18}
    assert {box: worth for box, worth in scored(game, sheet, SIXES).items() if box in LOWER} == {
        "three of a kind": 130, "four of a kind": 130, "full house": 125, "small straight": 130,
        "large straight": 140, "chance": 130,
    }  # fmt: skip


@pytest.mark.parametrize("game", [FORCED, FREE])
def test_a_yahtzee_box_with_0_still_makes_jokers_but_no_hundreds(game: Yahtzee) -> None:
    sheet = {"yahtzee": 0, "sixes": 18}
    assert {box: worth for box, worth in scored(game, sheet, SIXES).items() if box in LOWER} == {
        "three of a kind": 30, "four of a kind": 30, "full house": 25, "small straight": 30,
        "large straight": 40, "chance": 30,
    }  # fmt: skip


def test_a_forced_joker_takes_the_number_box_of_its_face_first() -> None:
    assert scored(FORCED, {"yahtzee": 50}, SIXES) == {"sixes": 130}
    assert scored(FORCED, {"yahtzee": 0, "ones": 2}, TWOS) == {"twos": 10}


def test_a_forced_joker_takes_an_open_lower_box_next() -> None:
    assert scored(FORCED, {"yahtzee": 50, "twos": 6, "chance": 20, "full house": 25}, TWOS) == {
        "three of a kind": 110, "four of a kind": 110, "small straight": 130, "large straight": 140,
    }  # fmt: skip


def test_a_forced_joker_is_crossed_out_in_a_number_box_when_nothing_else_is_open() -> None:
    assert scored(FORCED, full("ones", "sixes", yahtzee=50), TWOS) == {"ones": 100, "sixes": 100}
    assert scored(FORCED, full("ones", "sixes"), TWOS) == {"ones": 0, "sixes": 0}


def test_a_free_joker_may_take_any_open_box() -> None:
    worth = scored(FREE, {"yahtzee": 50, "chance": 20}, SIXES)
    assert set(worth) == set(BOXES) - {"yahtzee", "chance"}
    assert (worth["sixes"], worth["ones"], worth["three of a kind"]) == (130, 100, 130)


def test_a_free_joker_counts_as_a_straight_only_once_its_number_box_is_filled() -> None:
    before = scored(FREE, {"yahtzee": 50, "fives": 15}, SIXES)
    assert [before[box] for box in ("full house", "small straight", "large straight")] == [100, 100, 100]
    behind = scored(FREE, {"yahtzee": 50, "sixes": 0}, SIXES)
    assert [behind[box] for box in ("full house", "small straight", "large straight")] == [125, 130, 140]


def test_a_forced_joker_in_its_number_box_can_reach_63() -> None:
    sheet = {"yahtzee": 50, "ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
    assert scored(FORCED, sheet, SIXES) == {"sixes": 30 + 100 + 35}


def test_some_box_is_always_legal() -> None:
    draw = random.Random(1)
    allowed = {box: sorted({points(box, dice) for dice, _ in throws(5)}) for box in BOXES}
    for _ in range(60):
        filled = draw.sample(BOXES, draw.randrange(13))
        sheet = {box: draw.choice(allowed[box]) for box in filled}
        for dice in (draw.choice(throws(5))[0], SIXES, TWOS):
            assert scored(FORCED, sheet, dice)
            assert set(scored(FREE, sheet, dice)) == set(BOXES) - set(sheet)


# --- boards -----------------------------------------------------------------------------------------------------------


def test_possible_boards_are_those_that_play_can_reach() -> None:
    for game in (FORCED, FREE):
        space = game.boards()
        assert space.size == 310_656
        possible = game.possible(space.columns(np.arange(space.size)))
        assert int(possible.sum()) == 310_654  # all but the full sheets, with a yahtzee and without
    tiny = Yahtzee(boxes="twos,sixes,full house,yahtzee")
    graph = compile_turn(tiny)
    reached, new = set(), [tuple(tiny.first_board().values())]
    while new:
        board = new.pop()
        if board not in reached:
            reached.add(board)
            outcomes = [outcome(tiny, board, result) for result in graph.results]
            new += [said.following for said in outcomes if said.legal and said.following is not None]
    space = tiny.boards()
    every = np.arange(space.size)
    boards = every[tiny.possible(space.columns(every))]
    assert {tuple(space.board(int(board)).values()) for board in boards} == reached


def test_the_level_counts_filled_boxes() -> None:
    space = FORCED.boards()
    for sheet in ({}, {"yahtzee": 0}, {"yahtzee": 50, "ones": 3, "chance": 12}, full("sixes")):
        index = space.index_of(**FORCED.locate(sheet).board)
        assert FORCED.level(space.columns(np.array([index])))[0] == len(sheet)


# --- questions --------------------------------------------------------------------------------------------------------


def test_a_question_without_a_sheet_is_the_start_of_the_game() -> None:
    position = FORCED.locate()
    assert (position.board, position.points) == (FORCED.first_board(), 0)
    first = FORCED.turn(*position.state)
    assert isinstance(first, Choice)
    assert [move for move, _ in first.moves] == ["roll"]


def test_a_roll_is_the_first_one_unless_rolls_left_says_else() -> None:
    assert FORCED.locate(roll=SIXES).state == (2, SIXES, "roll")
    assert FORCED.locate(roll=SIXES, rolls_left=0).state == (0, SIXES, "roll")


def test_with_throws_left_keeping_and_scoring_are_listed_and_without_only_scoring() -> None:
    last = FORCED.turn(0, TWOS, "roll")
    assert isinstance(last, Choice)
    assert [move for move, _ in last.moves] == [f"score {box}" for box in BOXES]
    earlier = FORCED.turn(1, TWOS, "roll")
    assert isinstance(earlier, Choice)
    (_, scoring), (_, fewer) = earlier.moves
    assert isinstance(scoring, Choice)
    assert isinstance(fewer, Go)
    held = FORCED.turn(*fewer.state)
    assert isinstance(held, Choice)
    assert held.moves[0][0] == "keep 2 2 2 2"


def test_points_on_the_sheet_count_the_35() -> None:
    assert FORCED.locate({"sixes": 18, "full house": 25}).points == 43
    sixty_three = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}
    assert FORCED.locate(sixty_three).points == 63 + 35
    assert FORCED.locate({**sixty_three, "ones": 2}).points == 62


@pytest.mark.parametrize("game", [FORCED, Yahtzee(boxes="threes,yahtzee,chance")])
def test_describe_and_locate_are_inverse(game: Yahtzee) -> None:
    space = game.boards()
    every = np.arange(space.size)
    boards = every[game.possible(space.columns(every))]
    fields = {field.name: field for field in game.fields()}
    states = [state for state, _ in states_in_order(game.turn, list(game.roots()))]
    asked = [state for state in states if state[2] == "roll" or state == game.roots()[0]]
    assert len(asked) == 3 * 252 + 1
    draw = random.Random(2)
    for number in draw.sample(range(len(boards)), min(300, len(boards))):
        board = space.board(int(boards[number]))
        state = draw.choice(asked)
        (given,) = game.describe(board, state)
        position = game.locate(**{name: fields[name].parse(value) for name, value in given.items()})
        assert (position.board, position.state) == (board, state)
        assert all(not list(game.describe(board, other)) for other in draw.sample(states, 5) if other not in asked)


def parsed(game: Yahtzee, **given: Any) -> Any:
    fields = {field.name: field for field in game.fields()}
    return game.locate(**{name: fields[name].parse(value) for name, value in given.items()})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"filled": "sixes:17"}, "box 'sixes' can hold 0, 6, 12, 18, 24, 30, got 17"),
        ({"filled": "chance:4"}, "box 'chance' can hold 5 to 30, got 4"),
        ({"filled": "three of a kind:3"}, "box 'three of a kind' can hold 0, 5 to 30, got 3"),
        ({"filled": "yahtzee:100"}, "box 'yahtzee' can hold 0, 50, got 100"),
        ({"filled": "sevens:7"}, "filled has no box 'sevens'; boxes: ones, twos"),
        ({"filled": "ones:1,ones:2"}, "filled names 'ones' twice"),
        ({"rolls_left": 2}, "rolls_left=2 needs roll; before the first throw leave both out"),
        ({"rolls_left": 3, "roll": "1,2,3,4,5"}, "rolls_left is from 0 to 2, got 3"),
        ({"filled": full()}, "every box is filled, the game is over"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(given: dict[str, Any], wanted: str) -> None:
    with pytest.raises(StateError, match=wanted):
        parsed(FORCED, **given)


def test_a_roll_has_five_dice() -> None:
    with pytest.raises(DiceError, match=r"roll needs 5 faces in 1\.\.6, got 1,2,7"):
        parsed(FORCED, roll="1,2,7")


# --- parameters -------------------------------------------------------------------------------------------------------


def test_boxes_that_are_not_played_hold_0_from_the_start() -> None:
    tiny = Yahtzee(boxes="chance,ones")
    assert tiny.played == ("ones", "chance")
    assert list(scored(tiny, {}, TWOS)) == ["chance"]  # a joker of twos: the twos count as filled
    assert scored(tiny, {"chance": 5}, TWOS) == {"ones": 0}
    assert scored(tiny, {}, (1, 1, 1, 2, 2)) == {"ones": 3, "chance": 7}


@pytest.mark.parametrize("wrong", [{"boxes": "ones,sevens"}, {"boxes": ""}, {"joker": "none"}])
def test_a_parameter_out_of_range_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="'yahtzee' parameter"):
        Yahtzee(**wrong)


def test_the_number_boxes_come_first_on_the_sheet() -> None:
    assert BOXES[:6] == NUMBERS
