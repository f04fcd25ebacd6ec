"""Six By 6 by its rules: the sheet's examples and sample round, the one decision, and odds found in another way."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import icepool
import numpy as np
import pytest
from numpy.typing import NDArray

import rollwise
from rollwise.games.claims import check, claims
from rollwise.games.claims.replay import moves, replay
from rollwise.games.six_by_6 import SixBy6
from rollwise.games.six_by_6_round import (
    DICE,
    MOST_CARRY,
    RACK,
    Odds,
    SixBy6Free,
    expected,
    full,
    on_credit,
    plain,
    special,
)
from rollwise.solver.boards.sweep import BoardSolver, BoardValues
from rollwise.solver.chains.independent import Spread
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.game.errors import DiceError, ModelError, ParameterError, StateError
from rollwise.solver.game.model import Chance, Position, TurnGame
from rollwise.solver.reference.walk import walk
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.query import LOWER, UPPER, OneTurn

Faces = tuple[int, ...]
SAMPLE: list[tuple[Faces, int]] = [
    ((1, 2, 1, 3, 3, 4), 1),
    ((2, 4, 6, 6, 5, 5), 4),
    ((4, 3, 5, 1), 3),
    ((6, 4, 4, 4), 5),
    ((2, 3, 6), 5),
    ((1, 1), 5),
    ((6, 5), 5),
    ((4,), 4),
    ((2,), 3),
    ((5,), 2),
    ((3,), 1),
    ((1,), 0),
]  # roll, carry after it; then a six


def ends(carry: int, posted: int, *rolls: Faces) -> int | None:
    """The score of a round, None where it goes on."""
    played = replay(SixBy6(), {"carry": carry, "posted": posted}, [(dice, None) for dice in rolls])
    return int(played.points) if played.over else None


# --- the sheet's examples ------------------------------------------------------------------------------------------


def test_a_rack_with_one_carry_point_scores_37() -> None:
    assert ends(0, 5, (6,)) == 37


def test_a_rack_with_twelve_carry_points_scores_48() -> None:
    assert ends(11, 5, (6,)) == 48


def test_five_posted_and_a_five_score_35() -> None:
    assert ends(0, 5, (5,)) == 35


def test_four_posted_and_eight_left_score_32() -> None:
    assert ends(0, 4, (3, 5)) == 32


def test_a_pair_of_fours_or_a_six_would_have_gone_on() -> None:
    assert ends(0, 4, (4, 4)) is None
    assert ends(0, 4, (2, 6)) is None


def test_two_posted_and_ten_left_score_22() -> None:
    assert ends(0, 2, (1, 2, 3, 4)) == 22


def test_the_sample_round_goes_as_the_sheet_says() -> None:
    for count, (_, carry) in enumerate(SAMPLE, start=1):
        played = replay(SixBy6(), {}, [(dice, None) for dice, _ in SAMPLE[:count]])
        assert not played.over
        assert played.board["carry"] == played.points == carry
    whole = [dice for dice, _ in SAMPLE] + [(6,)]
    assert ends(0, 0, *whole) == 37
    assert ends(0, 0, *whole[:-1], (5,)) == 35  # any other face would have been the end of it


# --- the rules, one by one -----------------------------------------------------------------------------------------


def test_the_first_roll_is_free() -> None:
    assert SixBy6().locate() == Position({"posted": 0, "carry": 0}, (0,))
    assert ends(0, 0, (1, 1, 2, 3, 4, 5)) is None  # one point, which pays for the second


@pytest.mark.parametrize(("count", "points"), [(2, 1), (3, 2), (4, 3), (5, 4), (6, 5)])
def test_a_multiple_earns_one_point_less_than_its_dice(count: int, points: int) -> None:
    assert plain((3,) * count) == (0, points, 0)


def test_several_multiples_add_up() -> None:
    assert plain((1, 1, 2, 2, 3, 3))[1] == 3
    assert plain((1, 1, 1, 2, 2, 2))[1] == 4


def test_posted_dice_earn_a_point_each_and_count_as_a_multiple_too() -> None:
    assert plain((1, 2, 3, 4, 5, 6)[1:]) == (1, 1, 0)
    assert plain((1, 2, 6, 6, 6, 6)) == (4, 7, 0)
    assert full((6, 6, 6, 6, 6, 6)) == plain((6, 6, 6, 6, 6, 6)) == (6, 11, 0)


def test_every_six_is_posted_and_not_rolled_again() -> None:
    with pytest.raises(ModelError, match="does not throw 6 dice here"):
        replay(SixBy6(), {}, [((1, 1, 2, 2, 6, 6), None), ((1, 1, 2, 2, 6, 6), None)])


def test_a_rack_pays_for_no_further_roll() -> None:
    assert [ends(carry, 4, (6, 6)) for carry in (0, 5)] == [36 + 3, 36 + 5 + 3]


def test_a_roll_that_earns_nothing_costs_a_carry_point() -> None:
    played = replay(SixBy6(), {"carry": 2, "posted": 3}, [((1, 3, 5), None)])
    assert (played.board, played.over) == ({"posted": 3, "carry": 1}, False)


def test_only_the_sheets_special_rolls_may_be_posted_whole() -> None:
    found = {
        faces
        for dice in range(1, DICE + 1)
        for faces in product(range(1, 7), repeat=dice)
        if special(tuple(sorted(faces)))
    }
    assert {tuple(sorted(faces)) for faces in found} == {
        *((face,) * 6 for face in range(1, 7)),
        (1, 2, 3, 4, 5, 6),
        (1, 2, 3, 4, 5),
    }


def test_posting_whole_counts_as_a_multiple_of_sixes() -> None:
    assert ends(0, 0, (2, 2, 2, 2, 2, 2)) == ends(0, 0, (1, 2, 3, 4, 5, 6)) == ends(0, 0, (6,) * 6) == 36 + 5 + 6
    assert ends(3, 1, (1, 2, 3, 4, 5)) == ends(3, 1, (6,) * 5) == 36 + 3 + 4 + 5


def test_one_to_five_is_nothing_special_with_six_dice() -> None:
    assert full((1, 1, 2, 3, 4, 5)) == (0, 1, 0)


@pytest.mark.parametrize("posted", range(2))
def test_nobody_can_run_out_before_two_dice_are_posted(posted: int) -> None:
    """Every roll of five or six dice earns at least the point that pays for the next one."""
    for faces in product(range(1, 7), repeat=DICE - posted):
        _, earned, _ = full(tuple(sorted(faces)))
        assert earned >= 1


def test_one_throw_earns_as_icepool_says() -> None:
    """Pairs and triples of six dice: one point for each die that repeats a face, one for each six."""
    die = icepool.d6.pool(6)

    class Earned(icepool.MultisetEvaluator):  # type: ignore[misc]
        def next_state(self, state: int | None, order: object, outcome: int, count: int) -> int:
            return (state or 0) + max(count - 1, 0) + (count if outcome == 6 else 0)

    by_points = Counter(plain(tuple(sorted(faces)))[1] for faces in product(range(1, 7), repeat=6))
    pooled = Earned().evaluate(die)
    assert by_points == {points: pooled.quantity(points) for points in pooled.outcomes()}


# --- free posting --------------------------------------------------------------------------------------------------


def free(carry: int, posted: int, *steps: tuple[Faces, str]) -> tuple[dict[str, int], int | None]:
    played = replay(SixBy6.of(posting="free"), {"carry": carry, "posted": posted}, list(steps))  # type: ignore[arg-type]
    return dict(played.board), int(played.points) if played.over else None


def test_a_special_roll_leaves_a_choice() -> None:
    game = SixBy6.of(posting="free")
    assert isinstance(game, TurnGame)
    for dice in ((4, 4, 4, 4, 4, 4), (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5)):
        found = replay(game, {"carry": 1, "posted": 6 - len(dice)}, [(dice, None)])
        assert moves(game, found) == ["post", "go on"]


@pytest.mark.parametrize(("dice", "move"), [((1, 1, 2), "go on"), ((1, 6, 6), "go on"), ((6, 6, 6), "post")])
def test_any_other_roll_leaves_one_thing_to_do(dice: Faces, move: str) -> None:
    game = SixBy6.of(posting="free")
    assert isinstance(game, TurnGame)
    assert moves(game, replay(game, {"carry": 1, "posted": 3}, [(dice, None)])) == [move]


def test_posting_is_worth_what_it_is_when_forced() -> None:
    assert free(2, 1, ((1, 2, 3, 4, 5), "post"))[1] == 36 + 2 + 9
    assert free(2, 0, ((5, 5, 5, 5, 5, 5), "post"))[1] == 36 + 2 + 11


def test_declining_six_alike_keeps_the_multiple() -> None:
    assert free(2, 0, ((5, 5, 5, 5, 5, 5), "go on")) == ({"posted": 0, "carry": 2 + 5 - 1}, None)


def test_declining_one_to_six_still_posts_the_six() -> None:
    assert free(2, 0, ((1, 2, 3, 4, 5, 6), "go on")) == ({"posted": 1, "carry": 2}, None)


def test_declining_one_to_five_earns_nothing() -> None:
    assert free(2, 1, ((1, 2, 3, 4, 5), "go on")) == ({"posted": 1, "carry": 1}, None)


def test_declining_one_to_five_without_carry_ends_the_round() -> None:
    assert free(0, 1, ((1, 2, 3, 4, 5), "go on"))[1] == 6 + 15


@cache
def solved(posting: str) -> tuple[TurnGame, TurnGraph, BoardValues]:
    game = SixBy6.of(posting=posting)
    assert isinstance(game, TurnGame)
    graph = compile_turn(game)
    return game, graph, BoardSolver(game, graph, compiled=False).solve()


def test_posting_is_always_better_than_going_on() -> None:
    """For carries up to 199 by certified values; from there on by the bounds, which only come closer."""
    game, graph, found = solved("free")
    for carry in range(MOST_CARRY + 1):
        for posted, dice in [(0, (2,) * 6), (0, (1, 2, 3, 4, 5, 6)), (1, (1, 2, 3, 4, 5))]:
            board = {"posted": posted, "carry": carry}
            turn = OneTurn(game, graph, board, lambda index: (found.values[index], found.radius[index].astype(float)))
            worth = dict(turn.moves((posted, dice)))
            assert worth["post"][LOWER] > worth["go on"][UPPER] + 6
    most_credit = [expected(posted, MOST_CARRY)[1] for posted in range(DICE)]
    assert 5 - 1 + most_credit[0] + 6 < RACK + 11
    assert 1 - 1 + most_credit[1] + 6 < RACK + 11
    assert -1 + most_credit[1] + 6 < RACK + 9


def test_so_both_ways_of_posting_are_worth_the_same() -> None:
    forced, free_ = (solved(posting) for posting in ("forced", "free"))
    for posted, carry in product(range(DICE), range(1, MOST_CARRY)):
        values = [
            (found.values[index], found.radius[index])
            for game, _, found in (forced, free_)
            for index in [game.boards().index_of(posted=posted, carry=carry)]
        ]
        assert abs(values[0][0] - values[1][0]) <= values[0][1] + values[1][1]


# --- what is past the cut ------------------------------------------------------------------------------------------


def test_on_credit_posting_is_best() -> None:
    """No special roll is worth more when play goes on: the condition under which the bounds hold for free posting."""
    for dice in ((2,) * 6, (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5)):
        posted = DICE - len(dice)
        new, earned, _ = plain(dice)
        assert full(dice)[1] > earned - 1 + on_credit(posted + new)


def test_on_credit_by_hand() -> None:
    """One die needs six rolls in the mean: a point is earned, five are owed."""
    assert on_credit(5) == 1 - 5
    assert min(map(on_credit, range(DICE))) > -RACK
    assert max(map(on_credit, range(DICE))) < 1


@pytest.mark.parametrize("carry", [0, 1, 10, 40, 120])
def test_bounds_hold_what_was_found_in_another_way(carry: int) -> None:
    for posting, posted in product(("forced", "free"), range(DICE)):
        lower, upper = expected(posted, carry)
        assert lower - 1e-9 <= slow_values(posting)[posted][carry] - carry <= upper + 1e-9


def test_bounds_come_close() -> None:
    lower, upper = expected(0, MOST_CARRY + 1)
    assert upper - lower < Fraction(1, 10**13)


@pytest.mark.parametrize("posting", ["forced", "free"])
def test_every_value_is_certified_to_a_billionth(posting: str) -> None:
    _, _, found = solved(posting)
    assert 2 * np.nanmax(found.radius) < 1e-9


# --- found in another way ------------------------------------------------------------------------------------------
# Plain rolls of ordered dice, posted and carry as in the rules; the carry is cut at CAP, where nearly nobody comes.

CAP = 320


def rolls(dice: int) -> dict[tuple[int, int, int, int | None], int]:
    """How many rolls give (sixes, carry earned, sum of the others, carry earned if posted whole or None)."""
    found: dict[tuple[int, int, int, int | None], int] = defaultdict(int)
    for faces in product(range(1, 7), repeat=dice):
        counts = Counter(faces)
        earned = sum(n - 1 for n in counts.values()) + counts[6]
        whole = (len(counts) in (1, 6) and dice == 6) or (len(counts) == 5 and not counts[6] and dice == 5)
        left = sum(face for face in faces if face != 6)
        found[counts[6], earned, left, 2 * dice - 1 if whole else None] += 1
    return found


ROLLS = [rolls(DICE - posted) for posted in range(DICE)]


@cache
def slow_values(posting: str) -> list[NDArray[Any]]:
    """Expected scores by posted and carry, by sweeps until nothing moves."""
    carries = np.arange(CAP + 1)
    values = [carries + 36.0 for _ in range(DICE)]
    for posted in reversed(range(DICE)):
        for _ in range(2000):
            found = np.zeros(CAP + 1)
            for (sixes, earned, left, whole), ways in ROLLS[posted].items():
                after = carries + earned - 1
                if posted + sixes == DICE:
                    worth = 36.0 + carries + earned
                else:
                    on = values[posted + sixes][np.clip(after, 0, CAP)] + np.maximum(after - CAP, 0)
                    worth = np.where(after < 0, 6 * (posted + sixes) + left, on)
                if whole is not None:
                    post = 36.0 + carries + whole
                    worth = post if posting == "forced" else np.maximum(post, worth)
                found += ways * worth
            moved = np.max(np.abs(found / 6 ** (DICE - posted) - values[posted]))
            values[posted] = found / 6 ** (DICE - posted)
            if moved < 1e-14:
                break
    return values


@pytest.mark.parametrize("posting", ["forced", "free"])
def test_values_agree_with_the_slow_ones_on_every_board(posting: str) -> None:
    game, _, found = solved(posting)
    for index in range(game.boards().size):
        board = game.boards().board(index)
        if not np.isnan(found.values[index]) and board["carry"] <= MOST_CARRY:
            slow = slow_values(posting)[board["posted"]][board["carry"]] - board["carry"]
            assert found.values[index] == pytest.approx(slow, abs=1e-9)


def slow_round(carry: int, posted: int) -> tuple[dict[int, float], float]:
    """The chance of each score and the mean number of rolls, roll by roll in floats."""
    now = {(posted, carry): 1.0}
    scores: dict[int, float] = defaultdict(float)
    length = 0.0
    while sum(now.values()) > 1e-15:
        length += sum(now.values())
        following: dict[tuple[int, int], float] = defaultdict(float)
        for (out, held), chance in now.items():
            for (sixes, earned, left, whole), ways in ROLLS[out].items():
                p = chance * ways / 6 ** (DICE - out)
                if whole is not None:
                    scores[36 + held + whole] += p
                elif out + sixes == DICE:
                    scores[36 + held + earned] += p
                elif held + earned == 0:
                    scores[6 * (out + sixes) + left] += p
                elif p > 1e-22:
                    following[out + sixes, held + earned - 1] += p
        now = following
    return scores, length


def odds(**state: object) -> Odds:
    return _odds(tuple(state.items()))


@cache
def _odds(fields: tuple[tuple[str, object], ...]) -> Odds:
    state = dict(fields)
    game, graph, _ = solved("forced")
    assert isinstance(game, SixBy6)
    game.locate(**state)  # type: ignore[arg-type]
    return game.odds(graph, **state)  # type: ignore[arg-type]


@pytest.mark.parametrize("state", [{}, {"carry": 7, "posted": 2}, {"carry": 3, "posted": 4}])
def test_every_score_is_as_likely_as_roll_by_roll(state: dict[str, int]) -> None:
    found = odds(**state)
    scores, length = slow_round(state.get("carry", 0), state.get("posted", 0))
    for score in scores.keys() | found.score.certain.keys():
        assert float(found.score.certain.get(score, 0)) == pytest.approx(scores.get(score, 0.0), abs=1e-13)
    assert float(found.rolls[0]) == pytest.approx(length, abs=1e-11)
    mean = sum(score * chance for score, chance in scores.items())
    assert float(found.mean_score[0]) == pytest.approx(mean, abs=1e-10)


def limited_in_fractions(limit: int) -> dict[tuple[int, int], Fraction]:
    """Expected scores with forced posting where no more than ``limit`` is kept: Gauss's method, posted by posted."""
    known: dict[tuple[int, int], Fraction] = {}
    for posted in reversed(range(DICE)):
        carries = range(limit + 1)
        rows = [[Fraction(int(i == j)) for j in carries] + [Fraction(0)] for i in carries]
        for carry in carries:
            for (sixes, earned, left, whole), ways in ROLLS[posted].items():
                p = Fraction(ways, 6 ** (DICE - posted))
                after = min(carry + earned - 1, limit)
                if whole is not None or posted + sixes == DICE:
                    rows[carry][-1] += p * (36 + carry + (whole or earned))
                elif after < 0:
                    rows[carry][-1] += p * (6 * (posted + sixes) + left)
                elif sixes:
                    rows[carry][-1] += p * known[posted + sixes, after]
                else:
                    rows[carry][after] -= p
        for i in carries:
            rows[i] = [number / rows[i][i] for number in rows[i]]
            for j in carries:
                if j != i:
                    rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
        known |= {(posted, carry): rows[carry][-1] for carry in carries}
    return known


