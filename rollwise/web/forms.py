"""A form as a page shows it: for every field and rule parameter its control, made from what the game declares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rollwise.answers.spelling import shown_value
from rollwise.asking.catalogue import parameter_form
from rollwise.asking.question import all_fields, question as understood, throws_of_turn
from rollwise.parsing.validate import Parameter, known_parameters
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import FAR, Field, Form, Numbers, Scores, ThrowsLeft
from rollwise.solver.model.game import TurnGame
from rollwise.web.address import RULE, PageProblem
from rollwise.web.labels import WHO, has_words, in_words, label, player
from rollwise.web.page_question import PageQuestion, start_texts
from rollwise.web.pieces import GONE, IS_SENT, NONE, OUT, apart, keys
from rollwise.web.sums import Sum, sums_of
from rollwise.web.texts import text

FEW = 6  # numbers that stand side by side to be tapped
BY_WORD = 4  # words that do
MOST = {"pegs": 12, "track": 25}  # that stand side by side
DICE = "dice"


@dataclass(frozen=True)
class Tile:
    """One of several things to tap, or a line of a list: what is sent, what is read, and whether it is chosen.

    ``seat``: whose it is, where it stands for one.
    """

    value: str
    label: str
    is_on: bool
    seat: str = ""


@dataclass(frozen=True)
class Box:
    """One box to fill in, of a control that has one or several: its name in the form and how it looks.

    ``kind``: number, dice, text, select or pegs. ``typed`` is what it holds, ``start`` what it does when a game starts.
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
    seat: str = ""

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

    ``is_throw``: it asks which throw of the turn the dice on the table are. ``may_change``: what it offers depends on
    the others. ``parts`` of a sheet: some of its boxes, and the sums below them.
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
    is_alone: bool = False
    drawn: str = ""
    of: str = "board"
    may_change: bool = False
    parts: tuple[tuple[tuple[Box, ...], tuple[Sum, ...]], ...] = ()

    @property
    def id(self) -> str:
        """Its name, as a page's ids are made."""
        return self.name.replace(".", "-")

    @property
    def is_wide(self) -> bool:
        """Does it want the whole width?"""
        return self.is_alone or self.template not in ("number", "choice") or len(self.choices) > BY_WORD

    @property
    def is_offered(self) -> bool:
        """Is there anything to choose?"""
        return not self.may_change or len(self.choices) > 1 or not self.choices


def fields(question: PageQuestion) -> list[Control]:
    """The controls of the fields, in the order of a turn: dice first, which throw they are, the turn, and the rest."""
    starts = start_texts(question.game)
    controls = [
        _field(field, question.fields.get(field.name, ""), starts.get(field.name, ""), question)
        for field in question.game.fields()
    ]
    made = sorted(controls, key=lambda each: (each.template != DICE, not each.is_throw, each.of != "turn"))
    narrow = [each for each in made if each.of == "turn" and not each.is_wide and each.is_offered]
    alone = narrow[-1:] if len(narrow) % 2 else []  # so that what belongs together stands side by side
    return [replace(each, is_alone=each in alone) for each in made]


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
    form, problem = field.form, question.problem(field.name)
    where = "seat" if field.name in WHO and form["form"] in ("number", "set") else field.drawn
    if where in MOST and isinstance(field, Numbers) and field.out_at in (field.low, field.high):  # that is to be out
        low, high = field.low + (field.out_at == field.low), field.high - (field.out_at == field.high)
        form = {**form, "each": {**form["each"], "low": low, "high": high}}
    made = control(field.name, field.help, form, typed, start, problem, can_be_left_out=True, drawn=where)
    made = replace(_called(made, question.game), of=field.of, may_change=field.if_fits or isinstance(field, ThrowsLeft))
    if isinstance(field, Scores) and made.template == "sheet":
        line = question.problem(field.line.name) if field.line else None
        return replace(made, parts=_parts(made, field, question), problem=made.problem or line)
    made = _which_throw(made, field, question) if isinstance(field, ThrowsLeft) else made
    if not made.may_change or made.template != "choice":
        return made
    fit = [tile for tile in made.choices if tile.is_on or not tile.value or _fits(question, field, tile.value)]
    is_open = len({tile.value for tile in fit} - {"", "false"}) > made.is_throw or any(tile.is_on for tile in fit[1:])
    return replace(made, choices=tuple(fit if is_open else fit[:1]))


def _fits(question: PageQuestion, field: Field, value: str) -> bool:
    """Do the other fields allow this value? They do as long as they are no question themselves."""
    others = {name: given for name, given in question.given.items() if name != field.name}
    for fields in (others, {**others, field.name: field.parse(value)}):
        try:
            understood(question.game, fields)
        except BadInput:
            return fields is others
    return True


