"""A form as a page shows it: for every field and rule parameter its control, made from what the game declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rollwise.answers.spelling import shown_value
from rollwise.asking.catalogue import parameter_form
from rollwise.asking.question import throws_of_turn
from rollwise.reading.door import Parameter, known_parameters
from rollwise.solver.game.fields import FAR, Field, Form, ThrowsLeft
from rollwise.solver.game.model import TurnGame
from rollwise.web.address import RULE, Problem
from rollwise.web.page_question import PageQuestion, start_texts
from rollwise.web.pieces import GONE, IS_SENT, NONE, OUT, apart, keys
from rollwise.web.texts import text

FEW = 6  # numbers that stand side by side to be tapped
BY_WORD = 4  # words that do
DICE = "dice"


@dataclass(frozen=True)
class Choice:
    """One of several things to tap, or a line of a list: what is sent, what is read, and whether it is chosen."""

    value: str
    label: str
    is_on: bool


@dataclass(frozen=True)
class Box:
    """One box to fill in, of a control that has one or several: its name in the form and how it looks.

    ``kind``: number, dice, text or select. ``start`` is what it holds at the start of the game. ``low``, ``high`` and
    ``step`` are those of a number, None where there is no end. ``gone``: the name of the switch that says that a seat
    is out, and whether it is on.
    """

    name: str
    label: str
    kind: str
    told: str
    start: str = ""
    low: int | None = None
    high: int | None = None
    step: float = 1
    fewest: int = 0
    most: int = 0
    choices: tuple[Choice, ...] = ()
    gone: tuple[str, bool] | None = None

    @property
    def is_number(self) -> bool:
        """Can a browser's number box hold what was typed?"""
        return not self.told or self.told.lstrip("-").replace(".", "", 1).isdigit()

    @property
    def faces(self) -> list[int]:
        """The dice that lie there, as far as they are some."""
        return [int(face) for face in self.told if face in "123456"] if self.kind == DICE else []


@dataclass(frozen=True)
class Control:
    """One field or rule parameter; ``template`` draws it from its boxes or its choices.

    ``is_throw``: it asks which throw of the turn the dice on the table are.
    """

    name: str
    label: str
    help: str
    template: str
    problem: Problem | None
    boxes: tuple[Box, ...] = ()
    choices: tuple[Choice, ...] = ()
    marker: str = ""
    is_throw: bool = False

    @property
    def id(self) -> str:
        """Its name, as a page's ids are made."""
        return self.name.replace(".", "-")

    @property
    def is_wide(self) -> bool:
        """Does it want the whole width?"""
        return self.template not in ("number", "choice") or len(self.choices) > BY_WORD


def fields(asked: PageQuestion) -> list[Control]:
    """The controls of the fields, dice first: they lie in the middle of the table. Which throw they are comes next."""
    starts = start_texts(asked.game)
    controls = [
        _field(field, asked.fields.get(field.name, ""), starts.get(field.name, ""), asked)
        for field in asked.game.fields()
    ]
    return sorted(controls, key=lambda control: (control.template != DICE, not control.is_throw))


def parameters(asked: PageQuestion) -> list[Control]:
    """The controls of the rule parameters."""
    chosen = asked.game.parameters()
    return [
        _parameter(field, asked.parameters.get(name, ""), chosen.get(name, field.default), asked)
        for name, field in known_parameters(asked.game.name).items()
        if _can_be_chosen(parameter_form(field))
    ]


def _can_be_chosen(form: Form) -> bool:
    return form["form"] != "choice" or len(form["of"]) > 1


def _field(field: Field, told: str, start: str, asked: PageQuestion) -> Control:
    """One field; text that can be read stands in its one spelling."""
    if field.name in asked.given:
        told = field.show(asked.given[field.name]) if told else told
    made = control(field.name, field.help, field.form, told, start, asked.problem(field.name), can_be_left_out=True)
    return _which_throw(made, field, asked) if isinstance(field, ThrowsLeft) else made


