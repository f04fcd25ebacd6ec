"""Which positions are the hardest, in what order they are asked, and what simple rules would play there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rollwise.answers.quiz import WrongRule
from rollwise.asking.points_now import PointsNow
from rollwise.asking.quiz.playing import Met
from rollwise.games.policies import policies
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, TurnGame
from rollwise.solver.turn.query import followed

MOST_POINTS = "most points now"
HELP = "make the move that counts most at once, bonuses too, where no dice are thrown first"
Judged = tuple[Met, list[WrongRule]]  # a position, and the simple rules that are wrong there
ROLLS = "rolls_left"
Kind = tuple[frozenset[str], object]


class QuizRules:
    """The simple rules of a game."""

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.points = PointsNow(game)
        self.parameters = game.parameters()
        self.own = policies(game.name)

    def help(self, name: str) -> str:
        """What a rule does, in a line."""
        return HELP if name == MOST_POINTS else self.own[name].help

    def plays(self, met: Met) -> dict[str, str]:
        """The move of each rule that has one here, by name; a rule that mixes its moves has none.

        Raises ModelError where a rule plays what is no move here.
        """
        names = [move.name for move in met.moves]
        most = self.most_points(met)
        plays = {} if most is None else {MOST_POINTS: most}
        for name, house in self.own.items():
            played = house.policy({**self.parameters, **met.fields}, list(names))
            if not isinstance(played, str):
                continue
            if played not in names:
                raise ModelError(f"{name} plays {played!r} at {dict(met.fields)}, which is no move there")
            plays[name] = played
        return plays

    def most_points(self, met: Met) -> str | None:
        """A move that counts most at once, a right one if it does; None where dice fall first, or all count alike."""
        counts = self.counts(met)
        if counts is None or len(set(counts)) == 1:
            return None
        most = [place for place, points in enumerate(counts) if points == max(counts)]
        return met.moves[next((place for place in most if met.is_right(place)), most[0])].name

    def counts(self, met: Met) -> list[Fraction] | None:
        """The points that each move counts at once; None where dice fall first, and where the best play is a mix."""
        if met.often is not None or any(isinstance(followed(self.game, move), Chance) for move in met.moves):
            return None
        counts = [self.points.of(met.fields, met.position, move) for move in met.moves]
        return None if None in counts else [points for points in counts if points is not None]

    def counted(self, name: str, met: Met, place: int) -> tuple[float | None, float | None]:
        """Of the rule of most points: what the move at this place counts at once, and what the best move does."""
        counts = self.counts(met) if name == MOST_POINTS else None
        return (None, None) if counts is None else (float(counts[place]), float(counts[met.place(met.best.name)]))


def judged(rules: QuizRules, met: Met) -> Judged:
    """A position with the rules that choose wrongly, the one that loses most first."""
    played = {name: met.place(move) for name, move in rules.plays(met).items()}
    wrong = [
        WrongRule(name, rules.help(name), met.moves[place].name, met.losses[place], *rules.counted(name, met, place))
        for name, place in played.items()
        if not met.is_right(place)
    ]
    return met, sorted(wrong, key=lambda rule: -rule.loss)


def hardest_first(every: Sequence[Judged], plain: float) -> Iterator[Judged]:
    """What people get wrong first; two of one kind follow each other only where no other kind is as hard.

    Of one kind are those with the same sorts of moves, and as many throws left. What a player does not see plays no
    part in it, so that the order gives no answer away. Where the second-best move loses more than ``plain``, nobody
    errs.
    """
    by_kind: dict[Kind, list[Judged]] = {}
    for each in sorted(every, key=lambda each: _ease(each, plain), reverse=True):
        by_kind.setdefault(_kind(each[0]), []).append(each)
    last: Kind | None = None
    while by_kind:
        ease = {kind: _ease(some[-1], plain) for kind, some in by_kind.items()}
        as_hard = [kind for kind in by_kind if ease[kind][0] == min(ease.values())[0]]
        last = min([kind for kind in as_hard if kind != last] or as_hard, key=lambda kind: ease[kind])
        yield by_kind[last].pop()
        if not by_kind[last]:
            del by_kind[last]


def _ease(position: Judged, plain: float) -> tuple[bool, int, float, float]:
    """The harder the less: plain ones last; else what most rules get wrong, by what they lose, then what nearly ties.

    A tie is the nearer the smaller the part is that the second-best loses of what the best is worth.
    """
    met, wrong = position
    worth = abs(float(met.judged.ranked[0, 0])) or 1.0
    return met.second_loss > plain, -len(wrong), -sum(rule.loss for rule in wrong), met.second_loss / worth


def _kind(met: Met) -> Kind:
    return frozenset(move.name.partition(" ")[0] for move in met.moves), met.fields.get(ROLLS)
