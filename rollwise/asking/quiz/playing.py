"""Positions that people meet: the best player plays itself, and every decision that it comes to is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from rollwise.asking.compare.seen import root_of
from rollwise.asking.question import all_fields
from rollwise.solver.game.model import Position
from rollwise.solver.game.rounding import down, up
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Floats, Opened
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
        found: list[float] = self.judged.loss[0].tolist()
        return found

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


class Boards:
    """The moves of positions, from the turns of their boards, of which some are backed up together."""

    def __init__(self, opened: Opened) -> None:
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

    def met(self, given: Mapping[str, Any], position: Position) -> Met:
        """A position of a board that is ready; ``given`` are fields of its question."""
        fields = all_fields(self.game, given, position)
        board = self.board(position)
        listed = self.listed(position)
        if self.mixes:
            found = {worth.move: worth for worth in self.opened.moves(board, position.state)}
            moves = [move for move in listed if move.name in found]
            told = [found[move.name] for move in moves]
            rows = np.array([(worth.value, worth.lower, worth.upper) for worth in told])
            often = [1.0 if worth.probability is None else worth.probability for worth in told]
            return Met(fields, position, moves, rows, self.game.sense, often)
        turns, lane = self.turns[board]
        worths = [turns.intervals(turns.worth(move.after))[lane] for move in listed]
        worths = [more(row, move.points) for row, move in zip(worths, listed, strict=True)]
        rows = np.array([more(row, position.points) for row in worths])
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
class PlayedGame:
    """How much was looked at: whole ``games``, their ``decisions`` (where there is a choice) and all ``questions``.

    ``broken_off``: was the last round of games not played to its end?
    """

    games: int = 0
    decisions: int = 0
    questions: int = 0
    broken_off: bool = False


@dataclass
class _Game:
    """One game: the dice it will see, and the question that it stands at, None once it is over."""

    random: Random
    fields: Mapping[str, Any] = field(default_factory=dict)
    position: Position | None = None


class Player:
    """The best player against itself, from the question ``fields`` at ``start``; ``look`` hears every decision."""

    def __init__(
        self, opened: Opened, fields: Mapping[str, Any], start: Position, seed: int, look: Callable[[Met], None]
    ) -> None:
        self.opened, self.game, self.seed, self.look = opened, opened.game, seed, look
        self.start = fields, start
        self.boards, self.played = Boards(opened), PlayedGame()

    def play(self, decisions: int, report: Callable[[float], None]) -> PlayedGame:
        """Whole games, some side by side, until so many decisions were looked at; those under way are played out."""
        played = self.played
        while played.decisions < decisions and not played.broken_off:
            some = [_Game(Random(f"{self.seed} {played.games + place}"), *self.start) for place in range(AT_ONCE)]
            for _ in self._round(some):
                report(min(1.0, played.decisions / decisions))
                if played.questions >= MOST_QUESTIONS * decisions:
                    played.broken_off = True
                    break
            played.games += len(some)
        return played

    def _round(self, games: Sequence[_Game]) -> Iterator[None]:
        """Play these games to their end, each as far as the boards go that are ready, again and again."""
        while True:
            going = [(game, game.position) for game in games if game.position is not None]
            if not going:
                return
            self.boards.ready([self.boards.board(position) for _, position in going])
            for game, _ in going:
                while game.position is not None and self.boards.is_ready(self.boards.board(game.position)):
                    self._step(game, game.position)
                    yield

    def _step(self, game: _Game, position: Position) -> None:
        """One question: it is looked at, the best move is made, and the dice fall."""
        listed = self.boards.listed(position)
        move = listed[0]
        self.played.questions += 1
        if len(listed) > 1:
            met = self.boards.met(game.fields, position)
            if len(met.moves) > 1:
                self.played.decisions += 1
                self.look(met)
            move = self._move(met, game.random)
        after = self._next(game.fields, position, move, game.random)
        game.fields, game.position = after if after is not None else ({}, None)

    def _move(self, met: Met, random: Random) -> Move:
        """The best move, or one of the mix."""
        if met.often is not None and len(met.moves) > 1:
            return random.choices(met.moves, met.often)[0]
        return met.best

    def _next(
        self, fields: Mapping[str, Any], position: Position, move: Move, random: Random
    ) -> tuple[Mapping[str, Any], Position] | None:
        """The question that follows, with all its fields; None at the end, and past a cut."""
        asked = all_fields(self.game, fields, position)
        if self.boards.mixes and (heard := self._heard(position, move)) is not None:
            return heard
        fall = self.opened.drawn(asked, position, move, random)
        if fall.board is None:
            return None
        made = replace(position, points=position.points + move.points)
        return self.opened.question(asked, move.name, fall, self.opened.seat_after(made, fall.passed))

    def _heard(self, position: Position, move: Move) -> tuple[Mapping[str, Any], Position] | None:
        """The question of whoever has to reply to this move, and has not seen the dice; None where nobody has."""
        root = tuple(self.game.roots()[root_of(self.game, self.boards.board(position))])
        replies = self.game.answers(root)
        state = next((state for state, call in replies.items() if call == move.name), None)
        if state is None or position.state in replies:
            return None
        fields = next(iter(self.game.describe(position.board, state)))
        return fields, self.game.locate(**fields)
