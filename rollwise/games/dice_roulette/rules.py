"""Dice Roulette: stake chips on the sum of two dice, or on a range of sums, against a banker.

Number 18 of TACTIC's 21 dice games. The pays of the numbers stand in a diagram that we do not have; the text has only
that a chip on 9 brings back 7. The other numbers' pays are assumed, and marked so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.markov_chains.bets import Bet, best_first, bet_quantities, bets_on, by_bet
from rollwise.solver.model.dice import Faces, grouped
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import Field, Form, choice_form, pairs_form
from rollwise.solver.model.game import (
    Boards,
    Columns,
    End,
    LuckTransition,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    chance_of,
    parameter,
)
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import WHOLE, is_nothing, quoted, whole
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

THROWN = dict(grouped(2, sum))  # sums of two dice, with their ways
NUMBERS = range(2, 13)
STATED = {9: Fraction(7)}  # the return of a chip on this number in the sheet's example
ASSUMED = "assumed"
EVEN_MONEY = {"under 7": range(2, 7), "over 7": range(8, 13), "odd": range(3, 13, 2), "even": range(2, 13, 2)}
BETS = (*map(str, NUMBERS), *EVEN_MONEY)
ALL = 0  # the board of a chip on every space; then come the bets
MAX_PAY_CHIPS = 10_000
PARTS = 100  # a pay has at most two decimals
PAY = re.compile(r"[0-9]{1,5}(\.[0-9]{1,2})?")


def assumed_pay(number: int) -> Fraction:
    """7/9 of the fair pay, rounded down: this gives the 7 for 9 that the sheet states, and may be wrong elsewhere.

    >>> [int(assumed_pay(number)) for number in NUMBERS]
    [28, 14, 9, 7, 5, 4, 5, 7, 9, 14, 28]
    """
    fair = Fraction(sum(THROWN.values()), THROWN[number])
    return Fraction(floor(Fraction(7, 9) * fair))


@dataclass(frozen=True)
class BetName(Field):
    """One of the bets, by its name."""

    @property
    def form(self) -> Form:
        """One of the bets."""
        return choice_form(BETS)

    def read(self, value: Any) -> str:
        """The name of the bet on the board."""
        name = matched(value if whole(value) is None else str(whole(value)), BETS)
        if name is None:
            raise StateError(f"{self.name} is one of {', '.join(BETS)}, got {quoted(value)}")
        return name

    def joins(self, word: str) -> bool:
        """Always true: names of bets contain spaces."""
        return True


@dataclass(frozen=True)
class DiceRoulette(TurnGame):
    """Bets; a board is the space with a chip on it, the one throw a turn, the value the chips that come back."""

    name = "dice-roulette"
    labels: ClassVar = {"bet": "Your bet"}
    title = "Dice Roulette"
    source = "TACTIC rules for dice games"
    rules = (
        "Stake chips on as many spaces as you like, then the banker throws two dice. A number from 2 to 12 wins if it "
        "is their sum; under 7, over 7, odd and even win as much as was staked if the sum is such a number (7 is odd, "
        "and neither under nor over). The sheet says that a chip on 9 brings back 7 in all; what the other numbers pay "
        "is only in its diagram, which we do not have. We assume 7/9 of the fair pay, rounded down, which for 9 gives "
        "that 7; pays=2:28,3:14 sets the pays of your table, and numbers left out of it keep what is assumed. All "
        "figures are for one chip staked; what comes back includes that chip."
    )
    kind = "alone"
    outcome = "return"
    outcome_unit = "chips"
    measure = "points"
    unit = "chips"
    total = 0
    cyclic = False

    pays: str = parameter(
        f"9:7,{ASSUMED}",
        "chips that a winning chip brings back in all, by number, e.g. 2:28,3:14; default 7 for 9, the rest assumed",
        form=pairs_form(NUMBERS, "number", range(MAX_PAY_CHIPS + 1), "chips", step=1 / PARTS),
    )

    def __post_init__(self) -> None:
        """Check the pay table, and write it in one canonical form."""
        super().__post_init__()
        named = sorted((STATED | self._pays_of_parameter()).items())
        rest = [ASSUMED] if len(named) < len(NUMBERS) else []
        object.__setattr__(self, "pays", ",".join([*(f"{number}:{_shown(pay)}" for number, pay in named), *rest]))

    def _pays_of_parameter(self) -> dict[int, Fraction]:
        """The pays that the parameter names, as text or (from Python) as a mapping."""
        parameter_name = f"'{self.name}' parameter pays"
        pays: Any = self.pays
        if isinstance(pays, Mapping):
            pays = ",".join(f"{number}:{pay}" for number, pay in pays.items())
        if not isinstance(pays, str):
            raise ParameterError(f"{parameter_name} is a list like 2:28,3:14, got {quoted(pays)}")
        by_number: dict[int, Fraction] = {}
        for part in pays.split(","):
            if is_nothing(part) or matched(part.strip(), (ASSUMED,)) is not None:
                continue
            number, colon, pay = (word.strip() for word in part.partition(":"))
            if not colon:
                raise ParameterError(f"{parameter_name} is a list like 2:28,3:14, got {quoted(part)}")
            if not WHOLE.fullmatch(number) or int(number) not in NUMBERS:
                raise ParameterError(f"{parameter_name} names numbers from 2 to 12, got {quoted(number)}")
            if int(number) in by_number:
                raise ParameterError(f"{parameter_name} names {number} twice")
            if not PAY.fullmatch(pay) or Fraction(pay) > MAX_PAY_CHIPS:
                raise ParameterError(
                    f"{parameter_name} of {number} is from 0 to {MAX_PAY_CHIPS} chips, like 7 or 6.5, got {quoted(pay)}"
                )
            by_number[int(number)] = Fraction(pay)
        return by_number

    @cached_property
    def named_pays(self) -> dict[int, Fraction]:
        """The pays of numbers that the sheet or the parameter names."""
        return self._pays_of_parameter()

    def pay(self, bet: str) -> Fraction:
        """The return of a winning chip on this bet, the chip included."""
        if bet in EVEN_MONEY:
            return Fraction(2)
        return self.named_pays[int(bet)] if int(bet) in self.named_pays else assumed_pay(int(bet))

    def back(self, bet: str, thrown: int) -> Fraction:
        """The return of a chip on this bet for this sum."""
        return self.pay(bet) if wins(bet, thrown) else Fraction(0)

    def boards(self) -> Boards:
        """``bet``: a chip on every space (0), or on one of ``BETS``, counted from 1."""
        return Boards(bet=1 + len(BETS))

    def turn(self) -> Node:
        """The banker throws two dice."""
        return chance_of(grouped(2, sum), End)

    def transition(self, board: Columns, thrown: int) -> Transition:
        """Every bet is settled by the one throw."""
        return Transition(over=True, reward=self.returned[thrown][board.bet], per=PARTS)

    @cached_property
    def returned(self) -> dict[int, NDArray[np.int64]]:
        """The return of each board, in hundredths of a chip, by the sum thrown."""
        by_sum = {}
        for thrown in NUMBERS:
            each = [self.back(bet, thrown) for bet in BETS]
            by_sum[thrown] = np.array([int(PARTS * chips) for chips in (sum(each), *each)])
        return by_sum

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The bet."""
        return [BetName("bet", f"one bet only: {', '.join(BETS)}; left out: all of them")]

    def locate(self, bet: str | None = None) -> Position:
        """The position of a question."""
        return Position({"bet": ALL if bet is None else 1 + BETS.index(bet)}, ())

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The name of the bet."""
        yield {} if board["bet"] == ALL else {"bet": BETS[board["bet"] - 1]}

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> LuckTransition:
        """The return of a chip on the bet."""
        if "bet" not in fields:
            raise StateError("what a throw brings depends on the bet", hint=f"bet={BETS[0]}", field="bet")
        return LuckTransition(None, (self.back(fields["bet"], sum(thrown)),))

    def quantities(self, graph: TurnGraph, fields: Mapping[str, Any]) -> dict[str, Quantity]:
        """The odds of the bet in the question, or of all, and their pays; ``assumed_pays`` are not on any sheet."""
        bets = (fields["bet"],) if "bet" in fields else BETS
        ranked = best_first(self.odds(graph, bets))
        assumed = [bet for bet in ranked if bet not in EVEN_MONEY and int(bet) not in self.named_pays]
        pays = {bet: self.pay(bet) for bet in ranked}
        return {
            **bet_quantities(ranked),
            **_of("pays", {bet: pay for bet, pay in pays.items() if bet not in assumed}),
            **_of("assumed_pays", {bet: pay for bet, pay in pays.items() if bet in assumed}),
        }

    def odds(self, graph: TurnGraph, bets: Sequence[str] = BETS) -> dict[str, Bet]:
        """Chance and return of a chip on each of these bets."""
        boards = {bet: self.locate(bet).board for bet in bets}
        unpaid = {bet: board for bet, board in boards.items() if not self.pay(bet)}
        # the chance of a bet that pays nothing is computed with a pay of one chip
        paid = bets_on(replace(self, pays=dict.fromkeys(unpaid, 1)), graph, unpaid)  # type: ignore[arg-type]
        return bets_on(self, graph, boards) | {bet: Bet(bet_odds.chance, Fraction(0)) for bet, bet_odds in paid.items()}


def wins(bet: str, thrown: int) -> bool:
    """True if this bet wins with this sum."""
    return thrown in EVEN_MONEY[bet] if bet in EVEN_MONEY else thrown == int(bet)


def _of(name: str, numbers: Mapping[str, Fraction]) -> dict[str, Quantity]:
    return {name: by_bet(numbers, "chips")} if numbers else {}


def _shown(pay: Fraction) -> str:
    """A pay as typed: 7 or 6.5."""
    return str(pay.numerator) if pay.denominator == 1 else str(float(pay))
