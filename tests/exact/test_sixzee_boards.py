"""Boards of Sixzee once more, slowly and obviously.

Sheets are scores by box as they are written, nothing merged; of every throw every keep is tried, and a keep is the list
of all throws it can become. Nothing here reads ``transition`` or ``solver.model.dice``.
"""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.sixzee.rules import BOXES, Sixzee
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.query import ExactTurn, OneTurn
from rollwise.solver.values.board_solver import BoardSolver
from tests.exact.plain import NUMBERS, PAYS, Numbers, Sheet, SheetAlone, every_keep, parts, points

OF_A_KIND = ("three of a kind", "four of a kind", "five of a kind")
SHAPED = ("3-2-1", "three pairs", "two triples")
STRAIGHTS = ("low straight", "high straight", "super straight")
GROUPS = (OF_A_KIND, SHAPED, STRAIGHTS)
Rules = dict[str, Any]


@cache
def plain_scores(box: str) -> Numbers:
    return np.array([points(box, roll, PAYS["sixzee"]) for roll in every_keep(6).throws])


class Plain(SheetAlone):
    """The game for some parameters; a sixzee after the first earns a hundred."""

    def __init__(self, joker: bool = True, bonus_when: str = "placed", rest: Any = None) -> None:
        super().__init__(6, BOXES, rest)
        self.joker, self.bonus_when = joker, bonus_when

    def sixzee_score(self, sheet: Sheet, box: str, face: int) -> int:
        """What six equal dice score in a box, before any bonus."""
        score = int(plain_scores(box)[self.every.throw[(face,) * 6]])
        own = next(name for name in NUMBERS if NUMBERS[name] == face)
        if self.joker and "sixzee" in sheet and own in sheet and box in (*SHAPED, *STRAIGHTS):
            return max(score, PAYS["sixzee"].get(box, 24))
        return score

    def further(self, sheet: Sheet, box: str, face: int) -> int:
        """The hundred for a sixzee after the first."""
        boxes = [box] if self.bonus_when == "placed" else self.open(sheet)
        scores = any(self.sixzee_score(sheet, other, face) > 0 for other in boxes)
        return 100 if sheet.get("sixzee", 0) > 0 and scores else 0

    def written(self, sheet: Sheet, box: str) -> tuple[Numbers, Numbers]:
        scores, more = plain_scores(box).copy(), np.zeros(len(self.every.throws))
        for face in range(1, 7):
            number = self.every.throw[(face,) * 6]
            scores[number] = self.sixzee_score(sheet, box, face)
            more[number] = self.further(sheet, box, face)
        return scores, more

    def bonuses(self, sheet: Sheet) -> int:
        earned = sum(sheet.get(box, 0) for box in NUMBERS) >= 84
        return 30 * (earned + sum(all(sheet.get(box, 0) > 0 for box in group) for group in GROUPS))


RULES: list[Rules] = [{}, {"bonus_when": "possible"}, {"joker": False}, {"joker": False, "bonus_when": "possible"}]
every_rule = pytest.mark.parametrize("rules", RULES, ids=lambda rules: ",".join(map(str, rules.values())) or "default")


def slow(*case: Any) -> Any:
    return pytest.param(*case, marks=pytest.mark.slow)


@cache
def compiled(joker: bool = True, bonus_when: str = "placed") -> tuple[Sixzee, TurnGraph]:
    game = Sixzee(joker=joker, bonus_when=bonus_when)
    return game, compile_turn(game)


def random_sheet(draw: random.Random, n_open: int) -> dict[str, int]:
    """Any sheet with so many boxes open; 0 and the sixzee's 60 are as likely as all other scores together."""
    closed = draw.sample(BOXES, len(BOXES) - n_open)
    return {box: random_score(draw, box) for box in BOXES if box in closed}


def random_score(draw: random.Random, box: str) -> int:
    lowest, *others = Sixzee().can_hold(box)
    return lowest if draw.random() < 0.4 else draw.choice(others)


def index_of(game: Sixzee, sheet: Sheet) -> int:
    return game.boards().index_of(**game.board(sheet))


# --- games of a few boxes ---------------------------------------------------------------------------------------------

