"""The command ``odds`` about games with a turn."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.solver.game.points import PointGame
from rollwise.solver.game.sheet import BoxGame
from rollwise.turn_odds import SheetName, TurnName, games_with
from tests.cli.test_turn_odds import HEAVY
from tests.questions import require_around

Run = Callable[..., tuple[int, str, str]]
SMALL = {
    "drop-dead": "turn=14 dice=3",
    "mexico": "-p lives=1 results=6-5,- roll=6,4",
    "pig": "-p target=12 mine=3 turn=4",
    "piggy-six": "-p target=6 turn=5 mine=3",
    "sevens": "-p goal=3 left=2,4,6,6 rolls_left=2",
    "shut-the-box": "open=1,2,3,4,7",
    "slam": "scores=11,0",
    "ten-thousand": "-p goal=500 turn=200 dice=4",
    "thunderstorm": "dice=4",
    "zilch": "--policy stop-at-350 turn=1000 dice=2",
}
small = pytest.mark.parametrize("name", list(SMALL))


def hold(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Hold whenever that is allowed."""
    return "hold" if "hold" in moves else moves[0]


# --- what is told ----------------------------------------------------------------------------------------------------


def test_the_games_of_each_kind_are_those_that_types_name() -> None:
    assert sorted(get_args(TurnName)) == sorted(games_with(PointGame)) == sorted(SMALL)
    assert sorted(get_args(SheetName)) == sorted(games_with(BoxGame))


@small
def test_json_has_the_four_parts_the_same_when_asked_again(name: str, run: Run) -> None:
    words = ("odds", name, *SMALL[name].split(), "--json")
    code, out, _ = run(*words)
    assert code == 0
    told = json.loads(out)
    assert list(told) == ["game", "parameters", "state", "policy", "bust", "turn", "again"]
    assert told["game"] == name
    assert run(*words)[:2] == (0, out)
    turn = told["turn"]
    assert turn["unit"] == "probability"
    assert list(turn["value"]) == list(turn["lower"]) == list(turn["upper"]) == list(turn["exact"])
    assert sum(turn["value"].values()) + turn.get("tail", {"upper": 0})["upper"] == pytest.approx(1)
    for row in told["bust"]:
        assert set(row) <= {"dice", "trio", "chance"}
        assert row["chance"]["value"] == float(Fraction(row["chance"]["exact"]))


@small
def test_every_number_lies_in_its_bounds(name: str) -> None:
    words = SMALL[name].split()
    params = dict(word.split("=") for before, word in pairwise(words) if before == "-p")
    policy = "stop-at-350" if name == "zilch" else None
    fields = {field: value for field, _, value in (word.partition("=") for word in words) if value} | params
    state = {field: value for field, value in fields.items() if field not in params}
    found = rollwise.odds(name, params, policy=policy, state=state)
    assert isinstance(found, rollwise.TurnRisk)
    for row in found.bust:
        require_around(row.chance)
    for quantity in (found.turn.points, found.turn.mean, found.turn.bust):
        if quantity is not None:
            require_around(quantity)
    assert (found.again is None) == (name == "thunderstorm")
    if found.again is not None:
        require_around(found.again.gain)
        require_around(found.again.loss)


def test_pig_at_18() -> None:
    found = rollwise.odds("pig", {"target": 100}, policy="hold-at-20", turn=18)
    assert [(row.dice, row.trio, row.chance.exact) for row in found.bust] == [(1, None, "1/6")]
    assert found.turn.points.exact == {total: "1/6" for total in ("0", "20", "21", "22", "23", "24")}
    assert found.again is not None
    assert (found.again.gain.exact, found.again.loss.exact, found.again.gain.unit) == ("10/3", "3", "points")
    assert (found.policy, found.state) == ("hold-at-20", {"mine": 0, "theirs": 0, "turn": 18})


def test_the_best_play_is_the_policy_unless_another_is_named() -> None:
    plain = rollwise.odds("pig", {"target": 10}, turn=4)
    assert plain.policy == "best"
    assert plain.plain() == rollwise.odds("pig", {"target": 10}, policy="best", turn=4).plain()
    held = rollwise.odds("pig", {"target": 10}, policy=hold, turn=4)
    assert (held.policy, held.turn.points.exact) == ("hold", {"4": "1"})


def test_zilch_tells_busts_beside_each_trio() -> None:
    found = rollwise.odds("zilch", policy="stop-at-500", turn=1000, dice=2)
    by_trio = {row.trio: row.chance.exact for row in found.bust}
    assert by_trio == {None: "4/9", 1: "4/9", 2: "1/4", 3: "1/4", 4: "1/4", 5: "4/9", 6: "1/4"}
    assert {row.dice for row in found.bust} == {2}


