"""Big Six, Aces in the Pot and Finish: small games against a plain walk that is written from the rules alone."""

from __future__ import annotations

from collections import Counter
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
from tests.exact.plain import After, fallen, turn_by_turn

Turn = Callable[[Any], Iterable[After]]  # how a game ends: the seat that has won
FACES = range(1, 7)
NEVER = 1e-15  # a chance that does not matter


def big_six(state: Any) -> Iterable[After]:
    """One roll: everybody's chips, the spaces that are occupied, whose turn it is."""
    chips, spaces, seat = state
    for face in FACES:
        mine = list(chips)
        takes = face in spaces
        after = spaces - {face} if takes or face == 6 else spaces | {face}
        mine[seat] += 1 if takes else -1
        yield 1 / 6, (tuple(mine), after, (seat + 1) % len(chips)) if mine[seat] else None, seat


def aces_in_the_pot(state: Any) -> Iterable[After]:
    """One throw, coin by coin, or the three throws for the last coin."""
    coins, seat = state
    neighbour = (seat + 1) % len(coins)
    if sum(coins) == 1:
        safe = sum(ways for dice, ways in fallen(2).items() if 6 not in dice) / 36
        yield safe**3, None, seat
        yield 1 - safe**3, (tuple(int(other == neighbour) for other in range(len(coins))), neighbour), None
        return
    for dice, ways in fallen(2).items():
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
    found: Counter[int] = Counter()
    for faces in product(FACES, repeat=6 - placed):
        row = placed
        while row + 1 in faces:
            row += 1
        found[row] += 1
    return {row: ways / 6 ** (6 - placed) for row, ways in found.items()}


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
        yield chance, following if len(standing) > 1 else None, standing[0]


CASES: list[tuple[TurnGame, Any, Turn]] = [
    (BigSix(2, 2), ((2, 2), frozenset(), 0), big_six),
    (BigSix(3, 2), ((2, 2, 2), frozenset(), 0), big_six),
    (BigSix(2), ((5, 5), frozenset(), 0), big_six),
    (AcesInThePot(4, 1), ((1, 1, 1, 1), 0), aces_in_the_pot),
    (AcesInThePot(5, 1), ((1, 1, 1, 1, 1), 0), aces_in_the_pot),
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
    won, turns, left = [0.0] * game.seats, 0.0, 1.0
    for ended, goes_on in turn_by_turn(start, turn):
        for winner, chance in ended.items():
            won[winner] += chance
        turns, left = turns + left, goes_on
        if left < NEVER:
            break
    assert [*won, turns] == pytest.approx(told, abs=1e-12, rel=1e-12)