@pytest.mark.parametrize("limit", [1, 4])
def test_with_a_limited_carry_fractions_agree(limit: int) -> None:
    game = SixBy6(limit=limit)
    exact = solve_exact(game, compile_turn(game))
    slow = limited_in_fractions(limit)
    for index, value in exact.values.items():
        board = game.boards().board(index)
        assert value + board["carry"] == slow[board["posted"], board["carry"]]


# --- odds ----------------------------------------------------------------------------------------------------------


def test_chances_of_scores_and_what_is_not_followed_make_a_whole() -> None:
    found = odds()
    assert sum(found.score.certain.values()) + found.score.open == 1
    assert 0 < found.score.open < Fraction(1, 10**25)


def test_the_mean_score_is_known_to_thirty_digits() -> None:
    lower, upper = odds().mean_score
    assert lower < upper < lower + Fraction(1, 10**30)
    of_scores = sum(score * chance for score, chance in odds().score.certain.items())
    assert of_scores < upper < of_scores + Fraction(1, 10**24)


@pytest.mark.parametrize("carry", [0, 1, 5])
def test_the_last_die_by_hand(carry: int) -> None:
    """A six at the n-th roll racks with carry - n + 2; after carry + 1 rolls without, each other face is as likely."""
    found = odds(carry=carry, posted=5)
    missed = Fraction(5, 6) ** (carry + 1)
    expected_scores = {36 + carry + 2 - n: Fraction(5, 6) ** (n - 1) / 6 for n in range(1, carry + 2)}
    expected_scores |= {30 + face: missed / 5 for face in range(1, 6)}
    assert found.score.certain == expected_scores
    assert found.score.open == 0
    assert found.rolls == (6 * (1 - missed),) * 2


