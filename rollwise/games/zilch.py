"""Six-Dice Zilch: keep scoring dice, throw the rest, stop before a throw that scores nothing; a duel to 10,000.

The rule sheet is read as docs/rules.md says. Scores count in steps of 50.
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

from rollwise.games.objectives.turn_limit import WITHIN, InTime
from rollwise.solver.model.dice import Faces, counted, dice_of, grouped, show, throws, without
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import FAR, Faces as FacesField, Field, Number, YesNo
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
    TurnSize,
    at_least,
    chance_of,
    parameter,
)
from rollwise.solver.model.turn_points import Hand, Made, PointGame, TurnWords

DICE = 6
STEP = 50
MOST_PLAYERS = 7  # that the rules allow; two are solved
LEAST = 350  # a turn worth less may not be stopped
ALL_SIX = "all six"  # marks the states in which all dice have been used
CROSSING = 500  # a turn that reaches the goal may not be stopped with less
CONSOLATION = 100
SPECIALS = {"three pairs": 1000, "straight": 1500}
TRIO_OF_ONES = 1000
MOST = 2000  # no throw is worth more: six ones
NONE, MUST = 0, "must"  # in place of the face of a trio: there is none; all six dice must be thrown
BUST, ZILCH = "bust", "zilch"  # results of a turn: it earns nothing; the same, and six dice were thrown
CHASE = "chase"  # marks the states of a last turn against a player who is far past the goal
ENOUGH, AGAIN = "enough", "again"  # results there: so many points, to stop or to throw all six dice again
PAST_GOAL = 4000  # points past the goal up to which the crosser's turn is followed; what is beyond is bounded
MORE_EDGES = 1150  # of a turn for every 50 points that the goal is higher
FORCED = 4000  # points past that up to which throws that must be made are followed


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
def looks(trio: int) -> Callable[[Faces], tuple[Faces, str] | None]:
    """What a roll beside this trio is seen as: the dice that can score, and its special name; None if it is lost."""

    def seen(roll: Faces) -> tuple[Faces, str] | None:
        table = scoring(roll, trio), special(roll)
        return table if any(table) else None

    return seen


@cache
def seen_alike(dice: int, trio: int, seen: Faces, called: str) -> tuple[Faces, ...]:
    """All rolls of so many dice beside this trio in which these can score, and that have this special name."""
    return tuple(roll for roll, _ in throws(dice) if looks(trio)(roll) == (seen, called))


@cache
def worths(face: int, count: int, trio: int) -> tuple[tuple[int, bool], ...]:
    """Every way to count so many equal dice of one throw: (points, whether a trio of them is on the board then)."""
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
def countings(dice: Faces, trio: int) -> tuple[tuple[int, int], ...]:
    """Every way to count all of these dice: (points, trio on the board from now on), more points first.

    A trio of ones is like none, since a later one is worth 100 with it or without it.
    """
    faces = sorted(Counter(dice).items())
    found = set()
    for ways in product(*(worths(face, count, trio) for face, count in faces)):
        trios = [face for (face, _), (_, made) in zip(faces, ways, strict=True) if made and face != 1]
        found.add((sum(points for points, _ in ways), trios[0] if trios else trio))
    return tuple(sorted(found, reverse=True))


@cache
def keeps(dice: Faces, trio: int, thrown: int) -> tuple[tuple[str, int, int, int], ...]:
    """Every way to keep just these dice of a throw: (move, points, dice to throw next, trio on the board then)."""
    left = thrown - len(dice)
    return tuple(
        (f"keep {show(dice)} for {points}", points, left or DICE, stands if left else NONE)
        for points, stands in (countings(dice, trio) if dice else ())
    )


@cache
def fewer(dice: Faces, trio: int) -> tuple[Faces, ...]:
    """The next smaller sets of these dice that can be kept: one die less, or no more of a face that needs three."""
    found = []
    for face in sorted(set(dice)):
        less = without(dice, face)
        while face in less and not worths(face, less.count(face), trio):
            less = without(less, face)
        if less:
            found.append(less)
    return tuple(found)


@cache
def one_pass() -> Mapping[tuple[int, int], frozenset[int]]:
    """Points that can have been gathered since all six dice were thrown, by (dice to throw, trio on the board)."""
    found: dict[tuple[int, int], set[int]] = {(DICE, NONE): {0}}
    for dice in range(DICE, 0, -1):
        for (_, trio), before in [(here, sorted(totals)) for here, totals in found.items() if here[0] == dice]:
            for seen, _ in grouped(dice, looks(trio)):
                for some in _parts(seen[0], trio) if seen else ():
                    for _, points, left, stands in keeps(some, trio, dice):
                        if left < DICE:
                            found.setdefault((left, stands), set()).update(total + points for total in before)
    return {here: frozenset(totals) for here, totals in found.items()}


@cache
def _parts(dice: Faces, trio: int) -> frozenset[Faces]:
    """All sets of these dice that can be kept."""
    return frozenset({dice}.union(*(_parts(less, trio) for less in fewer(dice, trio)))) - {()}


@cache
def most_gained(dice: int, trio: int) -> Fraction:
    """No way to throw so many dice adds more points on average, before the player may stop again.

    A special throw adds a throw of six dice; a lost one at most the consolation.
    """

    def most(seen: Faces, name: str) -> int:
        plain = (points for some in _parts(seen, trio) for _, points, *_ in keeps(some, trio, dice))
        return max(*plain, SPECIALS.get(name, 0), 0)

    ways = [
        (most(*table) if table else CONSOLATION, bool(table and table[1]), n) for table, n in grouped(dice, looks(trio))
    ]
    again = sum(n for _, forced, n in ways if forced)
    return Fraction(sum(points * n for points, _, n in ways), 6**dice - again)


@cache
def chance_lost(dice: int, trio: int) -> Fraction:
    """P(a throw of so many dice scores nothing)."""
    return Fraction(dict(grouped(dice, looks(trio)))[None], 6**dice)


@cache
def never_pays() -> int:
    """The first total at which no throw adds more on average than it puts at risk."""
    least = max(most_gained(*here) / chance_lost(*here) for here in one_pass())
    return int(-(-least // STEP)) * STEP


# --- words of a turn -------------------------------------------------------------------------------------------------


def beside(trio: Any) -> int:
    """The face of the trio that is on the board."""
    return NONE if trio == MUST else int(trio)


def thrown(dice: int, trio: Any, nothing: Node, then: Callable[..., Node]) -> Chance:
    """Throw so many dice: ``then(dice that can score, special name)``, or ``nothing``."""
    return chance_of(grouped(dice, looks(beside(trio))), lambda seen: then(*seen) if seen else nothing)


def kept(
    go: Callable[[int, int, Any], Node], before: NodeKey, dice: int, trio: int, seen: Faces, called: str
) -> Decision:
    """What may be kept of the dice ``seen`` of a throw; ``go(points, dice to throw next, trio)`` is what follows.

    All ways to count all of them are moves of this state; fewer dice are those of the states with fewer dice seen.
    """
    moves: list[tuple[str | None, Node]] = [(f"score {called}", go(SPECIALS[called], DICE, MUST))] if called else []
    moves += [(move, go(points, left, stands)) for move, points, left, stands in keeps(seen, trio, dice)]
    return Decision([*moves, *((None, Goto(*before, dice, trio, less, "")) for less in fewer(seen, trio))])


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
    words = TurnWords(bust="where no die scores, the turn's points are lost")

    goal: int = parameter(10000, "points that end the game", low=STEP, high=10000, step=STEP)
    opening: int = parameter(750, "the least first score", choices=(750, 350))
    players: int = parameter(2, "two for a duel, one to play alone", choices=(2, 1))
    objective: str = parameter(
        "win", "win (duel); turns, reach or points (alone)", choices=("win", "turns", "reach", "points")
    )

    def unsolved(self) -> Mapping[int, int]:
        """Every player's score: none, or the opening and more; the last turns are not even counted."""
        scores = max(0, self.goal - self.opening) // STEP + 1
        return {players: scores**players for players in range(3, MOST_PLAYERS + 1)}

    # --- the turn ----------------------------------------------------------------------------------------------------

    def turn_size(self) -> TurnSize | None:
        """A larger goal makes it longer by the same again and again; a chase is as large for every goal."""
        steps = self.goal // STEP
        usual, chase = 128_557 + MORE_EDGES * steps, 2107
        return TurnSize(usual + chase, ((196 + steps, usual), (53, chase)), (BUST,))

    def roots(self) -> Sequence[NodeKey]:
        """A turn starts with nothing and six dice; so does each part of a chase."""
        return [(0, DICE, NONE), (CHASE, 0, DICE, NONE)]

    def root(self, board: Columns) -> Any:
        """A chase, or any other turn."""
        return (board.theirs >= self.far()) * 1

    def turn(self, *state: Any) -> Node:
        """A state is (points so far, dice to throw, trio on the board); in a chase that after the word."""
        return self.chase(*state[1:]) if state[0] == CHASE else self.play(*state)

    def play(self, total: int, dice: int, trio: Any, seen: Faces | None = None, called: str = "") -> Node:
        """Before a throw; with ``seen`` after it: the dice that can score, and the name of a special throw."""

        def go(points: int, left: int, stands: Any) -> Node:
            return self.on(total, points, left, stands)

        if seen is not None:
            return kept(go, (total,), dice, trio, seen, called)
        if over := self.past(total, dice, trio):
            return over
        return self.decision(total, dice, trio, self.cut(total, trio))

    def on(self, total: int, points: int, left: int, stands: Any) -> Node:
        """What follows once dice worth so many ``points`` are kept."""
        return Goto(total + points, left, stands)

    def decision(self, total: int, dice: int, trio: Any, cut: Node | None = None) -> Decision:
        """Stop, or throw; a throw that scores leads to ``cut``, or to what can be kept of it."""
        nothing = End(ZILCH if dice == DICE else BUST)
        rolled = thrown(dice, trio, nothing, lambda *table: cut or Goto(total, dice, beside(trio), *table))
        may_stop = trio != MUST and total >= LEAST
        return Decision([("stop", self.stopped(total)), ("roll", rolled)] if may_stop else [("roll", rolled)])

    def stopped(self, total: int) -> Node:
        """Bank the total; more points than boards have room for are worth no less than the most that they have."""
        most = self.highest_turn()
        return End(total) if self.objective != "win" or total <= most else at_least(End(most), Bounded(0, 1))

    def asked(self, *state: Any) -> Node | None:
        """Nobody has to stop where throwing on is left out, or only bounded; one more throw is followed."""
        if state[0] == CHASE:
            return None
        total, dice, trio, *table = state
        if not (self.past(total, dice, trio) or self.cut(total, trio)):
            return None
        return self.play(*state) if table else self.decision(total, dice, trio)

    def past(self, total: int, dice: int, trio: Any) -> Node | None:
        """What a state before a throw comes to where it need not be followed; in the duel it is followed to its cut."""
        return None

    def cut(self, total: int, trio: Any) -> Node | None:
        """What a throw that scores leads to where it is not followed: something from a certain loss to a certain win.

        That is so far past the goal, whatever the score, that stopping (which is followed) is better than to throw even
        if every throw that scores won at once; the solver sees that. Throws that must be made are followed further,
        until hardly any turn comes there.
        """
        return Bounded(0, 1) if total >= self.goal + PAST_GOAL + (FORCED if trio == MUST else 0) else None

    def chase(self, total: int, dice: int, trio: Any, seen: Faces | None = None, called: str = "") -> Node:
        """A part of a last turn in which so many points are wanted: until all six dice are used.

        What is wanted after that is the next board, so that the points of the whole turn need not be known.
        """

        def go(points: int, left: int, stands: Any) -> Node:
            return Goto(CHASE, total + points, left, stands)

        if seen is not None:
            return kept(go, (CHASE, total), dice, trio, seen, called)
        stop = "stop", End((ENOUGH, total))
        if trio == MUST:
            return End((AGAIN, total))
        if dice == DICE and total:
            return Decision([stop, ("roll", End((AGAIN, total)))])
        rolled = thrown(dice, trio, End(BUST), lambda *table: Goto(CHASE, total, dice, trio, *table))
        return Decision([stop, ("roll", rolled)] if total else [("roll", rolled)])

    # --- the boards --------------------------------------------------------------------------------------------------

    def near(self) -> int:
        """The highest score (in points) of a player past the goal that is kept as it is, and total that is listed.

        In a last turn against it the cut is reached only with more than is wanted.
        """
        return self.goal + PAST_GOAL - STEP

    def far(self) -> int:
        """``theirs`` on a board of a chase in which no more points are wanted, only a throw that scores."""
        return self.near() // STEP + 1

    def highest_turn(self) -> int:
        """No turn that is followed comes to more points."""
        return self.goal + PAST_GOAL + FORCED + MOST

    def most_wanted(self) -> int:
        """The most points that can be wanted in a last turn: against the highest score, from none."""
        return self.goal - STEP + self.highest_turn() + STEP

    def boards(self) -> Boards:
        """Both scores in steps of 50, the mover's first; once ``theirs`` has reached the goal this is the last turn.

        On boards of a chase ``mine`` is 0, and ``theirs - far()`` tells how many points are wanted.
        """
        return Boards(mine=self.goal // STEP, theirs=self.far() + self.most_wanted() // STEP + 1)

    def possible(self, board: Columns) -> Any:
        """No score is between 0 and the opening."""
        opening = self.opening // STEP
        scores = [(score == 0) | (score >= opening) for score in (board.mine, board.theirs)]
        return scores[0] & scores[1] & ((board.theirs < self.far()) | (board.mine == 0))

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """No turn is followed once it has so many points that the last board comes up.

        Boards of a chase stand for many scores, so of the others nothing is told.
        """
        return False if board.get("theirs") == self.far() + self.most_wanted() // STEP else None

    def wanted(self, mine: Any, theirs: Any) -> Any:
        """How many points a last turn needs, in steps of 50: more than the leader has, and the least that counts."""
        least = np.where(mine == 0, max(self.opening, CROSSING), CROSSING) // STEP
        return np.maximum(theirs - mine + 1, least)

    def transition(self, board: Columns, result: Any) -> Transition:
        """What a turn's result does to the scores."""
        if isinstance(result, tuple):
            return self.settle_chase(board, *result)
        last = board.theirs >= self.goal // STEP
        if result in (BUST, ZILCH):
            score = board.mine + self.consolation(board, result)
            return Transition(over=last, next={"mine": board.theirs, "theirs": score}, mover=OTHER)
        score = board.mine + result // STEP
        wins = result // STEP >= self.wanted(board.mine, board.theirs)
        chased = score > self.near() // STEP
        return Transition(
            legal=np.where(last, wins, self.counts(board, result)),
            won=last,
            next={
                "mine": np.where(chased, 0, board.theirs),
                "theirs": np.where(chased, self.far() + self.wanted(board.theirs, score), score),
            },
            mover=OTHER,
        )

    def counts(self, board: Columns, result: int) -> Any:
        """Whether a turn of so many points may be stopped: a first score opens, and the goal takes 500."""
        crosses = board.mine + result // STEP >= self.goal // STEP
        opens = (board.mine > 0) | (result >= self.opening)
        return opens & (~crosses | (result >= CROSSING))

    def consolation(self, board: Columns, result: str) -> Any:
        """What a lost turn earns, in steps of 50: a little for six dice, to a player with a score."""
        earned = CONSOLATION // STEP
        return earned * ((board.mine > 0) & (board.mine + earned < self.goal // STEP)) if result == ZILCH else 0

    def settle_chase(self, board: Columns, what: str, total: int) -> Transition:
        """The end of a chase, or of a part of it."""
        left = board.theirs - self.far() - total // STEP
        if what == ENOUGH:
            return Transition(legal=left <= 0, won=True)
        return Transition(next={"mine": board.mine, "theirs": self.far() + np.maximum(left, 0)}, mover=SAME)

    def level(self, board: Columns) -> Any:
        """The sum of the scores never falls; last turns come after all others, the fewer points wanted the later."""
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
            Number("turn", "points gathered this turn, without the roll", 0, FAR, STEP, of="turn"),
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
        """Raise StateError for a score that nobody can have."""
        if 0 < score < self.opening:
            raise StateError(f"{name} is 0, or {self.opening} (the opening) or more, got {score}")

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position, once for each roll that is seen alike; none of a chase, nor of a turn's cut."""
        if state[0] != CHASE and board["theirs"] < self.far() and state[0] <= self.near():
            scores = {"mine": STEP * board["mine"], "theirs": STEP * board["theirs"]}
            yield from ({**scores, **fields} for fields in turn_fields(state))

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """Points of a turn as they are, also where it is not followed, and three ones too are a trio on the board."""
        return {**fields, **table_after(fields, move, thrown)} if result is None else None

    def why_only(self, board: Mapping[str, int], state: NodeKey) -> str:
        """What keeps a turn that has made points from stopping: too few of them, or a special throw."""
        if state[0] == CHASE or len(state) > 3 or not state[0]:
            return ""
        total, _, trio = state
        if trio == MUST:
            return "after a special throw all six dice have to be thrown"
        here = Columns({name: np.array([number]) for name, number in board.items()})
        enough = range(LEAST, self.highest_turn() + STEP, STEP)
        needed = next((points for points in enough if np.all(self.transition(here, points).legal)), 0)
        return f"you need {needed} to stop, and have {total}" if needed > total else ""

    # --- odds of a turn ----------------------------------------------------------------------------------------------

    @property
    def most_more(self) -> int:
        """The throw that passes the end, and then as many as come on average until one must be lost."""
        return MOST + int(MOST / min(chance_lost(*here) for here in one_pass())) + 1

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> list[Hand]:
        """One to six dice, and up to three of them beside a trio, whose face they may match."""
        plain = [Hand(dice, (0, dice, NONE)) for dice in range(1, DICE + 1)]
        return plain + [
            Hand(dice, (0, dice, NONE if face == 1 else face), face)
            for face in range(1, 7)
            for dice in range(1, DICE - 2)
        ]

    def made(self, board: Mapping[str, Any], state: NodeKey) -> int | None:
        """The turn's points are at stake; with dice on the table some are still to be kept."""
        return None if state[3:] else int(state[0])

    def ended(self, board: Mapping[str, Any], result: Any) -> Made:
        """A lost turn makes nothing or the consolation; the boards have no room for more than the highest turn."""
        if result in (BUST, ZILCH):
            columns = Columns({name: np.array([number]) for name, number in board.items()})
            return Made(STEP * int(np.max(self.consolation(columns, result))), bust=True)
        return Made(result, or_more=self.objective == "win" and result >= self.highest_turn())

    def marks(self) -> dict[str, list[NodeKey]]:
        """All six dice are in hand again."""
        totals = range(STEP, self.highest_turn() + STEP, STEP)
        again = [(total, DICE, trio) for total in totals for trio in (NONE, MUST)]
        return {ALL_SIX: [*again, *((CHASE, *state) for state in again)]}

    def ending_name(self, board: Mapping[str, Any], result: Any, seen: frozenset[str]) -> str:
        """What is banked by how it was made: just enough to stop, with more than six dice, or otherwise."""
        if result == AGAIN or isinstance(result, tuple):
            return "all six dice are thrown again"
        if result in (BUST, ZILCH):
            return ""
        if STEP * board.get("mine", 0) + result >= self.goal and self.objective != "points":
            return "the goal is reached"
        has_score = board["mine"] if "mine" in board else board["opened"]
        if result == (LEAST if has_score else self.opening):
            return "banked, the bare minimum"
        return "banked, with all six dice used" if ALL_SIX in seen else ""

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

    def turn_size(self) -> TurnSize | None:
        """Grows with the goal as in a duel, once that is the least that a turn may reach it with."""
        steps = self.goal // STEP
        if self.goal < MOST:
            return None
        edges = MORE_EDGES * steps - 12_778
        return TurnSize(edges, ((steps - 3, edges), (3, 6)), (BUST,))

    def roots(self) -> Sequence[NodeKey]:
        """A turn starts with nothing and six dice; or it has made enough, but all six must be thrown again."""
        return [(0, DICE, NONE), (self.enough(), DICE, MUST)]

    def root(self, board: Columns) -> Any:
        """Which of them."""
        return board.forced

    def enough(self) -> int:
        """The least turn with which anybody may stop and has reached the goal."""
        return max(self.goal, self.opening, CROSSING)

    def past(self, total: int, dice: int, trio: Any) -> Node | None:
        """With enough points the player stops; how many more they are does not matter where throws must go on."""
        if total < self.enough() or (total == self.enough() and trio == MUST):
            return None
        return End(AGAIN) if trio == MUST else Decision([("stop", End(self.enough()))])

    def on(self, total: int, points: int, left: int, stands: Any) -> Node:
        """Who had made enough and only had to throw on stops."""
        had_to = total >= self.enough() and stands != MUST
        return End(self.enough()) if had_to else super().on(total, points, left, stands)

    def cut(self, total: int, trio: Any) -> Node | None:
        """Nothing is cut."""
        return None

    def boards(self) -> Boards:
        """The player's score in steps of 50, and whether the turn has made enough and must be thrown on."""
        return Boards(mine=self.goal // STEP, forced=2)

    def possible(self, board: Columns) -> Any:
        """No score is between 0 and the opening."""
        return (board.mine == 0) | (board.mine >= self.opening // STEP)

    def transition(self, board: Columns, result: Any) -> Transition:
        """One more turn, or a special throw in one that has made enough."""
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
        """Whether a turn that has made enough must go on, or just did."""
        total, _, trio, *table = state
        return total >= self.enough() and (trio == MUST or bool(table))

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        forced = self.forced(state)
        if forced == board["forced"] and (state[0] <= self.enough() or not forced):
            for fields in turn_fields(state):
                turn = max(state[0], DICE * STEP + min(SPECIALS.values())) if forced else state[0]  # one that can be
                yield {"mine": STEP * board["mine"], **fields, "turn": turn}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """A turn that has made enough and must be thrown on is the same turn still."""
        return super().after(fields, move, thrown, None if result == AGAIN else result)

    def ended(self, board: Mapping[str, Any], result: Any) -> Made:
        """By how much a turn passes the goal is not followed, nor what comes of it where all dice are thrown again."""
        if result == AGAIN:
            return Made(self.enough(), or_more=True, unsure=True)
        made = super().ended(board, result)
        return replace(made, or_more=not made.bust and made.points >= self.enough())


@dataclass(frozen=True)
class ZilchReach(InTime, ZilchTurns):  # type: ignore[misc]  # there is no other player to locate
    """Alone; the value of a board is the best P(the goal is reached ``within`` so many turns, this one included)."""

    def boards(self) -> Boards:
        """The player's score in steps of 50, the turns that are left, and whether the turn must be thrown on."""
        return Boards(mine=self.goal // STEP, within=WITHIN, forced=2)

    def transition(self, board: Columns, result: Any) -> Transition:
        """As where turns are counted: the last turn is over with the goal reached, or without."""
        said = super().transition(board, result)
        if result == AGAIN:
            return replace(said, next={**(said.next or {}), "within": board.within})
        over = said.over | (board.within == 1)
        return replace(said, over=over, won=said.over, reward=0, next={**(said.next or {}), "within": board.within - 1})


@dataclass(frozen=True)
class ZilchPoints(Zilch):
    """One turn, no goal; the value is the best expected number of points.

    The end is exact where the player may stop: a throw loses the turn with chance b and else adds m points at most on
    average, further throws that must be made and the consolation included, so from ``b * total >= m`` on, for all
    dice, throwing on can only lower what is expected, and so can any later throw.
    """

    kind = "solo"
    measure = "points"
    unit = "points"
    scale = 500  # a good turn
    total = 0

    def turn_size(self) -> TurnSize | None:
        """There is no goal that could change it."""
        return TurnSize(429_958, ((460, 429_958),), (BUST,))

    def roots(self) -> Sequence[NodeKey]:
        """The one turn."""
        return [(0, DICE, NONE)]

    def root(self, board: Columns) -> Any:
        """It is the same with a score and without."""
        return board.opened * 0

    def enough(self) -> int:
        """The first total at which throwing on never pays."""
        return never_pays()

    def past(self, total: int, dice: int, trio: Any) -> Node | None:
        """The player stops; throws that must be made are followed on, then bounded by what they can add on average."""
        if trio == MUST:
            followed = total < self.enough() + FORCED
            return None if followed else Bounded(0, total + most_gained(DICE, NONE))
        return Decision([("stop", End(total))]) if total >= self.enough() else None

    def cut(self, total: int, trio: Any) -> Node | None:
        """Nothing else is cut."""
        return None

    def boards(self) -> Boards:
        """Whether the player has a score."""
        return Boards(opened=2)

    def possible(self, board: Columns) -> Any:
        """Both."""
        return board.opened >= 0

    def transition(self, board: Columns, result: Any) -> Transition:
        """The turn is all there is."""
        if result in (BUST, ZILCH):
            return Transition(over=True, reward=board.opened * (CONSOLATION if result == ZILCH else 0))
        return Transition(legal=(board.opened == 1) | (result >= self.opening), over=True, reward=result)

    def level(self, board: Columns) -> Any:
        """Nothing follows."""
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
        """The fields of a position, with the lowest score that it can be."""
        if state[0] <= self.enough():
            yield from ({"mine": self.opening * board["opened"], **fields} for fields in turn_fields(state))

    def ended(self, board: Mapping[str, Any], result: Any) -> Made:
        """The consolation goes to a player with a score, however high that is."""
        if result in (BUST, ZILCH):
            return Made(CONSOLATION * board["opened"] if result == ZILCH else 0, bust=True)
        return Made(result)

    def ending_name(self, board: Mapping[str, Any], result: Any, seen: frozenset[str]) -> str:
        """Past the end nobody throws on."""
        followed = result in (BUST, ZILCH) or result < self.enough()
        return super().ending_name(board, result, seen) if followed else f"banked, {self.enough()} or more"


# --- questions about a turn ------------------------------------------------------------------------------------------


def turn_state(
    turn: int = 0,
    dice: int | None = None,
    trio: int | None = None,
    must_roll: bool = False,
    roll: Faces | None = None,
) -> NodeKey:
    """The state of the turn that the fields of a question mean; raises StateError for what cannot be."""
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
    seen = looks(stands)(roll)
    if seen is None:
        raise StateError(f"roll {show(roll)} scores nothing", over="the turn is over")
    return (turn, number, stands, *seen)


def check_total(turn: int, dice: int, trio: int, least: int, first: Sequence[int]) -> None:
    """Raise StateError where no way of keeping dice gathers ``turn`` points and leaves so many dice beside this trio.

    The points are those of one pass through the dice (``first``: those given), after any that used up all six before;
    these are never fewer than six fives. A trio of ones has made 1000 points at ``least``.
    """
    passes = sorted(first or one_pass()[dice, trio])
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
    known = {stands: sorted(totals) for (left, stands), totals in one_pass().items() if left == dice and beside(stands)}
    others = [f"trio={stands}" for stands in sorted(known) if says_none and _can_be(turn, known[stands], 0)]
    told = f"; it is possible with {' or '.join(others)}" if others else ""
    raise StateError(
        f"turn={turn} is impossible with {counted(dice)} to throw{with_trio}: {lowest}{told}", hint=(*others, "")[0]
    )


def _can_be(turn: int, passes: Sequence[int], least: int) -> bool:
    """Can a turn make so many points? ``passes``: all that one pass through the dice can make, ascending."""
    return turn >= max(passes[0], least) and (turn in passes or turn >= DICE * STEP + passes[0])


def table_after(fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...]) -> dict[str, Any]:
    """What lies on the table after a move of a turn, in the fields of the next question.

    >>> table_after({"turn": 0, "roll": (1, 1, 1, 2, 3, 4)}, "keep 1 1 1 for 1000", ())
    {'turn': 1000, 'dice': 3, 'trio': 1, 'must_roll': None, 'roll': None}
    """
    turn, trio = fields["turn"], fields.get("trio")
    if thrown:
        return {"turn": turn, "dice": None, "trio": trio, "must_roll": None, "roll": thrown[-1]}
    if move.startswith("score "):
        points = SPECIALS[move.removeprefix("score ")]
        return {"turn": turn + points, "dice": DICE, "trio": None, "must_roll": True, "roll": None}
    dice, points = dice_of(move), int(move.rpartition(" for ")[2])
    left = len(fields["roll"]) - len(dice)
    if dice.count(1) >= 3 and points >= TRIO_OF_ONES:  # five singles make less
        trio = 1
    elif trio != 1:
        trio = next(stands for worth, stands in countings(dice, trio or NONE) if worth == points) or None
    return {
        "turn": turn + points,
        "dice": left or DICE,
        "trio": trio if left else None,
        "must_roll": None,
        "roll": None,
    }


def turn_fields(state: NodeKey) -> Iterator[dict[str, Any]]:
    """The fields of a state of the turn, once for each roll."""
    total, dice, trio, *table = state
    shown = {"turn": total, **({"trio": trio} if beside(trio) else {})}
    if not table:
        yield {**shown, "dice": dice, **({"must_roll": True} if trio == MUST else {})}
    yield from ({**shown, "roll": roll} for roll in (seen_alike(dice, trio, *table) if table else ()))