def _parts(made: Control, field: Scores, question: PageQuestion) -> tuple[tuple[tuple[Box, ...], tuple[Sum, ...]], ...]:
    """The boxes above, with their sums, and those below, with the line of points that stand in none."""
    given, position, more = question.given, question.position, 0
    upper = field.bonuses[0].boxes if field.bonuses else ()
    above = tuple(box for box in made.boxes if box.label in upper)
    below = tuple(box for box in made.boxes if box.label not in upper)
    if field.line:
        name, typed = field.line.name, str(given.get(field.line.name, ""))
        more = (all_fields(question.game, given, position) if position else given).get(name, 0)
        tiles = _tiles(
            [str(n) for n in range(0, field.line.high + 1, field.line.step)], typed, "", can_be_left_out=True
        )
        below += (Box(name, label(question.game, name)[0], "select", typed, choices=tiles),)
    first, second = sums_of(made.id, field, given.get(field.name) or {}, more)
    return ((above, first), (below, second)) if above else ((below, second),)


def _which_throw(made: Control, field: ThrowsLeft, question: PageQuestion) -> Control:
    """Numbers of throws that are left, asked as which throw of the turn it was: the earliest first."""
    names, throws = text("form.throws").split(", "), throws_of_turn(question.game, field, question.given)
    most = throws - bool(question.given.get(field.dice))
    fit = [tile for tile in reversed(made.choices[1:]) if tile.is_on or int(tile.value) <= most]
    tiles = [replace(tile, label=names[max(0, throws - int(tile.value))]) for tile in fit]
    called, help_text = text("form.which_throw"), text("form.which_throw_help")
    return replace(made, label=called, help=help_text, choices=(*made.choices[:1], *tiles), is_throw=True)


def _parameter(field: Parameter, typed: str, chosen: Any, question: PageQuestion) -> Control:
    """One rule parameter, with the value that holds."""
    where, start = RULE + field.name, shown_value(field.default)
    problem = question.problem(where)
    now = typed if problem else shown_value(chosen)
    left_out = now == start and parameter_form(field)["form"] in ("pairs", "list", "number")
    form = parameter_form(field)
    typed = "" if left_out else now
    drawn = "seat" if field.name in WHO else ""
    made = control(where, field.metadata["help"], form, typed, start, problem, can_be_left_out=False, drawn=drawn)
    return _called(made, question.game)


def control(
    name: str,
    help_text: str,
    form: Form,
    typed: str,
    start: str,
    problem: PageProblem | None,
    *,
    can_be_left_out: bool,
    drawn: str = "",
) -> Control:
    """What a form looks like that holds this text."""
    shape = _shape(name, form, typed, start, can_be_left_out, drawn)
    return Control(name, name, help_text, problem=problem, drawn=drawn, **shape)


def _called(made: Control, game: TurnGame) -> Control:
    """The same as people call it: where they have words for it there is no need for help, but for that of a choice."""
    called, note = label(game, made.name)
    is_choice = made.name.startswith(RULE) and made.template == "choice" and made.name != f"{RULE}players"
    needs_help = is_choice or not has_words(game, made.name)
    return replace(made, label=called, help=made.help if needs_help else note)


def is_dice(game: TurnGame, name: str) -> bool:
    """Are dice laid in this field?"""
    return any((field.name, field.form["form"]) == (name, DICE) for field in game.fields())


# --- shapes ----------------------------------------------------------------------------------------------------------

Shape = dict[str, Any]


def _shape(name: str, form: Form, typed: str, start: str, can_be_left_out: bool, drawn: str) -> Shape:
    """The template of a form, with its boxes or its tiles; text that does not fit it is shown as it was typed."""
    held, usual = apart(form, typed), apart(form, start) or {}
    match form["form"]:
        case "dice":
            return {"template": DICE, "boxes": (_box(name, "", form, typed, start),)}
        case "number":  # with steps; of few numbers each stands there
            low, high, step = form["low"], form["high"], form["step"]
            is_few = (high - low) // step < FEW or drawn == "seat"
            values = [str(value) for value in range(low, high + 1, step)] if is_few else []
            if values and typed in ("", NONE, *values):
                tiles = _tiles(values, typed, start, can_be_left_out, name)
                return {"template": "choice", "choices": tuple(map(_who, tiles)) if drawn == "seat" else tiles}
            return {"template": "number", "boxes": (_box(name, "", form, typed, start),)}
        case "switch" if typed in ("", "true", "false"):
            return {"template": "choice", "choices": _tiles(["true", "false"], typed, start, can_be_left_out, name)}
        case "choice" if typed in ("", *(values := [str(member) for member in form["of"]])):
            return {"template": "choice", "choices": _tiles(values, typed, start, can_be_left_out, name)}
        case "set" if (on := apart(form, typed or start)) is not None:
            members = tuple(Tile(f"{name}.{key}", key, key in on) for key in keys(form))
            if drawn == "seat":
                members = tuple(replace(each, label=player(int(each.label)), seat=each.label) for each in members)
            return {"template": "set", "choices": members, "marker": f"{name}.{IS_SENT}"}
        case "map" if held is not None and all(now in map(str, form["boxes"][box]) for box, now in held.items()):
            lines = [_line(f"{name}.{box}", box, scores, held.get(box, "")) for box, scores in form["boxes"].items()]
            return {"template": "sheet", "boxes": tuple(lines)}
        case "pairs" if held is not None:
            return {
                "template": "pairs",
                "boxes": tuple(_pair(name, key, form, held, usual, drawn) for key in keys(form)),
            }
        case "seats" if held is not None and (pegs := _pegs(form, drawn)) and {*held.values()} <= {*pegs, ""}:
            now = {key: held.get(key) or usual.get(key, "") for key in keys(form)}
            return {"template": "seats", "boxes": tuple(_pegged(name, key, pegs, now[key]) for key in now)}
        case "seats" | "list" if held is not None:
            seats = (_seat(name, key, form, held.get(key, ""), usual.get(key, "")) for key in keys(form))
            return {"template": "seats", "boxes": tuple(seats)}
    return {"template": "text", "boxes": (Box(name, "", "text", typed, start or form.get("like", "")),)}


