"""Yahtzees and sixzees after the first: what they pay is a line of the sheet, ``yahtzee_bonus``, wherever one is."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise import BadInput, Match
from rollwise.games.sixzee import Sixzee
from rollwise.games.yahtzee import Yahtzee
from rollwise.solver.game.model import TurnGame

REACH = {"objective": "reach"}
SHEET = dict.fromkeys(["three of a kind", "four of a kind", "full house", "small straight", "large straight"], 0)
SHEET |= {"ones": 4, "twos": 8, "threes": 9, "fours": 12, "sixes": 12, "yahtzee": 50, "chance": 30}  # fives are open
SHOWN, TOTAL = 125, 225  # and chance can hold a yahtzee: a hundred


@pytest.mark.parametrize(
    ("game", "dice", "further"),
    [
        (Yahtzee(boxes="fives,yahtzee,chance"), 5, 100),
        (Sixzee(boxes="fives,sixzee,chance", sixzee_bonus=40), 6, 40),
        (Sixzee(boxes="fives,sixzee,chance", sixzee_bonus=0), 6, 0),
    ],
    ids=str,
)
def test_the_sum_is_right_to_the_end_step_by_step_and_in_records_old_and_new(
    game: Any, dice: int, further: int, play: Callable[[TurnGame], str]
) -> None:
    match = Match(play(game), seed=1)
    while not match.over:
        if match.waiting:
            match.throw([5] * dice)
            continue
        state, move = match.state, match.moves[0]
        (row, *others) = rollwise.outcomes(game.name, move.move, state=state).rows
        assert all(each.gained == 0 for each in (row, *others) if each.state)
        if row.state and not others:
            assert rollwise.ask(game.name, state=row.state).value == pytest.approx(move.value)
        match.play(move.move)
    total = dice * 10 + 2 * dice * 5 + 2 * further
    assert match.result == [total]
    old, paid = [], 0
    for line in match.record():
        now = (line.get("state") or {}).pop("yahtzee_bonus", paid)  # as records were before the field
        more, paid = now - paid, now
        if more:
            next(one for one in reversed(old) if "choice" in one)["gained"] = more
        old.append(line | {name: line[name] - paid for name in ("value", "before", "after") if name in line})
    assert any("gained" in line for line in old) == (further > 0)
    cut = [old[0] | {"next": {"state": old[-2]["state"], "seat": 0}}, *old[1:-2]]
    again = Match.of(cut)
    again.play(match.record()[-2]["choice"])
    assert again.result == [total]
    for record in (match, old, again):
        told = rollwise.review(record)
        assert (told.seats[0].result, told.notes) == (total, [])


@pytest.mark.parametrize("params", [{}, REACH, {"objective": "beat"}, {"players": 2}], ids=str)
@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"yahtzee_bonus": 150}, "a multiple of 100"),
        ({"yahtzee_bonus": 200}, "yahtzee_bonus=200 cannot be: .* while yahtzee holds 50, here 0, 100"),
        ({"yahtzee_bonus": 100, "filled": {**SHEET, "yahtzee": 0}}, "yahtzee_bonus=100 cannot be: .* here 0"),
        ({"yahtzee_bonus": 100, "mine": SHOWN}, "mine=125 and yahtzee_bonus=100 do not agree"),
    ],
    ids=str,
)
def test_what_no_play_can_have_earned_is_refused(params: dict[str, Any], said: dict[str, Any], wrong: str) -> None:
    others = {"objective": {"theirs": 190}, "players": {"theirs_filled": {**SHEET, "yahtzee": 0}}}
    state = {"filled": SHEET, **others.get("" if params == REACH else next(iter(params), ""), {}), **said}
    with pytest.raises(BadInput, match=wrong if params or "mine" not in said else "no field 'mine'"):
        rollwise.ask("yahtzee", params=params, state=state)


def test_a_target_others_and_two_count_it_like_points_that_are_said() -> None:
    def value(params: dict[str, Any], **said: Any) -> float | None:
        return rollwise.ask("yahtzee", params=params, filled=SHEET, **said).value

    assert value({}, yahtzee_bonus=100) == pytest.approx((value({}) or 0) + 100)
    assert (
        value(REACH, target=250, yahtzee_bonus=100)
        == value(REACH, target=250, mine=TOTAL)
        > value(REACH, target=250, mine=SHOWN)
    )
    told = rollwise.forecast("yahtzee", filled=SHEET, yahtzee_bonus=100, at_least=[TOTAL, 250]).quantities
    assert (told["at_least"].value["225"], told["lines"].value["yahtzee bonus"] > 100) == (1, True)
    best = told["best_at_least"].value["250"]
    assert best == pytest.approx(value(REACH, target=250, yahtzee_bonus=100))
    beat, two = {"objective": "beat"}, {"players": 2}
    names = {"points:225": TOTAL, "yahtzee_bonus:100": 100}
    sheets = [",".join(f"{box}:{score}" for box, score in SHEET.items()) + f",{name}" for name in names]
    mean = [value(beat, yahtzee_bonus=100, theirs_filled=sheet) for sheet in sheets]
    assert mean[0] == mean[1]
    both = {"theirs_filled": SHEET, "yahtzee_bonus": 100}
    pair = [value(two, **both, theirs=TOTAL), value(two, **both, theirs_yahtzee_bonus=100)]
    assert pair[0] == pair[1]
    (row,) = rollwise.outcomes(
        "yahtzee", "score fives", params=two, filled=SHEET, **both, theirs_yahtzee_bonus=0, roll=[5] * 5, rolls_left=0
    ).rows
    assert row.state is not None
    assert (row.state["yahtzee_bonus"], row.state["theirs_yahtzee_bonus"]) == (0, 200)


def test_tables_have_it_and_those_without_are_read(tmp_path: Path) -> None:
    table, old = tmp_path / "one.csv", tmp_path / "old.csv"
    rollwise.export("yahtzee", table, filled=SHEET)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert {row["yahtzee_bonus"] for row in rows} == {"0"}
    with old.open("w", newline="") as file:
        writer = csv.DictWriter(file, [name for name in rows[0] if name != "yahtzee_bonus"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    (tmp_path / "old.csv.meta.json").write_text((tmp_path / "one.csv.meta.json").read_text())
    state = {"filled": SHEET, "yahtzee_bonus": 100, "roll": [5, 5, 1, 2, 3], "rolls_left": 1}
    for each in (table, old):
        assert rollwise.best(each, state=state)["value"] == pytest.approx(rollwise.ask("yahtzee", state=state).value)
        assert rollwise.compare("yahtzee", each, state={"filled": SHEET}, slice=True).cost[0] == pytest.approx(
            0, abs=1e-9
        )
