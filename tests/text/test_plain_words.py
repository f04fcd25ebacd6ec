"""What a person reads: every number says what it is, in plain words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import rollwise
from rollwise import Advice, MoveAdvice
from rollwise.games.registry import REGISTRY, game
from rollwise.questions.ask.text import advice_lines
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.text.labels import QUANTITIES, VALUES, value_label
from rollwise.text.numbers import loss, percent

Said = Callable[..., str]
Play = Callable[[TurnGame], str]


@pytest.fixture
def read(said: Said, monkeypatch: pytest.MonkeyPatch) -> Said:
    """What a command says, its lines of 80 characters as one."""
    monkeypatch.setenv("COLUMNS", "80")
    return lambda words: " ".join(said(words).split())


# --- labels ----------------------------------------------------------------------------------------------------------

LABELS: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
    ("pig", {"target": 10}, {"turn": 4}, "max", "win"),
    ("shut-the-box", {}, {"roll": (5, 3)}, "min", "expected final score, low is good"),
    ("shut-the-box", {"objective": "clear"}, {"roll": (5, 3)}, "max", "every box shut"),
    ("shut-the-box", {"players": 2}, {"roll": (5, 3)}, "max", "win"),
    ("ten-thousand", {"players": 1, "goal": 500}, {}, "min", "expected turns to go, this one included, low is good"),
]


POINTS = {"players": 1, "objective": "points", "goal": 500}


@pytest.mark.parametrize(
    ("name", "params", "asked", "sense", "label"),
    [
        *LABELS,
        pytest.param("ten-thousand", POINTS, {}, "max", "expected points of this turn", marks=pytest.mark.thorough),
    ],
)
def test_a_value_and_every_move_say_what_they_are(
    name: str, params: dict[str, Any], asked: dict[str, Any], sense: str, label: str
) -> None:
    advice = rollwise.ask(name, params=params, state=asked)
    assert (advice.sense, advice.label) == (sense, label)
    told, solved = advice.plain(), rollwise.solve(name, params=params).plain_solution()
    assert (told["sense"], told["label"]) == (solved["sense"], solved["label"]) == (sense, label)
    assert [move["label"] for move in told["moves"]] == [label] * len(told["moves"])
    assert list(told)[list(told).index("label") + 1] == "value"


def test_where_nobody_chooses_sense_is_null_and_quantities_say_what_they_are(said: Said) -> None:
    for words in ("ask drop-dead", "solve drop-dead", "ask high-dice", "ask big-six"):
        told = json.loads(said(f"{words} --json"))
        assert (told["sense"], "label" in told) == (None, False), words
        assert all(quantity["label"] == QUANTITIES[name] for name, quantity in told["quantities"].items()), words


def test_every_objective_that_a_game_may_have_has_words() -> None:
    for listed in REGISTRY.values():
        made = game(listed.name)
        fields = type(made).__dataclass_fields__
        assert {made.measure, *(fields["objective"].metadata["choices"] if "objective" in fields else ())} <= {*VALUES}


def test_a_margin_is_the_final_one_where_the_difference_is_said() -> None:
    assert value_label("margin", "max", {}, {"difference": 0}) == "expected final margin, mine less theirs"
    assert value_label("margin", "max", {}, {}) == "expected margin still to come, mine less theirs"


# --- sentences -------------------------------------------------------------------------------------------------------

SAID = [  # a command, what is read there, and what is not
    ("ask shut-the-box", "You can only roll; expected final score 24.63; low is good.", "loss"),
    ("ask pig -p target=10", "You can only roll; win 70.", "loss"),
    ("ask ten-thousand -p goal=500 roll=1,5,2,3,4,6", ", then roll the other ", ""),
    ("ask ten-thousand -p goal=500 roll=1,5,2,3,4,6", "move then win interval loss", ""),
    ("ask zilch -p players=1 -p goal=500 -p opening=350 roll=1,2,3,4,5,6", "score straight roll all dice again", ""),
    ("ask pig -p target=10 mine=3 theirs=5 turn=4", "Roll again: win 84.16 % against 21.58 % for holding.", ""),
    ("ask big-six", "win", "442887063501818706733425"),
    ("ask big-six --exact", "442887063501818706733425", ""),
    ("ask drop-dead", "tie for first, split among the wins", "low is good"),
    ("ask pay-the-rent", "mean rolls until this pot is paid", ""),
    ("ask shut-the-box roll=5,3 --exact", "1083892259/51018336", ""),
    ("rules six-by-6", "Source: Six By 6, by Michael Williams", ".txt"),
    (
        "ask dice-roulette",
        "Cheapest for the player: odd or even; a chip on it wins 50.00 % of the time and brings back 1.00 on ",
        "best",
    ),
    (
        "ask dice-roulette -p pays=2:37",
        "Cheapest for the player: 2; a chip on it wins 2.78 % of the time and brings back 1.03 on average",
        "best",
    ),
    ("ask high-dice", "The bet: higher; a chip on it wins 44.44 % of the time and brings back 0.89 on average", "best"),
    ("solve shut-the-box -p players=3", "no seat wins more than", "ties"),
]


def test_a_sentence_says_what_is_wanted_and_no_more(read: Said) -> None:
    for words, told, untold in SAID:
        out = read(words)
        assert told in out, f"{words}: {out}"
        assert not untold or untold not in out, f"{words}: {out}"
        assert out.count("low is good") <= 1, words


def test_the_best_keep_says_what_it_goes_for_and_a_forecast_what_each_line_brings(read: Said, play: Play) -> None:
    name = play(game("yahtzee", {"boxes": "full house,large straight"}))  # type: ignore[arg-type]
    told = "Keep 3 3 5 5, going for full house (33 %): expected final score "
    assert told in read(f"ask {name} roll=5,5,3,3,1 rolls_left=1")
    name = play(game("yahtzee", {"boxes": "full house,chance"}))  # type: ignore[arg-type]
    assert "line points on average 0 points more than 0" in read(f"forecast {name}")


def test_equally_good_moves_are_named_as_far_as_proved() -> None:
    tie = [MoveAdvice(name, "win", 0.5, 0.4, 0.6, None, 0.0) for name in ("hold", "roll", "pass")]
    advice = Advice("pig", {}, {}, 0, "win", "probability", "max", "win", 0.5, 0.4, 0.6, None, ["hold", "roll"], tie)
    assert advice_lines(advice, "Pig")[2] == "Hold or roll: equally good, as far as proved; win 50.00 %."


# --- numbers ---------------------------------------------------------------------------------------------------------


def test_what_can_happen_is_not_0_and_what_can_fail_is_not_100() -> None:
    for places in range(7):
        for chance in (1e-15, 1e-12, 0.004, 0.5 * 10.0 ** -(places + 2) * 0.99):
            for shown in (percent(chance, places), percent(1 - chance, places)):
                number = float(shown.strip("<> %"))
                assert 0 < number < 100 or shown[0] in "<>", shown
                assert shown[0] != "<" or number > 0
                assert shown[0] != ">" or number < 100
        assert [float(percent(sure, places).strip(" %")) for sure in (0.0, 1.0)] == [0, 100]


def test_a_loss_is_not_shown_as_nothing() -> None:
    assert loss(1e-9, "points", 4) == "<0.0001"
    assert loss(1e-9, "probability", 4) == "<0.0001 pp"
    assert loss(0.0, "points", 4) == "0.0000"


# --- ties of three or more seats --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "is_unique"),
    [
        ("shut-the-box -p players=3", None),
        pytest.param("mexico -p players=3 -p lives=3", False, marks=pytest.mark.thorough),
    ],
)
def test_it_says_whether_shares_hang_on_ties_and_how_much_at_the_start_and_anywhere(
    words: str, is_unique: bool | None, said: Said
) -> None:
    for _ in range(2):  # solved, then from the cache
        told = json.loads(said(f"solve {words} --ties --json"))["unique_by_ties"]
        assert set(told) == {"unique", "difference", "anywhere"}
        assert told["unique"] is (told["anywhere"] < 1e-9)
        assert 0 <= told["difference"] <= told["anywhere"] < 1
        line = " ".join(said(f"solve {words} --ties").split())
        start, anywhere = (f"{100 * told[name]:.4f} %" for name in ("difference", "anywhere"))
        changed = f"they change a share by up to {start} at the start, by up to {anywhere} on some board"
        assert ("broken otherwise they change no share" in line, changed in line) == (
            told["unique"],
            not told["unique"],
        )
    assert is_unique is None or (told["unique"] is is_unique and 1e-5 < told["difference"] < told["anywhere"])


def test_where_ties_change_nothing_the_flag_is_refused(said: Said) -> None:
    told = "error: ties between moves matter at tables of three or more"
    for words in ("pig -p target=10", "big-six"):
        said(f"solve {words} --ties", told, f"hint: rollwise solve {words.split()[0]}", code=2)


# --- how much is listed ----------------------------------------------------------------------------------------------

MANY = "ask ten-thousand -p goal=500 roll=1,1,5,5,2,3"


def listed(out: str) -> int:
    return sum("keep" in line for line in out.splitlines() if line.startswith(("*", "   ")))


def test_as_many_moves_are_listed_as_fit() -> None:
    advice = rollwise.ask("ten-thousand", params={"goal": 500}, roll=(1, 1, 5, 5, 2, 3))
    full = advice_lines(advice, "Ten Thousand")
    assert advice_lines(advice, "Ten Thousand", height=len(full) + 1) == full
    for height in range(16, len(full) + 1):
        lines = advice_lines(advice, "Ten Thousand", height=height)
        assert len(lines) < height or listed("\n".join(lines)) == 5
        assert any("lists them all" in line for line in lines)


def test_the_games_that_can_be_forecast_are_named() -> None:
    made: list[Any] = [game(name) for name in REGISTRY]
    alone = [each for each in made if each.kind == "solo"]
    assert {each.name for each in alone if not kind_of(each).why_no_forecast(each, compile_turn(each))} == {
        each.name for each in made if each.has_final_score
    }
