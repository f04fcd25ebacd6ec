"""The question of a page: an address read, checked control by control, and as far as it goes a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rollwise.asking.catalogue import parameter_form
from rollwise.asking.question import question, understood
from rollwise.parsing.validate import known_parameters
from rollwise.solver.model.errors import BadInput, DiceError, StateError
from rollwise.solver.model.fields import Field, Form, dice_said
from rollwise.solver.model.game import Position, TurnGame
from rollwise.web import address
from rollwise.web.address import RULE, PageProblem
from rollwise.web.labels import told
from rollwise.web.pieces import OUT, apart, joined
from rollwise.web.questions import the_game_asked as the_game

DICE = "dice"
SIDES = 6


@dataclass(frozen=True)
class PageQuestion:
    """A question of a page, or what is wrong with it.

    ``fields`` and ``parameters`` are as typed; ``given`` are the checked fields, of those that could be checked.
    ``position`` is None where there are problems. ``in_pieces``: did a form without script send it?
    """

    game: TurnGame
    fields: Mapping[str, str]
    parameters: Mapping[str, str]
    move: str
    given: Mapping[str, Any]
    position: Position | None
    problems: tuple[PageProblem, ...]
    in_pieces: bool

    @property
    def url(self) -> str:
        """Its address, in canonical order."""
        return address.page(self.game, self.given, self.move)

    def problem(self, where: str) -> PageProblem | None:
        """What is wrong beside this control, the first of it."""
        return next((problem for problem in self.problems if problem.where == where and problem.is_wrong), None)


def read_question(name: str, items: Iterable[tuple[str, str]], *, forgiving: bool = False) -> PageQuestion:
    """The question that an address asks; raises UnknownGame only.

    ``forgiving``: what does not fit is left out, for a form of which the rules have just been changed.
    """
    known = known_parameters(the_game(name).name)
    pairs = [pair for pair in items if pair[0] != address.TURNED]
    rules = address.read([pair for pair in pairs if pair[0].startswith(RULE)], (), list(known))
    for parameter, field in known.items():
        if RULE + parameter in rules.parts:
            rules.parameters.setdefault(parameter, joined(parameter_form(field), rules.parts[RULE + parameter], ""))
    parameters = {parameter: typed for parameter, typed in rules.parameters.items() if typed}
    game, problems = _game(name, parameters)
    kinds = {field.name: field for field in game.fields()}
    rest = address.read([pair for pair in pairs if not pair[0].startswith(RULE)], list(kinds), ())
    problems += [*rules.problems, *([] if forgiving else rest.problems)]
    fields = _texts(game, kinds, rest)
    given: dict[str, Any] = {}
    for field_name, typed in list(fields.items()):
        try:
            given[field_name] = kinds[field_name].parse(typed)
        except BadInput as error:
            if forgiving:
                del fields[field_name]
            else:
                problem = address.problem(error, list(kinds), list(known), field_name)
                missing = to_be_laid(kinds[field_name].form, typed)
                problems.append(replace(problem, message="", to_come=missing) if missing else problem)
    position = None
    if not problems:
        try:
            given, position = question(game, given)
        except BadInput as error:
            problem = address.problem(error, list(kinds), list(known))
            problems.append(problem if problem.over else replace(problem, to_come=_more_dice(game, kinds, given)))
            if isinstance(error, DiceError) and problems[-1].to_come:
                problems[-1] = replace(problems[-1], message="")
    in_pieces = bool(rules.parts or rest.parts)
    in_words = tuple(replace(each, message=told(game, each.message)) for each in problems)
    return PageQuestion(game, fields, parameters, rest.move, given, position, in_words, in_pieces)


def to_be_laid(form: Form, typed: str) -> int:
    """How many dice are missing in a text that begins as it should; 0 where it does not.

    >>> from rollwise.solver.model.fields import dice_form, seats_form
    >>> to_be_laid(dice_form(5, 5), "2"), to_be_laid(dice_form(5, 5), "7"), to_be_laid(dice_form(1, 6), "2")
    (4, 0, 0)
    >>> to_be_laid(seats_form(3, dice_form(2, 2), True), "5-5,6,-")
    1
    """
    if form["form"] == DICE:
        dice = dice_said(typed)
        are_faces = all(isinstance(die, int) and 1 <= die <= SIDES for die in dice)
        return max(0, form["fewest"] - len(dice)) if dice and are_faces else 0
    if form["form"] in ("seats", "list") and form["each"]["form"] == DICE:
        each = [one for one in (apart(form, typed) or {}).values() if one != OUT]
        return max((to_be_laid(form["each"], one) for one in each), default=0)
    return 0


def _more_dice(game: TurnGame, kinds: Mapping[str, Field], given: Mapping[str, Any]) -> int:
    """How many more dice of a roll make a question of what is none yet; 0 where no dice do."""
    for name, lying in given.items():
        form = kinds[name].form
        for more in range(1, form["most"] - len(lying) + 1) if form["form"] == DICE else ():
            for face in range(1, SIDES + 1):
                dice = tuple(sorted((*lying, *[face] * more)))
                try:
                    question(game, {**given, name: dice})
                except StateError as error:
                    if error.over:
                        return more
                except BadInput:
                    continue
                else:
                    return more
    return 0


def _game(name: str, parameters: Mapping[str, str]) -> tuple[TurnGame, list[PageProblem]]:
    """The game with these rules, or as it is usually played and what is wrong with the rules."""
    try:
        return the_game(name, parameters), []
    except BadInput as error:
        usual = the_game(name)
        return usual, [address.problem(error, (), list(known_parameters(usual.name)))]


def _texts(game: TurnGame, kinds: Mapping[str, Field], rest: address.AddressTexts) -> dict[str, str]:
    """The fields as typed; pieces are put together, and those that say what is so at the start say nothing."""
    texts = {name: typed for name, typed in rest.fields.items() if typed}
    starts = start_texts(game) if rest.parts else {}
    for name, pieces in rest.parts.items():
        typed = joined(kinds[name].form, pieces, starts.get(name, ""))
        if typed and typed != starts.get(name):
            texts.setdefault(name, typed)
    return texts


def start_texts(game: TurnGame) -> dict[str, str]:
    """The fields at the start of the game, as typed; those that the start has not are left out."""
    start = understood(game, {}, game.locate())
    return {field.name: field.show(start[field.name]) for field in game.fields() if start.get(field.name) is not None}
