"""Question of a page: an address, parsed and validated control by control."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rollwise.parsing.validate import rule_parameters
from rollwise.questions.ask.compute import answer
from rollwise.questions.ask.data import Advice
from rollwise.questions.catalogue import parameter_form
from rollwise.questions.question import full_state, question
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.model.errors import BadInput, DiceError, StateError
from rollwise.solver.model.fields import Field, Form, dice_in_text
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.names import matched
from rollwise.web import address
from rollwise.web.address import PageProblem
from rollwise.web.labels import RULE, relabel
from rollwise.web.questions import listed_game as the_game

DICE = "dice"
SIDES = 6


@dataclass(frozen=True)
class PageQuestion:
    """A question of a page, or its problems.

    ``fields`` and ``parameters`` are as typed; ``values`` are the checked fields, of those that could be checked.
    ``position`` is None if there are problems. ``in_pieces``: a form without script sent it.
    """

    game: TurnGame
    fields: Mapping[str, str]
    parameters: Mapping[str, str]
    move: str
    values: Mapping[str, Any]
    position: Position | None
    problems: tuple[PageProblem, ...]
    in_pieces: bool

    @property
    def url(self) -> str:
        """Its address in canonical order."""
        return address.question_url(self.game, self.values, self.move)

    def advice(self, *, stops: bool = False) -> Advice:
        """The answer to a valid question; raises Unsolved. ``stops``: with the stopping threshold."""
        assert self.position is not None
        return answer(self.game, self.values, self.position, QueryOptions(), stops=stops)

    def problem(self, where: str) -> PageProblem | None:
        """The first fault beside this control; else None."""
        return next((problem for problem in self.problems if problem.where == where and problem.is_wrong), None)


def read_question(name: str, items: Iterable[tuple[str, str]], *, forgiving: bool = False) -> PageQuestion:
    """Read the question of an address; raises UnknownGame only.

    ``forgiving``: invalid fields are dropped, for a form whose rules have just changed.
    """
    rule_fields = rule_parameters(the_game(name).name)
    pairs = [pair for pair in items if pair[0] != address.TURNED_KEY]
    rules = address.read_pairs([pair for pair in pairs if pair[0].startswith(RULE)], (), list(rule_fields))
    for parameter, field in rule_fields.items():
        if RULE + parameter in rules.parts:
            rules.parameters.setdefault(
                parameter, join_pieces(parameter_form(field), rules.parts[RULE + parameter], "")
            )
    parameters = {parameter: typed for parameter, typed in rules.parameters.items() if typed}
    problems: list[PageProblem] = []
    try:
        game = the_game(name, parameters)
    except BadInput as error:  # the default game takes its place
        game, problems = the_game(name), [address.problem_of(error, (), list(rule_fields))]
    by_name = {field.name: field for field in game.fields()}
    rest = address.read_pairs([pair for pair in pairs if not pair[0].startswith(RULE)], list(by_name), ())
    problems += [*rules.problems, *([] if forgiving else rest.problems)]
    fields = _field_texts(game, by_name, rest)
    values: dict[str, Any] = {}
    for field_name, typed in list(fields.items()):
        try:
            values[field_name] = by_name[field_name].parse(typed)
        except BadInput as error:
            if forgiving:
                del fields[field_name]
            else:
                problem = address.problem_of(error, list(by_name), list(rule_fields), field_name)
                missing = n_missing_dice(by_name[field_name].form, typed)
                problems.append(replace(problem, message="", to_come=missing) if missing else problem)
    position = None
    if not problems:
        try:
            values, position = question(game, values)
        except BadInput as error:
            problem = address.problem_of(error, list(by_name), list(rule_fields))
            problems.append(problem if problem.over else replace(problem, to_come=_missing_dice(game, by_name, values)))
            if isinstance(error, DiceError) and problems[-1].to_come:
                problems[-1] = replace(problems[-1], message="")
    in_pieces = bool(rules.parts or rest.parts)
    in_words = tuple(replace(each, message=relabel(game, each.message)) for each in problems)
    return PageQuestion(game, fields, parameters, rest.move, values, position, in_words, in_pieces)


def n_missing_dice(form: Form, typed: str) -> int:
    """Number of dice missing in a valid start of a throw; 0 for an invalid one.

    >>> from rollwise.solver.model.fields import dice_form, seats_form
    >>> n_missing_dice(dice_form(5, 5), "2"), n_missing_dice(dice_form(5, 5), "7"), n_missing_dice(dice_form(1, 6), "2")
    (4, 0, 0)
    >>> n_missing_dice(seats_form(3, dice_form(2, 2), True), "5-5,6,-")
    1
    """
    if form["form"] == DICE:
        dice = dice_in_text(typed)
        are_faces = all(isinstance(die, int) and 1 <= die <= SIDES for die in dice)
        return max(0, form["fewest"] - len(dice)) if dice and are_faces else 0
    if form["form"] in ("seats", "list") and form["each"]["form"] == DICE:
        each = [one for one in (split_pieces(form, typed) or {}).values() if one != OUT]
        return max((n_missing_dice(form["each"], one) for one in each), default=0)
    return 0


def _missing_dice(game: TurnGame, by_name: Mapping[str, Field], values: Mapping[str, Any]) -> int:
    """Number of further dice that would make the fields a valid question; 0 if none do."""
    for name, lying in values.items():
        form = by_name[name].form
        for more in range(1, form["most"] - len(lying) + 1) if form["form"] == DICE else ():
            for face in range(1, SIDES + 1):
                dice = tuple(sorted((*lying, *[face] * more)))
                try:
                    question(game, {**values, name: dice})
                except StateError as error:
                    if error.over:
                        return more
                except BadInput:
                    continue
                else:
                    return more
    return 0


def _field_texts(game: TurnGame, by_name: Mapping[str, Field], rest: address.AddressTexts) -> dict[str, str]:
    """Fields as typed, with pieces joined; joined fields as at the start are left out."""
    texts = {name: typed for name, typed in rest.fields.items() if typed}
    starts = start_texts(game) if rest.parts else {}
    for name, pieces in rest.parts.items():
        typed = join_pieces(by_name[name].form, pieces, starts.get(name, ""))
        if typed and typed != starts.get(name):
            texts.setdefault(name, typed)
    return texts


def start_texts(game: TurnGame) -> dict[str, str]:
    """Fields at the start of the game, as typed; those without a value there are left out."""
    start = full_state(game, {}, game.locate())
    return {field.name: field.show(start[field.name]) for field in game.fields() if start.get(field.name) is not None}


# --- fields of several controls ---------------------------------------------------------------------------------------
# The pieces of a set are its members, of a list its places from 0, of a sheet its boxes, of a map its keys.


OUT, NONE = "-", "none"
OUT_SUFFIX = ".out"  # of a seat's key: the switch that it is out
SENT_KEY = ""  # key that marks an empty set as sent


def piece_keys(form: Form) -> list[str]:
    """Keys of the pieces in order; empty for a form of one control."""
    kind = form["form"]
    if kind == "set":
        return [str(member) for member in form["of"]]
    if kind == "map":
        return list(form["boxes"])
    if kind == "pairs":
        return [str(key) for key in range(form["keys"]["low"], form["keys"]["high"] + 1)]
    if kind in ("seats", "list"):
        return [str(place) for place in range(form["count"] if kind == "seats" else form["most"])]
    return []


def join_pieces(form: Form, pieces: Mapping[str, str], start: str) -> str:
    """Join pieces to one text in the spelling of the terminal; empty if no piece is filled in.

    >>> from rollwise.solver.model.fields import number_form, seats_form, set_form
    >>> join_pieces(seats_form(3, number_form(0, 9), True), {"0": "4", "1": "", "2.out": "1"}, "5,5,5")
    '4,5,-'
    >>> join_pieces(set_form([1, 2]), {"": "", "2": "1"}, "1,2"), join_pieces(set_form([1, 2]), {"": ""}, "1,2")
    ('2', 'none')
    """
    kind, names = form["form"], piece_keys(form)
    if kind == "set":
        return ",".join(name for name in names if pieces.get(name)) or (NONE if SENT_KEY in pieces else "")
    if kind in ("map", "pairs"):
        return ",".join(f"{name}:{pieces[name]}" for name in names if pieces.get(name))
    if kind == "list":
        return ",".join(pieces[name] for name in names if pieces.get(name))
    if kind != "seats":
        return next(iter(pieces.values()), "")
    parts = [OUT if pieces.get(name + OUT_SUFFIX) else pieces.get(name, "").replace(",", "-") for name in names]
    if not any(parts):
        return ""
    usual = start.split(",") if start.count(",") == len(names) - 1 else [OUT if form["out"] else ""] * len(names)
    return ",".join(one or other for one, other in zip(parts, usual, strict=True))


def split_pieces(form: Form, typed: str) -> dict[str, str] | None:
    """Split a text into its pieces; None if it cannot be split, and is shown as typed.

    >>> from rollwise.solver.model.fields import number_form, seats_form, set_form
    >>> split_pieces(seats_form(2, number_form(0, 9), True), "4,-"), split_pieces(set_form([1, 2, 3]), "1,3")
    ({'0': '4', '1': '-'}, {'1': '1', '3': '1'})
    >>> split_pieces(set_form([1, 2, 3]), "7") is None
    True
    """
    kind, names = form["form"], piece_keys(form)
    parts = [part.strip() for part in typed.split(",")] if typed not in ("", NONE) else []
    if kind in ("seats", "list") and len(parts) <= len(names):
        return dict(zip(names, parts, strict=False))
    if kind == "set":
        members = [matched(part, names) for part in parts]
        return None if None in members else {str(member): "1" for member in members}
    if kind in ("map", "pairs"):
        return _split_pairs(parts, names)
    return None


def _split_pairs(parts: list[str], names: list[str]) -> dict[str, str] | None:
    """Values by key of ``key:value`` parts; None for an unknown or repeated key."""
    values: dict[str, Any] = {}
    for part in parts:
        name, colon, value = part.partition(":")
        key = matched(name.strip(), names)
        if key is None or not colon or key in values:
            return None
        values[key] = value.strip()
    return values
