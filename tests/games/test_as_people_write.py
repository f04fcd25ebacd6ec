"""Dice, lists, names and moves as people write them, and as Python has them: what is taken, and what is not."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.move_aliases import meaning
from rollwise.parsing.validate import parse_fields, parse_game, question_fields
from rollwise.policy_tables.decisions import Levels, Slice, parse_slice
from rollwise.policy_tables.row_template import ABSENT
from rollwise.solver.model.errors import BadInput, StateError
from rollwise.solver.model.fields import Faces, Numbers
from rollwise.solver.model.plain import plain
from rollwise.solver.turn.questions import question_moves
from tests.sample import few_questions
from tests.sizes import SIZES, Size, chooses

# --- dice, lists and names as people write them ----------------------------------------------------------------------


def text_alone(value: object) -> str | None:
    """The name of a case: text as it is (a set is written in another order in each process)."""
    return value if isinstance(value, str) else None


DICE: list[Any] = [
    *("13522", "1-3-5-2-2", "1,3,5,2,2", "1 3 5 2 2", "[1,3,5,2,2]", "[1, 3, 5, 2, 2]", "(1 3 5 2 2)", " 1, 3,5 ,2,2 "),
    *("1–3–5–2–2", "['1', '3', '5', '2', '2']", "{5,2,2,1,3}", 13522, np.int16(13522), (1, 3, 5, 2, 2), deque("13522")),
    *(np.array([1, 3, 5, 2, 2]), np.array([1.0, 3, 5, 2, 2]), ["1", 3, np.int8(5), 2.0, np.array(2)]),
]
NO_DICE: list[Any] = [
    *("1352", "135222", "1--3-5-2-2", "-1-3-5-2", "1,3,5,2,", "1,35,2,2", "1;3;5;2;2", "1.3.5.2.2", "0x123", "1-5"),
    *("[1,3,5,2,2", "13 522", "１３５２２", "+1,3,5,2,2", -13522, 1352.2, True, {1, 2}, [True, 3, 5, 2, 2], None),
    *({1: 3}, [[1, 3, 5, 2, 2]], b"13522", np.array([[1, 3], [5, 2]]), "none"),
]


def test_dice_are_read_as_people_write_them_and_what_is_no_roll_of_five_is_refused() -> None:
    roll = Faces("roll", "", 5, 5)
    for said in DICE:
        assert roll.parse(said) == (1, 2, 2, 3, 5), said
    for said in NO_DICE:
        with pytest.raises(rollwise.DiceError, match=r"roll needs 5 faces in 1\.\.6, got ") as refused:
            roll.parse(said)
        assert refused.value.field == "roll"


def field_of(game: str, name: str, **parameters: Any) -> Any:
    return {field.name: field for field in parse_game(game, parameters).fields()}[name]


@pytest.mark.parametrize(
    "known", [field_of("shut-the-box", "open"), field_of("big-six", "board")], ids=["open", "board"]
)
def test_ranges_are_read_where_boxes_or_spaces_are_listed(known: Any) -> None:
    low, high = known.low, known.high
    every = range(low, high + 1)
    for said in (f"{low}-{high}", f"{low} - {high}", f"[{low}-2, 3-{high}]", f"{low},2 3-{high}", every):
        assert known.parse(said) == tuple(every)
    beyond = (f"{low - 1}-{high}", f"{low}-{high + 1}", f"{high}-{low}", f"1-{10**8}")
    for said in (*beyond, "1-2-3", "-3", "3-", "1-2,2"):
        with pytest.raises(BadInput) as refused:
            known.parse(said)
        assert refused.value.field == known.name


def test_ranges_are_read_where_boxes_are_listed_and_a_list_by_seat_is_no_set() -> None:
    for field, said in (
        (Numbers("chips", "", 0, 9, 3), "1-3"),
        (field_of("shut-the-box", "holders", players=3), "0-1"),
    ):
        with pytest.raises(BadInput, match=f"{field.name} is a whole number, got '{said}'"):
            field.parse(said)
    chips = Numbers("chips", "", 0, 9, 3)
    for three in ("5,3,4", "5 3 4", "[5, 3, 4]", (5, 3, 4), np.array([5, 3, 4]), [5.0, "3", np.uint8(4)]):
        assert chips.parse(three) == (5, 3, 4)
    with pytest.raises(BadInput, match="chips is a list in order, and a set has none"):
        chips.parse({5, 3, 4})
    scores = Numbers("scores", "", 0, 9, 3, out=True)
    with_one_out: list[Any] = ["5,-,4", "5 - 4", "[5, -, 4]", [5, None, 4], (5, "-", 4)]
    for two in with_one_out:
        assert scores.parse(two) == (5, None, 4)


HOUSE = {"three of a kind": 20, "full house": 25}
CLOSED = ("ones", "full house")


@pytest.mark.parametrize(
    ("game", "said", "meant"),
    [
        ("yahtzee", {"Filled": "Full House:25, THREE-OF-A-KIND: 20"}, {"filled": HOUSE}),
        (
            "yahtzee",
            {"filled": {"Full_House": np.int64(25), "sixes": 18.0}},
            {"filled": {"sixes": 18, "full house": 25}},
        ),
        ("yahtzee", {"rolls-left": "1", "Roll": 13522}, {"rolls_left": 1, "roll": (1, 2, 2, 3, 5)}),
        ("sixzee", {"filled": "321:10,Three Pairs:0"}, {"filled": {"3-2-1": 10, "three pairs": 0}}),
        ("cameroon", {"closed": ("Full House", "ONES")}, {"closed": CLOSED}),
        ("cameroon", {"closed": {"Full House", "ONES"}, "kept": "none"}, {"closed": CLOSED, "kept": ()}),
        ("dice-roulette", {"bet": "UNDER_7"}, {"bet": "under 7"}),
        ("dice-roulette", {"bet": np.int64(7)}, {"bet": "7"}),
        ("sevens", {"opener": "Theirs", "left": "2-4"}, {"opener": "theirs", "left": (2, 4)}),
        ("mexico", {"results": "6-5,2-2"}, {"results": ("6-5", "2-2")}),
        ("421", {"results": "421 1-6-1"}, {"results": ("4-2-1", "1-1-6", None)}),
        ("421", {"results": "- 2-4-1"}, {"results": (None, "4-2-1", None)}),
        ("421", {"chips": "4 7 9", "roll": 421}, {"chips": (4, 7, 9), "roll": (1, 2, 4)}),
        ("mexico", {"results": "6-5 -"}, {"results": ("6-5", None)}),
        ("mexico", {"results": np.array([[5, 6], [2, 2]])}, {"results": ("6-5", "2-2")}),
        ("pay-the-rent", {"markers": "[4: 0, 6:2]"}, {"markers": {4: 0, 6: 2}}),
        ("high-dice", {"bank": "4-3"}, {"bank": (3, 4)}),
        ("zilch", {"must-roll": "Yes"}, {"must_roll": True}),
        ("zilch", {"must_roll": np.bool_(True)}, {"must_roll": True}),
        ("pig", {"MINE": np.uint8(43), "turn": " 18 "}, {"mine": 43, "turn": 18}),
    ],
    ids=text_alone,
)
def test_names_and_values_are_told_in_one_spelling(game: str, said: dict[str, Any], meant: dict[str, Any]) -> None:
    found = parse_fields(parse_game(game), said)
    assert repr(found) == repr(meant)  # of the same types, and boxes in the order of the sheet


PIGGY_SIX = {"target": 100, "max_dice": 2, "choose": "turn"}
THREE_DICE = {"target": 100, "players": 2, "max_dice": 3, "choose": "roll", "robots": ()}


@pytest.mark.parametrize(
    ("game", "said", "meant"),
    [
        ("Piggy Six", {"MAX-DICE": "3", "Choose": "Roll"}, THREE_DICE),
        ("piggy_six", {"robots": "[8, 14]"}, {**PIGGY_SIX, "robots": (8, 14)}),
        ("PiggySix", {"robots": np.array([8, 14])}, {**PIGGY_SIX, "robots": (8, 14)}),
        ("high dice", {"rule": "Double on 6-6"}, {"rule": "double_on_6_6"}),
        ("pig dice", {"target": np.int64(50)}, {"target": 50}),
        ("Dice Roulette", {"pays": {2: 28, 3: 14.0}}, {"pays": "2:28,3:14,9:7,assumed"}),
        ("Dice Roulette", {"pays": "9:6.5, Assumed"}, {"pays": "9:6.5,assumed"}),
        ("10,000", {"Players": "1", "Objective": "Points"}, {"goal": 10000, "players": 1, "objective": "points"}),
    ],
    ids=text_alone,
)
def test_games_and_parameters_are_told_in_one_spelling(game: str, said: dict[str, Any], meant: dict[str, Any]) -> None:
    assert parse_game(game, said).parameters() == meant


@pytest.mark.parametrize(
    ("game", "params", "fields", "told"),
    [
        ("pig", {}, {"mine": 1, "Mine": 1}, "field 'mine' is given twice"),
        ("pig", {"target": 5, "Target": 5}, {}, "parameter 'target' is given twice"),
        ("yahtzee", {}, {"filled": "full house:25,Full_House:25"}, "filled names 'full house' twice"),
        *(("pig", {}, {"mine": many}, "mine is from 0 to 99, got 1000000") for many in ("1" + "0" * 30, 10**30)),
        ("pig", {"target": 10**30}, {}, "target is from 2 to 1000, got 1000000"),
        ("yahtzee", {}, {"filled": f"ones:1{'0' * 30}"}, "ones' can hold 0 to 5, got 1000000"),
        ("bouncer", {}, {"chips": "131211"}, "chips is from 0 to 36, got 131211"),  # digits are dice in fields of dice
        ("shut-the-box", {}, {"open": "135"}, "open is from 1 to 9, got 135"),
    ],
)
def test_two_spellings_are_one_name_and_many_digits_a_number(
    game: str, params: dict[str, Any], fields: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadInput, match=told) as refused:
        parse_fields(parse_game(game, params), fields)
    assert refused.value.hint == "open=1,3,5" or "open" not in fields


def test_a_row_of_a_table_is_a_state() -> None:
    class Row:
        """As pandas has them."""

        def __init__(self, **values: Any) -> None:
            self.values = values

        def to_dict(self) -> dict[str, Any]:
            return self.values

    assert question_fields(Row(mine=np.int64(3)), {}) == {"mine": 3}
    with pytest.raises(BadInput, match="state is a mapping of field names to values"):
        question_fields(Row(**{}).to_dict, {})
    row = question_fields(Row(filled="ones:3", rolls_left=float("nan")), {})
    assert parse_fields(parse_game("yahtzee"), row) == {"filled": {"ones": 3}}


SCORES = "pig mine,pig turn,ten-thousand dice,cameroon difference,bluff theirs,yahtzee filled,mexico results"


@pytest.mark.parametrize("empty", [None, np.float32("nan"), np.ma.masked, np.datetime64("NaT", "s"), " "])
def test_an_empty_cell_leaves_out_no_score_but_dice_that_are_not_there(empty: Any) -> None:
    for game, name in map(str.split, SCORES.split(",")):
        with pytest.raises(StateError, match=f"^{name} is empty, got .*: give its value, or leave the name out"):
            parse_fields(parse_game(game), {name: empty})
    with pytest.raises(StateError, match="mine=none"):
        Slice(parse_game("pig"), parse_slice(parse_game("pig"), {"mine": empty}))
    yahtzee, sheet, dice = parse_game("yahtzee"), {"filled": {"ones": 3}}, {"roll": empty, "rolls_left": empty}
    assert parse_fields(yahtzee, {**sheet, **dice}) == sheet
    assert parse_slice(yahtzee, {**sheet, **dice}) == {**sheet, "roll": ABSENT, "rolls_left": ABSENT}
    assert parse_fields(parse_game("ten-thousand"), {"roll": "112345", "dice": empty}) == {"roll": (1, 1, 2, 3, 4, 5)}
    assert parse_fields(parse_game("shut-the-box", {"players": 2}), {"best": empty}) == {"best": None}


@pytest.mark.dev
def test_what_pandas_holds_is_taken() -> None:
    import pandas

    pig, yahtzee = parse_game("pig"), parse_game("yahtzee")
    table = pandas.DataFrame({"mine": [3, 4], "turn": [5.0, None]})
    assert parse_fields(pig, question_fields(table[["mine"]].iloc[0], {})) == {"mine": 3}
    assert parse_fields(yahtzee, {"roll": pandas.Series([1, 3, 5, 2, 2])}) == {"roll": (1, 2, 2, 3, 5)}
    assert parse_fields(yahtzee, {"roll": pandas.NA, "rolls_left": pandas.NaT}) == {}
    for value in (pandas.NA, pandas.NaT, table, pandas.Timestamp("2026-01-01"), table["turn"]):
        with pytest.raises(BadInput, match="mine"):
            parse_fields(pig, {"mine": value})


def test_numbers_of_arrays_are_taken_as_arguments() -> None:
    said: dict[str, Any] = {"boxes": np.array(["Ones", "FULL_HOUSE"]), "rolls": np.int8(1)}
    told = rollwise.odds("yahtzee", **said)
    assert told == rollwise.odds("yahtzee", boxes=["ones", "full house"], rolls=1)
    assert told == rollwise.odds("yahtzee", boxes="full house, ones", rolls=1)
    assert {row.box for row in told.odds} == {"ones", "full house"}
    assert Levels.of(np.array([3, 4])) == Levels.of("3,4") == Levels.of((3, 4))
    some = rollwise.forecast("shut-the-box", at_least=np.array([1, 40]))
    assert some.asked == (1, 40)


def test_plain_data_stays_as_it_is() -> None:
    for value in (None, True, 3, 1.5, "x", [1, [2]], {"a": [1]}, {1: 2}):
        assert plain(value) == value
        assert type(plain(value)) is type(value)


# --- moves as people say them ----------------------------------------------------------------------------------------

KEEPS = ["keep nothing", "keep 1 2 3", "keep 5 5 6", "score 3-2-1", "score chance", "score full house", "score ones"]
YAHTZEE = [*KEEPS, "keep 4", "keep 1 2 3 5", "score fours", "score four of a kind"]
COUNTED = ["keep 1 1 1 for 1000", "keep 1 1 1 for 300", "keep 1 1 for 200", "keep 1 for 100"]
SPOKEN = (Path(__file__).parent / "spoken.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("line", [line for line in SPOKEN if " | " in line and not line.startswith("#")])
def test_a_move_is_what_people_say_for_it_and_no_other(line: str) -> None:
    listed, meant, spoken = line.split(" | ")
    moves = listed.split(", ")
    for said in spoken.split(" / "):
        assert meaning(said, moves).move == (meant or None), said
        assert meaning(f"  {said.upper()} ", moves[::-1]).move == (meant or None), said


def test_of_several_that_fit_the_one_for_most_points_is_meant_and_told() -> None:
    found = meaning("keep 1 1 1", COUNTED[::-1])
    assert found.note == "'keep 1 1 1' is taken as keep 1 1 1 for 1000"
    assert meaning("", ["hold", "roll"]).move is None
    assert meaning("keep 1 1", COUNTED).note == meaning("keep 1 1 1 for 300", COUNTED).note == ""
    doubted = meaning("3 2 1", KEEPS)
    assert (doubted.move, doubted.doubt) == (None, "'3 2 1' may be keep 1 2 3 or score 3-2-1")
    assert meaning("four", YAHTZEE).doubt == "'four' may be keep 4 or score fours or score four of a kind"
    assert meaning("keep all", YAHTZEE).doubt.endswith("score full house or score ones or 2 others")


@pytest.mark.parametrize("size", {size.name: size for size in SIZES[::-1] if chooses(size)}.values(), ids=str)
def test_a_moves_own_name_is_that_move(size: Size) -> None:
    for asked in few_questions(size):
        moves = [move.name for move in question_moves(size.game, size.game.locate(**asked).state)]
        for move in moves:
            assert meaning(move.upper().replace(" ", "_"), moves).move == meaning(move, moves).move == move
            assert not meaning(move, moves).note
