"""Positions that people meet: the best player plays itself, and every decision that it comes to is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from rollwise.asking.question import all_fields
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Floats, Question, Report, Solution
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.rounding import down, up
from rollwise.solver.turn.judged import Judged
from rollwise.solver.turn.query import VALUE, Move, Turns, left_out, moves_asked

AT_ONCE = 16  # games played side by side: so many boards are backed up together
MOST_QUESTIONS = 20  # forced ones too, for each decision that is to be looked at; then play is broken off


@dataclass(frozen=True)
class Met:
    """A decision as it was met: all its fields, where it stands, and its moves in the game's own order.

    ``worths``: float64, shape (moves, 3), (value, lower, upper) of each; ``sense``: what the mover wants. ``often``:
    where the best play is a mix, how often each move is made.
    """

    fields: Mapping[str, Any]
    position: Position
    moves: Sequence[Move]
    worths: Floats
    sense: str
    often: Sequence[float] | None

    @cached_property
    def judged(self) -> Judged:
        """The moves, best first, with what each of them loses."""
        return Judged(self.worths[None], self.sense)

    @property
    def best(self) -> Move:
        """The best move."""
        return self.moves[int(self.judged.order[0, 0])]

    @cached_property
    def losses(self) -> list[float]:
        """What each move loses."""
        losses: list[float] = self.judged.loss[0].tolist()
        return losses

    @property
    def second_loss(self) -> float:
        """What the second-best move loses; where the best play is a mix, the best move outside it. 0 without one."""
        if self.often is None:
            return float(self.judged.second_loss[0])
        return min((self.losses[place] for place in range(len(self.moves)) if not self.is_right(place)), default=0.0)

    def is_right(self, place: int) -> bool:
        """Is this one of the moves as good as any: one that loses nothing, or one of the mix?"""
        return self.losses[place] <= 0 or bool(self.often and self.often[place])

    def place(self, name: str) -> int:
        """Which of the moves has this name."""
        return [move.name for move in self.moves].index(name)


class Looked:
    """What was looked at: all ``questions``, ``decisions`` where there is a choice, of so many whole ``games``.

    ``differ`` of these decisions are different; ``positions`` are those in which the second-best move costs more than
    ``costs``, ``dearest`` is the most that it costs in any. ``broken_off``: was the last round of games not played to
    its end?
    """

    def __init__(self, game: TurnGame, costs: float) -> None:
        self.space, self.costs, self.dearest = game.boards(), costs, 0.0
        self.games = self.decisions = self.questions = 0
        self.broken_off = False
        self.positions: list[Met] = []
        self._seen: set[tuple[int, Any]] = set()

    @property
    def differ(self) -> int:
        """How many decisions differ, by board and state."""
        return len(self._seen)

    def look(self, met: Met) -> None:
        """One question more."""
        if len(met.moves) < 2:
            return
        self.decisions += 1
        key = self.space.index_of(**met.position.board), met.position.state
        if key not in self._seen:
            self._seen.add(key)
            self.dearest = max(self.dearest, met.second_loss)
            self.positions += [met] if met.second_loss > self.costs else []


class ReadyTurns:
    """The moves of positions, from the turns of their boards, of which some are backed up together."""

    def __init__(self, opened: Solution) -> None:
        self.opened, self.game = opened, opened.game
        self.mixes = kind_of(self.game).mixes
        self.space = self.game.boards()
        self.turns: dict[int, tuple[Turns, int]] = {}  # by board: the turns, and its lane in them

    def board(self, position: Position) -> int:
        """The index of its board."""
        return self.space.index_of(**position.board)

    def ready(self, boards: Sequence[int]) -> None:
        """Back up the turns of these boards; others are forgotten."""
        self.turns = {}
        if self.mixes:
            return
        indices = np.unique(np.array(boards, dtype=np.int64))
        roots = np.broadcast_to(np.asarray(self.game.root(self.space.columns(indices))), len(indices))
        for root in np.unique(roots).tolist():
            some = indices[roots == root]
            turns = self.opened.turns(some)
            self.turns |= {board: (turns, lane) for lane, board in enumerate(some.tolist())}

    def is_ready(self, board: int) -> bool:
        """Can its positions be looked at?"""
        return self.mixes or board in self.turns

    def listed(self, position: Position) -> list[Move]:
        """The moves of a position, those too that are not legal on its board."""
        game = self.game
        return [*moves_asked(game, position.state), *left_out(game, position.board, position.state, False)]

    def met(self, state: Mapping[str, Any], position: Position) -> Met:
        """A position of a board that is ready; ``state`` are fields of its question."""
        fields = all_fields(self.game, state, position)
        board = self.board(position)
        listed = self.listed(position)
        if self.mixes:
            by_name = {worth.move: worth for worth in self.opened.moves(board, position.state)}
            moves = [move for move in listed if move.name in by_name]
            mix = [by_name[move.name] for move in moves]
            rows = np.array([(worth.value, worth.lower, worth.upper) for worth in mix])
            often = [1.0 if worth.probability is None else worth.probability for worth in mix]
            return Met(fields, position, moves, rows, self.game.sense, often)
        turns, lane = self.turns[board]
        worths = ((turns.intervals(turns.worth(move.after))[lane], move.points) for move in listed)
        rows = np.array([more(more(row, points), position.points) for row, points in worths])
        legal = np.isfinite(rows[:, VALUE])
        moves = [move for move, can in zip(listed, legal.tolist(), strict=True) if can]
        return Met(fields, position, moves, rows[legal], self.game.sense, None)


def more(row: Floats, points: Any) -> Floats:
    """(value, lower, upper) and so many points, rounded outward."""
    if not points:
        return row
    value, lower, upper = row + float(points)
    return np.array([value, down(lower), up(upper)])


@dataclass
class _Game:
    """One game: the dice it will see, and the question that it stands at, None once it is over."""

    random: Random
    question: Question | None


class Player:
    """The best player against itself, from the question ``start``; ``looked`` hears every decision."""

    def __init__(self, opened: Solution, start: Question, seed: int, looked: Looked) -> None:
        self.opened, self.game, self.start, self.seed, self.looked = opened, opened.game, start, seed, looked
        self.turns = ReadyTurns(opened)

    def play(self, decisions: int, report: Report) -> None:
        """Whole games, some side by side, until so many decisions were looked at; those under way are played out."""
        looked = self.looked
        while looked.decisions < decisions and not looked.broken_off:
            games = [_Game(Random(f"{self.seed} {looked.games + place}"), self.start) for place in range(AT_ONCE)]
            for _ in self._round(games):
                report(min(1.0, looked.decisions / decisions))
                if looked.questions >= MOST_QUESTIONS * decisions:
                    looked.broken_off = True
                    break
            looked.games += len(games)

    def _round(self, games: Sequence[_Game]) -> Iterator[None]:
        """Play these games to their end, each as far as the boards go that are ready, again and again."""
        turns = self.turns
        while going := [(game, game.question) for game in games if game.question is not None]:
            turns.ready([turns.board(position) for _, (_, position) in going])
            for game, _ in going:
                while game.question is not None and turns.is_ready(turns.board(game.question[1])):
                    game.question = self._next(*game.question, game.random)
                    yield

    def _next(self, fields: Mapping[str, Any], position: Position, random: Random) -> Question | None:
        """The best move is made, the dice fall, and this question follows; None at the end, and past a cut."""
        listed = self.turns.listed(position)
        move = listed[0]
        self.looked.questions += 1
        if len(listed) > 1:
            met = self.turns.met(fields, position)
            self.looked.look(met)
            is_mixed = met.often is not None and len(met.moves) > 1
            move = random.choices(met.moves, met.often)[0] if is_mixed else met.best
        asked = all_fields(self.game, fields, position)
        heard = self.opened.heard(position, move.name)
        if heard is not None:
            return heard, self.game.locate(**heard)
        fall = self.opened.drawn(asked, position, move, random)
        if fall.board is None:
            return None
        made = replace(position, points=position.points + move.points)
        return self.opened.question(asked, move.name, fall, self.opened.seat_after(made, fall.passed))
