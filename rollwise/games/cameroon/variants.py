"""Cameroon played for the win."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.games.cameroon.rules import Cameroon
from rollwise.games.cameroon.scoring import DICE, NUMBERS, SPECIALS, ZERO_BIT, box_scores, differences, most_left
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.game import OTHER, Boards, Columns, End, Position, Transition


@dataclass(frozen=True)
class CameroonWin(Cameroon):
    """Played for the win; the value of a board is P(the player to move wins) + P(draw) / 2.

    The board has the ``difference`` of the scores too, the mover's less the other's, until it can no longer be made up:
    players never lose points, and make no more than the most of each box that is still open to them.
    """

    measure = "win"
    unit = "probability"
    scale = 1
    total = 1

    def entry(self, box: str, dice: Faces) -> End:
        """The end of a turn with these dice in this box; the board keeps the points."""
        return End((box, self.points(box, dice)))

    def boards(self) -> Boards:
        """Closed boxes and the difference."""
        furthest = self.furthest()
        return Boards(**super().boards().parts, difference=range(-furthest, furthest + 1))

    def furthest(self) -> int:
        """The largest undecided difference.

        A box adds to the lead, and leaves the other player points to score in it: a number at most 4 and 5 times its
        face, a special all or nothing. A lead is at most the points left to score, so at most half of both together.
        """
        numbers = sum(NUMBERS.index(box) + 1 for box in self.played if box in NUMBERS)
        specials = sum(max(box_scores(self, box)) for box in self.played if box in SPECIALS)
        return ((DICE - 1 + DICE) * numbers + specials) // 2

    def first_board(self) -> dict[str, int]:
        """Level scores."""
        return {**super().first_board(), "difference": 0}

    def possible(self, board: Columns) -> Any:
        """Differences that the closed boxes can hold and that can still be made up."""
        possible = np.broadcast_to(super().possible(board), len(board)).copy()
        mine, theirs, specials, place = (
            column[possible] for column in (board.mine, board.theirs, board.specials, board.difference)
        )
        code = (mine << len(NUMBERS) | theirs) * (self.all_specials + 1) + specials
        _, first, sheet = np.unique(code, return_index=True, return_inverse=True)
        sheets = np.stack([mine[first], theirs[first], specials[first]], axis=-1).tolist()
        if sheets:
            undecided = np.array([self.undecided(*closed) for closed in sheets])
            possible[possible] = undecided[sheet, place + self.furthest()]
        return possible

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """False where the boxes exclude it; whether play reaches the difference too is not known."""
        return None if super().reachable(board) else False

    def undecided(self, mine: int, theirs: int, specials: int) -> NDArray[np.bool_]:
        """bool, shape (differences,): True where these closed boxes can hold it and it can still be made up."""
        furthest = self.furthest()
        possible = differences(self, mine, theirs, specials) >> ZERO_BIT - furthest & (1 << 2 * furthest + 1) - 1
        octets = np.frombuffer(possible.to_bytes(furthest // 4 + 1, "little"), dtype=np.uint8)
        lead = np.arange(-furthest, furthest + 1)
        able = (lead <= self.open_to(theirs, specials)) & (-lead <= self.open_to(mine, specials))
        undecided: NDArray[np.bool_] = np.unpackbits(octets, bitorder="little", count=len(lead)).astype(bool) & able
        return undecided

    def open_to(self, closed: Any, specials: Any) -> Any:
        """The most points that a player can still make with these boxes closed."""
        return most_left(self, NUMBERS)[closed] + most_left(self, self.sheet[len(NUMBERS) :])[specials]

    def scored(self, board: Columns, legal: Any, after: dict[str, Any], points: int) -> Transition:
        """The transition after a score, which may decide the game."""
        lead = board.difference + points
        ours, others = (self.open_to(after[name], after["specials"]) for name in ("theirs", "mine"))
        over = self.over(**after)
        return Transition(
            legal=legal,
            won=lead > others,
            drawn=over & (lead == 0),
            over=-lead > ours,
            next={**after, "difference": -lead},
            mover=OTHER,
        )

    def passed(self, board: Columns) -> dict[str, Any]:
        """The same board, seen by the other player."""
        return {**super().passed(board), "difference": -board.difference}

    def locate(self, *args: Any, **fields: Any) -> Position:
        """The position of a question; raises StateError where the game is decided."""
        position = super().locate(*args, **{"difference": 0, **fields})
        lead = int(position.points)
        board = position.board
        for player, behind, closed in (("other player", lead, "theirs"), ("mover", -lead, "mine")):
            can_score = int(self.open_to(board[closed], board["specials"]))
            if behind > can_score:
                raise StateError(
                    f"the game is decided: the {player} is {behind} points behind and can make {can_score} more at most"
                )
        return Position({**board, "difference": lead}, position.state)

    def sheet_of(self, board: Mapping[str, int]) -> dict[str, Any]:
        """The fields of a sheet and the difference."""
        return {**super().sheet_of(board), "difference": board["difference"]}
