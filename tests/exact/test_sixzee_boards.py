"""Boards of Sixzee once more, slowly and obviously.

Sheets are scores by box as they are written, nothing merged; of every throw every keep is tried, and a keep is the list
of all throws it can become. Nothing here reads ``settle`` or ``solver.game.dice``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rollwise.games.sixzee import BOXES, Sixzee
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.turn.backups import CompiledBackup, PlainBackup
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.query import OneTurn
from rollwise.solver.turn.settled import LOOKED_UP, Settler

Roll = tuple[int, ...]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sheet = Mapping[str, int]
FACE = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
OF_A_KIND = {"three of a kind": 3, "four of a kind": 4, "five of a kind": 5}
SHAPES = ("3-2-1", "three pairs", "two triples")
IN_A_ROW = {"low straight": 4, "high straight": 5, "super straight": 6}
STRAIGHT_PAYS = {"low straight": 20, "high straight": 30, "super straight": 40}
GROUPS = (tuple(OF_A_KIND), SHAPES, tuple(IN_A_ROW))

# --- dice: every throw of every keep ----------------------------------------------------------------------------------

FALLEN = Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=6))
ROLLS = sorted(FALLEN)
NUMBER = {roll: number for number, roll in enumerate(ROLLS)}
KEPT_OF = [sorted({kept for size in range(7) for kept in combinations(roll, size)}) for roll in ROLLS]
KEEPS = sorted({kept for keeps in KEPT_OF for kept in keeps})
KEEP = {kept: number for number, kept in enumerate(KEEPS)}


def thrown_from(kept: Roll) -> dict[Roll, float]:
    """The rolls that a keep becomes when the other dice are thrown, with their probabilities."""
    again = 6 - len(kept)
    found = Counter(tuple(sorted(kept + faces)) for faces in product(range(1, 7), repeat=again))
    return {roll: ways / 6**again for roll, ways in found.items()}


@cache
def keeps_to_rolls() -> Floats:
    """float64, shape (keeps, rolls)."""
    table = np.zeros((len(KEEPS), len(ROLLS)))
    for kept in KEEPS:
        for roll, chance in thrown_from(kept).items():
            table[KEEP[kept], NUMBER[roll]] = chance
    return table


@cache
def rolls_to_keeps() -> tuple[Ints, Ints]:
    """The keeps of all rolls, one after the other, and where those of each roll begin."""
    listed = np.array([KEEP[kept] for keeps in KEPT_OF for kept in keeps])
    return listed, np.cumsum([0, *(len(keeps) for keeps in KEPT_OF[:-1])])


def with_a_throw(worth: Floats) -> tuple[Floats, Floats]:
    """What each keep, and each roll with the best of its keeps, is worth if one more throw leads to ``worth``."""
    kept = keeps_to_rolls() @ worth
    listed, starts = rolls_to_keeps()
    return kept, np.maximum.reduceat(kept[listed], starts)


# --- rules ------------------------------------------------------------------------------------------------------------


def plain_score(box: str, roll: Roll) -> int:
    if box in FACE:
        return sum(face for face in roll if face == FACE[box])
    if box in OF_A_KIND:
        return sum(roll) if any(roll.count(face) >= OF_A_KIND[box] for face in roll) else 0
    if box == "3-2-1":
        return sum(roll) if sorted(roll.count(face) for face in set(roll)) == [1, 2, 3] else 0
    if box == "three pairs":
        return sum(roll) if roll[0::2] == roll[1::2] else 0
    if box == "two triples":
        return sum(roll) if roll[0] == roll[1] == roll[2] and roll[3] == roll[4] == roll[5] else 0
    if box in IN_A_ROW:
        length = IN_A_ROW[box]
        rows = [set(range(first, first + length)) for first in range(1, 8 - length)]
        return STRAIGHT_PAYS[box] if any(row <= set(roll) for row in rows) else 0
    if box == "sixzee":
        return 60 if len(set(roll)) == 1 else 0
    return sum(roll)


@cache
def plain_scores(box: str) -> Ints:
    """int64, shape (rolls,)."""
    return np.array([plain_score(box, roll) for roll in ROLLS])


def bonuses(sheet: Sheet) -> int:
    """What a sheet has earned besides its scores and the hundreds."""
    earned = sum(sheet.get(box, 0) for box in FACE) >= 84
    return 30 * (earned + sum(all(sheet.get(box, 0) > 0 for box in group) for group in GROUPS))


@dataclass
class Plain:
    """The game for some parameters; ``rest`` says what a sheet that is not full is worth, by default playing it on."""

    joker: bool = True
    hundred: int = 100
    bonus_when: str = "placed"
    rest: Callable[[dict[str, int]], float] | None = None
    known: dict[frozenset[tuple[str, int]], float] = field(default_factory=dict)

    def sixzee_score(self, sheet: Sheet, box: str, face: int) -> int:
        """What six equal dice score in a box, before any bonus."""
        score = plain_score(box, (face,) * 6)
        own = next(name for name in FACE if FACE[name] == face)
        if self.joker and "sixzee" in sheet and own in sheet:
            score = max(score, STRAIGHT_PAYS.get(box, 24 if box in SHAPES else 0))
        return score

    def further(self, sheet: Sheet, box: str, face: int) -> int:
        """The hundred for a sixzee after the first."""
        boxes = [box] if self.bonus_when == "placed" else [other for other in BOXES if other not in sheet]
        scores = any(self.sixzee_score(sheet, other, face) > 0 for other in boxes)
        return self.hundred if sheet.get("sixzee", 0) > 0 and scores else 0

    def box_worth(self, sheet: dict[str, int], box: str) -> Floats:
        """What each roll is worth in this box, with all that follows."""
        scores, more = plain_scores(box).copy(), np.zeros(len(ROLLS))
        for face in range(1, 7):
            number = NUMBER[(face,) * 6]
            scores[number] = self.sixzee_score(sheet, box, face)
            more[number] = self.further(sheet, box, face)
        for score in set(scores.tolist()):
            after = {**sheet, box: score}
            more[scores == score] += bonuses(after) - bonuses(sheet) + self.to_come(after)
        return scores + more

    def stages(self, sheet: dict[str, int]) -> list[Floats]:
        """What rolls are worth, one array a number of throws left: 0, 1, 2."""
        worth = [np.max([self.box_worth(sheet, box) for box in BOXES if box not in sheet], axis=0)]
        while len(worth) < 3:
            worth.append(with_a_throw(worth[-1])[1])
        return worth

    def value(self, sheet: dict[str, int]) -> float:
        """Expected points still to come, before the first throw of a turn."""
        return float(keeps_to_rolls()[KEEP[()]] @ self.stages(sheet)[-1])

    def to_come(self, sheet: dict[str, int]) -> float:
        if len(sheet) == len(BOXES):
            return 0.0
        if self.rest is not None:
            return self.rest(sheet)
        name = frozenset(sheet.items())
        if name not in self.known:
            self.known[name] = self.value(sheet)
        return self.known[name]


RULES: list[dict[str, Any]] = [
    {},
    {"bonus_when": "possible"},
    {"joker": False},
    {"joker": False, "bonus_when": "possible"},
]
every_rule = pytest.mark.parametrize("rules", RULES, ids=lambda rules: ",".join(map(str, rules.values())) or "default")


@cache
def compiled(joker: bool, bonus_when: str) -> tuple[Sixzee, TurnGraph]:
    game = Sixzee(joker=joker, bonus_when=bonus_when)
    return game, compile_turn(game)


def of_rules(rules: dict[str, Any]) -> tuple[Sixzee, TurnGraph]:
    return compiled(rules.get("joker", True), rules.get("bonus_when", "placed"))


def random_sheet(draw: random.Random, n_open: int) -> dict[str, int]:
    """Any sheet with so many boxes open; 0 and the sixzee's 60 are as likely as all other scores together."""
    closed = draw.sample(BOXES, len(BOXES) - n_open)
    return {box: random_score(draw, box) for box in BOXES if box in closed}


