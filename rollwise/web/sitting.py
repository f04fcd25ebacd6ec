"""A game on the page: a match, who sits where, how dice fall, and what one step does.

Nothing of it is kept between steps; the page carries it, but for games whose dice are hidden (``kept``).

Dice that the program throws come from the seed that was named, which the page then knows, as whoever named it does.
Where none was named they come from the game's ``lot`` and a key that never leaves this process: a page cannot compute
them ahead, and a step that is taken back and done again brings the same dice.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from rollwise.asking.question import question
from rollwise.match.looks import cost_lines
from rollwise.match.match import Match
from rollwise.match.seats import best_move, taken_back
from rollwise.solver.model.errors import BadInput
from rollwise.solver.turn.query import moves_asked
from rollwise.text.screen import Screen
from rollwise.web.texts import text

KEY = secrets.token_bytes(32)
MOST_STEPS = 400  # moves and throws of the program in one step of the page
SCREEN = Screen(marks=False)


def new_lot() -> str:
    """What dice without a seed depend on."""
    return secrets.token_urlsafe(12)


def seats_of(names: str, seats: int) -> tuple[int, ...]:
    """Seats of people, ``0,2``; what is none of so many is left out."""
    return tuple(seat for seat in range(seats) if str(seat) in names.split(","))


@dataclass
class Sitting:
    """A match with its people: ``humans`` are their seats, all others are the best player's.

    ``thrown``: the program throws for all; else dice are typed, but for hidden dice of the best player. ``coach``: what
    moves are worth is told. ``viewer``: the seat whose eyes are on the page, where dice are hidden.
    """

    match: Match
    humans: tuple[int, ...]
    thrown: bool = True
    coach: bool = False
    lot: str = field(default_factory=new_lot)
    viewer: int | None = None
    cost: str = ""  # of the last move, in words
    since: int = 0  # lines of the record before this step

    # --- what is done -------------------------------------------------------------------------------------------------

    def play(self, move: str) -> None:
        """A person makes a move; then all that nobody has to do follows."""
        advice, seat = self.match.advice, self.match.mover
        with self._dice():
            made = self.match.play(move)
        if self.coach and advice is not None and len(advice.moves) > 1:
            self.cost = " ".join(cost_lines(advice, made, SCREEN)) if self._sees(seat) else ""
        self.go_on()

    def throw(self, dice: str | None = None) -> None:
        """Dice fall, or are said; then all that nobody has to do follows."""
        with self._dice():
            self.match.throw(dice)
        self.go_on()

    def take_back(self) -> None:
        """Back to the last decision of a person, or in games of luck to a person's last throw."""
        if not self.can_take_back:
            raise BadInput(text("play.nothing_back"))
        self.match = taken_back(self.match, self.humans)
        while self.match.luck and self.thrown and self.humans and self.match.mover not in self.humans:
            self.match = taken_back(self.match, self.humans)
        self.since = self.lines

    @property
    def can_take_back(self) -> bool:
        """Was the last choice that a person had among several moves that of who looks on now?

        In games of luck, where nobody chooses: has a person thrown?
        """
        match = self.match
        lines = match.record()[1:]
        if match.luck:
            mine = range(match.seats) if not self.thrown else self.humans
            return bool(match.thrown) or any("thrown" in line and line["seat"] in mine for line in lines)
        chosen = (line for line in reversed(lines) if "choice" in line and line["seat"] in self.humans)
        last = next((line["seat"] for line in chosen if self._was_free(line["state"])), None)
        return last is not None and (last == self.eyes or not self.is_shared or match.over)

    def _was_free(self, state: Mapping[str, Any]) -> bool:
        """Was there more than one move?"""
        made = self.match.made
        return len(moves_asked(made, question(made, state)[1].state)) > 1

    def go_on(self, to_the_end: bool = False) -> None:
        """What the program does, until a person is asked; where people only look on, one turn, or all."""
        for _ in range(MOST_STEPS):
            match = self.match
            if match.over or not self.goes_on:
                return
            seat, is_throw = match.mover, match.waiting
            with self._dice():
                if is_throw:
                    match.throw()
                else:
                    match.play(match.legal[0] if seat in self.humans else best_move(match))
            turn_is_over = match.mover != seat or match.seats == 1 or match.luck
            if not self.humans and not to_the_end and turn_is_over and not (match.move is not None):
                return

    @property
    def goes_on(self) -> bool:
        """Does the program do what comes next?"""
        match = self.match
        own = match.mover in self.humans
        if match.waiting:
            return self.thrown and match.move is not None if own else self.thrown or match.hides
        return not own or (not self.thrown and len(match.legal) == 1)

    @contextmanager
    def _dice(self) -> Iterator[None]:
        """Dice of this game's lot, where no seed was named."""
        match, seed = self.match, self.match.seed
        if seed is None:
            match.seed = int.from_bytes(hmac.digest(KEY, self.lot.encode(), "sha256"), "big")
        try:
            yield
        finally:
            match.seed = seed

    # --- who sees what ------------------------------------------------------------------------------------------------

    @property
    def lines(self) -> int:
        """How long the record is."""
        return len(self.match.record()) - 1

    @property
    def is_shared(self) -> bool:
        """Are dice hidden, and several people at one screen?"""
        return self.match.hides and len(self.humans) > 1

    @property
    def covered(self) -> bool:
        """Is it somebody else's turn to look at the screen?"""
        return self.is_shared and not self.match.over and self.viewer != self.match.mover

    @property
    def eyes(self) -> int | None:
        """The seat that sees its own hidden dice now; None for nobody."""
        if self.covered or not self.humans:
            return None
        return self.match.mover if self.is_shared else self.humans[0]

    def _sees(self, seat: int) -> bool:
        return not self.match.hides or seat == self.eyes

    @property
    def is_open(self) -> bool:
        """May the page know the whole record?"""
        return not self.match.hides or self.match.over

    # --- dice that are typed ------------------------------------------------------------------------------------------

    def falling(self) -> tuple[list[int], int]:
        """How many dice may fall next, and the highest face."""
        throws = self.match.next_throws
        if not throws:
            raise BadInput("no dice fall here")
        return sorted({len(dice) for dice in throws}), max(max(dice) for dice in throws if dice)
