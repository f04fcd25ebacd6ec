"""What simple rules would play in a position: most points now, and the game's own rules of thumb."""

from __future__ import annotations

from fractions import Fraction

from rollwise.asking.points_now import PointsNow
from rollwise.asking.quiz.playing import Met
from rollwise.games.policies import policies
from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.model import Chance, TurnGame
from rollwise.solver.turn.query import followed

MOST_POINTS = "most points now"
HELP = "make the move that counts most at once, bonuses too, where no dice are thrown first"


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
        found = {}
        counted = self.most_points(met)
        if counted is not None:
            found[MOST_POINTS] = counted
        for name, house in self.own.items():
            played = house.policy({**self.parameters, **met.fields}, list(names))
            if not isinstance(played, str):
                continue
            if played not in names:
                raise ModelError(f"{name} plays {played!r} at {dict(met.fields)}, which is no move there")
            found[name] = played
        return found

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
        found = [self.points.of(met.fields, met.position, move) for move in met.moves]
        return None if None in found else [points for points in found if points is not None]

    def counted(self, name: str, met: Met, place: int) -> tuple[float | None, float | None]:
        """Of the rule of most points: what the move at this place counts at once, and what the best move does."""
        counts = self.counts(met) if name == MOST_POINTS else None
        return (None, None) if counts is None else (float(counts[place]), float(counts[met.place(met.best.name)]))