def _which_throw(made: Control, field: ThrowsLeft, asked: PageQuestion) -> Control:
    """Numbers of throws that are left, asked as which throw of the turn it was: the earliest first."""
    names, throws = text("form.throws").split(", "), throws_of_turn(asked.game, field, asked.given)
    most = throws - bool(asked.given.get(field.dice))
    said = made.choices[1:]
    fit = [tile for tile in reversed(said) if tile.is_on or int(tile.value) <= most]
    tiles = [replace(tile, label=names[max(0, throws - int(tile.value))]) for tile in fit]
    label, help_text = text("form.which_throw"), text("form.which_throw_help")
    return replace(made, label=label, help=help_text, choices=(*made.choices[:1], *tiles), is_throw=True)


def _parameter(field: Parameter, told: str, chosen: Any, asked: PageQuestion) -> Control:
    """One rule parameter, with the value that holds."""
    where, start = RULE + field.name, shown_value(field.default)
    problem = asked.problem(where)
    now = told if problem else shown_value(chosen)
    left_out = now == start and parameter_form(field)["form"] in ("pairs", "list", "number")
    form = parameter_form(field)
    return control(where, field.metadata["help"], form, "" if left_out else now, start, problem, can_be_left_out=False)


def control(
    name: str, help_text: str, form: Form, told: str, start: str, problem: Problem | None, *, can_be_left_out: bool
) -> Control:
    """What a form looks like that holds this text."""
    make = _SHAPES.get(form["form"], _typed)
    shape = make(name, form, told, start, can_be_left_out)
    label = in_words(name.removeprefix(RULE))
    return Control(name, label, help_text, problem=problem, **shape)


def is_dice(game: TurnGame, name: str) -> bool:
    """Are dice laid in this field?"""
    return any(field.name == name and field.form["form"] == DICE for field in game.fields())


def in_words(name: str) -> str:
    """A name as it is read.

    >>> in_words("rolls_left")
    'Rolls left'
    """
    said = name.replace("_", " ")
    return said[:1].upper() + said[1:]


# --- shapes ----------------------------------------------------------------------------------------------------------

Shape = dict[str, Any]


def _typed(name: str, form: Form, told: str, start: str, can_be_left_out: bool) -> Shape:
    """A line of text."""
    return {"template": "text", "boxes": (Box(name, "", "text", told, start or form.get("like", "")),)}


def _dice(name: str, form: Form, told: str, start: str, can_be_left_out: bool) -> Shape:
    """Dice to tap."""
    return {"template": DICE, "boxes": (_box(name, "", form, told, start),)}


def _number(name: str, form: Form, told: str, start: str, can_be_left_out: bool) -> Shape:
    """A number with steps; of few numbers each stands there."""
    low, high, step = form["low"], form["high"], form["step"]
    values = [str(value) for value in range(low, high + 1, step)] if (high - low) // step < FEW else []
    if told in ("", NONE, *values) and values:
        return {"template": "choice", "choices": _tiles(values, told, start, can_be_left_out)}
    return {"template": "number", "boxes": (_box(name, "", form, told, start),)}


def _switch(name: str, form: Form, told: str, start: str, can_be_left_out: bool) -> Shape:
    """Yes or no."""
    tiles = _tiles(["true", "false"], told, start, can_be_left_out)
    said = {"true": text("form.yes"), "false": text("form.no")}
    choices = tuple(Choice(tile.value, said.get(tile.value, tile.label), tile.is_on) for tile in tiles)
    known = told in ("", "true", "false")
    return {"template": "choice", "choices": choices} if known else _typed(name, form, told, start, can_be_left_out)


def _choice(name: str, form: Form, told: str, start: str, can_be_left_out: bool) -> Shape:
    """One of some words."""
    values = [str(member) for member in form["of"]]
    if told and told not in values:
        return _typed(name, form, told, start, can_be_left_out)
    return {"template": "choice", "choices": _tiles(values, told, start, can_be_left_out)}


