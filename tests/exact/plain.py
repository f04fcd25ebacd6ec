"""What the independent solutions of this folder share: dice, boxes, walks and games, said in the plainest way.

Every throw is counted, of every throw every keep is tried, and chances are followed from state to state. Of the games
and of the solver nothing is used but the words that a game is written in, and ``outcome``, which asks a game's
``transition`` about one board.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import (
    Boards,
    Bounded,
    Chance,
    Columns,
    Decision,
    End,
    Goto,
    Node,
    NodeKey,
    Transition,
    TurnGame,
)
from rollwise.solver.model.outcome import outcome

Roll = tuple[int, ...]
Numbers = NDArray[Any]
Board = tuple[int, ...]
Sheet = Mapping[str, int]
NUMBERS = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
PAYS = {
    "sixzee": {"low straight": 20, "high straight": 30, "super straight": 40, "sixzee": 60},
    "yahtzee": {"full house": 25, "small straight": 30, "large straight": 40, "yahtzee": 50},
}
LEAST = {"three of a kind": 3, "four of a kind": 4, "five of a kind": 5, "yahtzee": 5, "sixzee": 6}
IN_A_ROW = {"low straight": 4, "high straight": 5, "super straight": 6, "small straight": 4, "large straight": 5}
SHAPES = {
    "full house": [[2, 3]],
    "3-2-1": [[1, 2, 3]],
    "three pairs": [[2, 2, 2], [2, 4], [6]],
    "two triples": [[3, 3], [6]],
}

# --- dice ------------------------------------------------------------------------------------------------------------


@cache
def fallen(dice: int) -> Counter[Roll]:
    """Throws of so many dice, faces ascending, and the ways in which each can fall."""
    return Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=dice))


@cache
def parts(roll: Roll) -> list[Roll]:
    """What can be kept of a throw: also nothing, and all of it."""
    return sorted({kept for size in range(len(roll) + 1) for kept in combinations(roll, size)})


def joined(one: Roll, other: Roll) -> Roll:
    return tuple(sorted(one + other))


class EveryKeep:
    """All throws of so many dice, all keeps of each, and all throws that each keep can become.

    Worths of throws are floats, or whole numbers: then each further throw makes them ``6 ** dice`` times as large.
    """

    def __init__(self, dice: int) -> None:
        self.dice = dice
        self.throws = sorted(fallen(dice))
        self.keeps = sorted({kept for roll in self.throws for kept in parts(roll)})
        self.throw = {roll: number for number, roll in enumerate(self.throws)}
        self.keep = {kept: number for number, kept in enumerate(self.keeps)}
        self.ways: Numbers = np.zeros((len(self.keeps), len(self.throws)), dtype=np.int64)
        for kept, row in self.keep.items():
            for more, ways in fallen(dice - len(kept)).items():
                self.ways[row, self.throw[joined(kept, more)]] += ways * 6 ** len(kept)
        self.chances = self.ways / 6**dice
        of_throw = [[self.keep[kept] for kept in parts(roll)] for roll in self.throws]
        self.listed = np.concatenate(of_throw)
        self.starts = np.cumsum([0, *(len(keeps) for keeps in of_throw[:-1])])

    def kept(self, worth: Numbers) -> Numbers:
        """What each keep is worth if the throw of the other dice leads to throws of this worth."""
        found: Numbers = (self.chances if worth.dtype == np.float64 else self.ways) @ worth
        return found

    def again(self, worth: Numbers) -> Numbers:
        """What each throw is worth if the best of its keeps is thrown once more."""
        found: Numbers = np.maximum.reduceat(self.kept(worth)[self.listed], self.starts)
        return found

    def first(self, worth: Numbers) -> Any:
        """What the turn is worth before all dice are thrown."""
        return self.kept(worth)[self.keep[()]]


every_keep = cache(EveryKeep)

# --- boxes -----------------------------------------------------------------------------------------------------------


def fits(box: str, dice: Roll) -> bool:
    counts = sorted(Counter(dice).values())
    if box in LEAST:
        return counts[-1] >= LEAST[box]
    if box in IN_A_ROW:
        return any(set(range(low, low + IN_A_ROW[box])) <= set(dice) for low in range(1, 8 - IN_A_ROW[box]))
    return box == "chance" or counts in SHAPES[box]


def points(box: str, dice: Roll, pays: Mapping[str, int]) -> int:
    """What the dice score in a box, jokers and bonuses left out; ``pays``: of the boxes that do not count the dice."""
    if box in NUMBERS:
        return sum(face for face in dice if face == NUMBERS[box])
    return pays.get(box, sum(dice)) if fits(box, dice) else 0


class SheetAlone:
    """Sheets of one player, scores by box as they are written, nothing merged; what is still to come of each.

    ``rest`` says what a sheet that is not full is worth after this turn, by default playing it on.
    """

    def __init__(self, dice: int, boxes: Sequence[str], rest: Callable[[Sheet], float] | None = None) -> None:
        self.every, self.boxes, self.rest = every_keep(dice), boxes, rest
        self.known: dict[Any, float] = {}

    def written(self, sheet: Sheet, box: str) -> tuple[Numbers, Numbers]:
        """By throw: what is written in the box, -1 where it may not be, and what is earned besides at once."""
        raise NotImplementedError

    def bonuses(self, sheet: Sheet) -> int:
        """What a sheet has earned besides its scores."""
        raise NotImplementedError

    def alike(self, sheet: Sheet) -> Any:
        """What is the same of sheets that go on alike."""
        return frozenset(sheet.items())

    def open(self, sheet: Sheet) -> list[str]:
        return [box for box in self.boxes if box not in sheet]

    def box_worth(self, sheet: Sheet, box: str) -> Numbers:
        """What each throw is worth in this box, with all that follows."""
        written, worth = self.written(sheet, box)
        worth = worth + np.where(written < 0, -np.inf, written)
        for score in {*written.tolist()} - {-1}:
            after = {**sheet, box: score}
            worth[written == score] += self.bonuses(after) - self.bonuses(sheet) + self.to_come(after)
        return worth

    def stages(self, sheet: Sheet) -> list[Numbers]:
        """What throws are worth, one array a number of throws left: 0, 1, 2."""
        last = np.max([self.box_worth(sheet, box) for box in self.open(sheet)], axis=0)
        return [last, once := self.every.again(last), self.every.again(once)]

    def value(self, sheet: Sheet) -> float:
        """Expected points still to come, before the first throw of a turn."""
        return float(self.every.first(self.stages(sheet)[-1]))

    def to_come(self, sheet: Sheet) -> float:
        if not self.open(sheet):
            return 0.0
        if self.rest is not None:
            return self.rest(sheet)
        name = self.alike(sheet)
        if name not in self.known:
            self.known[name] = self.value(sheet)
        return self.known[name]


# --- walks -----------------------------------------------------------------------------------------------------------

After = tuple[float, Any, Any]  # a chance, the state that follows, None where the game ends, and how it ends


def turn_by_turn(start: Any, turn: Callable[[Any], Iterable[After]]) -> Iterator[tuple[dict[Any, float], float]]:
    """Turn by turn: the chances of games to end so or so, and that they go on; all states are followed together.

    ``turn``: what a turn comes to from a state.
    """
    now: dict[Any, float] = {start: 1.0}
    follow = cache(lambda state: list(turn(state)))
    while now:
        after: dict[Any, float] = defaultdict(float)
        ended: dict[Any, float] = defaultdict(float)
        for state, chance in now.items():
            for part, following, end in follow(state):
                if following is None:
                    ended[end] += chance * part
                else:
                    after[following] += chance * part
        now = after
        yield ended, sum(now.values())


class Turns:
    """Turns of a game word by word, in fractions: of equally good moves the first is played.

    ``values``: what boards are worth, by their number; without them the game, of one player, is played on. ``cut``: of
    the two ends of what is only known within bounds, which one it is taken to be worth.
    """

    def __init__(
        self, game: TurnGame, values: Mapping[int, Fraction] | None = None, cut: Callable[..., Any] = min
    ) -> None:
        self.game, self.values, self.cut = game, values, cut
        self.known: dict[Board, dict[NodeKey, Fraction | None]] = defaultdict(dict)  # what states of a turn are worth
        self.word = cache(game.turn)
        self.outcome = cache(partial(outcome, game))
        self.value = cache(self._value)
        self.ends = cache(self._ends)

    def columns(self, board: Board) -> Columns:
        return Columns({name: np.array([n]) for name, n in zip(self.game.boards().names, board, strict=True)})

    def root(self, board: Board) -> NodeKey:
        return self.game.roots()[int(np.ravel(self.game.root(self.columns(board)))[0])]

    def ahead(self, board: Board, other: bool) -> Fraction:
        if self.values is None:
            return self.value(board)
        space = self.game.boards()
        value = self.values[space.index_of(**dict(zip(space.names, board, strict=True)))]
        return self.game.total - value if other else value

    def worth(self, board: Board, word: Node, known: dict[NodeKey, Fraction | None]) -> Fraction | None:
        """None where the rules forbid it."""
        if isinstance(word, Goto):
            if word.state not in known:
                known[word.state] = self.worth(board, self.word(*word.state), known)
            return known[word.state]
        if isinstance(word, End):
            said = self.outcome(board, word.result)
            later = Fraction(0) if said.following is None else self.ahead(said.following, said.other)
            return said.value + Fraction(word.reward) + later if said.legal else None
        if isinstance(word, Bounded):
            return Fraction(self.cut(word.lower, word.upper))
        if isinstance(word, Chance):
            whole, mean = sum(weight for weight, _ in word.outcomes), Fraction(0)
            for weight, after in word.outcomes:
                part = self.worth(board, after, known)
                if part is None:
                    return None
                mean += part * weight / whole
            return mean
        assert isinstance(word, Decision)
        options = [part for part in (self.worth(board, after, known) for _, after in word.moves) if part is not None]
        return (max if self.game.sense == "max" else min)(options) if options else None

    def _value(self, board: Board) -> Fraction:
        found = self.worth(board, Goto(*self.root(board)), self.known[board])
        assert found is not None
        return found

    def _ends(self, board: Board, begun: Node | None = None) -> dict[End, Fraction]:
        """The ends of the turn, or of what is left of it, and their chances."""
        known, first = self.known[board], Goto(*self.root(board)) if begun is None else begun
        self.worth(board, first, known)
        chance: dict[NodeKey, Fraction] = defaultdict(Fraction)
        ends: dict[End, Fraction] = defaultdict(Fraction)

        def run(word: Node, part: Fraction, state: NodeKey) -> None:
            if isinstance(word, Goto):
                chance[word.state] += part
            elif isinstance(word, End):
                ends[word] += part
            elif isinstance(word, Chance):
                whole = sum(weight for weight, _ in word.outcomes)
                for weight, after in word.outcomes:
                    run(after, part * weight / whole, state)
            else:
                assert isinstance(word, Decision)
                run(self.chosen(board, state, word), part, state)

        run(first, Fraction(1), ())
        for reached in reversed(list(known)):  # noted children first, so that a state comes before all it leads to
            if chance[reached]:
                run(self.word(*reached), chance[reached], reached)
        return ends

    def chosen(self, board: Board, state: NodeKey, word: Decision) -> Node:
        """What is played of these moves."""
        known = self.known[board]
        best = self.worth(board, word, known)
        return next(after for _, after in word.moves if self.worth(board, after, known) == best)


# --- games -----------------------------------------------------------------------------------------------------------


def toy(
    turn: Callable[..., Node], transition: Callable[[Columns, Any], Transition], size: int = 1, **said: Any
) -> TurnGame:
    """A game for one who wants points, on boards ``place`` 0 to ``size`` - 1; ``said``: what it says otherwise."""
    words = {
        "name": "toy",
        "kind": "solo",
        "measure": "score",
        "unit": "points",
        "total": 0,
        "boards": lambda game: Boards(place=size),
        "turn": lambda game, *state: turn(*state),
        "transition": lambda game, board, result: transition(board, result),
    }
    made = type("Toy", (TurnGame,), words | said)()
    assert isinstance(made, TurnGame)
    return made


# --- sweeps ----------------------------------------------------------------------------------------------------------


def swept(values: dict[Any, Any], states: Iterable[Any], worth: Callable[[Any], Any], close: float) -> None:
    """Put what a state is worth by the ``values`` of all into them, state after state, until none moves so far."""
    moved = np.inf
    while moved > close:
        moved = 0.0
        for state in states:
            before, values[state] = values[state], worth(state)
            moved = max(moved, float(np.max(np.abs(values[state] - before))))
