"""Duels with hidden dice: mixed strategies, of calls for the player who sees the dice, of replies for the other.

Each board is stored with P(the caller wins), its bounds, and both mixed strategies, in whole parts. So a question reads
the solution and always gives the same strategy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import fsum
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.solver.hidden_information.best_response import HiddenTurn, TurnEnd
from rollwise.solver.hidden_information.stage import DUEL_FIELDS, LaidBoards, Stage, lay_out_boards, read_stage
from rollwise.solver.kinds.cost_model import START_S, estimate_n_boards
from rollwise.solver.kinds.duel import mean_loss, other_side
from rollwise.solver.kinds.kind import (
    BEST_RESPONSE,
    Floats,
    Ints,
    Kind,
    Plan,
    QueryOptions,
    Question,
    Report,
    RuleCost,
    Solution,
    SolutionArrays,
    SolveResult,
    Tools,
    possible_boards,
)
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import End, NodeKey, Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.solution import ActionValue, Answer, PositionValue
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.questions import LegalMove
from rollwise.solver.turn.successors import ThrowOutcome
from rollwise.solver.turn.transitions import UsedFields
from rollwise.solver.values.mixed_strategies import PARTS_PER_ONE

if TYPE_CHECKING:
    from fractions import Fraction

    from rollwise.solver.policy.endings_of_turn import Ending

SECONDS_PER_NUMBER = 9e-6  # of a board's linear program, for every number that is stored of it
VALUE_ARRAYS, MIXED_ARRAYS = ("values", "lower", "upper"), ("calls", "replies")


class MixedSolution(Solution):
    """Values, bounds and mixed strategies of every board."""

    _cached_turn: tuple[int, HiddenTurn] | None = None

    @cached_property
    def stage(self) -> Stage:
        """The turn as a stage game in arrays."""
        return read_stage(self.game, self.graph)

    def ask(self, position: Position, fields: Mapping[str, Any], options: QueryOptions, report: Report) -> Answer:
        """See ``Solution``; each move is valued against the other player's mixed strategy."""
        board = self.game.boards().index_of(**position.board)
        moves = self.moves(board, position.state)
        if options.exact and (exact := self.exact_start(position)) is not None:
            moves = tuple(move.exactly(exact) for move in moves)
        return Answer(position.mover, moves, note=self.hidden_turn(board).note(position.state))

    def hidden_turn(self, board: int) -> HiddenTurn:
        """Action values of a board's turn; the most recent board is cached."""
        cached = self._cached_turn  # one look, since another thread may replace it
        if cached is None or cached[0] != board:
            self._cached_turn = cached = board, HiddenTurn(self.game, self.graph, self.stage, self.arrays, board)
        return cached[1]

    def moves(self, board: int, state: NodeKey) -> tuple[ActionValue, ...]:
        """See ``Solution``."""
        read_moves = self.hidden_turn(board).moves(state)
        return tuple(ActionValue(move.name, *move.bounds, probability=move.probability) for move in read_moves)

    def throw_outcomes(self, fields: Mapping[str, Any], position: Position, move: LegalMove) -> list[ThrowOutcome]:
        """See ``Solution``: replies to a call, and dice under a challenged one, have the mixed strategies' chances.

        A call with probability 0 gives no information on the dice: the outcomes of a challenge then have no chance.
        """
        turn = self.hidden_turn(self.game.boards().index_of(**position.board))
        successors = self.successors
        if position.state in turn.answers:
            outcomes = [
                replace(outcome, chance=chance)
                for chance, result in turn.shown(position.state, move.name)
                for outcome in successors.outcomes(position.board, End(result))
            ]
            return [_other_seat(outcome) for outcome in outcomes]
        if move.name not in self.stage.calls:
            return super().throw_outcomes(fields, position, move)
        return [
            replace(outcome, chance=chance, reply=reply)
            for reply, chance, result in turn.replies_to(position.state, move.name)
            for outcome in successors.outcomes(position.board, End(result))
        ]

    def reply_question(self, position: Position, move: str) -> Mapping[str, Any] | None:
        """See ``Solution``."""
        answers = self.hidden_turn(self.game.boards().index_of(**position.board)).answers
        states = [state for state, call in answers.items() if call == move and position.state not in answers]
        return next((fields for state in states for fields in self.game.describe(position.board, state)), None)

    def sample_outcome(
        self, fields: Mapping[str, Any], position: Position, move: LegalMove, random: Random
    ) -> ThrowOutcome:
        """See ``Solution``; BadInput where a call with probability 0 leaves the dice undetermined."""
        outcomes = self.throw_outcomes(fields, position, move)
        chances = [outcome.chance for outcome in outcomes if outcome.chance is not None]
        if len(chances) < len(outcomes):
            raise BadInput(f"the call before {move.name} has probability 0, so it leaves the dice open")
        return random.choices(outcomes, [float(chance) for chance in chances])[0]

    def value_after(self, position: Position, outcome: ThrowOutcome, question: Question | None) -> PositionValue:
        """See ``Solution``."""
        assert question is not None
        board = self.game.boards().index_of(**question[1].board)
        moves = self.moves(board, question[1].state)
        value, lower, upper = (max(getattr(move, name) for move in moves) for name in ("value", "lower", "upper"))
        return PositionValue(*(other_side((value, lower, upper), 1.0) if outcome.passed % 2 else (value, lower, upper)))

    def value_at_end(self, position: Position, outcome: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        share = outcome.earned
        return PositionValue(float(share), below(share), above(share))

    def ends_of_turn(self, position: Position, moves: Sequence[LegalMove]) -> list[list[Ending]]:
        """See ``Solution``: by the reply, and the dice under the cup, as the game names them."""
        return [self._ends_after(position, move) for move in moves]

    def _ends_after(self, position: Position, move: LegalMove) -> list[Ending]:
        from rollwise.solver.policy.endings_of_turn import Ending, bounded_mean

        board = self.game.boards().index_of(**position.board)
        by_class: dict[str, list[TurnEnd]] = {}
        turn_ends = self.hidden_turn(board).ends(position.state, move.name)
        error = (len(turn_ends) + 4) * UNIT  # relative, of a chance: a weight, their sum, a division
        for end in turn_ends:
            by_class.setdefault(self.game.ending_name(position.board, end.result, frozenset()), []).append(end)
        endings = []
        for name, ends in by_class.items():
            chances = [end.chance for end in ends]
            value, lower, upper = bounded_mean(chances, [end.bounds for end in ends], error, 0.0, True)
            endings.append(Ending(name, fsum(chances), value, lower, upper))
        return endings

    def exact_start(self, position: Position) -> Fraction | None:
        """The value before the throw as a fraction, where one is known."""
        from rollwise.solver.hidden_information.fractions import exact_value

        if position.state not in self.game.roots():
            return None
        layout = lay_out_possible(self.game, self.graph)
        place = int(layout.place[self.game.boards().index_of(**position.board)])
        return exact_value(layout, self.arrays, place)

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """(values, radius) of boards by index."""
        value, lower, upper = (self.arrays.rows(name, boards) for name in VALUE_ARRAYS)
        return value, np.maximum(upper - value, value - lower)

    def start_values(self, boards: Ints) -> Floats:
        """See ``Solution``."""
        return np.stack([self.arrays.rows(name, boards) for name in VALUE_ARRAYS], axis=-1)


def _other_seat(outcome: ThrowOutcome) -> ThrowOutcome:
    """The outcome of the caller's turn from the side of the player who replied."""
    earned = 1 - outcome.earned if outcome.board is None else outcome.earned
    return replace(outcome, passed=outcome.passed + 1, earned=earned)


class Hidden(Kind):
    """Duels with hidden dice."""

    solution_type = MixedSolution
    is_mixed = True

    def label(self, game: Any) -> str:
        """See ``Kind``."""
        return "hidden-dice duel"

    def uses(self, game: TurnGame) -> UsedFields:
        """See ``Kind``."""
        return DUEL_FIELDS

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        assert isinstance(turn, TurnGraph)  # no game of this kind says more of it
        n_boards = estimate_n_boards(game)
        _, throws, calls, replies = read_stage(game, turn).leaf.shape
        bytes_per_board = 8 * (throws * calls + calls * replies)
        memory, disk = 12 * replies * n_boards * bytes_per_board, game.boards().size * (bytes_per_board + 24)
        return Plan(n_boards, turn.n_edges, memory, disk, START_S + n_boards * bytes_per_board / 8 * SECONDS_PER_NUMBER)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> SolveResult:
        """See ``Kind``."""
        from rollwise.solver.hidden_information.solving import METHOD, solve_hidden

        layout = lay_out_possible(game, graph)
        result = solve_hidden(layout, tools.report)
        arrays = {name: scatter(layout, getattr(result, name)) for name in (*VALUE_ARRAYS, *MIXED_ARRAYS)}
        facts = {"boards": layout.n, "method": METHOD, "programs": result.programs}
        return SolveResult(arrays, facts, result.gap)

    def require_comparable(self, game: TurnGame) -> None:
        """See ``Kind``: rules are compared, mixed ones too."""

    def compare(
        self, solution: Solution, rule: Any, start: Position, tools: Tools, last_level: int | None = None
    ) -> RuleCost:
        """See ``Kind``; ``rule``: a mixed rule, played against the best response to it by each seat in turn."""
        from rollwise.solver.hidden_information.policy_evaluation import evaluate_policy

        game = solution.game
        layout, board = lay_out_possible(game, solution.graph), game.boards().index_of(**start.board)
        calls, replies = (solution.arrays.whole(name)[layout.boards] / PARTS_PER_ONE for name in MIXED_ARRAYS)
        by_rule, to_best = evaluate_policy(layout, rule, (calls, replies), int(layout.place[board]), tools.report)
        value, lower, upper = solution.start_values(np.array([board]))[0].tolist()  # type: ignore[index]
        bests = (value, lower, upper), other_side((value, lower, upper), 1.0)
        costs = [mean_loss("max", bests, those) for those in (by_rule, to_best)]
        return RuleCost(bests, by_rule, costs[0], BEST_RESPONSE, costs[1], to_best)

    def prove(
        self, game: TurnGame, graph: TurnGraph, stored: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``."""
        from rollwise.solver.checker.hidden import hidden_holds

        stage, size = read_stage(game, graph), game.boards().size
        wrong = self.require_arrays(stored, dict.fromkeys(VALUE_ARRAYS, (size,)))
        shapes = ((size, *stage.leaf.shape[1:3]), (size, *stage.leaf.shape[2:]))
        for name, shape in zip(MIXED_ARRAYS, shapes, strict=True):
            if wrong is None and (name not in stored.names or stored.shape(name) != (shape, "i")):
                wrong = f"{name} is not an array of {shape} whole numbers"
        if wrong is not None:
            return wrong
        whole_arrays = {name: stored.whole(name) for name in (*VALUE_ARRAYS, *MIXED_ARRAYS)}
        return hidden_holds(game, whole_arrays, (list(stage.calls), list(stage.replies)), tools.report)


def lay_out_possible(game: TurnGame, graph: TurnGraph) -> LaidBoards:
    """The game on all possible boards, as arrays."""
    return lay_out_boards(game, graph, np.concatenate(list(possible_boards(game))))


def scatter(layout: LaidBoards, rows: Any) -> Any:
    """An array over all boards of the space from one over the possible boards: 0 elsewhere."""
    scattered = np.zeros((len(layout.place), *rows.shape[1:]), dtype=rows.dtype)
    scattered[layout.boards] = rows
    return scattered


KIND = Hidden()
