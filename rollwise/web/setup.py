"""Before the first step: which rules, who sits where, how dice fall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.answers.spelling import shown_value
from rollwise.asking.catalogue import parameter_rows
from rollwise.match.match import Match
from rollwise.saying.head import HasParameters, heading
from rollwise.solved.identity import plain_parameters
from rollwise.solver.game.errors import BadInput, RollwiseError
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.web.questions import the_game_asked as the_game
from rollwise.web.records import match_of
from rollwise.web.sitting import Sitting
from rollwise.web.texts import text

RULE, FIELD, SEAT = "p.", "s.", "sit."
PERSON, TYPED = "person", "typed"
STEP = "step"  # of a page that was gone back to
HOW = (STEP, "start", "rules", "throws", "coach", "seed")  # what an address has beside rules, fields and seats
LONGEST = 1000


def set_up(name: str, said: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What the page before the first step shows; rules and fields as an address says them, or the page's own form."""
    chosen = {key: value for key, value in said if key in HOW or key.startswith(SEAT)}
    rules = {key.removeprefix(RULE): value[:LONGEST] for key, value in said if key.startswith(RULE) and value}
    fields = {
        key.removeprefix(FIELD): value[:LONGEST]
        for key, value in said
        if not key.startswith(RULE) and key not in chosen and value
    }
    error = ""
    try:
        made = the_game(name, rules)
        made.locate(**_parsed(made, fields))
    except RollwiseError as wrong:
        error, made, fields = str(wrong), the_game(name), {}
    seats = kind_of(made).n_seats(made)
    asked = {} if kind_of(made).chooses else _asked(made, fields)
    return {
        "game": name,
        "title": made.title,
        "rules_told": rules_of(made),
        "rules": [_rule(each, made, rules if error else {}) for each in parameter_rows(name)],
        "fields": {name: value for name, value in fields.items() if name not in asked},
        "asked": asked,
        "seats": range(seats),
        "luck": not kind_of(made).chooses,
        "hides": kind_of(made).mixes,
        "left": STEP in chosen,
        "people": people(chosen, seats),
        "typed": chosen.get("throws") == TYPED,
        "coach": chosen.get("coach") == "on",
        "seed": chosen.get("seed", "")[:LONGEST],
        "error": error,
    }


def _asked(made: TurnGame, fields: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What has to be chosen before a game of luck begins, such as the bet: by name, with what can be said."""
    return {
        each.name: {"help": each.help.partition(":")[0], "of": each.form["of"], "value": fields.get(each.name, "")}
        for each in made.fields()
        if each.form["form"] == "choice"
    }


def rules_told(answer: HasParameters) -> str:
    """The rule parameters in a line."""
    return heading(answer, "").strip().removeprefix("(").removesuffix(")")


def rules_of(made: TurnGame) -> str:
    """The same of a game that nobody plays yet."""
    return rules_told(_Told(made))


class _Told:
    """A game with its rules, as headings want it."""

    def __init__(self, game: TurnGame) -> None:
        self.parameters = dict(game.parameters())


def _rule(told: Mapping[str, Any], made: TurnGame, typed: Mapping[str, str]) -> dict[str, Any]:
    """A rule with its value, or with what was typed."""
    value = plain_parameters(made)[told["name"]]
    if told["name"] in typed:
        return {**told, "value": typed[told["name"]], "is_usual": False}
    return {**told, "value": shown_value(value) if value != [] else "", "is_usual": value == told["default"]}


def _parsed(made: TurnGame, fields: Mapping[str, str]) -> dict[str, Any]:
    known = {field.name: field for field in made.fields()}
    for name in fields:
        if name not in known:
            raise BadInput(text("play.no_field", name=name[:40], known=", ".join(known)))
    return {name: known[name].parse(value) for name, value in fields.items()}


def started(name: str, form: Mapping[str, str]) -> Sitting:
    """The game that a form asks for; raises BadInput."""
    rules = {key.removeprefix(RULE): value for key, value in form.items() if key.startswith(RULE) and value}
    fields = {key.removeprefix(FIELD): value for key, value in form.items() if key.startswith(FIELD) and value}
    seed = form.get("seed", "").strip()
    match = Match(name, params=rules, state=fields, seed=_seed(seed) if seed else None)
    return _sitting(match, form)


def from_record(form: Mapping[str, str]) -> Sitting:
    """The game of a record that was loaded, to go on with; raises BadInput."""
    return _sitting(match_of(form.get("record", "")), form)


def _sitting(match: Match, form: Mapping[str, str]) -> Sitting:
    thrown = form.get("throws") != TYPED
    sitting = Sitting(match, people(form, match.seats), thrown, form.get("coach") == "on")
    sitting.since = sitting.lines
    return sitting


def people(form: Mapping[str, str], seats: int) -> tuple[int, ...]:
    """The seats of people; the first where nothing is said of any."""
    sits = [form.get(f"{SEAT}{seat}") for seat in range(seats)]
    said = any(value is not None for value in sits)
    return tuple(seat for seat, value in enumerate(sits) if value == PERSON or (not said and seat == 0))


def _seed(said: str) -> int:
    if not (said.isascii() and said.isdigit() and len(said) <= 18):
        raise BadInput(text("play.seed_wanted"), field="seed")
    return int(said)
