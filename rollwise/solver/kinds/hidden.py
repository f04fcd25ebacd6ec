"""Duels with hidden dice: the best play is a mix, of calls by who sees the dice, of replies by who does not.

What is kept of every board is P(the caller wins) with bounds, and both mixes, in whole parts. So a question reads off
what was solved: it says the same mix every time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import fsum
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.solver.hidden_information.best_response import Ended, HiddenTurn
from rollwise.solver.hidden_information.stage import USES, LaidBoards, Stage, lay_out, read_stage
from rollwise.solver.kinds.cost_model import START, about_possible
from rollwise.solver.kinds.duel import mean_loss, other_side
from rollwise.solver.kinds.kind import (
    KNOWS,
    ActionValue,
    Answer,
    Floats,
    Ints,
    Kind,
    Plan,
    PositionValue,
    QueryOptions,
    Question,
    Report,
    RuleCost,
    Solution,
    SolutionArrays,
    Solved,
    Tools,
    possible_boards,
)
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import End, NodeKey, Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import above, below
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.exact_mixes import PARTS
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.query import Move
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transition_reader import Uses

if TYPE_CHECKING:
    from fractions import Fraction

    from rollwise.solver.policy.endings_of_turn import Ending

A_NUMBER = 9e-6  # seconds of the linear program of a board, for every number that is kept of it
NUMBERS, MIXES = ("values", "lower", "upper"), ("calls", "replies")


class OpenedMixes(Solution):
    """Values, bounds and mixes of every board."""

    _last: tuple[int, HiddenTurn] | None = None

    @cached_property
    def stage(self) -> Stage:
        """The turn as arrays."""
        return read_stage(self.game, self.graph)

    def ask(self, position: Position, given: Mapping[str, Any], wanted: QueryOptions, report: Report) -> Answer:
        """See ``Solution``; each move against the mix that the other player keeps to."""
        board = self.game.boards().index_of(**position.board)
        moves = self.moves(board, position.state)
        if wanted.exact and (exact := self.exactly(position)) is not None:
            moves = tuple(move.exactly(exact) for move in moves)
        return Answer(position.mover, moves, note=self.reading(board).note(position.state))

    def reading(self, board: int) -> HiddenTurn:
        """What the moves of a board are worth; the board read last is kept."""
        last = self._last  # another thread may read another board meanwhile
        if last is None or last[0] != board:
            self._last = last = board, HiddenTurn(self.game, self.graph, self.stage, self.kept, board)
        return last[1]

    def moves(self, board: int, state: NodeKey) -> tuple[ActionValue, ...]:
        """See ``Solution``."""
        found = self.reading(board).moves(state)
        return tuple(ActionValue(move.name, *move.bounds, probability=move.probability) for move in found)

    def falls(self, asked: Mapping[str, Any], position: Position, move: Move) -> list[ThrowOutcome]:
        """See ``Solution``: a call is heard and replied to, and a challenge shows the dice, as often as the mixes say.

        A call that nobody makes says nothing of the dice: what a challenge shows then has no chance.
        """
        reading = self.reading(self.game.boards().index_of(**position.board))
        following = self.following
        if position.state in reading.answers:
            heard = [
                replace(fall, chance=chance)
                for chance, result in reading.shown(position.state, move.name)
                for fall in following.falls(position.board, End(result))
            ]
            return [_other_seat(fall) for fall in heard]
        if move.name not in self.stage.calls:
            return super().falls(asked, position, move)
        return [
            replace(fall, chance=chance, reply=reply)
            for reply, chance, result in reading.replies_to(position.state, move.name)
            for fall in following.falls(position.board, End(result))
        ]

    def heard(self, position: Position, move: str) -> Mapping[str, Any] | None:
        """See ``Solution``."""
        answers = self.reading(self.game.boards().index_of(**position.board)).answers
        states = [state for state, call in answers.items() if call == move and position.state not in answers]
        return next((fields for state in states for fields in self.game.describe(position.board, state)), None)

    def drawn(self, asked: Mapping[str, Any], position: Position, move: Move, random: Random) -> ThrowOutcome:
        """See ``Solution``; BadInput where a call that nobody makes leaves it open what is under the cup."""
        falls = self.falls(asked, position, move)
        chances = [fall.chance for fall in falls if fall.chance is not None]
        if len(chances) < len(falls):
            raise BadInput(f"nobody makes the call that {move.name} follows, so it says nothing of the dice")
        return random.choices(falls, [float(chance) for chance in chances])[0]

    def stands(self, position: Position, fall: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        assert question is not None
        board = self.game.boards().index_of(**question[1].board)
        moves = self.moves(board, question[1].state)
        value, lower, upper = (max(getattr(move, name) for move in moves) for name in ("value", "lower", "upper"))
        return PositionValue(*(other_side((value, lower, upper), 1.0) if fall.passed % 2 else (value, lower, upper)))

    def stands_at_end(self, position: Position, fall: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        worth = fall.earned
        return PositionValue(float(worth), below(worth), above(worth))

    def ends_of_turn(self, position: Position, moves: Sequence[Move]) -> list[list[Ending]]:
        """See ``Solution``: by what the other replies, and what lies under the cup, as the game calls it."""
        return [self._ends_after(position, move) for move in moves]

    def _ends_after(self, position: Position, move: Move) -> list[Ending]:
        from rollwise.solver.policy.endings_of_turn import Ending, bounded_mean

        board = self.game.boards().index_of(**position.board)
        by_class: dict[str, list[Ended]] = {}
        every = self.reading(board).ends(position.state, move.name)
        off = (len(every) + 4) * UNIT  # of a chance, relative to itself: a weight, their sum, a division
        for end in every:
            by_class.setdefault(self.game.ending_name(position.board, end.result, frozenset()), []).append(end)
        found = []
        for name, ends in by_class.items():
            chances = [end.chance for end in ends]
            value, lower, upper = bounded_mean(chances, [end.bounds for end in ends], off, 0.0, True)
            found.append(Ending(name, fsum(chances), value, lower, upper))
        return found

    def exactly(self, position: Position) -> Fraction | None:
        """The value before the throw as a fraction, where it is one that can be found."""
        from rollwise.solver.hidden_information.fractions import exact_value

        if position.state not in self.game.roots():
            return None
        laid = laid_out(self.game, self.graph)
        place = int(laid.place[self.game.boards().index_of(**position.board)])
        return exact_value(laid, self.kept, place)

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """(values, radius) of boards by index."""
        value, lower, upper = (self.kept.rows(name, boards) for name in NUMBERS)
        return value, np.maximum(upper - value, value - lower)

    def at_start(self, boards: Ints) -> Floats:
        """See ``Solution``."""
        return np.stack([self.kept.rows(name, boards) for name in NUMBERS], axis=-1)


def _other_seat(fall: ThrowOutcome) -> ThrowOutcome:
    """What a turn comes to as the player sees it who replied: it was the caller's turn."""
    earned = 1 - fall.earned if fall.board is None else fall.earned
    return replace(fall, passed=fall.passed + 1, earned=earned)


