"""A form as a page shows it: for every field and rule parameter its control, made from what the game declares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rollwise.answers.spelling import shown_value
from rollwise.asking.catalogue import parameter_form
from rollwise.asking.question import throws_of_turn
from rollwise.reading.door import Parameter, known_parameters
from rollwise.solver.game.fields import FAR, Field, Form, ThrowsLeft
from rollwise.solver.game.model import TurnGame
from rollwise.web.address import RULE, PageProblem
from rollwise.web.page_question import PageQuestion, start_texts
from rollwise.web.pieces import GONE, IS_SENT, NONE, OUT, apart, keys
from rollwise.web.texts import text

FEW = 6  # numbers that stand side by side to be tapped
BY_WORD = 4  # words that do
DICE = "dice"


@dataclass(frozen=True)
class Tile:
    """One of several things to tap, or a line of a list: what is sent, what is read, and whether it is chosen."""

    value: str
    label: str
    is_on: bool


@dataclass(frozen=True)
class Box:
    """One box to fill in, of a control that has one or several: its name in the form and how it looks.

    ``kind``: number, dice, text or select. ``typed`` is what it holds, ``start`` what it does at the start of the game.
    ``low``, ``high`` and ``step`` are those of a number, None where there is no end. ``gone``: the name of the switch
    that says that a seat is out, and whether it is on.
    """

    name: str
    label: str
    kind: str
    typed: str
    start: str = ""
    low: int | None = None
    high: int | None = None
    step: float = 1
    most: int = 0
    choices: tuple[Tile, ...] = ()
    gone: tuple[str, bool] | None = None

    @property
    def is_number(self) -> bool:
        """Can a browser's number box hold what was typed?"""
        return not self.typed or self.typed.lstrip("-").replace(".", "", 1).isdigit()

    @property
    def faces(self) -> list[int]:
        """The dice that lie there, as far as they are some."""
        return [int(face) for face in self.typed if face in "123456"] if self.kind == DICE else []


@dataclass(frozen=True)
class Control:
    """One field or rule parameter; ``template`` draws it from its boxes or its choices.

    ``is_throw``: it asks which throw of the turn the dice on the table are.
    """

    name: str
    label: str
    help: str
    template: str
    problem: PageProblem | None
    boxes: tuple[Box, ...] = ()
    choices: tuple[Tile, ...] = ()
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


def fields(question: PageQuestion) -> list[Control]:
    """The controls of the fields, dice first: they lie in the middle of the table. Which throw they are comes next."""
    starts = start_texts(question.game)
    controls = [
        _field(field, question.fields.get(field.name, ""), starts.get(field.name, ""), question)
        for field in question.game.fields()
    ]
    return sorted(controls, key=lambda control: (control.template != DICE, not control.is_throw))


def parameters(question: PageQuestion) -> list[Control]:
    """The controls of the rule parameters."""
    chosen = question.game.parameters()
    return [
        _parameter(field, question.parameters.get(name, ""), chosen.get(name, field.default), question)
        for name, field in known_parameters(question.game.name).items()
        if _can_be_chosen(parameter_form(field))
    ]


def _can_be_chosen(form: Form) -> bool:
    return form["form"] != "choice" or len(form["of"]) > 1


def _field(field: Field, typed: str, start: str, question: PageQuestion) -> Control:
    """One field; text that can be read stands in its one spelling."""
    if field.name in question.given:
        typed = field.show(question.given[field.name]) if typed else typed
    made = control(field.name, field.help, field.form, typed, start, question.problem(field.name), can_be_left_out=True)
    return _which_throw(made, field, question) if isinstance(field, ThrowsLeft) else made


def _which_throw(made: Control, field: ThrowsLeft, question: PageQuestion) -> Control:
    """Numbers of throws that are left, asked as which throw of the turn it was: the earliest first."""
    names, throws = text("form.throws").split(", "), throws_of_turn(question.game, field, question.given)
    most = throws - bool(question.given.get(field.dice))
    fit = [tile for tile in reversed(made.choices[1:]) if tile.is_on or int(tile.value) <= most]
    tiles = [replace(tile, label=names[max(0, throws - int(tile.value))]) for tile in fit]
    label, help_text = text("form.which_throw"), text("form.which_throw_help")
    return replace(made, label=label, help=help_text, choices=(*made.choices[:1], *tiles), is_throw=True)


def _parameter(field: Parameter, typed: str, chosen: Any, question: PageQuestion) -> Control:
    """One rule parameter, with the value that holds."""
    where, start = RULE + field.name, shown_value(field.default)
    problem = question.problem(where)
    now = typed if problem else shown_value(chosen)
    left_out = now == start and parameter_form(field)["form"] in ("pairs", "list", "number")
    form = parameter_form(field)
    return control(where, field.metadata["help"], form, "" if left_out else now, start, problem, can_be_left_out=False)


