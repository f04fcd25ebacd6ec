"""Mexico: up to three throws of two dice, the last one counts; the lowest throw of a round costs a life.

Number 3 of TACTIC's 21 dice games, for two players.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.games.ranks import MEXICO, mexico_name, mexico_rank, ranking
from rollwise.games.results import RoundResults
from rollwise.solver.game.dice import Faces, roll, show
from rollwise.solver.game.errors import StateError
from rollwise.solver.game.fields import Faces as FacesField
from rollwise.solver.game.fields import Field, Number, Numbers
from rollwise.solver.game.model import (
    OTHER,
    Boards,
    Choice,
    Columns,
    End,
    Go,
    Position,
    Settled,
    State,
    Word,
    parameter,
)
from rollwise.solver.game.points import Made, PointGame, TurnWords

DICE = 2
THROWS = 3  # in one turn
PLACES = {faces: place for place, faces in enumerate(reversed(ranking(DICE, mexico_rank)), 1)}  # 3-1 is 1, 2-1 is 21
NAMES = {mexico_name(faces): place for faces, place in PLACES.items()}
THROWN = {place: name for name, place in NAMES.items()}
NOT_THROWN = 0  # in the place of a result
DRAWN = Fraction(1, 2)  # what a dead game is worth


def lives_lost(places: Any) -> Any:
    """What a round costs each player: int array, shape (players, n), for results as places in the ranking, so shaped.

    The lowest pay, all of them; two lives instead of one where somebody's result is 2-1.
    """
    cost = np.where((places == PLACES[MEXICO]).any(axis=0), 2, 1)
    return (places == places.min(axis=0)) * cost


class Results(RoundResults):
    """Throws of two dice, as Mexico names them."""

    dice = DICE
    called = staticmethod(mexico_name)
    like = "6-5"


@dataclass(frozen=True)
class Mexico(PointGame):
    """Duel; the value of a board is P(the player to move wins) + P(dead game) / 2."""

    name = "mexico"
    title = "Mexico"
    source = "004_cc367fea0fd9d5c8.txt"
    rules = (
        "Everybody has six lives. In each round the players take one turn each: throw both dice up to three times, "
        "always both, and keep the last throw, whatever came before; those who move later know all results so far. "
        "2-1, called Mexico, is the highest throw, then come the pairs from 6-6 down to 1-1, then unequal dice, the "
        "higher die first, from 6-5 down to 3-1. Whoever is lowest loses one life, two if the final result of any "
        "player in the round is 2-1; all who are equally low lose. Without a life you are out, and the last player in "
        "wins. If the last players go out together, it is a dead game, which they share. With opener=rotating the "
        "seat that opens moves on after each round."
    )
    kind = "duel"
    measure = "win"
    unit = "probability"
    cyclic = False
    words = TurnWords(
        bust="the last throw counts, whatever it is",
        counted="throw",
        reached="or higher",
        held="on the table",
        no_more="no dice lie on the table yet, or none may be thrown again",
    )
    by_seat = True
    ranked = True
    busts = False

    players: int = parameter(2, "how many play", choices=(2,))
    lives: int = parameter(6, "lives that everybody starts with", low=1, high=50)
    opener: str = parameter("fixed", "who opens a round: always seat 0, or each in turn", choices=("fixed", "rotating"))

    # --- one turn ----------------------------------------------------------------------------------------------------

    def roots(self) -> list[State]:
        """A turn starts with all throws to come."""
        return [(THROWS,)]

    def turn(self, rolls_left: int, thrown: Faces | None = None) -> Word:
        """Before a throw, or with one on the table; ``rolls_left`` throws are still to come."""
        if thrown is None:
            return Choice([("roll", roll(DICE, lambda faces: Go(rolls_left - 1, faces)))])
        stop = ("stop", End(PLACES[thrown]))
        return Choice([stop, ("roll", Go(rolls_left))] if rolls_left else [stop])

    # --- the boards --------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """Lives, the mover's first, and the opener's result, by its place in the ranking, once there is one."""
        lives = range(1, self.lives + 1)
        return Boards(mine=lives, theirs=lives, result=len(PLACES) + 1)

    def first_board(self) -> dict[str, int]:
        """Nobody has lost a life, nobody has thrown."""
        return {"mine": self.lives, "theirs": self.lives, "result": NOT_THROWN}

    def settle(self, board: Columns, place: int) -> Settled:
        """The opener's result stands; with the other's the round is over and paid for."""
        opens = board.result == NOT_THROWN
        lost = np.where(opens, 0, lives_lost(np.stack([np.full(len(board), place), board.result])))
        mine, theirs = board.mine - lost[0], board.theirs - lost[1]
        passes = opens | (self.opener == "fixed")  # a rotating opener has just been second
        return Settled(
            won=(mine > 0) & (theirs <= 0),
            drawn=(mine <= 0) & (theirs <= 0),
            over=(mine <= 0) | (theirs <= 0),
            next={
                "mine": np.where(passes, theirs, mine),
                "theirs": np.where(passes, mine, theirs),
                "result": np.where(opens, place, NOT_THROWN),
            },
            mover=np.where(passes, OTHER, not OTHER),
        )

    def level(self, board: Columns) -> Any:
        """Every round costs a life, and has two turns."""
        return 2 * (2 * self.lives - board.mine - board.theirs) + (board.result != NOT_THROWN)

    def quantities_beside(self, graph: Any, read: Any, position: Position) -> dict[str, Any]:
        """``dead``: the chance of a dead game if both play as the solution does."""
        from rollwise.solver.play.followed import Followed

        followed = Followed(self, graph, read, lambda ending: ending == DRAWN, position.board)
        return {"dead": followed.quantity(position.state, "probability")}

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Lives and results by seat, then the turn."""
        return [
            Numbers("lives", "lives by seat, - for a seat that is out", 0, self.lives, self.players, out=True),
            Number("opener", "the seat that opens this round", 0, self.players - 1),
            Results("results", "results of this round so far, by seat, like 6-5,-", self.players),
            FacesField("roll", "the faces on the table now", DICE, DICE),
            Number("rolls_left", "throws still to come in this turn", 0, THROWS),
        ]

    def locate(
        self,
        lives: Sequence[int | None] | None = None,
        opener: int = 0,
        results: Sequence[str | None] = (),
        roll: Faces | None = None,
        rolls_left: int | None = None,
    ) -> Position:
        """The position of a question."""
        held = [each or 0 for each in lives] if lives is not None else [self.lives] * self.players
        thrown = [*results, *[None] * (self.players - len(results))]
        self.require_standing(held, thrown)
        self.require_order(opener, thrown)
        result = thrown[opener]
        mover = opener if result is None else 1 - opener
        board = {
            "mine": held[mover],
            "theirs": held[1 - mover],
            "result": NOT_THROWN if result is None else NAMES[result],
        }
        return Position(board, self.turn_state(roll, rolls_left), mover=mover)

    def require_standing(self, held: Sequence[int], thrown: Sequence[str | None]) -> None:
        """Raise StateError where somebody is out: of a duel nothing is left then."""
        out = [seat for seat in range(self.players) if not held[seat]]
        for seat in out:
            if thrown[seat]:
                raise StateError(f"results has {thrown[seat]} for seat {seat}, which is out")
        if len(out) == self.players:
            raise StateError("nobody has a life left, the game has ended as a dead game")
        if out:
            raise StateError(f"seat {out[0]} has no life left, seat {1 - out[0]} has won")

    def require_order(self, opener: int, thrown: Sequence[str | None]) -> None:
        """Raise StateError unless only the opener of this round can have thrown."""
        if self.opener == "fixed" and opener:
            raise StateError(f"seat 0 opens every round, got opener={opener}; see parameter opener=rotating")
        if all(thrown):
            raise StateError("results has both players, so the round is over; give the lives that it left them")
        if thrown[1 - opener]:
            raise StateError(
                f"results has {thrown[1 - opener]} for seat {1 - opener}, which has not rolled yet: "
                f"seat {opener} opens this round"
            )

    def turn_state(self, roll: Faces | None, rolls_left: int | None) -> State:
        """The state of the turn that a question means."""
        if roll is None:
            if rolls_left == 0:
                raise StateError("with rolls_left=0 give the roll that lies on the table")
            return (rolls_left or THROWS,)
        if rolls_left == THROWS:
            raise StateError(
                f"with roll {show(roll)} on the table up to {THROWS - 1} throws are left, got rolls_left={rolls_left}"
            )
        return (THROWS - 1 if rolls_left is None else rolls_left, roll)

    def describe(self, board: Mapping[str, int], state: State) -> Iterator[dict[str, Any]]:
        """The fields of a position; with a rotating opener either seat may be the one that opens."""
        result = board["result"]
        seen = (board["mine"], board["theirs"])
        for opener in range(1 if self.opener == "fixed" else self.players):
            mover = opener if result == NOT_THROWN else 1 - opener
            by_seat: list[str | None] = [None] * self.players
            by_seat[opener] = THROWN.get(result)
            yield {
                "lives": seen if mover == 0 else seen[::-1],
                "opener": opener,
                "results": tuple(by_seat) if result else (),
                **dict(zip(("rolls_left", "roll"), state, strict=False)),
            }

    # --- odds of a turn ----------------------------------------------------------------------------------------------

    def made(self, board: Mapping[str, Any], state: State) -> int | None:
        """The place of the throw that lies; none before the first throw."""
        return PLACES[state[1]] if state[1:] else None

    def ended(self, board: Mapping[str, Any], place: int) -> Made:
        """The place of the throw that counts."""
        return Made(place)

    def shown(self, points: int) -> str:
        """A throw by its name."""
        return THROWN[points]
