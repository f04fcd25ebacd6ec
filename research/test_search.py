"""What the search for cards is made of: its fast costs are those of ``compare``, and it goes on where it was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise
from research import find_cards
from research.card_costs import pig_cost, piggy_six_cost
from research.card_turns import exact_cost
from rollwise.games.card_policies import hold_by_bands, make_policy


def test_the_fast_costs_of_the_search_are_those_of_compare() -> None:
    table = np.full((8, 8), 8)
    table[2:4, 4:6] = 3
    wanted = rollwise.compare("pig", hold_by_bands(table.tolist(), 1), params={"target": 8}).cost
    assert pig_cost(table, 8) == pytest.approx(wanted[0], abs=1e-9)
    wanted = rollwise.compare("piggy-six", hold_by_bands(table.tolist(), 1, [8] * 8), params={"target": 8}).cost
    assert piggy_six_cost(table, np.full(8, 8), 8)[0] == pytest.approx(wanted[0], abs=1e-7)


@pytest.mark.parametrize(
    ("game", "params"),
    [("ten-thousand", {"goal": 600}), pytest.param("zilch", {"goal": 400, "opening": 350}, marks=pytest.mark.slow)],
)
def test_the_turns_of_a_card_at_once_cost_what_compare_says(game: str, params: dict[str, Any]) -> None:
    rows = [[250, 350, 500, 600, 600, 600], [400, 400, 500, 500, 300, 300]]
    card = {"near": 150, "table": rows, "worth": [0, 50, 150, 300, 450, 600]}
    told = rollwise.compare(game, make_policy(card), params=params)
    for wanted, found in zip((told.cost, told.cost_to_best), exact_cost(game, card, params), strict=True):
        assert found.lower <= wanted[0] <= found.upper
        assert found.value == pytest.approx(wanted[0], abs=1e-6)


def test_a_search_that_was_stopped_goes_on_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path))
    asked: list[list[int]] = []

    def cost(numbers: list[int]) -> float:
        asked.append(numbers)
        if len(asked) == 12:
            raise KeyboardInterrupt
        return float((numbers[0] - 7) ** 2 + (numbers[1] - 3) ** 2)

    def others(numbers: list[int], at: int) -> list[list[int]]:
        return [list(range(numbers[at] + 1, 20)), list(range(numbers[at] - 1, -1, -1))]

    family = find_cards.Family(lambda: [[0, 0], [19, 19], [7, 0]], cost, others, lambda numbers: {})
    with pytest.raises(KeyboardInterrupt):
        find_cards.descend("toy", family)
    assert find_cards.descend("toy", family) == [7, 3]
    assert [7, 0] in asked
