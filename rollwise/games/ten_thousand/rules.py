"""Ten Thousand: keep scoring dice, roll the rest, stop before a roll that scores nothing; first to 10,000 wins.

Number 15 of TACTIC's 21 dice games. Scores count in steps of 50.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from rollwise.games.objectives.turn_limit import TURNS_LEFT, TurnLimit, game_to_goal
from rollwise.games.turn_sizes import measured_turn_size
from rollwise.solver.model.dice import Faces, counted, grouped, show, throws
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import NO_LIMIT, Faces as FacesField, Field, Number
from rollwise.solver.model.game import (
    OTHER,
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
    chance_of,
    parameter,
)
from rollwise.solver.model.moves import keep_move
from rollwise.solver.model.turn_points import Hand, PointGame, ResultPoints, TurnPhrases

DICE = 6
ALL_SIX = "all six"  # the mark of states in which all dice have been used
STEP = 50
MAX_PLAYERS = 6  # by the rules; two are solved


@cache
def scoring(roll: Faces) -> Faces:
    """The dice of a roll that can score: ones, fives, and faces that show three times or more."""
    count = Counter(roll)
    return tuple(face for face in roll if face in (1, 5) or count[face] >= 3)


@cache
def keeps(dice: Faces) -> tuple[tuple[str, int, int], ...]:
    """Every way to keep dice of a roll: (move, dice kept, points), more dice first, then more points.

    Three equal dice of one roll are 100 times their face (three ones 1000), other ones 100 and fives 50 each.
    """
    ways: list[tuple[Faces, int]] = [((), 0)]
    for face, count in sorted(Counter(dice).items()):
        fits = [n for n in range(count + 1) if face in (1, 5) or n % 3 == 0]
        ways = [((*chosen, *(face,) * n), points + worth(face, n)) for chosen, points in ways for n in fits]
    ways.sort(key=lambda keep: (-len(keep[0]), -keep[1], keep[0]))
    return tuple((keep_move(chosen, points), len(chosen), points) for chosen, points in ways if chosen)


def worth(face: int, count: int) -> int:
    """Points of so many equal dice of one throw."""
    triple, single = {1: (1000, 100), 5: (500, 50)}.get(face, (100 * face, 0))
    return count // 3 * triple + count % 3 * single


@cache
def gathered(dice: int) -> frozenset[int]:
    """The points that so many dice can make, kept over several throws, since all six were thrown."""
    if not dice:
        return frozenset({0})
    return frozenset(
        before + points
        for used in range(dice)
        for scorers, _ in grouped(DICE - used, scoring)
        for _, n_kept, points in keeps(scorers)
        if n_kept == dice - used
        for before in gathered(used)
    )


@dataclass(frozen=True)
class TenThousand(PointGame):
    """Duel; the value of a board is P(the player to move wins)."""

    name = "ten-thousand"
    labels: ClassVar = {"turn": "Points this turn: without the dice on the table"}
    title = "Ten Thousand"
    synonyms = ("10000",)
    picture = (4, "111555", "Ones, fives and triples: bank in time.")
    like = (
        *(
            (name, "only ones, fives and threes of a kind score, stop with any points, the first to the goal wins")
            for name in ("farkle", "greed", "hot dice", "macke", "zonk")
        ),
        ("5000", "the goal is 10,000 unless -p goal=5000 is given"),
    )
    source = "TACTIC rules for dice games"
    rules = (
        "Throw six dice. A one is worth 100, a five 50, three equal dice of one throw 100 times their face (three "
        "ones 1000). Keep at least one scoring die, then stop and bank the turn's points or throw the dice that are "
        "left; after all six have been kept you may throw all six again. A throw without a scoring die loses the "
        "turn's points. You may keep fewer scoring dice than you rolled; two threes of a kind in one throw both "
        "count. The first player to bank the goal or more wins at once."
    )
    kind = "duel"
    measure = "win"
    unit = "probability"
    two_steps = True
    words = TurnPhrases(bust="where no die scores, the turn's points are lost")

    goal: int = parameter(10000, "points to reach", low=500, high=20000, step=50)
    players: int = parameter(2, "two for a duel, one to play alone", choices=(2, 1))
    objective: str = parameter(
        "win", "win (duel); turns, reach or points (alone)", choices=("win", "turns", "reach", "points")
    )

    def unsolved(self) -> Mapping[int, int]:
        """All players' scores."""
        return {players: (self.goal // STEP) ** players for players in range(3, MAX_PLAYERS + 1)}

    turn_size = measured_turn_size

    def roots(self) -> list[NodeKey]:
        """A turn starts with no points and six dice."""
        return [(0, DICE)]

    def boards(self) -> Boards:
        """Both scores in steps of 50, the mover's first."""
        return Boards(mine=self.goal // STEP, theirs=self.goal // STEP)

    def turn(self, total: int, dice: int, scorers: Faces | None = None) -> Node:
        """``total`` points so far; ``dice`` to throw, or, of a throw of so many, the ``scorers`` that can score."""
        if scorers is not None:
            return Decision((move, Goto(total + points, dice - n or DICE)) for move, n, points in keeps(scorers))
        return self.past(total) if total >= self.enough() else self.decision(total, dice)

    def decision(self, total: int, dice: int) -> Decision:
        """Stop, or throw so many dice."""
        thrown = chance_of(grouped(dice, scoring), lambda scorers: Goto(total, dice, scorers) if scorers else End(0))
        return Decision([("stop", End(total)), ("roll", thrown)]) if total else Decision([("roll", thrown)])

    def unsolved_node(self, total: int, dice: int, scorers: Faces | None = None) -> Node | None:
        """The choice of a player who may throw on with enough points, though stopping is best."""
        if total < self.enough():
            return None
        return self.decision(total, dice) if scorers is None else self.turn(total, dice, scorers)

    def enough(self) -> int:
        """The total of a turn at which best play stops: here it wins from any score."""
        return self.goal

    def past(self, total: int) -> Node:
        """The node from there on: the goal is reached, and the surplus does not matter."""
        return End(self.goal)

    def transition(self, board: Columns, result: int) -> Transition:
        """Points are banked, and the dice go to the other player."""
        mine = board.mine + result // STEP
        return Transition(won=mine >= self.goal // STEP, next={"mine": board.theirs, "theirs": mine}, mover=OTHER)

    def level(self, board: Columns) -> Any:
        """The sum of the scores never falls."""
        return sum(board.as_dict().values())

    def fields(self) -> list[Field]:
        """Scores, the turn's points, dice to throw or dice on the table."""
        whose = {"mine": "the mover's score", "theirs": "the other player's score"}
        return [
            *(Number(name, whose[name], 0, self.goal - STEP, STEP) for name in whose if name in self.boards().names),
            Number("turn", "points gathered this turn, without the roll", 0, NO_LIMIT, STEP, of="turn"),
            Number("dice", "how many dice will be thrown next", 1, DICE, of="turn"),
            FacesField("roll", "the faces on the table now", 1, DICE),
        ]

    def locate(
        self, mine: int = 0, theirs: int = 0, turn: int = 0, dice: int | None = None, roll: Faces | None = None
    ) -> Position:
        """The position of a question; raises StateError for a roll that scores nothing."""
        scores = {"mine": mine // STEP, "theirs": theirs // STEP}
        board = {name: scores.get(name, 0) for name in self.boards().names}
        if roll is not None:
            if dice is not None and dice != len(roll):
                raise StateError(f"roll shows {len(roll)} dice, but dice says {dice}; leave dice out")
            if not scoring(roll):
                raise StateError(f"roll {show(roll)} scores nothing", over="the turn is over")
            if len(roll) < DICE and not turn:
                raise StateError(f"a roll of {counted(len(roll))} means that others were kept: say turn=, their points")
            return Position(board, (turn, len(roll), scoring(roll)))
        if dice is None and turn:
            raise StateError(f"with turn={turn} say how many dice are left (dice=1 to {DICE}) or the roll")
        if dice not in (None, DICE) and not turn:
            raise StateError(f"dice={dice} means that others were kept: say turn=, their points")
        return Position(board, (turn, dice or DICE))

    def impossible(self, position: Position) -> str:
        """The error for points that the dice kept cannot make."""
        total, dice = position.state[:2]
        n_kept, all_six = DICE - dice, min(gathered(DICE))
        totals = gathered(n_kept)
        if not n_kept:
            why = f"all six, once they are kept, make {all_six} points or more"
        elif min(totals) < total < max(totals):
            why = f"no {counted(n_kept)} that are kept make so many points"
        else:
            dice_kept = counted(n_kept)
            least = min(totals)
            why = f"{dice_kept} kept make {least} to {max(totals)} points, after all six {all_six + least} or more"
        return f"turn={total} is impossible with {counted(dice)} to roll: {why}"

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position: one for each roll in which the same dice can score."""
        scores = {name: STEP * board[name] for name in ("mine", "theirs") if name in board}
        total, dice, *scorers = state
        if not scorers:
            yield {**scores, "turn": total, "dice": dice}
        for roll, _ in throws(dice) if scorers else ():
            if scoring(roll) == scorers[0]:
                yield {**scores, "turn": total, "roll": roll}

    # --- odds of a turn ----------------------------------------------------------------------------------------------

    @property
    def most_more(self) -> int:
        """The most points past the goal: a player who reaches it stops, so less than one throw, six ones."""
        return worth(1, DICE)

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> list[Hand]:
        """One to six dice, whatever is set aside."""
        return [Hand(dice, (0, dice)) for dice in range(1, DICE + 1)]

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int | None:
        """The turn's points are at stake; with dice on the table some are still to be kept."""
        return None if state[2:] else int(state[0])

    def result_points(self, board: Mapping[str, Any], result: int) -> ResultPoints:
        """No points are a throw that does not score; with the goal reached, the surplus is not followed."""
        return ResultPoints(result, bust=result == 0, or_more=self.objective != "points" and result >= self.goal)

    def marks(self) -> dict[str, list[NodeKey]]:
        """All six dice are in hand again."""
        return {ALL_SIX: [(total, DICE) for total in range(STEP, self.enough(), STEP)]}

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """The banked turn by the dice it took: more than six, or fewer."""
        if result == 0:
            return ""
        if self.objective != "points" and STEP * board["mine"] + result >= self.goal:
            return "the goal is reached"
        if self.objective == "points" and result >= self.enough():  # best play throws no further
            return f"banked, {self.enough()} or more"
        return "banked, with all six dice used" if ALL_SIX in marks else ""

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """The duel, or alone the fewest turns, the best chance of a few turns or the best single turn."""
        return game_to_goal(parameters, TenThousand, TenThousandTurns, TenThousandReach, TenThousandPoints)


@dataclass(frozen=True)
class TenThousandTurns(TenThousand):
    """Alone; the value of a board is the least expected number of turns to the goal, the present one included."""

    kind = "solo"
    measure = "turns"
    unit = "turns"
    sense = "min"
    scale = 10  # half a turn lost by one choice is much
    total = 0

    def boards(self) -> Boards:
        """The player's score in steps of 50."""
        return Boards(mine=self.goal // STEP)

    def transition(self, board: Columns, result: int) -> Transition:
        """One more turn; points are banked."""
        mine = board.mine + result // STEP
        return Transition(over=mine >= self.goal // STEP, next={"mine": mine}, reward=1)


@dataclass(frozen=True)
class TenThousandReach(TurnLimit, TenThousandTurns):  # type: ignore[misc]  # there is no other player to locate
    """Alone; the value of a board is the best P(the goal is reached ``within`` so many turns, this one included)."""

    cyclic = False

    def boards(self) -> Boards:
        """The player's score in steps of 50, and the turns that are left."""
        return Boards(mine=self.goal // STEP, within=TURNS_LEFT)

    def transition(self, board: Columns, result: int) -> Transition:
        """Points are banked, and there is a turn less."""
        mine = board.mine + result // STEP
        reached = mine >= self.goal // STEP
        over = reached | (board.within == 1)
        return Transition(over=over, won=reached, next={"mine": mine, "within": board.within - 1})


@dataclass(frozen=True)
class TenThousandPoints(TenThousand):
    """One turn, no goal; the value is the best expected number of points.

    The cut is exact: with d dice a throw loses the turn with chance b and else adds m points at most on average, so
    from ``b * total >= m`` on, for every d, throwing on can only lower what is expected, and so can any later throw.
    """

    kind = "solo"
    measure = "points"
    unit = "points"
    scale = 500  # a good turn
    total = 0

    def boards(self) -> Boards:
        """A single board."""
        return Boards(game=1)

    def enough(self) -> int:
        """The first total at which throwing on never pays, whatever dice are left."""

        def limit(dice: int) -> int:
            results = grouped(dice, scoring)
            gains = sum(ways * max(points for *_, points in keeps(scorers)) for scorers, ways in results if scorers)
            return int(-(-gains // dict(results)[()]))

        return -(-max(map(limit, range(1, DICE + 1))) // STEP) * STEP

    def past(self, total: int) -> Node:
        """The player stops with the present total."""
        return End(total)

    def transition(self, board: Columns, result: int) -> Transition:
        """The game ends with the turn."""
        return Transition(over=True, reward=result)
