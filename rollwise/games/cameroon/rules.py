"""Cameroon: throw five dice three times, set some aside for good, fill boxes that close one by one; most points win.

Number 20 of TACTIC's 21 dice games, for two players, to be ahead by much or to win.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from operator import itemgetter
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rollwise.games.boxes import BoxNames
from rollwise.games.patterns import face_sum, full_house, of_a_kind
from rollwise.games.sheets import box_aims
from rollwise.solver.model.dice import DiceGame, DiceSetAside, Faces, show, throws
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number, ThrowsLeft
from rollwise.solver.model.game import (
    OTHER,
    Boards,
    Columns,
    Decision,
    End,
    Game,
    Node,
    NodeKey,
    Position,
    Transition,
    parameter,
)
from rollwise.solver.model.moves import parse_move
from rollwise.solver.model.sheet import Aim, BoxGame

DICE, THROWS = 5, 3
MAX_PLAYERS = 4  # by the rules; two are solved
NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
SPECIALS = ("five of a kind", "big straight", "small straight", "full house", "four of a kind")
BOXES = (*NUMBERS, *SPECIALS)
ALL_NUMBERS = (1 << len(NUMBERS)) - 1
BIG, SMALL = (2, 3, 4, 5, 6), (1, 2, 3, 4, 5)
PASS = "pass"


def bits(boxes: Sequence[str]) -> int:
    """Boxes as a number, a bit each in the order of the sheet: numbers first, then specials."""
    return sum(1 << BOXES.index(box) for box in boxes)


def named(mask: int) -> tuple[str, ...]:
    """The boxes of such a number."""
    return tuple(box for place, box in enumerate(BOXES) if mask >> place & 1)


@dataclass(frozen=True)
class Cameroon(DiceGame, BoxGame):
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

    four_of_a_kind: bool = parameter(False, "is four of a kind, the sum of the four, one of the boxes?")
    five_of_a_kind: int = parameter(30, "points for five of a kind", low=1, high=100)
    big_straight: int = parameter(20, "points for 2-3-4-5-6", low=1, high=100)
    small_straight: int = parameter(15, "points for 1-2-3-4-5", low=1, high=100)
    must_keep: bool = parameter(False, "must a die be set aside before each further throw?")
    players: int = parameter(2, "how many play", choices=(2,))
    objective: str = parameter("margin", "margin (points more than the other) or win", choices=("margin", "win"))
    boxes: str = parameter("all", "boxes still to play, as ones,full house; others are closed", trial=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.boxes != "all" and not set(str(self.boxes).split(",")) <= set(self.sheet):
            raise ParameterError(
                f"'cameroon' parameter boxes is all, or some of {', '.join(self.sheet)}, got {self.boxes!r}"
            )

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """Played for the margin or for the win."""
        return (CameroonWin if parameters.get("objective") == "win" else Cameroon)(**parameters)

    @property
    def sheet(self) -> tuple[str, ...]:
        """The boxes of the score sheet."""
        return BOXES if self.four_of_a_kind else BOXES[:-1]

    @property
    def played(self) -> tuple[str, ...]:
        """Boxes that are open at the start of the game."""
        return tuple(box for box in self.sheet if self.boxes == "all" or box in self.boxes.split(","))

    def points(self, box: str, dice: Faces) -> int:
        """The score of these dice in a box; 0 if they do not fit."""
        if box in NUMBERS:
            return face_sum(dice, NUMBERS.index(box) + 1)
        if box == "five of a kind":
            return self.five_of_a_kind if of_a_kind(dice, DICE) else 0
        if box == "four of a kind":
            return 4 * dice[2] if of_a_kind(dice, 4) else 0  # of five in order the middle die is one of the four
        if box == "full house":
            return sum(dice) if full_house(dice) else 0
        fits, worth = {"big straight": (BIG, self.big_straight), "small straight": (SMALL, self.small_straight)}[box]
        return worth if dice == fits else 0

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

    @property
    def all_specials(self) -> int:
        """The specials of the sheet, a bit each."""
        return (1 << len(self.sheet) - len(NUMBERS)) - 1

    def first_board(self) -> dict[str, int]:
        """Nothing is closed but boxes that are not played."""
        closed = bits(self.sheet) - bits(self.played)
        numbers = closed & ALL_NUMBERS
        return {"mine": numbers, "theirs": numbers, "specials": closed >> len(NUMBERS)}

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

    def can_pass(self, numbers: int, specials: int) -> bool:
        """True if some dice fit only closed boxes."""
        closed = {box for at, box in enumerate(BOXES) if (numbers | specials << len(NUMBERS)) >> at & 1}
        faces = [face for face, box in enumerate(NUMBERS, 1) if box in closed]
        return any(
            closed.issuperset(box for box in self.sheet if self.points(box, dice))
            for dice in combinations_with_replacement(faces, DICE)
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


ZERO_BIT = 512  # the bit of the difference 0: more points than all boxes together hold


@cache
def differences(game: Cameroon, mine: int, theirs: int, specials: int) -> int:
    """The differences of points that closed boxes can hold, from the mover's side, a bit each."""
    start = game.first_board()
    for place in range(len(NUMBERS)):
        box, face = 1 << place, place + 1
        to_mover, to_other = mine & box & ~start["mine"], theirs & box & ~start["theirs"]
        if to_mover or to_other:  # one player alone enters up to four dice, both together can be five dice apart
            dice = range(1, DICE) if not to_other else range(1 - DICE, 0) if not to_mover else range(-DICE, DICE + 1)
            return shifted(differences(game, mine & ~box, theirs & ~box, specials), [face * n for n in dice])
    for place, special in enumerate(game.sheet[len(NUMBERS) :]):
        if (specials & ~start["specials"]) >> place & 1:
            before = differences(game, mine, theirs, specials & ~(1 << place))
            return shifted(before, [sign * worth for sign in (-1, 1) for worth in box_scores(game, special)])
    return 1 << ZERO_BIT


def shifted(numbers: int, by: Sequence[int]) -> int:
    """A set of numbers, a bit each, with each of these steps added."""
    sums = 0
    for step in by:
        sums |= numbers << step if step >= 0 else numbers >> -step
    return sums


@cache
def box_scores(game: Cameroon, box: str) -> tuple[int, ...]:
    """All scores of a box, ascending, 0 apart."""
    return tuple(sorted({game.points(box, dice) for dice, _ in throws(DICE)} - {0}))


@cache
def most_left(game: Cameroon, boxes: tuple[str, ...]) -> NDArray[np.int64]:
    """int64, shape (2 ** boxes,): for each set of closed boxes, a bit each, the most points of the others."""
    closed = np.arange(1 << len(boxes))
    return np.array(sum(np.where(closed >> place & 1, 0, box_scores(game, box)[-1]) for place, box in enumerate(boxes)))
