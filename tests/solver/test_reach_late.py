"""Late sheets for a target: ``ask`` says of them what whole numbers do, anew."""

from __future__ import annotations

import random
from typing import Any

import pytest

import rollwise
from rollwise.games.sixzee.rules import SixzeeReach
from rollwise.games.yahtzee.rules import YahtzeeReach
from tests.solver.plain import NUMBERS, Sheet, Sheets, Sixzee, Yahtzee, filled_by_lot, thorough


def cases(quick: int, all_of_them: int) -> list[Any]:
    return [*range(quick), *thorough(*((seed,) for seed in range(quick, all_of_them)))]


def compare(name: str, plain: Sheets, n_open: int, lot: random.Random, **params: Any) -> None:
    sheet, made = filled_by_lot(plain, n_open, lot)
    target = made + lot.randint(0, 20 + 30 * n_open)
    said: dict[str, Any] = {"params": {"objective": "reach", **params}, "filled": sheet, "target": target, "mine": made}
    whole = plain.fraction(plain.chance(sheet, target - made), 3 * n_open)
    before: Any = rollwise.ask(name, **said)
    assert before.lower <= whole <= before.upper, said
    roll, left = lot.choice(plain.every.throws), lot.choice((2, 2, 1, 0))
    found = rollwise.ask(name, roll=roll, rolls_left=left, all_moves=True, **said)
    told = plain.moves(sheet, lambda after, points: plain.chance(after, target - made - points), roll, left)
    moves = {move: plain.fraction(worth, 3 * n_open - 3 + throws) for move, (worth, throws) in told.items()}
    assert {move.move for move in found.moves} == moves.keys()
    for move in found.moves:
        assert move.lower <= moves[move.move] <= move.upper, (said, roll, left, move)
    assert {*found.best} == {move for move, worth in moves.items() if worth == max(moves.values())}


@pytest.mark.parametrize("seed", cases(4, 80))
def test_a_late_sheet_of_yahtzee_is_worth_its_fraction_and_its_best_moves_are_those(seed: int) -> None:
    joker = ("forced", "free")[seed % 2]
    compare("yahtzee", Yahtzee(joker), (1, 2, 3)[seed // 2 % 3], random.Random(seed), joker=joker)


@pytest.mark.parametrize("seed", cases(1, 12))
def test_a_late_sheet_of_sixzee_is_worth_its_fraction_and_its_best_moves_are_those(seed: int) -> None:
    compare("sixzee", Sixzee(seed % 3 < 2), (1, 1, 2)[seed // 2 % 3], random.Random(seed), joker=seed % 3 < 2)


# --- points that a sheet does not show --------------------------------------------------------------------------------


def hundreds(plain: Sheets, sheet: Sheet) -> set[int]:
    """What further yahtzees can have earned on the way to a sheet, by any order of its boxes and any dice."""
    rolls = [roll for roll in plain.every.throws if len({*roll}) > 1]
    plainly = {box for box in sheet if any(plain.scored({}, box, roll) == (sheet[box], 0) for roll in rolls)}
    earned: dict[frozenset[str], set[int]] = {frozenset(): {0}}
    for n_filled in range(len(sheet)):
        for names in [names for names in earned if len(names) == n_filled]:
            before = {box: sheet[box] for box in names}
            for box in sheet.keys() - names:
                more = {0} if box in plainly else set()
                for face in range(1, 7):
                    scored = plain.scored(before, box, (face,) * plain.dice)
                    more |= {scored[1]} if scored is not None and scored[0] == sheet[box] else set()
                earned.setdefault(names | {box}, set()).update(n + m for n in earned[names] for m in more)
    return earned[frozenset(sheet)]


@pytest.mark.parametrize("seed", cases(2, 40))
def test_so_many_hundreds_may_be_hidden_as_some_play_has_earned(seed: int) -> None:
    lot, joker = random.Random(seed), ("forced", "free")[seed % 2]
    plain = Yahtzee(joker)
    sheet, _ = filled_by_lot(plain, lot.randint(2, 10), lot)
    sheet["yahtzee"] = 50
    assert {*YahtzeeReach(joker=joker).further(sheet)} == hundreds(plain, sheet), sheet


@pytest.mark.parametrize(("empty", "hidden"), [(["ones"], {0}), (["ones", "sixes"], {0, 100})])
def test_a_forced_joker_scores_nothing_only_where_a_number_box_of_its_own_is_filled(
    empty: list[str], hidden: set[int]
) -> None:
    lower = dict.fromkeys([box for box in Yahtzee.boxes if box not in NUMBERS], 0)
    sheet = {**lower, "chance": 20, "yahtzee": 50, **dict.fromkeys(empty, 0)}
    assert {*YahtzeeReach().further(sheet)} == hidden == hundreds(Yahtzee("forced"), sheet)


@pytest.mark.parametrize("seed", cases(1, 20))
def test_as_many_may_be_hidden_on_a_sheet_of_sixzee(seed: int) -> None:
    lot, joker = random.Random(seed), seed % 2 == 0
    plain = Sixzee(joker)
    sheet, _ = filled_by_lot(plain, lot.randint(8, 15), lot)
    sheet["sixzee"] = 60
    assert {*SixzeeReach(joker=joker).further(sheet)} == hundreds(plain, sheet), sheet