def _tiles(values: list[str], told: str, start: str, can_be_left_out: bool) -> tuple[Choice, ...]:
    """Things of which one is chosen, or none where that can be."""
    chosen = told if told != NONE else ""
    none = [Choice("", text("form.unsaid"), not chosen)] if can_be_left_out else []
    chosen = chosen if can_be_left_out else chosen or start
    return (*none, *(Choice(value, value.replace("_", " "), value == chosen) for value in values))


def _set(name: str, form: Form, told: str, start: str, can_be_left_out: bool) -> Shape:
    """Tiles that are on or off."""
    on = apart(form, told or start)
    if on is None:
        return _typed(name, form, told, start, can_be_left_out)
    choices = tuple(Choice(f"{name}.{key}", key, key in on) for key in keys(form))
    return {"template": "set", "choices": choices, "marker": f"{name}.{IS_SENT}"}


def _sheet(name: str, form: Form, told: str, start: str, can_be_left_out: bool) -> Shape:
    """Lines of a score sheet, each with what its box can hold."""
    held = apart(form, told)
    if held is None or any(score not in map(str, form["boxes"][box]) for box, score in held.items()):
        return _typed(name, form, told, start, can_be_left_out)
    boxes = []
    for box, scores in form["boxes"].items():
        now = held.get(box, "")
        can_hold = [Choice(str(score), str(score), str(score) == now) for score in scores]
        choices = (Choice("", text("form.open_box"), not now), *can_hold)
        boxes.append(Box(f"{name}.{box}", box, "select", now, choices=choices))
    return {"template": "sheet", "boxes": tuple(boxes)}


def _pairs(name: str, form: Form, told: str, start: str, can_be_left_out: bool) -> Shape:
    """A number beside each key."""
    held, usual = apart(form, told), apart(form, start) or {}
    if held is None:
        return _typed(name, form, told, start, can_be_left_out)
    each = {"form": "number", **form["values"]}
    none = "0" if each["low"] == 0 and not usual else ""
    boxes = tuple(_box(f"{name}.{key}", key, each, held.get(key, ""), usual.get(key, none)) for key in keys(form))
    return {"template": "pairs", "boxes": boxes}


def _seats(name: str, form: Form, told: str, start: str, can_be_left_out: bool) -> Shape:
    """A box for each seat."""
    held, usual = apart(form, told), apart(form, start) or {}
    if held is None:
        return _typed(name, form, told, start, can_be_left_out)
    has_gone = form.get("out", False) and form["each"]["form"] == "number"
    boxes = []
    for key in keys(form):
        now, before = held.get(key, ""), usual.get(key, "")
        is_out = now == OUT
        gone = (f"{name}.{key}{GONE}", is_out) if has_gone else None
        label = text("form.seat", seat=key) if form["form"] == "seats" else ""
        shown = "" if is_out or now == before else now
        boxes.append(_box(f"{name}.{key}", label, form["each"], shown, before, gone))
    return {"template": "seats", "boxes": tuple(boxes)}


def _box(name: str, label: str, form: Form, told: str, start: str, gone: tuple[str, bool] | None = None) -> Box:
    """A box for a number or for dice."""
    told = "" if told == NONE else told
    start = "" if start in (NONE, OUT) else start
    if form["form"] == DICE:
        return Box(name, label, DICE, told, start, fewest=form["fewest"], most=form["most"], gone=gone)
    high = None if form["high"] >= FAR else form["high"]
    low = None if form["low"] <= -FAR else form["low"]
    return Box(name, label, "number", told, start, low, high, form["step"], gone=gone)


_SHAPES: Mapping[str, Any] = {
    DICE: _dice,
    "number": _number,
    "switch": _switch,
    "choice": _choice,
    "set": _set,
    "map": _sheet,
    "pairs": _pairs,
    "seats": _seats,
    "list": _seats,
}