def random_score(draw: random.Random, box: str) -> int:
    lowest, *others = Sixzee().can_hold(box)
    return lowest if draw.random() < 0.4 else draw.choice(others)


def index_of(game: Sixzee, sheet: Sheet) -> int:
    return game.boards().index_of(**game.board(sheet))


# --- the plain game itself --------------------------------------------------------------------------------------------


def test_chances_of_every_keep_add_up() -> None:
    assert (len(ROLLS), len(KEEPS)) == (462, 924)
    assert np.allclose(keeps_to_rolls().sum(axis=1), 1, rtol=0, atol=1e-12)


def test_one_sixzee_is_worth_60_times_the_chance_of_keeping_what_lies_most() -> None:
    most = [max(roll, key=roll.count) for roll in ROLLS]
    kept = [KEEP[(face,) * roll.count(face)] for roll, face in zip(ROLLS, most, strict=True)]
    chance = np.array([float(len(set(roll)) == 1) for roll in ROLLS])
    for _ in range(2):
        chance = keeps_to_rolls()[kept] @ chance
    sheet = {box: 0 for box in BOXES if box != "sixzee"}
    assert abs(Plain().value(sheet) - 60 * float(keeps_to_rolls()[KEEP[()]] @ chance)) < 1e-12


KNOWN: list[tuple[str, dict[str, Any], Fraction]] = [  # (boxes to play, parameters, best expected score)
    # each die on its own: 7/2 with one throw, 17/4 with two (keep from 4 on), 14/3 with three (keep from 5 on)
    ("chance", {}, 6 * Fraction(14, 3)),
    # 60 times the chance of six equal dice, found in fractions by the same plain play
    ("sixzee", {}, 60 * Fraction(33391127, 1632586752)),
    ("3-2-1,super straight,sixzee", {}, Fraction("37.144068113295")),
    ("3-2-1,super straight,sixzee", {"joker": False}, Fraction("37.108404665599")),
]


