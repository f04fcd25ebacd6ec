"""Mexico: up to three throws of two dice, the last one counts; the lowest throw of a round costs a life.

Number 3 of TACTIC's 21 dice games, for two players and for tables of three and four.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, ClassVar

import numpy as np

from rollwise.games.mexico.scoring import (
    DICE,
    HIGHEST,
    NAMES,
    NEW_ROUND,
    NOT_THROWN,
    PLACES,
    THROWN,
    MexicoResults,
    every_lives,
    every_round,
    rounds,
)
from rollwise.games.results import with_result
from rollwise.games.seats import first_holder, seen_from
from rollwise.solver.model.dice import Faces, roll, show
from rollwise.solver.model.duel_transition import as_duel
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number, Numbers, ThrowsLeft
from rollwise.solver.model.game import (
    Boards,
    Columns,
    Decision,
    End,
    Game,
    Goto,
    Node,
    NodeKey,
    Position,
    Transition,
    parameter,
)
from rollwise.solver.model.turn_points import PointGame, ResultPoints, TurnPhrases

THROWS = 3  # in one turn
DRAWN = Fraction(1, 2)  # the value of a dead game of two
TABLES = (3, 4)
MAX_PLAYERS = 6  # that the rules allow
MAX_TABLE_BOARDS = 16_000_000  # of a table that is solved


@dataclass(frozen=True)
class Mexico(PointGame):
    """Duel; the value of a board is P(the player to move wins) + P(dead game) / 2."""

    name = "mexico"
    title = "Mexico"
    picture = (6, "12", "Six lives, two dice: never be lowest.")
    like = tuple(
        (name, "dice lie open, nobody calls, each throws up to three times") for name in ("mia", "mäxchen", "meyer")
    )
    source = "TACTIC rules for dice games"
    rules = (
        "Each player has six lives. In each round the players take one turn each: throw both dice up to three times, "
        "always both, and keep the last throw, whatever came before; those who move later know all results so far. "
        "2-1, called Mexico, is the highest throw, then come the pairs from 6-6 down to 1-1, then unequal dice, the "
        "higher die first, from 6-5 down to 3-1. Whoever is lowest loses one life, two if the final result of any "
        "player in the round is 2-1; all who are equally low lose. Without a life you are out, and the last player in "
        "wins. If the last players go out together, it is a dead game, which they share. Seat 0 opens every round, or "
        "the first seat that is still in; with opener=rotating the next one that is still in opens the next round."
    )
    kind: ClassVar[str] = "duel"
    measure = "win"
    unit = "probability"
    cyclic = False
    words = TurnPhrases(
        bust="the last throw counts, whatever it is",
        counted="throw",
        reached="or higher",
        place="on the table",
        no_more="no dice lie on the table yet, or none may be thrown again",
    )
    by_seat = True
    ranked = True
    busts = False

    players: int = parameter(2, "how many play", choices=(2, 3, 4))
    lives: int = parameter(6, "lives of each player at the start", low=1, high=50)
    opener: str = parameter("fixed", "who opens a round: always seat 0, or each in turn", choices=("fixed", "rotating"))

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """The duel, or a table; raises ParameterError for a table with too many boards."""
        from rollwise.games.mexico.variants import MexicoTable

        if parameters.get("players") not in TABLES:
            return Mexico(**parameters)
        table = MexicoTable(**parameters)
        if table.players in table.unsolved():
            raise ParameterError(f"'mexico' with lives={table.lives} is too much for {table.players}", field="players")
        return table

    def unsolved(self) -> Mapping[int, int]:
        """Lives while all are in, and the states of a round so far."""
        boards = {players: self.lives**players * len(rounds(players)) for players in range(3, MAX_PLAYERS + 1)}
        return {players: n for players, n in boards.items() if players not in TABLES or n > MAX_TABLE_BOARDS}

    # --- one turn ----------------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        """A turn starts with all throws to come."""
        return [(THROWS,)]

    def turn(self, rolls_left: int, thrown: Faces | None = None) -> Node:
        """Before a throw, or with one on the table; ``rolls_left`` throws are still to come."""
        if thrown is None:
            return Decision([("roll", roll(DICE, lambda faces: Goto(rolls_left - 1, faces)))])
        stop = ("stop", End(PLACES[thrown]))
        return Decision([stop, ("roll", Goto(rolls_left))] if rolls_left else [stop])

    # --- the boards --------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """Lives from the mover to the left, 0 for a player who is out, and the ``round`` so far, one of ``rounds``."""
        return Boards(lives=every_lives(self.players, self.lives), round=every_round(self.players))

    def first_board(self) -> dict[str, Any]:
        """All lives, and no throws."""
        return {"lives": (self.lives,) * self.players, "round": NEW_ROUND}

    def possible(self, board: Columns) -> Any:
        """Players who have rolled are in; those above the lowest have any 2-1 of the round."""
        opener, lowest, holders, mexico = board.round
        place = np.arange(self.players)[:, None]
        still_in, rolled = board.lives > 0, (place >= opener) & (opener > 0)
        low = holders >> place & 1 == 1
        higher = (rolled & still_in & ~low).any(axis=0)
        fits = np.where(higher, lowest < HIGHEST - 1 + mexico, (mexico == 1) == (lowest == HIGHEST))
        opens = np.take_along_axis(still_in, opener[None], axis=0)[0]
        return opens & ~(low & ~still_in).any(axis=0) & fits

    def transition(self, board: Columns, place: int) -> Transition:
        """The result joins the round; after the last player who is in, the lowest pay."""
        return as_duel(self.table_transition(board, place))

    def table_transition(self, board: Columns, place: int) -> Transition:
        """The same for any number of players, the end of the game in shares from the mover to the left."""
        lives, (opener, lowest, holders, mexico) = board.lives, board.round
        seats = np.arange(self.players)[:, None]
        lower, equal = (lowest == NOT_THROWN) | (place < lowest), place == lowest
        low = np.where(seats == 0, lower | equal, (holders >> seats & 1 == 1) & ~lower)
        mexico = mexico | (place == HIGHEST)
        after = first_holder(lives, 1)  # the next to roll, unless that is the opener
        last = after == opener  # a mover who opens is never the last: there are two in
        lives_left = np.where(last, np.maximum(lives - low * (1 + mexico), 0), lives)
        standing = (lives_left > 0).sum(axis=0)
        opens = first_holder(lives_left, opener + (self.opener == "rotating"))
        passes = np.where(last, opens, after)
        so_far = (
            (opener - passes) % self.players,
            np.where(lower, place, lowest),
            (seen_from(low, passes) << seats).sum(axis=0),
            mexico,
        )
        winners = np.where(standing == 0, lives, lives_left) > 0
        per = lcm(*range(1, self.players + 1))
        return Transition(
            over=standing < 2,
            shares=per * winners // winners.sum(axis=0),
            per=per,
            next={"lives": seen_from(lives_left, passes), "round": [np.where(last, 0, part) for part in so_far]},
            mover=passes,
        )

    def level(self, board: Columns) -> Any:
        """Every round costs a life, and has a turn for each player who is in."""
        lost = self.players * self.lives - board.lives.sum(axis=0)
        seats, opener = np.arange(self.players)[:, None], board.round[0]
        rolled = (board.lives > 0) & (seats >= opener) & (opener > 0)
        return self.players * lost + rolled.sum(axis=0)

    def quantities_beside(self, graph: Any, read: Any, position: Position) -> dict[str, Any]:
        """``dead``: the chance of a dead game if both play as the solution does."""
        from rollwise.solver.policy.ending_chances import EndingChances

        followed = EndingChances(self, graph, read, lambda ending: ending == DRAWN, position.board)
        return {"dead": followed.quantity(position.state, "probability")}

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Lives and results by seat, then the turn."""
        return [
            Numbers(
                "lives",
                "lives by seat, - for a seat that is out",
                0,
                self.lives,
                self.players,
                out=True,
                out_at=0,
                of="both",
                drawn="pegs",
            ),
            Number("opener", "the seat that opens this round", 0, self.players - 1, of="both"),
            MexicoResults("results", "results of this round so far, by seat, like 6-5,-", self.players, of="both"),
            FacesField("roll", "the faces on the table now", DICE, DICE),
            ThrowsLeft("rolls_left", "throws still to come in this turn", 0, THROWS, throws=THROWS),
        ]

    def locate(
        self,
        lives: Sequence[int | None] | None = None,
        opener: int | None = None,
        results: Sequence[str | None] = (),
        roll: Faces | None = None,
        rolls_left: int | None = None,
    ) -> Position:
        """The position of a question; without ``opener``, the first seat that is in opens."""
        seat_lives = [each or 0 for each in lives] if lives is not None else [self.lives] * self.players
        thrown = [*results, *[None] * (self.players - len(results))]
        self.require_standing(seat_lives, thrown)
        first = next(seat for seat in range(self.players) if seat_lives[seat])
        self.require_opener(first if opener is None else opener, first, seat_lives)
        in_order = [seat for seat in self.from_seat(first if opener is None else opener) if seat_lives[seat]]
        mover = self.next_to_roll(in_order, thrown)
        places = {NAMES[name] for name in thrown if name}
        lowest = min(places, default=NOT_THROWN)
        so_far = NEW_ROUND
        if places:
            low = [seat for seat in in_order if thrown[seat] == THROWN[lowest]]
            holders = sum(1 << (seat - mover) % self.players for seat in low)
            so_far = ((in_order[0] - mover) % self.players, lowest, holders, int(HIGHEST in places))
        board = {"lives": tuple(seat_lives[seat] for seat in self.from_seat(mover)), "round": so_far}
        return Position(board, self.turn_state(roll, rolls_left), mover=mover)

    def from_seat(self, seat: int) -> list[int]:
        """All seats from this one to the left."""
        return [(seat + place) % self.players for place in range(self.players)]

    def require_standing(self, seat_lives: Sequence[int], thrown: Sequence[str | None]) -> None:
        """Raise StateError where the game is over, or a seat that is out has a result."""
        still_in = [seat for seat in range(self.players) if seat_lives[seat]]
        for seat in range(self.players):
            if thrown[seat] and seat not in still_in:
                raise StateError(f"results has {thrown[seat]} for seat {seat}, which is out")
        if not still_in:
            raise StateError("no player has a life left, the game has ended as a dead game")
        if len(still_in) == 1:
            out = [seat for seat in range(self.players) if not seat_lives[seat]]
            who = f"seat {out[0]} has" if len(out) == 1 else f"seats {', '.join(map(str, out))} have"
            raise StateError(f"{who} no life left, seat {still_in[0]} has won")

    def require_opener(self, opener: int, first: int, seat_lives: Sequence[int]) -> None:
        """Raise StateError unless this seat can open a round."""
        if not seat_lives[opener]:
            raise StateError(f"opener is a seat that is still in, and seat {opener} is out")
        if self.opener == "fixed" and opener != first:
            who = f"seat {first}, the first that is still in," if first else "seat 0"
            raise StateError(f"{who} opens every round, got opener={opener}; see parameter opener=rotating")

    def next_to_roll(self, in_order: Sequence[int], thrown: Sequence[str | None]) -> int:
        """The first seat in that has no result; raises StateError where a later one has."""
        waiting = [seat for seat in in_order if not thrown[seat]]
        if not waiting:
            who = "both players" if self.players == 2 else "all players who are in"
            raise StateError(f"results has {who}, so the round is over; give the lives that it left them")
        for seat in in_order[in_order.index(waiting[0]) :]:
            if thrown[seat]:
                does = "opens this round" if in_order[0] == waiting[0] else "rolls before it, and has no result"
                has = f"results has {thrown[seat]} for seat {seat}, which has not rolled yet"
                raise StateError(f"{has}: seat {waiting[0]} {does}")
        return waiting[0]

    def turn_state(self, roll: Faces | None, rolls_left: int | None) -> NodeKey:
        """The state of the turn in a question."""
        if roll is None:
            if rolls_left == 0:
                raise StateError("with rolls_left=0 give the roll that lies on the table")
            return (rolls_left or THROWS,)
        if rolls_left == THROWS:
            raise StateError(
                f"with roll {show(roll)} on the table up to {THROWS - 1} throws are left, got rolls_left={rolls_left}"
            )
        return (THROWS - 1 if rolls_left is None else rolls_left, roll)

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position, once for each seat that may be the opener.

        Of the others' results it only matters that they are higher than the lowest, and whether one is a 2-1: then all
        are shown as 2-1, else as pairs of six.
        """
        opener, lowest, holders, mexico = board["round"]
        opens = board["lives"][opener:] + board["lives"][:opener]
        for seat in range(self.players):
            if self.opener == "fixed" and any(opens[self.players - seat :]):
                return
            mover = (seat - opener) % self.players
            place_of = [(other - mover) % self.players for other in range(self.players)]
            by_seat: list[str | None] = [None] * self.players
            for other, place in enumerate(place_of):
                if 0 < opener <= place and board["lives"][place]:
                    by_seat[other] = THROWN[lowest if holders >> place & 1 else HIGHEST if mexico else HIGHEST - 1]
            yield {
                "lives": tuple(board["lives"][place] or None for place in place_of),
                "opener": seat,
                "results": tuple(by_seat) if any(by_seat) else (),
                **dict(zip(("rolls_left", "roll"), state, strict=False)),
            }

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], place: int | None
    ) -> dict[str, Any] | None:
        """The results are the actual throws, until the round is over."""
        if place is None:
            return None
        results = with_result(fields["results"], self.players, self.locate(**fields).mover, THROWN[place])
        is_over = all(result for result, lives in zip(results, fields["lives"], strict=True) if lives)
        return None if is_over else {"results": results}

    # --- odds of a turn ----------------------------------------------------------------------------------------------

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int | None:
        """The place of the throw on the table; none before the first throw."""
        return PLACES[state[1]] if state[1:] else None

    def result_points(self, board: Mapping[str, Any], place: int) -> ResultPoints:
        """The place of the throw that counts."""
        return ResultPoints(place)

    def ending_name(self, board: Mapping[str, Any], place: int, marks: frozenset[str]) -> str:
        """The throw against the lowest of the round; the first throw of a round by its own rank."""
        lowest = board["round"][1]
        if place == HIGHEST:
            return "2-1"
        if lowest != NOT_THROWN:
            return "the lowest" if place < lowest else "as low as the lowest" if place == lowest else "not the lowest"
        high, low = THROWN[place].split("-")
        return "a pair" if high == low else f"{high} high"

    def shown(self, points: int) -> str:
        """The name of a throw."""
        return THROWN[points]
