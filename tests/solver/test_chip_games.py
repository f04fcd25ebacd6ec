"""Big Six, Aces in the Pot, Finish and Busted: small games against the same written afresh from the rules alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from rollwise.games.aces_in_the_pot.rules import AcesInThePot
from rollwise.games.big_six.rules import BigSix
from rollwise.games.busted.rules import Busted
from rollwise.games.claims.replay import turn_game
from rollwise.games.finish.rules import Finish
from rollwise.solver.markov_chains.layout import lay_out
from rollwise.solver.markov_chains.odds import odds
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.vectors import is_surely_zero
from rollwise.solver.values.board_solver import BoardSolver
from rollwise.solver.values.table import solve_table
from tests.solver.plain import After, PlainTurn, fallen, swept, thorough, walked

# --- nobody chooses; a game ends with the seat that has won ----------------------------------------------------------


def following(held: Sequence[int], seat: int) -> int:
    """The next seat to the left that holds anything."""
    return next(other % len(held) for other in range(seat + 1, seat + 1 + len(held)) if held[other % len(held)])


def big_six(state: Any) -> Iterable[After]:
    """One roll: everybody's chips, the spaces that are occupied, whose turn it is."""
    chips, spaces, seat = state
    for face in range(1, 7):
        mine, takes = list(chips), face in spaces
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
        yield ways / 36, (tuple(held), following(held, seat)), None


@cache
def rows_after(placed: int) -> dict[int, float]:
    """Chance of each length of the row after a roll of the other dice."""
    found: Counter[int] = Counter()
    for faces, ways in fallen(6 - placed).items():
        found[next(row for row in range(placed, 7) if row + 1 not in faces)] += ways
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
        next_ = following(held, seat)
        yield chance, (tuple(held), row % 6, row == 6, next_) if sum(map(bool, held)) > 1 else None, next_


CASES: list[tuple[TurnGame, Any, PlainTurn]] = [
    (BigSix(3, 2), ((2, 2, 2), frozenset(), 0), big_six),
    (AcesInThePot(4, 1), ((1, 1, 1, 1), 0), aces_in_the_pot),
    (Finish(3, 1), ((1, 1, 1), 0, True, 0), finish),
]
MORE: list[tuple[TurnGame, Any, PlainTurn]] = [
    (BigSix(2), ((5, 5), frozenset(), 0), big_six),
    (AcesInThePot(5, 1), ((1, 1, 1, 1, 1), 0), aces_in_the_pot),
    (Finish(4, 2), ((2, 2, 2, 2), 0, True, 0), finish),
]


@pytest.mark.parametrize(("game", "start", "turn"), [*CASES, *thorough(*MORE)])
def test_a_small_game_is_worth_what_a_plain_walk_finds(game: TurnGame, start: Any, turn: PlainTurn) -> None:
    first = game.boards().index_of(**game.first_board())
    steps = lay_out(game, compile_turn(game), first)
    found = odds(steps, steps.place(first), exact=False)
    assert found.shared == (0, 0, 0)
    told = [value for value, _, _ in (*found.shares, found.turns)]
    won, lengths = walked(start, turn)
    turns = sum(n * chance for n, chance in enumerate(lengths, 1))
    assert [*(won[seat] for seat in range(game.seats)), turns] == pytest.approx(told, abs=1e-12, rel=1e-12)


# --- Busted: whoever has just taken chips may pass -------------------------------------------------------------------

WAYS = Counter(first + second for first, second in product(range(1, 7), repeat=2))


class Here(NamedTuple):
    """Chips by seat, chips by space from 3 to 11, who moves, and whether that seat may pass."""

    chips: tuple[int, ...]
    board: tuple[int, ...]
    mover: int = 0
    may_pass: bool = False

    def passed(self) -> Here:
        return Here(self.chips, self.board, following(self.chips, self.mover))

    def rolled(self, thrown: int, again: int) -> Here:
        """What comes of a roll; ``again`` is the one that follows a 2 or 12."""
        chips, board, seat, spaces = list(self.chips), list(self.board), self.mover, [thrown]
        if thrown in (2, 12):
            chips[seat] += sum(board)
            board, spaces = [0] * 9, [*range(3, 12)] if again in (2, 12) else [again]
        elif thrown != 7 and board[thrown - 3]:
            chips[seat] += board[thrown - 3]
            board[thrown - 3] = 0
            return Here(tuple(chips), tuple(board), seat, True)
        for space in spaces:
            put = min(space, chips[seat])
            chips[seat] -= put
            board[space - 3] += put
        return Here(tuple(chips), tuple(board), seat).passed()


def played_out(players: int, each: int) -> dict[Here, Any]:
    """Everybody's share in every state that play comes to, the mover's own best first and passing before rolling."""
    start, even = Here((each,) * players, (0,) * 9), np.full(players, 1 / players)
    leads: dict[Here, Counter[Here]] = {}
    waiting, worth = [start], {start: even}
    while waiting:
        here = waiting.pop()
        if np.count_nonzero(here.chips) == 1:
            worth[here] = np.sign(here.chips) * 1.0
            continue
        leads[here] = Counter()
        for thrown, again in product(WAYS, repeat=2):
            leads[here][here.rolled(thrown, again)] += WAYS[thrown] * WAYS[again]
        new = dict.fromkeys((ahead for ahead in (*leads[here], here.passed()) if ahead not in worth), even)
        waiting += new
        worth |= new

    def best(here: Here) -> Any:
        rolled = np.sum([ways * worth[ahead] for ahead, ways in leads[here].items()], axis=0) / 36**2
        left = worth[here.passed()]
        return left if here.may_pass and left[here.mover] >= rolled[here.mover] - 1e-12 else rolled

    swept(worth, leads, best, 1e-13)
    return {here: worth[here] for here in leads}


@pytest.mark.parametrize(("players", "each"), [(3, 2), (2, 6), *thorough((3, 3))])
def test_players_of_busted_share_as_a_game_written_afresh_says(players: int, each: int) -> None:
    made = Busted(fewer=each) if players == 3 else turn_game("busted", players=2, fewer=each)
    space, graph = made.boards(), compile_turn(made)
    if players == 2:
        values = BoardSolver(made, graph, compiled=False).solve().values
        shares = np.stack([values, 1 - values], axis=-1)
    else:
        solved = solve_table(made, graph, workers=1)
        assert solved.gain_limit < 1e-9
        shares = solved.values
        out = np.array(space.columns(np.arange(space.size)).chips[:3]).T == 0
        assert is_surely_zero(shares)[out & (shares[:, :1] >= 0)].all()  # to the last digit, and it is proved
    found = played_out(players, each)
    assert len(found) > 100
    for (chips, board, mover, may_pass), worth in found.items():
        index = space.index_of(taken=int(may_pass), chips=(*chips[mover:], *chips[:mover], *board))
        assert np.abs(shares[index] - np.roll(worth, -mover)).max() < 1e-9, (chips, board, mover, may_pass)