@pytest.mark.parametrize(("boxes", "rules", "known"), KNOWN, ids=lambda part: str(part) or "default")
def test_the_start_of_a_game_of_a_few_boxes_is_worth_its_known_number(
    boxes: str, rules: dict[str, Any], known: Fraction
) -> None:
    game = Sixzee(boxes=boxes, **rules)
    exact = solve_exact(game, compile_turn(game))[game.boards().index_of(**game.first_board())]
    assert exact == known if known.denominator % 5 else abs(exact - known) < Fraction(1, 10**12)
    sheet = {box: 0 for box in BOXES if box not in boxes.split(",")}
    assert abs(Plain(**rules).value(sheet) - known) < 1e-11


# --- all boards of a few boxes ----------------------------------------------------------------------------------------

FEW = [
    ("chance",),
    ("sixzee",),
    ("twos", "sixzee"),
    ("low straight", "high straight", "super straight"),
    ("3-2-1", "sixzee", "high straight"),
    ("ones", "two triples", "sixzee"),
]
THREE = [
    ("fours", "fives", "sixes"),
    ("three of a kind", "four of a kind", "five of a kind"),
    ("3-2-1", "three pairs", "two triples"),
]
FOUR = [("fives", "3-2-1", "three pairs", "sixzee"), ("ones", "low straight", "sixzee", "chance")]


def compare_all_boards(boxes: tuple[str, ...], rules: dict[str, Any]) -> None:
    game = Sixzee(boxes=",".join(boxes), **rules)
    solved = BoardSolver(game, compile_turn(game), workers=1, compiled=False).solve()
    plain = Plain(**rules)
    space = game.boards()
    boards = np.flatnonzero(np.isfinite(solved.values))
    assert solved.n_boards == len(boards)
    for index in boards.tolist():
        sheet = {**{box: 0 for box in BOXES if box not in boxes}, **game.sheet(space.board(index))}
        assert len(sheet) < len(BOXES)
        assert abs(plain.to_come(sheet) - solved.values[index]) < solved.radius[index] + 1e-10
        assert solved.radius[index] < 1e-10


