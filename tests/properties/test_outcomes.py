"""What a move leads to: chances are 1 together, values add up, and every state that follows says the same of itself."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from rollwise.answer import Advice
from rollwise.asking import answer
from rollwise.counted import counted
from rollwise.door import the_fields, the_game
from rollwise.foreseeing import Outcomes, Row, outcomes, what_follows
from rollwise.solver.game.fields import FAR
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.two_seats import is_duel
from rollwise.solver.kinds.kind import Wanted
from rollwise.spelling import spelled
from tests.sizes import FOLLOW, Size, cases

GAMES = 2  # played with random moves
QUESTIONS = 10  # of each
ROWS = 2  # of each move that are asked again
ALONE = 2  # questions of a game of luck that is worked out whenever it is asked
THROW = 1  # a turn that counts

# What a move may earn that the next question cannot say, by game: everywhere else a question says all.
GAINS: dict[str, tuple[str, set[int]]] = {
    "sixzee": ("no box holds the hundreds for further sixzees", {0, 100}),
    "yahtzee": ("no box holds the hundreds for further yahtzees", {0, 100}),
    "killer": ("no field says who is ahead by how much", set(range(-60, 61))),
    "zilch players=1": ("the turn that is over is no longer to come", {0, THROW}),
    "ten-thousand players=1": ("the turn that is over is no longer to come", {0, THROW}),
}


def ask(made: TurnGame, state: dict[str, Any]) -> Advice:
    return answer(made, state, made.locate(**state), Wanted())


def follow(made: TurnGame, state: dict[str, Any], move: str | None) -> Outcomes:
    return what_follows(made, state, made.locate(**state), move)


def shares_of(made: TurnGame, told: Any) -> list[float]:
    """What a quantity says of every seat; of a team, what each side has."""
    if made.team:
        return [told if seat in made.team else 1 - told for seat in range(4)]
    return told if isinstance(told, list) else [told]


def require_sums(made: TurnGame, advice: Advice, found: Outcomes) -> None:
    """Chances are 1 together; chance times value is the value of the move, or seat by seat what the seats win."""
    if any(row.chance is None for row in found.rows):
        assert all(row.chance is None for row in found.rows)
        return
    chances = [row.chance or Fraction(0) for row in found.rows]
    assert sum(chances) == 1
    weights = [float(chance) for chance in chances]
    if found.value is None:
        by_seat = advice.quantities[made.outcome].value
        if not isinstance(by_seat, list) and not found.rows[0].shares:  # of a bet, or who plays alone
            mean = sum(w * (row.value or 0.0) for w, row in zip(weights, found.rows, strict=True))
            one = next(iter(by_seat.values())) if isinstance(by_seat, dict) else by_seat
            assert mean == pytest.approx(one, abs=1e-8)
            return
        for seat, share in enumerate(shares_of(made, by_seat)):
            mean = sum(w * (row.shares or ())[seat] for w, row in zip(weights, found.rows, strict=True))
            assert mean == pytest.approx(share, abs=1e-8)
        return
    assert found.lower is not None
    assert found.upper is not None
    lower = sum(w * (row.lower or 0.0) for w, row in zip(weights, found.rows, strict=True))
    upper = sum(w * (row.upper or 0.0) for w, row in zip(weights, found.rows, strict=True))
    slack = 1e-12 * max(1.0, abs(upper))
    assert lower <= found.upper + slack
    assert upper >= found.lower - slack


def require_gained(size: Size, row: Row) -> None:
    """What the next question cannot say is known by name, and little."""
    alone = " players=1" if size.game.measure == "turns" and size.game.kind == "solo" else ""
    _, may = GAINS.get(size.name + alone, ("it says all", {0}))
    assert row.state is None or row.gained in may, (row.gained, row.state)


def require_dice(row: Row) -> None:
    """The dice that fell last are among those that lie on the table then."""
    roll = (row.state or {}).get("roll")
    for throw in row.thrown if roll else ():
        assert not Counter((throw.dice, *throw.then)[-1]) - Counter(roll)


def require_unit(made: TurnGame, advice: Advice, found: Outcomes) -> None:
    """What outcomes are told in is what the answer of the state is told in, and the move is worth the same in both."""
    if found.value is not None:
        assert (found.unit, found.sense) == (advice.unit, advice.sense)
        return
    told = advice.quantities[made.outcome]
    assert found.unit == told.unit
    if found.mean is not None and made.outcome != "this_pot" and not made.team:
        values = [*told.value.values()] if isinstance(told.value, dict) else told.value
        value = values[found.mover] if isinstance(values, list) and len(values) > 1 else values
        assert found.mean == pytest.approx(value[0] if isinstance(value, list) else value, abs=1e-8)


def require_same(made: TurnGame, before: Advice, row: Row, again: Advice) -> None:
    """A state that follows is worth, asked on its own, what it was said to be worth."""
    gained = float(row.gained)
    if row.value is not None and again.value is None:  # a bet, or who plays alone
        told = again.quantities[made.outcome]
        back, low, high = (
            next(iter(number.values())) if isinstance(number, dict) else number
            for number in (told.value, told.lower, told.upper)
        )
        assert row.value == pytest.approx(gained + back, abs=1e-8)
        lower, upper = row.lower or 0.0, row.upper or 0.0
        assert lower <= row.value <= upper
        assert lower <= gained + high
        assert gained + low <= upper
        return
    if row.value is None and made.outcome == "this_pot":
        return  # what a new pot brings is not counted
    if row.value is None:
        assert row.shares == pytest.approx(tuple(shares_of(made, again.quantities[made.outcome].value)), abs=1e-8)
        return
    assert again.value is not None
    turned = is_duel(made) and row.mover != before.mover
    there = float(made.total) - again.value if turned else again.value
    if again.shares is not None:
        there = again.shares[before.mover]
        assert row.shares == pytest.approx(tuple(again.shares), abs=1e-9)
    assert row.value == pytest.approx(gained + there, abs=1e-8)


@cases(FOLLOW)
def test_outcomes_add_up_and_every_state_that_follows_says_the_same_of_itself(size: Size) -> None:
    made, draw = size.game, Random(7)
    alone = made.kind == "alone"
    for _ in range(1 if alone else GAMES):
        state: dict[str, Any] | None = {"bet": "under 7"} if size.name == "dice-roulette" else {}
        for _ in range(ALONE if alone else QUESTIONS):
            assert state is not None
            advice = ask(made, state)
            moves = [move.move for move in advice.moves or []]
            move = draw.choice(moves) if moves else None
            found = follow(made, state, move)
            require_sums(made, advice, found)
            require_unit(made, advice, found)
            for row in found.rows:
                require_gained(size, row)
                require_dice(row)
            going = [row for row in found.rows if row.state is not None]
            for row in draw.sample(going, min(ROWS, len(going))):
                again = the_fields(made, row.state or {})
                assert spelled(again) == row.state
                require_same(made, advice, row, ask(made, again))
            weights = [float(row.chance or 0) for row in found.rows]
            taken = draw.choices(found.rows, weights)[0] if sum(weights) else found.rows[0]
            state = None if taken.state is None else the_fields(made, taken.state)
            if state is None:
                assert taken.ended is not None or taken.value is None
                break


TOPS = [
    ("six-by-6", {"carry": 199, "posted": 0}, {}),
    ("drop-dead", {"scores": (30, 0), "mover": 1, "turn": 9999, "dice": 5}, {}),
    ("pig", {"turn": FAR}, {"target": 20}),
    ("pig", {"turn": FAR - 3}, {"target": 20}),
]


@pytest.mark.parametrize(("game", "state", "params"), TOPS)
def test_no_question_follows_that_cannot_be_asked(
    game: str, state: dict[str, Any], params: dict[str, Any], own_cache: Any
) -> None:
    found = outcomes(game, state, "roll", params)
    past = [row for row in found.rows if row.state is None and row.ended is None]
    assert past
    for row in past:
        assert row.value is None
    for row in found.rows:
        if row.state is not None:
            the_fields(the_game(game, params), row.state)


def test_means_after_a_roll_of_six_by_6_are_those_of_questions_asked_alone() -> None:
    found = outcomes("six-by-6", {"carry": 3, "posted": 2}, "roll")
    for row in found.rows:
        if row.state is not None:
            alone = outcomes("six-by-6", row.state, "roll")
            assert row.value == pytest.approx(sum(float(r.chance or 0) * (r.value or 0) for r in alone.rows), abs=1e-9)


STILL_IN = [
    ("slam", {"scores": (4, 2, 14), "mover": 2}, {"players": 3}),
    ("slam", {"scores": (0, 0, 1), "mover": 2}, {"players": 3}),
    ("thunderstorm", {"failures": (0, 5, 2), "mover": 1}, {"players": 3}),
    ("mexico", {"lives": (1, 2, 6)}, {"players": 3}),
]


@pytest.mark.parametrize(("game", "state", "params"), STILL_IN)
def test_who_is_still_in_is_not_told_to_be_out(game: str, state: dict[str, Any], params: dict[str, Any]) -> None:
    made = the_game(game, params)
    given = the_fields(made, state)
    told = spelled(given)
    for name in ("scores", "failures", "lives", "chips"):
        assert told.get(name) == given.get(name)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pig", ("win", "probability", "max", "win")),
        ("shut-the-box", ("score", "points", "min", "expected final score")),
        ("slam", ("lose", "probability", "min", "lose")),
        ("cops-and-robbers", ("win", "probability", "max", "win")),  # of a seat: that its side wins
        ("high-dice", ("return", "chips", "max", "return of a chip")),
        ("six-by-6", ("mean_score", "points", "max", "mean final score")),
    ],
)
def test_what_is_counted_has_a_name_a_unit_what_is_good_and_a_few_words(name: str, told: tuple[str, ...]) -> None:
    of = counted(the_game(name), {})
    assert (of.name, of.unit, of.sense, of.label) == told
