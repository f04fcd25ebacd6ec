"""Form controls of a page, one for every field and rule parameter, made from the game's declarations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rollwise.parsing.validate import rule_parameters
from rollwise.questions.catalogue import parameter_form
from rollwise.questions.question import all_fields, question as understood, throws_of_turn
from rollwise.solver.model.box_fields import Bonus, Scores
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import NO_LIMIT, Field, Form, Numbers, ThrowsLeft
from rollwise.solver.model.game import TurnGame
from rollwise.text.spelling import shown_value
from rollwise.web.address import PageProblem
from rollwise.web.labels import RULE, SEAT_FIELDS, has_label, in_words, label, player_name, text
from rollwise.web.page_question import (
    NONE,
    OUT,
    OUT_SUFFIX,
    SENT_KEY,
    PageQuestion,
    piece_keys,
    split_pieces,
    start_texts,
)

MAX_NUMBER_TILES = 6  # numbers shown side by side as tiles
MAX_WORD_TILES = 4  # words shown side by side as tiles
MAX_PEGS = {"pegs": 12, "track": 25}  # shown side by side
DICE = "dice"


@dataclass(frozen=True)
class Tile:
    """One choice of several: its value, its label, whether it is chosen, and the seat that it stands for, if any."""

    value: str
    label: str
    is_on: bool
    seat: str = ""


@dataclass(frozen=True)
class Box:
    """One input of a control: its name in the form and its look.

    ``kind``: number, dice, text, select or pegs. ``typed`` is its value, ``start`` its value at the start of a game.
    ``low``, ``high`` and ``step`` are those of a number, None without a limit. ``gone``: the name and state of the
    switch for a seat that is out.
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
        """True if a browser's number input can hold the typed text."""
        return not self.typed or self.typed.lstrip("-").replace(".", "", 1).isdigit()

    @property
    def faces(self) -> list[int]:
        """The typed dice, without other characters."""
        return [int(face) for face in self.typed if face in "123456"] if self.kind == DICE else []