def test_fractions_have_up_to_30_digits_and_longer_ones_their_bounds() -> None:
    found = rollwise.odds("drop-dead")
    exact = found.turn.points.exact
    shown = {name: fraction for name, fraction in exact.items() if fraction is not None}
    assert 0 < len(shown) < len(exact)
    for name, fraction in exact.items():
        lower, value, upper = (getattr(found.turn.points, each)[name] for each in ("lower", "value", "upper"))
        assert lower <= value <= upper
        if fraction is not None:
            assert max(map(len, fraction.split("/"))) <= 30
            assert lower <= Fraction(fraction) <= upper


def test_a_table_that_export_wrote_is_a_policy(tmp_path: Path) -> None:
    params = {"target": 10}
    rollwise.export("pig", tmp_path / "pig.csv", params)
    told = rollwise.odds("pig", params, policy=tmp_path / "pig.csv", mine=3, theirs=5)
    best = rollwise.odds("pig", params, mine=3, theirs=5)
    assert told.turn == best.turn
    assert told.policy == str(tmp_path / "pig.csv")
    some = tmp_path / "some.csv"
    some.write_text("mine,theirs,turn,best_move\n3,5,2,roll\n")
    with pytest.raises(rollwise.BadInput, match=r"some\.csv has no row for mine=3 theirs=5 turn="):
        rollwise.odds("pig", params, policy=some, mine=3, theirs=5)


def test_a_rule_in_a_file_is_a_policy(tmp_path: Path, run: Run) -> None:
    (tmp_path / "mine.py").write_text(
        "def last(state, moves):\n    return moves[-1] if state['turn'] < 3 else moves[0]\n"
    )
    code, out, _ = run("odds", "pig", "-p", "target=10", "--policy", f"{tmp_path / 'mine.py'}:last", "--json")
    told = json.loads(out)
    assert (code, told["policy"]) == (0, f"{tmp_path / 'mine.py'}:last")
    assert told["turn"]["exact"] == {
        "0": "7/36",
        "3": "1/6",
        "4": "7/36",
        "5": "7/36",
        "6": "7/36",
        "7": "1/36",
        "8": "1/36",
    }


# --- dice in hand ----------------------------------------------------------------------------------------------------


def test_dice_in_hand_are_those_of_the_state() -> None:
    option = rollwise.odds("ten-thousand", {"goal": 500}, turn=200, dice=4)
    field = rollwise.odds("ten-thousand", {"goal": 500}, state={"turn": 200, "dice": 4})
    assert (option.state, option.turn, option.again) == (field.state, field.turn, field.again)
    assert [row.dice for row in option.bust] == [4]
    assert [row.dice for row in field.bust] == [1, 2, 3, 4, 5, 6]


def test_dice_that_the_state_does_not_throw_tell_of_their_bust_alone() -> None:
    found = rollwise.odds("ten-thousand", {"goal": 500}, dice=2)
    assert [row.chance.exact for row in found.bust] == ["4/9"]
    assert found.again is None
    assert found.state["dice"] == 6


def test_where_the_number_of_dice_is_a_choice_dice_makes_it() -> None:
    params = {"target": 6, "max_dice": 3, "choose": "roll"}
    for dice, gain in ((1, "5/2"), (2, "25/6"), (3, "125/24")):
        found = rollwise.odds("piggy-six", params, dice=dice)
        assert found.again is not None
        assert (found.again.dice, found.again.gain.exact) == (dice, gain)
    found = rollwise.odds("shut-the-box", open=[1, 2, 3], dice=2)
    assert found.again is not None
    assert (found.again.dice, found.again.gain.exact) == (2, "2/3")


# --- as people read it -----------------------------------------------------------------------------------------------


@small
def test_every_answer_fits_on_a_screen_of_80_columns(name: str, run: Run) -> None:
    code, out, _ = run("odds", name, *SMALL[name].split())
    assert code == 0
    _, *lines = out.splitlines()
    assert not any(line.endswith(" ") for line in lines)
    assert max(len(line) for line in lines) <= 80
    assert any(line.startswith(("Chance to bust (", "No throw is a bust: ")) for line in lines)
    assert any(line.startswith(("All points of this turn", "What this turn comes to")) for line in lines)
    assert any(line.startswith("One more throw") for line in lines)


def test_many_points_are_told_in_a_few_lines_that_add_up(run: Run) -> None:
    _, out, _ = run("odds", "drop-dead")
    table = out.split("\n\n")[4].splitlines()[1:]
    assert 10 < len(table) <= 18
    assert sum(float(line.split(" %")[0].split()[-1]) for line in table) == pytest.approx(100, abs=0.1)
    assert " or more " in table[-1]


def test_what_can_happen_is_never_shown_as_nothing_or_as_certain(run: Run) -> None:
    _, out, _ = run("odds", "drop-dead", "--dice", "1")
    assert " 0.00 %" not in out
    assert "100.00 %" in out  # that there are points or none is certain


