"""``verify``: the claims of rule sheets, or of a sheet of the reader, computed exactly and compared as stated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.games.claims import Certified, Claim, Verdict, check, claims, unread_verdict
from rollwise.games.claims.plays import read_play
from rollwise.games.claims.scoring import score
from rollwise.games.claims.sheets import BEST, Row, make_faulty_claim, parse_rows_or_faults
from rollwise.games.claims.values import BY_RULES, ClaimValue, Compute, compute_row, make_claim
from rollwise.games.registry import REGISTRY, find
from rollwise.parsing.consent import Consent, raise_too_large, with_consent
from rollwise.parsing.records import read_text
from rollwise.parsing.validate import check_board, parse_fields, parse_game, rule_parameters
from rollwise.questions.ask.compute import ask
from rollwise.questions.ask.data import Advice
from rollwise.questions.odds.compute import boxes_of, odds
from rollwise.questions.odds.data import POINTS, TurnOdds
from rollwise.questions.verify.data import match_source
from rollwise.solutions.progress import Progress
from rollwise.solver.model.errors import BadInput, NotConverged, RollwiseError, TooLarge, UnknownName
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import fraction_of
from rollwise.solver.model.solution import Quantity
from rollwise.text.spelling import shown_value

MAX_SHEET_BYTES = 1_000_000  # some thousand claims
MOVE = "move:"
MAX_NUMBERS_LISTED = 12  # numbers that an error names


@check_arguments
def verify(
    game: str | None = None,
    *,
    slow: bool = False,
    claims: str | Path | None = None,
    source: str | None = None,
    yes: bool = False,
) -> list[Verdict]:
    """Check every claim, or those of one game, or of one source (its title, or a part of it that no other has).

    A verdict is confirmed, refuted, depends (on a reading) or pending: its game does not exist yet, or the bounds do
    not settle it. Claims that need a long solve are left out unless ``slow`` is set; ``left_out`` names them. With
    ``claims`` the rows of your own claim sheet are checked, all of them: a TOML file as in docs/claims.md. A row with a
    question solves its game as ``ask`` does, and is pending where that needs ``yes``. A faulty row among several is
    unread: its reading has the reason and the line. A refuted figure is tried with the other choices of each rule
    parameter, and its reading names those under which it holds. Raises UnknownGame for an unknown game, UnknownName for
    an unknown source, and BadInput for a claim sheet that cannot be read.

    >>> {row.verdict for row in verify("ten-thousand")}
    {'confirmed'}
    """
    selected = [claim for claim in _claims(game, claims, source) if slow or not _is_slow(claim)]
    rows: list[Verdict] = []
    with Progress("claims", verb="checking") as progress:
        for claim in selected:
            progress.share(len(rows) / len(selected))
            try:
                if claim.fault is not None:
                    raise claim.fault
                rows.append(check(claim))
            except BadInput as error:
                if claims is None or len(selected) == 1:
                    raise
                rows.append(unread_verdict(claim, error))
    return rows


def left_out(game: str | None = None, *, source: str | None = None) -> list[str]:
    """The claims of the rule sheets that are checked only with ``slow``.

    >>> left_out("ten-thousand")
    []
    """
    return [claim.id for claim in _claims(game, None, source) if _is_slow(claim)]


def _claims(game: str | None, sheet: str | Path | None, source: str | None) -> list[Claim]:
    """The claims of this game and source, from the rule sheets or from a user's sheet."""
    if sheet is None:
        of_game = claims(game)
        all_claims = of_game if source is None else claims(None)
    else:
        all_claims = claims_of(sheet)
        if game is not None:
            find(game)
        of_game = [claim for claim in all_claims if game in (None, claim.game)]
    if source is None:
        return of_game
    name = match_source(source, {claim.source for claim in all_claims})
    return [claim for claim in of_game if claim.source == name]


def _is_slow(claim: Claim) -> bool:
    """True if checking needs a long solve; a claim about a missing game is pending at once."""
    return claim.slow and claim.game in REGISTRY


# --- a sheet of the reader -------------------------------------------------------------------------------------------


