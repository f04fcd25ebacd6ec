"""Positions of 421 as questions have them: chips, opener and results by seat, and the errors for impossible ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rollwise.games.four_two_one.rounds import DICE, NAMES, THROWS, Rounds, rounds_of
from rollwise.games.ranks import name_421
from rollwise.games.results import RoundResults
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.game import NodeKey, TurnGame


class FourTwoOneResults(RoundResults):
    """Throws of three dice, as 421 names them."""

    dice = DICE
    bare = True
    like = "4-2-1"

    @staticmethod
    def called(dice: Faces) -> str:
        """The name of a throw."""
        return name_421(dice)


class TableOf421(TurnGame):
    """Chips and results of a table, checked."""

    players: int
    chips: int
    pot: int

    @property
    def rounds(self) -> Rounds:
        """The states of a round."""
        return rounds_of(self.players)

    @property
    def all_chips(self) -> int:
        """The chips that players and pot hold at the start."""
        return self.players * self.chips + self.pot

    def can_be_chips(self, chips: Any) -> Any:
        """True where these can be the chips of a discharge, as columns, those of the opener first.

        Once chips have been put back, any can. Before that, a player has either one chip left from a 4-2-1 or no fewer
        than at the start; the opener after a 4-2-1 has one.
        """
        untouched = (chips >= self.chips).all(axis=0)
        after_421 = (chips[0] == 1) & ((chips == 1) | (chips >= self.chips)).all(axis=0)
        return (chips.sum(axis=0) < self.all_chips) | untouched | after_421

    def require_chips(self, pot: int, by_seat: Sequence[int]) -> None:
        """Raise StateError unless the pot and the players can have so many chips."""
        for seat, chips in enumerate(by_seat):
            if not chips:
                raise StateError(f"chips has 0 for seat {seat}, which has won", field="chips")
        players = f"{self.players} players"
        if not pot and sum(by_seat) > self.all_chips:
            raise StateError(
                f"chips are at most {self.all_chips} with {players}, got {'+'.join(map(str, by_seat))}={sum(by_seat)}",
                field="chips",
            )
        if pot and sum(by_seat) + pot != self.all_chips:
            raise StateError(
                f"chips and pot are {self.all_chips} together with {players}, "
                f"got chips {sum(by_seat)} and pot={pot} (0 once it has been empty)",
                hint="pot=0",
                field="chips",
            )
        if pot and min(by_seat) < self.chips:
            seat = by_seat.index(min(by_seat))
            raise StateError(
                f"chips are at least {self.chips} until the pot is empty, "
                f"got {by_seat[seat]} for seat {seat} (once it is empty say pot=0)",
                hint="pot=0",
                field="chips",
            )

    def require_opener(self, pot: int, by_seat: Sequence[int], opener: int) -> None:
        """Raise StateError where this seat cannot open a round with these chips."""
        if pot == self.pot and pot and opener:
            raise StateError(f"opener is seat 0 in the first round, got {opener}", field="opener")
        last = (opener - 1) % self.players
        if 0 < pot < self.pot and by_seat[last] == self.chips:
            takers = [seat for seat in range(self.players) if by_seat[seat] > self.chips]
            can = " or ".join(str((seat + 1) % self.players) for seat in takers)
            raise StateError(
                f"opener={opener} makes seat {last} throw last, which has taken no chips; it can be {can}",
                field="opener",
            )
        from_opener = np.array([[by_seat[(opener + place) % self.players]] for place in range(self.players)])
        if pot or self.can_be_chips(from_opener)[0]:
            return
        few = [chips for chips in by_seat if 1 < chips < self.chips]
        if few or min(by_seat) >= self.chips:
            raise StateError(
                f"chips with none put back yet are 1, or {self.chips} and more, for every seat, got {few[0]}",
                field="chips",
            )
        raise StateError(
            f"opener has 1 chip after a 4-2-1 with none put back yet, got {by_seat[opener]} for seat {opener}",
            field="opener",
        )

    def results_from(self, opener: int, results: Sequence[str | None]) -> tuple[int, ...]:
        """The results so far as places, the opener's first; raises StateError where a seat is left out."""
        listed = [results[(opener + place) % self.players] for place in range(self.players)]
        if all(listed):
            raise StateError(
                "results has every seat, so the round is over; give the chips that it left them", field="results"
            )
        count = sum(each is not None for each in listed)
        for place, each in enumerate(listed):
            if each is not None and place >= count:
                raise StateError(
                    f"results has {each} for seat {(opener + place) % self.players}, which has not rolled yet: "
                    f"seat {opener} opens this round",
                    field="results",
                )
        return tuple(NAMES[each] for each in listed if each is not None)

    def limit(self, pot: int, thrown: int, rolls: int | None) -> int:
        """The throws that the mover has; raises StateError where ``rolls`` does not fit."""
        if pot:
            if rolls not in (None, 1):
                raise StateError(f"rolls is 1 until the pot is empty, got {rolls}", field="rolls")
            return 1
        if not thrown:
            if rolls is not None:
                raise StateError(f"rolls={rolls} is the opener's, who has not rolled yet", field="rolls")
            return THROWS
        if rolls is None:
            raise StateError("rolls, the throws that the opener has used, is 1 to 3, got none", field="rolls")
        return rolls

    def turn_state(self, limit: int, roll: Faces | None, rolls_left: int | None) -> NodeKey:
        """The state of the turn in a question."""
        most = limit if roll is None else limit - 1
        n_left = most if rolls_left is None else rolls_left
        if roll is None and n_left != most:
            raise StateError(f"rolls_left is {most} before the first throw, got {n_left}", field="rolls_left")
        if n_left > most:
            raise StateError(
                f"rolls_left is at most {most} with a roll on the table, of {limit} allowed, got {n_left}",
                field="rolls_left",
            )
        return (n_left,) if roll is None else (n_left, roll)
