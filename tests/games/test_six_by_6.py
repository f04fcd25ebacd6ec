"""Six By 6 by its rules: the sheet's examples and sample round, the one decision, and odds found in another way."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims import check, claims
from rollwise.games.six_by_6.rules import MAX_CARRY, SixBy6
from rollwise.games.six_by_6.scoring import DICE, RACK, RoundOdds, expected, full, on_credit, plain, special
from rollwise.games.six_by_6.variants import SixBy6Free
from rollwise.solver.markov_chains.independent import BoundedDistribution
from rollwise.solver.model.errors import ModelError
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.query import LOWER, UPPER, OneTurn
from tests.games.helping import made, played, plays_out, reads, rules, solved, thorough
from tests.games.six_by_6_by_hand import ROLLS, round_worth, scores
from tests.reference.walk import walk

FORCED, FREE = SixBy6(), SixBy6Free(posting="free")
SAMPLE = "121334 1, 246655 4, 4351 3, 6444 5, 236 5, 11 5, 65 5, 4 4, 2 3, 5 2, 3 1, 1 0"  # roll, carry after it
ROUND = ", ".join(step.split()[0] for step in SAMPLE.split(", "))


@rules(
    "carry, posted, play, score",
    {
        "a rack with one carry point": (0, 5, "6", 37),
        "a rack with twelve": (11, 5, "6", 48),
        "five posted and a five": (0, 5, "5", 35),
        "four posted and eight left": (0, 4, "35", 32),
        "a pair of fours would have gone on": (0, 4, "44", None),
        "and so would a six": (0, 4, "26", None),
        "two posted and ten left": (0, 2, "1234", 22),
        "the sample round": (0, 0, f"{ROUND}, 6", 37),
        "any other face would have been the end of it": (0, 0, f"{ROUND}, 5", 35),
        "the first roll is free": (0, 0, "112345", None),
        "a rack pays for no further roll": (0, 4, "66", 36 + 3),
        "whatever the carry is": (5, 4, "66", 36 + 5 + 3),
        "six alike are posted whole, as a multiple of sixes": (0, 0, "222222", 36 + 5 + 6),
        "so is one of each": (0, 0, "123456", 36 + 5 + 6),
        "so are six sixes": (0, 0, "666666", 36 + 5 + 6),
        "with five dice 1 to 5": (3, 1, "12345", 36 + 3 + 4 + 5),
        "like five sixes": (3, 1, "66666", 36 + 3 + 4 + 5),
    },
)
def test_a_round_goes_as_the_sheet_says(carry: int, posted: int, play: str, score: int | None) -> None:
    then = {"over": False} if score is None else {"over": True, "points": score}
    plays_out(FORCED, {"carry": carry, "posted": posted}, play, then)


def test_a_roll_that_earns_nothing_costs_a_carry_point_and_every_six_is_posted_and_not_rolled_again() -> None:
    plays_out(FORCED, {"carry": 2, "posted": 3}, "135", {"posted": 3, "carry": 1, "over": False})
    with pytest.raises(ModelError, match="does not throw 6 dice here"):
        played(FORCED, {}, "112266, 112266")


@pytest.mark.parametrize("posted", range(DICE))
def test_rolls_do_what_they_do_by_hand(posted: int) -> None:
    """Nor can anybody run out before two dice are posted: every roll earns the point that pays for the next one."""
    found: Counter[Any] = Counter()
    for faces in product(range(1, 7), repeat=DICE - posted):
        (new, earned, left), whole = plain(faces), special(tuple(sorted(faces)))
        found[new, earned, left, whole and whole[1]] += 1
        assert earned or whole or posted > 1
    by_hand: Counter[Any] = Counter()
    for (sixes, earned, left, whole_earns), ways in ROLLS[posted].items():
        by_hand[sixes, earned, 0 if earned else left, whole_earns] += ways
    assert found == by_hand


# --- free posting ----------------------------------------------------------------------------------------------------


@rules(
    "question, play, then",
    {
        "six alike leave a choice": ({"carry": 1}, "444444", {"moves": ["post", "go on"]}),
        "so does one of each": ({"carry": 1}, "123456", {"moves": ["post", "go on"]}),
        "so does 1 to 5": ({"carry": 1, "posted": 1}, "12345", {"moves": ["post", "go on"]}),
        "no other roll does": ({"carry": 1, "posted": 3}, "112", {"moves": ["go on"]}),
        "nor if it posts some": ({"carry": 1, "posted": 3}, "166", {"moves": ["go on"]}),
        "nor if it posts all": ({"carry": 1, "posted": 3}, "666", {"moves": ["post"]}),
        "posting pays as if forced": ({"carry": 2, "posted": 1}, "12345: post", {"points": 36 + 2 + 9, "over": True}),
        "with six dice too": ({"carry": 2}, "555555: post", {"points": 36 + 2 + 11, "over": True}),
        "declining six alike keeps the multiple": ({"carry": 2}, "555555: go on", {"posted": 0, "carry": 2 + 5 - 1}),
        "declining 1 to 6 still posts the six": ({"carry": 2}, "123456: go on", {"posted": 1, "carry": 2}),
        "declining 1 to 5 earns nothing": ({"carry": 2, "posted": 1}, "12345: go on", {"posted": 1, "carry": 1}),
        "and without carry ends the round": ({"posted": 1}, "12345: go on", {"points": 6 + 15, "over": True}),
    },
)
def test_whoever_may_decline_has_these_moves(question: dict[str, int], play: str, then: dict[str, Any]) -> None:
    plays_out(FREE, question, play, then)


def test_posting_is_always_better_than_going_on() -> None:
    """For carries up to 199 by certified values; from there on by the bounds, which only come closer."""
    graph, _ = solved(FREE)
    for carry in (*range(6), *range(9, MAX_CARRY + 1, 40)):
        for posted, dice in [(0, (2,) * 6), (0, (1, 2, 3, 4, 5, 6)), (1, (1, 2, 3, 4, 5))]:
            turn = OneTurn(FREE, graph, {"posted": posted, "carry": carry}, reads(FREE))
            worth = dict(turn.moves((posted, dice)))
            assert worth["post"][LOWER] > worth["go on"][UPPER] + 6
    most_credit = [expected(posted, MAX_CARRY)[1] for posted in range(DICE)]
    assert 5 - 1 + most_credit[0] + 6 < RACK + 11
    assert 1 - 1 + most_credit[1] + 6 < RACK + 11
    assert -1 + most_credit[1] + 6 < RACK + 9


# --- what is past the cut --------------------------------------------------------------------------------------------


def test_on_credit_posting_is_best_and_one_die_needs_six_rolls() -> None:
    """No special roll is worth more when play goes on: the condition under which the bounds hold for free posting."""
    for dice in ((2,) * 6, (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5)):
        new, earned, _ = plain(dice)
        assert full(dice)[1] > earned - 1 + on_credit(DICE - len(dice) + new)
    assert on_credit(5) == 1 - 5  # a point is earned, five are owed
    assert -RACK < min(map(on_credit, range(DICE))) <= max(map(on_credit, range(DICE))) < 1


@cache
def by_hand(posting: str, limit: int = 0) -> Any:
    """Mean scores by posted and carry."""
    return round_worth(lambda score: score * 1.0, forced=posting == "forced", **({"cap": limit} if limit else {}))


@pytest.mark.parametrize("posting", ["forced", "free"])
def test_bounds_hold_what_was_found_in_another_way_and_come_close(posting: str) -> None:
    for carry, posted in product((0, 1, 10, 40), range(DICE)):
        lower, upper = expected(posted, carry)
        assert lower - 1e-9 <= by_hand(posting)[posted][carry] - carry <= upper + 1e-9
    lower, upper = expected(0, MAX_CARRY + 1)
    assert upper - lower < Fraction(1, 10**13)
    for forced, free in zip(by_hand("forced"), by_hand("free"), strict=True):  # both ways are worth the same
        assert free[1:] == pytest.approx(forced[1:], abs=1e-9)  # without carry a board may be one that nobody comes to


@pytest.mark.parametrize(("posting", "limit"), [("forced", 1), ("free", 4), *thorough(("free", 0))])
def test_values_agree_with_those_by_hand_on_every_board(posting: str, limit: int) -> None:
    game = made("six-by-6", posting=posting, limit=limit)
    _, found = solved(game)
    assert 2 * np.nanmax(found.radius) < 1e-9
    columns = game.boards().columns(np.arange(game.boards().size))
    asked = game.possible(columns) & (columns.carry <= (limit or 40))
    slow = np.array(by_hand(posting, limit))[columns.posted[asked], columns.carry[asked]] - columns.carry[asked]
    assert found.values[asked] == pytest.approx(slow, abs=1e-9)


# --- odds ------------------------------------------------------------------------------------------------------------


@cache
def turn() -> Any:
    return compile_turn(FORCED)


def odds(**state: Any) -> RoundOdds:
    FORCED.locate(**state)
    return FORCED.odds(turn(), **state)


@pytest.mark.parametrize("state", [{"carry": 7, "posted": 2}, {"carry": 3, "posted": 4}, *thorough({})])
def test_every_score_is_as_likely_as_roll_by_roll(state: dict[str, int]) -> None:
    found = odds(**state)
    slow, length = scores(**state)
    for score in slow.keys() | found.score.certain.keys():
        assert float(found.score.certain.get(score, 0)) == pytest.approx(slow.get(score, 0.0), abs=1e-13)
    assert float(found.rolls[0]) == pytest.approx(length, abs=1e-11)
    assert float(found.mean_score[0]) == pytest.approx(sum(score * p for score, p in slow.items()), abs=1e-10)


def test_chances_of_scores_make_a_whole_from_22_up() -> None:
    found = odds()
    assert sum(found.score.certain.values()) + found.score.open == 1
    assert 0 < found.score.open < Fraction(1, 10**25)
    lower, upper = found.mean_score
    assert lower < upper < lower + Fraction(1, 10**30)
    of_scores = sum(score * chance for score, chance in found.score.certain.items())
    assert of_scores < upper < of_scores + Fraction(1, 10**24)
    # With two posted and no carry each four different faces are as likely; 360 of 6 ** 4 rolls change nothing.
    made = sorted(odds().score.certain)
    assert (made[0], 36 in made) == (22, False)
    assert {*range(22, 36), *range(37, 80)} <= set(made)
    late = odds(posted=2).score.certain
    assert late[22] == late[23] > Fraction(24, 6**4 - 360)


@pytest.mark.parametrize("carry", [0, 1, 5])
def test_the_last_die_by_hand(carry: int) -> None:
    """A six at the n-th roll racks with carry - n + 2; after carry + 1 rolls without, each other face is as likely."""
    found = odds(carry=carry, posted=5)
    missed = Fraction(5, 6) ** (carry + 1)
    racks = {36 + carry + 2 - n: Fraction(5, 6) ** (n - 1) / 6 for n in range(1, carry + 2)}
    assert found.score.certain == racks | {30 + face: missed / 5 for face in range(1, 6)}
    assert found.score.open == 0
    assert found.rolls == (6 * (1 - missed),) * 2


def test_a_roll_on_the_table_is_played_first() -> None:
    assert odds(carry=2, posted=1, roll=(1, 1, 2, 3, 6)) == odds(carry=2 + 2 - 1, posted=2)
    sure, over = (BoundedDistribution({number: Fraction(1)}, Fraction(0)) for number in (47, 0))
    racked = RoundOdds((Fraction(47),) * 2, (Fraction(0),) * 2, sure, over)
    assert odds(carry=2, posted=1, roll=(1, 2, 3, 4, 5)) == racked  # nothing is left to chance


@pytest.mark.slow
def test_a_large_carry_is_worth_itself_and_what_credit_brings() -> None:
    lower, upper = odds(carry=MAX_CARRY).mean_score
    assert lower <= upper < lower + Fraction(1, 10**12)
    assert abs(lower - (RACK + MAX_CARRY + on_credit(0))) < Fraction(1, 10**12)


# --- questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [FORCED, FREE], ids=str)
def test_the_boards_that_can_be_are_those_that_play_reaches_and_nobody_asks_about_bounded_ones(game: SixBy6) -> None:
    report = walk(game)
    assert report.n_boards == report.n_reachable
    assert list(game.describe({"posted": 2, "carry": game.far}, (2, None, True))) == []


# --- claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "least"), [*thorough(("score-of-22", 22), ("carry-over-20", 57))])
def test_odds_of_the_sheet_are_those_roll_by_roll(name: str, least: int) -> None:
    (claim,) = [claim for claim in claims("six-by-6") if claim.id == f"six-by-6/{name}"]
    slow, _ = scores()
    wanted = slow[22] if least == 22 else sum(chance for score, chance in slow.items() if score >= least)
    assert float(check(claim).decimal or 0) == pytest.approx(wanted)
