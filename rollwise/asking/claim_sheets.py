"""``verify --claims``: a claim sheet of one's own, read from a TOML file and checked row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rollwise.answers.odds import POINTS, TurnOdds
from rollwise.answers.spelling import shown_value
from rollwise.games.claims import Certified, Claim
from rollwise.games.claims.scoring import score
from rollwise.games.claims.sheets import BEST, BY_RULES, Compute, Found, Row, claim_of, faulty, rows_and_faults
from rollwise.parsing.consent import Door, at_door, refuse
from rollwise.parsing.records import text_of
from rollwise.parsing.validate import check_board, known_parameters, the_fields, the_game
from rollwise.solver.model.errors import BadInput, NotConverged, RollwiseError, TooLarge, UnknownName
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.long_fractions import fraction_of
from rollwise.solver.model.solution import Quantity

if TYPE_CHECKING:
    from rollwise.answers.advice import Advice


MOST_BYTES = 1_000_000  # some thousand claims
MOVE = "move:"
MOST_NAMED = 12  # numbers that an error names


def claims_of(path: str | Path) -> list[Claim]:
    """The claims of a file, in its order, those that are wrong with their fault; nothing is solved.

    What counts as wrong is all that ``rows_of`` refuses, a game, parameter, field or box that there is not, and a state
    that cannot be. Raises BadInput for a file that cannot be read.
    """
    known: dict[str, Found] = {}  # by row: what needs no solved game is found at once

    def finder(shape: str) -> Compute:
        return lambda row: known[row.id] if row.id in known else FINDERS[shape](row)

    finders = {shape: finder(shape) for shape in FINDERS}
    claims = []
    no_such = ("not TOML", "no claim sheet")
    text = text_of(Path(path), most=MOST_BYTES, no_such=no_such, may_be_cut=False, field="claims")
    for row in rows_and_faults(text, Path(path).name):
        if isinstance(row, Claim):
            claims.append(row)
            continue
        try:
            with row.placed(), suppress(TooLarge, NotConverged):  # the verdict says so
                if row.game:
                    game = the_game(row.game, row.params)
                if row.shape == "ask":
                    _require_question(game, row)
                else:
                    known[row.id] = FINDERS[row.shape](row)
        except BadInput as error:
            claims.append(faulty(error, row.id, row.game, row.source, row.statement, row.stated.text))
        else:
            claim = claim_of(row, finders)
            claims.append(replace(claim, otherwise=partial(_holds_with, row, claim)))
    return claims


def _holds_with(row: Row, claim: Claim) -> str:
    """The rules, each of a few choices and changed alone, with which a refuted claim holds; nothing large is solved."""
    made, holds = the_game(row.game, row.params) if row.game else None, list[str]()
    for name, field in known_parameters(row.game).items() if made else ():
        for value in (False, True) if isinstance(field.default, bool) else field.metadata["choices"]:
            if value == getattr(made, name):
                continue
            with at_door(Door(False, "yes=True", refuse)), suppress(RollwiseError):
                found = FINDERS[row.shape](replace(row, params={**row.params, name: value}))
                readings = found.values() if isinstance(found, Mapping) else [found]
                if any(claim.precision.agrees(claim.stated, each) for each in readings):
                    holds.append(f"{name}={shown_value(value)}")
    return f"it holds with {' or '.join(holds)}" if holds else ""


def _require_question(game: TurnGame, row: Row) -> None:
    """Raise BadInput for a state that cannot be, and for what no answer can be read by."""
    check_board(game, game.locate(**the_fields(game, row.said)).board)
    name, dot, part = row.read.partition(".")
    is_of_move = row.read.startswith(MOVE) and row.read != MOVE
    if not is_of_move and (not name or (dot and not part)):
        raise _no_such_read(row.read, ())


def _no_such_read(read: str, there: Iterable[str]) -> BadInput:
    has = f"; this answer has: {', '.join(there)}" if there else ""
    return BadInput(f"read is value, best, {MOVE}NAME, or a fact like win.0, got '{read}'{has}", field="read")


# --- ask -----------------------------------------------------------------------------------------------------------


def _answered(row: Row) -> Found:
    """What is read from the answer to a question; as a fraction where the bounds alone do not settle the claim."""
    from rollwise.asking.ask import ask

    advice = ask(row.game, params=row.params, state=row.said)
    if row.read == BEST:
        return _best(advice, row.stated.text)
    number = _read(advice, row.read)
    if row.stated.agrees(number) is None:
        with suppress(TooLarge, NotConverged):
            return _read(ask(row.game, params=row.params, exact=True, state=row.said), row.read)
    return number


def _best(advice: Advice, named: str) -> Found:
    """The best moves, spelt as the claim has them where it names them; two readings where it names some of several."""
    if not advice.moves:
        raise BadInput(f"{advice.game} has no moves, so none is best", field="read")
    spelt = {_plainly(move.move): move.move for move in advice.moves}
    names = [_plainly(name) for name in named.split(",")]
    for name in names:
        if name not in spelt:
            listed = ", ".join(spelt.values())
            raise UnknownName(f"{advice.game} has no move '{name}' there, but {listed}", field="stated")
    best = {_plainly(move) for move in advice.best}
    if set(names) == best:
        return named
    every = ", ".join(advice.best)
    if set(names) < best:
        return {"all that are equally good": every, "one of them": named}
    return every


def _plainly(name: str) -> str:
    return " ".join(name.lower().split())


def _read(advice: Advice, read: str) -> Certified:
    """One number of an answer."""
    numbers = _numbers(advice)
    name = _plainly(read)
    if name not in numbers:
        others = [other for other in numbers if other != "value"]
        more = [f"and {len(others) - MOST_NAMED} more"] if len(others) > MOST_NAMED else []
        raise _no_such_read(read, [*(["value"] if "value" in numbers else []), *others[:MOST_NAMED], *more])
    return numbers[name]


def _numbers(advice: Advice) -> dict[str, Certified]:
    """All numbers of an answer by the name that ``read`` has for them."""
    quantities: dict[str, Quantity] = {}
    if advice.value is not None:
        value: Quantity = Quantity(advice.value, advice.lower, advice.upper, advice.exact, advice.unit)
        of_mover = advice.objective == "win" and advice.shares is None
        quantities = {"value": value, f"win.{advice.mover}": value} if of_mover else {"value": value}
    for move in advice.moves:
        name = MOVE + _plainly(move.move)
        quantities[name] = Quantity(move.value, move.lower, move.upper, move.exact, advice.unit)
    if advice.shares is not None:
        bounds = (advice.shares, advice.shares_lower, advice.shares_upper)
        quantities["win"] = quantities["shares"] = Quantity(*bounds, advice.shares_exact, advice.unit)
    quantities |= advice.quantities
    return {part: number for name, quantity in quantities.items() for part, number in _parts(name, quantity)}


def _parts(name: str, quantity: Quantity) -> Iterator[tuple[str, Certified]]:
    """A number, or each number of a list by seat or of a distribution, by name."""
    value, bounds = quantity.value, (quantity.value, quantity.lower, quantity.upper, quantity.exact)
    if not isinstance(value, list | tuple | Mapping):
        yield name, _certified(quantity)
        return
    for key in value if isinstance(value, Mapping) else range(len(value)):
        number, lower, upper, exact = (held[key] if held else None for held in bounds)
        yield f"{name}.{_plainly(str(key))}", _certified(Quantity(number, lower, upper, exact, quantity.unit))


def _certified(number: Quantity) -> Certified:
    low, high = (number.value if bound is None else bound for bound in (number.lower, number.upper))
    exact = None if number.exact is None else fraction_of(number.exact)
    return Certified(Fraction(low), Fraction(high), exact, number.unit)


# --- score and odds ------------------------------------------------------------------------------------------------


def _scored(row: Row) -> Found:
    """What a roll scores; rule parameters are taken as the door takes them."""
    return score(the_game(row.game, row.params), row.said["roll"], row.said["box"])


def _best_odds(row: Row) -> Found:
    """The best chance, or the most points on average, of a turn that goes for one box only."""
    from rollwise.asking.odds import boxes_of, odds

    if not boxes_of(row.game, row.params):
        raise BadInput(f"a turn of {row.game} has no boxes to go for", field="odds")
    of_box = odds(row.game, params=row.params, boxes=row.said["box"], rolls=row.said["rolls"])
    assert isinstance(of_box, TurnOdds)  # boxes were named
    by_aim = {of_aim.aim: of_aim.best for of_aim in of_box.odds}
    chances = [aim for aim in by_aim if aim != POINTS]
    aim = row.said.get("aim", chances[0] if len(chances) == 1 else "")
    if aim not in by_aim:
        raise BadInput(f"odds of {row.said['box']} say an aim: {', '.join(by_aim)}", field="aim")
    return _certified(by_aim[aim])


FINDERS: dict[str, Compute] = {**BY_RULES, "score": _scored, "ask": _answered, "odds": _best_odds}
