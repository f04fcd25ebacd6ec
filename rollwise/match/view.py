"""Read access to a match: its present question, its moves, its dice, and the seat to move."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from rollwise.arguments import check_arguments
from rollwise.match.spots import Spot, spot_cache_of
from rollwise.parsing.consent import python_consent
from rollwise.parsing.validate import parse_whole_number
from rollwise.questions.ask.compute import answer
from rollwise.questions.ask.data import Advice, MoveAdvice
from rollwise.questions.outcomes.compute import outcomes_after
from rollwise.questions.outcomes.data import Outcomes
from rollwise.questions.question import full_state, question, reachable
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, answer_from_solution
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.model.cancellation import raise_if_cancelled
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.jsonable import as_json
from rollwise.solver.model.throws import Faces
from rollwise.solver.turn.questions import question_moves
from rollwise.solver.turn.successors import Thrown
from rollwise.text.labels import measure_of
from rollwise.text.spelling import shown_state

Result = TypeVar("Result")


@dataclass
class MatchState:
    """The present question, the seat to move, the move that waits for its dice, and the throws since."""

    state: dict[str, Any] | None
    mover: int
    move: str | None = None
    thrown: Thrown = ()


class MatchView:
    """A match as it stands, read-only; ``Match`` adds the moves and throws.

    ``turn_game`` is the game with its rules. ``luck``: no player has a choice. ``hides``: throws are hidden.
    """

    def _set_game(self, game: TurnGame, seed: Any, yes: bool) -> None:
        self.turn_game, kind, self._yes = game, kind_of(game), yes
        self.parameters: dict[str, Any] = plain_parameters(game)
        self.game, self.title, self.unit = game.name, game.title, measure_of(game, self.parameters, {}).unit
        self.rules_version = game.rules_version
        self.seats = kind.n_seats(game)
        self.seed = None if seed is None else parse_whole_number("seed", seed)
        self.luck, self.hides = not kind.has_decisions, kind.is_mixed
        self._lines: list[dict[str, Any]] = []

    def _set_state(self, here: MatchState) -> None:
        raise_if_cancelled()
        self._now = here
        self._advice: Advice | None = None  # of the present question, once computed

    def __repr__(self) -> str:
        state = "over" if self._now.state is None else f"seat {self.mover} at {shown_state(self._now.state)}"
        return f"<Match of {self.turn_game}, {state}>"

    # --- the present question -----------------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, Any] | None:
        """The fields of the present question, as its mover sees them; None when the game is over."""
        return copy.deepcopy(self._now.state)

    @property
    def mover(self) -> int:
        """The seat to move or to throw; in a finished game the seat that moved last."""
        return self._now.mover

    @property
    def hidden(self) -> list[str]:
        """The names of those fields of the present question that only its mover sees."""
        if not self.hides or self.over or self.waiting:
            return []
        reply_spot = self._at_spot(lambda spot: spot.reply_spot(self.moves[0].move))
        return [] if reply_spot is None else [name for name in self.state or {} if name not in reply_spot.fields]

    @check_arguments
    def seen_by(self, seat: int) -> dict[str, Any] | None:
        """Fields of the present question as a seat sees them, without the dice that are hidden from it."""
        unseen = [] if seat == self.mover else self.hidden
        state = self.state
        return None if state is None else {name: value for name, value in state.items() if name not in unseen}

    @property
    def over(self) -> bool:
        """True if the game is over."""
        return self._now.state is None

    @property
    def result(self) -> list[float] | None:
        """The result by seat, in the game's unit; None while the game goes on, and past a proven cut."""
        return list(self._lines[-1]["result"]) if self._lines and "result" in self._lines[-1] else None

    @property
    def waiting(self) -> bool:
        """True if dice are to be thrown now."""
        return not self.over and (self._now.move is not None or self.luck)

    @property
    def thrown(self) -> list[list[int]]:
        """The throws since the last move, while a further one is expected."""
        return [list(dice) for dice in self._now.thrown]

    @property
    def move(self) -> str | None:
        """The last move, while its dice are expected; else None."""
        return self._now.move

    @property
    def moves(self) -> list[MoveAdvice]:
        """Moves of the present question, best first; none in games of luck, and while dice are expected."""
        advice = None if self.luck else self.advice
        return list(advice.moves) if advice is not None else []

    @property
    def legal(self) -> list[str]:
        """The names of these moves in the game's own order, which does not reveal their values."""
        advised = {move.move for move in self.moves}
        if not advised:
            return []
        moves = [move.name for move in question_moves(self.turn_game, self._question()[1].state)]
        return [*(move for move in moves if move in advised), *sorted(advised - set(moves))]

    @property
    def advice(self) -> Advice | None:
        """Answer of ``ask`` to the present question; None in a finished game, and while dice are expected.

        In games of luck, where every question is a throw, it has the odds.
        """
        if self.over or self._now.move is not None:
            return None
        if self._advice is None:
            fields, position = self._question()
            with python_consent(self._yes):
                self._advice = answer(self.turn_game, fields, position, QueryOptions())
        return self._advice

    @property
    def next_throws(self) -> dict[Faces, Fraction]:
        """Throws that can fall now, with their chances; empty if no dice fall."""
        return self._at_spot(lambda spot: spot.branches(self._now.move).next_throws(self._now.thrown))

    @check_arguments
    def outcomes(self, move: str | None = None, *, each: bool = False) -> Outcomes:
        """Answer of ``rollwise.outcomes`` to a move of the present question, by default to the move already made."""
        if self.over:
            raise BadInput("the game is over")
        fields, position = self._question()
        with python_consent(self._yes):
            return outcomes_after(self.turn_game, fields, position, self._now.move if move is None else move, each=each)

    def _question(self) -> tuple[dict[str, Any], Position]:
        """Fields and position of the present question; raises BadInput if the state is none of the game."""
        return question(self.turn_game, self._now.state or {})

    def _plain_state(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """All fields of a question as JSON values."""
        return dict(as_json(full_state(self.turn_game, fields, self.turn_game.locate(**fields))))

    def _at_spot(self, look: Callable[[Spot], Result]) -> Result:
        """Apply a function to the spot of the present question, in the solved game."""
        fields, position = self._question()

        def look_there(stored: StoredSolution) -> Result:
            return look(spot_cache_of(stored.solution).at(fields, position))

        with python_consent(self._yes):
            return answer_from_solution(self.turn_game, reachable(self.turn_game, fields, position), look_there)