def test_with_two_posted_and_no_carry_each_four_different_faces_are_as_likely() -> None:
    """Of 6 ** 4 rolls 24 show 1 to 4 and score 22; 360 show one pair and no six, and all is as before."""
    found = odds(posted=2).score.certain
    assert found[22] == found[23] > Fraction(24, 6**4 - 360)


def test_scores_from_22_to_35_and_from_37_up() -> None:
    scores = sorted(odds().score.certain)
    assert scores[0] == 22
    assert 36 not in scores
    assert {*range(22, 36), *range(37, 80)} <= set(scores)


def test_a_roll_on_the_table_is_played_first() -> None:
    assert odds(carry=2, posted=1, roll=(1, 1, 2, 3, 6)) == odds(carry=2 + 2 - 1, posted=2)


def test_a_roll_that_racks_leaves_nothing_to_chance() -> None:
    found = odds(carry=2, posted=1, roll=(1, 2, 3, 4, 5))
    sure, over = (Spread({number: Fraction(1)}, Fraction(0)) for number in (47, 0))
    assert found == Odds((Fraction(47),) * 2, (Fraction(0),) * 2, sure, over)


def test_a_large_carry_is_worth_itself_and_what_credit_brings() -> None:
    lower, upper = odds(carry=MOST_CARRY).mean_score
    assert lower <= upper < lower + Fraction(1, 10**12)
    assert abs(lower - (RACK + MOST_CARRY + on_credit(0))) < Fraction(1, 10**12)


