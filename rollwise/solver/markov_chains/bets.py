"""Bets: the chance to win each of them and its mean return, as fractions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from rollwise.solver.markov_chains.chain import OVER, chain_from, transition_probabilities
from rollwise.solver.markov_chains.longrun import expected_sums
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph


@dataclass(frozen=True)
class Bet:
    """The chance that a bet wins, and the chips that one chip on it brings back on average, the stake included."""

    chance: Fraction
    back: Fraction

    @property
    def edge(self) -> Fraction:
        """House edge: the mean loss of a chip; below 0 where the player gains."""
        return 1 - self.back


def bets_on(game: TurnGame, graph: TurnGraph, boards: Mapping[str, Mapping[str, int]]) -> dict[str, Bet]:
    """The bet of each of these boards, by name: its chain of turns, which have no choices, is followed to the end.

    A bet wins where its last turn pays anything.
    """
    start = {name: game.boards().index_of(**board) for name, board in boards.items()}
    chain = chain_from(game, graph, start.values())
    gains = {board: [Fraction(0), Fraction(0)] for board in chain}
    for board, steps in chain.items():
        for (target, chips), chance in steps.items():
            gains[board][0] += chance * (target == OVER and chips > 0)
            gains[board][1] += chance * chips
    sums = expected_sums(transition_probabilities(chain), gains)
    return {name: Bet(*sums[board]) for name, board in start.items()}


def best_first(bets: Mapping[str, Bet]) -> dict[str, Bet]:
    """The bets by mean return, the highest first; ties stay in their order."""
    return dict(sorted(bets.items(), key=lambda named: -named[1].back))


def bet_quantities(bets: Mapping[str, Bet]) -> dict[str, Quantity]:
    """``chance``, ``return``, ``edge`` and ``fair_pay`` of each bet by its name, the best bet first.

    The fair pay of a winning chip, the stake included, makes the mean return one chip; a bet that cannot win has none.
    """
    ranked = best_first(bets)
    quantities = {
        "chance": by_bet({name: bet.chance for name, bet in ranked.items()}, "probability"),
        "return": by_bet({name: bet.back for name, bet in ranked.items()}, "chips"),
        "edge": by_bet({name: bet.edge for name, bet in ranked.items()}, "chips"),
    }
    fair = {name: 1 / bet.chance for name, bet in ranked.items() if bet.chance}
    return quantities | ({"fair_pay": by_bet(fair, "chips")} if fair else {})


def by_bet(numbers: Mapping[str, Fraction], unit: str) -> Quantity:
    """One exact number for each bet.

    >>> by_bet({"odd": Fraction(1, 2)}, "probability").exact
    {'odd': '1/2'}
    """
    return Quantity(
        {name: float(number) for name, number in numbers.items()},
        {name: below(number) for name, number in numbers.items()},
        {name: above(number) for name, number in numbers.items()},
        {name: str(number) for name, number in numbers.items()},
        unit,
    )
