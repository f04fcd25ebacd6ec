"""A question as an address, and back; and forms: each shape of a field, what it holds, and what it sends."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

import rollwise
from rollwise.parsing.validate import parse_game
from rollwise.solver.model.fields import choice_form, dice_form, number_form, pairs_form, seats_form, set_form
from rollwise.web import address
from rollwise.web.forms import Control, field_controls, make_control
from rollwise.web.page_question import PageQuestion, join_pieces, piece_keys, read_question, split_pieces


def ask_url(url: str) -> PageQuestion:
    """What a server makes of an address."""
    split = urlsplit(url)
    return read_question(split.path.strip("/"), parse_qsl(split.query, keep_blank_values=True))


BOXES = "".join(f"&open.{number}=1" for number in range(1, 10))


@pytest.mark.parametrize(
    ("url", "written"),
    [
        pytest.param(
            "/zilch?p.goal=5000&move=roll&dice=3&turn=450&theirs=3000&mine=1200",
            "/zilch?mine=1200&theirs=3000&turn=450&dice=3&p.goal=5000&move=roll",
            id="fields in the order of the game, then rules, then the move",
        ),
        pytest.param(
            "/sixzee?FILLED=Three-of-a-kind:14&roll=665544&Rolls-Left=1",
            "/sixzee?filled=three+of+a+kind:14&roll=4,4,5,5,6,6&rolls_left=1",
            id="any spelling becomes one",
        ),
        pytest.param(
            "/mexico?lives.0=5&lives.1=&lives.2=&lives.2.out=1&results.0=6-5&p.players=3&roll=&rolls_left=",
            "/mexico?lives=5,6,-&results=6-5,-,-&p.players=3",
            id="pieces say the same as one text",
        ),
        pytest.param(f"/shut-the-box?open.={BOXES}", "/shut-the-box", id="pieces as at the start say nothing"),
        pytest.param("/shut-the-box?open.=&open.1=1&open.2=1", "/shut-the-box?open=1,2", id="pieces of a set"),
    ],
)
def test_an_address_is_written_one_way(url: str, written: str) -> None:
    told = ask_url(url)
    assert (told.url, told.problems) == (written, ())
    assert told.in_pieces == ("." in url.replace("p.", ""))


@pytest.mark.parametrize(
    ("name", "fields", "written"),
    [
        ("pig", {"mine": 0, "theirs": 7, "turn": 0}, "/pig?theirs=7"),  # what is as at the start is left out
        *(
            (
                "busted",
                {"chips": (out, 25, 25), "board": {3: 3, 4: 4, 5: 5, 6: 6, 7: 7}, "taken": False, "mover": 1},
                "/busted?chips=-,25,25&board=3:3,4:4,5:5,6:6,7:7&taken=false&mover=1",
            )
            for out in (None, "-")  # a seat that is out
        ),
    ],
)
def test_fields_are_written_shortly(name: str, fields: dict[str, object], written: str) -> None:
    assert address.question_url(parse_game(name), fields) == written


def test_pieces_are_joined_and_taken_apart_though_a_seat_is_out() -> None:
    made = parse_game("slam", {"players": 3})
    state = rollwise.outcomes("slam", state={"scores": "-,2,0", "mover": 1}, params={"players": 3}).rows[0].state or {}
    assert state["scores"][0] == "-"
    assert address.question_url(made, state).startswith("/slam?scores=-,")
    assert ask_url("/shut-the-box?open.=").fields == {"open": "none"}  # something else than no set
    assert join_pieces(seats_form(2, number_form(0, 9), True), {"0": "6,5", "1": ""}, "") == "6-5,-"  # one seat's dice
    assert split_pieces(seats_form(2, number_form(0, 9), False), "1,2,3") is None  # more seats than there are
    items = [("chips", "9,9,9"), ("mover", "2"), ("p.players", "2"), ("colour", "red")]
    told = read_question("busted", items, forgiving=True)  # rules just changed: what no longer fits is dropped
    assert (told.problems, told.url) == ((), "/busted?p.players=2")


@pytest.mark.parametrize(
    ("url", "where", "part"),
    [
        ("/pig?mine=1&mine=2", "mine", "twice"),
        ("/pig?mine=1&Mine=2", "mine", "twice"),
        ("/pig?move=roll&move=hold", "move", "twice"),
        ("/mexico?lives=3,3&lives.0=2", "lives", "twice"),
        ("/pig?p.target=50&p.target=60", "p.target", "twice"),
        ("/pig?colour=red", "", "no field called 'colour'"),
        ("/pig?p.colour=red", "", "no rule called 'colour'"),
        ("/pig?mine=many", "mine", "whole number"),
        ("/pig?mine=100", "mine", "from 0 to 99"),
        ("/pig?p.target=1", "p.target", "target"),
        ("/pig?=1", "", "no field called ''"),
        (f"/pig?mine={'9' * 5000}", "", "too long"),
        ("/mexico?roll=7,1", "roll", "faces in 1..6"),
        ("/shut-the-box?open=2-9", "open", "are all shut"),
        ("/sixzee?Filled=full_straight:0", "filled", ""),
    ],
)
def test_what_does_not_fit_is_told_beside_the_control_that_it_is_about(url: str, where: str, part: str) -> None:
    told = ask_url(url)
    found = told.problem(where)
    assert found is not None
    assert part in found.message
    assert told.position is None


def test_all_that_is_wrong_is_told_at_once_with_a_hint_only_if_it_can_be_typed_into_the_field() -> None:
    told = ask_url("/zilch?mine=1210&roll=7&p.goal=a&colour=red")
    assert {problem.where for problem in told.problems} == {"mine", "roll", "p.goal", ""}
    for url, where, hints in (("/shut-the-box?open=95", "open", ("", "open=9,5")), ("/pig?p.mine=3", "", ("",))):
        found = ask_url(url).problem(where)
        assert found is not None
        assert found.hint in hints


def shape(form: dict[str, Any], told: str = "", start: str = "", *, of_rule: bool = False) -> Control:
    """A control of this form."""
    return make_control(read_question("pig", []), "it", "help", form, told, start, is_optional=not of_rule)


def sent(found: Control) -> dict[str, str]:
    """What a browser sends of a control as it stands, by the keys of its pieces."""
    if found.template == "set":
        pieces = {choice.value: "1" for choice in found.choices if choice.is_on} | {found.marker: ""}
    else:
        pieces = {box.name: box.typed for box in found.boxes}
        pieces |= {box.gone[0]: "1" for box in found.boxes if box.gone and box.gone[1]}
    return {name.partition(".")[2]: told for name, told in pieces.items()}


def named(url: str, name: str) -> Control:
    """A control of a page."""
    return next(each for each in field_controls(ask_url(url)) if each.name == name)


def test_numbers_have_the_steps_of_the_game_and_what_was_typed_stands_so() -> None:
    box = named("/zilch", "mine").boxes[0]
    assert (box.low, box.high, box.step, box.start) == (0, 9950, 50, "0")
    assert named("/zilch", "turn").boxes[0].high is None
    found = shape(number_form(1, 6), "3")
    assert [choice.value for choice in found.choices] == ["", "1", "2", "3", "4", "5", "6"]
    assert [choice.value for choice in found.choices if choice.is_on] == ["3"]
    assert shape(number_form(1, 7), "3").template == "number"
    rule = shape(choice_form(["win", "turns"]), "", "win", of_rule=True)  # which always has a value
    assert [(choice.value, choice.is_on) for choice in rule.choices] == [("win", True), ("turns", False)]
    for form in (choice_form(["a"]), set_form([1, 2]), seats_form(2, number_form(0, 3), False)):
        found = shape(form, "1,2,3,x")
        assert (found.template, found.boxes[0].typed) == ("text", "1,2,3,x")
    assert shape({"form": "switch"}, "perhaps").boxes[0].typed == "perhaps"
    assert shape({"form": "map", "boxes": {"ones": [0, 1]}}, "ones:7").boxes[0].typed == "ones:7"
    number = shape(number_form(0, 99), "many").boxes[0]
    assert (number.typed, number.is_number) == ("many", False)
    dice = shape(dice_form(1, 6), "5,1,1").boxes[0]
    assert (dice.faces, dice.most) == ([5, 1, 1], 6)
    assert piece_keys(number_form(0, 9)) == []


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ("/yahtzee", []),  # where none lie there is nothing to ask
        ("/yahtzee?roll=1,1,2,3,4", [("2", "first"), ("1", "second"), ("0", "third")]),
        ("/mexico", [("3", "none yet"), ("2", "first"), ("1", "second")]),
        ("/mexico?roll=1,5", [("2", "first"), ("1", "second"), ("0", "third")]),
        ("/421?pot=0&rolls=2&results=4-2-1,-,-&roll=1,1,2", [("1", "first"), ("0", "second")]),
        ("/sevens?result=12&rolls=2&left=1,2", [("1", "first"), ("0", "second")]),
    ],
)
def test_beside_the_dice_it_is_asked_which_throw_they_are(where: str, wanted: list[tuple[str, str]]) -> None:
    controls = field_controls(ask_url(where))
    place = next(place for place, each in enumerate(controls) if each.is_throw)
    assert all(each.template == "dice" for each in controls[:place])
    assert [(choice.value, choice.label) for choice in controls[place].choices[1:]] == wanted
    assert controls[place].label == "Which throw was this?"


def test_a_sheet_offers_only_what_a_box_can_hold_and_seats_show_what_is_so_at_the_start_and_who_is_out() -> None:
    found = named("/sixzee?filled=threes:12", "filled")
    assert found.template == "sheet"
    threes = next(box for box in found.boxes if box.label == "threes")
    assert [choice.value for choice in threes.choices] == ["", "0", "3", "6", "9", "12", "15", "18"]
    assert [choice.value for choice in threes.choices if choice.is_on] == ["12"]
    found = named("/mexico?lives=2,-,6&p.players=3", "lives")
    assert [box.typed for box in found.boxes] == ["2", "-", "6"]
    assert [[each.value for each in box.choices if each.is_on] for box in found.boxes] == [["2"], ["-"], ["6"]]
    found = named("/busted?chips=2,-,25&board=3:3", "chips")
    told = [(box.typed, box.start, box.gone and box.gone[1]) for box in found.boxes]
    assert told == [("2", "25", False), ("", "25", True), ("", "25", False)]


FORMS = [
    (seats_form(3, number_form(0, 9), True), "4,5,-", "5,5,5"),
    (seats_form(2, dice_form(2, 2), True), "6-5,-", ""),
    (set_form(["full house", "ones"]), "ones", ""),
    (set_form([1, 2, 3]), "none", "1,2,3"),
    ({"form": "map", "boxes": {"ones": [0, 1], "full house": [25]}}, "full house:25", ""),
    (pairs_form(range(3, 12), "space", range(0, 76), "chips"), "3:3,11:7", ""),
    ({"form": "list", "fewest": 0, "most": 2, "each": number_form(2, 30)}, "8,14", ""),
]


@pytest.mark.parametrize(("form", "told", "start"), FORMS, ids=lambda part: str(part)[:20])
def test_a_form_sends_what_it_shows(form: dict[str, Any], told: str, start: str) -> None:
    found = shape(form, told, start)
    assert found.template != "text"
    assert join_pieces(form, sent(found), start) == told
