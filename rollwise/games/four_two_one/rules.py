"""421: the lowest throw of a round takes chips, until the pot is empty; then the highest gives chips back.

Number 6 of TACTIC's 21 dice games.

Chips are counted from the opener of the round to the left, so that a throw changes nothing but the round
(``games.four_two_one.rounds``). When all have thrown, a turn without dice throws off ties and pays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.games.four_two_one.questions import FourTwoOneResults, TableOf421
from rollwise.games.four_two_one.rounds import DICE, DISCHARGE, PLACES, THROWN, THROWS, count_open_rounds, thrown_off
from rollwise.games.ranks import kind_421
from rollwise.games.results import with_result
from rollwise.solver.model.dice import Faces, next_die, roll, with_face
from rollwise.solver.model.duel_transition import TableForTwo
from rollwise.solver.model.fields import Faces as FacesField, Field, Number, NumberOrNone, Numbers, ThrowsLeft
from rollwise.solver.model.game import (
    Boards,
    Chance,
    Columns,
    Decision,
    End,
    Game,
    Goto,
    Node,
    NodeKey,
    Position,
    Transition,
    chance_of,
    parameter,
)
from rollwise.solver.model.moves import keep_move
from rollwise.solver.model.spaces import Split

MAX_PLAYERS = 10
CACHED_GAMES = 8  # games whose roots by round are cached
LEFT = 1
OPENS, FOLLOWS = "opens", "follows"  # the turn of the discharge's opener, and any other
CALLED = {"421": "4-2-1", "ones": "two ones", "triple": "a triple", "straight": "a straight", "rest": "any other throw"}
TAKES, PUTS, GIVES = "takes", "puts", "gives"  # when all have thrown: from the pot; into the pot; to the lowest player


@dataclass(frozen=True)
class FourTwoOne(TableOf421):
    """Table; the value of a board is P(win) of each seat, counted from the mover."""

    name = "421"
    labels: ClassVar = {"pot": "Chips in the middle: 0 once all are taken", "rolls": "Throws allowed in this round"}
    title = "421"
    picture = (8, "124", "Nothing beats 4-2-1: lose your chips.")
    source = "TACTIC rules for dice games"
    rules = (
        "Each player has 3 chips, and 11 are in the pot. The highest throw is 4-2-1; then come two ones with another "
        "die, from 1-1-6 down to 1-1-2, then three equal dice, from 6-6-6 to 1-1-1, then straights, from 6-5-4 to "
        "3-2-1. All others go by their highest die, then by the middle one, then by the lowest. First comes the "
        "charge: in each round everybody throws three dice once, and the lowest player takes chips from the pot. The "
        "highest throw of the round says how many: 1-1-x as many as the third die shows, three equal dice 3, a "
        "straight 2, 4-2-1 all but one, any other throw 1; never more than there are, and if a single chip is left "
        "even 4-2-1 takes it. Whoever took chips throws last in the next round. When the pot is empty the discharge "
        "begins, and seat 0 opens it. The opener throws up to three times, choosing each time which dice to throw "
        "again, and everybody else may throw as often as the opener did, or less. Now the highest player gets rid of "
        "chips, as many as the same list says: they go into the pot, but with 4-2-1 all chips but one go to the lowest "
        "player. A single chip is not given away with 4-2-1. The highest player opens the next round. Players who tie "
        "for highest, or for lowest, throw dice among themselves to settle it. The first player without chips wins."
    )
    kind: ClassVar[Literal["duel", "table"]] = "table"
    measure = "win"
    unit = "probability"

    players: int = parameter(3, "how many play", choices=(3, 2))
    chips: int = parameter(3, "chips of each player; fewer only to try the game out", low=1, high=3, trial=True)
    pot: int = parameter(11, "chips in the pot; fewer only to try the game out", low=0, high=11, trial=True)

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """A duel, or a table."""
        return (FourTwoOneDuel if parameters.get("players") == 2 else FourTwoOne)(**parameters)

    def unsolved(self) -> Mapping[int, int]:
        """Boards of the discharge with a throw to come, once some chips have been put back."""
        several = range(4, MAX_PLAYERS + 1)
        return {n: count_open_rounds(n) * comb(n * self.chips + self.pot - 1, n) for n in several}

    # --- one turn ----------------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        """The opener's turn, those of others by their throws; then the payment when all have thrown."""
        seats = range(self.players)
        some = [each for size in range(1, self.players + 1) for each in combinations(seats, size)]
        return [
            (OPENS, THROWS),
            *((FOLLOWS, throws) for throws in range(1, THROWS + 1)),
            *((TAKES, lows) for lows in some),
            *((PUTS, tops) for tops in some),
            *(
                (GIVES, tops, lows)
                for tops in some
                for lows in some
                if tops == lows == (*seats,) or not {*tops} & {*lows}
            ),
        ]

    def root(self, board: Columns) -> Any:
        """The root of each board's turn."""
        return roots_by_round(self)[board.round]

    def turn_of(self, number: int) -> NodeKey:
        """The first state of a turn of this round."""
        standing = self.rounds.each[number]
        if standing.thrown < self.players:
            return (FOLLOWS, standing.throws) if standing.throws else (OPENS, THROWS)
        if standing.charging:
            return (TAKES, standing.lows)
        return (GIVES, standing.tops, standing.lows) if standing.lows else (PUTS, standing.tops)

    def turn(self, what: str, *state: Any) -> Node:
        """Before a throw or after one, while dice fall, or when all have thrown."""
        if what in (OPENS, FOLLOWS):
            return self.throw(what, *state)
        return self.throw_off(what, *state)

    def throw(self, role: str, n_left: int, dice: Faces | None = None) -> Node:
        """``n_left`` throws are to come; ``dice`` lie on the table, or stay while the others fall one by one."""
        if dice is None:
            return Decision([("roll", roll(DICE, lambda faces: Goto(role, n_left - 1, faces)))])
        if len(dice) < DICE:
            return chance_of(next_die, lambda face: Goto(role, n_left, with_face(dice, face)))
        place = PLACES[dice]
        stop = ("stop", End((place, THROWS - n_left) if role == OPENS else place))
        keeps = [some for size in reversed(range(DICE)) for some in dict.fromkeys(combinations(dice, size))]
        return Decision([stop, *((keep_move(some), Goto(role, n_left - 1, some)) for some in keeps if n_left)])

    def throw_off(self, what: str, *tied: tuple[int, ...]) -> Node:
        """The players who pay and are paid: each of the tied ones is equally likely."""
        ends: list[Node] = [End((what, *each)) for each in thrown_off(*tied)]
        if len(ends) == 1:
            return ends[0]
        ways = next(6**dice for dice in range(1, len(ends)) if 6**dice % len(ends) == 0)
        return Chance((ways // len(ends), end) for end in ends)

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """The kind of throw."""
        if isinstance(result, tuple) and isinstance(result[0], str):
            return ""  # when all have thrown
        place = result if isinstance(result, int) else result[0]
        return CALLED[kind_421(tuple(map(int, THROWN[place].split("-"))))]

    # --- the boards --------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """The round, and each player's chips, those of its opener first; the other chips are in the pot."""
        return Boards(round=len(self.rounds.each), chips=Split(self.players, self.all_chips, low=1, at_most=True))

    def first_board(self) -> dict[str, Any]:
        """All chips, no throws, and seat 0 opens."""
        return {"round": self.rounds.start[0 if self.pot else DISCHARGE], "chips": (self.chips,) * self.players}

    def possible(self, board: Columns) -> Any:
        """In the charge chips only grow, and the player who took the last ones throws last; see ``can_be_chips``."""
        n_held = board.chips.sum(axis=0)
        started = n_held == self.players * self.chips
        opened = np.where(started, self.rounds.seat0[board.round] == 0, board.chips[-1] > self.chips)
        charging = (board.chips >= self.chips).all(axis=0) & (n_held < self.all_chips) & opened
        return np.where(self.rounds.charging[board.round], charging, self.can_be_chips(board.chips))

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """False where one chip alone is put back and the others' chips exclude it.

        The opener put that chip back, or has since given all chips but one. The others have one from a 4-2-1 or no
        fewer than at the start, but for the player who put it back.
        """
        opener, *others = board["chips"]
        few = sum(1 < chips < self.chips for chips in others)
        if opener + sum(others) == self.all_chips - 1 and few > (opener == 1):
            return False
        return None if self.players > 2 else True

    def transition(self, board: Columns, result: Any) -> Transition:
        """A throw goes into the round; when all have thrown, chips move and the next round begins."""
        if isinstance(result, int):
            return Transition(next=board.but(round=self.rounds.after[board.round, result]), mover=LEFT)
        if isinstance(result[0], int):
            return Transition(next=board.but(round=np.full(len(board), self.rounds.opened[result])), mover=LEFT)
        what, *seats = result
        if what == TAKES:
            return self.takes(board, *seats)
        return self.puts(board, *seats) if what == PUTS else self.gives(board, *seats)

    def takes(self, board: Columns, low: int) -> Transition:
        """The lowest takes chips from the pot, and throws last in the next round; seat 0 opens the discharge."""
        pot = self.all_chips - board.chips.sum(axis=0)
        moves = self.rounds.moves[board.round]
        n_taken = np.where(moves, np.minimum(moves, pot), np.maximum(pot - 1, 1))
        chips = board.chips.copy()
        chips[low] += n_taken
        seat0 = self.rounds.seat0[board.round]
        opener = np.where(pot == n_taken, seat0, (low + 1) % self.players)
        charges = np.array([self.rounds.start[seat] for seat in range(self.players)])
        return self.next_round(
            chips,
            opener,
            np.where(pot == n_taken, self.rounds.start[DISCHARGE], charges[(seat0 - opener) % self.players]),
        )

    def puts(self, board: Columns, top: int) -> Transition:
        """The highest puts chips into the pot, and opens the next round; without chips, that player has won."""
        chips = board.chips.copy()
        chips[top] -= self.rounds.moves[board.round]
        return self.next_round(chips, top, self.rounds.start[DISCHARGE])

    def gives(self, board: Columns, top: int, low: int) -> Transition:
        """The highest gives all chips but one to the lowest, and opens the next round."""
        chips = board.chips.copy()
        chips[low] += chips[top] - 1
        chips[top] = 1
        return self.next_round(chips, top, self.rounds.start[DISCHARGE])

    def next_round(self, chips: Any, opener: Any, start: Any) -> Transition:
        """The round that this seat opens, or the end where a player has no chips left."""
        out = chips <= 0
        places = (np.arange(self.players)[:, None] + opener) % self.players
        return Transition(
            over=out.any(axis=0),
            shares=out,
            next={"round": start, "chips": np.take_along_axis(chips, places, axis=0)},
            mover=opener,
        )

    def level(self, board: Columns) -> Any:
        """Chips taken, then chips put back. While all players have two chips or more, then the throws.

        Once a player has a single chip, a 4-2-1 may only permute the chips, so that boards come again; else the sum of
        the squares of all chips grows.
        """
        n_held, squares = board.chips.sum(axis=0), (board.chips**2).sum(axis=0)
        thrown = self.rounds.thrown[board.round]
        steps = self.all_chips**2 + self.players + 1  # squares and throws are fewer
        back = (1 + self.all_chips - n_held) * steps
        in_discharge = (
            self.all_chips * steps + back + np.where((board.chips > 1).all(axis=0), thrown, self.players + squares)
        )
        return np.where(self.rounds.charging[board.round], n_held * steps + thrown, in_discharge)

    def order(self, board: Columns) -> Any:
        """The end of a round before its beginning."""
        return self.rounds.thrown[board.round]

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Chips and results by seat, then the turn."""
        return [
            Number(
                "pot", "chips still to be taken; 0 once there have been none, though some are put back", 0, self.pot
            ),
            Numbers("chips", "chips by seat", 0, self.all_chips, self.players),
            Number("opener", "the seat that opens this round", 0, self.players - 1),
            FourTwoOneResults("results", "results of this round so far, by seat, like 4-2-1,-", self.players),
            NumberOrNone("rolls", "throws that the opener has used, with pot=0; the others have no more", 1, THROWS),
            FacesField("roll", "the faces on the table now", DICE, DICE),
            ThrowsLeft("rolls_left", "throws still allowed in this turn", 0, THROWS, throws=THROWS),
        ]

    def locate(
        self,
        pot: int | None = None,
        chips: Sequence[int] | None = None,
        opener: int = 0,
        results: Sequence[str | None] = (),
        rolls: int | None = None,
        roll: Faces | None = None,
        rolls_left: int | None = None,
    ) -> Position:
        """The position of a question."""
        to_take = self.pot if pot is None else pot
        by_seat = tuple(chips) if chips is not None else (self.chips,) * self.players
        seats = [(opener + place) % self.players for place in range(self.players)]
        self.require_chips(to_take, by_seat)
        self.require_opener(to_take, by_seat, opener)
        thrown = self.results_from(opener, (*results, *[None] * (self.players - len(results))))
        limit = self.limit(to_take, len(thrown), rolls)
        round_ = self.rounds.standing(-opener % self.players if to_take else DISCHARGE, limit, thrown)
        board = {"round": self.rounds.number[round_], "chips": tuple(by_seat[seat] for seat in seats)}
        role = FOLLOWS if round_.throws else OPENS
        return Position(board, (role, *self.turn_state(limit, roll, rolls_left)), mover=seats[len(thrown)])

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position: the opener in seat 0 in the discharge; of equal results, some that lead there."""
        if not state or state[0] not in (OPENS, FOLLOWS) or any(len(dice) < DICE for dice in state[2:]):
            return
        round_, results = self.rounds.each[board["round"]], self.rounds.shown[board["round"]]
        names = [*(THROWN[place] for place in results), *[None] * (self.players - len(results))]
        opener = -round_.seat0 % self.players if round_.charging else 0
        places = [(seat - opener) % self.players for seat in range(self.players)]
        yield {
            "pot": self.all_chips - sum(board["chips"]) if round_.charging else 0,
            "chips": tuple(board["chips"][place] for place in places),
            "opener": opener,
            "results": tuple(names[place] for place in places) if results else (),
            "rolls": round_.throws if results and not round_.charging else None,
            **dict(zip(("rolls_left", "roll"), state[1:], strict=False)),
        }

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """The results are the actual throws, until the round is over."""
        if result is None:
            return None
        place, rolls = result if isinstance(result, tuple) else (result, fields.get("rolls"))
        results = with_result(fields["results"], self.players, self.locate(**fields).mover, THROWN[place])
        return None if all(results) else {"results": results, "rolls": rolls}


@dataclass(frozen=True)
class FourTwoOneDuel(TableForTwo, FourTwoOne):
    """Duel; the value of a board is P(the mover wins)."""

    kind = "duel"
    by_seat = True


@lru_cache(maxsize=CACHED_GAMES)
def roots_by_round(game: FourTwoOne) -> Any:
    """The root of the turns of each round, int64, shape (rounds,)."""
    number = {root: place for place, root in enumerate(game.roots())}
    return np.array([number[game.turn_of(each)] for each in range(len(game.rounds.each))])
