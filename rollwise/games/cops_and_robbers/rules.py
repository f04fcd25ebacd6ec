"""Cops and Robbers: each player counts down by each throw; two robbers run for 0, two cops come after them.

Number 10 of TACTIC's 21 dice games. There is no choice. Teams win together, so a board has one share only: the
robbers' chance.

Cops and robbers sit in turn, so the table looks the same after half a turn. In the first round a player's place on a
board is the seat; from then on boards are turned so that the robber with fewer points (a caught one has none) is in
place 1, between the cops of places 0 and 2, and the other in place 3. That halves the number of boards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rollwise.solver.model.dice import Faces, d6, grouped
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers
from rollwise.solver.model.game import (
    Boards,
    Column,
    Columns,
    End,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    chance_of,
    parameter,
)
from rollwise.solver.model.spaces import Nested

SEATS = 4
HALF_TURN = 2
COPS, ROBBERS = (0, 2), (1, 3)
LEAD = (11, 0, 11, 2)  # points of each seat at the start, over those of the first robber
CAUGHT = 0  # the points of a caught robber on a board
HIGHEST = 6  # face of a die, and so the most points lost in the first round
LITTLE = 3  # the highest face of a bonus roll that gives one extra point after a six; others give two
MISSING = {5: 1, 4: 2}  # players who miss a turn after these throws
FURTHEST = 1 - HIGHEST - 2  # the lowest points that a robber can end with
FIRST_ROUND = range(SEATS)  # stages of a board: the number of players who have moved


# result of a turn: (mover's place, whether it is the first round, first throw, points it takes off)
TurnResult: TypeAlias = tuple[int, bool, int, int]


def extra(bonus: Faces) -> int:
    """The points of a bonus roll after a six."""
    return 1 if bonus[0] <= LITTLE else 2


@dataclass(frozen=True)
class CopsAndRobbers(TurnGame):
    """Luck; the value of a board is P(the robbers win), whoever moves."""

    name = "cops-and-robbers"
    labels: ClassVar = {
        "scores": "Points: cop, robber, cop, robber",
        "last": "First throw of the turn before: not in the first round",
    }
    title = "Cops and Robbers"
    synonyms = ("cops & robbers",)
    source = "TACTIC rules for dice games"
    rules = (
        "A cop with 75 points, a robber with 64, a cop with 75 and a robber with 66 sit around the table; start says "
        "who begins. On your turn throw one die and take its number off your points. In the first round that is all. "
        "From the second round on, a throw that is the same as the first throw of the turn before yours does nothing "
        "at all. If it is another, a 5 makes the next player miss a turn, a 4 the next two, and after a 6 you throw "
        "once more: 1 to 3 takes off one point more, 4 to 6 two points more (with six=bonus_only these come off in "
        "place of the 6). A robber is caught by a cop who has as many points as he, or fewer; he is out at once, and "
        "has no turn to miss. The robbers win as soon as one of them has 0 points or less; the cops win once both "
        "robbers are caught."
    )
    kind = "seats"
    measure = "win"
    unit = "probability"
    outcome = "robbers"  # the only share of a board is their chance
    team = ROBBERS

    six: str = parameter(
        "bonus_too", "a 6 takes off 6 and the bonus, or the bonus", choices=("bonus_too", "bonus_only")
    )
    start: int = parameter(0, "the seat that moves first", low=0, high=SEATS - 1)
    distance: int = parameter(64, "points of the first robber at the start", low=1, high=64, trial=True)

    @property
    def seats(self) -> int:
        """One share a board, since a team wins as a whole."""
        return 1

    @property
    def at_start(self) -> tuple[int, ...]:
        """Points at the start, by seat."""
        return tuple(self.distance + lead for lead in LEAD)

    def boards(self) -> Boards:
        """``chase``: the stage, the points of both robbers, those of both cops; ``mover``: the place that moves.

        Stages 0 to 3: the number of moves in the first round. Later the stage is 3 more than the throw to differ from.
        """
        robber = range(max(self.at_start[seat] for seat in ROBBERS) + 1)
        return Boards(chase=Nested([range(_stage(HIGHEST) + 1), robber, robber], self._cops), mover=SEATS)

    def _cops(self, outer: Any) -> list[tuple[Any, Any]]:
        """(least points of a cop, above every robber, and their number), twice; number 0 for impossible robbers."""
        stage, one, another = outer
        first, second, top = sorted(set(self.at_start))
        starting = (one >= max(1, first - HIGHEST)) & (one <= first) & (another >= max(1, second - HIGHEST))
        running = (one <= another) & (another > CAUGHT) & (one < first) & (another < second)
        early = stage <= FIRST_ROUND[-1]
        low = np.where(early, top - HIGHEST, another + 1)
        count = np.where(early, starting * (HIGHEST + 1), running * (top - low))
        return [(low, count)] * len(COPS)

    def first_board(self) -> dict[str, Any]:
        """All points, and the starting seat moves."""
        return _board(0, self.at_start, self.start)

    def possible(self, board: Columns) -> Any:
        """A caught robber does not move; in the first round exactly those who have moved have lost points."""
        stage, *points = _by_place(board.chase)
        late = stage > FIRST_ROUND[-1]
        moves = np.where(late, (points[1] != CAUGHT) | (board.mover != 1), board.mover == (self.start + stage) % SEATS)
        for seat, score in enumerate(points):
            lost = self.at_start[seat] - score
            has_moved = stage > (seat - self.start) % SEATS
            moves = moves & (late | np.where(has_moved, (lost > 0) & (lost <= HIGHEST), lost == 0))
        return moves

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """False if a cop caught a robber from too many points; else None, since the order of throws decides."""
        _, *points = _by_place(board["chase"])
        cop, most = min(points[seat] for seat in COPS), max(self.at_start[seat] for seat in ROBBERS) - 1
        return False if CAUGHT in points and cop > most else None

    def _first_round(self, seat: int, moved: int) -> range:
        """The possible points of a seat in the first round, when so many players have moved."""
        start = self.at_start[seat]
        has_moved = (seat - self.start) % SEATS < moved
        return range(start - HIGHEST, start) if has_moved else range(start, start + 1)

    # --- a turn ----------------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        """The mover's place, and whether it is the first round."""
        return [(mover, first_round) for first_round in (False, True) for mover in range(SEATS)]

    def root(self, board: Columns) -> Any:
        """The root by mover and stage."""
        return board.mover + SEATS * (board.chase[0] <= FIRST_ROUND[-1])

    def turn(self, mover: int, first_round: bool) -> Node:
        """One throw, with a bonus roll for a six after the first round."""
        six = HIGHEST if self.six == "bonus_too" else 0

        def after(thrown: int) -> Node:
            if first_round or thrown < HIGHEST:
                return End((mover, first_round, thrown, thrown))
            return chance_of(grouped(1, extra), lambda bonus: End((mover, first_round, thrown, six + bonus)))

        return chance_of(d6, after)

    def transition(self, board: Columns, went: TurnResult) -> Transition:
        """The mover goes on, is home or catches robbers; then the next who is in and may move has the turn."""
        seat, first_round, thrown, lost = went
        stage, *points = _by_place(board.chase)
        counts = stage != _stage(thrown)  # a repeated throw only passes the turn; none repeats in the first round
        points[seat] = points[seat] - counts * lost
        points = _caught(seat, points)
        over = (points[1] == CAUGHT) & (points[3] == CAUGHT) if seat in COPS else points[seat] <= 0
        missing = 0 if first_round else MISSING.get(thrown, 0)
        steps = _seats_on(seat, 1 + counts * missing, points)
        goes_on = (stage < FIRST_ROUND[-1]) & first_round
        turned = (points[1] > points[3]) & ~goes_on
        return Transition(
            over=over,
            shares=[int(seat in ROBBERS)],
            next={
                "chase": [
                    np.where(goes_on, stage + 1, _stage(thrown)),
                    *_swapped(points[1], points[3], turned),
                    *_swapped(points[0], points[2], turned),
                ],
                "mover": (seat + steps + HALF_TURN * turned) % SEATS,
            },
        )

    def level(self, board: Columns) -> Any:
        """Points lost so far, all points of a caught robber."""
        return sum(self.at_start) - board.chase[1:].sum(axis=0)

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Points by seat, the throw before, and the mover."""
        most = max(self.at_start)
        help_text = "points of cop, robber, cop, robber; - for a caught robber"
        return [
            Numbers("scores", help_text, FURTHEST, most, SEATS, out=True),
            Number("last", "first throw of the turn before; left out: the first round is on", 1, HIGHEST),
            Number("mover", "the seat that moves next; left out: the one that started", 0, SEATS - 1),
        ]

    def locate(
        self, scores: Sequence[int | None] | None = None, last: int | None = None, mover: int | None = None
    ) -> Position:
        """The position of a question."""
        points_by_seat = list(self.at_start if scores is None else scores)
        seat = self.start if mover is None else mover
        _refuse_finished(points_by_seat)
        if last is None:
            stage = (seat - self.start) % SEATS
            self._refuse_early(points_by_seat, stage, seat)
        else:
            stage = _stage(last)
            self._refuse_late(points_by_seat)
        if points_by_seat[seat] is None:
            raise StateError(f"the robber in seat {seat} is caught, so the mover is another seat")
        points = [CAUGHT if score is None else score for score in points_by_seat]
        place = seat
        if last is not None and points[1] > points[3]:
            points, place = _half_turned(points), (seat + HALF_TURN) % SEATS
        return Position(_board(stage, points, place), (place, last is None), mover=seat)

    def _refuse_early(self, points_by_seat: Sequence[int | None], stage: int, mover: int) -> None:
        for seat, score in enumerate(points_by_seat):
            possible = self._first_round(seat, stage)
            if score not in possible:
                raise StateError(
                    f"without last this is the first round, and with mover={mover} seat {seat} has "
                    f"{_range_text(possible)} points, got {_shown(score)}"
                )

    def _refuse_late(self, points_by_seat: Sequence[int | None]) -> None:
        for seat, score in enumerate(points_by_seat):
            if score is not None and score >= self.at_start[seat]:
                most = self.at_start[seat] - 1
                raise StateError(f"after the first round seat {seat} has at most {most} points, got {score}")
        for cop, robber in product(COPS, ROBBERS):
            behind, ahead = points_by_seat[cop], points_by_seat[robber]
            if behind is not None and ahead is not None and behind <= ahead:
                raise StateError(
                    f"the cop in seat {cop} has caught the robber in seat {robber}, who has -, got {ahead}"
                )

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, later also from the other side of the table, first with the opener to move."""
        stage, *points = _by_place(board["chase"])
        scores = [None if score == CAUGHT else score for score in points]
        mover = board["mover"]
        if stage in FIRST_ROUND:
            yield {"scores": tuple(scores), "last": None, "mover": mover}
            return
        sides = [(scores, mover)]
        if points[1] < points[3] < self.at_start[1]:
            sides.append((_half_turned(scores), (mover + HALF_TURN) % SEATS))
        for by_seat, seat in sorted(sides, key=lambda side: side[1] != self.start):
            yield {"scores": tuple(by_seat), "last": stage - _stage(0), "mover": seat}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], went: TurnResult | None
    ) -> dict[str, Any] | None:
        """Each player stays on their own side of the table."""
        if went is None:
            return None
        seat, (_, first_round, first_throw, lost) = fields["mover"], went
        points = [CAUGHT if score is None else score for score in fields["scores"]]
        counts = first_throw != fields.get("last")
        points[seat] -= counts * lost
        points = [int(score) for score in _caught(seat, points)]
        missing = 0 if first_round else counts * MISSING.get(first_throw, 0)
        starting = first_round and (seat - self.start) % SEATS < FIRST_ROUND[-1]
        return {
            "scores": tuple(None if score == CAUGHT else score for score in points),
            "last": None if starting else first_throw,
            "mover": (seat + int(_seats_on(seat, 1 + missing, points))) % SEATS,
        }


