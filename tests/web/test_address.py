"""A question as an address, and back."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

import rollwise
from rollwise.door import the_fields, the_game
from rollwise.games.registry import REGISTRY
from rollwise.solver.game.fields import number_form, seats_form
from rollwise.web import address
from rollwise.web.asked import Asked, asked
from rollwise.web.pieces import apart, joined
from tests.sizes import SIZES, Size
from tests.web.asking import can_be_said, few_questions


def ask_url(url: str) -> Asked:
    """What a server makes of an address."""
    split = urlsplit(url)
    return asked(split.path.strip("/"), parse_qsl(split.query, keep_blank_values=True))


def test_fields_stand_in_the_order_of_the_game_then_rules_then_the_move() -> None:
    told = ask_url("/zilch?p.goal=5000&move=roll&dice=3&turn=450&theirs=3000&mine=1200")
    assert told.url == "/zilch?mine=1200&theirs=3000&turn=450&dice=3&p.goal=5000&move=roll"
    assert not told.problems


def test_names_and_values_are_read_in_any_spelling_and_written_in_one() -> None:
    told = ask_url("/sixzee?Filled=full_straight:0")
    assert told.problem("filled") is not None
    told = ask_url("/sixzee?FILLED=Three-of-a-kind:14&roll=665544&Rolls-Left=1")
    assert told.url == "/sixzee?filled=three+of+a+kind:14&roll=4,4,5,5,6,6&rolls_left=1"


@pytest.mark.parametrize("size", [size for size in SIZES if can_be_said(size)], ids=str)
def test_an_address_read_is_the_question_it_was_written_of(size: Size) -> None:
    made = the_game(size.name, size.parameters)
    for question in few_questions(size):
        fields = the_fields(made, question)
        written = address.page(made, fields)
        told = ask_url(written)
        assert not told.problems
        assert told.game.parameters() == made.parameters()
        assert told.position == made.locate(**fields)
        assert told.url == written


def test_what_is_as_at_the_start_is_left_out() -> None:
    made = the_game("pig")
    assert address.page(made, {"mine": 0, "theirs": 7, "turn": 0}) == "/pig?theirs=7"


def test_a_seat_that_is_out_is_a_dash_however_it_is_said() -> None:
    made = the_game("busted")
    for out in (None, "-"):
        fields = {"chips": (out, 25, 25), "board": {3: 3, 4: 4, 5: 5, 6: 6, 7: 7}, "taken": False, "mover": 1}
        assert address.page(made, fields) == "/busted?chips=-,25,25&board=3:3,4:4,5:5,6:6,7:7&taken=false&mover=1"


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
        ("/mexico?roll=7,1", "roll", "faces in 1..6"),
        ("/shut-the-box?open=2-9", "open", "are all shut"),
    ],
)
def test_what_does_not_fit_is_told_beside_the_control_that_it_is_about(url: str, where: str, part: str) -> None:
    told = ask_url(url)
    found = told.problem(where)
    assert found is not None
    assert part in found.message
    assert told.position is None


def test_all_that_is_wrong_is_told_at_once() -> None:
    told = ask_url("/zilch?mine=1210&roll=7&p.goal=a&colour=red")
    assert {problem.where for problem in told.problems} == {"mine", "roll", "p.goal", ""}


def test_a_hint_is_one_only_if_it_can_be_typed_into_the_field() -> None:
    found = ask_url("/shut-the-box?open=95").problem("open")
    assert found is not None
    assert found.hint in ("", "open=9,5")
    unknown = ask_url("/pig?p.mine=3").problem("")
    assert unknown is not None
    assert unknown.hint == ""


def test_a_value_of_great_length_is_refused_unread() -> None:
    found = ask_url(f"/pig?mine={'9' * 5000}").problem("")
    assert found is not None
    assert "too long" in found.message


def test_a_form_in_pieces_says_the_same_as_one_text() -> None:
    told = ask_url("/mexico?lives.0=5&lives.1=&lives.2=&lives.2.out=1&results.0=6-5&p.players=3&roll=&rolls_left=")
    assert told.url == "/mexico?lives=5,6,-&results=6-5,-,-&p.players=3"
    assert told.in_pieces


def test_pieces_as_at_the_start_say_nothing() -> None:
    box = "".join(f"&open.{number}=1" for number in range(1, 10))
    assert ask_url(f"/shut-the-box?open.={box}").url == "/shut-the-box"
    assert ask_url(f"/shut-the-box?open.={box}").fields == {}
    assert ask_url("/shut-the-box?open.=&open.1=1&open.2=1").url == "/shut-the-box?open=1,2"


def test_nothing_of_a_set_is_something_else_than_no_set() -> None:
    assert ask_url("/shut-the-box?open.=").fields == {"open": "none"}
    assert ask_url("/shut-the-box").fields == {}


def test_a_comma_in_a_seats_dice_does_not_make_two_seats() -> None:
    assert joined(seats_form(2, number_form(0, 9), True), {"0": "6,5", "1": ""}, "") == "6-5,-"


def test_more_seats_than_there_are_cannot_be_told_apart() -> None:
    assert apart(seats_form(2, number_form(0, 9), False), "1,2,3") is None


def test_rules_just_changed_drop_what_no_longer_fits() -> None:
    items = [("chips", "9,9,9"), ("mover", "2"), ("p.players", "2"), ("colour", "red")]
    told = asked("busted", items, forgiving=True)
    assert not told.problems
    assert told.url == "/busted?p.players=2"


@pytest.mark.parametrize("name", REGISTRY)
def test_the_start_of_every_game_has_the_shortest_address(name: str) -> None:
    told = asked(name, [])
    assert (told.url, told.problems) == (f"/{name}", ())


def test_a_state_that_follows_has_an_address_though_a_seat_is_out() -> None:
    made = the_game("slam", {"players": 3})
    state = rollwise.outcomes("slam", {"scores": "-,2,0", "mover": 1}, params={"players": 3}).rows[0].state or {}
    assert state["scores"][0] == "-"
    assert address.page(made, state).startswith("/slam?scores=-,")