# --- questions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("posting", ["forced", "free"])
def test_the_boards_that_can_be_are_those_that_play_reaches(posting: str) -> None:
    report = walk(solved(posting)[0])
    assert report.n_boards == report.n_reachable


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"posted": 1, "roll": (1, 2, 3, 4, 5)}, "posted=1 with carry=0 cannot be"),
        ({"posted": 2, "roll": (1, 2, 3, 4)}, "roll 1 2 3 4 earns nothing .* the round is over with 22 points"),
        ({"posted": 5, "roll": (5,)}, "the round is over with 35 points"),
    ],
)
def test_a_state_that_cannot_be_is_refused_in_one_line(state: dict[str, object], message: str) -> None:
    with pytest.raises(StateError, match=message) as refused:
        SixBy6().locate(**state)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


def test_a_roll_of_the_wrong_number_of_dice_is_refused() -> None:
    with pytest.raises(DiceError, match="roll needs 5 faces with posted=1, got 4: 1 2 3 4"):
        SixBy6().locate(carry=2, posted=1, roll=(1, 2, 3, 4))


@pytest.mark.parametrize("fields", [{"carry": 200}, {"carry": -1}, {"posted": 6}])
def test_numbers_that_cannot_be_are_refused(fields: dict[str, int]) -> None:
    with pytest.raises(StateError, match=f"{next(iter(fields))} is from 0 to"):
        rollwise.ask("six-by-6", **fields)  # type: ignore[arg-type]