KNOWN: list[tuple[str, Rules, Fraction]] = [  # (boxes to play, parameters, best expected score)
    # each die on its own: 7/2 with one throw, 17/4 with two (keep from 4 on), 14/3 with three (keep from 5 on)
    ("chance", {}, 6 * Fraction(14, 3)),
    # 60 times the chance of six equal dice, found in fractions by the same plain play
    ("sixzee", {}, 60 * Fraction(33391127, 1632586752)),
    ("3-2-1,super straight,sixzee", {}, Fraction("37.144068113295")),
    ("3-2-1,super straight,sixzee", {"joker": False}, Fraction("37.108404665599")),
]


@pytest.mark.parametrize(("boxes", "rules", "known"), KNOWN, ids=lambda part: str(part) or "default")
def test_the_start_of_a_game_of_a_few_boxes_is_worth_its_known_number(
    boxes: str, rules: Rules, known: Fraction
) -> None:
    game = Sixzee(boxes=boxes, **rules)
    exact = solve_exact(game, compile_turn(game))[game.boards().index_of(**game.first_board())]
    assert exact == known if known.denominator % 5 else abs(exact - known) < Fraction(1, 10**12)
    sheet = {box: 0 for box in BOXES if box not in boxes.split(",")}
    assert abs(Plain(**rules).value(sheet) - known) < 1e-11


FEW = ["chance", "sixzee", "twos,sixzee", ",".join(STRAIGHTS), "3-2-1,sixzee,high straight", "ones,two triples,sixzee"]
THREE = ["fours,fives,sixes", ",".join(OF_A_KIND), ",".join(SHAPED)]  # with their bonuses
FOUR = ["fives,3-2-1,three pairs,sixzee", "ones,low straight,sixzee,chance"]


@pytest.mark.parametrize(
    ("boxes", "rules"),
    [
        *((boxes, RULES[0]) for boxes in FEW),
        *((boxes, rules) for boxes in FEW[2::2] for rules in RULES[1:]),
        *(slow(boxes, RULES[0]) for boxes in THREE),
        *(slow(boxes, rules) for boxes in FOUR for rules in RULES),
    ],
    ids=str,
)
def test_every_board_of_a_few_boxes_is_worth_what_plain_play_finds(boxes: str, rules: Rules) -> None:
    game, plain = Sixzee(boxes=boxes, **rules), Plain(**rules)
    solved = BoardSolver(game, compile_turn(game), workers=1, compiled=False).solve()
    boards = np.flatnonzero(np.isfinite(solved.values))
    assert solved.n_boards == len(boards)
    for index in boards.tolist():
        sheet = {box: 0 for box in BOXES if box not in boxes.split(",")} | game.sheet(game.boards().board(index))
        assert plain.open(sheet)
        assert abs(plain.to_come(sheet) - solved.values[index]) < solved.radius[index] + 1e-10
        assert solved.radius[index] < 1e-10


# --- boards of the whole game near its end ----------------------------------------------------------------------------

HELD = {box: 4 * face for box, face in NUMBERS.items()} | {
    **{"three of a kind": 20, "four of a kind": 18, "five of a kind": 27},
    **{"3-2-1": 22, "three pairs": 20, "two triples": 15},
    **{"low straight": 20, "high straight": 30, "super straight": 40, "sixzee": 60, "chance": 25},
}


def held_but(*boxes: str) -> dict[str, int]:
    return {box: score for box, score in HELD.items() if box not in boxes}


def near_the_end(seed: int, rules: Rules, counts: Mapping[int, int]) -> Iterator[tuple[dict[str, int], float]]:
    """Random sheets, so many with each number of open boxes, and what plain play finds them worth."""
    draw = random.Random(seed)
    for n_open, count in counts.items():
        for _ in range(count):
            sheet = random_sheet(draw, n_open)
            yield sheet, Plain(**rules).value(sheet)


@every_rule
@pytest.mark.parametrize(("seed", "counts"), [(1, {1: 6, 2: 2}), slow(2, {2: 6, 3: 1})])
def test_exact_values_of_boards_with_a_few_open_boxes_are_those_of_plain_play(
    seed: int, counts: Mapping[int, int], rules: Rules
) -> None:
    for sheet, value in near_the_end(seed, rules, counts):
        require_exact(sheet, value, rules)


