"""A game on the page: a match with its people, and the steps of the program between theirs.

The page has its state between steps, except with hidden dice (``MatchStore``). The program's dice come from the
seed, which then the page has too; without a seed from the game's ``lot`` and a key that never leaves this process: a
page cannot compute them ahead, and a step that is taken back and made again brings the same dice.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from rollwise.match.match import Match, best_move, undo_to_decision
from rollwise.match.play_lines import cost_lines
from rollwise.questions.question import question
from rollwise.solver.model.errors import BadInput
from rollwise.solver.turn.questions import question_moves
from rollwise.text.screen import Screen
from rollwise.web.labels import text

SECRET_KEY = secrets.token_bytes(32)
MAX_PROGRAM_STEPS = 400  # moves and throws in one step of the page
SCREEN = Screen(marks=False)


def new_lot() -> str:
    """Draw the lot on which dice without a seed depend."""
    return secrets.token_urlsafe(12)


def parse_seats(names: str, seats: int) -> tuple[int, ...]:
    """Parse the seats of people, ``0,2``; invalid seats are dropped."""
    return tuple(seat for seat in range(seats) if str(seat) in names.split(","))


@dataclass
class Sitting:
    """A match with its people: ``humans`` are their seats, all others are the best player's.

    ``thrown``: the program throws for all; else dice are typed, except hidden dice of the best player. ``coach``: the
    page shows values of moves. ``viewer``: the seat that looks at the page, if dice are hidden.
    """

    match: Match
    humans: tuple[int, ...]
    thrown: bool = True
    coach: bool = False
    lot: str = field(default_factory=new_lot)
    viewer: int | None = None
    cost: str = ""  # of the last move, in words
    since: int = 0  # lines of the record before this step

    # --- steps --------------------------------------------------------------------------------------------------------

    def play(self, move: str) -> None:
        """Play a person's move, then all steps of the program."""
        advice, seat = self.match.advice, self.match.mover
        with self._dice():
            played = self.match.play(move)
        if self.coach and advice is not None and len(advice.moves) > 1:
            self.cost = (
                " ".join(cost_lines(advice, played, SCREEN)) if not self.match.hides or seat == self.eyes else ""
            )
        self.go_on()

    def throw(self, dice: str | None = None) -> None:
        """Throw or enter dice, then make all steps of the program."""
        with self._dice():
            self.match.throw(dice)
        self.go_on()

    def take_back(self) -> None:
        """Undo to the last decision of a person, or in games of luck to a person's last throw."""
        if not self.can_take_back:
            raise BadInput(text("play.nothing_back"))
        self.match = undo_to_decision(self.match, self.humans)
        while self.match.luck and self.thrown and self.humans and self.match.mover not in self.humans:
            self.match = undo_to_decision(self.match, self.humans)
        self.since = self.lines

    @property
    def can_take_back(self) -> bool:
        """True if the last decision of a person was the viewer's; in games of luck, if a person has thrown."""
        match = self.match
        lines = match.record()[1:]
        if match.luck:
            mine = range(match.seats) if not self.thrown else self.humans
            return bool(match.thrown) or any("thrown" in line and line["seat"] in mine for line in lines)
        chosen = (line for line in reversed(lines) if "choice" in line and line["seat"] in self.humans)
        last = next((line["seat"] for line in chosen if self._had_choice(line["state"])), None)
        return last is not None and (last == self.eyes or not self.is_shared or match.over)

    def _had_choice(self, state: Mapping[str, Any]) -> bool:
        """True if the state has several moves."""
        game = self.match.turn_game
        return len(question_moves(game, question(game, state)[1].state)) > 1

    def go_on(self, to_the_end: bool = False) -> None:
        """Make the program's steps up to a person's; without people one turn, or all of them."""
        for _ in range(MAX_PROGRAM_STEPS):
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
        """True if the next step is the program's."""
        match = self.match
        own = match.mover in self.humans
        if match.waiting:
            return self.thrown and match.move is not None if own else self.thrown or match.hides
        return not own or (not self.thrown and len(match.legal) == 1)

    @contextmanager
    def _dice(self) -> Iterator[None]:
        """Set the seed of this game's lot, unless the match has one."""
        match, seed = self.match, self.match.seed
        if seed is None:
            match.seed = int.from_bytes(hmac.digest(SECRET_KEY, self.lot.encode(), "sha256"), "big")
        try:
            yield
        finally:
            match.seed = seed

    # --- visibility ---------------------------------------------------------------------------------------------------

    @property
    def lines(self) -> int:
        """Number of lines of the record after the first."""
        return len(self.match.record()) - 1

    @property
    def is_shared(self) -> bool:
        """True if dice are hidden, and several people share the screen."""
        return self.match.hides and len(self.humans) > 1

    @property
    def covered(self) -> bool:
        """True if the screen has to be handed to another person."""
        return self.is_shared and not self.match.over and self.viewer != self.match.mover

    @property
    def eyes(self) -> int | None:
        """The seat whose hidden dice the page shows; None if there is none."""
        if self.covered or not self.humans:
            return None
        return self.match.mover if self.is_shared else self.humans[0]

    @property
    def is_open(self) -> bool:
        """True if the page may have the whole record."""
        return not self.match.hides or self.match.over

    # --- typed dice ---------------------------------------------------------------------------------------------------

    def falling(self) -> tuple[list[int], int]:
        """Numbers of dice that may fall next, and the highest face."""
        throws = self.match.next_throws
        if not throws:
            raise BadInput("no dice fall here")
        return sorted({len(dice) for dice in throws}), max(max(dice) for dice in throws if dice)


# --- stored matches ---------------------------------------------------------------------------------------------------

MATCH_LIFETIME_S = 3600.0
MAX_MATCHES = 300  # each at most as large as a record on a page


@dataclass(frozen=True)
class StoredMatch:
    """A match as plain data; ``step`` counts how often it was stored."""

    plain: dict[str, Any]
    step: int
    at: float


class MatchStore:
    """Matches by name, least recently stored first, which are dropped first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, max_matches: int = MAX_MATCHES) -> None:
        self._clock, self._max_matches = clock, max_matches
        self._stored: OrderedDict[str, StoredMatch] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._stored)

    def put(self, name: str | None, plain: dict[str, Any], step: int = 0) -> tuple[str, int] | None:
        """Store a match under a new name, or as the successor of ``step``; None if that is not its last step."""
        with self._lock:
            self._drop_old()
            if name is None:
                name = secrets.token_urlsafe(24)
            elif name not in self._stored or self._stored[name].step != step:
                return None
            self._stored[name] = StoredMatch(plain, step + 1, self._clock())
            self._stored.move_to_end(name)
            while len(self._stored) > self._max_matches:
                self._stored.popitem(last=False)
            return name, step + 1

    def get(self, name: str) -> StoredMatch | None:
        """The match of this name; None if there is none, or it has expired."""
        with self._lock:
            self._drop_old()
            return self._stored.get(name)

    def _drop_old(self) -> None:
        while self._stored and next(iter(self._stored.values())).at < self._clock() - MATCH_LIFETIME_S:
            self._stored.popitem(last=False)