@pytest.mark.parametrize("boxes", FEW, ids=",".join)
def test_every_board_of_a_few_boxes_is_worth_what_plain_play_finds(boxes: tuple[str, ...]) -> None:
    compare_all_boards(boxes, {})


@pytest.mark.parametrize("rules", RULES[1:], ids=lambda rules: ",".join(map(str, rules.values())))
@pytest.mark.parametrize("boxes", FEW[2::2], ids=",".join)
def test_so_it_is_for_other_parameters(boxes: tuple[str, ...], rules: dict[str, Any]) -> None:
    compare_all_boards(boxes, rules)


@pytest.mark.slow
@pytest.mark.parametrize("boxes", THREE, ids=",".join)
def test_so_it_is_with_the_bonuses_of_three_boxes(boxes: tuple[str, ...]) -> None:
    compare_all_boards(boxes, {})


@pytest.mark.slow
@every_rule
@pytest.mark.parametrize("boxes", FOUR, ids=",".join)
def test_so_it_is_for_four_boxes(boxes: tuple[str, ...], rules: dict[str, Any]) -> None:
    compare_all_boards(boxes, rules)


# --- boards of the whole game near its end ----------------------------------------------------------------------------


def near_the_end(seed: int, rules: dict[str, Any], counts: Mapping[int, int]) -> Iterator[tuple[dict[str, int], float]]:
    """Random sheets, so many with each number of open boxes, and what plain play finds them worth."""
    draw = random.Random(seed)
    for n_open, count in counts.items():
        for _ in range(count):
            sheet = random_sheet(draw, n_open)
            yield sheet, Plain(**rules).value(sheet)


def compare_exactly(seed: int, rules: dict[str, Any], counts: Mapping[int, int]) -> None:
    game, graph = of_rules(rules)
    for sheet, value in near_the_end(seed, rules, counts):
        board = index_of(game, sheet)
        exact = solve_exact(game, graph, boards=[board])[board]
        assert abs(Fraction(value) - exact) < Fraction(1, 10**10), sheet


@every_rule
def test_exact_values_of_boards_with_one_and_two_open_boxes_are_those_of_plain_play(rules: dict[str, Any]) -> None:
    compare_exactly(1, rules, {1: 3, 2: 1})


@pytest.mark.slow
@every_rule
def test_exact_values_of_boards_with_three_open_boxes_are_those_of_plain_play(rules: dict[str, Any]) -> None:
    compare_exactly(2, rules, {2: 3, 3: 1})


def another_of_its_board(draw: random.Random, game: Sixzee, sheet: dict[str, int]) -> dict[str, int]:
    """Random scores in the same boxes that make the same board."""
    board, other = game.board(sheet), dict(sheet)
    for group in [(box,) for box in ("chance", "sixzee")] + [tuple(FACE), *GROUPS]:
        inside = [box for box in group if box in sheet]
        for _ in range(300):
            trial = {**other, **{box: random_score(draw, box) for box in inside}}
            if game.board(trial) == board:
                other = trial
                break
    return other


def compare_merged(seed: int, rules: dict[str, Any], counts: Mapping[int, int]) -> None:
    game, draw, different = of_rules(rules)[0], random.Random(100 + seed), 0
    for sheet, value in near_the_end(seed, rules, counts):
        other = another_of_its_board(draw, game, sheet)
        assert abs(Plain(**rules).value(other) - value) < 1e-10, (sheet, other)
        different += sum(other[box] != sheet[box] for box in sheet)
    assert different > 4 * sum(counts.values())


@every_rule
def test_sheets_that_share_a_board_are_worth_the_same(rules: dict[str, Any]) -> None:
    compare_merged(3, rules, {1: 10, 2: 6})


@pytest.mark.slow
@every_rule
def test_so_are_sheets_with_three_and_four_open_boxes(rules: dict[str, Any]) -> None:
    compare_merged(4, rules, {3: 3})


# --- one turn of boards with 1 to 17 open boxes -----------------------------------------------------------------------