@pytest.mark.parametrize("boxes", [("fives", "sixes"), ("two triples", "sixzee"), ("super straight", "chance")])
def test_so_they_are_while_bonuses_can_still_be_made(boxes: tuple[str, ...]) -> None:
    require_exact(held_but(*boxes), Plain().value(held_but(*boxes)), {})


def require_exact(sheet: Sheet, value: float, rules: Rules) -> None:
    game, graph = compiled(**rules)
    board = index_of(game, sheet)
    found = solve_exact(game, graph, boards=[board])
    assert abs(Fraction(value) - found[board]) < Fraction(1, 10**10), sheet
    turn = ExactTurn(game, graph, game.boards().board(board), found.nodes(board))
    assert turn.fractions(game.dice.first()) == {"roll": found[board]}


def test_only_boards_that_are_reached_take_any_room() -> None:
    game, graph = compiled()
    tracemalloc.start()
    try:
        found = solve_exact(game, graph, boards=[index_of(game, held_but("fives", "sixes"))])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(found.values) <= 15
    assert most < game.boards().size  # a byte for every board of the game would be more


def test_a_question_in_fractions_solves_nothing_else(own_cache: Store) -> None:
    filled: Any = held_but("sixzee", "chance")
    told = rollwise.ask("sixzee", exact=True, filled=filled, roll=(3, 3, 3, 3, 5, 6), rolls_left=1)
    assert told.best == ["keep 3 3 3 3"]
    assert not own_cache.root.exists()
    for move in told.moves:
        assert move.exact is not None
        assert move.lower <= Fraction(move.exact) <= move.upper
    # with one box open nothing is left to chance but the dice, and these lie: four bonuses, and one more sixzee
    last: Any = held_but("chance")
    assert rollwise.ask("sixzee", exact=True, filled=last, roll=(6, 6, 6, 6, 6, 6), rolls_left=0).exact == str(
        sum(last.values()) + 30 * 4 + 36 + 100
    )


# --- one turn of boards with 1 to 17 open boxes -----------------------------------------------------------------------


def made_up(boards: Numbers) -> Numbers:
    """A worth for each board, 0 to 100, as if at random."""
    mixed = (np.asarray(boards, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(40)).astype(np.float64) * (100 / 2**24)


def plain_of(game: Sixzee, rules: Rules) -> Plain:
    """One turn, after which a sheet is worth what is made up for its board."""
    return Plain(**rules, rest=lambda sheet: float(made_up(np.array([index_of(game, sheet)]))[0]))


@every_rule
def test_one_turn_is_worth_what_plain_play_finds_move_by_move(rules: Rules) -> None:
    game, graph = compiled(**rules)
    plain, draw, every = plain_of(game, rules), random.Random(6), every_keep(6)
    for n_open in range(1, 18):
        sheet = random_sheet(draw, n_open)
        turn = OneTurn(game, graph, game.board(sheet), lambda boards: (made_up(boards), np.zeros(len(boards))))
        stages = plain.stages(sheet)
        assert turn.root[1] - 1e-11 < every.first(stages[2]) < turn.root[2] + 1e-11
        assert turn.root[2] - turn.root[1] < 1e-10
        in_box = {f"score {box}": plain.box_worth(sheet, box) for box in plain.open(sheet)}
        for left in range(3):
            roll = draw.choice(every.throws) if draw.random() < 0.6 else (draw.randint(1, 6),) * 6
            wanted = {name: worth[every.throw[roll]] for name, worth in in_box.items()}
            if left:
                kept = every.kept(stages[left - 1])
                names = {keep: "keep " + (" ".join(map(str, keep)) or "nothing") for keep in parts(roll)}
                wanted |= {name: kept[every.keep[keep]] for keep, name in names.items() if len(keep) < 6}
            found = dict(turn.moves((left, roll, "roll")))
            assert found.keys() == wanted.keys()
            assert all(abs(found[name][0] - wanted[name]) < 1e-10 for name in wanted)
