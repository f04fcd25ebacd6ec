"""Review games of random moves: sums must hold, luck must be nothing on average, and no move may lose less than 0.

python scripts/review_random.py [--games N] [NAME ...]     1,000 games of each of a dozen, or of those named
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rollwise.match.review.compute import review
from rollwise.match.review.data import Review
from rollwise.match.spots import Spot, spot_cache_of
from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.questions.question import full_state
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.game import TurnGame

GAMES = 1000
MOST_QUESTIONS = 400  # a game that goes on for longer is broken off
WIDE = 4  # standard errors that the mean of luck may be off 0
ROUNDING = 1e-12  # of each number that is added up, beside what solved values are off
DOZEN: dict[str, dict[str, Any]] = {
    "pig": {},
    "piggy-six": {},
    "yahtzee": {},
    "zilch": {"players": 1},
    "ten-thousand": {"players": 1},
    "shut-the-box": {},
    "sevens": {},
    "mexico": {"lives": 2},
    "busted": {"players": 2},
    "martinetti": {"crossing": "free"},
    "six-by-6": {"posting": "free"},
    "big-six": {},
}
Line = dict[str, Any]


def record_of(
    game: TurnGame,
    draw: Random,
    start: Mapping[str, Any] | None = None,
    choose: Callable[[Spot], str] | None = None,
    most: int = MOST_QUESTIONS,
) -> list[Line]:
    """A game as the lines of a record, without a number in it; ``choose`` says what is played, by default anything.

    A game of more than ``most`` questions is broken off.
    """
    spots = spot_cache_of(load_or_solve(game, quiet=True).solution)
    given = parse_fields(game, start or {})
    spot = spots.at(given, game.locate(**given))
    seat = spot.position.mover if spots.by_seat else 0
    lines: list[Line] = [
        {"rollwise": 1, "game": game.name, "parameters": game.parameters(), "rules_version": game.rules_version}
    ]
    for _ in range(most):
        state = full_state(game, spot.fields, spot.position)
        move = choose(spot) if choose else draw.choice(list(spot.moves))
        if spots.chooses:
            lines.append({"choice": move, "seat": seat, "state": state})
        taken = spot.branches(move).drawn(draw)
        if taken.throws:
            throw = taken.throws[0]
            lines.append({"thrown": list(throw.dice), "then": list(map(list, throw.then)), "seat": seat})
            lines[-1] |= {} if spots.chooses else {"state": state}
        if taken.fields is None:
            break
        passed = (taken.mover - spot.position.mover) % 2 if is_duel(game) else 0
        seat = taken.mover if spots.by_seat else (seat + passed) % 2
        spot = spots.at(taken.fields, taken.position)
    return lines


@dataclass
class Found:
    """What came of the games of one size."""

    games: int = 0
    complete: int = 0
    steps: int = 0
    widest: float = 0.0  # how far a sum was off, as a part of what it may be
    least: float = math.inf  # loss of any choice
    luck: list[list[float]] = field(default_factory=list)  # of each game that is complete, by seat
    seconds: float = 0.0

    def add(self, told: Review, steps: int) -> None:
        """One game more."""
        self.games += 1
        self.complete += told.complete
        self.steps += steps
        for seat in told.seats:
            off = abs(math.fsum((seat.start, seat.own, seat.others, seat.luck, -seat.result)))
            size = max(1.0, abs(seat.start), abs(seat.luck), abs(seat.result))
            self.widest = max(self.widest, off / (seat.off + ROUNDING * size * (steps + 1)))
        self.least = min([self.least, *(choice.loss for choice in told.choices)])
        self.luck.append([seat.luck for seat in told.seats])

    def errors(self) -> Iterator[float]:
        """The mean of luck in standard errors, by seat."""
        for seat in range(len(self.luck[0])):
            numbers = [luck[seat] for luck in self.luck]
            mean = math.fsum(numbers) / len(numbers)
            spread = math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / max(1, len(numbers) - 1))
            yield mean / (spread / math.sqrt(len(numbers))) if spread > 1e-12 else 0.0

    def wrong(self) -> list[str]:
        """What does not hold, in words."""
        found = [f"a sum is off by {self.widest:.2f} of what it may be"] if self.widest > 1 else []
        found += [f"a move loses {self.least}"] if self.least < 0 else []
        return found + [
            f"luck of seat {seat} is {error:.1f} standard errors off 0"
            for seat, error in enumerate(self.errors())
            if abs(error) > WIDE
        ]


def found_in(game: TurnGame, games: int, seed: int = 1, start: Mapping[str, Any] | None = None) -> Found:
    """Play so many games with random moves, and review each."""
    draw, found, began = Random(f"{game} {seed}"), Found(), time.perf_counter()
    for _ in range(games):
        lines = record_of(game, draw, start)
        found.add(review(lines), len(lines))
    found.seconds = time.perf_counter() - began
    return found


def main(words: Sequence[str], games: int) -> None:
    """Review them all, and say what came of it."""
    failed = False
    print(f"{'game':40} {'games':>6} {'whole':>6} {'lines':>8} {'sums':>8} {'luck (standard errors)':24} {'s':>7}")
    for name, parameters in DOZEN.items():
        if words and name not in words:
            continue
        game = parse_game(name, parameters)
        found = found_in(game, games)
        luck = ", ".join(f"{error:+.2f}" for error in found.errors())
        told = " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
        print(
            f"{told:40} {found.games:6} {found.complete:6} {found.steps:8} {found.widest:8.1e} {luck:24} "
            f"{found.seconds:7.1f}",
            flush=True,
        )
        for wrong in found.wrong():
            failed = True
            print(f"  WRONG: {wrong}")
    sys.exit(failed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(DOZEN)}: those alone")
    parser.add_argument("--games", type=int, default=GAMES, help="so many of each (%(default)s)")
    given = parser.parse_args()
    main(given.names, given.games)
