"""Before the first step: which rules, who sits where, how dice fall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.answers.spelling import shown_value
from rollwise.asking.catalogue import parameter_rows
from rollwise.match.match import Match
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import Form
from rollwise.solver.model.game import TurnGame
from rollwise.web.labels import WHO, in_words, label
from rollwise.web.page_question import read_question
from rollwise.web.questions import the_game_asked as the_game
from rollwise.web.records import match_of
from rollwise.web.sitting import Sitting
from rollwise.web.texts import text

RULE, FIELD, SEAT = "p.", "s.", "sit."
PERSON, TYPED = "person", "typed"
STEP = "step"  # of a page that was gone back to
HOW = (STEP, "start", "rules", "throws", "coach", "seed")  # what an address has beside rules, fields and seats
LONGEST = 1000


def set_up(name: str, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What the page before the first step shows; rules and fields as an address says them, or the page's own form."""
    chosen = {key: value for key, value in pairs if key in HOW or key.startswith(SEAT)}
    others = [(key.removeprefix(FIELD), value[:LONGEST]) for key, value in pairs if key not in chosen and value]
    question, error = read_question(name, others), ""
    made, fields = question.game, question.fields
    if question.problems:
        wrong, made, fields = question.problems[0], the_game(name), {}
        error = ", ".join(filter(None, (wrong.message, wrong.over))) or text("ask.to_come", count=wrong.to_come)
    kind = kind_of(made)
    bets = {} if kind.chooses else _bets(made, fields)
    seats, begun = kind.n_seats(made), {name: value for name, value in fields.items() if name not in bets}
    return {
        "game": name,
        "title": made.title,
        "rules_text": rules_of(made),
        "rules": [_rule(each, made, question.parameters if error else {}) for each in parameter_rows(name)],
        "fields": begun,
        "begun": _line(made, begun),
        "bets": bets,
        "seats": range(seats),
        "luck": not kind.chooses,
        "hides": kind.mixes,
        "left": STEP in chosen,
        "people": people(chosen, seats),
        "typed": chosen.get("throws") == TYPED,
        "coach": chosen.get("coach") == "on",
        "seed": chosen.get("seed", "")[:LONGEST],
        "error": error,
    }


def _bets(made: TurnGame, fields: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What has to be chosen before a game of luck begins, such as the bet: by name, with what can be said."""
    return {
        each.name: {
            "called": label(made, each.name)[0],
            "help": each.help.partition(":")[0],
            "of": _options(each.name, each.form),
            "value": fields.get(each.name, ""),
        }
        for each in made.fields()
        if each.form["form"] == "choice"
    }


def rules_line(game: TurnGame, parameters: Mapping[str, Any]) -> str:
    """The rule parameters in a line, in the words of the game."""
    return _line(game, {name: value for name, value in parameters.items() if value not in ([], ())}, RULE)


def rules_of(made: TurnGame) -> str:
    """The same of a game that nobody plays yet."""
    return rules_line(made, made.parameters())


def _line(game: TurnGame, values: Mapping[str, Any], sort: str = "") -> str:
    """Rules or fields with their values, as people call them."""
    said = {name: in_words(shown_value(value), name) for name, value in values.items()}
    return " · ".join(f"{label(game, sort + name)[0]}: {value}" for name, value in said.items())


def _options(name: str, form: Form) -> dict[str, str]:
    """What can be chosen, as it is sent, in words; nothing where it is typed."""
    values: Sequence[object] = ()
    match form["form"]:
        case "choice":
            values = form["of"]
        case "switch":
            values = ("true", "false")
        case "number" if name in WHO:
            values = range(form["low"], form["high"] + 1)
    return {str(value): in_words(str(value), name) for value in values}


def _rule(rule: Mapping[str, Any], made: TurnGame, typed: Mapping[str, str]) -> dict[str, Any]:
    """A rule with its value, or with what was typed."""
    value = plain_parameters(made).get(rule["name"], rule["default"])
    shown = typed.get(rule["name"], shown_value(value) if value != [] else "")
    said = {"called": label(made, RULE + rule["name"])[0], "of": _options(rule["name"], rule["form"]), "value": shown}
    return {**rule, **said, "is_usual": rule["name"] not in typed and value == rule["default"]}


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
    if all(value is None for value in sits):
        return (0,)
    return tuple(seat for seat, value in enumerate(sits) if value == PERSON)


def _seed(typed: str) -> int:
    if not (typed.isascii() and typed.isdigit() and len(typed) <= 18):
        raise BadInput(text("play.seed_wanted"), field="seed")
    return int(typed)