@dataclass(frozen=True)
class Control:
    """Control of one field or rule parameter; ``template`` draws its boxes or choices.

    ``is_throw``: it is the number of the throw that lies on the table. ``may_change``: its choices depend on other
    controls. ``parts`` of a sheet: some of its boxes, and the sums below them.
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
        """The name as an element id."""
        return self.name.replace(".", "-")

    @property
    def is_wide(self) -> bool:
        """True if it takes the whole width."""
        return self.is_alone or self.template not in ("number", "choice") or len(self.choices) > MAX_WORD_TILES

    @property
    def is_offered(self) -> bool:
        """True if it has something to choose."""
        return not self.may_change or len(self.choices) > 1 or not self.choices


def field_controls(question: PageQuestion) -> list[Control]:
    """Controls of the fields in the order of a turn: dice, number of the throw, the turn, the rest."""
    starts = start_texts(question.game)
    controls = [
        _field_control(field, question.fields.get(field.name, ""), starts.get(field.name, ""), question)
        for field in question.game.fields()
    ]
    ordered = sorted(controls, key=lambda each: (each.template != DICE, not each.is_throw, each.of != "turn"))
    narrow = [each for each in ordered if each.of == "turn" and not each.is_wide and each.is_offered]
    alone = narrow[-1:] if len(narrow) % 2 else []  # so that the others stand in pairs
    return [replace(each, is_alone=each in alone) for each in ordered]


def parameter_controls(question: PageQuestion) -> list[Control]:
    """Controls of the rule parameters that have a choice, with their present values."""
    chosen, controls = question.game.parameters(), []
    for name, field in rule_parameters(question.game.name).items():
        where, start, form = RULE + name, shown_value(field.default), parameter_form(field)
        if form["form"] == "choice" and len(form["of"]) == 1:
            continue
        is_wrong = question.problem(where) is not None
        value = question.parameters.get(name, "") if is_wrong else shown_value(chosen.get(name, field.default))
        typed = "" if value == start and form["form"] in ("pairs", "list", "number") else value
        drawn = "seat" if name in SEAT_FIELDS else ""
        help_text = field.metadata["help"]
        controls.append(make_control(question, where, help_text, form, typed, start, is_optional=False, drawn=drawn))
    return controls


def _field_control(field: Field, typed: str, start: str, question: PageQuestion) -> Control:
    """Control of a field; valid text is shown in its canonical spelling."""
    if field.name in question.values:
        typed = field.show(question.values[field.name]) if typed else typed
    form = field.form
    where = "seat" if field.name in SEAT_FIELDS and form["form"] in ("number", "set") else field.drawn
    if where in MAX_PEGS and isinstance(field, Numbers) and field.out_at in (field.low, field.high):  # it means out
        low, high = field.low + (field.out_at == field.low), field.high - (field.out_at == field.high)
        form = {**form, "each": {**form["each"], "low": low, "high": high}}
    control = make_control(question, field.name, field.help, form, typed, start, is_optional=True, drawn=where)
    control = replace(control, of=field.of, may_change=field.if_fits or isinstance(field, ThrowsLeft))
    if isinstance(field, Scores) and control.template == "sheet":
        line = question.problem(field.line.name) if field.line else None
        return replace(control, parts=_sheet_parts(control, field, question), problem=control.problem or line)
    control = _throw_of_turn(control, field, question) if isinstance(field, ThrowsLeft) else control
    if not control.may_change or control.template != "choice":
        return control
    fit = [tile for tile in control.choices if tile.is_on or not tile.value or _is_allowed(question, field, tile.value)]
    is_open = len({one.value for one in fit} - {"", "false"}) > control.is_throw or any(one.is_on for one in fit[1:])
    return replace(control, choices=tuple(fit if is_open else fit[:1]))


def _is_allowed(question: PageQuestion, field: Field, value: str) -> bool:
    """True if the other fields allow this value, or are no valid question themselves."""
    others = {name: other for name, other in question.values.items() if name != field.name}
    for fields in (others, {**others, field.name: field.parse(value)}):
        try:
            understood(question.game, fields)
        except BadInput:
            return fields is others
    return True


def _sheet_parts(
    control: Control, field: Scores, question: PageQuestion
) -> tuple[tuple[tuple[Box, ...], tuple[Sum, ...]], ...]:
    """Upper boxes with their sums, and lower boxes with theirs and the line of points outside the boxes."""
    values, position, more = question.values, question.position, 0
    upper = field.bonuses[0].boxes if field.bonuses else ()
    above = tuple(box for box in control.boxes if box.label in upper)
    below = tuple(box for box in control.boxes if box.label not in upper)
    if field.line:
        name, typed = field.line.name, str(values.get(field.line.name, ""))
        more = (all_fields(question.game, values, position) if position else values).get(name, 0)
        tiles = _tiles([str(n) for n in range(0, field.line.high + 1, field.line.step)], typed, "", is_optional=True)
        below += (Box(name, label(question.game, name)[0], "select", typed, choices=tiles),)
    first, second = sums_of(control.id, field, values.get(field.name) or {}, more)
    return ((above, first), (below, second)) if above else ((below, second),)


def _throw_of_turn(control: Control, field: ThrowsLeft, question: PageQuestion) -> Control:
    """Control of the throws left, labelled by the number of the throw on the table, earliest first."""
    names, throws = text("form.throws").split(", "), throws_of_turn(question.game, field, question.values)
    most = throws - bool(question.values.get(field.dice))
    fit = [tile for tile in reversed(control.choices[1:]) if tile.is_on or int(tile.value) <= most]
    tiles = [replace(tile, label=names[max(0, throws - int(tile.value))]) for tile in fit]
    called, help_text = text("form.which_throw"), text("form.which_throw_help")
    return replace(control, label=called, help=help_text, choices=(*control.choices[:1], *tiles), is_throw=True)


def make_control(
    question: PageQuestion,
    name: str,
    help_text: str,
    form: Form,
    typed: str,
    start: str,
    *,
    is_optional: bool,
    drawn: str = "",
) -> Control:
    """Control of a form with this text; help is dropped where the label explains it, except for choices among rules."""
    shape = _control_shape(name, form, typed, start, is_optional, drawn)
    called, note = label(question.game, name)
    is_choice = name.startswith(RULE) and shape["template"] == "choice" and name != f"{RULE}players"
    shown = help_text if is_choice or not has_label(question.game, name) else note
    return Control(name, called, shown, problem=question.problem(name), drawn=drawn, **shape)


def is_dice(game: TurnGame, name: str) -> bool:
    """True if the field takes dice."""
    return any((field.name, field.form["form"]) == (name, DICE) for field in game.fields())


# --- shapes ----------------------------------------------------------------------------------------------------------

Shape = dict[str, Any]


def _control_shape(name: str, form: Form, typed: str, start: str, is_optional: bool, drawn: str) -> Shape:
    """Template, boxes and tiles of a form; text that does not fit becomes a text input."""
    pieces, usual = split_pieces(form, typed), split_pieces(form, start) or {}
    match form["form"]:
        case "dice":
            return {"template": DICE, "boxes": (_box(name, "", form, typed, start),)}
        case "number":  # a stepper, or a tile for each of few numbers
            low, high, step = form["low"], form["high"], form["step"]
            is_few = (high - low) // step < MAX_NUMBER_TILES or drawn == "seat"
            values = [str(value) for value in range(low, high + 1, step)] if is_few else []
            if values and typed in ("", NONE, *values):
                tiles = _tiles(values, typed, start, is_optional, name)
                return {"template": "choice", "choices": tuple(map(_seat_tile, tiles)) if drawn == "seat" else tiles}
            return {"template": "number", "boxes": (_box(name, "", form, typed, start),)}
        case "switch" if typed in ("", "true", "false"):
            return {"template": "choice", "choices": _tiles(["true", "false"], typed, start, is_optional, name)}
        case "choice" if typed in ("", *(values := [str(member) for member in form["of"]])):
            return {"template": "choice", "choices": _tiles(values, typed, start, is_optional, name)}
        case "set" if (on := split_pieces(form, typed or start)) is not None:
            members = tuple(Tile(f"{name}.{key}", key, key in on) for key in piece_keys(form))
            if drawn == "seat":
                members = tuple(replace(each, label=player_name(int(each.label)), seat=each.label) for each in members)
            return {"template": "set", "choices": members, "marker": f"{name}.{SENT_KEY}"}
        case "map" if pieces is not None and all(now in map(str, form["boxes"][box]) for box, now in pieces.items()):
            lines = [_line(f"{name}.{box}", box, scores, pieces.get(box, "")) for box, scores in form["boxes"].items()]
            return {"template": "sheet", "boxes": tuple(lines)}
        case "pairs" if pieces is not None:
            return {
                "template": "pairs",
                "boxes": tuple(_pair_box(name, key, form, pieces, usual, drawn) for key in piece_keys(form)),
            }
        case "seats" if pieces is not None and (pegs := _peg_values(form, drawn)) and {*pieces.values()} <= {*pegs, ""}:
            now = {key: pieces.get(key) or usual.get(key, "") for key in piece_keys(form)}
            return {"template": "seats", "boxes": tuple(_peg_box(name, key, pegs, now[key]) for key in now)}
        case "seats" | "list" if pieces is not None:
            seats = (_seat_box(name, key, form, pieces.get(key, ""), usual.get(key, "")) for key in piece_keys(form))
            return {"template": "seats", "boxes": tuple(seats)}
    return {"template": "text", "boxes": (Box(name, "", "text", typed, start or form.get("like", "")),)}


def _tiles(values: list[str], typed: str, start: str, is_optional: bool, name: str = "") -> tuple[Tile, ...]:
    """Tiles of which one is chosen, or none if it may be left out."""
    chosen = typed if typed != NONE else ""
    none = [Tile("", text("form.unsaid"), not chosen)] if is_optional else []
    chosen = chosen if is_optional else chosen or start
    return (*none, *(Tile(value, in_words(value, name), value == chosen) for value in values))


def _seat_tile(tile: Tile) -> Tile:
    """The tile of a seat."""
    return replace(tile, label=player_name(int(tile.value)), seat=tile.value) if tile.value else tile


def _pair_box(name: str, key: str, form: Form, pieces: dict[str, str], usual: dict[str, str], drawn: str) -> Box:
    """Box of one key of a map: a seat, a multiple of the key (a filled space), or any number."""
    each, now = {"form": "number", **form["values"]}, pieces.get(key, "")
    seats = [str(seat) for seat in range(each["low"], each["high"] + 1)] if drawn == "seat" else []
    if now in (*seats, "") and seats:
        return Box(f"{name}.{key}", key, "select", now, choices=tuple(map(_seat_tile, _tiles(seats, now, "", True))))
    none = "0" if each["low"] == 0 and not usual else ""
    each |= {"step": int(key)} if drawn == "tiles" else {}
    return _box(f"{name}.{key}", key, each, now, usual.get(key, none))


def _peg_values(form: Form, drawn: str) -> list[str]:
    """Values of a seat's pegs in order, out included; empty if there are too many to show."""
    each = form["each"]
    if drawn not in MAX_PEGS:
        return []
    values = [str(value) for value in range(each["low"], each["high"] + 1)]
    out = [OUT] if form["out"] else []
    pegs = [*values, *out] if each["low"] == 0 else [*out, *values]
    return pegs if len(pegs) <= MAX_PEGS[drawn] else []