class Hidden(Kind):
    """Duels with hidden dice."""

    opened = OpenedMixes
    mixes = True

    def called(self, game: Any) -> str:
        """Two play, and one wins."""
        return "hidden-dice duel"

    def uses(self, game: TurnGame) -> Uses:
        """See ``Kind``."""
        return USES

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        assert isinstance(turn, TurnGraph)  # no game of this kind says more of it
        n_boards = about_possible(game)
        _, throws, calls, replies = read_stage(game, turn).leaf.shape
        a_board = 8 * (throws * calls + calls * replies)
        memory, kept = 12 * replies * n_boards * a_board, game.boards().size * (a_board + 24)
        return Plan(n_boards, turn.n_edges, memory, kept, START + n_boards * a_board / 8 * A_NUMBER)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """See ``Kind``."""
        from rollwise.solver.hidden_information.solving import METHOD, solve_hidden

        laid = laid_out(game, graph)
        found = solve_hidden(laid, tools.report)
        arrays = {name: spread(laid, getattr(found, name)) for name in (*NUMBERS, *MIXES)}
        facts = {"boards": laid.n, "method": METHOD, "programs": found.programs}
        return Solved(arrays, facts, found.gap)

    def require_comparable(self, game: TurnGame) -> None:
        """Rules are compared, mixed ones too."""

    def compare(
        self, opened: Solution, rule: Any, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """See ``Kind``; ``rule``: a ``MixRule``, played against the best reply to it by each seat in turn."""
        from rollwise.solver.hidden_information.ruled import ruled

        game = opened.game
        laid, board = laid_out(game, opened.graph), game.boards().index_of(**start.board)
        calls, replies = (opened.kept.whole(name)[laid.boards] / PARTS for name in MIXES)
        played, to_best = ruled(laid, rule, (calls, replies), int(laid.place[board]), tools.report)
        value, lower, upper = opened.at_start(np.array([board]))[0].tolist()  # type: ignore[index]
        bests = (value, lower, upper), other_side((value, lower, upper), 1.0)
        costs = [mean_loss("max", bests, those) for those in (played, to_best)]
        return RuleCost(bests, played, costs[0], KNOWS, costs[1], to_best)

    def prove(
        self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``."""
        from rollwise.solver.checker.hidden import hidden_holds

        stage, size = read_stage(game, graph), game.boards().size
        wrong = self.require_arrays(kept, dict.fromkeys(NUMBERS, (size,)))
        shapes = ((size, *stage.leaf.shape[1:3]), (size, *stage.leaf.shape[2:]))
        for name, shape in zip(MIXES, shapes, strict=True):
            if wrong is None and (name not in kept.names or kept.shape(name) != (shape, "i")):
                wrong = f"{name} is not an array of {shape} whole numbers"
        if wrong is not None:
            return wrong
        arrays = {name: kept.whole(name) for name in (*NUMBERS, *MIXES)}
        return hidden_holds(game, arrays, (list(stage.calls), list(stage.replies)), tools.report)


def laid_out(game: TurnGame, graph: TurnGraph) -> LaidBoards:
    """A game on all boards that can be."""
    return lay_out(game, graph, np.concatenate(list(possible_boards(game))))


def spread(laid: LaidBoards, numbers: Any) -> Any:
    """An array of all boards of the space, from one of those that can be: 0 on the others."""
    found = np.zeros((len(laid.place), *numbers.shape[1:]), dtype=numbers.dtype)
    found[laid.boards] = numbers
    return found


KIND = Hidden()
