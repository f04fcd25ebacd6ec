"""Self-play of the best player, and the decisions that it reaches, as positions for a quiz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from rollwise.questions.question import all_fields
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Floats, Question, Report, Solution
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.rounding import down, up
from rollwise.solver.turn.query import VALUE, Turns
from rollwise.solver.turn.questions import LegalMove, moves_left_out, question_moves
from rollwise.solver.turn.ranked_moves import RankedMoves

N_PARALLEL_GAMES = 16  # the turns of so many boards are backed up together
MAX_QUESTIONS_PER_DECISION = 20  # forced ones included; play then stops


@dataclass(frozen=True)
class QuizDecision:
    """A decision reached in play: all its fields, its position, and its moves in the game's own order.

    ``values``: float64, shape (moves, 3), (value, lower, upper) of each; ``sense``: max or min for the mover.
    ``probabilities``: by move, where the best play is a mix.
    """

    fields: Mapping[str, Any]
    position: Position
    moves: Sequence[LegalMove]
    values: Floats
    sense: str
    probabilities: Sequence[float] | None

    @cached_property
    def ranked(self) -> RankedMoves:
        """The moves, best first, with their losses."""
        return RankedMoves(self.values[None], self.sense)

    @property
    def best(self) -> LegalMove:
        """The best move."""
        return self.moves[int(self.ranked.order[0, 0])]

    @cached_property
    def losses(self) -> list[float]:
        """The loss of each move."""
        losses: list[float] = self.ranked.loss[0].tolist()
        return losses

    @property
    def second_loss(self) -> float:
        """The loss of the second-best move, or of the best move outside a mix; 0 without one."""
        if self.probabilities is None:
            return float(self.ranked.second_loss[0])
        return min((self.losses[place] for place in range(len(self.moves)) if not self.is_right(place)), default=0.0)

    def is_right(self, place: int) -> bool:
        """True for a move without loss, and for a move of the mix."""
        return self.losses[place] <= 0 or bool(self.probabilities and self.probabilities[place])


class DecisionLog:
    """The decisions of so many whole ``games``: all ``questions``, and ``decisions``, those with a choice.

    ``differ`` counts different decisions; ``positions`` are those in which the second-best move costs more than
    ``costs``, ``dearest`` is the largest such cost. ``broken_off``: True if the last games were stopped early.
    """

    def __init__(self, game: TurnGame, costs: float) -> None:
        self.space, self.costs, self.dearest = game.boards(), costs, 0.0
        self.games = self.decisions = self.questions = 0
        self.broken_off = False
        self.positions: list[QuizDecision] = []
        self._positions_met: set[tuple[int, Any]] = set()

    @property
    def differ(self) -> int:
        """The number of different decisions, by board and state."""
        return len(self._positions_met)

    def add(self, decision: QuizDecision) -> None:
        """Count a question, and store it if it qualifies."""
        if len(decision.moves) < 2:
            return
        self.decisions += 1
        key = self.space.index_of(**decision.position.board), decision.position.state
        if key not in self._positions_met:
            self._positions_met.add(key)
            self.dearest = max(self.dearest, decision.second_loss)
            self.positions += [decision] if decision.second_loss > self.costs else []


class ReadyTurns:
    """The moves of positions, from the turns of their boards, many of which are backed up together."""

    def __init__(self, solution: Solution) -> None:
        self.solution, self.game = solution, solution.game
        self.mixes = kind_of(self.game).is_mixed
        self.space = self.game.boards()
        self.turns: dict[int, tuple[Turns, int]] = {}  # by board: the turns, and its lane in them

    def board(self, position: Position) -> int:
        """The index of the board of a position."""
        return self.space.index_of(**position.board)

    def ready(self, boards: Sequence[int]) -> None:
        """Back up the turns of these boards, and drop all others."""
        self.turns = {}
        if self.mixes:
            return
        indices = np.unique(np.array(boards, dtype=np.int64))
        roots = np.broadcast_to(np.asarray(self.game.root(self.space.columns(indices))), len(indices))
        for root in np.unique(roots).tolist():
            group = indices[roots == root]
            turns = self.solution.turns(group)
            self.turns |= {board: (turns, lane) for lane, board in enumerate(group.tolist())}

    def is_ready(self, board: int) -> bool:
        """True if the turns of this board are backed up."""
        return self.mixes or board in self.turns

    def listed(self, position: Position) -> list[LegalMove]:
        """The moves of a position, including those that are illegal on its board."""
        game = self.game
        return [*question_moves(game, position.state), *moves_left_out(game, position.board, position.state, False)]

    def decision_at(self, state: Mapping[str, Any], position: Position) -> QuizDecision:
        """The decision at a position of a ready board; ``state``: fields of its question."""
        fields = all_fields(self.game, state, position)
        board = self.board(position)
        all_moves = self.listed(position)
        if self.mixes:
            by_name = {worth.move: worth for worth in self.solution.moves(board, position.state)}
            moves = [move for move in all_moves if move.name in by_name]
            mix = [by_name[move.name] for move in moves]
            rows = np.array([(worth.value, worth.lower, worth.upper) for worth in mix])
            probabilities = [1.0 if worth.probability is None else worth.probability for worth in mix]
            return QuizDecision(fields, position, moves, rows, self.game.sense, probabilities)
        turns, lane = self.turns[board]
        values = ((turns.intervals(turns.value_of(move.after))[lane], move.points) for move in all_moves)
        rows = np.array([add_points(add_points(row, points), position.points) for row, points in values])
        legal = np.isfinite(rows[:, VALUE])
        moves = [move for move, can in zip(all_moves, legal.tolist(), strict=True) if can]
        return QuizDecision(fields, position, moves, rows[legal], self.game.sense, None)


def add_points(row: Floats, points: Any) -> Floats:
    """(value, lower, upper) plus these points, rounded outward."""
    if not points:
        return row
    value, lower, upper = row + float(points)
    return np.array([value, down(lower), up(upper)])


@dataclass
class _Game:
    """One game: its random numbers, and its current question, None once it is over."""

    random: Random
    question: Question | None


class Player:
    """The best player against itself, from the question ``start``; ``log`` collects its decisions."""

    def __init__(self, solution: Solution, start: Question, seed: int, log: DecisionLog) -> None:
        self.solution, self.game, self.start, self.seed, self.log = solution, solution.game, start, seed, log
        self.turns = ReadyTurns(solution)

    def play(self, decisions: int, report: Report) -> None:
        """Play whole games, some in parallel, until so many decisions were logged; the last ones are finished."""
        log = self.log
        while log.decisions < decisions and not log.broken_off:
            games = [_Game(Random(f"{self.seed} {log.games + place}"), self.start) for place in range(N_PARALLEL_GAMES)]
            for _ in self._round(games):
                report(min(1.0, log.decisions / decisions))
                if log.questions >= MAX_QUESTIONS_PER_DECISION * decisions:
                    log.broken_off = True
                    break
            log.games += len(games)

    def _round(self, games: Sequence[_Game]) -> Iterator[None]:
        """Play these games to their end, each as far as its boards are ready, in repeated rounds."""
        turns = self.turns
        while going := [(game, game.question) for game in games if game.question is not None]:
            turns.ready([turns.board(position) for _, (_, position) in going])
            for game, _ in going:
                while game.question is not None and turns.is_ready(turns.board(game.question[1])):
                    game.question = self._next(*game.question, game.random)
                    yield

    def _next(self, fields: Mapping[str, Any], position: Position, random: Random) -> Question | None:
        """Make the best move, roll the dice and return the next question; None at the end, and past a cut."""
        moves = self.turns.listed(position)
        move = moves[0]
        self.log.questions += 1
        if len(moves) > 1:
            decision = self.turns.decision_at(fields, position)
            self.log.add(decision)
            is_mixed = decision.probabilities is not None and len(decision.moves) > 1
            move = random.choices(decision.moves, decision.probabilities)[0] if is_mixed else decision.best
        values = all_fields(self.game, fields, position)
        announced = self.solution.reply_question(position, move.name)
        if announced is not None:
            return announced, self.game.locate(**announced)
        outcome = self.solution.sample_outcome(values, position, move, random)
        if outcome.board is None:
            return None
        after_move = replace(position, points=position.points + move.points)
        return self.solution.question(values, move.name, outcome, self.solution.seat_after(after_move, outcome.passed))
