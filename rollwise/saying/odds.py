"""The answer of ``odds`` as a person reads it: a table of boxes, or what a turn risks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING

from rollwise.answers.odds import BEST, POINTS, OneMoreThrow, TurnRisk
from rollwise.answers.spelling import shown_state
from rollwise.saying.blocks import Bar, Block, CellTable, Heading, Sentence, TableCell
from rollwise.saying.head import head, heading
from rollwise.saying.layout import aligned
from rollwise.saying.numbers import MOST, number
from rollwise.saying.screen import line_width
from rollwise.saying.terminal import printed
from rollwise.solver.game.solution import Quantity

if TYPE_CHECKING:
    from rollwise.answers.odds import BestOdds, TurnOdds


def turn_odds_lines(found: TurnOdds, title: str, *, briefly: bool) -> list[str]:
    """The whole answer of ``odds``; briefly: a line for each box and aim, with the fraction for the most rolls only."""
    by_aim: dict[tuple[str, str], list[BestOdds]] = {}
    for odds in found.odds:
        by_aim.setdefault((odds.box, odds.aim), []).append(odds)
    rolls = [f"{n} {'roll' if n == 1 else 'rolls'}" for n in dict.fromkeys(odds.rolls for odds in found.odds)]
    right: Sequence[int] = range(3, 4)
    notes = ["Each has its own best way to play. Plain scores of the dice: no jokers, no bonuses of the sheet."]
    if briefly:
        notes.append("Name a box to see all its fractions, or a number of rolls (--rolls); --json has everything.")
        rows = [["box", "going for", *rolls, "exactly" if len(rolls) == 1 else f"exactly, {rolls[-1]}"]]
        rows += [[*aim, *map(_best, told), told[-1].best.exact] for aim, told in by_aim.items()]
        right = range(2, 2 + len(rolls))
        if len(aligned(_said_once(rows))[0]) > line_width():
            rows = [row[:-1] for row in rows]  # the note says how to see the fractions
    else:
        rows = [["box", "going for", "with", "best", "exactly"]]
        rows += [
            [*aim, said, _best(odds), odds.best.exact]
            for aim, told in by_aim.items()
            for said, odds in zip(rolls, told, strict=True)
        ]
    about = "A turn that goes for one box and nothing else: the best chance, and the most points on average."
    table = CellTable(_said_once(rows), right, names=2)
    return printed([[Heading(heading(found, title)), Sentence([about])], table, Sentence(notes)])


def _best(odds: BestOdds) -> str:
    """The number in decimals; points stand under the digits of per cents."""
    return number(odds.best.value, odds.best.unit, MOST) + ("" if odds.best.unit == "probability" else "  ")


def _said_once(rows: Sequence[list[str]]) -> list[list[str]]:
    """Rows in which a box, and an aim of it, is named in its first line only."""
    shown, before = [], ["", ""]
    for box, aim, *rest in rows:
        shown.append([box if box != before[0] else "", aim if [box, aim] != before else "", *rest])
        before = [box, aim]
    return shown


MOST_LINES = 16  # of a turn's points
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2500, 5000)
RARE = 5e-4  # points that are reached no more often stand in one line
BARS = 30  # characters of the longest
LONGEST_SHOWN = 24  # characters of a fraction in a table
MORE, FEWER, HIGHER = "or more", "or fewer", "or higher"


def turn_risk_lines(found: TurnRisk, title: str) -> list[str]:
    """The whole answer of ``odds`` about a turn."""
    return printed([head(found, title, shown_state(found.state)), *_bust(found), *_turn(found), *_again(found)])


# --- busts ---------------------------------------------------------------------------------------------------------


def _bust(found: TurnRisk) -> list[Block]:
    """A line for each number of dice, a column for each thing that lies on the table."""
    if not found.bust:
        return [Sentence([f"No throw is a bust: {found.words.bust}."])]
    by_trio: dict[int | None, dict[int, Quantity]] = {}
    for row in found.bust:
        by_trio.setdefault(row.trio, {})[row.dice] = row.chance
    alike: dict[tuple[float, ...], list[int]] = {}
    for trio, chances in by_trio.items():
        if trio is not None:
            alike.setdefault(tuple(chance.value for chance in chances.values()), []).append(trio)
    groups: list[tuple[str, Mapping[int, Quantity]]] = [("no trio" if alike else "chance", by_trio.get(None, {}))]
    groups += [(f"trio of {_or(faces)}", by_trio[faces[0]]) for faces in alike.values()]
    shown = [group for group in groups if group[1]]
    rows = [["dice", *(cell for name, _ in shown for cell in (name, ""))]]
    for dice in dict.fromkeys(row.dice for row in found.bust):
        cells = [cell for _, chances in shown for cell in _chance(chances.get(dice))]
        rows.append([str(dice), *cells])
    return [Sentence([f"Chance to bust ({found.words.bust})"]), CellTable(rows, right=(0, *range(1, len(rows[0]), 2)))]


def _chance(told: Quantity | None) -> tuple[str, str]:
    return ("", "") if told is None else (_percent(told.value), _exactly(told))


def _or(faces: Sequence[int]) -> str:
    *others, last = map(str, faces)
    return f"{', '.join(others)} or {last}" if others else last


# --- the turn ------------------------------------------------------------------------------------------------------


def _turn(found: TurnRisk) -> list[Block]:
    """What the turn will make: a sentence, and a line for each number of points or some of them."""
    points, words = found.turn.points, found.words
    how = "" if found.policy is None else ", played best" if found.policy == BEST else f", played by {found.policy}"
    facts = []
    if found.turn.mean is not None:
        facts.append(f"{number(found.turn.mean.value, POINTS)} {words.counted} on average")
    if found.turn.bust is not None:
        facts.append(f"{_percent(found.turn.bust.value)} {words.lost}")
    if len(points.value) == 1 and not points.tail:
        (only,) = points.value
        return [Sentence([f"All points of this turn{how}: {only}, for certain"])]
    about = f"All points of this turn{how}" if words.counted == "points" else f"What this turn comes to{how}"
    rows: list[list[TableCell]] = [[words.counted, "chance", words.reached, ""]]
    table = CellTable([*rows, *_histogram(points, words.reached)], right=(0, 1, 2))
    return [Sentence([about, *(["; ".join(facts)] if facts else [])]), table]


def _histogram(points: Quantity, way: str) -> list[list[TableCell]]:
    """Lines of points, chance, chance of these or better, and a bar; ranges where there are many."""
    chances: dict[str, float] = dict(points.value)
    beyond = points.tail["upper"] if points.tail else 0.0
    groups = [([name], chance) for name, chance in chances.items()] if way == HIGHER else _grouped(chances)
    rows: list[list[TableCell]] = []
    most = max([beyond, *(chance for _, chance in groups)])
    for i, (names, chance) in enumerate(groups):
        others = groups[i + 1 :] if way == FEWER else groups[:i]  # exactly 1 where there are none
        reached = max(0.0, 1.0 - fsum([*(each for _, each in others), beyond if way == FEWER else 0.0]))
        last = i == len(groups) - 1 and way == MORE
        name = names[0] if len(names) == 1 else f"{names[0]} {way}" if last else f"{names[0]}-{names[-1]}"
        rows.append([name, _percent(chance), _percent(reached), Bar(chance / most, BARS)])
    if points.tail and beyond >= RARE:
        told = _percent(beyond)
        rows.append([f"{points.tail['from']} {way}", told, told, Bar(beyond / most, BARS)])
    return rows


def _grouped(chances: Mapping[str, float]) -> list[tuple[list[str], float]]:
    """Neighbouring points together, as few of them as leave no more than MOST_LINES lines; rare ends in one line."""
    points = sorted(map(int, chances))
    if not points:
        return []
    usual = [n for n in points if fsum(chances[str(m)] for m in points if m >= n) > RARE]
    last = usual[-1] if usual else points[-1]
    for step in STEPS:
        found: dict[tuple[bool, int], list[int]] = {}
        for n in points:
            key = (n > last, 0 if n > last else n // step if n > 0 else n * step - 1)
            found.setdefault(key, []).append(n)
        if len(found) <= MOST_LINES:
            break
    return [([str(n) for n in some], fsum(chances[str(n)] for n in some)) for some in found.values()]


# --- one more throw ------------------------------------------------------------------------------------------------


def _again(found: TurnRisk) -> list[Block]:
    """What one more throw gains and loses."""
    again, words = found.again, found.words
    if again is None:
        thrown, told = found.state.get("dice"), {row.dice for row in found.bust}
        other = thrown is not None and len(told) == 1 and thrown not in told
        return [Sentence([f"One more throw: {f'here it is one of dice={thrown}' if other else words.no_more}."])]
    dice = f"{again.dice} {'die' if again.dice == 1 else 'dice'}"
    if again.gain.unit == "probability":
        same = 1 - again.gain.value - again.loss.value
        rows = [
            ["it comes out higher", _percent(again.gain.value), _exactly(again.gain)],
            ["it comes out lower", _percent(again.loss.value), _exactly(again.loss)],
            ["the same", _percent(same), ""],
        ]
        return [Sentence([f"One more throw of {dice}, {again.made} on the table"]), CellTable(rows, right=(1,))]
    sign = -1 if words.reached == FEWER else 1
    rows = [
        [f"it {words.gain}", number(again.gain.value, POINTS), _exactly(again.gain)],
        [f"it {words.loss}", number(again.loss.value, POINTS), _exactly(again.loss)],
        ["together", number((again.gain.value - again.loss.value) * sign, POINTS, signed=True), ""],
    ]
    about = f"One more throw of {dice} with {again.made} {words.counted} {words.held}, on average"
    return [Sentence([about]), CellTable(rows, right=(1,)), *_advice(found, again)]


def _advice(found: TurnRisk, again: OneMoreThrow) -> list[Block]:
    """Points are not all there is."""
    if found.policy is None or again.loss.value == 0:
        return []
    return [Sentence(["Points are not all that counts: 'rollwise ask' says which move is best."])]


def _exactly(told: Quantity) -> str:
    return told.exact if told.exact is not None and len(told.exact) <= LONGEST_SHOWN else ""


def _percent(chance: float) -> str:
    """A chance in per cent; what is neither impossible nor certain does not look so."""
    return number(chance, "probability")
