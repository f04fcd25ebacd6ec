"""Cameroon: throw five dice three times, set some aside for good, fill boxes that close one by one; most points win.

Number 20 of TACTIC's 21 dice games, for two players, to be ahead by much or to win.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from operator import itemgetter
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.games.cameroon.scoring import (
    ALL_NUMBERS,
    DICE,
    NUMBERS,
    PASS,
    SPECIALS,
    THROWS,
    ZERO_BIT,
    CameroonSheet,
    bits,
    box_scores,
    differences,
    named,
)
from rollwise.games.sheets import box_aims
from rollwise.solver.model.box_fields import BoxNames
from rollwise.solver.model.dice import DiceSetAside, Faces, show
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number, ThrowsLeft
from rollwise.solver.model.game import OTHER, Boards, Columns, Decision, End, Game, Node, NodeKey, Position, Transition
from rollwise.solver.model.moves import parse_move
from rollwise.solver.model.sheet import Aim

MAX_PLAYERS = 4  # by the rules; two are solved


@dataclass(frozen=True)
class Cameroon(CameroonSheet):
    """Duel; the value of a board is the expected margin still to come: the mover's points less the other player's.

    A board: number boxes that are closed to the mover (``mine``: filled by the mover, or by the other with all five
    dice) and to the other player (``theirs``), and ``specials`` that are closed, to both; a bit each. A turn's result
    is (box, points), or (pass, the boxes that the dice fit).
    """

    name = "cameroon"
    labels: ClassVar = {
        "mine": "Only you",
        "theirs": "Only them",
        "closed": "Closed",
        "difference": "Points ahead: below 0 if you are behind",
        "kept": "Dice set aside",
        "roll": "Dice just thrown",
    }
    title = "Cameroon"
    source = "TACTIC rules for dice games"
    rules = (
        "Throw five dice up to three times. Between throws you may set dice aside: they stay as they are, and the rest "
        "is thrown again. Then fill one box that your dice fit; you fill each box once. Ones to sixes score the sum of "
        "that face; five of a kind 30, big straight (2 to 6) 20, small straight (1 to 5) 15, full house (three and "
        "two) the sum of the dice. These last four boxes are for one player alone: whoever scores one first closes it "
        "to the other. A number box closes to both once five of its dice, or more, have been entered by both players "
        "together. If your dice fit an open box you have to fill one, and choose which; otherwise you pass, and "
        "nothing is entered. When no player can score any more the game is over, and the most points win. With "
        "four_of_a_kind=true there is a fifth box for one player alone, four of a kind, worth the sum of the four "
        "dice. With must_keep=true you have to set aside at least one more die before each further throw. What the "
        "straights and five of a kind are worth are parameters as well."
    )
    kind = "duel"
    measure: ClassVar[Literal["margin", "win"]] = "margin"
    unit: ClassVar[Literal["points", "probability"]] = "points"
    scale: ClassVar[int] = 100  # a sheet well filled
    total: ClassVar[Literal[0, 1]] = 0

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """Played for the margin or for the win."""
        from rollwise.games.cameroon.variants import CameroonWin

        return (CameroonWin if parameters.get("objective") == "win" else Cameroon)(**parameters)

    # --- one turn ----------------------------------------------------------------------------------------------------

    @property
    def dice(self) -> DiceSetAside:
        """The dice of a turn."""
        return DiceSetAside(DICE, THROWS, self.score, at_least=1 if self.must_keep else 0)

    def score(self, dice: Faces) -> Node:
        """Fill a box that the dice fit, or pass if all of these are closed; the board decides which are."""
        fitting = [box for box in self.played if self.points(box, dice)]
        moves = [(f"score {box}", self.entry(box, dice)) for box in fitting]
        return Decision([*moves, ("pass", End((PASS, bits(fitting))))])

    def entry(self, box: str, dice: Faces) -> End:
        """The end of a turn with these dice in this box; the reward is their points."""
        scored = self.points(box, dice)
        return End((box, scored), reward=scored)

    # --- the boards --------------------------------------------------------------------------------------------------

    def unsolved(self) -> Mapping[int, int]:
        """Boards of sheets alone, by number of players; the scores, which decide the game, would come on top."""

        def a_number(players: int) -> int:
            filled = range(1, min(players - 1, DICE - 1) + 1)  # each with a die or more, all with fewer than five
            return 2 + sum(comb(players, by) * (DICE - by) for by in filled)  # plus: filled by none, or closed

        return {
            players: a_number(players) ** len(NUMBERS) * (self.all_specials + 1)
            for players in range(3, MAX_PLAYERS + 1)
        }

    def boards(self) -> Boards:
        """Closed boxes."""
        return Boards(mine=ALL_NUMBERS + 1, theirs=ALL_NUMBERS + 1, specials=self.all_specials + 1)

    def possible(self, board: Columns) -> Any:
        """A player can still score, and boxes that are not played are closed."""
        start = self.first_board()
        possible = ~self.over(board.mine, board.theirs, board.specials)
        for name, closed in start.items():
            if closed:
                possible &= board.as_dict()[name] & closed == closed
        return possible

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """Players take turns, so one with fewer boxes has passed; boxes closed to both may be either player's."""
        start, mine, theirs, specials = self.first_board(), board["mine"], board["theirs"], board["specials"]
        ahead = (theirs & ~mine).bit_count() - (mine & ~theirs).bit_count()
        either = (mine & theirs & ~start["mine"]).bit_count() + (specials & ~start["specials"]).bit_count()
        return (ahead - either <= 1 or self.can_pass(mine, specials)) and (
            ahead + either >= 0 or self.can_pass(theirs, specials)
        )

    def over(self, mine: Any, theirs: Any, specials: Any) -> Any:
        """True where no player can score any more."""
        return (mine & theirs == ALL_NUMBERS) & (specials == self.all_specials)

    def transition(self, board: Columns, result: tuple[str, int]) -> Transition:
        """A box is closed to one player or both, or nothing happens; the other player moves next."""
        what, number = result
        if what == PASS:
            return Transition(legal=self.may_pass(board, number), next=self.passed(board), mover=OTHER)
        mine, theirs, specials = board.mine, board.theirs, board.specials
        if what in NUMBERS:
            face = NUMBERS.index(what) + 1
            box = 1 << face - 1
            legal = mine & box == 0
            mine = mine | box
            if number == DICE * face:  # all five dice close it at once; else the other can still fill it
                theirs = theirs | box
        else:
            box = 1 << SPECIALS.index(what)
            legal = specials & box == 0
            specials = specials | box
        return self.scored(board, legal, {"mine": theirs, "theirs": mine, "specials": specials}, number)

    def may_pass(self, board: Columns, fitting: int) -> Any:
        """True where all boxes that the dice fit are closed to the mover."""
        return (fitting & ALL_NUMBERS & ~board.mine == 0) & (fitting >> len(NUMBERS) & ~board.specials == 0)

    def passed(self, board: Columns) -> dict[str, Any]:
        """The same board, seen by the other player."""
        return {"mine": board.theirs, "theirs": board.mine, "specials": board.specials}

    def scored(self, board: Columns, legal: Any, after: dict[str, Any], points: int) -> Transition:
        """The transition after a score; ``after`` is the sheet as the other player sees it."""
        return Transition(legal=legal, over=self.over(**after), next=after, mover=OTHER)

    def level(self, board: Columns) -> Any:
        """The number of closed boxes, counted for each player; then the specials, which a pass leaves as they are."""
        numbers = np.bitwise_count(board.mine).astype(np.int64) + np.bitwise_count(board.theirs)
        return (numbers + np.bitwise_count(board.specials)) * (self.all_specials + 1) + board.specials

    def aims(self) -> dict[str, Aim]:
        """Every box that is played."""
        return box_aims(self.played, DICE, points=itemgetter(1))

    def scored_in(self, board: Columns, result: tuple[str, int], reward: Any) -> tuple[str, ...]:
        """The box that is filled; a pass fills none."""
        return () if result[0] == PASS else (result[0],)

    def ending_name(self, board: Mapping[str, Any], result: tuple[str, int], marks: frozenset[str]) -> str:
        """The box, or ``pass``."""
        return result[0]

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The sheet, the dice on the table, and the throws left."""
        most = sum(max(box_scores(self, box)) for box in self.played)
        return [
            BoxNames("mine", "number boxes that the mover alone has filled, open to the other", self.played),
            BoxNames("theirs", "number boxes that the other alone has filled, open to the mover", self.played),
            BoxNames("closed", "boxes that are closed to both", self.played),
            Number("difference", "the mover's points less the other player's", -most, most),
            FacesField("kept", "the faces set aside this turn", 0, DICE),
            FacesField("roll", "the faces on the table now, without those set aside", 1, DICE),
            ThrowsLeft("rolls_left", "throws still allowed this turn", 0, THROWS, throws=THROWS),
        ]

    def locate(
        self,
        mine: Sequence[str] = (),
        theirs: Sequence[str] = (),
        closed: Sequence[str] = (),
        difference: int | None = None,
        kept: Faces = (),
        roll: Faces | None = None,
        rolls_left: int | None = None,
    ) -> Position:
        """The position of a question; its ``points`` are the difference so far, if the question has it."""
        board = self.closed_boxes({"mine": mine, "theirs": theirs, "closed": closed})
        if difference is not None:
            self.require_difference(board, difference)
        return Position(board, self.turn_state(kept, roll, rolls_left), difference or 0)

    def closed_boxes(self, sheet: Mapping[str, Sequence[str]]) -> dict[str, int]:
        """The board of a sheet; raises StateError for an impossible sheet."""
        for one, other in combinations(sheet, 2):
            twice = [box for box in sheet[one] if box in sheet[other]]
            if twice:
                raise StateError(
                    f"'{twice[0]}' is in {one} and in {other}; a box is in one list, or in none while it "
                    "is open to both"
                )
        for name in ("mine", "theirs"):
            special = [box for box in sheet[name] if box in SPECIALS]
            if special:
                raise StateError(
                    f"{name} has '{special[0]}', which is closed to both once either has scored it; put it into closed"
                )
        if len(sheet["closed"]) == len(self.played):
            raise StateError(
                "every box is closed", over="the game is over", hint="leave at least one box out of closed"
            )
        start = self.first_board()
        both = bits(sheet["closed"])
        return {
            "mine": start["mine"] | both & ALL_NUMBERS | bits(sheet["mine"]),
            "theirs": start["theirs"] | both & ALL_NUMBERS | bits(sheet["theirs"]),
            "specials": start["specials"] | both >> len(NUMBERS),
        }

    def require_difference(self, board: Mapping[str, int], difference: int) -> None:
        """Raise StateError unless the closed boxes can hold this difference."""
        if not differences(self, board["mine"], board["theirs"], board["specials"]) >> ZERO_BIT + difference & 1:
            raise StateError(
                f"difference={difference} cannot come of the boxes that are filled; say the mover's points "
                "less the other player's, and in mine, theirs and closed where they were scored"
            )

    def turn_state(self, kept: Faces, roll: Faces | None, rolls_left: int | None) -> NodeKey:
        """The state of the turn in a question; raises StateError for an impossible one."""
        if roll is not None or len(kept) == DICE:
            return self.after_throw(kept, roll or (), rolls_left)
        if rolls_left == 0:
            raise StateError(f"rolls_left=0 needs roll, the {DICE - len(kept)} faces beside those kept")
        if kept and rolls_left is None:
            raise StateError(f"with kept={show(kept)} say rolls_left, the throws still allowed")
        n_left = THROWS if rolls_left is None else rolls_left
        self.require_kept(kept, THROWS - n_left, n_left)
        return (n_left, kept)

    def after_throw(self, kept: Faces, roll: Faces, rolls_left: int | None) -> NodeKey:
        """The state of the turn with all dice on the table."""
        if len(kept) + len(roll) != DICE:
            raise StateError(
                f"kept and roll are {DICE} dice together, got {len(kept)} and {len(roll)}: "
                f"{show(kept)} and {show(roll)}"
            )
        earliest = THROWS - 1 - bool(kept) if roll else 0  # dice are set aside after a throw
        n_left = earliest if rolls_left is None else rolls_left
        if n_left == THROWS:
            raise StateError(f"after a throw up to {THROWS - 1} are left, got rolls_left={n_left}")
        if not roll or n_left == 0:
            return (0, tuple(sorted((*kept, *roll))))
        self.require_kept(kept, THROWS - 1 - n_left, n_left)
        return (n_left, kept, roll)

    def require_kept(self, kept: Faces, times: int, n_left: int) -> None:
        """Raise StateError unless these dice can have been set aside after so many throws."""
        if kept and not times:
            raise StateError(f"no dice are set aside before the first throw, got kept={show(kept)}")
        if self.must_keep and len(kept) < times:
            raise StateError(
                f"with must_keep=true and rolls_left={n_left} at least {times} dice are kept, got {len(kept)}"
            )

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        n_left, kept, *thrown = state
        if n_left == THROWS:
            yield self.sheet_of(board)
        elif n_left == 0:
            yield {**self.sheet_of(board), "roll": kept, "rolls_left": 0}
        elif not thrown:
            yield {**self.sheet_of(board), "kept": kept, "rolls_left": n_left}
        elif len(thrown) == 1 and len(kept) + len(thrown[0]) == DICE:
            yield {**self.sheet_of(board), "kept": kept, "roll": thrown[0], "rolls_left": n_left}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: tuple[str, int] | None
    ) -> dict[str, Any] | None:
        """Dice that are set aside stay so; the difference goes on from the question's, or from an empty sheet."""
        unscored = not any(fields[name] for name in ("mine", "theirs", "closed"))
        difference = fields.get("difference", 0 if unscored else None)
        if result is None:
            kept = (*fields.get("kept", ()), *parse_move(move).dice) if thrown else ()
            dice = {"kept": tuple(sorted(kept)), "roll": thrown[-1]} if thrown else {}
            return {"difference": difference, **dice}
        scored = 0 if result[0] == PASS else result[1]
        return {"difference": None if difference is None else -difference - scored}

    def sheet_of(self, board: Mapping[str, int]) -> dict[str, Any]:
        """The fields of a sheet; points scored so far are not on a board of margins."""
        start = self.first_board()
        both = board["mine"] & board["theirs"]
        closed = both & ~start["mine"] | (board["specials"] & ~start["specials"]) << len(NUMBERS)
        return {"mine": named(board["mine"] & ~both), "theirs": named(board["theirs"] & ~both), "closed": named(closed)}
