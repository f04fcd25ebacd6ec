"""421 with few chips, solved from the rules alone: every result of a round is kept apart, and nothing is shared."""

from __future__ import annotations

from functools import cache, reduce
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rollwise.games.claims.replay import turn_game
from rollwise.solver.kinds import kind_of
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from rollwise.solver.values.table import solve_table
from tests.solver.plain import every_keep, fallen, parts, slow, swept, thorough

Floats = NDArray[np.float64]
Chips = tuple[int, ...]
NAMED = "421 116 115 114 113 112 666 555 444 333 222 111 654 543 432 321"  # the highest first; then die by die
FIRST = [tuple(sorted(map(int, name))) for name in NAMED.split()]
HANDS = [*sorted({*fallen(3)} - {*FIRST}, key=lambda hand: hand[::-1]), *reversed(FIRST)]  # the lowest first
PAYS = [6, 5, 4, 3, 2, *[3] * 6, *[2] * 4, *[1] * 40][::-1]  # of all but 4-2-1
BEST = len(HANDS) - 1
EVERY = every_keep(3)
KEEPS = [kept for kept in EVERY.keeps if len(kept) < 3]
CHANCES = EVERY.kept(np.eye(len(HANDS))[[HANDS.index(roll) for roll in EVERY.throws]])[: len(KEEPS)]
MOVES = [[KEEPS.index(kept) for kept in sorted(parts(hand), key=len, reverse=True)[1:]] for hand in HANDS]
FRESH = CHANCES[KEEPS.index(())]


@cache
def ways_to_pay(players: int) -> tuple[NDArray[np.int64], list[tuple[int, list[tuple[int, int]]]]]:
    """By everybody's results which of some cases they are: (highest result, who may be highest and who lowest)."""
    case_of = np.empty([len(HANDS)] * players, dtype=np.int64)
    cases: dict[Any, int] = {}
    for results in product(range(len(HANDS)), repeat=players):
        tops, lows = (
            tuple(seat for seat in range(players) if results[seat] == end) for end in (max(results), min(results))
        )
        case_of[results] = cases.setdefault((max(results), tops, lows), len(cases))
    return case_of, [(highest, [*product(tops, lows)]) for highest, tops, lows in cases]


class ByHand:
    """421 for so many players, by value iteration; ``start[chips]``: the shares before a round of the discharge.

    Shares and chips are those of the round's opener first.
    """

    def __init__(self, players: int, all_chips: int) -> None:
        self.players, self.all_chips = players, all_chips
        self.case_of, self.cases = ways_to_pay(players)
        self.charge = cache(self._charge)
        self.start: dict[Chips, Floats] = {}
        for held in range(players, all_chips + 1):
            level = [chips for chips in product(range(1, held + 1), repeat=players) if sum(chips) == held]
            self.start |= dict.fromkeys(level, np.full(players, 1 / players))
            swept(self.start, level, self.round, 1e-11)

    # --- the discharge

    def round(self, chips: Chips) -> Floats:
        """The opener stops after one throw, two or three, and all others have so many."""
        ends = np.array([self.paid(chips, *case) for case in self.cases])[self.case_of]
        once, twice, thrice = (self.others(ends, throws, 1) for throws in (1, 2, 3))
        found: Floats = FRESH @ self.choose(once, self.again(self.choose(twice, self.again(thrice), 0)), 0)
        return found

    def others(self, ends: Floats, throws: int, seat: int) -> Floats:
        """Shares by the results of the seats before this one."""
        if seat == self.players:
            return ends
        hands = here = self.others(ends, throws, seat + 1)
        for _ in range(throws - 1):
            here = self.choose(hands, self.again(here), seat)
        found: Floats = np.einsum("h,...hs->...s", FRESH, here)
        return found

    def again(self, hands: Floats) -> Floats:
        """What keeping some dice and throwing the others is worth, from what hands are."""
        found: Floats = np.einsum("kh,...hs->...ks", CHANCES, hands)
        return found

    def choose(self, stopped: Floats, again: Floats, seat: int) -> Floats:
        """The best of stopping and of keeping some dice; the first of those that are equally good."""
        found = stopped.copy()
        for hand, keeps in enumerate(MOVES):
            options = np.stack([stopped[..., hand, :], *(again[..., keep, :] for keep in keeps)])
            mine = options[..., seat]
            first = (mine >= mine.max(axis=0) - 1e-9).argmax(axis=0)
            found[..., hand, :] = np.take_along_axis(options, first[None, ..., None], axis=0)[0]
        return found

    def paid(self, chips: Chips, highest: int, pairs: list[tuple[int, int]]) -> Floats:
        """The mean over all throw-offs."""
        apart = [pair for pair in pairs if pair[0] != pair[1]] if highest == BEST else pairs
        found: Floats = np.mean([self.after(chips, *pair, highest) for pair in apart], axis=0)
        return found

    def after(self, chips: Chips, top: int, low: int, highest: int) -> Floats:
        held = list(chips)
        if highest == BEST:
            held[low] += held[top] - 1
            held[top] = 1
        else:
            held[top] -= PAYS[highest]
        if held[top] <= 0:
            won: Floats = np.eye(self.players)[top]
            return won
        return np.roll(self.start[(*held[top:], *held[:top])], top)

    # --- the charge

    def _charge(self, chips: Chips) -> Floats:
        """Shares before a round of the charge, by seat."""
        pot = self.all_chips - sum(chips)
        if not pot:
            return self.start[chips]
        after = [
            np.mean([self.charge(self.taken(chips, low, highest, pot)) for _, low in pairs], axis=0)
            for highest, pairs in self.cases
        ]
        chance = reduce(np.multiply.outer, [FRESH] * self.players)
        found: Floats = np.bincount(self.case_of.ravel(), chance.ravel()) @ np.array(after)
        return found

    def taken(self, chips: Chips, low: int, highest: int, pot: int) -> Chips:
        takes = max(1, pot - 1) if highest == BEST else min(PAYS[highest], pot)
        return tuple(held + takes * (seat == low) for seat, held in enumerate(chips))


@pytest.mark.parametrize(
    ("players", "chips", "pot"),
    [(2, 1, 2), *thorough((2, 2, 1)), *slow((2, 3, 11), (3, 1, 1))],
)
def test_every_round_is_worth_what_it_is_with_all_results_kept_apart(players: int, chips: int, pot: int) -> None:
    by_hand = ByHand(players, players * chips + pot)
    made = turn_game("421", players=players, chips=chips, pot=pot)
    space, graph = made.boards(), compile_turn(made)
    if players == 2:
        values = BoardSolver(made, graph, uses=kind_of(made).uses(made)).solve().values
        shares = np.stack([values, 1 - values], axis=-1)
    else:
        shares = solve_table(made, graph).values
    begins = made.locate(pot=0).board["round"]
    found = np.array([shares[space.index_of(round=begins, chips=held)] for held in by_hand.start])
    known = np.isfinite(found).all(axis=1)  # else no discharge comes there
    assert known.mean() > 1 / 2
    np.testing.assert_allclose(found[known], np.array([*by_hand.start.values()])[known], atol=1e-9)
    start = space.index_of(**made.first_board())
    np.testing.assert_allclose(shares[start], by_hand.charge((chips,) * players), atol=1e-9)
