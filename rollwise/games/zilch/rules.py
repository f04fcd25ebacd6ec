"""Six-Dice Zilch: keep scoring dice, throw the rest, stop before a throw that scores nothing; a duel to 10,000.

docs/rules.md has the rules and how we read them. Scores count in steps of 50.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rollwise.games.objectives.turn_limit import game_to_goal
from rollwise.games.turn_sizes import measured_turn_size
from rollwise.games.zilch.scoring import CONSOLATION, DICE, MUST, NONE, STEP, chance_lost, totals_of_pass
from rollwise.games.zilch.turn import (
    AGAIN,
    BUST,
    CHASE,
    CROSSING,
    FORCED,
    MAX_THROW_POINTS,
    PAST_GOAL,
    TURN_FIELDS,
    ZILCH,
    LastTurn,
    check_score,
    kept_or_scored,
    table_after,
    throw_beside,
    trio_face,
    turn_fields,
    turn_state,
)
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import (
    OTHER,
    Boards,
    Bounded,
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
    parameter,
)
from rollwise.solver.model.turn_points import Hand, ResultPoints, TurnPhrases

MAX_PLAYERS = 7  # by the rules; two are solved
MIN_BANKED_POINTS = 350  # of a turn that may be stopped
ALL_SIX = "all six"  # marks the states in which all dice have been used


@dataclass(frozen=True)
class Zilch(LastTurn):
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

    # --- the boards --------------------------------------------------------------------------------------------------

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
            *TURN_FIELDS,
        ]

    def locate(self, mine: int = 0, theirs: int = 0, **turn: Any) -> Position:
        """The position of a question."""
        check_score(self.opening, "mine", mine)
        check_score(self.opening, "theirs", theirs)
        return Position({"mine": mine // STEP, "theirs": theirs // STEP}, turn_state(**turn))

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
        from rollwise.games.zilch.variants import ZilchPoints, ZilchReach, ZilchTurns

        return game_to_goal(parameters, Zilch, ZilchTurns, ZilchReach, ZilchPoints)
