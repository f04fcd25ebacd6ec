"""Setup of a game to play: its rules, seats and dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.match.match import Match
from rollwise.questions.catalogue import parameter_rows
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import Form
from rollwise.solver.model.game import TurnGame
from rollwise.text.spelling import shown_value
from rollwise.web.labels import RULE, SEAT_FIELDS, in_words, label, text
from rollwise.web.page_question import read_question
from rollwise.web.questions import listed_game as the_game
from rollwise.web.records import match_of
from rollwise.web.sitting import Sitting, new_lot, parse_seats

FIELD, SEAT = "s.", "sit."  # before names, beside the prefix of rules
PERSON, TYPED = "person", "typed"
STEP_KEY = "step"  # marks a page reached by the back button
SETUP_KEYS = (STEP_KEY, "start", "rules", "throws", "coach", "seed")  # beside rules, fields and seats
NEW_KEYS = {"start", "resume"}  # of a form that starts a game, or resumes a saved one
MAX_VALUE_CHARS = 1000
MAX_INPUT_CHARS = 200  # of a move, of dice, or of a lot


def setup_view(name: str, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Values of the template of the setup page; ``pairs`` are of an address, or of the page's own form."""
    chosen = {key: value for key, value in pairs if key in SETUP_KEYS or key.startswith(SEAT)}
    others = [(key.removeprefix(FIELD), value[:MAX_VALUE_CHARS]) for key, value in pairs if key not in chosen and value]
    question, error = read_question(name, others), ""
    game, fields = question.game, question.fields
    if question.problems:
        wrong, game, fields = question.problems[0], the_game(name), {}
        error = ", ".join(filter(None, (wrong.message, wrong.over))) or text("ask.to_come", count=wrong.to_come)
    kind = kind_of(game)
    bets = {} if kind.has_decisions else _bet_views(game, fields)
    seats, begun = kind.n_seats(game), {name: value for name, value in fields.items() if name not in bets}
    return {
        "game": name,
        "title": game.title,
        "rules_text": rules_line(game),
        "rules": [_rule_view(each, game, question.parameters if error else {}) for each in parameter_rows(name)],
        "fields": begun,
        "begun": _values_line(game, begun),
        "bets": bets,
        "seats": range(seats),
        "luck": not kind.has_decisions,
        "hides": kind.is_mixed,
        "is_earlier": STEP_KEY in chosen,
        "people": human_seats(chosen, seats),
        "typed": chosen.get("throws") == TYPED,
        "coach": chosen.get("coach") == "on",
        "seed": chosen.get("seed", "")[:MAX_VALUE_CHARS],
        "error": error,
    }


def _bet_views(game: TurnGame, fields: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Choices before a game of luck, such as the bet, by field, with their options."""
    return {
        each.name: {
            "called": label(game, each.name)[0],
            "help": each.help.partition(":")[0],
            "of": _options(each.name, each.form),
            "value": fields.get(each.name, ""),
        }
        for each in game.fields()
        if each.form["form"] == "choice"
    }


def rules_line(game: TurnGame, parameters: Mapping[str, Any] | None = None) -> str:
    """Rule parameters in a line, with their labels; by default those of the game."""
    chosen = game.parameters() if parameters is None else parameters
    return _values_line(game, {name: value for name, value in chosen.items() if value not in ([], ())}, RULE)


def _values_line(game: TurnGame, values: Mapping[str, Any], sort: str = "") -> str:
    """Rules or fields in a line, with labels and words for values."""
    words = {name: in_words(shown_value(value), name) for name, value in values.items()}
    return " · ".join(f"{label(game, sort + name)[0]}: {value}" for name, value in words.items())


def _options(name: str, form: Form) -> dict[str, str]:
    """Words of the options by the value sent; empty if the value is typed."""
    values: Sequence[object] = ()
    match form["form"]:
        case "choice":
            values = form["of"]
        case "switch":
            values = ("true", "false")
        case "number" if name in SEAT_FIELDS:
            values = range(form["low"], form["high"] + 1)
    return {str(value): in_words(str(value), name) for value in values}


def _rule_view(rule: Mapping[str, Any], game: TurnGame, typed: Mapping[str, str]) -> dict[str, Any]:
    """A rule with its value, or with the typed text."""
    value = plain_parameters(game).get(rule["name"], rule["default"])
    shown = typed.get(rule["name"], shown_value(value) if value != [] else "")
    view = {"called": label(game, RULE + rule["name"])[0], "of": _options(rule["name"], rule["form"]), "value": shown}
    return {**rule, **view, "is_usual": rule["name"] not in typed and value == rule["default"]}


def sitting_of_form(name: str, form: Mapping[str, str]) -> Sitting:
    """The game that a form starts, resumes from a loaded record, or carries on; raises BadInput."""
    if "start" in form:
        rules = {key.removeprefix(RULE): value for key, value in form.items() if key.startswith(RULE) and value}
        fields = {key.removeprefix(FIELD): value for key, value in form.items() if key.startswith(FIELD) and value}
        seed = form.get("seed", "").strip()
        match = Match(name, params=rules, state=fields, seed=_parse_seed(seed) if seed else None)
    else:
        match = match_of(form.get("record", ""))
    is_new, lot = bool(form.keys() & NEW_KEYS), form.get("lot", "")[:MAX_INPUT_CHARS] or new_lot()
    humans = human_seats(form, match.seats) if is_new else parse_seats(form.get("seats", ""), match.seats)
    thrown, coach = form.get("throws") != TYPED, form.get("coach") == "on"
    return Sitting(match, humans, thrown, coach, lot, since=len(match.record()) - 1)


def human_seats(form: Mapping[str, str], seats: int) -> tuple[int, ...]:
    """Seats of people; the first seat if the form has none."""
    sits = [form.get(f"{SEAT}{seat}") for seat in range(seats)]
    if all(value is None for value in sits):
        return (0,)
    return tuple(seat for seat, value in enumerate(sits) if value == PERSON)


def _parse_seed(typed: str) -> int:
    if not (typed.isascii() and typed.isdigit() and len(typed) <= 18):
        raise BadInput(text("play.seed_wanted"), field="seed")
    return int(typed)