def _peg_box(name: str, key: str, pegs: list[str], now: str) -> Box:
    """Box of a seat's pegs."""
    tiles = tuple(Tile(peg, in_words(peg), peg == now) for peg in pegs)
    return _with_seat(Box(f"{name}.{key}", key, "pegs", now, choices=tiles))


def _with_seat(box: Box) -> Box:
    """The box with the label of its seat."""
    return replace(box, label=player_name(int(box.label)), seat=box.label)


def _line(name: str, box: str, scores: Sequence[int], now: str) -> Box:
    """Line of a score sheet, with the possible scores of its box."""
    can_hold = [Tile(str(score), str(score), str(score) == now) for score in scores]
    return Box(name, box, "select", now, choices=(Tile("", text("form.open_box"), not now), *can_hold))


def _seat_box(name: str, key: str, form: Form, now: str, before: str) -> Box:
    """Box of a seat, with a switch for a seat that is out."""
    is_out, can_go = now == OUT, form.get("out", False) and form["each"]["form"] == "number"
    gone = (f"{name}.{key}{OUT_SUFFIX}", is_out) if can_go else None
    box = _box(f"{name}.{key}", key, form["each"], "" if is_out or now == before else now, before, gone)
    return _with_seat(box) if form["form"] == "seats" else replace(box, label="")


