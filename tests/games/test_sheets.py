"""Boxes that earn a bonus together: sheets share a state exactly where nothing that follows can tell them apart."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import product

import pytest

from rollwise.games.sheets import BonusBoxes, number_boxes
from rollwise.games.sixzee.rules import Sixzee
from rollwise.solver.model.errors import ModelError

Sheet = Mapping[str, int]
SEEDS = range(12)


def every_sheet(boxes: BonusBoxes, held: Sheet | None = None) -> Iterator[dict[str, int]]:
    """All ways to fill some of the boxes; those that are held are filled in each of them."""
    kept = held or {}
    ways = [
        (kept[box],) if box in kept else (None, *scores) for box, scores in zip(boxes.boxes, boxes.scores, strict=True)
    ]
    for chosen in product(*ways):
        yield {box: score for box, score in zip(boxes.boxes, chosen, strict=True) if score is not None}


def future(boxes: BonusBoxes, sheet: Sheet) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """All that the rest of a game can see of a sheet: boxes still open, and which scores in them all earn the bonus."""
    still_open = [box for box in boxes.boxes if box not in sheet]
    ways = product(*(boxes.scores[boxes.boxes.index(box)] for box in still_open))
    held = sum(sheet.values())
    return tuple(still_open), tuple(held < boxes.enough <= held + sum(scores) for scores in ways)


def some_boxes(seed: int) -> tuple[BonusBoxes, dict[str, int]]:
    """Random boxes with random scores, and what some of them hold from the start."""
    draw = random.Random(seed)
    names = tuple("abcd"[: draw.randint(1, 4)])
    scores = [(0, *sorted(draw.sample(range(1, 12), draw.randint(1, 3)))) for _ in names]
    held = {name: draw.choice(of_box) for name, of_box in zip(names, scores, strict=True) if draw.random() < 0.2}
    return BonusBoxes(names, scores, draw.randint(1, 25), held), held


# --- any boxes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_sheets_share_a_state_if_and_only_if_they_have_the_same_future(seed: int) -> None:
    boxes, held = some_boxes(seed)
    pairs = {(boxes.state(sheet), future(boxes, sheet)) for sheet in every_sheet(boxes, held)}
    assert len(pairs) == len({state for state, _ in pairs}) == len({seen for _, seen in pairs}) == boxes.size
    assert [boxes.state(sheet) for sheet in boxes.sheets] == list(range(boxes.size))  # each names a sheet that is in it
    assert boxes.sheets[0] == held
    assert all(held.items() <= sheet.items() for sheet in boxes.sheets)


@pytest.mark.parametrize("seed", SEEDS)
def test_filling_a_box_leads_to_the_state_of_the_longer_sheet_and_earns_the_bonus_with_it(seed: int) -> None:
    boxes, held = some_boxes(seed)
    for sheet in every_sheet(boxes, held):
        state = boxes.state(sheet)
        assert boxes.filled[state] == sum(1 << boxes.boxes.index(box) for box in sheet)
        for number, (box, scores) in enumerate(zip(boxes.boxes, boxes.scores, strict=True)):
            for place, score in enumerate(scores):
                longer = {**sheet, box: score}
                wanted = (-1, False)
                if box not in sheet:
                    wanted = (boxes.state(longer), boxes.earned(longer) and not boxes.earned(sheet))
                assert (boxes.after[state, number, place], boxes.earns[state, number, place]) == wanted


def test_scores_that_a_box_does_not_have_lead_nowhere_and_boxes_can_hold_0() -> None:
    uneven = BonusBoxes(("one", "three"), [(0, 1), (0, 1, 2, 3)], enough=2)
    assert (uneven.after[0, 0, 2:] == -1).all()
    assert (uneven.after[0, 1] >= 0).all()
    assert uneven.state({"one": 1, "two": 50}) == uneven.state({"one": 1})
    assert not uneven.earned({"one": 1, "two": 50})
    # One of two such boxes could earn a bonus at once that is wanted, rounded up, of both.
    with pytest.raises(ModelError, match="'b' must be able to hold 0 and nothing less, got"):
        BonusBoxes(("a", "b"), [(0, 1), (1, 2)], enough=1)
    with pytest.raises(ModelError, match="'a' must be able to hold 0 and nothing less, got"):
        BonusBoxes(("a",), [(-1, 0)], enough=1)


# --- the number boxes of Sixzee: all 262,144 sheets -------------------------------------------------------------------

SIX = number_boxes(6, 84)


def test_totals_that_can_no_longer_reach_84_share_a_state_and_trios_have_14() -> None:
    lost = {"sixes": 0, "fives": 0, "fours": 0}
    most = {"sixes": 36, "fives": 30, "fours": 24}
    assert SIX.state(lost) == SIX.state({**lost, "fours": 24}) == SIX.state(most)
    assert SIX.state(lost) != SIX.state({"sixes": 24, "fives": 20, "fours": 16})
    # None filled; one, with points or 0; two, likewise; all.
    assert TRIO.size == 1 + 3 * 2 + 3 * 2 + 1 == 14
    assert TRIO.state({"a": 0, "b": 1}) == TRIO.state({"a": 1, "b": 0}) == TRIO.state({"a": 0, "b": 0})
    assert TRIO.state({"a": 0, "b": 1}) != TRIO.state({"a": 1, "b": 1})
    groups = Sixzee().groups
    assert [groups[field].size for field in ("numbers", "kinds", "shapes", "straights")] == [1774, 14, 14, 14]
    for field in ("kinds", "shapes", "straights"):
        assert (groups[field].after == TRIO.after).all()
        assert (groups[field].earns == TRIO.earns).all()


# --- three boxes that must all hold points ----------------------------------------------------------------------------

TRIO = BonusBoxes(("a", "b", "c"), [(0, 1)] * 3, enough=3)
