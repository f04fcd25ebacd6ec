"""What a table of minimums costs at Ten Thousand and Zilch, about, in some tens of milliseconds.

A rule that stops by the points of the turn and the dice left makes a distribution of turns that depends on the mover's
score only. What a turn by the rule loses is told by the stored values of the best play: it
is worth what it leads to. The sum of these losses over a game, weighted with how often the rule, playing itself, comes
to each pair of scores, is what the rule costs against the best player, but for how much the visits change; a search
needs no more. What a card prints is computed by ``rollwise.compare``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rollwise.games.cards import Cost
from rollwise.games.zilch.turn import BUST, CROSSING, ZILCH
from rollwise.games.zilch.rules import MIN_BANKED_POINTS
from rollwise.games.zilch.scoring import CONSOLATION
from rollwise.parsing.validate import parse_game
from rollwise.solutions.lookup import load_or_solve
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds.duel import ValueSolution, policy_cost, uses
from rollwise.solver.model.game import Chance, Decision, Goto, NodeKey, TurnGame, moves_by_name
from rollwise.solver.policy.policy_in_duel import Optimum, PolicyInDuel
from rollwise.solver.turn.policy_turn import EndsOfTurn

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
STEP = 50
FROM = 400  # points in hand while throws are looked at: any total that may be stopped at and is below the goal
LOST, PITY = -1, -2  # in place of the state after a throw: nothing; nothing, but the consolation of Zilch
NEGLIGIBLE = 1e-13
PAST = 240  # steps beyond what is needed that a turn is followed: special throws must be thrown on after
RELATIVE = 1e-11  # no chance of a turn is off by more: some thousand roundings


@dataclass(frozen=True)
class Throws:
    """Before each throw: dice, whether stopping is allowed; its outcomes' places are ``first[state]`` and on.

    An outcome has a ``chance`` and ways to keep dice, at ``ways[outcome]`` and on, of which each ``adds`` points (in
    steps) and ``leads`` to a state, or is LOST or PITY. State 0 starts a turn. ``most[outcome]`` has most points.
    """

    dice: Ints
    may_stop: NDArray[np.bool_]
    first: Ints
    chance: Floats
    ways: Ints
    adds: Ints
    leads: Ints
    most: Ints


def throws_of(game: TurnGame, pity: object = None) -> Throws:
    """The throws of a turn, and every way to keep dice of them."""
    states: list[NodeKey] = [game.roots()[0][1:]]
    dice, may_stop, first, chance, ways, adds, leads, most = [], [], [0], [], [0], [], [], []
    for state in states:  # grows
        word = game.turn(FROM, *state)
        assert isinstance(word, Decision)
        moves = dict(word.moves)
        rolled = moves["roll"]
        assert isinstance(rolled, Chance)
        dice.append(state[0])
        may_stop.append("stop" in moves)
        weights = sum(weight for weight, _ in rolled.outcomes)
        for weight, after in rolled.outcomes:
            chance.append(weight / weights)
            if isinstance(after, Goto):
                for then in moves_by_name(game.turn(*after.state), game.turn).values():
                    assert isinstance(then, Goto)
                    total, *rest = then.state
                    if tuple(rest) not in states:
                        states.append(tuple(rest))
                    adds.append((total - FROM) // STEP)
                    leads.append(states.index(tuple(rest)))
            else:
                adds.append(0)
                leads.append(PITY if pity is not None and getattr(after, "result", None) == pity else LOST)
            most.append(ways[-1] + int(np.argmax(adds[ways[-1] :])))
            ways.append(len(adds))
        first.append(len(chance))
    arrays = (np.array(array) for array in (dice, may_stop, first, chance, ways, adds, leads, most))
    return Throws(*arrays)


def kept_to_roll(throws: Throws, worth: Ints) -> Ints:
    """The way in which each outcome is kept to roll on: most points and ``worth`` (by dice left) together."""
    left = np.where(throws.leads >= 0, throws.dice[np.maximum(throws.leads, 0)], 1)
    together = STEP * throws.adds + worth[left - 1]
    return np.array(
        [start + int(np.argmax(together[start:end])) for start, end in zip(throws.ways, throws.ways[1:], strict=False)]
    )


@njit(cache=True)
def turns_of(
    stop_at: Ints,
    least: int,
    need: int,
    crossing: int,
    dice: Ints,
    may_stop: NDArray[np.bool_],
    first: Ints,
    chance: Floats,
    adds: Ints,
    leads: Ints,
    full: Ints,
    less: Ints,
    most: int,
    faint: float = NEGLIGIBLE,
) -> tuple[Floats, float, float]:
    """(ends, lost, pity): the chances to bank each total (in steps), and of the two ways to lose a turn.

    ``stop_at`` by dice; ``least`` may be banked; from ``need`` on, with ``crossing``, the turn is stopped. A throw is
    kept in its ``full`` way if the turn is stopped then, else in the way of ``less``.
    """
    n = len(dice)
    through = np.zeros((most + 1, n))
    through[0, 0] = 1.0
    ends = np.zeros(most + 1)
    lost, pity = 0.0, 0.0
    for total in range(most + 1):
        for state in range(n):
            p = through[total, state]
            if p <= faint:
                continue
            allowed = may_stop[state] and total >= least and (total < need or total >= crossing)
            if total == most or (allowed and total > 0 and (total >= need or total >= stop_at[dice[state] - 1])):
                ends[total] += p
                continue
            for place in range(first[state], first[state + 1]):
                q = p * chance[place]
                way = full[place]
                after = leads[way]
                if after == LOST:
                    lost += q
                elif after == PITY:
                    pity += q
                else:
                    made = min(most, total + adds[way])
                    allowed = may_stop[after] and made >= least and (made < need or made >= crossing)
                    if allowed and (made >= need or made >= stop_at[dice[after] - 1]):
                        ends[made] += q
                    else:
                        way = less[place]
                        through[min(most, total + adds[way]), leads[way]] += q
    return ends, lost, pity


@njit(cache=True)
def loss_and_visits(
    value: Floats,
    after: Floats,
    ends: Floats,
    lost: Floats,
    pity: Floats,
    near: int,
    goal: int,
    consolation: int,
    visits: Floats,
) -> tuple[float, Floats]:
    """What the rule loses in all, with these visits; and the visits of the rule playing itself.

    ``value[mine, theirs]``: the mover's, for the best player; ``after[theirs, score]`` likewise where ``score`` has
    reached the goal. ``ends[flag, mine, total]`` and so on: turns of the rule, ``flag`` 1 where the other player lacks
    ``near`` steps or fewer.
    """
    most = ends.shape[2] - 1
    total_loss = 0.0
    came = np.zeros((goal, goal))
    came[0, 0] = 1.0
    for s in range(2 * goal - 1):
        for a in range(max(0, s - goal + 1), min(s, goal - 1) + 1):
            b = s - a
            if b < a:
                continue
            fa, fb = 1 if goal - b <= near else 0, 1 if goal - a <= near else 0
            x, y = came[a, b], came[b, a]
            if a == b:
                came[a, a] = x = x / (1.0 - lost[fa, a])
            else:
                pa, pb = lost[fa, a], lost[fb, b]
                both = 1.0 - pa * pb
                x, y = (x + pb * y) / both, (y + pa * x) / both
                came[a, b], came[b, a] = x, y
            for side in range(2):
                if side == 1 and a == b:
                    break
                mine, theirs, flag, p = (a, b, fa, x) if side == 0 else (b, a, fb, y)
                if p < 1e-14 and visits[mine, theirs] < 1e-14:
                    continue
                worth = lost[flag, mine] * (1.0 - value[theirs, mine])
                if pity[flag, mine] > 0.0:
                    more = consolation if mine > 0 and mine + consolation < goal else 0
                    worth += pity[flag, mine] * (1.0 - value[theirs, mine + more])
                    came[theirs, mine + more] += p * pity[flag, mine]
                for total in range(1, most + 1):
                    q = ends[flag, mine, total]
                    if q > 0.0:
                        score = mine + total
                        if score < goal:
                            worth += q * (1.0 - value[theirs, score])
                            came[theirs, score] += p * q
                        else:
                            worth += q * (1.0 - after[theirs, min(score, after.shape[1] - 1)])
                total_loss += visits[mine, theirs] * (value[mine, theirs] - worth)
    return total_loss / 2.0, came


def rules_of(game: TurnGame) -> dict[str, Any]:
    """The limits of stopping, for ``Minimums``."""
    if game.name == "zilch":
        opening = int(game.parameters()["opening"])
        return {
            "least": MIN_BANKED_POINTS,
            "opening": opening,
            "crossing": CROSSING,
            "pity": ZILCH,
            "consolation": CONSOLATION,
        }
    return {"least": STEP, "opening": STEP, "crossing": 0, "pity": None, "consolation": 0}


class Minimums:
    """What tables of minimums cost in one game, about."""

    def __init__(self, game: TurnGame) -> None:
        self.goal = int(game.parameters()["goal"]) // STEP
        limits = rules_of(game)
        self.least, self.opening, self.crossing, self.consolation = (
            limits[name] // STEP for name in ("least", "opening", "crossing", "consolation")
        )
        self.throws = throws_of(game, limits["pity"])
        self.value, self.after = self._values(game)
        self.visits = np.zeros((self.goal, self.goal))

    def _values(self, game: TurnGame) -> tuple[Floats, Floats]:
        opened, space = load_or_solve(game).solution, game.boards()
        mine, theirs = np.meshgrid(np.arange(self.goal), np.arange(self.goal), indexing="ij")
        value = opened.read(space.index({"mine": mine.ravel(), "theirs": theirs.ravel()}, mine.size))[0]
        most = self.goal + self.goal // 4
        after = np.zeros((self.goal, most + 1))  # Ten Thousand: whoever reaches the goal has won
        if "theirs" in space.ranges and space.ranges["theirs"].stop > most:
            game_: Any = game
            far, near = game_.far(), game_.near() // STEP
            for score in range(self.goal, most + 1):
                a = np.arange(self.goal)
                is_far = score > near
                board = {
                    "mine": np.where(is_far, 0, a),
                    "theirs": np.where(is_far, far + game_.points_needed(a, np.full_like(a, score)), score),
                }
                after[:, score] = opened.read(space.index(board, self.goal))[0]
        return np.nan_to_num(value.reshape(self.goal, self.goal)), np.nan_to_num(after)

    def about(self, table: list[list[int]], worth: list[int], near: int, *, again: bool = False) -> float:
        """The cost of these minimums, by the visits of the table that was asked ``again`` last."""
        less = kept_to_roll(self.throws, np.array(worth))
        rows = [np.array(row) // STEP for row in table]
        t, goal = self.throws, self.goal
        most = goal + goal // 4
        ends, lost, pity = np.zeros((2, goal, most + 1)), np.zeros((2, goal)), np.zeros((2, goal))
        for flag in range(2):
            for mine in range(goal):
                ends[flag, mine], lost[flag, mine], pity[flag, mine] = turns_of(
                    rows[min(flag, len(rows) - 1)], self.least if mine else self.opening, goal - mine, self.crossing,
                    t.dice, t.may_stop, t.first, t.chance, t.adds, t.leads, t.most, less, most,
                )  # fmt: skip
            if len(rows) == 1:
                ends[1], lost[1], pity[1] = ends[0], lost[0], pity[0]
                break
        for _ in range(2 if again else 1):
            found, came = loss_and_visits(
                self.value, self.after, ends, lost, pity, near // STEP, goal, self.consolation, self.visits
            )
            if again:
                self.visits = came
        return float(found)


# --- as compare has it -----------------------------------------------------------------------------------------------


class ByTurns(PolicyInDuel):
    """The contest of ``compare``, with turns of the rule worked out at once for all boards that it plays alike on.

    The rule tells 40,000 pairs of scores apart, but what it does depends on few things of them: how many points bring
    the mover to the goal, whether there is a score, whether the other player lacks few; in a last turn, how many are
    wanted. Where a question cannot stand (the later part of a last turn in Zilch) the best is played, as there.
    """

    def by(self, game: TurnGame, numbers: Mapping[str, Any]) -> ByTurns:
        """With this rule."""
        limits = rules_of(game)
        self.stops = [np.array(row) // STEP for row in numbers["table"]]
        self.throws = throws_of(game, limits["pity"])
        self.less = kept_to_roll(self.throws, np.array(numbers["worth"]))
        self.limits = {name: limits[name] // STEP for name in ("least", "opening", "crossing")}
        self.goal = int(game.parameters()["goal"]) // STEP
        self.near = numbers.get("near", 0) // STEP
        self.furthest = max(int(result) for result, _ in self.graph.leaf_of if isinstance(result, int)) // STEP
        self.row_like: dict[tuple[int, ...], int] = {}
        self.cut = 0.0  # chance of turns that were not followed to their end
        return self

    def _played(self, root: int, boards: Ints, leaves: Ints, legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
        used = legal.copy()
        if root:
            return used
        used[:] = False
        place_of = np.full(self.graph.n_leaves, -1)
        place_of[leaves] = np.arange(len(leaves))
        columns = self.space.columns(boards)
        for lane, (mine, theirs) in enumerate(zip(columns.mine.tolist(), columns.theirs.tolist(), strict=True)):
            is_near = len(self.stops) > 1 and self.goal - theirs <= self.near
            least = self.limits["least"] if mine else self.limits["opening"]
            need, crossing = self.goal - mine, self.limits["crossing"]
            if theirs >= self.goal:
                least = need = max(theirs - mine + 1, least, crossing)
            like = (need, crossing, least, int(is_near and theirs < self.goal))
            if like not in self.row_like:
                self.row_like[like] = len(self.rows)
                self.rows.append(self._turn(*like))
            self.row_of[boards[lane]] = self.row_like[like]
            used[place_of[self.rows[self.row_like[like]].leaves], lane] = True
        return used

    def _turn(self, need: int, crossing: int, least: int, near: int) -> EndsOfTurn:
        t = self.throws
        most = min(need + PAST, self.furthest)
        ends, lost, pity = turns_of(
            self.stops[near], least, need, max(crossing, least), t.dice, t.may_stop, t.first, t.chance, t.adds,
            t.leads, t.most, self.less, most, 0.0,
        )  # fmt: skip
        found: dict[int, float] = {}
        for result, chance in [(BUST, lost), (ZILCH, pity), *((STEP * k, float(p)) for k, p in enumerate(ends))]:
            if chance > 0.0:
                leaf = self.graph.leaf_of.get((result, Fraction(0)), self._instead(result))
                found[leaf] = found.get(leaf, 0.0) + chance
        if most > self.goal:  # at Ten Thousand whoever reaches the goal has won, with however many points
            self.cut = max(self.cut, float(ends[most]))
        return EndsOfTurn(
            np.array(list(found.values())), np.array(list(found), dtype=np.int64), np.arange(len(found) + 1), RELATIVE
        )

    def _instead(self, result: object) -> int:
        """Ten Thousand: a lost turn ends with nothing, more than enough with the goal; -1 where there is no such."""
        return self.graph.leaf_of.get((0 if result == BUST else STEP * self.goal, Fraction(0)), -1)


def exact_cost(game: str, numbers: Mapping[str, Any], params: Mapping[str, Any] | None = None) -> list[Cost]:
    """What it costs to play by a card of Ten Thousand or Zilch, as ``compare`` has it, and that to the best player."""
    made = parse_game(game, params)
    opened = load_or_solve(made).solution
    assert isinstance(opened, ValueSolution)
    space = made.boards()
    best = Optimum(lambda board: opened.turn_on(space.board(board)).nodes[: opened.graph.n_leaves], opened.read, None)
    rule: Any = NobodyAsked()
    with Progress(str(made), verb="comparing") as progress:
        contest = ByTurns(opened.played, opened.graph, uses(made), rule, progress.share, best).by(made, numbers)
        found = contest.run(made.first_board())
    value, radius = opened.read(np.array([space.index_of(**made.first_board())]))
    told = policy_cost(made, (float(value[0]), float(radius[0])), found.by_rule, found.free, found.to_best)
    assert told.to_best is not None
    off = 100 * contest.cut  # nobody has as many turns in a game on average: some 16 are enough
    return [Cost(middle, lower - off, upper + off) for middle, lower, upper in (told.cost, told.to_best)]


class NobodyAsked:
    """In place of a rule that is asked."""

    def begin(self, *told: object) -> None:
        """A walk begins."""
