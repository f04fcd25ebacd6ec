"""What the independent solutions of this folder share: dice, boxes, walks and games, said in the plainest way.

Every throw is counted, of every throw every keep is tried, and chances are followed from state to state. Of the games
and of the solver nothing is used but the words that a game is written in, and ``outcome``, which asks a game's
``transition`` about one board.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, combinations_with_replacement, pairwise, product
from typing import Any

import numpy as np
import pytest
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
BOX_OF = {face: box for box, face in NUMBERS.items()}
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


def thorough(*cases: tuple[Any, ...]) -> list[Any]:
    """Further cases of a claim."""
    return [pytest.param(*case, marks=pytest.mark.thorough) for case in cases]


def slow(*cases: tuple[Any, ...]) -> list[Any]:
    """Further cases that take seconds."""
    return [pytest.param(*case, marks=pytest.mark.slow) for case in cases]


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


def spelt(kept: Roll) -> str:
    return " ".join(map(str, kept)) or "nothing"


class EveryKeep:
    """All throws of so many dice, and all keeps of each, fewest dice first; a keep becomes a throw die by die.

    Worths of throws are floats, or whole numbers: then each further throw makes them ``6 ** dice`` times as large.
    """

    def __init__(self, dice: int) -> None:
        self.dice = dice
        of_size = [list(combinations_with_replacement(range(1, 7), size)) for size in range(dice + 1)]
        self.throws, self.keeps = of_size[-1], [kept for some in of_size for kept in some]
        self.throw = {roll: number for number, roll in enumerate(self.throws)}
        self.keep = {kept: number for number, kept in enumerate(self.keeps)}
        self.one_more = [
            np.array([[self.keep[joined(kept, (face,))] - self.keep[more[0]] for face in range(1, 7)] for kept in some])
            for some, more in pairwise(of_size)
        ]
        of_throw = [[self.keep[kept] for kept in parts(roll)] for roll in self.throws]
        self.listed = np.concatenate(of_throw)
        self.starts = np.cumsum([0, *(len(keeps) for keeps in of_throw[:-1])])

    def kept(self, worth: Numbers) -> Numbers:
        """What each keep is worth if the throw of the other dice leads to throws of this worth."""
        is_whole = worth.dtype != np.float64
        found = [worth * 6**self.dice if is_whole else worth]
        for one_more in reversed(self.one_more):
            six = found[-1][one_more].sum(axis=1)
            found.append(six // 6 if is_whole else six / 6)
        return np.concatenate(found[::-1])

    def best(self, kept: Numbers) -> Numbers:
        """What each throw is worth if the best of its keeps is kept."""
        found: Numbers = np.maximum.reduceat(kept[self.listed], self.starts)
        return found

    def again(self, worth: Numbers) -> Numbers:
        """What each throw is worth if the best of its keeps is thrown once more."""
        return self.best(self.kept(worth))

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


@cache
def scores(box: str, dice: Roll, game: str) -> int:
    return points(box, dice, PAYS[game])


Worth = Callable[[Sheet, int], Any]  # of the sheet after a turn, and all points of the turn


class Sheets:
    """Sheets of one game, scores by box as they are written, nothing merged; boxes out of play hold 0."""

    dice: int
    boxes: tuple[str, ...]

    def __init__(self) -> None:
        self.every, self.means, self.chances = every_keep(self.dice), dict[Any, float](), dict[Any, int]()

    def scored(self, sheet: Sheet, box: str, dice: Roll) -> tuple[int, int] | None:
        """What is written in the box, and a hundred or not; None where the box may not be filled."""
        raise NotImplementedError

    def bonus(self, sheet: Sheet) -> int:
        """What a sheet has earned besides its scores."""
        raise NotImplementedError

    def alike(self, sheet: Sheet) -> Any:
        """What is the same of sheets that have as many points to come."""
        return frozenset(sheet.items())

    def open(self, sheet: Sheet) -> list[str]:
        return [box for box in self.boxes if box not in sheet]

    def filled(self, sheet: Sheet, box: str, dice: Roll) -> tuple[dict[str, int], int] | None:
        """The sheet that follows, and all points of the turn."""
        found = self.scored(sheet, box, dice)
        if found is None:
            return None
        after = {**sheet, box: found[0]}
        return after, sum(found) + self.bonus(after) - self.bonus(sheet)

    def by_box(self, sheet: Sheet, worth: Worth) -> dict[str, list[Any]]:
        """What every throw is worth in every open box; None where it may not be written there."""
        found: dict[str, list[Any]] = {}
        for box in self.open(sheet):
            known: dict[Any, Any] = {None: None}
            for dice in self.every.throws:
                scored = self.scored(sheet, box, dice)
                if scored not in known:
                    filled = self.filled(sheet, box, dice)
                    assert filled is not None
                    known[scored] = worth(*filled)
                found.setdefault(box, []).append(known[scored])
        return found

    def stages(self, by_box: Mapping[str, list[Any]]) -> list[Numbers]:
        """What every keep is worth before the last throw, before two, before three."""
        rows = zip(*by_box.values(), strict=True)
        best = [max(worth for worth in row if worth is not None) for row in rows]
        kept = [self.every.kept(np.array(best, dtype=float if isinstance(best[0], float) else object))]
        while len(kept) < 3:
            kept.append(self.every.kept(self.every.best(kept[-1])))
        return kept

    def before(self, sheet: Sheet, worth: Worth) -> Any:
        """What it is worth to be before a turn: a float, or a whole number ``6 ** (3 * dice)`` times as large."""
        return self.stages(self.by_box(sheet, worth))[-1][self.every.keep[()]]

    def moves(self, sheet: Sheet, worth: Worth, roll: Roll, left: int) -> dict[str, tuple[Any, int]]:
        """What every move is worth with so many throws left, and by how many throws that is larger."""
        by_box = self.by_box(sheet, worth)
        told = {f"score {box}": (worths[self.every.throw[roll]], 0) for box, worths in by_box.items()}
        found = {name: one for name, one in told.items() if one[0] is not None}
        if left:
            worths, some = self.stages(by_box)[left - 1], [kept for kept in parts(roll) if len(kept) < self.dice]
            found |= {f"keep {spelt(kept)}": (worths[self.every.keep[kept]], left) for kept in some}
        return found

    # --- played alone for the mean, and for a target

    def mean(self, sheet: Sheet) -> float:
        """Expected points still to come, before a turn."""
        if not self.open(sheet):
            return 0.0
        if (name := self.alike(sheet)) not in self.means:
            self.means[name] = float(self.before(sheet, lambda after, points: points + self.mean(after)))
        return self.means[name]

    def chance(self, sheet: Sheet, needed: int) -> int:
        """P(at least so many points to come), in parts of ``6 ** (3 * dice)`` for each open box."""
        if not self.open(sheet):
            return int(needed <= 0)
        name = frozenset(sheet.items()), needed
        if name not in self.chances:
            self.chances[name] = int(self.before(sheet, lambda after, points: self.chance(after, needed - points)))
        return self.chances[name]

    def fraction(self, whole: int, throws: int) -> Fraction:
        return Fraction(whole, int(6 ** (self.dice * throws)))


class Yahtzee(Sheets):
    straights = ("small straight", "large straight")
    lower = ("three of a kind", "four of a kind", "full house", *straights, "yahtzee", "chance")
    boxes = (*NUMBERS, *lower)
    dice = 5

    def __init__(self, joker: str = "forced") -> None:
        super().__init__()
        self.forced = joker == "forced"

    def upper(self, sheet: Sheet) -> int:
        return min(63, sum(sheet.get(box, 0) for box in NUMBERS))

    def bonus(self, sheet: Sheet) -> int:
        return 35 * (self.upper(sheet) == 63)

    def alike(self, sheet: Sheet) -> Any:
        return frozenset(sheet), self.upper(sheet), sheet.get("yahtzee")

    def scored(self, sheet: Sheet, box: str, dice: Roll) -> tuple[int, int] | None:
        written = scores(box, dice, "yahtzee")
        if dice[0] < dice[-1]:
            return written, 0
        if "yahtzee" in sheet:
            own = BOX_OF[dice[0]]
            to_lower = box in self.lower or not any(other in self.lower for other in self.open(sheet))
            if self.forced and box != own and (own not in sheet or not to_lower):
                return None
            if own in sheet and box in ("full house", *self.straights):
                written = PAYS["yahtzee"][box]
        return written, 100 * (sheet.get("yahtzee") == 50)


class Sixzee(Sheets):
    kinds = ("three of a kind", "four of a kind", "five of a kind")
    shapes = ("3-2-1", "three pairs", "two triples")
    straights = ("low straight", "high straight", "super straight")
    boxes = (*NUMBERS, *kinds, *shapes, *straights, "sixzee", "chance")
    dice = 6

    def __init__(self, joker: bool = True, bonus_when: str = "placed") -> None:
        super().__init__()
        self.joker, self.bonus_when = joker, bonus_when

    def bonus(self, sheet: Sheet) -> int:
        groups = (self.kinds, self.shapes, self.straights)
        whole = sum(all(sheet.get(box, 0) > 0 for box in group) for group in groups)
        return 30 * (whole + (sum(sheet.get(box, 0) for box in NUMBERS) >= 84))

    def written(self, sheet: Sheet, box: str, dice: Roll) -> int:
        score = scores(box, dice, "sixzee")
        if self.joker and "sixzee" in sheet and BOX_OF[dice[0]] in sheet and box in (*self.shapes, *self.straights):
            return max(score, PAYS["sixzee"].get(box, 24)) if dice[0] == dice[-1] else score
        return score

    def scored(self, sheet: Sheet, box: str, dice: Roll) -> tuple[int, int]:
        written = self.written(sheet, box, dice)
        if dice[0] < dice[-1] or not sheet.get("sixzee"):
            return written, 0
        could = [box] if self.bonus_when == "placed" else self.open(sheet)
        return written, 100 * any(self.written(sheet, other, dice) > 0 for other in could)


def filled_by_lot(sheets: Sheets, n_open: int, lot: random.Random) -> tuple[dict[str, int], int]:
    """A sheet filled by lot, with more yahtzees than there are, and all points that were made."""
    sheet, made = dict[str, int](), 0
    while len(sheets.open(sheet)) > n_open:
        throws = [tuple(sorted(lot.choices(range(1, 7), k=sheets.dice))) for _ in range(lot.choice((1, 20, 200)))]
        throws = [(lot.choice(range(1, 7)),) * sheets.dice] if lot.random() < 0.25 else throws
        box = lot.choice(sheets.open(sheet))
        ways = [way for way in (sheets.filled(sheet, box, dice) for dice in throws) if way is not None]
        if ways:
            sheet, points = max(ways, key=lambda way: way[1])
            made += points
    return sheet, made


# --- walks -----------------------------------------------------------------------------------------------------------

After = tuple[float, Any, Any]  # a chance, the state that follows, None where the game ends, and how it ends


PlainTurn = Callable[[Any], Iterable[After]]
NEVER = 1e-15  # a chance that does not matter


def turn_by_turn(start: Any, turn: PlainTurn) -> Iterator[tuple[dict[Any, float], float]]:
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


def walked(start: Any, turn: PlainTurn) -> tuple[dict[Any, float], list[float]]:
    """The chances of the ends of a game, and of 1 turn, 2, ... until hardly a game goes on."""
    ends, lengths = defaultdict[Any, float](float), list[float]()
    for ended, goes_on in turn_by_turn(start, turn):
        for end, chance in ended.items():
            ends[end] += chance
        lengths.append(sum(ended.values()))
        if goes_on < NEVER:
            break
    return ends, lengths


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