def claims_of(path: str | Path) -> list[Claim]:
    """The claims of a file, in its order; a faulty one carries its error. Nothing is solved.

    A claim is faulty if its row cannot be read, if its game, parameter, field or box does not exist, or if its state is
    impossible. Raises BadInput for a file that cannot be read.
    """
    claims = []
    no_such = ("not TOML", "no claim sheet")
    text = read_text(Path(path), max_bytes=MAX_SHEET_BYTES, refusals=no_such, may_be_truncated=False, field="claims")
    for row in parse_rows_or_faults(text, Path(path).name):
        if isinstance(row, Claim):
            claims.append(row)
            continue
        claim, parts = make_claim(row, FINDERS), row.parts()
        try:
            with row.place.named(row.id):
                for part in parts:
                    game = parse_game(part.game, part.params) if part.game else None
                    if part.shape == "ask" and game is not None:
                        _require_question(game, part)
            if not any(part.shape == "ask" for part in parts):  # no game is solved, so it is computed at once
                with suppress(TooLarge, NotConverged):  # the verdict says so
                    result = claim.compute()
                    claim = replace(claim, compute=partial(_itself, result))
        except BadInput as error:
            claims.append(make_faulty_claim(error, row.id, row.game, row.source, row.statement, row.stated.text))
        else:
            claims.append(replace(claim, otherwise=partial(_holds_with, row, claim)))
    return claims


def _itself(result: ClaimValue) -> ClaimValue:
    return result


def _holds_with(row: Row, claim: Claim) -> str:
    """The rule choices, each changed alone, under which a refuted claim holds; nothing large is solved."""
    game, holds = parse_game(row.game, row.params) if row.game else None, list[str]()
    for name, field in rule_parameters(row.game).items() if game else ():
        for value in (False, True) if isinstance(field.default, bool) else field.metadata["choices"]:
            if value == getattr(game, name):
                continue
            with with_consent(Consent(False, "yes=True", raise_too_large)), suppress(RollwiseError):
                result = compute_row(_with_rule(row, name, value), FINDERS)
                readings = result.values() if isinstance(result, Mapping) else [result]
                if any(claim.agrees(claim.stated, each) for each in readings):
                    holds.append(f"{name}={shown_value(value)}")
    return f"it holds with {' or '.join(holds)}" if holds else ""


def _with_rule(row: Row, name: str, value: Any) -> Row:
    """The row, and its readings, under another rule."""
    readings = {reading: _with_rule(part, name, value) for reading, part in row.readings.items()}
    return replace(row, params={**row.params, name: value}, readings=readings)


def _require_question(game: TurnGame, row: Row) -> None:
    """Raise BadInput for an impossible state, and for a ``read`` that names no number of an answer."""
    check_board(game, game.locate(**parse_fields(game, row.arguments)).board)
    name, dot, part = row.read.partition(".")
    is_of_move = row.read.startswith(MOVE) and row.read != MOVE
    if not is_of_move and (not name or (dot and not part)):
        raise _no_such_read(row.read, ())


def _no_such_read(read: str, names: Iterable[str]) -> BadInput:
    available = f"; this answer has: {', '.join(names)}" if names else ""
    return BadInput(f"read is value, best, {MOVE}NAME, or a fact like win.0, got '{read}'{available}", field="read")


# --- ask -----------------------------------------------------------------------------------------------------------


def _answer_number(row: Row) -> ClaimValue:
    """The number that a claim reads from an answer; as a fraction where the bounds alone do not settle the claim."""
    advice = ask(row.game, params=row.params, state=row.arguments)
    if row.read == BEST:
        return _best(advice, row.stated.text)
    number = _read_number(advice, row.read)
    if row.stated.agrees(number) is None:
        with suppress(TooLarge, NotConverged):
            return _read_number(ask(row.game, params=row.params, exact=True, state=row.arguments), row.read)
    return number


