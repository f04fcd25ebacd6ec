"""Score sheets of games: their boxes and lines, for the odds of turns and the forecast of a final score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.game import NodeKey, TurnGame
from rollwise.solver.model.outcome import one_board
from rollwise.solver.model.spaces import Column, Columns


@dataclass(frozen=True)
class Aim:
    """An objective of a single turn, as if nothing else counted: an end of it, with as many points as possible.

    ``counts`` is True of results that count; the others are worth 0. ``marks``: numbers of points of interest, by name,
    for whose chance answers have a row. ``points`` are those of a result that counts; None: the reward of the turn.
    """

    counts: Callable[[Any], bool]
    marks: Mapping[str, int]
    points: Callable[[Any], int] | None = None


@dataclass(frozen=True)
class Line:
    """A line of a score sheet, a box or a bonus, with at most ``most`` points.

    ``each``: the points of one entry, where a line may earn points again and again; 0 where it does so once at most.
    """

    most: int
    each: int = 0


class Boxes(TurnGame):
    """A game whose turn ends with points in boxes (``solver.policy.going_for``)."""

    @property
    def played(self) -> tuple[str, ...]:
        """The boxes that are open at the start of the game, in the order of the sheet."""
        raise NotImplementedError

    def scored_in(self, board: Columns, result: Any, reward: Any) -> Collection[str]:
        """The boxes in which a turn that ends so, with this reward, scores more than 0 points; ``board`` is one."""
        raise NotImplementedError

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """The boxes with points in this turn."""
        return " + ".join(self.scored_in(one_board(board), result, 0)) or "no box"


class BoxGame(Boxes):
    """A game whose turn fills a box, and can go for one as if nothing else counted (``solver.policy.aims``)."""

    def aims(self) -> Mapping[str, Aim]:
        """The aims of a turn, by name, in the order of the sheet."""
        raise NotImplementedError

    def before_rolls(self) -> Mapping[int, NodeKey]:
        """The state of a turn before any die lies, by the number of throws to come."""
        raise NotImplementedError


class ScoreSheet(BoxGame):
    """A sheet that one player fills: all points of the final score stand on its lines (``solver.policy.forecast``).

    ``gained_field``: the field that replaces ``gained`` of older records.
    """

    gained_field: ClassVar[str]

    def lines(self) -> Mapping[str, Line]:
        """The lines of the sheet, in its order."""
        raise NotImplementedError

    def line(self, result: Any) -> str:
        """The line that the points of the turn itself go to (``End.reward``)."""
        raise NotImplementedError

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """The box that the turn fills, even with 0."""
        return self.line(result)

    def booked(self, board: Columns, result: Any) -> Mapping[str, Column]:
        """Points that a board adds to a result, line by line: their sum is the reward of ``transition``."""
        raise NotImplementedError

    def scored(self, board: Mapping[str, Any], result: Any, earned: Any) -> Any:
        """The points of a result on the sheet; ``earned``: those that count for the value."""
        return earned

    def line_points(self, fields: Mapping[str, Any]) -> Mapping[str, int]:
        """Points on each line in these fields: together the points of the position."""
        raise NotImplementedError


def no_fractions(game: TurnGame) -> TooLarge:
    """The error where fractions would take too long, with a remedy."""
    sheet = " or fill more boxes" if isinstance(game, Boxes) else ""
    return TooLarge(f"fractions are too large from here; leave out --exact (the interval is certified){sheet}")


def lines_of(game: TurnGame) -> Mapping[str, Line]:
    """The lines of a game's score sheet; none where it has no sheet."""
    return game.lines() if isinstance(game, ScoreSheet) else {}


def line_points(game: TurnGame, fields: Mapping[str, Any]) -> Mapping[str, int]:
    """Points on each line of the game's sheet in these fields; none where it has no sheet."""
    return game.line_points(fields) if isinstance(game, ScoreSheet) else {}
