"""The order of quiz positions, hardest first, by the mistakes of simple rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rollwise.games.policies import policies
from rollwise.questions.quiz.data import WrongRule
from rollwise.questions.quiz.playing import QuizDecision
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, Goto, Position, TurnGame
from rollwise.solver.model.moves import parse_move
from rollwise.solver.model.sheet import ScoreSheet
from rollwise.solver.turn.questions import LegalMove, next_question, node_after_move
from rollwise.solver.turn.successors import Successors

POINTS_RULE = "most points now"
POINTS_RULE_HELP = "make the move that counts most at once, bonuses too, where no dice are thrown first"
RatedDecision = tuple[QuizDecision, list[WrongRule]]  # a decision, and the simple rules that err there
ROLLS, TURN = "rolls_left", "turn"  # fields: throws left, points of this turn
DecisionKind = tuple[frozenset[str], object]


class QuizRules:
    """The simple rules of a game."""

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.walker = Successors(game)
        self.parameters = game.parameters()
        self.own = policies(game.name)

    def rate(self, at: QuizDecision) -> RatedDecision:
        """A decision with the rules that choose wrongly, by descending loss; one that mixes its moves is left out.

        The rule of most points plays a right move of them if there is one, and none where all count alike. Raises
        ModelError for a rule that plays an illegal move.
        """
        names, counts, wrong = [move.name for move in at.moves], self.counts(at), list[WrongRule]()
        if counts is not None:
            most = [place for place, points in enumerate(counts) if points == max(counts)]
            if len(most) < len(counts) and not any(map(at.is_right, most)):
                points = float(max(counts)), float(counts[names.index(at.best.name)])
                wrong.append(WrongRule(POINTS_RULE, POINTS_RULE_HELP, names[most[0]], at.losses[most[0]], *points))
        for name, rule in self.own.items():
            played = rule.policy({**self.parameters, **at.fields}, list(names))
            if not isinstance(played, str):
                continue
            if played not in names:
                raise ModelError(f"{name} plays {played!r} at {dict(at.fields)}, which is no move there")
            place = names.index(played)
            wrong += [] if at.is_right(place) else [WrongRule(name, rule.help, played, at.losses[place])]
        return at, sorted(wrong, key=lambda rule: -rule.loss)

    def counts(self, decision: QuizDecision) -> list[Fraction] | None:
        """The immediate points of each move; None where dice fall first, and where the best play is a mix."""
        nodes = (node_after_move(self.game, move) for move in decision.moves)
        if decision.probabilities is not None or any(isinstance(node, Chance) for node in nodes):
            return None
        counts = [immediate_points(self.walker, decision.fields, decision.position, move) for move in decision.moves]
        return None if None in counts else [points for points in counts if points is not None]


def hardest_first(rated: Sequence[RatedDecision], plain: float) -> Iterator[RatedDecision]:
    """Decisions in descending difficulty; two of one kind follow each other only where no other kind is as hard.

    A kind has the same sorts of moves, and as many throws left. It depends only on fields that a player sees, so the
    order gives no answer away. A decision in which the second-best move loses more than ``plain`` is plain.
    """
    by_kind: dict[DecisionKind, list[RatedDecision]] = {}
    for each in sorted(rated, key=lambda each: _ease(each, plain), reverse=True):
        kind = frozenset(parse_move(move.name).kind for move in each[0].moves), each[0].fields.get(ROLLS)
        by_kind.setdefault(kind, []).append(each)
    last: DecisionKind | None = None
    while by_kind:
        ease = {kind: _ease(some[-1], plain) for kind, some in by_kind.items()}
        as_hard = [kind for kind in by_kind if ease[kind][0] == min(ease.values())[0]]
        last = min([kind for kind in as_hard if kind != last] or as_hard, key=lambda kind: ease[kind])
        yield by_kind[last].pop()
        if not by_kind[last]:
            del by_kind[last]


def _ease(position: RatedDecision, plain: float) -> tuple[bool, int, float, float]:
    """The sort key, less for harder: plain decisions last, then by wrong rules, by their losses, by near ties.

    A tie is nearer the smaller the loss of the second-best move is relative to the best value.
    """
    decision, wrong = position
    worth = abs(float(decision.ranked.ranked[0, 0])) or 1.0
    return decision.second_loss > plain, -len(wrong), -sum(rule.loss for rule in wrong), decision.second_loss / worth


def immediate_points(
    walker: Successors, fields: Mapping[str, Any], position: Position, move: LegalMove
) -> Fraction | None:
    """The points that a move adds at once to a turn that goes on, or scores at its end in a game for points.

    Bonuses count. None where dice fall before the next decision.
    """
    game = walker.game
    outcomes = walker.outcomes(position.board, node_after_move(game, move))
    outcome = outcomes[0]
    if len(outcomes) > 1 or outcome.thrown:
        return None
    if outcome.result is None and isinstance(outcome.node, Goto):
        question = next_question(game, fields, move.name, outcome, outcome.node.state, None)
        return None if question is None else Fraction(question[0].get(TURN, 0) - fields.get(TURN, 0))
    if isinstance(game, ScoreSheet) and outcome.result is not None:
        return Fraction(game.scored(position.board, outcome.result, outcome.earned + move.points))
    return outcome.earned + move.points if game.unit == "points" and game.sense == "max" else Fraction(0)