def test_a_turn_that_ends_here_is_one_line(run: Run) -> None:
    _, out, _ = run("odds", "pig", "-p", "target=10", "mine=5", "turn=5")
    assert "All points of this turn, played best: 5, for certain\n" in out


def test_help_names_both_sorts_of_games(run: Run) -> None:
    _, out, _ = run("odds", "--help")
    assert "busts" in out
    assert "score sheets" in " ".join(out.split())


# --- what cannot be --------------------------------------------------------------------------------------------------

BAD = [
    ("odds pig --dice 2", "dice is 1 in pig, got 2"),
    ("odds zilch --dice 7 --policy stop-at-350", "dice is 1, 2, 3, 4, 5 or 6 in zilch, got 7"),
    ("odds zilch turn=1000 dice=3 --dice 2 --policy stop-at-350", "dice is said twice, as 3 and as 2"),
    ("odds zilch turn=50 --dice 2 --policy stop-at-350", "turn=50 is impossible with 2 dice to throw"),
    ("odds sevens -p goal=1 --dice 2", "no throw at Sevens can follow here, so leave dice out"),
    ("odds slam --policy best", "nobody chooses at Slam, so there is no policy to name"),
    ("odds pig --policy hold", "'pig' has no policy 'hold'"),
    ("odds pig --rolls 2", "a turn of pig has no numbers of rolls to choose"),
    ("odds pig turn=1 --policy hold-at-20", "turn=1"),
    ("odds pig their=3", "pig has no field 'their' (did you mean 'theirs'?)"),
    ("odds pig ones", "name=value"),
    ("odds yahtzee --policy best", "odds of yahtzee are those of a turn that goes for one box"),
    ("odds yahtzee --dice 3", "odds of yahtzee are those of a turn that goes for one box"),
    ("odds bouncer", "there are no odds of a turn of bouncer; games that have them: drop-dead, mexico, pig, "),
]


@pytest.mark.parametrize(("words", "told"), BAD, ids=[words for words, _ in BAD])
def test_bad_input_gets_exit_code_2_and_says_why(words: str, told: str, run: Run) -> None:
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") <= 2


def test_boxes_are_refused_where_there_are_none() -> None:
    with pytest.raises(rollwise.BadInput, match="a turn of pig has no boxes to name"):
        rollwise.odds("pig", boxes="ones")
    with pytest.raises(rollwise.BadInput, match="odds of sixzee are those of a turn that goes for one box"):
        rollwise.odds("sixzee", turn=3)


def test_a_rule_that_fails_or_plays_what_is_no_move_is_told_with_the_state() -> None:
    with pytest.raises(rollwise.BadInput, match="plays 'jump' at mine=0 theirs=0 turn=4, which is none of the moves; "):
        rollwise.odds("pig", {"target": 10}, policy=lambda state, moves: "jump", turn=4)
    with pytest.raises(rollwise.BadInput, match=r"failed at mine=0 theirs=0 turn=4: ZeroDivisionError.*line \d+"):
        rollwise.odds("pig", {"target": 10}, policy=lambda state, moves: str(1 / 0), turn=4)


def test_rolls_is_a_field_where_a_game_has_it() -> None:
    found = rollwise.odds("sevens", policy="stop-at-8", opener="theirs", result=7, rolls=1)
    assert found.state["rolls"] == 1
    assert found == rollwise.odds("sevens", policy="stop-at-8", state={"opener": "theirs", "result": 7, "rolls": 1})


def test_a_turn_of_which_nothing_is_followed_is_told_as_so_many_or_more(run: Run) -> None:
    code, out, _ = run("odds", "zilch", "--policy", "stop-at-500", "turn=1000000", "dice=2")
    assert code == 0
    assert "or more  100.00 %  100.00 %" in out


# --- what it loads ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_cache")
def test_from_the_cache_it_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "sys.argv = ['rollwise', 'odds', 'pig', '-p', 'target=10', 'turn=4']\n"
        "from rollwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    for _ in range(2):  # the first run solves
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not set(ast.literal_eval(done.stdout.splitlines()[-1])) & HEAVY


def test_a_rule_is_followed_without_a_solved_game(own_cache: Store) -> None:
    rollwise.odds("pig", policy="hold-at-20")
    rollwise.odds("slam")
    assert not own_cache.root.exists()


@pytest.mark.parametrize("theirs", [80, 110, 124])  # past 105 boards have no room for both scores as they are
def test_two_sixes_cost_all_points_however_far_the_other_player_is(theirs: int, own_cache: Path) -> None:
    found = rollwise.odds("piggy-six", {"target": 20}, mine=15, theirs=theirs, seat=1, turn=10)
    assert min(map(int, found.turn.points.value)) == -15
