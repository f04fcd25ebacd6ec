"""Forms: each shape that a field declares, what it holds, and what it sends."""

from __future__ import annotations

from typing import Any

import pytest

from rollwise.solver.game.fields import choice_form, dice_form, number_form, pairs_form, seats_form, set_form
from rollwise.web.forms import Control, control, fields
from rollwise.web.pieces import joined, keys
from tests.web.test_address import ask_url


def shape(form: dict[str, Any], told: str = "", start: str = "", *, of_rule: bool = False) -> Control:
    """A control of this form."""
    return control("it", "help", form, told, start, None, can_be_left_out=not of_rule)


def sent(found: Control) -> dict[str, str]:
    """What a browser sends of a control as it stands, by the keys of its pieces."""
    if found.template == "set":
        pieces = {choice.value: "1" for choice in found.choices if choice.is_on} | {found.marker: ""}
    else:
        pieces = {box.name: box.told for box in found.boxes}
        pieces |= {box.gone[0]: "1" for box in found.boxes if box.gone and box.gone[1]}
    return {name.partition(".")[2]: told for name, told in pieces.items()}


def named(url: str, name: str) -> Control:
    """A control of a page."""
    return next(each for each in fields(ask_url(url)) if each.name == name)


def test_dice_come_first_and_numbers_have_the_steps_and_ends_of_the_game() -> None:
    assert fields(ask_url("/zilch"))[0].template == "dice"
    box = named("/zilch", "mine").boxes[0]
    assert (box.low, box.high, box.step, box.start) == (0, 9950, 50, "0")
    assert named("/zilch", "turn").boxes[0].high is None


def test_few_numbers_stand_side_by_side_and_may_be_left_out() -> None:
    found = shape(number_form(1, 6), "3")
    assert [choice.value for choice in found.choices] == ["", "1", "2", "3", "4", "5", "6"]
    assert [choice.value for choice in found.choices if choice.is_on] == ["3"]
    assert shape(number_form(1, 7), "3").template == "number"
    rule = shape(choice_form(["win", "turns"]), "", "win", of_rule=True)  # which always has a value
    assert [(choice.value, choice.is_on) for choice in rule.choices] == [("win", True), ("turns", False)]


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ("/yahtzee", [("2", "first"), ("1", "second"), ("0", "third")]),
        ("/mexico", [("3", "none yet"), ("2", "first"), ("1", "second"), ("0", "third")]),
        ("/mexico?roll=1,5", [("2", "first"), ("1", "second"), ("0", "third")]),
        ("/421", [("1", "none yet"), ("0", "first")]),
        ("/sevens?result=12&rolls=2&left=1,2", [("1", "first"), ("0", "second")]),
    ],
)
def test_beside_the_dice_it_is_asked_which_throw_they_are(where: str, wanted: list[tuple[str, str]]) -> None:
    controls = fields(ask_url(where))
    place = next(place for place, each in enumerate(controls) if each.is_throw)
    assert all(each.template == "dice" for each in controls[:place])
    assert [(choice.value, choice.label) for choice in controls[place].choices[1:]] == wanted
    assert controls[place].label == "Which throw was this?"


def test_what_was_typed_stands_so_though_no_control_can_hold_it() -> None:
    for form in (choice_form(["a"]), set_form([1, 2]), seats_form(2, number_form(0, 3), False)):
        found = shape(form, "1,2,3,x")
        assert (found.template, found.boxes[0].told) == ("text", "1,2,3,x")
    assert shape({"form": "switch"}, "perhaps").boxes[0].told == "perhaps"
    assert shape({"form": "map", "boxes": {"ones": [0, 1]}}, "ones:7").boxes[0].told == "ones:7"
    number = shape(number_form(0, 99), "many").boxes[0]
    assert (number.told, number.is_number) == ("many", False)
    dice = shape(dice_form(1, 6), "5,1,1").boxes[0]
    assert (dice.faces, dice.most) == ([5, 1, 1], 6)
    assert keys(number_form(0, 9)) == []


def test_a_sheet_offers_only_what_a_box_can_hold() -> None:
    found = named("/sixzee?filled=threes:12", "filled")
    assert found.template == "sheet"
    threes = next(box for box in found.boxes if box.label == "threes")
    assert [choice.value for choice in threes.choices] == ["", "0", "3", "6", "9", "12", "15", "18"]
    assert [choice.value for choice in threes.choices if choice.is_on] == ["12"]


def test_seats_show_what_is_so_at_the_start_and_who_is_out() -> None:
    found = named("/mexico?lives=2,-,6&p.players=3", "lives")
    assert [(box.told, box.start, box.gone) for box in found.boxes] == [
        ("2", "6", ("lives.0.out", False)),
        ("", "6", ("lives.1.out", True)),
        ("", "6", ("lives.2.out", False)),
    ]


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
    assert joined(form, sent(found), start) == told
