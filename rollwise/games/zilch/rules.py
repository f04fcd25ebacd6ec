"""Six-Dice Zilch: keep scoring dice, throw the rest, stop before a throw that scores nothing; a duel to 10,000.

docs/rules.md has the rules and how we read them. Scores count in steps of 50.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any, ClassVar

import numpy as np

from rollwise.games.objectives.turn_limit import TURNS_LEFT, TurnLimit
from rollwise.games.turn_sizes import measured_turn_size
from rollwise.solver.model.dice import Faces, counted, grouped, show, throws, without
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import NO_LIMIT, Faces as FacesField, Field, Number, YesNo
from rollwise.solver.model.game import (
    OTHER,
    SAME,
    Boards,
    Bounded,
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
    at_least,
    chance_of,
    parameter,
)
from rollwise.solver.model.moves import keep_move, parse_move
from rollwise.solver.model.turn_points import Hand, PointGame, ResultPoints, TurnPhrases

DICE = 6
STEP = 50
MAX_PLAYERS = 7  # by the rules; two are solved
MIN_BANKED_POINTS = 350  # of a turn that may be stopped
ALL_SIX = "all six"  # marks the states in which all dice have been used
CROSSING = 500  # least points of a turn that reaches the goal
CONSOLATION = 100
SPECIALS = {"three pairs": 1000, "straight": 1500}
TRIO_OF_ONES = 1000
MAX_THROW_POINTS = 2000  # of one throw: six ones
NONE, MUST = 0, "must"  # instead of the face of a trio: no trio; all six dice must be thrown
BUST, ZILCH = "bust", "zilch"  # results of a turn that earns nothing: with fewer than six dice; with six
CHASE = "chase"  # first in the states of a last turn against a player who is far past the goal
ENOUGH, AGAIN = "enough", "again"  # results of a chase: stop with these points, or throw all six dice again
PAST_GOAL = 4000  # points past the goal up to which a crossing turn is solved; beyond, it is bounded
FORCED = 4000  # points past that up to which compulsory throws are solved


# --- the dice --------------------------------------------------------------------------------------------------------


@cache
def scoring(roll: Faces, trio: int) -> Faces:
    """The dice of a roll that can score: ones, fives, matches of the trio, and faces that show three times or more."""
    count = Counter(roll)
    return tuple(face for face in roll if face in (1, 5, trio) or count[face] >= 3)


@cache
def special(roll: Faces) -> str:
    """The name of a special throw of all six dice, or nothing; equal pairs are pairs too."""
    if len(roll) < DICE:
        return ""
    if len(set(roll)) == DICE:
        return "straight"
    return "three pairs" if all(count % 2 == 0 for count in Counter(roll).values()) else ""


@cache
def roll_look(trio: int) -> Callable[[Faces], tuple[Faces, str] | None]:
    """A function from a roll to (the dice that can score beside this trio, special name); None if nothing scores."""

    def look(roll: Faces) -> tuple[Faces, str] | None:
        table = scoring(roll, trio), special(roll)
        return table if any(table) else None

    return look


@cache
def rolls_with(dice: int, trio: int, scorers: Faces, name: str) -> tuple[Faces, ...]:
    """All rolls of so many dice beside this trio with these scoring dice and this special name."""
    return tuple(roll for roll, _ in throws(dice) if roll_look(trio)(roll) == (scorers, name))


@cache
def equal_dice_counts(face: int, count: int, trio: int) -> tuple[tuple[int, bool], ...]:
    """All ways to count equal dice of one throw: (points, whether a trio of them is on the board then)."""
    single = {1: {100}, 5: {50}}.get(face, set())
    match = single | {100}
    ways = {(points, False) for points in _sums(match if face == trio else single, count)}
    if count >= 3:
        triple = 1000 if face == 1 else 100 * face
        ways |= {(triple + points, True) for points in _sums(match, count - 3)}
        if count == DICE:
            ways.add((2 * triple, True))
    return tuple(sorted(ways))


def _sums(numbers: set[int], count: int) -> set[int]:
    return {sum(some) for some in combinations_with_replacement(sorted(numbers), count)}


@cache
def trio_counts(dice: Faces, trio: int) -> tuple[tuple[int, int], ...]:
    """All ways to count all of these dice: (points, trio on the board from now on), more points first.

    A trio of ones counts as none, since a later one is worth 100 with it or without it.
    """
    faces = sorted(Counter(dice).items())
    all_counts = set()
    for counts in product(*(equal_dice_counts(face, count, trio) for face, count in faces)):
        trios = [face for (face, _), (_, is_trio) in zip(faces, counts, strict=True) if is_trio and face != 1]
        all_counts.add((sum(points for points, _ in counts), trios[0] if trios else trio))
    return tuple(sorted(all_counts, reverse=True))


@cache
def keeps(dice: Faces, trio: int, n_thrown: int) -> tuple[tuple[str, int, int, int], ...]:
    """All ways to keep exactly these dice of a throw: (move, points, dice to throw next, trio on the board then)."""
    n_left = n_thrown - len(dice)
    return tuple(
        (keep_move(dice, points), points, n_left or DICE, trio_after if n_left else NONE)
        for points, trio_after in (trio_counts(dice, trio) if dice else ())
    )


@cache
def smaller_keeps(dice: Faces, trio: int) -> tuple[Faces, ...]:
    """The next smaller sets of these dice that can be kept: one die less, or none of a face that needs three."""
    smaller = []
    for face in sorted(set(dice)):
        less = without(dice, face)
        while face in less and not equal_dice_counts(face, less.count(face), trio):
            less = without(less, face)
        if less:
            smaller.append(less)
    return tuple(smaller)


@cache
def totals_of_pass() -> Mapping[tuple[int, int], frozenset[int]]:
    """The possible points since all six dice were thrown, by (dice to throw, trio on the board)."""
    totals_by_dice: dict[tuple[int, int], set[int]] = {(DICE, NONE): {0}}
    for dice in range(DICE, 0, -1):
        for (_, trio), before in [(here, sorted(totals)) for here, totals in totals_by_dice.items() if here[0] == dice]:
            for looked, _ in grouped(dice, roll_look(trio)):
                for some in _parts(looked[0], trio) if looked else ():
                    for _, points, n_left, next_trio in keeps(some, trio, dice):
                        if n_left < DICE:
                            totals_by_dice.setdefault((n_left, next_trio), set()).update(n + points for n in before)
    return {here: frozenset(totals) for here, totals in totals_by_dice.items()}


@cache
def _parts(dice: Faces, trio: int) -> frozenset[Faces]:
    """All sets of these dice that can be kept."""
    return frozenset({dice}.union(*(_parts(less, trio) for less in smaller_keeps(dice, trio)))) - {()}


@cache
def max_mean_gain(dice: int, trio: int) -> Fraction:
    """The most points that a throw of so many dice adds on average, before the player may stop again.

    A special throw adds a throw of six dice; a lost throw adds at most the consolation.
    """

    def most(scorers: Faces, name: str) -> int:
        plain = (points for some in _parts(scorers, trio) for _, points, *_ in keeps(some, trio, dice))
        return max(*plain, SPECIALS.get(name, 0), 0)

    ways = [
        (most(*look) if look else CONSOLATION, bool(look and look[1]), n) for look, n in grouped(dice, roll_look(trio))
    ]
    again = sum(n for _, forced, n in ways if forced)
    return Fraction(sum(points * n for points, _, n in ways), 6**dice - again)


@cache
def chance_lost(dice: int, trio: int) -> Fraction:
    """P(a throw of so many dice scores nothing)."""
    return Fraction(dict(grouped(dice, roll_look(trio)))[None], 6**dice)


@cache
def stopping_total() -> int:
    """The first total at which no throw adds more on average than it puts at risk."""
    least = max(max_mean_gain(*here) / chance_lost(*here) for here in totals_of_pass())
    return int(-(-least // STEP)) * STEP


# --- words of a turn -------------------------------------------------------------------------------------------------


def trio_face(trio: Any) -> int:
    """The face of the trio on the board, or NONE."""
    return NONE if trio == MUST else int(trio)


def throw_beside(dice: int, trio: Any, nothing: Node, then: Callable[..., Node]) -> Chance:
    """Throw so many dice: ``then(dice that can score, special name)``, or ``nothing``."""
    return chance_of(grouped(dice, roll_look(trio_face(trio))), lambda looked: then(*looked) if looked else nothing)


def kept_or_scored(
    go: Callable[[int, int, Any], Node], before: NodeKey, dice: int, trio: int, scorers: Faces, name: str
) -> Decision:
    """The choice of dice to keep of these ``scorers``; ``go(points, dice to throw next, trio)`` is the next node.

    Ways to count all of them are moves of this state; to keep fewer is a move of the states with fewer dice seen.
    """
    moves: list[tuple[str | None, Node]] = [(f"score {name}", go(SPECIALS[name], DICE, MUST))] if name else []
    moves += [(move, go(points, n_next, trio_after)) for move, points, n_next, trio_after in keeps(scorers, trio, dice)]
    return Decision([*moves, *((None, Goto(*before, dice, trio, less, "")) for less in smaller_keeps(scorers, trio))])


# --- the game --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Zilch(PointGame):
    """Duel; the value of a board is P(the player to move wins)."""

    name = "zilch"
    labels: ClassVar = {
        "theirs": "Their score: if it is the goal, this is your last turn",
        "turn": "Points this turn: without the dice on the table",
        "trio": "Three of a kind set aside: more of that face count",
        "must_roll": "Must all six be thrown?: after a special throw",
    }
    title = "Six-Dice Zilch"
    synonyms = ("zilch with six dice",)
    picture = (2, "111456", "Keep what scores; throw on, or bank it.")
    like = tuple(
        (
            name,
            "stop from 350, first score 750, each further equal die 100, three pairs 1000, a straight 1500, the other "
            "has a last turn",
        )
        for name in ("farkle", "greed", "hot dice", "macke", "zonk")
    )
    source = "Six-Dice Zilch"
    rules = (
        "Throw six dice. A one is worth 100, a five 50, three equal dice of one throw 100 times their face (three ones "
        "1000). Such a trio stays on the board, and every further die of its face is worth 100; so is a fourth, fifth "
        "or sixth equal die of the same throw. Six equal dice may count as two trios. All six dice thrown together may "
        "be three pairs, worth 1000, or a straight, worth 1500. If you take either, you have to throw all six again; "
        "you may count only ones, fives or trios in it instead, and then you need not. Keep at least one scoring die "
        "of each throw. You may leave others that score, and you may count dice for less than they could be worth, say "
        "three ones as three times 100. Then throw the dice that are left, or stop once the turn has 350 points; your "
        "first score of the game has to be the opening or more. When all six dice are used you may throw all six "
        "again, with no trio on the board. A throw that scores nothing loses the points of the turn. If it was a throw "
        "of all six dice and your score is not 0, you get 100 points for it, unless these would bring you to the goal, "
        "or it is a last turn. You reach the goal only with a turn of 500 or more: with less you have to roll on, or "
        "count less. Then the other player has one last turn, and wins by ending with more points, if that turn, too, "
        "makes 500 or more (from a score of 0, the opening or more)."
    )
    kind = "duel"
    measure = "win"
    unit = "probability"
    two_steps = True
    words = TurnPhrases(bust="where no die scores, the turn's points are lost")

    goal: int = parameter(10000, "points that end the game", low=STEP, high=10000, step=STEP)
    opening: int = parameter(750, "the least first score", choices=(750, 350))
    players: int = parameter(2, "two for a duel, one to play alone", choices=(2, 1))
    objective: str = parameter(
        "win", "win (duel); turns, reach or points (alone)", choices=("win", "turns", "reach", "points")
    )

    def unsolved(self) -> Mapping[int, int]:
        """All players' scores: 0, or the opening and more; last turns would come on top."""
        scores = max(0, self.goal - self.opening) // STEP + 1
        return {players: scores**players for players in range(3, MAX_PLAYERS + 1)}

    # --- the turn ----------------------------------------------------------------------------------------------------

    turn_size = measured_turn_size

    def roots(self) -> Sequence[NodeKey]:
        """A turn starts with no points and six dice; so does each part of a chase."""
        return [(0, DICE, NONE), (CHASE, 0, DICE, NONE)]

    def root(self, board: Columns) -> Any:
        """1 for a chase, else 0."""
        return (board.theirs >= self.far()) * 1

    def turn(self, *state: Any) -> Node:
        """A state is (points so far, dice to throw, trio on the board); in a chase CHASE comes first."""
        return self.chase(*state[1:]) if state[0] == CHASE else self.play(*state)

    def play(self, total: int, dice: int, trio: Any, scorers: Faces | None = None, name: str = "") -> Node:
        """Before a throw; with ``scorers`` after it: the dice that can score, and the name of a special throw."""

        def go(points: int, n_left: int, next_trio: Any) -> Node:
            return self.on(total, points, n_left, next_trio)

        if scorers is not None:
            return kept_or_scored(go, (total,), dice, trio, scorers, name)
        if over := self.past(total, dice, trio):
            return over
        return self.decision(total, dice, trio, self.cut(total, trio))

    def on(self, total: int, points: int, n_left: int, next_trio: Any) -> Node:
        """The node after dice worth so many ``points`` are kept."""
        return Goto(total + points, n_left, next_trio)

    def decision(self, total: int, dice: int, trio: Any, cut: Node | None = None) -> Decision:
        """Stop, or throw; a throw that scores leads to ``cut``, or to the choice of dice to keep."""
        nothing = End(ZILCH if dice == DICE else BUST)
        rolled = throw_beside(dice, trio, nothing, lambda *table: cut or Goto(total, dice, trio_face(trio), *table))
        may_stop = trio != MUST and total >= MIN_BANKED_POINTS
        return Decision([("stop", self.stopped(total)), ("roll", rolled)] if may_stop else [("roll", rolled)])

    def stopped(self, total: int) -> Node:
        """Bank the total; more points than boards can represent are worth at least as much as the most they can."""
        most = self.highest_turn()
        return End(total) if self.objective != "win" or total <= most else at_least(End(most), Bounded(0, 1))

    def unsolved_node(self, *state: Any) -> Node | None:
        """The choice where the solve leaves throwing on out or bounds it; one more throw is followed."""
        if state[0] == CHASE:
            return None
        total, dice, trio, *table = state
        if not (self.past(total, dice, trio) or self.cut(total, trio)):
            return None
        return self.play(*state) if table else self.decision(total, dice, trio)

    def past(self, total: int, dice: int, trio: Any) -> Node | None:
        """The node of a state before a throw that the solve need not follow; None: the duel is followed to its cut."""
        return None

    def cut(self, total: int, trio: Any) -> Node | None:
        """The node of a throw that scores where it is not followed: bounds from a certain loss to a certain win.

        This is so far past the goal, whatever the score, that stopping (which is followed) beats throwing even if every
        throw that scores won at once; the bounds show it. Compulsory throws are followed further, until hardly any turn
        gets there.
        """
        return Bounded(0, 1) if total >= self.goal + PAST_GOAL + (FORCED if trio == MUST else 0) else None

    def chase(self, total: int, dice: int, trio: Any, scorers: Faces | None = None, name: str = "") -> Node:
        """A part of a last turn that needs many points: until all six dice are used.

        The points needed after that are on the next board, so the state need not hold those of the whole turn.
        """

        def go(points: int, n_left: int, next_trio: Any) -> Node:
            return Goto(CHASE, total + points, n_left, next_trio)

        if scorers is not None:
            return kept_or_scored(go, (CHASE, total), dice, trio, scorers, name)
        stop = "stop", End((ENOUGH, total))
        if trio == MUST:
            return End((AGAIN, total))
        if dice == DICE and total:
            return Decision([stop, ("roll", End((AGAIN, total)))])
        rolled = throw_beside(dice, trio, End(BUST), lambda *table: Goto(CHASE, total, dice, trio, *table))
        return Decision([stop, ("roll", rolled)] if total else [("roll", rolled)])

    # --- the boards --------------------------------------------------------------------------------------------------

    def near(self) -> int:
        """The highest score (in points) past the goal that a board holds as it is, and the highest total with fields.

        In a last turn against it the cut is reached only with more than is needed.
        """
        return self.goal + PAST_GOAL - STEP

    def far(self) -> int:
        """``theirs`` on a board of a chase that needs no more points, only a throw that scores."""
        return self.near() // STEP + 1

    def highest_turn(self) -> int:
        """The most points of a turn that is followed."""
        return self.goal + PAST_GOAL + FORCED + MAX_THROW_POINTS

    def max_chased_points(self) -> int:
        """The most points that a last turn can need: against the highest score, from none."""
        return self.goal - STEP + self.highest_turn() + STEP

    def boards(self) -> Boards:
        """Both scores in steps of 50, the mover's first; once ``theirs`` has reached the goal this is the last turn.

        On boards of a chase ``mine`` is 0, and ``theirs - far()`` is the number of points needed.
        """
        return Boards(mine=self.goal // STEP, theirs=self.far() + self.max_chased_points() // STEP + 1)

    def possible(self, board: Columns) -> Any:
        """No score is between 0 and the opening."""
        opening = self.opening // STEP
        scores = [(score == 0) | (score >= opening) for score in (board.mine, board.theirs)]
        return scores[0] & scores[1] & ((board.theirs < self.far()) | (board.mine == 0))

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """False for the last board, which no followed turn reaches; None for others: a chase stands for many scores."""
        return False if board.get("theirs") == self.far() + self.max_chased_points() // STEP else None

    def points_needed(self, mine: Any, theirs: Any) -> Any:
        """The points a last turn needs, in steps of 50: more than the leader has, and the least that counts."""
        least = np.where(mine == 0, max(self.opening, CROSSING), CROSSING) // STEP
        return np.maximum(theirs - mine + 1, least)

    def transition(self, board: Columns, result: Any) -> Transition:
        """Points are banked, or lost but for the consolation, and the dice go to the other player."""
        if isinstance(result, tuple):
            return self.chase_transition(board, *result)
        last = board.theirs >= self.goal // STEP
        if result in (BUST, ZILCH):
            score = board.mine + self.consolation(board, result)
            return Transition(over=last, next={"mine": board.theirs, "theirs": score}, mover=OTHER)
        score = board.mine + result // STEP
        wins = result // STEP >= self.points_needed(board.mine, board.theirs)
        chased = score > self.near() // STEP
        return Transition(
            legal=np.where(last, wins, self.counts(board, result)),
            won=last,
            next={
                "mine": np.where(chased, 0, board.theirs),
                "theirs": np.where(chased, self.far() + self.points_needed(board.theirs, score), score),
            },
            mover=OTHER,
        )

    def counts(self, board: Columns, result: int) -> Any:
        """True where a turn of so many points may be stopped: a first score opens, and the goal takes 500."""
        crosses = board.mine + result // STEP >= self.goal // STEP
        opens = (board.mine > 0) | (result >= self.opening)
        return opens & (~crosses | (result >= CROSSING))

    def consolation(self, board: Columns, result: str) -> Any:
        """The points of a lost turn, in steps of 50: some for six dice, to a player with a score."""
        earned = CONSOLATION // STEP
        return earned * ((board.mine > 0) & (board.mine + earned < self.goal // STEP)) if result == ZILCH else 0

    def chase_transition(self, board: Columns, what: str, total: int) -> Transition:
        """The end of a chase, or of a part of it."""
        still_needed = board.theirs - self.far() - total // STEP
        if what == ENOUGH:
            return Transition(legal=still_needed <= 0, won=True)
        return Transition(next={"mine": board.mine, "theirs": self.far() + np.maximum(still_needed, 0)}, mover=SAME)

    def level(self, board: Columns) -> Any:
        """The sum of the scores never falls; last turns come after all others, the fewer points needed the later."""
        goal, last = self.goal // STEP, board.theirs >= self.goal // STEP
        chase = 2 * goal + self.boards().ranges["theirs"].stop - board.theirs
        return np.where(board.theirs >= self.far(), chase, np.where(last, 2 * goal, board.mine + board.theirs))

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Scores, the turn's points, and the dice: to be thrown, or on the table."""
        return [
            Number("mine", "the mover's score", 0, self.goal - STEP, STEP),
            Number("theirs", "the other player's score; the goal or more: this is the last turn", 0, self.near(), STEP),
            *self.turn_fields(),
        ]

    def turn_fields(self) -> list[Field]:
        """The fields of a turn."""
        return [
            Number("turn", "points gathered this turn, without the roll", 0, NO_LIMIT, STEP, of="turn"),
            Number("dice", "how many dice will be thrown next", 1, DICE, of="turn"),
            Number(
                "trio",
                "the face of the three of a kind on the board, kept from one throw",
                1,
                6,
                of="turn",
                if_fits=True,
            ),
            YesNo("must_roll", "true after a special throw: all six dice have to be thrown", of="turn", if_fits=True),
            FacesField("roll", "the faces on the table now", 1, DICE),
        ]

    def locate(self, mine: int = 0, theirs: int = 0, **turn: Any) -> Position:
        """The position of a question."""
        self.check_score("mine", mine)
        self.check_score("theirs", theirs)
        return Position({"mine": mine // STEP, "theirs": theirs // STEP}, turn_state(**turn))

    def check_score(self, name: str, score: int) -> None:
        """Raise StateError for an impossible score."""
        if 0 < score < self.opening:
            raise StateError(f"{name} is 0, or {self.opening} (the opening) or more, got {score}")

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position, once for each roll of the state; none in a chase, nor past a turn's cut."""
        if state[0] != CHASE and board["theirs"] < self.far() and state[0] <= self.near():
            scores = {"mine": STEP * board["mine"], "theirs": STEP * board["theirs"]}
            yield from ({**scores, **fields} for fields in turn_fields(state))

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """Points of a turn as they are, even where the solve bounds them, and a trio of ones is a trio on the board."""
        return {**fields, **table_after(fields, move, thrown)} if result is None else None

    def why_only(self, board: Mapping[str, int], state: NodeKey) -> str:
        """The reason why a turn with points must go on: too few of them, or a special throw."""
        if state[0] == CHASE or len(state) > 3 or not state[0]:
            return ""
        total, _, trio = state
        if trio == MUST:
            return "after a special throw all six dice have to be thrown"
        here = Columns({name: np.array([number]) for name, number in board.items()})
        enough = range(MIN_BANKED_POINTS, self.highest_turn() + STEP, STEP)
        needed = next((points for points in enough if np.all(self.transition(here, points).legal)), 0)
        return f"you need {needed} to stop, and have {total}" if needed > total else ""

    # --- odds of a turn ----------------------------------------------------------------------------------------------

    @property
    def most_more(self) -> int:
        """The throw that passes the end, and the points that come on average until a throw is lost."""
        return MAX_THROW_POINTS + int(MAX_THROW_POINTS / min(chance_lost(*here) for here in totals_of_pass())) + 1

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> list[Hand]:
        """One to six dice, and up to three of them beside a trio, whose face they may match."""
        plain = [Hand(dice, (0, dice, NONE)) for dice in range(1, DICE + 1)]
        return plain + [
            Hand(dice, (0, dice, NONE if face == 1 else face), face)
            for face in range(1, 7)
            for dice in range(1, DICE - 2)
        ]

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int | None:
        """The turn's points are at stake; with dice on the table some are still to be kept."""
        return None if state[3:] else int(state[0])

    def result_points(self, board: Mapping[str, Any], result: Any) -> ResultPoints:
        """A lost turn makes nothing or the consolation; boards cannot represent more than the highest turn."""
        if result in (BUST, ZILCH):
            columns = Columns({name: np.array([number]) for name, number in board.items()})
            return ResultPoints(STEP * int(np.max(self.consolation(columns, result))), bust=True)
        return ResultPoints(result, or_more=self.objective == "win" and result >= self.highest_turn())

    def marks(self) -> dict[str, list[NodeKey]]:
        """All six dice are in hand again."""
        totals = range(STEP, self.highest_turn() + STEP, STEP)
        again = [(total, DICE, trio) for total in totals for trio in (NONE, MUST)]
        return {ALL_SIX: [*again, *((CHASE, *state) for state in again)]}

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """The banked turn by its points: just enough to stop, with more than six dice, or otherwise."""
        if result == AGAIN or isinstance(result, tuple):
            return "all six dice are thrown again"
        if result in (BUST, ZILCH):
            return ""
        if STEP * board.get("mine", 0) + result >= self.goal and self.objective != "points":
            return "the goal is reached"
        has_score = board["mine"] if "mine" in board else board["opened"]
        if result == (MIN_BANKED_POINTS if has_score else self.opening):
            return "banked, the bare minimum"
        return "banked, with all six dice used" if ALL_SIX in marks else ""

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """The duel, or alone the fewest turns, the best chance of a few turns or the best single turn."""
        alone = parameters.get("players") == 1
        objective = parameters.setdefault("objective", "turns" if alone else "win")
        if alone != (objective in ("turns", "reach", "points")):
            raise ParameterError(
                f"'zilch' with players={parameters.get('players', 2)} has objective "
                f"{'turns, reach or points' if alone else 'win'}, got {objective}"
            )
        alone_for = {"turns": ZilchTurns, "reach": ZilchReach, "points": ZilchPoints}
        return alone_for.get(objective, Zilch)(**parameters)


@dataclass(frozen=True)
class ZilchTurns(Zilch):
    """Alone; the value of a board is the least expected number of turns to the goal, the present one included."""

    kind = "solo"
    measure = "turns"
    unit = "turns"
    sense = "min"
    scale = 10  # half a turn lost by one choice is much
    total = 0

    def roots(self) -> Sequence[NodeKey]:
        """A turn starts with nothing and six dice; or it has made enough, but all six must be thrown again."""
        return [(0, DICE, NONE), (self.enough(), DICE, MUST)]

    def root(self, board: Columns) -> Any:
        """The root by the board's ``forced``."""
        return board.forced

    def enough(self) -> int:
        """The least points of a turn that may be stopped and reaches the goal."""
        return max(self.goal, self.opening, CROSSING)

    def past(self, total: int, dice: int, trio: Any) -> Node | None:
        """With enough points the player stops; where throws are compulsory the surplus is dropped."""
        if total < self.enough() or (total == self.enough() and trio == MUST):
            return None
        return End(AGAIN) if trio == MUST else Decision([("stop", End(self.enough()))])

    def on(self, total: int, points: int, n_left: int, next_trio: Any) -> Node:
        """A player with enough points, whose throw was compulsory, stops."""
        had_to = total >= self.enough() and next_trio != MUST
        return End(self.enough()) if had_to else super().on(total, points, n_left, next_trio)

    def cut(self, total: int, trio: Any) -> Node | None:
        """No cut."""
        return None

    def boards(self) -> Boards:
        """The player's score in steps of 50, and whether the turn has enough points and must be thrown on."""
        return Boards(mine=self.goal // STEP, forced=2)

    def possible(self, board: Columns) -> Any:
        """No score is between 0 and the opening."""
        return (board.mine == 0) | (board.mine >= self.opening // STEP)

    def transition(self, board: Columns, result: Any) -> Transition:
        """One more turn, or a special throw in a turn that has enough points."""
        if result == AGAIN:
            return Transition(next={"mine": board.mine, "forced": 1})
        if result in (BUST, ZILCH):
            return Transition(next={"mine": board.mine + self.consolation(board, result), "forced": 0}, reward=1)
        score = board.mine + result // STEP
        reached = score >= self.goal // STEP
        return Transition(legal=self.counts(board, result), over=reached, next={"mine": score, "forced": 0}, reward=1)

    def level(self, board: Columns) -> Any:
        """The score never falls."""
        return board.mine

    def fields(self) -> list[Field]:
        """The score and the turn."""
        mine = Number("mine", "the player's score", 0, self.goal - STEP, STEP)
        return [mine, *self.turn_fields()]

    def locate(self, mine: int = 0, **turn: Any) -> Position:  # type: ignore[override]  # there is no other player
        """The position of a question."""
        self.check_score("mine", mine)
        state = turn_state(**turn)
        forced = self.forced(state)
        state = (self.enough(), *state[1:]) if forced else state
        return Position({"mine": mine // STEP, "forced": int(forced)}, state)

    def forced(self, state: NodeKey) -> bool:
        """True if a turn with enough points must go on, or has just thrown on."""
        total, _, trio, *table = state
        return total >= self.enough() and (trio == MUST or bool(table))

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        forced = self.forced(state)
        if forced == board["forced"] and (state[0] <= self.enough() or not forced):
            for fields in turn_fields(state):
                turn = max(state[0], DICE * STEP + min(SPECIALS.values())) if forced else state[0]  # a possible total
                yield {"mine": STEP * board["mine"], **fields, "turn": turn}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """A turn that has enough points and must be thrown on is still the same turn."""
        return super().after(fields, move, thrown, None if result == AGAIN else result)

    def result_points(self, board: Mapping[str, Any], result: Any) -> ResultPoints:
        """The surplus over the goal is not followed, nor the rest of a turn that throws all dice again."""
        if result == AGAIN:
            return ResultPoints(self.enough(), or_more=True, unsure=True)
        points = super().result_points(board, result)
        return replace(points, or_more=not points.bust and points.points >= self.enough())


@dataclass(frozen=True)
class ZilchReach(TurnLimit, ZilchTurns):  # type: ignore[misc]  # there is no other player to locate
    """Alone; the value of a board is the best P(the goal is reached ``within`` so many turns, this one included)."""

    def boards(self) -> Boards:
        """The player's score in steps of 50, the turns that are left, and whether the turn must be thrown on."""
        return Boards(mine=self.goal // STEP, within=TURNS_LEFT, forced=2)

    def transition(self, board: Columns, result: Any) -> Transition:
        """As where turns are counted, but the last turn ends with the goal reached, or without."""
        turn = super().transition(board, result)
        if result == AGAIN:
            return replace(turn, next={**(turn.next or {}), "within": board.within})
        over = turn.over | (board.within == 1)
        return replace(turn, over=over, won=turn.over, reward=0, next={**(turn.next or {}), "within": board.within - 1})


@dataclass(frozen=True)
class ZilchPoints(Zilch):
    """One turn, no goal; the value is the best expected number of points.

    The end is exact where the player may stop: a throw loses the turn with chance b and else adds m points at most on
    average, compulsory throws and the consolation included, so from ``b * total >= m`` on, for all
    dice, throwing on can only lower what is expected, and so can any later throw.
    """

    kind = "solo"
    measure = "points"
    unit = "points"
    scale = 500  # a good turn
    total = 0

    def roots(self) -> Sequence[NodeKey]:
        """The one turn."""
        return [(0, DICE, NONE)]

    def root(self, board: Columns) -> Any:
        """The same root with a score and without."""
        return board.opened * 0

    def enough(self) -> int:
        """The first total at which throwing on never pays."""
        return stopping_total()

    def past(self, total: int, dice: int, trio: Any) -> Node | None:
        """The player stops; compulsory throws are followed on, then bounded by the points they can add on average."""
        if trio == MUST:
            followed = total < self.enough() + FORCED
            return None if followed else Bounded(0, total + max_mean_gain(DICE, NONE))
        return Decision([("stop", End(total))]) if total >= self.enough() else None

    def cut(self, total: int, trio: Any) -> Node | None:
        """No other cut."""
        return None

    def boards(self) -> Boards:
        """Whether the player has a score."""
        return Boards(opened=2)

    def possible(self, board: Columns) -> Any:
        """Always possible."""
        return board.opened >= 0

    def transition(self, board: Columns, result: Any) -> Transition:
        """The game ends with the turn."""
        if result in (BUST, ZILCH):
            return Transition(over=True, reward=board.opened * (CONSOLATION if result == ZILCH else 0))
        return Transition(legal=(board.opened == 1) | (result >= self.opening), over=True, reward=result)

    def level(self, board: Columns) -> Any:
        """One level."""
        return board.opened * 0

    def fields(self) -> list[Field]:
        """The score, which matters only where it is 0, and the turn."""
        mine = Number("mine", "the player's score", 0, max(self.goal - STEP, self.opening), STEP)
        return [mine, *self.turn_fields()]

    def locate(self, mine: int = 0, **turn: Any) -> Position:  # type: ignore[override]  # there is no other player
        """The position of a question."""
        self.check_score("mine", mine)
        return Position({"opened": int(mine > 0)}, turn_state(**turn))

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position, with the lowest score that fits the board."""
        if state[0] <= self.enough():
            yield from ({"mine": self.opening * board["opened"], **fields} for fields in turn_fields(state))

    def result_points(self, board: Mapping[str, Any], result: Any) -> ResultPoints:
        """The consolation goes to a player with a score, however high that is."""
        if result in (BUST, ZILCH):
            return ResultPoints(CONSOLATION * board["opened"] if result == ZILCH else 0, bust=True)
        return ResultPoints(result)

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """Past the end every player stops."""
        followed = result in (BUST, ZILCH) or result < self.enough()
        return super().ending_name(board, result, marks) if followed else f"banked, {self.enough()} or more"


# --- questions about a turn ------------------------------------------------------------------------------------------


def turn_state(
    turn: int = 0, dice: int | None = None, trio: int | None = None, must_roll: bool = False, roll: Faces | None = None
) -> NodeKey:
    """The state of the turn in a question; raises StateError for impossible fields."""
    if roll is not None and dice not in (None, len(roll)):
        raise StateError(f"roll shows {len(roll)} dice, but dice says {dice}; leave dice out")
    if roll is None and dice is None and turn and not must_roll:
        raise StateError(f"with turn={turn} say how many dice are left (dice=1 to {DICE}) or the roll")
    number = len(roll) if roll is not None else dice or DICE
    if trio is not None and number > DICE - 3:
        raise StateError(f"beside a trio on the board 1 to {DICE - 3} dice are left to throw, got {number}")
    if must_roll and number < DICE:
        raise StateError(f"after a special throw all {DICE} dice must be thrown, got {number}")
    stands = NONE if trio in (None, 1) else int(trio)
    check_total(turn, number, stands, TRIO_OF_ONES if trio == 1 else 0, tuple(SPECIALS.values()) if must_roll else ())
    if roll is None:
        return (turn, number, MUST if must_roll else stands)
    look = roll_look(stands)(roll)
    if look is None:
        raise StateError(f"roll {show(roll)} scores nothing", over="the turn is over")
    return (turn, number, stands, *look)


def check_total(turn: int, dice: int, trio: int, least: int, first: Sequence[int]) -> None:
    """Raise StateError where no way of keeping dice gathers ``turn`` points and leaves so many dice beside this trio.

    The points are those of one pass through the dice (``first``: these points), after any that used up all six before;
    these are never fewer than six fives. A trio of ones has made 1000 points at ``least``.
    """
    passes = sorted(first or totals_of_pass()[dice, trio])
    fewest = max(passes[0], least)
    if _can_be(turn, passes, least):
        return
    with_trio = f" beside a trio of {show((trio,) * 3)}" if trio else " beside a trio of 1 1 1" if least else ""
    lowest = (
        f"the dice kept before make {fewest} points or more"
        if turn < fewest
        else "no dice that are kept make so many points"
    )
    says_none = trio == NONE and not least and not first
    by_trio = {face: sorted(totals) for (n, face), totals in totals_of_pass().items() if n == dice and trio_face(face)}
    others = [f"trio={face}" for face in sorted(by_trio) if says_none and _can_be(turn, by_trio[face], 0)]
    also = f"; it is possible with {' or '.join(others)}" if others else ""
    raise StateError(
        f"turn={turn} is impossible with {counted(dice)} to throw{with_trio}: {lowest}{also}", hint=(*others, "")[0]
    )


def _can_be(turn: int, passes: Sequence[int], least: int) -> bool:
    """True if a turn can make so many points; ``passes``: all points of one pass through the dice, ascending."""
    return turn >= max(passes[0], least) and (turn in passes or turn >= DICE * STEP + passes[0])


def table_after(fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...]) -> dict[str, Any]:
    """The dice and points on the table after a move of a turn, as fields of the next question.

    >>> table_after({"turn": 0, "roll": (1, 1, 1, 2, 3, 4)}, "keep 1 1 1 for 1000", ())
    {'turn': 1000, 'dice': 3, 'trio': 1, 'must_roll': None, 'roll': None}
    """
    turn, trio = fields["turn"], fields.get("trio")
    if thrown:
        return {"turn": turn, "dice": None, "trio": trio, "must_roll": None, "roll": thrown[-1]}
    done = parse_move(move)
    dice, points = done.dice, done.points or SPECIALS[done.box]
    if not dice:
        return {"turn": turn + points, "dice": DICE, "trio": None, "must_roll": True, "roll": None}
    n_left = len(fields["roll"]) - len(dice)
    if dice.count(1) >= 3 and points >= TRIO_OF_ONES:  # five singles make less
        trio = 1
    elif trio != 1:
        trio = next(face for worth, face in trio_counts(dice, trio or NONE) if worth == points) or None
    return {
        "turn": turn + points,
        "dice": n_left or DICE,
        "trio": trio if n_left else None,
        "must_roll": None,
        "roll": None,
    }


def turn_fields(state: NodeKey) -> Iterator[dict[str, Any]]:
    """The fields of a state of the turn, once for each roll."""
    total, dice, trio, *table = state
    shown = {"turn": total, **({"trio": trio} if trio_face(trio) else {})}
    if not table:
        yield {**shown, "dice": dice, **({"must_roll": True} if trio == MUST else {})}
    yield from ({**shown, "roll": roll} for roll in (rolls_with(dice, trio, *table) if table else ()))