def _tiles(values: list[str], typed: str, start: str, can_be_left_out: bool, name: str = "") -> tuple[Tile, ...]:
    """Things of which one is chosen, or none where that can be."""
    chosen = typed if typed != NONE else ""
    none = [Tile("", text("form.unsaid"), not chosen)] if can_be_left_out else []
    chosen = chosen if can_be_left_out else chosen or start
    return (*none, *(Tile(value, in_words(value, name), value == chosen) for value in values))


def _who(tile: Tile) -> Tile:
    """The same, of a seat."""
    return replace(tile, label=player(int(tile.value)), seat=tile.value) if tile.value else tile


def _pair(name: str, key: str, form: Form, held: dict[str, str], usual: dict[str, str], drawn: str) -> Box:
    """What one of some numbers has: a seat, as many as it says itself (a space that is filled), or any."""
    each, now = {"form": "number", **form["values"]}, held.get(key, "")
    seats = [str(seat) for seat in range(each["low"], each["high"] + 1)] if drawn == "seat" else []
    if now in (*seats, "") and seats:
        return Box(f"{name}.{key}", key, "select", now, choices=tuple(map(_who, _tiles(seats, now, "", True))))
    none = "0" if each["low"] == 0 and not usual else ""
    each |= {"step": int(key)} if drawn == "tiles" else {}
    return _box(f"{name}.{key}", key, each, now, usual.get(key, none))


def _pegs(form: Form, drawn: str) -> list[str]:
    """How many pegs somebody can have; who is out has none, or is past the last. None of them where they are many."""
    each = form["each"]
    if drawn not in MOST:
        return []
    values = [str(value) for value in range(each["low"], each["high"] + 1)]
    out = [OUT] if form["out"] else []
    pegs = [*values, *out] if each["low"] == 0 else [*out, *values]
    return pegs if len(pegs) <= MOST[drawn] else []


def _pegged(name: str, key: str, pegs: list[str], now: str) -> Box:
    """A seat's pegs, of which it has so many."""
    tiles = tuple(Tile(peg, in_words(peg), peg == now) for peg in pegs)
    return _seated(Box(f"{name}.{key}", key, "pegs", now, choices=tiles))


def _seated(box: Box) -> Box:
    """A box by whose it is."""
    return replace(box, label=player(int(box.label)), seat=box.label)


def _line(name: str, box: str, scores: Sequence[int], now: str) -> Box:
    """A line of a score sheet, with what its box can hold."""
    can_hold = [Tile(str(score), str(score), str(score) == now) for score in scores]
    return Box(name, box, "select", now, choices=(Tile("", text("form.open_box"), not now), *can_hold))


def _seat(name: str, key: str, form: Form, now: str, before: str) -> Box:
    """A seat's box, with the switch that says that it is out."""
    is_out, can_go = now == OUT, form.get("out", False) and form["each"]["form"] == "number"
    gone = (f"{name}.{key}{GONE}", is_out) if can_go else None
    made = _box(f"{name}.{key}", key, form["each"], "" if is_out or now == before else now, before, gone)
    return _seated(made) if form["form"] == "seats" else replace(made, label="")


def _box(name: str, label: str, form: Form, typed: str, start: str, gone: tuple[str, bool] | None = None) -> Box:
    typed = "" if typed == NONE else typed
    start = "" if start in (NONE, OUT) else start
    if form["form"] == DICE:
        return Box(name, label, DICE, typed, start, most=form["most"], gone=gone)
    high = None if form["high"] >= FAR else form["high"]
    low = None if form["low"] <= -FAR else form["low"]
    return Box(name, label, "number", typed, start, low, high, form["step"], gone=gone)
