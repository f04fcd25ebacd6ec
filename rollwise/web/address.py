"""A question as a readable address, and back: ``/pig?mine=30&turn=12&p.target=50&move=roll``.

Fields stand by their names as they are typed at the terminal, rule parameters with ``p.`` before theirs, ``move`` is
the chosen move. A form without script sends a field in parts, ``chips.0=3&chips.1=2``; these are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus, urlencode

from rollwise.answers.spelling import shown_value
from rollwise.asking.question import understood
from rollwise.parsing.validate import known_parameters, the_fields
from rollwise.solver.model.errors import BadInput, RollwiseError, StateError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.web.texts import text

RULE = "p."  # before the name of a rule parameter
MOVE = "move"
TURNED = "turned"  # a mark for whoever reads the page: the other player is asked now. It is no part of the question
PLAIN = ",:-*"  # characters that stay as they are in an address, for whoever reads it
LONGEST = 1000  # characters of one value


@dataclass(frozen=True)
class PageProblem:
    """What is wrong, and beside which control that stands: a field, ``p.NAME``, ``move``, or nothing for all of it.

    Two are no faults: ``over`` says how a turn or game ended that leaves nothing to ask, and ``to_come`` how many dice
    are still to be laid. ``is_input`` is False where the question is well put, and is not answered.
    """

    where: str
    message: str
    hint: str = ""
    over: str = ""
    to_come: int = 0
    is_input: bool = True

    @property
    def is_wrong(self) -> bool:
        """Is it a fault?"""
        return not (self.over or self.to_come)


@dataclass
class AddressTexts:
    """What an address says of a game, as text and not checked; ``fields`` and ``parameters`` by name.

    ``parts``: of fields and parameters (``p.NAME``) that were sent piece by piece, the pieces by their keys.
    """

    fields: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    move: str = ""
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    problems: list[PageProblem] = field(default_factory=list)


def read(items: Iterable[tuple[str, str]], fields: Sequence[str], parameters: Sequence[str]) -> AddressTexts:
    """What the pairs of an address say; ``fields`` and ``parameters`` are the names that there are.

    Names are read in any spelling. What no name fits, and what stands there twice, is a problem of the answer.
    """
    texts = AddressTexts()
    for name, value in items:
        if len(name) + len(value) > LONGEST:
            texts.problems.append(PageProblem("", text("address.long", name=name[:40])))
        else:
            _put(texts, name, value.strip(), fields, parameters)
    return texts


def _put(texts: AddressTexts, name: str, value: str, fields: Sequence[str], parameters: Sequence[str]) -> None:
    """One pair of an address."""
    if name == MOVE and MOVE not in fields:
        if texts.move and value:
            texts.problems.append(PageProblem(MOVE, text("address.twice", name=MOVE)))
        texts.move = texts.move or value
        return
    is_rule = name.startswith(RULE)
    known = parameters if is_rule else fields
    first, dot, key = name.removeprefix(RULE).partition(".")
    called = matched(first, known) if first else None
    if called is None:
        if value:
            texts.problems.append(_unknown(name, is_rule, known))
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


def _unknown(name: str, is_rule: bool, known: Sequence[str]) -> PageProblem:
    """What to say of a name that there is not."""
    shown = name if len(name) <= 40 else f"{name[:40]}..."
    key = "address.no_rule" if is_rule else "address.no_field"
    return PageProblem("", text(key, name=shown.removeprefix(RULE), known=", ".join(known)))


def problem(error: RollwiseError, fields: Sequence[str], parameters: Sequence[str], where: str = "") -> PageProblem:
    """An error, beside the control that it is about; ``where``, if the error names none."""
    at = where
    if error.field == MOVE or error.field in fields:
        at = error.field
    elif error.field in parameters:
        at = RULE + error.field
    elif not at:  # most errors begin with what they are about
        first = re.split(r"[ =]", str(error), maxsplit=1)[0]
        at = first if first in fields else ""
    hint = error.hint if error.hint.startswith(tuple(f"{name}=" for name in (*fields, *parameters))) else ""
    over = error.over if isinstance(error, StateError) else ""
    return PageProblem(at, error.reason if isinstance(error, StateError) and over else str(error), hint, over)


def swaps(game: TurnGame) -> bool:
    """Is a question asked as its mover sees it, with what is ``mine`` and ``theirs``?"""
    return {"mine", "theirs"} <= {field.name for field in game.fields()}


# --- writing ---------------------------------------------------------------------------------------------------------


def briefly(game: TurnGame, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without those that are as at the start, where that makes the same question."""
    start = understood(game, {}, game.locate())
    every = the_fields(game, fields)  # of an answer, a seat that is out is "-"
    few = {name: value for name, value in every.items() if shown_value(value) != shown_value(start.get(name))}
    try:
        return few if game.locate(**few) == game.locate(**every) else every
    except BadInput:
        return every


def query(game: TurnGame, fields: Mapping[str, Any], move: str = "") -> str:
    """The part of an address behind the question mark: fields in the game's order, changed rules, the move."""
    return written(pairs(game, fields, move))


def pairs(game: TurnGame, fields: Mapping[str, Any], move: str = "") -> list[tuple[str, str]]:
    """The same as names and values."""
    few = briefly(game, fields)
    shown = [(field.name, field.show(few[field.name])) for field in game.fields() if few.get(field.name) is not None]
    return [*shown, *rules(game), *([(MOVE, move)] if move else [])]


def rules(game: TurnGame) -> list[tuple[str, str]]:
    """The rule parameters that are not as usual, as pairs of an address."""
    known = known_parameters(game.name)
    return [
        (RULE + name, shown_value(value))
        for name, value in game.parameters().items()
        if name in known and value != known[name].default
    ]


def written(pairs: Sequence[tuple[str, str]]) -> str:
    """Pairs as they stand in an address.

    >>> written([("filled", "full house:25"), ("roll", "1,5")])
    'filled=full+house:25&roll=1,5'
    """
    return urlencode(pairs, safe=PLAIN, quote_via=quote_plus)


def page(game: TurnGame, fields: Mapping[str, Any], move: str = "") -> str:
    """The address of a question.

    >>> from rollwise.parsing.validate import the_game
    >>> page(the_game("pig", {"target": 50}), {"mine": 30, "theirs": 0}, "roll")
    '/pig?mine=30&p.target=50&move=roll'
    """
    return f"/{game.name}?{query(game, fields, move)}".removesuffix("?")
