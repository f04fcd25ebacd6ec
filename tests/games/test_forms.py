"""How fields and rule parameters are filled in: what a form offers is read, and what is asked can be filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

import rollwise
from rollwise.games.registry import REGISTRY, game_class
from rollwise.parsing.validate import parse_fields, parse_game, rule_parameters
from rollwise.questions.catalogue import field_rows, parameter_form, parameter_rows
from rollwise.questions.question import assumed_throw, full_state, question
from rollwise.solver.model.fields import NO_LIMIT, Field, Form, ThrowsLeft, dice_in_text, number_form
from rollwise.solver.model.game import TurnGame, parameter
from rollwise.text.spelling import shown_value
from tests.parsing.test_forgiving import GAMES
from tests.sizes import SIZES

WITH: dict[tuple[str, str, object], dict[str, Any]] = {  # what a value of a parameter needs beside it
    ("finish", "players", 2): {"placing": "free"},
    ("piggy-six", "choose", "roll"): {"max_dice": 3},
    ("piggy-six", "players", 3): {"target": 50},
    ("ten-thousand", "objective", "turns"): {"players": 1},
    ("ten-thousand", "objective", "points"): {"players": 1},
    ("ten-thousand", "objective", "reach"): {"players": 1},
    ("zilch", "objective", "turns"): {"players": 1},
    ("zilch", "objective", "reach"): {"players": 1},
    ("zilch", "objective", "points"): {"players": 1},
    ("shut-the-box", "objective", "win"): {"players": 2},
    ("six-by-6", "objective", "reach"): {"posting": "free"},
    ("six-by-6", "objective", "win"): {"players": 2},
    ("mexico", "players", 4): {"lives": 1},
}


def typed(form: Form, value: Any) -> str:
    """The value as a person types it, who has only seen the form: dice in a list by seat with dashes."""
    if form["form"] == "seats":
        each = ("-" if one is None else typed(form["each"], one) for one in value)
        return ",".join(one.replace(",", "-") if form["each"]["form"] == "dice" else one for one in each)
    return shown_value(value)


def paid(form: Form, share: float) -> float:
    """A value of pairs that lies at so large a share of all."""
    low, high = form["values"]["low"], form["values"]["high"]
    per: int = round(1 / form["values"]["step"])  # in whole steps, so that 0.07 is not 0.07000000000000001
    told: int = round(low * per + share * (high - low) * per)
    return told // per if told % per == 0 else told / per


def edges(form: Form) -> list[Any]:
    """Values that the form offers, at the edges."""
    match form["form"]:
        case "dice":
            sizes = {form["fewest"], form["most"]}
            return [[face] * size for face in (1, 6) for size in sizes] + [[6, 1, 5, 2, 4, 3][: form["most"]]]
        case "number":
            inside = steps(form)[len(steps(form)) // 3]
            near = [form["low"], form["low"] + form["step"], inside, form["high"] - form["step"], form["high"]]
            return [*(n for n in near if form["low"] <= n <= form["high"]), *([None] if form["none"] else [])]
        case "switch":
            return [True, False]
        case "set":
            return [[], form["of"], form["of"][::-1], form["of"][:1], form["of"][-1:]]
        case "map":
            return [{}, *({box: end(held) for box, held in form["boxes"].items()} for end in (min, max))]
        case "pairs":
            keys = range(form["keys"]["low"], form["keys"]["high"] + 1)
            every = [dict.fromkeys(keys, paid(form, share)) for share in (0, 0.5, 1)]
            return [{}, *every, {keys[0]: paid(form, 1)}, {keys[-1]: paid(form, 0)}]
        case "choice":
            return list(form["of"])
        case "seats":
            ends = edges(form["each"])
            some = [None] * form["out"] + ends
            alike = [[one] * form["count"] for one in some]
            return [*alike, *([*each[1:], ends[-1]] for each in alike), *([some[0], *each[1:]] for each in alike)]
        case "list":
            ends = edges(form["each"])
            return [[one] * size for one in ends for size in range(form["fewest"], form["most"] + 1)] + [ends[:2]]
        case "text":
            return [form["like"]]
    raise AssertionError(form)


def fits(form: Form, value: Any) -> bool:
    """Can a value that was read, or plain data, be filled in?"""
    match form["form"]:
        case "dice":
            dice = dice_in_text(value if isinstance(value, str) else list(value))
            return form["fewest"] <= len(dice) <= form["most"] and set(dice) <= {1, 2, 3, 4, 5, 6}
        case "number":
            return bool(form["none"]) if value in (None, "none") else value in steps(form)
        case "switch":
            return isinstance(value, bool)
        case "set":
            return set(value) <= set(form["of"]) and len(set(value)) == len(value)
        case "map":
            return all(value[box] in form["boxes"].get(box, ()) for box in value)
        case "pairs":
            return all(key in steps(form["keys"]) and value[key] in steps(form["values"]) for key in value)
        case "choice":
            return value in form["of"]
        case "seats":
            return len(value) in (form["count"], 0 if form["out"] else form["count"]) and all(
                form["out"] if one in (None, "-") else fits(form["each"], one) for one in value
            )
        case "list":
            return form["fewest"] <= len(value) <= form["most"] and all(fits(form["each"], one) for one in value)
        case "text":  # an example of what is typed
            return True
    raise AssertionError(form)


def steps(form: Form) -> range:
    """The numbers from low to high."""
    return range(form["low"], form["high"] + 1, form.get("step", 1))


# --- fields ----------------------------------------------------------------------------------------------------------


def variants(name: str) -> Iterator[TurnGame]:
    """The game with every parameter in turn at each of its edges."""
    for told in parameter_rows(name):
        for value in edges(told["form"]):
            yield parse_game(name, {told["name"]: value, **beside(name, told["name"], value)})


def beside(name: str, parameter: str, value: Any) -> dict[str, Any]:
    """What a value of a parameter needs beside it."""
    only = rule_parameters(name)[parameter].metadata.get("only")
    needed = WITH.get((name, parameter, value), {}) if isinstance(value, str | int) else {}
    return {**needed, **dict([only] if only else [])}


def require_read(field: Field, value: Any) -> None:
    """A value that is offered is taken as plain data and as it is shown, and is among what is offered."""
    read = field.parse(value)
    assert fits(field.form, read), (field.name, value, read)
    assert field.parse(field.show(read)) == read
    assert field.parse(json.loads(json.dumps(value))) == read
    assert field.parse(typed(field.form, value)) == read


@pytest.mark.parametrize("name", REGISTRY)
def test_whatever_a_form_offers_is_read(name: str) -> None:
    for made in chain(variants(name), (size.game for size in SIZES if size.name == name)):
        for field in made.fields():
            for value in edges(field.form):
                assert fits(field.form, value)
                require_read(field, value)


THROWN: dict[str, tuple[dict[str, Any], int]] = {  # dice on the table, and the throw that they are taken for
    "yahtzee": ({"roll": "11345"}, 1),
    "sixzee": ({"roll": "113456"}, 1),
    "killer": ({"roll": "11345"}, 1),
    "mexico": ({"roll": "15"}, 1),
    "421": ({"pot": 0, "chips": "5,8,4", "roll": "125"}, 1),
    "sevens": ({"result": 12, "rolls": 2, "left": "12"}, 1),
    "cameroon": ({"kept": "66", "roll": "125"}, 2),
}


@pytest.mark.parametrize("name", REGISTRY)
def test_which_throw_the_dice_are_is_never_assumed_in_silence(name: str) -> None:
    made = parse_game(name)
    counts = [field for field in made.fields() if field.name == "rolls_left"]
    assert counts or name not in THROWN
    for field in counts:
        said, throw = THROWN.get(name, ({"roll": "4"}, 1))  # as of the game that the guide makes
        given, position = question(made, said)
        assert isinstance(field, ThrowsLeft)
        assert given[field.dice]
        taken = assumed_throw(made, given, full_state(made, given, position))
        assert taken is not None
        assert (taken.field, taken.throw) == (field.name, throw)
        fully, same = question(made, {**said, field.name: taken.left})
        assert same == position
        assert assumed_throw(made, fully, full_state(made, fully, same)) is None


def test_what_a_field_is_at_the_start_can_be_said_and_changes_nothing() -> None:
    for made in GAMES:
        told = {each["name"]: each["default"] for each in field_rows(made) if each["default"] is not None}
        assert made.locate(**parse_fields(made, told)) == made.locate(), made


def test_the_start_is_told_as_a_question_tells_it() -> None:
    told = {field["name"]: field["default"] for field in rollwise.rules("mexico", params={"lives": 4})["fields"]}
    assert told == {"lives": [4, 4], "opener": 0, "results": [], "roll": None, "rolls_left": 3}


def test_every_class_of_fields_has_a_form() -> None:
    the_games = [game_class(name) for name in REGISTRY]  # so that all their classes are known
    classes = list(below(Field))
    assert the_games
    assert {"BankRoll", "BoxNames", "NumberOrNone"} <= {cls.__name__ for cls in classes}
    assert not [cls.__name__ for cls in classes if cls.form is Field.form]


def below(cls: type[Field]) -> Iterator[type[Field]]:
    """The classes of rollwise that are kinds of this one."""
    for inner in cls.__subclasses__():
        if inner.__module__.startswith("rollwise."):
            yield inner
        yield from below(inner)


def test_no_field_is_filled_in_as_free_text() -> None:
    forms = {field.form["form"] for size in SIZES for field in size.game.fields()}
    assert forms == {"dice", "number", "switch", "set", "map", "pairs", "choice", "seats"}


# --- rule parameters -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REGISTRY)
def test_whatever_the_form_of_a_parameter_offers_is_read(name: str) -> None:
    for told in parameter_rows(name):
        form = told["form"]
        for value in [*edges(form), told["default"]]:
            others = beside(name, told["name"], value)
            made = parse_game(name, {told["name"]: value, **others})
            assert parse_game(name, {told["name"]: typed(form, value), **others}) == made
            assert parse_game(name, {told["name"]: json.loads(json.dumps(value)), **others}) == made


def test_a_number_of_which_nothing_is_known_is_any_and_a_word_is_text() -> None:
    told = {name: parameter_form(parameter) for name, parameter in rule_parameters("pig").items()}
    assert told == {"target": {"form": "number", "low": 2, "high": 1000, "step": 1, "none": False}}
    free, words, several = parameter(3, ""), parameter("a,b", ""), parameter((1, 2), "")
    forms = [parameter_form(given) for given in (free, words, several)]
    assert forms == [number_form(-NO_LIMIT, NO_LIMIT), {"form": "text", "like": "a,b"}, {"form": "text", "like": "1,2"}]


def test_no_parameter_is_filled_in_as_free_text() -> None:
    forms = {told["form"]["form"] for name in REGISTRY for told in parameter_rows(name)}
    assert forms == {"number", "switch", "choice", "list", "pairs"}
