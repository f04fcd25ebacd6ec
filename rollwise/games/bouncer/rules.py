"""Bouncer: every roll is compared with the roll before it, and the two players pay each other the difference.

Number 2 of TACTIC's 21 dice games. There is no choice.

A roll pays its difference to the roll before it, so a board holds chips as if that earlier roll had been paid against
0: the mover's chips less the roll to beat, and the last roller's chips plus it. Then a board need not hold the roll to
beat itself: a roll of r just moves r chips from the last roller to the mover.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.model.dice import Faces, d6
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers
from rollwise.solver.model.game import (
    Boards,
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
from rollwise.solver.model.spaces import Split

FACES = range(1, 7)
LEFT = 1  # the dice always pass to the next player on the left


@dataclass(frozen=True)
class Bouncer(TurnGame):
    """Luck; a board has the next player to roll first, the last roller last."""

    name = "bouncer"
    labels: ClassVar = {"last": "Roll to beat"}
    title = "Bouncer"
    source = "TACTIC rules for dice games"
    rules = (
        "Each player starts with 12 chips. The first roll only sets the mark. From then on compare your roll with the "
        "one before it: if yours is higher, whoever made that roll pays you the difference in chips; if it is lower, "
        "you pay them; equal rolls change nothing. Whoever owes exactly what they have stays in with no chips; whoever "
        "owes more pays what there is, and the game is over. The most chips win; players who tie share the win."
    )
    kind = "seats"
    measure = "win"
    unit = "probability"

    players: int = parameter(3, "players", low=3, high=6)
    chips: int = parameter(12, "chips of each player at the start", low=1, high=12, trial=True)

    @property
    def total_chips(self) -> int:
        """All chips there are; none ever leaves the game."""
        return self.players * self.chips

    def boards(self) -> Boards:
        """``marked`` is 0 before the first roll; ``stake`` are chips, once marked with the roll to beat moved over."""
        low = [-max(FACES), *[0] * (self.players - 1)]
        return Boards(marked=2, stake=Split(self.players, self.total_chips, low=low))

    def first_board(self) -> dict[str, Any]:
        """All chips, and no roll."""
        return {"marked": 0, "stake": (self.chips,) * self.players}

    def possible(self, board: Columns) -> Any:
        """Some roll to beat fits both players' chips; before the first roll no chips are paid."""
        fewest, most = np.maximum(1, -board.stake[0]), np.minimum(6, board.stake[-1])
        return np.where(board.marked == 1, fewest <= most, (board.stake == self.chips).all(axis=0))

    def turn(self) -> Node:
        """One roll."""
        return chance_of(d6, End)

    def transition(self, board: Columns, rolled: int) -> Transition:
        """The difference is paid, and the game ends where the payer has too few chips."""
        mover, last = board.stake[0] + board.marked * rolled, board.stake[-1] - board.marked * rolled
        broke, bounced = mover < 0, last < 0
        both = mover + last
        chips = np.stack([np.where(bounced, both, mover), *board.stake[1:-1], np.where(broke, both, last)])
        final = np.where(chips < 0, 0, chips)
        winners = final == final.max(axis=0)
        per = lcm(*range(1, self.players + 1))
        return Transition(
            over=broke | bounced,
            shares=winners * (per // winners.sum(axis=0)),
            per=per,
            next={"marked": 1, "stake": [chips[1] - rolled, *chips[2:], chips[0] + rolled]},
            mover=LEFT,
        )

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Chips by seat, the roll to beat, and the next to roll."""
        return [
            Numbers("chips", "chips by seat", 0, self.total_chips, self.players),
            Number("last", "the roll to beat; left out: nobody has rolled yet", 1, 6),
            Number("mover", "the seat that rolls next", 0, self.players - 1),
        ]

    def locate(self, chips: Sequence[int] | None = None, last: int | None = None, mover: int = 0) -> Position:
        """The position of a question."""
        seat_chips = list(chips) if chips is not None else [self.chips] * self.players
        if sum(seat_chips) != self.total_chips:
            raise StateError(f"{self.players} players hold {self.total_chips} chips together, got {sum(seat_chips)}")
        stake = seat_chips[mover:] + seat_chips[:mover]
        if last is not None:
            stake[0] -= last
            stake[-1] += last
        elif set(seat_chips) != {self.chips}:
            raise StateError("chips have been paid, so say the roll to beat: last=1 to 6")
        return Position({"marked": int(last is not None), "stake": tuple(stake)}, (), mover=mover)

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position for every roll to beat that makes this board, the mover in seat 0."""
        if not board["marked"]:
            yield {"chips": board["stake"], "last": None, "mover": 0}
            return
        mover, *others, roller = board["stake"]
        for last in FACES:
            if mover + last >= 0 and roller >= last:
                yield {"chips": (mover + last, *others, roller - last), "last": last, "mover": 0}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], rolled: int | None
    ) -> dict[str, Any]:
        """The roll to beat is this one."""
        return {"last": rolled}