def _box(name: str, label: str, form: Form, typed: str, start: str, gone: tuple[str, bool] | None = None) -> Box:
    typed = "" if typed == NONE else typed
    start = "" if start in (NONE, OUT) else start
    if form["form"] == DICE:
        return Box(name, label, DICE, typed, start, most=form["most"], gone=gone)
    high = None if form["high"] >= NO_LIMIT else form["high"]
    low = None if form["low"] <= -NO_LIMIT else form["low"]
    return Box(name, label, "number", typed, start, low, high, form["step"], gone=gone)


# --- sums of a score sheet --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sum:
    """A computed line of a sheet."""

    id: str
    label: str
    value: str
    note: str = ""


def sums_of(id: str, field: Scores, sheet: Mapping[str, int], more: int) -> tuple[tuple[Sum, ...], tuple[Sum, ...]]:
    """Sums below the upper part, and sums below all boxes; ``more`` are points outside the boxes."""
    lines = [_bonus(f"{id}-bonus-{place}", bonus, field, sheet) for place, bonus in enumerate(field.bonuses)]
    earned = sum(bonus.points for bonus in field.bonuses if bonus.progress(sheet) >= bonus.enough)
    upper = [Sum(f"{id}-upper", text("form.upper"), str(bonus.progress(sheet))) for bonus in field.bonuses[:1]]
    total = Sum(f"{id}-total", text("form.total"), str(sum(sheet.values()) + earned + more))
    return (*upper, *lines[:1]), (*lines[1:], total)


def _bonus(id: str, bonus: Bonus, field: Scores, sheet: Mapping[str, int]) -> Sum:
    """Line of a bonus: its points, or the points still missing."""
    best = {box: max(field.allowed.get(box, [0])) for box in bonus.boxes}
    missing = bonus.enough - bonus.progress(sheet)
    if missing <= 0:
        return Sum(id, bonus.called, str(bonus.points))
    lost = bonus.progress({**best, **sheet}) < bonus.enough
    return Sum(id, bonus.called, "0" if lost else "", text("form.lost") if lost else text("form.to_go", count=missing))
