"""From how many points of the turn on one stops: what is said of all totals is what each of them is answered with."""

from __future__ import annotations

from typing import Any

import pytest

import rollwise
import rollwise.questions.ask.stopping_threshold as module
from rollwise.questions.ask.data import Advice, StopFrom
from rollwise.questions.ask.text import stopping
from rollwise.solver.model.errors import StateError
from tests.solver.plain import thorough

PIG = {"target": 50}


def answers(game: str, params: dict[str, Any], state: dict[str, Any], totals: range) -> dict[int, Advice]:
    """The answer at each total that can be, at which one may stop."""
    found = {}
    for total in totals:
        try:
            found[total] = rollwise.ask(game, params=params, state={**state, "turn": total})
        except StateError:
            continue
    return {total: advice for total, advice in found.items() if len(advice.moves) > 1}


@pytest.mark.parametrize("mine", [0, *thorough((20,), (30,), (40,))])
def test_what_is_said_of_every_total_is_so_of_each(mine: int) -> None:
    each = answers("pig", PIG, {"mine": mine, "theirs": 12}, range(2, 60))
    said = each[2].stop_from
    best = {total: advice.best for total, advice in each.items()}
    if said is None:
        assert all(best[total] == ["roll"] for total in best if mine + total < PIG["target"])
    else:
        told = [total for total in best if total <= (said.to or total)]
        assert {each[total].stop_from for total in told} == {said}
        assert all((best[total] == ["hold"]) == (total >= said.turn) for total in told)
        assert said.to is None or (best[said.to + 1] == ["roll"] and each[said.to + 1].stop_from is None)


@pytest.mark.parametrize(
    ("game", "params", "state"),
    [
        # stops, throws at 1300, and stops again
        *thorough(("zilch", {"goal": 1000}, {"mine": 0, "theirs": 850, "dice": 3})),
        (
            "ten-thousand",
            {"goal": 1000, "players": 1, "objective": "turns"},
            {"mine": 450, "dice": 2},
        ),  # from 550 on the goal is made
    ],
)
def test_who_is_told_of_some_totals_and_has_another_is_not_told(
    game: str, params: dict[str, Any], state: dict[str, Any]
) -> None:
    for total, advice in answers(game, params, state, range(100, 1450, 50)).items():
        said = advice.stop_from
        if said:
            assert (advice.best == ["stop"]) == (total >= said.turn)
            assert total <= (said.to or total)


def test_points_that_no_turn_has_take_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Any] = []
    node = module._node

    def noted(*asked: Any) -> int | None:
        looked_at.append(asked)
        return node(*asked)

    monkeypatch.setattr(module, "_node", noted)
    assert rollwise.ask("pig", params=PIG, state={"turn": 10**9}).stop_from is None
    assert 0 < len(looked_at) < 200
    alone = {"goal": 1000, "players": 1, "objective": "turns"}  # whatever is enough is one state
    rollwise.ask("zilch", params=alone, state={"roll": [1, 2, 3, 4, 5, 6]})
    assert len(looked_at) < 400


def test_right_after_dice_are_kept_the_number_is_that_of_the_dice_that_are_left() -> None:
    rules = {"goal": 1000, "players": 1}
    kept = rollwise.ask("ten-thousand", params=rules, state={"turn": 300, "roll": [1, 5, 3]})
    assert kept.stop_from is not None
    assert kept.stop_from.after == kept.best[0]
    after = rollwise.outcomes("ten-thousand", kept.best[0], params=rules, state=kept.state).rows[0].state
    there = rollwise.ask("ten-thousand", params=rules, state=after)
    assert there.stop_from == StopFrom(kept.stop_from.move, kept.stop_from.turn, kept.stop_from.to)


def test_it_is_said_in_a_sentence_and_where_there_is_nothing_to_stop_nothing() -> None:
    assert stopping(rollwise.ask("pig", params=PIG, state={"mine": 0})) == "Hold from 21 to 45 here."
    assert rollwise.ask("shut-the-box", roll=[5, 3]).stop_from is None
