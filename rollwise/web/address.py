"""Questions as readable addresses, and back: ``/pig?mine=30&turn=12&p.target=50&move=roll``.

Fields have the spelling of the terminal, rule parameters the prefix ``p.``, ``move`` is the chosen move. A form without
script sends a field in parts, ``chips.0=3&chips.1=2``; these are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus, urlencode

from rollwise.parsing.validate import parse_fields, rule_parameters
from rollwise.questions.question import full_state
from rollwise.solver.model.errors import BadInput, RollwiseError, StateError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.text.spelling import shown_value
from rollwise.web.labels import RULE, text

MOVE_KEY = "move"
TURNED_KEY = "turned"  # marks that the other player is to move now; no part of the question
SAFE_CHARS = ",:-*"  # characters left unescaped, so that addresses stay readable
MAX_VALUE_CHARS = 1000  # characters of one value


@dataclass(frozen=True)
class PageProblem:
    """A problem of a question, and the control beside which it is shown: a field, ``p.NAME``, ``move``, or none.

    Two kinds are no faults: ``over`` is how a turn or game has ended, and ``to_come`` the number of dice still to be
    entered. ``is_input`` is False if the question is valid, but has no answer.
    """

    where: str
    message: str
    hint: str = ""
    over: str = ""
    to_come: int = 0
    is_input: bool = True

    @property
    def is_wrong(self) -> bool:
        """True if it is a fault."""
        return not (self.over or self.to_come)


@dataclass
class AddressTexts:
    """Unchecked texts of an address; ``fields`` and ``parameters`` by name.

    ``parts``: fields and parameters (``p.NAME``) sent in pieces, by the keys of the pieces.
    """

    fields: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    move: str = ""
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    problems: list[PageProblem] = field(default_factory=list)


def read_pairs(items: Iterable[tuple[str, str]], fields: Sequence[str], parameters: Sequence[str]) -> AddressTexts:
    """Read the pairs of an address; ``fields`` and ``parameters`` are the valid names.

    Names may have any spelling. Unknown and repeated names are among the problems of the result.
    """
    texts = AddressTexts()
    for name, value in items:
        if len(name) + len(value) > MAX_VALUE_CHARS:
            texts.problems.append(PageProblem("", text("address.long", name=name[:40])))
        else:
            _add_pair(texts, name, value.strip(), fields, parameters)
    return texts


def _add_pair(texts: AddressTexts, name: str, value: str, fields: Sequence[str], parameters: Sequence[str]) -> None:
    """Add one pair of an address to the texts."""
    if name == MOVE_KEY and MOVE_KEY not in fields:
        if texts.move and value:
            texts.problems.append(PageProblem(MOVE_KEY, text("address.twice", name=MOVE_KEY)))
        texts.move = texts.move or value
        return
    is_rule = name.startswith(RULE)
    names = parameters if is_rule else fields
    first, dot, key = name.removeprefix(RULE).partition(".")
    called = matched(first, names) if first else None
    if called is None:
        if value:
            shown = (name if len(name) <= 40 else f"{name[:40]}...").removeprefix(RULE)
            key = "address.no_rule" if is_rule else "address.no_field"
            texts.problems.append(PageProblem("", text(key, name=shown, known=", ".join(names))))
        return
    where = RULE + called if is_rule else called
    into = texts.parameters if is_rule else texts.fields
    if dot:
        pieces = texts.parts.setdefault(where, {})
        clash = key in pieces or bool(into.get(called))
        pieces.setdefault(key, value)
    else:
        clash = bool(value) and (bool(into.get(called)) or where in texts.parts)
        if value:
            into.setdefault(called, value)
    if clash:
        texts.problems.append(PageProblem(where, text("address.twice", name=called)))


def problem_of(error: RollwiseError, fields: Sequence[str], parameters: Sequence[str], where: str = "") -> PageProblem:
    """The problem of an error, beside the control of its field, or at ``where`` if it has none."""
    at = where
    if error.field == MOVE_KEY or error.field in fields:
        at = error.field
    elif error.field in parameters:
        at = RULE + error.field
    elif not at:  # most messages begin with the name of the field
        first = re.split(r"[ =]", str(error), maxsplit=1)[0]
        at = first if first in fields else ""
    hint = error.hint if error.hint.startswith(tuple(f"{name}=" for name in (*fields, *parameters))) else ""
    over = error.over if isinstance(error, StateError) else ""
    return PageProblem(at, error.reason if isinstance(error, StateError) and over else str(error), hint, over)


def is_relative(game: TurnGame) -> bool:
    """True if questions are from the mover's point of view, with fields ``mine`` and ``theirs``."""
    return {"mine", "theirs"} <= {field.name for field in game.fields()}


# --- writing ---------------------------------------------------------------------------------------------------------


def changed_fields(game: TurnGame, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields that differ from the start, or all of them if those do not make the same question."""
    start = full_state(game, {}, game.locate())
    every = parse_fields(game, fields)  # in an answer a seat that is out is "-"
    changed = {name: value for name, value in every.items() if shown_value(value) != shown_value(start.get(name))}
    try:
        return changed if game.locate(**changed) == game.locate(**every) else every
    except BadInput:
        return every


def query_string(game: TurnGame, fields: Mapping[str, Any], move: str = "") -> str:
    """Query string of a question: fields in the game's order, changed rules, the move."""
    return encode_pairs(query_pairs(game, fields, move))


def query_pairs(game: TurnGame, fields: Mapping[str, Any], move: str = "") -> list[tuple[str, str]]:
    """The same as pairs of names and values."""
    diff = changed_fields(game, fields)
    shown = [(field.name, field.show(diff[field.name])) for field in game.fields() if diff.get(field.name) is not None]
    return [*shown, *rule_pairs(game), *([(MOVE_KEY, move)] if move else [])]


def rule_pairs(game: TurnGame) -> list[tuple[str, str]]:
    """Rule parameters that differ from their defaults, as pairs of an address."""
    parameters = rule_parameters(game.name)
    return [
        (RULE + name, shown_value(value))
        for name, value in game.parameters().items()
        if name in parameters and value != parameters[name].default
    ]


def encode_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """Encode pairs as a query string.

    >>> encode_pairs([("filled", "full house:25"), ("roll", "1,5")])
    'filled=full+house:25&roll=1,5'
    """
    return urlencode(pairs, safe=SAFE_CHARS, quote_via=quote_plus)


def question_url(game: TurnGame, fields: Mapping[str, Any], move: str = "") -> str:
    """The address of a question.

    >>> from rollwise.parsing.validate import parse_game
    >>> question_url(parse_game("pig", {"target": 50}), {"mine": 30, "theirs": 0}, "roll")
    '/pig?mine=30&p.target=50&move=roll'
    """
    return f"/{game.name}?{query_string(game, fields, move)}".removesuffix("?")