def control(
    name: str, help_text: str, form: Form, typed: str, start: str, problem: PageProblem | None, *, can_be_left_out: bool
) -> Control:
    """What a form looks like that holds this text."""
    label = in_words(name.removeprefix(RULE))
    return Control(
        name,
        label[:1].upper() + label[1:],
        help_text,
        problem=problem,
        **_shape(name, form, typed, start, can_be_left_out),
    )


def is_dice(game: TurnGame, name: str) -> bool:
    """Are dice laid in this field?"""
    return any((field.name, field.form["form"]) == (name, DICE) for field in game.fields())


def in_words(name: str) -> str:
    """A name as it is read.

    >>> in_words("rolls_left")
    'rolls left'
    """
    return name.replace("_", " ")


# --- shapes ----------------------------------------------------------------------------------------------------------

Shape = dict[str, Any]


def _shape(name: str, form: Form, typed: str, start: str, can_be_left_out: bool) -> Shape:
    """The template of a form, with its boxes or its tiles; text that does not fit it is shown as it was typed."""
    held, usual = apart(form, typed), apart(form, start) or {}
    match form["form"]:
        case "dice":
            return {"template": DICE, "boxes": (_box(name, "", form, typed, start),)}
        case "number":  # with steps; of few numbers each stands there
            low, high, step = form["low"], form["high"], form["step"]
            values = [str(value) for value in range(low, high + 1, step)] if (high - low) // step < FEW else []
            if values and typed in ("", NONE, *values):
                return {"template": "choice", "choices": _tiles(values, typed, start, can_be_left_out)}
            return {"template": "number", "boxes": (_box(name, "", form, typed, start),)}
        case "switch" if typed in ("", "true", "false"):
            words = {"": text("form.unsaid"), "true": text("form.yes"), "false": text("form.no")}
            tiles = _tiles(["true", "false"], typed, start, can_be_left_out)
            return {"template": "choice", "choices": tuple(replace(tile, label=words[tile.value]) for tile in tiles)}
        case "choice" if typed in ("", *(values := [str(member) for member in form["of"]])):
            return {"template": "choice", "choices": _tiles(values, typed, start, can_be_left_out)}
        case "set" if (on := apart(form, typed or start)) is not None:
            members = tuple(Tile(f"{name}.{key}", key, key in on) for key in keys(form))
            return {"template": "set", "choices": members, "marker": f"{name}.{IS_SENT}"}
        case "map" if held is not None and all(now in map(str, form["boxes"][box]) for box, now in held.items()):
            lines = [_line(f"{name}.{box}", box, scores, held.get(box, "")) for box, scores in form["boxes"].items()]
            return {"template": "sheet", "boxes": tuple(lines)}
        case "pairs" if held is not None:
            each: Form = {"form": "number", **form["values"]}
            none = "0" if each["low"] == 0 and not usual else ""
            made = (_box(f"{name}.{key}", key, each, held.get(key, ""), usual.get(key, none)) for key in keys(form))
            return {"template": "pairs", "boxes": tuple(made)}
        case "seats" | "list" if held is not None:
            seats = (_seat(name, key, form, held.get(key, ""), usual.get(key, "")) for key in keys(form))
            return {"template": "seats", "boxes": tuple(seats)}
    return {"template": "text", "boxes": (Box(name, "", "text", typed, start or form.get("like", "")),)}


def _tiles(values: list[str], typed: str, start: str, can_be_left_out: bool) -> tuple[Tile, ...]:
    """Things of which one is chosen, or none where that can be."""
    chosen = typed if typed != NONE else ""
    none = [Tile("", text("form.unsaid"), not chosen)] if can_be_left_out else []
    chosen = chosen if can_be_left_out else chosen or start
    return (*none, *(Tile(value, value.replace("_", " "), value == chosen) for value in values))


def _line(name: str, box: str, scores: Sequence[int], now: str) -> Box:
    """A line of a score sheet, with what its box can hold."""
    can_hold = [Tile(str(score), str(score), str(score) == now) for score in scores]
    return Box(name, box, "select", now, choices=(Tile("", text("form.open_box"), not now), *can_hold))


def _seat(name: str, key: str, form: Form, now: str, before: str) -> Box:
    """A seat's box, with the switch that says that it is out."""
    is_out, can_go = now == OUT, form.get("out", False) and form["each"]["form"] == "number"
    gone = (f"{name}.{key}{GONE}", is_out) if can_go else None
    label = text("form.seat", seat=key) if form["form"] == "seats" else ""
    return _box(f"{name}.{key}", label, form["each"], "" if is_out or now == before else now, before, gone)


def _box(name: str, label: str, form: Form, typed: str, start: str, gone: tuple[str, bool] | None = None) -> Box:
    typed = "" if typed == NONE else typed
    start = "" if start in (NONE, OUT) else start
    if form["form"] == DICE:
        return Box(name, label, DICE, typed, start, most=form["most"], gone=gone)
    high = None if form["high"] >= FAR else form["high"]
    low = None if form["low"] <= -FAR else form["low"]
    return Box(name, label, "number", typed, start, low, high, form["step"], gone=gone)