def _best(advice: Advice, named: str) -> ClaimValue:
    """The best moves, spelt as in the claim where it names them all; two readings where it names only some."""
    if not advice.moves:
        raise BadInput(f"{advice.game} has no moves, so none is best", field="read")
    spelt = {_normalised(move.move): move.move for move in advice.moves}
    names = [_normalised(name) for name in named.split(",")]
    for name in names:
        if name not in spelt:
            listed = ", ".join(spelt.values())
            raise UnknownName(f"{advice.game} has no move '{name}' there, but {listed}", field="stated")
    best = {_normalised(move) for move in advice.best}
    if set(names) == best:
        return named
    every = ", ".join(advice.best)
    if set(names) < best:
        return {"all that are equally good": every, "one of them": named}
    return every


def _normalised(name: str) -> str:
    return " ".join(name.lower().split())


def _read_number(advice: Advice, read: str) -> Certified:
    """One number of an answer."""
    numbers = _numbers(advice)
    name = _normalised(read)
    if name not in numbers:
        others = [other for other in numbers if other != "value"]
        more = [f"and {len(others) - MAX_NUMBERS_LISTED} more"] if len(others) > MAX_NUMBERS_LISTED else []
        raise _no_such_read(read, [*(["value"] if "value" in numbers else []), *others[:MAX_NUMBERS_LISTED], *more])
    return numbers[name]


def _numbers(advice: Advice) -> dict[str, Certified]:
    """All numbers of an answer, by their names for ``read``."""
    quantities: dict[str, Quantity] = {}
    if advice.value is not None:
        value: Quantity = Quantity(advice.value, advice.lower, advice.upper, advice.exact, advice.unit)
        of_mover = advice.objective == "win" and advice.shares is None
        quantities = {"value": value, f"win.{advice.mover}": value} if of_mover else {"value": value}
    for move in advice.moves:
        name = MOVE + _normalised(move.move)
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
        number, lower, upper, exact = (bound[key] if bound else None for bound in bounds)
        yield f"{name}.{_normalised(str(key))}", _certified(Quantity(number, lower, upper, exact, quantity.unit))


def _certified(number: Quantity) -> Certified:
    low, high = (number.value if bound is None else bound for bound in (number.lower, number.upper))
    exact = None if number.exact is None else fraction_of(number.exact)
    return Certified(Fraction(low), Fraction(high), exact, number.unit)


# --- score and odds ------------------------------------------------------------------------------------------------


def _parse_state(row: Row) -> tuple[TurnGame, dict[str, Any]]:
    """The game of a row, and its arguments; rule parameters and fields are checked as everywhere."""
    game = parse_game(row.game, row.params)
    if "state" not in row.arguments:
        return game, row.arguments
    return game, {**row.arguments, "state": parse_fields(game, row.arguments["state"])}


def _roll_score(row: Row) -> ClaimValue:
    """The score of a roll."""
    game, arguments = _parse_state(row)
    return score(game, **arguments)


def _value_of_play(row: Row) -> ClaimValue:
    """What is read from a play; its first position is one that the game can reach."""
    game, arguments = _parse_state(row)
    check_board(game, game.locate(**arguments.get("state", {})).board)
    value: ClaimValue = read_play(game, arguments)
    return value


def _best_odds(row: Row) -> ClaimValue:
    """The best chance, or the most points on average, of a turn that goes for one box only."""
    if not boxes_of(row.game, row.params):
        raise BadInput(f"a turn of {row.game} has no boxes to go for", field="odds")
    of_box = odds(row.game, params=row.params, boxes=row.arguments["box"], rolls=row.arguments["rolls"])
    assert isinstance(of_box, TurnOdds)  # boxes were named
    by_aim = {of_aim.aim: of_aim.best for of_aim in of_box.odds}
    chances = [aim for aim in by_aim if aim != POINTS]
    aim = row.arguments.get("aim", chances[0] if len(chances) == 1 else "")
    if aim not in by_aim:
        raise BadInput(f"odds of {row.arguments['box']} say an aim: {', '.join(by_aim)}", field="aim")
    return _certified(by_aim[aim])


FINDERS: dict[str, Compute] = {
    "throw": BY_RULES["throw"],
    "score": _roll_score,
    "play": _value_of_play,
    "ask": _answer_number,
    "odds": _best_odds,
}