def test_one_die_posted_without_carry_can_only_be_with_free_posting() -> None:
    assert SixBy6Free(posting="free").locate(posted=1).board == {"posted": 1, "carry": 0}


def test_posting_is_forced_or_free() -> None:
    with pytest.raises(ParameterError, match="posting is one of forced, free, got never"):
        SixBy6.of(posting="never")


def asked_states() -> Iterator[tuple[int, tuple[object, ...]]]:
    game = SixBy6.of(posting="free")
    assert isinstance(game, TurnGame)
    for posted in range(DICE):
        word = game.turn(posted)
        assert isinstance(word, Chance)
        yield posted, (posted,)
        for _, after in word.outcomes:
            yield posted, after.state  # type: ignore[union-attr]


def test_describe_is_the_inverse_of_locate() -> None:
    game = SixBy6.of(posting="free")
    assert isinstance(game, TurnGame)
    described = 0
    for posted, state in asked_states():
        for fields in game.describe({"posted": posted, "carry": 3}, state):
            described += 1
            texts = {field.name: field.show(fields[field.name]) for field in game.fields() if field.name in fields}
            parsed = {field.name: field.parse(texts[field.name]) for field in game.fields() if field.name in texts}
            assert game.locate(**parsed) == Position({"posted": posted, "carry": 3}, state, 3)
    assert described == DICE + 7  # before each roll, and the seven rolls that leave a choice