def made_up(boards: Ints) -> Floats:
    """A worth for each board, 0 to 100, as if at random."""
    mixed = (np.asarray(boards, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(40)).astype(np.float64) * (100 / 2**24)


def plain_of(game: Sixzee, rules: dict[str, Any]) -> Plain:
    """One turn, after which a sheet is worth what is made up for its board."""
    return Plain(**rules, rest=lambda sheet: float(made_up(np.array([index_of(game, sheet)]))[0]))


@every_rule
def test_one_turn_is_worth_what_plain_play_finds_move_by_move(rules: dict[str, Any]) -> None:
    game, graph = of_rules(rules)
    plain, draw = plain_of(game, rules), random.Random(6)
    for n_open in range(1, 18):
        sheet = random_sheet(draw, n_open)
        turn = OneTurn(game, graph, game.board(sheet), lambda boards: (made_up(boards), np.zeros(len(boards))))
        assert turn.root[1] - 1e-11 < plain.value(sheet) < turn.root[2] + 1e-11
        assert turn.root[2] - turn.root[1] < 1e-10
        stages = plain.stages(sheet)
        in_box = {f"score {box}": plain.box_worth(sheet, box) for box in BOXES if box not in sheet}
        for left in range(3):
            roll = draw.choice(ROLLS) if draw.random() < 0.6 else (draw.randint(1, 6),) * 6
            wanted = {name: worth[NUMBER[roll]] for name, worth in in_box.items()}
            if left:
                kept = with_a_throw(stages[left - 1])[0]
                names = {keep: "keep " + (" ".join(map(str, keep)) or "nothing") for keep in KEPT_OF[NUMBER[roll]]}
                wanted |= {name: kept[KEEP[keep]] for keep, name in names.items() if len(keep) < 6}
            found = dict(turn.moves((left, roll, "roll")))
            assert found.keys() == wanted.keys()
            assert all(abs(found[name][0] - wanted[name]) < 1e-10 for name in wanted)


def compare_many(rules: dict[str, Any], backup: Any, n_boards: int) -> None:
    """So many boards of each level, backed up together, against plain play of a few of them."""
    game, graph = of_rules(rules)
    plain, draw = plain_of(game, rules), random.Random(7)
    made = backup(graph, int(graph.roots[0]), "max")
    space = game.boards()
    constants = Constants(space.size)
    settler = Settler(game, graph, constants)
    values = constants.room(0.0)
    for n_open in range(1, 18):
        drawn = [random_sheet(draw, n_open) for _ in range(n_boards)]
        rows = [game.board(sheet) for sheet in drawn]
        columns = {name: np.array([row[name] for row in rows]) for name in space.names}
        sheets = dict(zip(space.index(columns, n_boards).tolist(), drawn, strict=True))
        boards = np.array(sorted(sheets))
        moves = settler.transitions(made.leaves, boards)
        ahead = np.unique(moves.ends >> 1)
        ahead = ahead[ahead < space.size]
        values[ahead] = made_up(ahead)
        constants.write(values, "max", -1)
        out = np.full(len(boards), np.nan)
        made.values(moves, values, values, 0.0, np.arange(len(boards)), out, 0, len(boards))
        assert np.isfinite(out).all()
        for place in draw.sample(range(len(boards)), min(2, len(boards))):
            assert abs(out[place] - plain.value(sheets[int(boards[place])])) < 1e-10


def test_many_boards_at_once_are_backed_up_as_one_by_one() -> None:
    """Enough of a level to be settled by tables; the last levels have not so many."""
    assert LOOKED_UP < 1100
    compare_many({}, CompiledBackup, 1100)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES[1:], ids=lambda rules: ",".join(map(str, rules.values())))
def test_so_they_are_for_other_parameters(rules: dict[str, Any]) -> None:
    compare_many(rules, CompiledBackup, 1100)


@pytest.mark.slow
def test_so_they_are_by_the_plain_backup() -> None:
    compare_many({}, PlainBackup, 1100)
