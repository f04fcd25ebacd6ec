"""Cameroon by its rules: what scores, what closes, who may pass, how dice are set aside, what a question may say."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from rollwise.games.cameroon import BOXES, SPECIALS, Cameroon, CameroonWin, bits, differences
from rollwise.games.claims.replay import Step, begin, moves, replay, told
from rollwise.games.policies import policies
from rollwise.solver.game.dice import DiceSetAside, Faces, throws
from rollwise.solver.game.errors import DiceError, ModelError, ParameterError, StateError
from rollwise.solver.game.model import Chance, Choice, End, Go, Position, Word, named_moves
from rollwise.solver.game.outcome import outcome
from rollwise.solver.turn.graph import compile_turn, states_in_order

GAME = Cameroon()
WIN = CameroonWin(objective="win")
FOUR = Cameroon(four_of_a_kind=True)
MUST_KEEP = Cameroon(must_keep=True)
ONE_OF_EACH = (1, 2, 3, 5, 6)  # fits numbers only


def scores(game: Cameroon, dice: Faces, **sheet: Any) -> dict[str, int]:
    """What each legal move with the last throw earns."""
    board = game.locate(**sheet).board
    last = game.score(dice)
    assert isinstance(last, Choice)
    found = {}
    for move, end in last.moves:
        assert isinstance(end, End)
        assert move is not None
        said = outcome(game, tuple(board.values()), end.result)
        if said.legal:
            found[move.removeprefix("score ")] = int(said.worth + end.reward)
    return found


def sheet_after(game: Cameroon, steps: Sequence[Step], **sheet: Any) -> dict[str, Any]:
    return told(game, replay(game, sheet, steps))


def offered(game: Cameroon, **state: Any) -> list[str]:
    """The moves of a question, those that the board forbids left out."""
    return moves(game, begin(game, state))


# --- what scores ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("box", "dice", "worth"),
    [
        ("ones", (1, 1, 2, 3, 6), 2),
        ("fours", (4, 4, 4, 5, 6), 12),  # the sheet's own
        ("sixes", (6, 6, 6, 6, 6), 30),
        ("threes", (1, 1, 2, 4, 6), 0),
        ("five of a kind", (2, 2, 2, 2, 2), 30),
        ("five of a kind", (2, 2, 2, 2, 3), 0),
        ("big straight", (2, 3, 4, 5, 6), 20),
        ("big straight", (1, 2, 3, 4, 5), 0),
        ("small straight", (1, 2, 3, 4, 5), 15),
        ("small straight", (2, 3, 4, 5, 6), 0),
        ("small straight", (1, 2, 3, 4, 6), 0),
        ("full house", (2, 2, 6, 6, 6), 22),
        ("full house", (1, 1, 1, 2, 2), 7),
        ("full house", (3, 3, 3, 3, 3), 0),
        ("full house", (3, 3, 3, 3, 1), 0),
        ("four of a kind", (1, 5, 5, 5, 5), 20),
        ("four of a kind", (5, 5, 5, 5, 6), 20),
        ("four of a kind", (3, 3, 3, 3, 3), 12),
        ("four of a kind", (3, 3, 3, 4, 4), 0),
    ],
)
def test_a_box_scores_what_the_rules_say(box: str, dice: Faces, worth: int) -> None:
    assert FOUR.points(box, dice) == worth
    assert scores(FOUR, dice).get(box, 0) == worth


def test_the_ways_to_throw_each_special_add_up() -> None:
    ways = {box: sum(n for dice, n in throws(5) if FOUR.points(box, dice)) for box in SPECIALS}
    assert ways == {
        "five of a kind": 6, "big straight": 120, "small straight": 120, "full house": 300, "four of a kind": 156,
    }  # fmt: skip


def test_pays_are_parameters_but_for_the_sums() -> None:
    game = Cameroon(five_of_a_kind=50, big_straight=40, small_straight=30)
    assert scores(game, (2, 2, 2, 2, 2)) == {"twos": 10, "five of a kind": 50}
    assert scores(game, (2, 3, 4, 5, 6))["big straight"] == 40
    assert scores(game, (1, 2, 3, 4, 5))["small straight"] == 30


def test_four_of_a_kind_is_a_box_of_the_variant_only() -> None:
    dice = (4, 4, 4, 4, 4)
    assert scores(GAME, dice) == {"fours": 20, "five of a kind": 30}
    assert scores(FOUR, dice) == {"fours": 20, "five of a kind": 30, "four of a kind": 16}


# --- what closes ------------------------------------------------------------------------------------------------------


def test_four_fives_and_three_fives_close_the_fives_as_the_sheet_says() -> None:
    first = replay(GAME, {}, [((5, 5, 5, 5, 2), "score fives")])
    assert first.points == 20
    assert (told(GAME, first)["theirs"], told(GAME, first)["closed"]) == (("fives",), ())
    second = replay(GAME, {}, [((5, 5, 5, 5, 2), "score fives"), ((1, 2, 5, 5, 5), "score fives")])
    assert second.points - first.points == 15
    assert told(GAME, second)["closed"] == ("fives",)


def test_five_dice_at_once_close_a_number_to_both() -> None:
    assert sheet_after(GAME, [((5, 5, 5, 5, 5), "score fives")])["closed"] == ("fives",)


def test_a_number_that_both_have_filled_is_done_with_fewer_than_five_dice() -> None:
    after = sheet_after(GAME, [((1, 2, 3, 5, 6), "score twos"), ((1, 2, 3, 5, 6), "score twos")])
    assert (after["mine"], after["theirs"], after["closed"]) == ((), (), ("twos",))


def test_a_player_fills_a_number_only_once() -> None:
    assert set(scores(GAME, ONE_OF_EACH, mine=("twos",))) == {"ones", "threes", "fives", "sixes"}
    assert set(scores(GAME, ONE_OF_EACH, theirs=("twos",))) == {"ones", "twos", "threes", "fives", "sixes"}
    assert set(scores(GAME, ONE_OF_EACH, closed=("twos",))) == {"ones", "threes", "fives", "sixes"}


@pytest.mark.parametrize(
    ("box", "dice"),
    [
        ("five of a kind", (3, 3, 3, 3, 3)),
        ("big straight", (2, 3, 4, 5, 6)),
        ("small straight", (1, 2, 3, 4, 5)),
        ("full house", (2, 2, 2, 5, 5)),
        ("four of a kind", (2, 2, 2, 2, 5)),
    ],
)
def test_the_first_to_score_a_special_closes_it_to_both(box: str, dice: Faces) -> None:
    after = sheet_after(FOUR, [(dice, f"score {box}")])
    assert after["closed"] == (box,)
    assert box not in scores(FOUR, dice, **after)


def test_all_dice_of_the_face_are_entered() -> None:
    assert scores(GAME, (5, 5, 5, 1, 1), closed=("full house",)) == {"ones": 2, "fives": 15}


# --- who may pass -----------------------------------------------------------------------------------------------------


def test_a_throw_that_missed_a_straight_must_be_scored_as_the_sheet_says() -> None:
    assert scores(GAME, (1, 2, 4, 4, 6)) == {"ones": 1, "twos": 2, "fours": 8, "sixes": 6}
    assert scores(GAME, (1, 2, 4, 4, 6), mine=("ones", "twos"), closed=("sixes",)) == {"fours": 8}


def test_a_player_passes_only_if_nothing_fits() -> None:
    for dice, _ in throws(5):
        closed = ("ones", "twos", "full house")
        fits = scores(GAME, dice, closed=closed)
        assert fits
        assert "pass" not in fits or set(fits) == {"pass"}
        assert ("pass" in fits) == (set(dice) <= {1, 2} and len(set(dice)) > 1)


def test_a_pass_leaves_the_sheet_to_the_other_player() -> None:
    after = sheet_after(GAME, [((1, 1, 1, 1, 2), "pass")], mine=("ones",), closed=("twos", "sixes"))
    assert after == {"mine": (), "theirs": ("ones",), "closed": ("twos", "sixes")}


def test_five_dice_may_be_set_aside_early_and_then_pass() -> None:
    closed = ("ones", "twos", "full house")
    assert "pass" in offered(GAME, roll=(1, 1, 2, 2, 2), closed=closed)
    assert "pass" not in offered(GAME, roll=(1, 1, 2, 2, 3), closed=closed)


def test_the_game_is_over_when_nobody_can_score_any_more() -> None:
    closed = tuple(box for box in BOXES[:-1] if box != "twos")
    state = {"theirs": ("twos",), "closed": closed}
    assert replay(GAME, state, [((1, 1, 1, 1, 2), "score twos")]).over
    assert not replay(GAME, {"closed": closed}, [((1, 1, 1, 1, 2), "score twos")]).over
    assert replay(GAME, {"closed": closed}, [((2, 2, 2, 2, 2), "score twos")]).over


def test_a_player_who_can_score_nothing_passes_until_the_other_is_done() -> None:
    closed = tuple(box for box in BOXES[:-1] if box != "twos")
    assert offered(GAME, mine=("twos",), closed=closed, roll=(2, 2, 2, 2, 2), rolls_left=0) == ["pass"]
    steps: list[Step] = [((1, 1, 1, 1, 2), "pass"), ((1, 3, 4, 5, 6), "pass"), ((1, 1, 1, 1, 2), "pass")]
    assert sheet_after(GAME, steps, mine=("twos",), closed=closed)["theirs"] == ("twos",)


# --- dice -------------------------------------------------------------------------------------------------------------


def test_any_dice_of_a_throw_may_be_set_aside_or_none() -> None:
    found = offered(GAME, roll=(1, 1, 2, 4, 6))
    kept = {tuple(sorted(dice)) for size in range(5) for dice in combinations((1, 1, 2, 4, 6), size)}
    assert {move for move in found if move.startswith("keep")} == {
        "keep " + (" ".join(map(str, dice)) or "nothing") for dice in kept
    }
    assert [move for move in found if not move.startswith("keep")] == [
        f"score {box}" for box in scores(GAME, (1, 1, 2, 4, 6))
    ]


def test_dice_set_aside_stay() -> None:
    played = replay(GAME, {}, [((6, 6, 1, 2, 3), "keep 6 6"), ((1, 2, 3), "keep nothing")])
    assert told(GAME, played) == {**EMPTY, "kept": (6, 6), "rolls_left": 1}
    assert set(offered(GAME, kept=(6, 6), roll=(1, 2, 2), rolls_left=1)) == {
        "score ones", "score twos", "score sixes", "keep nothing", "keep 1", "keep 2", "keep 2 2", "keep 1 2",
    }  # fmt: skip


def test_a_turn_has_three_throws() -> None:
    steps: list[Step] = [((6, 6, 1, 2, 3), "keep 6 6"), ((6, 2, 3), "keep 6")]
    played = replay(GAME, {}, [*steps, ((4, 5), None)])
    assert told(GAME, played) == {**EMPTY, "roll": (4, 5, 6, 6, 6), "rolls_left": 0}
    assert moves(GAME, played) == ["score fours", "score fives", "score sixes"]
    with pytest.raises(ModelError, match="has no move 'keep 6'"):
        replay(GAME, {}, [*steps, ((4, 5), "keep 6")])


def test_setting_all_five_aside_ends_the_throws() -> None:
    assert "keep 2 3 4 5 6" not in offered(GAME, roll=(2, 3, 4, 5, 6))
    assert replay(GAME, {}, [((2, 3, 4, 5, 6), "score big straight")]).points == 20


@pytest.mark.parametrize("state", [{"roll": (1, 1, 2, 4, 6)}, {"kept": (3,), "roll": (1, 1, 4, 4), "rolls_left": 1}])
def test_a_die_must_be_set_aside_only_where_the_parameter_says_so(state: dict[str, Any]) -> None:
    free, bound = offered(GAME, **state), offered(MUST_KEEP, **state)
    assert set(free) - set(bound) == {"keep nothing"}
    assert not set(bound) - set(free)


def test_no_hand_is_a_node_twice() -> None:
    graph = compile_turn(GAME)
    assert (graph.n_nodes, graph.n_edges) == (6633, 19035)
    hands = [state for root in GAME.roots() for state, _ in states_in_order(GAME.turn, [root]) if state[0] == 0]
    assert len(hands) == len(set(hands)) == 252


@pytest.mark.parametrize(("dice", "at_least"), [(3, 0), (3, 1), (4, 0)])
def test_every_choice_of_dice_is_offered_once(dice: int, at_least: int) -> None:
    turn = DiceSetAside(dice, 3, lambda hand: Choice([("score", End(hand))]), at_least)
    for left, kept in [(2, ()), *((1, kept) for size in range(dice) for kept, _ in throws(size))]:
        for rolled, _ in throws(dice - len(kept)):
            named = named_moves(turn.turn(left, kept, rolled), turn.turn)
            chosen = {held for size in range(at_least, len(rolled)) for held in combinations(rolled, size)}
            assert set(named) == {"score", *("keep " + (" ".join(map(str, held)) or "nothing") for held in chosen)}


def worth(turn: DiceSetAside) -> Fraction:
    """The value of a turn whose ends have rewards."""
    known: dict[Any, Fraction] = {}

    def of(word: Word) -> Fraction:
        if isinstance(word, Go):
            return known[word.state]
        if isinstance(word, Chance):
            total = sum(ways for ways, _ in word.outcomes)
            return sum((Fraction(ways, total) * of(after) for ways, after in word.outcomes), Fraction(0))
        if isinstance(word, Choice):
            return max(of(after) for _, after in word.moves)
        assert isinstance(word, End)
        return Fraction(word.reward)

    for state, word in states_in_order(turn.turn, [turn.first()]):
        known[state] = of(word)
    return known[turn.first()]


def test_dice_that_count_their_faces_are_each_played_alone() -> None:
    # one die: 7/2 with one throw, 17/4 with two (stay from 4 on), 14/3 with three (stay from 5 on)
    assert worth(DiceSetAside(3, 3, lambda hand: End(hand, sum(hand)))) == 3 * Fraction(14, 3)
    assert worth(DiceSetAside(2, 2, lambda hand: End(hand, sum(hand)))) == 2 * Fraction(17, 4)
    # a die that must be set aside each time is the worse: of two low dice one stays
    assert worth(DiceSetAside(2, 2, lambda hand: End(hand, sum(hand)), at_least=1)) < 2 * Fraction(17, 4)


# --- boards -----------------------------------------------------------------------------------------------------------


def reached(game: Cameroon) -> set[tuple[int, ...]]:
    """Boards that play comes to, one by one."""
    graph = compile_turn(game)
    found: set[tuple[int, ...]] = set()
    new = [tuple(game.first_board().values())]
    while new:
        board = new.pop()
        if board not in found:
            found.add(board)
            outcomes = [outcome(game, board, result) for result in graph.results]
            new += [said.following for said in outcomes if said.legal and said.following is not None]
    return found


@pytest.mark.parametrize("boxes", ["fives,sixes", "twos,full house", "ones,small straight,big straight"])
def test_possible_boards_are_those_that_the_filled_boxes_can_make(boxes: str) -> None:
    for game in (Cameroon(boxes=boxes), CameroonWin(boxes=boxes, objective="win")):
        space = game.boards()
        columns = space.columns(np.arange(space.size))
        possible = set(np.flatnonzero(game.possible(columns)).tolist())
        boards = {space.index_of(**dict(zip(space.names, board, strict=True))) for board in reached(game)}
        assert boards <= possible


def test_as_many_boards_as_there_are_sheets() -> None:
    space = GAME.boards()
    assert int(GAME.possible(space.columns(np.arange(space.size))).sum()) == 4**6 * 2**4 - 1


def test_the_differences_of_a_sheet_are_those_that_its_entries_can_make() -> None:
    mine, theirs, closed = bits(["fives"]), bits(["sixes"]), bits(["twos"])
    lead = {5 * a - 6 * b for a, b in product(range(1, 5), repeat=2)}
    both = {2 * (a - b) for a in range(1, 5) for b in range(1, 6)} | {
        2 * (a - b) for a in range(1, 6) for b in range(1, 5)
    }
    wanted = {one + two for one in lead for two in both | {10, -10}}
    held = differences(WIN, mine | closed, theirs | closed, 0)
    assert {d for d in range(-60, 61) if held >> 512 + d & 1} == wanted


def decided(boxes: str, points: int, **sheet: Any) -> Fraction | None:
    """What the game is worth once so many points have gone into the sixes; None if it goes on."""
    game = CameroonWin(boxes=boxes, objective="win")
    board = game.locate(**sheet).board
    said = outcome(game, tuple(board.values()), ("sixes", points))
    return said.worth if said.following is None else None


@pytest.mark.parametrize(("points", "worth"), [(6, Fraction(0)), (12, Fraction(1, 2)), (18, Fraction(1))])
def test_the_last_score_wins_draws_or_loses(points: int, worth: Fraction) -> None:
    assert decided("sixes", points, theirs=("sixes",), difference=-12) == worth


@pytest.mark.parametrize(("points", "worth"), [(6, None), (12, None), (18, None), (24, Fraction(1))])
def test_a_difference_that_cannot_be_made_up_decides_the_game(points: int, worth: Fraction | None) -> None:
    # twelve behind; whoever scores the sixes leaves the other the twos, ten points at most
    assert decided("twos,sixes", points, theirs=("sixes",), difference=-12) == worth


def test_a_player_who_cannot_come_level_any_more_has_lost() -> None:
    assert decided("twos,sixes", 6, theirs=("sixes",), difference=-24) == 0
    assert decided("twos,sixes", 12, theirs=("sixes",), difference=-24) == 0
    assert decided("twos,sixes", 18, theirs=("sixes",), difference=-24) is None


@pytest.mark.parametrize("four", [False, True])
def test_no_undecided_difference_lies_off_the_boards(four: bool) -> None:
    game = CameroonWin(four, objective="win")
    leads = [9 * face for face in range(1, 7)] + [30, 20, 15, 28] + [24] * four
    assert game.furthest() == sum(leads) // 2


# --- questions --------------------------------------------------------------------------------------------------------


def test_a_question_without_fields_is_the_start() -> None:
    assert GAME.locate() == Position({"mine": 0, "theirs": 0, "specials": 0}, (3, ()))
    assert WIN.locate() == Position({"mine": 0, "theirs": 0, "specials": 0, "difference": 0}, (3, ()))


def test_a_question_may_stand_at_every_point_of_a_turn() -> None:
    states: dict[Any, dict[str, Any]] = {
        (3, ()): {},
        (2, (), (1, 2, 4, 4, 6)): {"roll": (1, 2, 4, 4, 6)},
        (2, (4, 4)): {"kept": (4, 4), "rolls_left": 2},
        (2, ()): {"rolls_left": 2},
        (1, (4, 4), (1, 2, 6)): {"kept": (4, 4), "roll": (1, 2, 6), "rolls_left": 1},
        (1, (), (1, 2, 4, 4, 6)): {"roll": (1, 2, 4, 4, 6), "rolls_left": 1},
        (1, (4, 4)): {"kept": (4, 4), "rolls_left": 1},
        (0, (1, 2, 4, 4, 6)): {"kept": (4, 4), "roll": (1, 2, 6), "rolls_left": 0},
        (0, (4, 4, 4, 4, 4)): {"kept": (4, 4, 4, 4, 4)},
    }
    graph = compile_turn(GAME)
    for state, fields in states.items():
        assert GAME.locate(**fields).state == state
        assert graph.node_of(state) is not None


def test_the_difference_is_part_of_the_value_or_of_the_board() -> None:
    assert GAME.locate(mine=("sixes",), difference=12).points == 12
    assert WIN.locate(mine=("sixes",), difference=12).board["difference"] == 12


def test_the_first_player_is_ahead_by_the_difference_and_the_other_behind() -> None:
    after = replay(WIN, {}, [((6, 6, 1, 2, 3), "score sixes")])
    assert told(WIN, after) == {**EMPTY, "theirs": ("sixes",), "difference": -12}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"mine": ("ones",), "closed": ("ones",)}, "'ones' is in mine and in closed"),
        ({"mine": ("ones",), "theirs": ("ones",)}, "'ones' is in mine and in theirs"),
        ({"mine": ("full house",)}, "mine has 'full house', which is closed to both once anybody has scored it"),
        ({"closed": BOXES[:-1]}, "every box is closed, the game is over"),
        ({"kept": (6, 6), "roll": (1, 2, 3, 4), "rolls_left": 1}, "kept and roll are 5 dice together, got 2 and 4"),
        ({"roll": (1, 2, 3, 4)}, "kept and roll are 5 dice together, got 0 and 4"),
        ({"kept": (6, 6)}, "with kept=6 6 say rolls_left"),
        ({"kept": (6, 6), "rolls_left": 0}, "rolls_left=0 needs roll, the 3 faces beside those kept"),
        ({"kept": (6, 6), "rolls_left": 3}, "no dice are set aside before the first throw"),
        ({"kept": (6, 6), "roll": (1, 2, 3), "rolls_left": 2}, "no dice are set aside before the first throw"),
        ({"roll": (1, 2, 3, 4, 5), "rolls_left": 3}, "after a throw up to 2 are left, got rolls_left=3"),
        ({"mine": ("sixes",), "difference": 13}, "difference=13 cannot come of the boxes that are filled"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(fields: dict[str, Any], said: str) -> None:
    for game in (GAME, WIN):
        with pytest.raises(StateError) as error:
            game.locate(**fields)
        assert said in str(error.value)
        assert "\n" not in str(error.value)


def test_dice_beside_some_that_are_set_aside_are_those_of_the_second_throw_until_it_is_said() -> None:
    fields: dict[str, Any] = {"kept": (6, 6), "roll": (1, 2, 3)}
    assert GAME.locate(**fields) == GAME.locate(**fields, rolls_left=1) != GAME.locate(**fields, rolls_left=0)


def test_with_must_keep_every_further_throw_needs_one_more_die_aside() -> None:
    for fields in ({"rolls_left": 2}, {"rolls_left": 1, "kept": (6,)}, {"rolls_left": 1, "roll": (1, 2, 3, 4, 5)}):
        GAME.locate(**fields)
        with pytest.raises(StateError, match="with must_keep=true and rolls_left="):
            MUST_KEEP.locate(**fields)


def test_a_decided_game_is_refused_with_the_reason() -> None:
    closed = tuple(box for box in BOXES[:-1] if box != "ones")
    assert WIN.locate(closed=closed, difference=5).board["difference"] == 5
    with pytest.raises(StateError, match="the other player is 6 points behind and can make 5 more at most"):
        WIN.locate(closed=closed, difference=6)
    with pytest.raises(StateError, match="the mover is 6 points behind"):
        WIN.locate(closed=closed, difference=-6)


def test_six_dice_are_refused() -> None:
    field = next(field for field in GAME.fields() if field.name == "roll")
    with pytest.raises(DiceError, match="needs 1 to 5 faces"):
        field.parse("1,2,3,4,5,6")


def test_four_of_a_kind_has_no_place_on_the_plain_sheet() -> None:
    closed = next(field for field in GAME.fields() if field.name == "closed")
    with pytest.raises(StateError, match="closed has no box 'four of a kind'"):
        closed.parse("four_of_a_kind")
    assert FOUR.locate(closed=("four of a kind",)).board["specials"] == 16


@pytest.mark.parametrize("boxes", ["four of a kind", "sevens", ""])
def test_boxes_that_are_not_on_the_sheet_are_refused(boxes: str) -> None:
    with pytest.raises(ParameterError, match="parameter boxes is all, or some of ones, twos"):
        Cameroon(boxes=boxes)


def test_the_objective_picks_the_class() -> None:
    assert type(Cameroon.of(objective="win")) is CameroonWin
    assert type(Cameroon.of()) is Cameroon


# --- rules of thumb ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "state", "move"),
    [
        ("largest-group", {"roll": (2, 2, 5, 5, 6)}, "keep 5 5"),
        ("largest-group", {"kept": (2, 2), "roll": (2, 5, 6), "rolls_left": 1}, "keep 2"),
        ("largest-group", {"roll": (2, 2, 5, 5, 5)}, "score full house"),
        ("largest-group", {"roll": (2, 2, 5, 5, 6), "rolls_left": 0}, "score fives"),
        ("straights-first", {"roll": (1, 2, 5, 5, 6)}, "keep 2 5 6"),
        ("straights-first", {"roll": (1, 2, 3, 4, 5)}, "score small straight"),
        ("straights-first", {"kept": (1, 2), "roll": (3, 3, 6), "rolls_left": 1}, "keep 3"),
        ("score-at-once", {"roll": (1, 2, 4, 4, 6)}, "score fours"),
        ("score-at-once", {"roll": (6, 6, 6, 6, 6)}, "score sixes"),
    ],
)
def test_a_rule_of_thumb_does_what_it_says(name: str, state: dict[str, Any], move: str) -> None:
    rule = policies("cameroon")[name].policy
    told_state = {**GAME.parameters(), **next(iter(GAME.describe(GAME.locate().board, GAME.locate(**state).state)))}
    assert rule(told_state, offered(GAME, **state)) == move


EMPTY = {"mine": (), "theirs": (), "closed": ()}
