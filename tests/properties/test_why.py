"""Why: parts add up to the difference, and how a turn ends is what a walk through the game's own words comes to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from math import fsum
from random import Random
from typing import Any

import numpy as np
import pytest

from rollwise.door import the_fields
from rollwise.explained import Why
from rollwise.explaining import why_of
from rollwise.foreseeing import the_move, what_follows
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import Beyond, Chance, Choice, End, Go, Prefer, State, TurnGame, Word
from rollwise.solver.game.outcome import outcome
from rollwise.solver.play.endings_of_turn import PAST, called
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, OneTableTurn, OneTurn
from rollwise.stored import stored
from rollwise.why_text import Digits
from tests.questions import ask
from tests.sizes import EXPLAIN, Size, cases

GAMES = 20  # played with random moves, at most
QUESTIONS = 12  # of each
LOOKED_AT = 5  # outcomes of a move: play goes on with the first of them that leaves a choice
ENOUGH = 8  # differences that are looked at


def states(made: TurnGame, draw: Random) -> Iterator[dict[str, Any]]:
    """States of games that are played at random."""
    for _ in range(GAMES):
        state: dict[str, Any] | None = {}
        for _ in range(QUESTIONS):
            if state is None:
                break
            yield state
            moves = [move.move for move in ask(made, state).moves or []]
            rows = what_follows(made, state, made.locate(**state), draw.choice(moves)).rows
            going = [the_fields(made, row.state) for row in rows if row.state is not None]
            some = draw.sample(going, min(LOOKED_AT, len(going)))
            state = next((each for each in some if len(ask(made, each).moves or []) > 1), some[0] if some else None)


class Walked:
    """How a turn ends, told by its words: every throw is split, of equally good moves the first is played."""

    def __init__(self, turn: OneTurn) -> None:
        self.turn, self.game = turn, turn.game
        self.numbers = tuple(turn.board[name] for name in turn.game.boards().names)
        self.marks = {name: {tuple(state) for state in marked} for name, marked in turn.game.marks().items()}
        self.known: dict[tuple[State, frozenset[str]], dict[str, Fraction]] = {}

    def classes(self, word: Word, seen: frozenset[str] = frozenset()) -> dict[str, Fraction]:
        if isinstance(word, Go):
            seen = seen | {name for name, marked in self.marks.items() if word.state in marked}
            if (word.state, seen) not in self.known:
                self.known[word.state, seen] = self.classes(self.game.turn(*word.state), seen)
            return self.known[word.state, seen]
        if isinstance(word, Beyond):
            return {PAST: Fraction(1)}
        if isinstance(word, End):
            after = outcome(self.game, self.numbers, word.result)
            return {called(self.game, self.turn.board, word.result, after, seen): Fraction(1)}
        if isinstance(word, Chance):
            total = sum(weight for weight, _ in word.outcomes)
            return self.mixed([(Fraction(weight, total), after) for weight, after in word.outcomes], seen)
        if isinstance(word, Prefer):
            return self.classes(next(after for after in word.words if self.row(after)[VALUE] > -np.inf), seen)
        return self.chosen(word, seen)

    def mixed(self, parts: list[tuple[Fraction, Word]], seen: frozenset[str]) -> dict[str, Fraction]:
        found: dict[str, Fraction] = defaultdict(Fraction)
        for share, after in parts:
            for name, chance in self.classes(after, seen).items():
                found[name] += share * chance
        return dict(found)

    def row(self, word: Word) -> Any:
        return self.turn.intervals(self.turn.worth(word))

    def chosen(self, word: Choice, seen: frozenset[str]) -> dict[str, Fraction]:
        rows = [self.row(after) for _, after in word.moves]
        legal = [i for i, row in enumerate(rows) if np.isfinite(row[VALUE])]
        if isinstance(self.turn, OneTableTurn):
            best = max(rows[i][VALUE] for i in legal)
            first = next(i for i in legal if rows[i][VALUE] >= best - self.turn.tie)
        elif self.game.sense == "max":
            best = max(rows[i][LOWER] for i in legal)
            first = next(i for i in legal if rows[i][UPPER] >= best)
        else:
            best = min(rows[i][UPPER] for i in legal)
            first = next(i for i in legal if rows[i][LOWER] <= best)
        return self.classes(word.moves[first][1], seen)


def require_explained(made: TurnGame, found: Why) -> None:
    """Parts, chances, means and printed digits all add up."""
    parts = [part.part for part in found.parts]
    sign = 1 if found.sense == "max" else -1
    assert sum(parts) == sum(reversed(parts)) == fsum(parts) == found.difference
    assert found.difference == pytest.approx(sign * (found.value - found.other_value), rel=1e-12, abs=1e-12)
    for chances, means, value in (
        ([part.chance for part in found.parts], [part.value for part in found.parts], found.value),
        ([part.other_chance for part in found.parts], [part.other_value for part in found.parts], found.other_value),
    ):
        assert fsum(chances) == pytest.approx(1, abs=1e-12)
        assert [mean is None for mean in means] == [chance == 0 for chance in chances]
        mean = fsum(chance * (mean or 0.0) for chance, mean in zip(chances, means, strict=True))
        assert mean == pytest.approx(value, rel=1e-9, abs=1e-9)
    counts = [sum(part.chance > 0 for part in found.parts), sum(part.other_chance > 0 for part in found.parts)]
    assert found.reference == (found.value if counts[0] < counts[1] else found.other_value)
    for part in found.parts:
        gains = part.chance * ((part.value or 0.0) - found.reference) if part.chance else 0.0
        costs = part.other_chance * ((part.other_value or 0.0) - found.reference) if part.other_chance else 0.0
        assert part.part == pytest.approx(sign * (gains - costs), rel=1e-9, abs=1e-9)
    digits = Digits(found)
    steps = digits.parts(parts)
    assert sum(steps) == digits.total
    assert all(abs(each * digits.step - part) < 2 * digits.step for each, part in zip(steps, parts, strict=True))
    if found.seats is not None:
        assert sum(found.seats) == pytest.approx(0, abs=1e-12)
        assert found.seats[found.mover] == -found.difference
        for seat, loss in enumerate(found.seats):
            assert sum((part.seats or ())[seat] for part in found.parts) == loss


@cases(EXPLAIN)
def test_parts_add_up_and_the_turn_ends_as_its_words_say(size: Size) -> None:
    made, draw, n_told = size.game, Random(11), 0
    opened = stored(made).opened
    for state in states(made, draw):
        if n_told >= ENOUGH:
            break
        position = made.locate(**state)
        advice = ask(made, state)
        names = [move.move for move in advice.moves or []]
        if len(names) < 2:
            with pytest.raises(BadInput, match=r"^there is nothing to compare: the only move here is "):
                why_of(made, state, position)
            continue
        for other in dict.fromkeys([None, draw.choice(names[1:])]):
            found = why_of(made, state, position, other)
            assert (found.best, found.other) == (names[0], other or names[1])
            require_explained(made, found)
            n_told += 1
            if made.kind == "hidden":
                continue
            walked = Walked(opened.turn_on(position.board))
            for name, is_best in ((found.best, True), (found.other, False)):
                chances = walked.classes(the_move(made, position, name, names).after)
                told = {part.called: part.chance if is_best else part.other_chance for part in found.parts}
                assert {name for name, chance in told.items() if chance} == chances.keys()
                for ending, chance in chances.items():
                    assert told[ending] == pytest.approx(float(chance), rel=1e-9, abs=1e-15)
    assert n_told
