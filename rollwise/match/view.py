"""Where a match stands: its question, its moves, what is lying there, and whose it is."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from rollwise.answers.advice import Advice, MoveAdvice
from rollwise.answers.labels import counted
from rollwise.answers.outcomes import Outcomes
from rollwise.answers.spelling import plain_state, shown_state
from rollwise.asking.ask import answer
from rollwise.asking.outcomes import what_follows
from rollwise.asking.question import question, reachable, understood
from rollwise.match.spots import Spot, spots_of
from rollwise.parsing.consent import from_python
from rollwise.parsing.validate import checked, whole_number
from rollwise.solutions.games import StoredSolution, with_solved
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.model.cancellation import require_wanted
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.throws import Faces
from rollwise.solver.turn.query import moves_asked
from rollwise.solver.turn.successors import Thrown

Seen = TypeVar("Seen")


@dataclass
class Here:
    """Where a match stands: the question, whose it is, the move that was made, and the throws since."""

    state: dict[str, Any] | None
    mover: int
    move: str | None = None
    thrown: Thrown = ()


class MatchView:
    """A match as it stands, to be looked at; ``Match`` goes on from there.

    ``made`` is the game itself, with its rules. ``luck``: does nobody ever choose? ``hides``: are throws hidden from
    the other seats?
    """

    def _take_up(self, game: TurnGame, seed: Any, yes: bool) -> None:
        self.made, kind, self._yes = game, kind_of(game), yes
        self.parameters: dict[str, Any] = plain_parameters(game)
        self.game, self.title, self.unit = game.name, game.title, counted(game, self.parameters, {}).unit
        self.rules_version = game.rules_version
        self.seats = kind.n_seats(game)
        self.seed = None if seed is None else whole_number("seed", seed)
        self.luck, self.hides = not kind.chooses, kind.mixes
        self._lines: list[dict[str, Any]] = []

    def _stand(self, here: Here) -> None:
        require_wanted()
        self._here = here
        self._advice: Advice | None = None  # of the present question, once it was asked for

    def __repr__(self) -> str:
        state = "over" if self._here.state is None else f"seat {self.mover} at {shown_state(self._here.state)}"
        return f"<Match of {self.made}, {state}>"

    # --- where it stands ----------------------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, Any] | None:
        """The fields of the present question, as its mover sees them; None when the game is over."""
        return copy.deepcopy(self._here.state)

    @property
    def mover(self) -> int:
        """The seat that is asked, or throws; of a game that is over, the seat that moved last."""
        return self._here.mover

    @property
    def hidden(self) -> list[str]:
        """The names of those fields of the present question that only its mover sees."""
        if not self.hides or self.over or self.waiting:
            return []
        heard = self._look(lambda spot: spot.heard(self.moves[0].move))
        return [] if heard is None else [name for name in self.state or {} if name not in heard.fields]

    @checked
    def seen_by(self, seat: int) -> dict[str, Any] | None:
        """The fields of the present question as a seat sees them: dice that are hidden from it are left out."""
        unseen = [] if seat == self.mover else self.hidden
        state = self.state
        return None if state is None else {name: value for name, value in state.items() if name not in unseen}

    @property
    def over(self) -> bool:
        """Is there no further question?"""
        return self._here.state is None

    @property
    def result(self) -> list[float] | None:
        """What the game came to, by seat, in the game's unit; None while it goes on, and past a proven cut."""
        return list(self._lines[-1]["result"]) if self._lines and "result" in self._lines[-1] else None

    @property
    def waiting(self) -> bool:
        """Are dice to be thrown now?"""
        return not self.over and (self._here.move is not None or self.luck)

    @property
    def thrown(self) -> list[list[int]]:
        """The throws since the last move, where a further one is waited for."""
        return [list(dice) for dice in self._here.thrown]

    @property
    def move(self) -> str | None:
        """The move that was made and waits for its dice."""
        return self._here.move

    @property
    def moves(self) -> list[MoveAdvice]:
        """The moves of the present question, best first; none in games of luck, and while dice are waited for."""
        advice = None if self.luck else self.advice
        return list(advice.moves) if advice is not None else []

    @property
    def legal(self) -> list[str]:
        """The names of these moves in the game's own order, which tells nothing of their worth."""
        advised = {move.move for move in self.moves}
        if not advised:
            return []
        moves = [move.name for move in moves_asked(self.made, self._question()[1].state)]
        return [*(move for move in moves if move in advised), *sorted(advised - set(moves))]

    @property
    def advice(self) -> Advice | None:
        """What ``ask`` says of the present question; None where there is none, and while dice are waited for.

        In games of luck, where every question is a throw, it is their odds.
        """
        if self.over or self._here.move is not None:
            return None
        if self._advice is None:
            fields, position = self._question()
            with from_python(self._yes):
                self._advice = answer(self.made, fields, position, QueryOptions())
        return self._advice

    @property
    def next_throws(self) -> dict[Faces, Fraction]:
        """What can fall now, with its chance; nothing where no dice fall."""
        return self._look(lambda spot: spot.leads(self._here.move).next_throws(self._here.thrown))

    @checked
    def outcomes(self, move: str | None = None, *, each: bool = False) -> Outcomes:
        """What ``rollwise.outcomes`` says of a move of the present question; of the one that was made, by default."""
        if self.over:
            raise BadInput("the game is over")
        fields, position = self._question()
        with from_python(self._yes):
            return what_follows(self.made, fields, position, self._here.move if move is None else move, each=each)

    def _question(self) -> tuple[dict[str, Any], Position]:
        """Fields and position of the present question; raises BadInput where what was taken up is none."""
        return question(self.made, self._here.state or {})

    def _plain_state(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """All fields of a question, as JSON holds them."""
        return plain_state(understood(self.made, fields, self.made.locate(**fields)))

    def _look(self, look: Callable[[Spot], Seen]) -> Seen:
        """What the solved game says of the present question."""
        fields, position = self._question()

        def look_there(stored: StoredSolution) -> Seen:
            return look(spots_of(stored.opened).at(fields, position))

        with from_python(self._yes):
            return with_solved(self.made, reachable(self.made, fields, position), look_there)
