"""The command ``odds``: single turns, of one box or of points; what it prints, and refuses, is in ``odds.txt``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.questions.odds.compute import SheetName, TurnName, games_with
from rollwise.solver.model.sheet import BoxGame
from rollwise.solver.model.turn_points import PointGame
from tests.asked import require_around

Said = Callable[..., str]
SMALL = {
    "drop-dead": "turn=14 dice=3",
    "mexico": "-p lives=1 results=6-5,- roll=6,4",
    "pig": "-p target=12 mine=3 turn=4",
    "piggy-six": "-p target=6 turn=5 mine=3",
    "sevens": "-p goal=3 --policy stop-at-8 left=2,4,6,6 rolls_left=2",
    "shut-the-box": "open=1,2,3,4,7",
    "slam": "scores=11,0",
    "ten-thousand": "-p goal=500 turn=200 dice=4",
    "thunderstorm": "dice=4",
    "zilch": "-p goal=1000 -p opening=350 --policy stop-at-350 turn=300 dice=2",
}


def test_without_a_box_there_is_a_line_for_each_aim_of_each_box(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = said("odds yahtzee").split("\n\n")[1].splitlines()  # on 80 columns there is no room for the fractions
    assert narrow[0].split("  ")[-1].strip() == "3 rolls"
    monkeypatch.setenv("COLUMNS", "100")
    table = said("odds yahtzee").split("\n\n")[1].splitlines()
    assert len(table) == 1 + 6 * (5 + 1) + 7 * 2
    assert table[0].split("  ")[-1].strip() == "exactly, 3 rolls"
    assert table[-3].split()[-1] == "8697425/3779136"  # 50 points for 347897/7558272 yahtzees


def test_the_games_of_each_kind_are_those_that_types_name() -> None:
    assert sorted(get_args(TurnName)) == sorted(games_with(PointGame)) == sorted(SMALL)
    assert sorted(get_args(SheetName)) == sorted(games_with(BoxGame))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough if name == "zilch" else ()) for name in SMALL]
)
def test_json_has_the_four_parts_of_what_python_finds_and_it_fits_on_a_screen(
    name: str, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = SMALL[name].split()
    params = dict(word.split("=") for before, word in pairwise(words) if before == "-p")
    policy = next((word for before, word in pairwise(words) if before == "--policy"), None)
    fields = dict(word.split("=") for word in words if "=" in word)
    state = {field: value for field, value in fields.items() if field not in params}
    found = rollwise.odds(name, params=params, policy=policy, state=state)
    assert isinstance(found, rollwise.TurnRisk)
    again = [found.again.gain, found.again.loss] if found.again else []
    assert bool(again) == (name != "thunderstorm")
    for quantity in (found.turn.points, found.turn.mean, found.turn.bust, *(row.chance for row in found.bust), *again):
        if quantity is not None:
            require_around(quantity)
    told = json.loads(said(f"odds {name} {SMALL[name]} --json"))
    assert told == json.loads(json.dumps(found.plain()))
    assert list(told) == ["game", "parameters", "state", "policy", "bust", "turn", "again"]
    turn = told["turn"]
    assert turn["unit"] == "probability"
    assert list(turn["value"]) == list(turn["lower"]) == list(turn["upper"]) == list(turn["exact"])
    assert sum(turn["value"].values()) + turn.get("tail", {"upper": 0})["upper"] == pytest.approx(1)
    for row in told["bust"]:
        assert set(row) <= {"dice", "trio", "chance"}
        assert row["chance"]["value"] == float(Fraction(row["chance"]["exact"]))
    monkeypatch.setattr(
        "rollwise.questions.odds.compute.odds", lambda *_, **__: found
    )  # it need not be found again to be shown
    _, *lines = said(f"odds {name} {SMALL[name]}").splitlines()
    assert not any(line.endswith(" ") or len(line) > 80 for line in lines)
    for begins in (
        ("Chance to bust (", "No throw is a bust: "),
        ("All points of this turn", "What this"),
        "One more throw",
    ):
        assert any(line.startswith(begins) for line in lines)


def test_the_best_play_is_the_policy_unless_another_is_named() -> None:
    def hold(state: Mapping[str, object], moves: Sequence[str]) -> str:
        return "hold" if "hold" in moves else moves[0]

    plain, best, held = (
        rollwise.odds("pig", params={"target": 10}, policy=policy, turn=4) for policy in (None, "best", hold)
    )
    assert plain.policy == "best"
    assert plain.plain() == best.plain()
    assert (held.policy, held.turn.points.exact) == ("hold", {"4": "1"})


def test_fractions_have_up_to_30_digits_and_longer_ones_their_bounds() -> None:
    points = rollwise.odds("drop-dead").turn.points
    assert points.exact is not None
    shown = {name: fraction for name, fraction in points.exact.items() if fraction is not None}
    assert 0 < len(shown) < len(points.exact)
    require_around(points)
    for name, fraction in shown.items():
        assert max(map(len, fraction.split("/"))) <= 30
        assert points.lower[name] <= Fraction(fraction) <= points.upper[name]


def test_a_table_that_export_wrote_is_a_policy(tmp_path: Path) -> None:
    params = {"target": 10}
    path, some = rollwise.export("pig", tmp_path / "pig.csv", params=params).path, tmp_path / "some.csv"
    told = rollwise.odds("pig", params=params, policy=path, mine=3, theirs=5)
    assert told.turn == rollwise.odds("pig", params=params, mine=3, theirs=5).turn
    assert told.policy == str(path)
    some.write_text("mine,theirs,turn,best_move\n3,5,2,roll\n")
    with pytest.raises(rollwise.BadInput, match=r"some\.csv has no row for mine=3 theirs=5 turn="):
        rollwise.odds("pig", params=params, policy=some, mine=3, theirs=5)


def test_dice_that_the_state_does_not_throw_tell_of_their_bust_alone() -> None:
    found = rollwise.odds("ten-thousand", params={"goal": 500}, dice=2)
    assert [row.chance.exact for row in found.bust] == ["4/9"]
    assert (found.again, found.state["dice"]) == (None, 6)


@pytest.mark.parametrize(
    ("name", "params", "fields", "gains"),
    [
        ("piggy-six", {"target": 6, "max_dice": 3, "choose": "roll"}, {}, {1: "5/2", 2: "25/6", 3: "125/24"}),
        ("shut-the-box", {}, {"open": [1, 2, 3]}, {2: "2/3"}),
    ],
)
def test_where_the_number_of_dice_is_a_choice_dice_makes_it(
    name: str, params: dict[str, object], fields: dict[str, object], gains: dict[int, str]
) -> None:
    for dice, gain in gains.items():
        found = rollwise.odds(name, params=params, dice=dice, state=fields)
        assert isinstance(found, rollwise.TurnRisk)
        assert found.again is not None
        assert (found.again.dice, found.again.gain.exact) == (dice, gain)


def test_many_points_are_told_in_a_few_lines_that_add_up(said: Said) -> None:
    out = said("odds drop-dead")
    table = out.split("\n\n")[4].splitlines()[1:]
    assert 10 < len(table) <= 18
    assert sum(float(line.split(" %")[0].split()[-1]) for line in table) == pytest.approx(100, abs=0.1)
    assert " or more " in table[-1]
    assert " 0.00 %" not in said("odds drop-dead --dice 1")  # what can happen is not shown as nothing


def test_what_a_turn_does_not_have_is_refused() -> None:
    for name, asked, told in (
        ("pig", {"boxes": "ones"}, "a turn of pig has no boxes to name"),
        ("pig", {"dice": 2}, "dice is 1 in pig, got 2"),
        ("sixzee", {"turn": 3}, "odds of sixzee are those of a turn that goes for one box"),
    ):
        with pytest.raises(rollwise.BadInput, match=told):
            rollwise.odds(name, **asked)


def test_a_rule_that_fails_or_plays_what_is_no_move_is_told_with_the_state() -> None:
    with pytest.raises(rollwise.BadInput, match="plays 'jump' at mine=0 theirs=0 turn=4, which is none of the moves; "):
        rollwise.odds("pig", params={"target": 10}, policy=lambda state, moves: "jump", turn=4)
    with pytest.raises(rollwise.BadInput, match=r"failed at mine=0 theirs=0 turn=4: ZeroDivisionError.*line \d+"):
        rollwise.odds("pig", params={"target": 10}, policy=lambda state, moves: str(1 / 0), turn=4)


def test_rolls_is_a_field_where_a_game_has_it() -> None:
    found = rollwise.odds("sevens", policy="stop-at-8", opener="theirs", result=7, rolls=1)
    assert found.state["rolls"] == 1
    assert found == rollwise.odds("sevens", policy="stop-at-8", state={"opener": "theirs", "result": 7, "rolls": 1})


def test_a_rule_is_followed_without_a_solved_game(own_cache: Store) -> None:
    rollwise.odds("pig", policy="hold-at-20")
    rollwise.odds("slam")
    assert not own_cache.root.exists()


def test_two_sixes_cost_all_points_however_far_the_other_player_is() -> None:
    for theirs in (80, 110, 124):  # past 105 boards have no room for both scores as they are
        found = rollwise.odds("piggy-six", params={"target": 20}, mine=15, theirs=theirs, seat=1, turn=10)
        assert min(map(int, found.turn.points.value)) == -15