def _caught(seat: int, points: list[Any]) -> list[Any]:
    """The points once this seat has moved: a cop catches every robber that is not ahead."""
    if seat not in COPS:
        return points
    return [
        np.where(score >= points[seat], CAUGHT, score) if place in ROBBERS else score
        for place, score in enumerate(points)
    ]


def _stage(thrown: int) -> int:
    """The stage after a turn of a later round, or after the last one of the first."""
    return FIRST_ROUND[-1] + thrown


def _by_place(chase: Iterable[Column]) -> list[Column]:
    """The stage, and the points of places 0 to 3."""
    stage, ahead, behind, cop, other_cop = chase
    return [stage, cop, ahead, other_cop, behind]


def _board(stage: int, points: Sequence[int], mover: int) -> dict[str, Any]:
    """The board of these points by place."""
    robbers, cops = ([points[place] for place in team] for team in (ROBBERS, COPS))
    return {"chase": (stage, *robbers, *cops), "mover": mover}


def _half_turned(seats: list[Any]) -> list[Any]:
    """The seats from the other side of the table."""
    return seats[HALF_TURN:] + seats[:HALF_TURN]


def _seats_on(mover: int, steps: Column, points: Sequence[Column]) -> Column:
    """The seats from the mover to the player who is so many ``steps`` further to the left, of those still in."""
    for seats in range(1, SEATS):
        place = (mover + seats) % SEATS
        if place in ROBBERS:
            steps = steps + ((points[place] == CAUGHT) & (steps >= seats))
    return steps


def _swapped(first: Column, second: Column, turned: Column) -> list[Column]:
    """The two, in the other order where ``turned``."""
    return [np.where(turned, second, first), np.where(turned, first, second)]


def _refuse_finished(points_by_seat: Sequence[int | None]) -> None:
    for seat in COPS:
        if points_by_seat[seat] is None:
            raise StateError(f"nobody catches the cop in seat {seat}, who needs points, got -")
    for seat in ROBBERS:
        score = points_by_seat[seat]
        if score is not None and score <= 0:
            raise StateError(over=f"the game is over: seat {seat} has got away and the robbers have won")
    if all(points_by_seat[seat] is None for seat in ROBBERS):
        raise StateError(over="the game is over: both robbers are caught and the cops have won")


def _range_text(points: range) -> str:
    return f"{points[0]} to {points[-1]}" if len(points) > 1 else f"{points[0]}"


def _shown(score: int | None) -> str:
    return "-" if score is None else f"{score}"
