"""``verify --claims``: a claim sheet of one's own, read from a TOML file and checked row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollwise.games.claims import Certified, Claim
from rollwise.games.claims.scoring import score
from rollwise.games.claims.sheets import BEST, BY_RULES, Compute, Found, Row, claim_of, faulty, rows_and_faults
from rollwise.reading.door import check_board, the_fields, the_game
from rollwise.solver.game.errors import BadInput, NotConverged, TooLarge, UnknownName
from rollwise.solver.game.solution import Quantity

if TYPE_CHECKING:
    from rollwise.answers.advice import Advice


MOST_BYTES = 1_000_000  # some thousand claims
MOVE = "move:"
POINTS = "points"


def claims_of(path: str | Path) -> list[Claim]:
    """The claims of a file, in its order, those that are wrong with their fault; nothing is solved.

    What counts as wrong is all that ``rows_of`` refuses, a game, parameter, field or box that there is not, and a state
    that cannot be. Raises BadInput for a file that cannot be read.
    """
    known: dict[str, Found] = {}
    finders = {shape: partial(_once, known, find_it) for shape, find_it in FINDERS.items()}
    claims = []
    for row in rows_and_faults(_text(Path(path)), Path(path).name):
        if isinstance(row, Claim):
            claims.append(row)
            continue
        try:
            with row.placed():
                _look_at(row, known)
        except BadInput as error:
            claims.append(faulty(error, row.id, row.game, row.source, row.statement, row.stated.text))
        else:
            claims.append(claim_of(row, finders))
    return claims


def _once(known: Mapping[str, Found], find_it: Compute, row: Row) -> Found:
    return known[row.id] if row.id in known else find_it(row)


def _text(path: Path) -> str:
    """What a file says; raises BadInput where it cannot be read."""
    try:
        with path.open("rb") as file:
            told = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}", field="claims") from None
    except ValueError as error:  # no name that a file can have
        raise BadInput(f"{str(path)!r} cannot be read: {error}", field="claims") from None
    if len(told) > MOST_BYTES:
        raise BadInput(f"{path} is larger than {MOST_BYTES:,} bytes, which is no claim sheet", field="claims")
    try:
        return told.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not TOML: it is not UTF-8 at byte {error.start:,}", field="claims") from None


def _look_at(row: Row, known: dict[str, Found]) -> None:
    """Raise BadInput for what a row asks for and cannot get; what needs no solved game is found on the way."""
    game = the_game(row.game, row.params) if row.game else None
    if row.shape == "ask":
        assert game is not None
        check_board(game, game.locate(**the_fields(game, row.said)).board)
        _look_at_read(row.read)
        return
    with suppress(TooLarge, NotConverged):  # the verdict says so
        known[row.id] = FINDERS[row.shape](row)


def _look_at_read(read: str) -> None:
    name, dot, part = read.partition(".")
    if read.startswith(MOVE) and read != MOVE:
        return
    if not name or (dot and not part):
        raise _no_such_read(read, ())


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
    found = _read(advice, row.read)
    if row.stated.agrees(found) is None:
        try:
            return _read(ask(row.game, params=row.params, exact=True, state=row.said), row.read)
        except (TooLarge, NotConverged):
            return found
    return found


def _best(advice: Advice, named: str) -> Found:
    """The best moves, spelt as the claim has them where it names them; two readings where it names some of several."""
    if not advice.moves:
        raise BadInput(f"{advice.game} has no moves, so none is best", field="read")
    spelt = {_plainly(move.move): move.move for move in advice.moves}
    wanted = [_plainly(name) for name in named.split(",")]
    for name in wanted:
        if name not in spelt:
            listed = ", ".join(spelt.values())
            raise UnknownName(f"{advice.game} has no move '{name}' there, but {listed}", field="stated")
    best = {_plainly(move) for move in advice.best}
    if set(wanted) == best:
        return named
    every = ", ".join(advice.best)
    if set(wanted) < best:
        return {"all that are equally good": every, "one of them": named}
    return every


def _plainly(name: str) -> str:
    return " ".join(name.lower().split())


def _read(advice: Advice, read: str) -> Certified:
    """One number of an answer."""
    facts = _facts(advice)
    wanted = _plainly(read)
    if wanted not in facts:
        raise _no_such_read(read, [*(["value"] if advice.value is not None else []), *_listed(facts)])
    return facts[wanted]


def _listed(facts: Mapping[str, Certified]) -> list[str]:
    """The names of what can be read; of long distributions the first ones."""
    names = [name for name in facts if name != "value"]
    return [*names[:12], f"and {len(names) - 12} more"] if len(names) > 12 else names


def _facts(advice: Advice) -> dict[str, Certified]:
    """All numbers of an answer by the name that ``read`` has for them."""
    facts: dict[str, Certified] = {}
    if advice.value is not None:
        facts["value"] = _certified(advice.value, advice.lower, advice.upper, advice.exact, advice.unit)
        if advice.objective == "win" and advice.shares is None:
            facts[f"win.{advice.mover}"] = facts["value"]
    for move in advice.moves or ():
        told = (move.value, move.lower, move.upper, move.exact, advice.unit)
        facts[MOVE + _plainly(move.move)] = _certified(*told)
    if advice.shares is not None:
        shares = (advice.shares, advice.shares_lower, advice.shares_upper, advice.shares_exact)
        for name in ("win", "shares"):
            facts |= _parts(name, Quantity(*shares, unit=advice.unit))
    for name, quantity in advice.quantities.items():
        facts |= _parts(name, quantity)
    return facts


def _parts(name: str, quantity: Quantity) -> dict[str, Certified]:
    """A fact, or each part of one that is a list by seat or a distribution."""
    value, bounds = quantity.value, (quantity.value, quantity.lower, quantity.upper, quantity.exact)
    if not isinstance(value, list | tuple | Mapping):
        return {name: _certified(*bounds, quantity.unit)}
    parts = {}
    for key in value if isinstance(value, Mapping) else range(len(value)):
        value, lower, upper, exact = (part[key] if part else None for part in bounds)
        parts[f"{name}.{_plainly(str(key))}"] = _certified(value, lower, upper, exact, quantity.unit)
    return parts


def _certified(value: Any, lower: Any, upper: Any, exact: Any, unit: str) -> Certified:
    fraction = None if exact is None else Fraction(str(exact))
    low, high = (value if bound is None else bound for bound in (lower, upper))
    return Certified(Fraction(low), Fraction(high), fraction, unit)


# --- score and odds ------------------------------------------------------------------------------------------------


def _scored(row: Row) -> Found:
    """What a roll scores; rule parameters are taken as the door takes them."""
    return score(the_game(row.game, row.params), row.said["roll"], row.said["box"])


def _best_odds(row: Row) -> Found:
    """The best chance, or the most points on average, of a turn that goes for one box only."""
    from rollwise.answers.odds import TurnOdds
    from rollwise.asking.odds import goes_for_boxes, odds

    if not goes_for_boxes(row.game):
        raise BadInput(f"a turn of {row.game} has no boxes to go for", field="odds")
    told = odds(row.game, params=row.params, boxes=row.said["box"], rolls=row.said["rolls"])
    assert isinstance(told, TurnOdds)  # boxes were asked for
    by_aim = {found.aim: found.best for found in told.odds}
    chances = [aim for aim in by_aim if aim != POINTS]
    aim = row.said.get("aim", chances[0] if len(chances) == 1 else "")
    if aim not in by_aim:
        raise BadInput(f"odds of {row.said['box']} say an aim: {', '.join(by_aim)}", field="aim")
    best = by_aim[aim]
    return _certified(best.value, best.lower, best.upper, best.exact, best.unit)


FINDERS: dict[str, Compute] = {**BY_RULES, "score": _scored, "ask": _answered, "odds": _best_odds}
