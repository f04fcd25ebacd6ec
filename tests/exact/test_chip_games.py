"""Big Six, Aces in the Pot and Finish: small games against a plain walk that is written from the rules alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from typing import Any

import pytest

from rollwise.games.aces_in_the_pot import AcesInThePot
from rollwise.games.big_six import BigSix
from rollwise.games.finish import Finish
from rollwise.solver.chains.layout import lay_out
from rollwise.solver.chains.odds import odds
from rollwise.solver.game.model import TurnGame
from rollwise.solver.turn.graph import compile_turn

After = tuple[float, Any, int | None]  # chance, the state that follows, the seat that has won
Turn = Callable[[Any], Iterable[After]]
FACES = range(1, 7)
THROWS = Counter(tuple(sorted(dice)) for dice in product(FACES, repeat=2))  # ways to throw two dice
NEVER = 1e-15  # a chance that does not matter


def walked(start: Any, turn: Turn, players: int) -> list[float]:
    """P(win) by seat, then the expected number of turns, following all states together from turn to turn."""
    now: dict[Any, float] = {start: 1.0}
    won = [0.0] * players
    turns = 0.0
    follow = cache(lambda state: list(turn(state)))
    while (left := sum(now.values())) > NEVER:
        turns += left
        after: dict[Any, float] = defaultdict(float)
        for state, chance in now.items():
            for part, following, winner in follow(state):
                if winner is None:
                    after[following] += chance * part
                else:
                    won[winner] += chance * part
        now = after
    return [*won, turns]


def big_six(state: Any) -> Iterable[After]:
    """One roll: everybody's chips, the spaces that are occupied, whose turn it is."""
    chips, spaces, seat = state
    for face in FACES:
        mine = list(chips)
        if face in spaces:
            after = spaces - {face}
            mine[seat] += 1
        else:
            after = spaces if face == 6 else spaces | {face}
            mine[seat] -= 1
        yield 1 / 6, (tuple(mine), after, (seat + 1) % len(chips)), seat if mine[seat] == 0 else None


def aces_in_the_pot(state: Any) -> Iterable[After]:
    """One throw, coin by coin, or the three throws for the last coin."""
    coins, seat = state
    neighbour = (seat + 1) % len(coins)
    if sum(coins) == 1:
        safe = sum(ways for dice, ways in THROWS.items() if 6 not in dice) / 36
        yield safe**3, None, seat
        moved = [0] * len(coins)
        moved[neighbour] = 1
        yield 1 - safe**3, (tuple(moved), neighbour), None
        return
    for dice, ways in THROWS.items():
        held = list(coins)
        for die in dice:  # ascending, so that ones come before sixes
            if die == 1 and held[seat] and sum(held) > 1:
                held[seat] -= 1
            if die == 6 and held[seat]:
                held[seat] -= 1
                held[neighbour] += 1
        next_ = neighbour
        while not held[next_]:
            next_ = (next_ + 1) % len(coins)
        yield ways / 36, (tuple(held), next_), None


@cache
def rows_after(placed: int) -> dict[int, float]:
    """Chance of each length of the row after a roll of the other dice."""
    found: dict[int, float] = defaultdict(float)
    dice = 6 - placed
    for faces in product(FACES, repeat=dice):
        row = list(range(1, placed + 1))
        while len(row) < 6 and len(row) + 1 in faces:
            row.append(len(row) + 1)
        found[len(row)] += 6.0**-dice
    return found


def finish(state: Any) -> Iterable[After]:
    """One roll: everybody's chips, the row, whether the round is new, whose turn it is."""
    chips, placed, new, seat = state
    for row, chance in rows_after(placed).items():
        held = list(chips)
        if row == 6 and new:
            yield chance, None, seat
            continue
        if row == placed:
            held[seat] = max(0, held[seat] - (6 - placed))
        if row == 6:
            for other in range(len(held)):
                if other != seat and held[other]:
                    held[other] -= 1
                    held[seat] += 1
        standing = [other for other in range(len(held)) if held[other]]
        later = [other for other in standing if other > seat]
        following = (tuple(held), row % 6, row == 6, (later or standing)[0])
        yield chance, following, standing[0] if len(standing) == 1 else None


CASES: list[tuple[TurnGame, Any, Turn]] = [
    (BigSix(2, 2), ((2, 2), frozenset(), 0), big_six),
    (BigSix(3, 2), ((2, 2, 2), frozenset(), 0), big_six),
    (BigSix(2), ((5, 5), frozenset(), 0), big_six),
    (AcesInThePot(4, 1), ((1, 1, 1, 1), 0), aces_in_the_pot),
    (AcesInThePot(5, 1), ((1, 1, 1, 1, 1), 0), aces_in_the_pot),
    (AcesInThePot(4), ((2, 2, 2, 2), 0), aces_in_the_pot),
    (Finish(3, 1), ((1, 1, 1), 0, True, 0), finish),
    (Finish(3, 3), ((3, 3, 3), 0, True, 0), finish),
    (Finish(4, 2), ((2, 2, 2, 2), 0, True, 0), finish),
]


@pytest.mark.parametrize(("game", "start", "turn"), CASES, ids=[str(game) for game, _, _ in CASES])
def test_a_small_game_is_worth_what_a_plain_walk_finds(game: TurnGame, start: Any, turn: Turn) -> None:
    first = game.boards().index_of(**game.first_board())
    steps = lay_out(game, compile_turn(game), first)
    found = odds(steps, steps.place(first), exact=False)
    assert found.shared == (0, 0, 0)
    told = [value for value, _, _ in (*found.shares, found.turns)]
    assert walked(start, turn, game.seats) == pytest.approx(told, abs=1e-12, rel=1e-12)
