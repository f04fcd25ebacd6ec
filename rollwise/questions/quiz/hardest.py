"""The order of quiz positions, hardest first, by the mistakes of simple rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rollwise.games.policies import policies
from rollwise.questions.quiz.data import WrongRule
from rollwise.questions.quiz.immediate_points import ImmediatePoints
from rollwise.questions.quiz.playing import QuizDecision
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, TurnGame
from rollwise.solver.model.moves import parse_move
from rollwise.solver.turn.questions import node_after_move

POINTS_RULE = "most points now"
POINTS_RULE_HELP = "make the move that counts most at once, bonuses too, where no dice are thrown first"
RatedDecision = tuple[QuizDecision, list[WrongRule]]  # a decision, and the simple rules that err there
ROLLS = "rolls_left"
DecisionKind = tuple[frozenset[str], object]


class QuizRules:
    """The simple rules of a game."""

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.points = ImmediatePoints(game)
        self.parameters = game.parameters()
        self.own = policies(game.name)

    def help(self, name: str) -> str:
        """The help line of a rule."""
        return POINTS_RULE_HELP if name == POINTS_RULE else self.own[name].help

    def plays(self, decision: QuizDecision) -> dict[str, str]:
        """The move of each rule that has one here, by name; a rule that mixes its moves has none.

        Raises ModelError for a rule that plays an illegal move.
        """
        names = [move.name for move in decision.moves]
        most = self.most_points(decision)
        plays = {} if most is None else {POINTS_RULE: most}
        for name, rule_of_thumb in self.own.items():
            played = rule_of_thumb.policy({**self.parameters, **decision.fields}, list(names))
            if not isinstance(played, str):
                continue
            if played not in names:
                raise ModelError(f"{name} plays {played!r} at {dict(decision.fields)}, which is no move there")
            plays[name] = played
        return plays

    def most_points(self, decision: QuizDecision) -> str | None:
        """A move of most immediate points, a right one if possible; None where dice fall first, or all count alike."""
        counts = self.counts(decision)
        if counts is None or len(set(counts)) == 1:
            return None
        best_places = [place for place, points in enumerate(counts) if points == max(counts)]
        return decision.moves[next((place for place in best_places if decision.is_right(place)), best_places[0])].name

    def counts(self, decision: QuizDecision) -> list[Fraction] | None:
        """The immediate points of each move; None where dice fall first, and where the best play is a mix."""
        nodes = (node_after_move(self.game, move) for move in decision.moves)
        if decision.probabilities is not None or any(isinstance(node, Chance) for node in nodes):
            return None
        counts = [self.points.of(decision.fields, decision.position, move) for move in decision.moves]
        return None if None in counts else [points for points in counts if points is not None]

    def counted(self, name: str, decision: QuizDecision, place: int) -> tuple[float | None, float | None]:
        """For the rule of most points: the immediate points of the move at this place, and of the best move."""
        counts = self.counts(decision) if name == POINTS_RULE else None
        best = decision.place(decision.best.name)
        return (None, None) if counts is None else (float(counts[place]), float(counts[best]))


def rate_decision(rules: QuizRules, at: QuizDecision) -> RatedDecision:
    """A decision with the rules that choose wrongly, by descending loss."""
    played = {name: at.place(move) for name, move in rules.plays(at).items()}
    wrong = [
        WrongRule(name, rules.help(name), at.moves[place].name, at.losses[place], *rules.counted(name, at, place))
        for name, place in played.items()
        if not at.is_right(place)
    ]
    return at, sorted(wrong, key=lambda rule: -rule.loss)


def hardest_first(rated: Sequence[RatedDecision], plain: float) -> Iterator[RatedDecision]:
    """Decisions in descending difficulty; two of one kind follow each other only where no other kind is as hard.

    A kind has the same sorts of moves, and as many throws left. It depends only on fields that a player sees, so the
    order gives no answer away. A decision in which the second-best move loses more than ``plain`` is plain.
    """
    by_kind: dict[DecisionKind, list[RatedDecision]] = {}
    for each in sorted(rated, key=lambda each: _ease(each, plain), reverse=True):
        by_kind.setdefault(_kind(each[0]), []).append(each)
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


def _kind(decision: QuizDecision) -> DecisionKind:
    return frozenset(parse_move(move.name).kind for move in decision.moves), decision.fields.get(ROLLS)
