"""Bets: what a chip staked on each of them brings back, exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from rollwise.solver.chains.chain import collapse
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.outcome import Numbers, outcome
from rollwise.solver.game.rounding import above, below
from rollwise.solver.game.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph


@dataclass(frozen=True)
class Bet:
    """The chance that a bet wins, and the chips that one chip on it brings back on average, the stake included."""

    chance: Fraction
    back: Fraction

    @property
    def edge(self) -> Fraction:
        """What the house keeps of a chip on average; below 0 where the player gains."""
        return 1 - self.back


def bet_on(
    game: TurnGame, graph: TurnGraph, board: Mapping[str, int], wins: Callable[[Any], bool] | None = None
) -> Bet:
    """The bet that a board is, throw by throw to its end, as ``turn`` throws and ``settle`` pays.

    Turns have one root and no choices, and no turn comes back to a board. ``wins(result)`` says whether the result of
    the last turn wins; by default it does if anything is brought back.
    """
    turn = [(graph.results[graph.leaves[leaf].result], chance) for leaf, chance in collapse(graph, int(graph.roots[0]))]

    @cache
    def on(here: Numbers) -> Bet:
        won, back = Fraction(0), Fraction(0)
        for result, chance in turn:
            said = outcome(game, here, result)
            if said.following is None:
                after = Bet(Fraction(wins(result) if wins else said.worth > 0), said.worth)
            else:
                ahead = on(said.following)
                after = Bet(ahead.chance, said.worth + ahead.back)
            won, back = won + chance * after.chance, back + chance * after.back
        return Bet(won, back)

    return on(tuple(board[name] for name in game.boards().names))


def best_first(bets: Mapping[str, Bet]) -> dict[str, Bet]:
    """The bets by what they bring back, the most first; equally good ones stay in the order given."""
    return dict(sorted(bets.items(), key=lambda named: -named[1].back))


def bet_quantities(bets: Mapping[str, Bet]) -> dict[str, Quantity]:
    """``chance``, ``return``, ``edge`` and ``fair_pay`` of each bet by its name, the best bet first.

    The fair pay is what a winning chip would have to bring back, the stake included, for a return of one chip; a bet
    that cannot win has none.
    """
    ranked = best_first(bets)
    found = {
        "chance": by_bet({name: bet.chance for name, bet in ranked.items()}, "probability"),
        "return": by_bet({name: bet.back for name, bet in ranked.items()}, "chips"),
        "edge": by_bet({name: bet.edge for name, bet in ranked.items()}, "chips"),
    }
    fair = {name: 1 / bet.chance for name, bet in ranked.items() if bet.chance}
    return found | ({"fair_pay": by_bet(fair, "chips")} if fair else {})


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
