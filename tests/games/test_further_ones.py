"""Yahtzees and sixzees after the first: what they pay is a line of the sheet, ``yahtzee_bonus``, wherever one is."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise import BadInput, Match
from rollwise.games.sixzee.rules import Sixzee
from rollwise.games.yahtzee.rules import Yahtzee, YahtzeeReach
from rollwise.solver.model.game import TurnGame
from tests.games.helping import thorough

Play = Callable[[TurnGame], str]
REACH, BEAT, TWO = {"objective": "reach"}, {"objective": "beat"}, {"players": 2}
SHEET = dict.fromkeys(["three of a kind", "four of a kind", "full house", "small straight", "large straight"], 0)
SHEET |= {"ones": 4, "twos": 8, "threes": 9, "fours": 12, "sixes": 12, "yahtzee": 50, "chance": 30}  # fives are open
SHOWN, TOTAL = 125, 225  # and chance can hold a yahtzee: a hundred
FIVES: dict[Any, int] = {  # what is made if nothing else falls
    Yahtzee(boxes="fives,sixes,yahtzee,chance"): 50 + 25 + 25 + 3 * 100,  # the last one is a nought in sixes
    Sixzee(boxes="fives,sixzee", sixzee_bonus=40): 60 + 30 + 40,
    Sixzee(boxes="fives,sixzee", sixzee_bonus=0): 60 + 30,
}


@pytest.mark.parametrize("game", [*list(FIVES)[:2], *thorough(*list(FIVES)[2:])], ids=str)
def test_the_sum_is_right_to_the_end_and_in_records_old_and_new(game: Any, play: Play) -> None:
    match = Match(play(game), seed=1)
    while not match.over:
        if match.waiting:
            match.throw([5] * game.n_dice)
            continue
        move = match.moves[0]
        row = match.outcomes(move.move).rows[0]
        if row.state and row.chance == 1:
            assert rollwise.ask(game.name, state=row.state).value == pytest.approx(move.value)
        match.play(move.move)
    assert match.result == [FIVES[game]]
    old, paid = list[dict[str, Any]](), 0
    for line in match.record():  # as it was before there was a field
        now = (line.get("state") or {}).pop("yahtzee_bonus", paid)
        if now > paid:
            old[-1]["gained"] = now - paid
        paid = now
        old.append(line | {name: line[name] - paid for name in ("value", "before", "after") if name in line})
    assert any("gained" in line for line in old) == isinstance(game, Yahtzee)
    again = Match.of([old[0] | {"next": {"state": old[-2]["state"], "seat": 0}}, *old[1:-2]])
    again.play(old[-2]["choice"])
    for record in (match, old, again):
        told = rollwise.review(record)
        assert (told.seats[0].result, told.notes) == (FIVES[game], [])


@pytest.mark.parametrize("params", [{}, REACH, BEAT, TWO], ids=str)
def test_what_no_play_can_have_earned_is_refused(params: dict[str, Any]) -> None:
    others: dict[Any, Any] = {"beat": {"theirs": 190}, 2: {"theirs_filled": SHEET, "theirs": TOTAL}}
    state = {"filled": SHEET, **others.get(next(iter(params.values()), ""), {})}
    for wrong, bonus, said in (
        ("a multiple of 100, got 150", 150, {}),
        ("=200 cannot be: .* while yahtzee holds 50, here 0, 100", 200, {}),
        ("=100 cannot be: .* here 0", 100, {"filled": {**SHEET, "yahtzee": 0}}),
        ("mine=125 and yahtzee_bonus=100 do not agree" if params else "no field", 100, {"mine": SHOWN}),
    ):
        with pytest.raises(BadInput, match=wrong):
            rollwise.ask("yahtzee", params=params, state=state | {"yahtzee_bonus": bonus} | said)


def test_a_target_others_and_two_count_it_like_points_that_are_said() -> None:
    def value(params: dict[str, Any], **said: Any) -> float:
        return rollwise.ask("yahtzee", params=params, filled=SHEET, **said).value or 0.0

    assert value(REACH, target=245, yahtzee_bonus=100) == value(REACH, target=245, mine=TOTAL) > 0.1
    told = rollwise.forecast("yahtzee", filled=SHEET, yahtzee_bonus=100, at_least=245).quantities
    assert told["best_at_least"].value["245"] == pytest.approx(value(REACH, target=245, mine=TOTAL))
    sheets = [{**SHEET, "points": TOTAL}, {**SHEET, "yahtzee_bonus": 100}]
    assert value(BEAT, mine=TOTAL, theirs_filled=sheets[:1]) == value(BEAT, yahtzee_bonus=100, theirs_filled=sheets[1:])
    two = [value(TWO, theirs_filled=SHEET, mine=TOTAL, theirs_yahtzee_bonus=100)]
    assert two == [value(TWO, theirs_filled=SHEET, yahtzee_bonus=100, theirs=TOTAL)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "suffix"), [(YahtzeeReach, "csv"), *thorough((Yahtzee, "csv"), (YahtzeeReach, "parquet"))]
)
def test_tables_have_it_and_those_without_are_read(game: Any, suffix: str, tmp_path: Path, play: Play) -> None:
    name, is_mean = play(game(boxes="fives,yahtzee,chance")), game is Yahtzee
    sheet: dict[str, Any] = {"filled": {"yahtzee": 50, "chance": 30}} | ({} if is_mean else {"target": 195})
    sheets = [sheet | said for said in ({"yahtzee_bonus": 0}, {"yahtzee_bonus": 100}, {} if is_mean else {"mine": 180})]
    tables = [tmp_path / f"{number}.{suffix}" for number in range(len(sheets))]
    for table, state in zip(tables, sheets, strict=True):
        rollwise.export(name, table, state=state)
    if suffix == "csv":  # the last as tables were before there was a field, and a file of two
        old = list(csv.reader(tables[-1].read_text().splitlines()))
        assert {row.pop(1) for row in old} == {"yahtzee_bonus", "0" if is_mean else "100"}
        with tables[-1].open("w", newline="") as file:
            csv.writer(file).writerows(old)
        both = tmp_path / "both.csv"
        both.write_text(tables[0].read_text() + tables[1].read_text().partition("\n")[2])
        tables, sheets = [*tables, both, both], [*sheets, *sheets[:2]]
    for table, state in zip(tables, sheets, strict=True):
        state |= {"roll": [5, 5, 1, 2, 3], "rolls_left": 1}
        assert rollwise.best(table, state=state)["value"] == pytest.approx(rollwise.ask(name, state=state).value)
    for table in {tables[0], tables[-1]}:
        assert rollwise.compare(name, table, slice=True).cost[0] == pytest.approx(0, abs=1e-9)