@pytest.mark.parametrize("posting", ["forced", "free"])
def test_nobody_asks_about_carries_that_are_only_bounded(posting: str) -> None:
    game, _, _ = solved(posting)
    far = game.boards().ranges["carry"].stop - 1
    assert list(game.describe({"posted": 2, "carry": far}, (2, None, True))) == []


# --- claims --------------------------------------------------------------------------------------------------------


def test_what_the_sheet_says_is_so_but_for_what_hangs_on_the_word_may() -> None:
    verdicts = {claim.id: check(claim).verdict for claim in claims("six-by-6")}
    on_posting = {"six-by-6/fewest-posted", "six-by-6/lowest-score", "six-by-6/no-strategy"}
    assert {claim for claim, verdict in verdicts.items() if verdict == "depends"} == on_posting
    assert set(verdicts.values()) == {"confirmed", "depends"}


def test_the_chances_of_the_ledger() -> None:
    exact = {claim.id: check(claim).decimal for claim in claims("six-by-6")}
    scores, _ = slow_round(0, 0)
    assert float(exact["six-by-6/score-of-22"] or 0) == pytest.approx(scores[22])
    over = sum(chance for score, chance in scores.items() if score > 56)
    assert float(exact["six-by-6/carry-over-20"] or 0) == pytest.approx(over)
