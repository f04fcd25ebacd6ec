"""The answer of ``odds`` as a person reads it: a table of boxes, or what a turn risks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import fsum

from rollwise.answers.odds import BEST, POINTS, BestOdds, TurnOdds, TurnRisk
from rollwise.answers.spelling import either, shown_state
from rollwise.solver.model.solution import ByOutcome, OneNumber
from rollwise.text.blocks import Bar, Block, CellTable, Heading, Sentence, TableCell
from rollwise.text.head import head, heading
from rollwise.text.layout import aligned
from rollwise.text.numbers import MOST, TOLD, fraction, number, percent
from rollwise.text.screen import line_width
from rollwise.text.terminal import Blocks, printed

MOST_LINES = 16  # of a turn's points
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2500, 5000)
RARE = 5e-4  # points that are reached no more often stand in one line
BARS = 30  # characters of the longest
MORE, FEWER, HIGHER = "or more", "or fewer", "or higher"


def odds_lines(odds: TurnOdds | TurnRisk, title: str, *, briefly: bool) -> list[str]:
    """The whole answer of ``odds``; of boxes briefly a line for each aim, with the fraction for the most rolls only."""
    if isinstance(odds, TurnOdds):
        return printed(_by_box(odds, title, briefly=briefly))
    return printed([head(odds, title, shown_state(odds.state)), *_bust(odds), *_turn(odds), *_again(odds)])


# --- by box --------------------------------------------------------------------------------------------------------


def _by_box(of_boxes: TurnOdds, title: str, *, briefly: bool) -> list[Blocks]:
    by_aim = [(aim, list(some)) for aim, some in groupby(of_boxes.odds, key=lambda odds: (odds.box, odds.aim))]
    rolls = [f"{n} {'roll' if n == 1 else 'rolls'}" for n in dict.fromkeys(odds.rolls for odds in of_boxes.odds)]
    notes = ["Each has its own best way to play. Plain scores of the dice: no jokers, no bonuses of the sheet."]
    if briefly:
        notes.append("Name a box to see all its fractions, or a number of rolls (--rolls); --json has everything.")
        rows = [["box", "going for", *rolls, "exactly" if len(rolls) == 1 else f"exactly, {rolls[-1]}"]]
        rows += [[*aim, *map(_best, some), some[-1].best.exact or ""] for aim, some in by_aim]
        right = range(2, 2 + len(rolls))
        if len(aligned(_named_once(rows))[0]) > line_width():
            rows = [row[:-1] for row in rows]  # the note says how to see the fractions
    else:
        rows = [["box", "going for", "with", "best", "exactly"]]
        rows += [
            [*aim, with_rolls, _best(odds), odds.best.exact or ""]
            for aim, some in by_aim
            for with_rolls, odds in zip(rolls, some, strict=True)
        ]
        right = range(3, 4)
    about = "A turn that goes for one box and nothing else: the best chance, and the most points on average."
    table = CellTable(_named_once(rows), right, names=2)
    return [[Heading(heading(of_boxes, title)), Sentence([about])], table, Sentence(notes)]


def _best(odds: BestOdds) -> str:
    """The number in decimals; points stand under the digits of per cents."""
    return number(odds.best.value, odds.best.unit, MOST) + ("" if odds.best.unit == "probability" else "  ")


def _named_once(rows: Sequence[list[str]]) -> list[list[str]]:
    """Rows in which a box, and an aim of it, is named in its first line only."""
    shown, before = [], ["", ""]
    for box, aim, *rest in rows:
        shown.append([box if box != before[0] else "", aim if [box, aim] != before else "", *rest])
        before = [box, aim]
    return shown


# --- busts ---------------------------------------------------------------------------------------------------------


def _bust(risk: TurnRisk) -> list[Block]:
    """A line for each number of dice, a column for each thing that lies on the table."""
    if not risk.bust:
        return [Sentence([f"No throw is a bust: {risk.words.bust}."])]
    by_trio: dict[int | None, dict[int, OneNumber]] = {}
    for row in risk.bust:
        by_trio.setdefault(row.trio, {})[row.dice] = row.chance
    alike: dict[tuple[float, ...], list[int]] = {}
    for trio, chances in by_trio.items():
        if trio is not None:
            alike.setdefault(tuple(chance.value for chance in chances.values()), []).append(trio)
    columns = [("no trio" if alike else "chance", by_trio[None])] if None in by_trio else []
    columns += [(f"trio of {either(faces)}", by_trio[faces[0]]) for faces in alike.values()]
    rows = [["dice", *(cell for name, _ in columns for cell in (name, ""))]]
    for dice in dict.fromkeys(row.dice for row in risk.bust):
        cells = [_chance(chances[dice]) if dice in chances else ("", "") for _, chances in columns]
        rows.append([str(dice), *(cell for pair in cells for cell in pair)])
    return [Sentence([f"Chance to bust ({risk.words.bust})"]), CellTable(rows, right=(0, *range(1, len(rows[0]), 2)))]


def _chance(chance: OneNumber) -> tuple[str, str]:
    """In per cent, and as a fraction."""
    return percent(chance.value, TOLD), fraction(chance.exact) or ""


# --- the turn ------------------------------------------------------------------------------------------------------


def _turn(risk: TurnRisk) -> list[Block]:
    """What the turn will make: a sentence, and a line for each number of points or some of them."""
    points, words = risk.turn.points, risk.words
    how = "" if risk.policy is None else ", played best" if risk.policy == BEST else f", played by {risk.policy}"
    facts = []
    if risk.turn.mean is not None:
        facts.append(f"{number(risk.turn.mean.value, POINTS)} {words.counted} on average")
    if risk.turn.bust is not None:
        facts.append(f"{percent(risk.turn.bust.value, TOLD)} {words.lost}")
    if len(points.value) == 1 and not points.tail:
        (only,) = points.value
        return [Sentence([f"All points of this turn{how}: {only}, for certain"])]
    about = f"All points of this turn{how}" if words.counted == "points" else f"What this turn comes to{how}"
    rows: list[list[TableCell]] = [[words.counted, "chance", words.reached, ""]]
    table = CellTable([*rows, *_histogram(points, words.reached)], right=(0, 1, 2))
    return [Sentence([about, *(["; ".join(facts)] if facts else [])]), table]


def _histogram(points: ByOutcome, way: str) -> list[list[TableCell]]:
    """Lines of points, chance, chance of these or better, and a bar; ranges where there are many."""
    chances = points.value
    beyond = points.tail["upper"] if points.tail else 0.0
    groups = [([name], chance) for name, chance in chances.items()] if way == HIGHER else _grouped(chances)
    rows: list[list[TableCell]] = []
    most = max([beyond, *(chance for _, chance in groups)])
    for i, (names, chance) in enumerate(groups):
        others = groups[i + 1 :] if way == FEWER else groups[:i]  # exactly 1 where there are none
        reached = max(0.0, 1.0 - fsum([*(each for _, each in others), beyond if way == FEWER else 0.0]))
        last = i == len(groups) - 1 and way == MORE
        name = names[0] if len(names) == 1 else f"{names[0]} {way}" if last else f"{names[0]}-{names[-1]}"
        rows.append([name, percent(chance, TOLD), percent(reached, TOLD), Bar(chance / most, BARS)])
    if points.tail and beyond >= RARE:
        shown = percent(beyond, TOLD)
        rows.append([f"{points.tail['from']} {way}", shown, shown, Bar(beyond / most, BARS)])
    return rows


def _grouped(chances: Mapping[str, float]) -> list[tuple[list[str], float]]:
    """Neighbouring points together, as few of them as leave no more than MOST_LINES lines; rare ends in one line."""
    points = sorted(map(int, chances))
    if not points:
        return []
    usual = [n for n in points if fsum(chances[str(m)] for m in points if m >= n) > RARE]
    last = usual[-1] if usual else points[-1]
    for step in STEPS:
        groups: dict[tuple[bool, int], list[int]] = {}
        for n in points:
            key = (n > last, 0 if n > last else n // step if n > 0 else n * step - 1)
            groups.setdefault(key, []).append(n)
        if len(groups) <= MOST_LINES:
            break
    return [([str(n) for n in some], fsum(chances[str(n)] for n in some)) for some in groups.values()]


# --- one more throw ------------------------------------------------------------------------------------------------


def _again(risk: TurnRisk) -> list[Block]:
    """What one more throw gains and loses; points are not all there is."""
    again, words = risk.again, risk.words
    if again is None:
        dice, thrown = risk.state.get("dice"), {row.dice for row in risk.bust}
        other = dice is not None and len(thrown) == 1 and dice not in thrown
        return [Sentence([f"One more throw: {f'here it is one of dice={dice}' if other else words.no_more}."])]
    throw = f"One more throw of {again.dice} {'die' if again.dice == 1 else 'dice'}"
    gain, loss = again.gain, again.loss
    if gain.unit == "probability":
        rows = [
            ["it comes out higher", *_chance(gain)],
            ["it comes out lower", *_chance(loss)],
            ["the same", percent(1 - gain.value - loss.value, TOLD), ""],
        ]
        return [Sentence([f"{throw}, {again.made} on the table"]), CellTable(rows, right=(1,))]
    sign = -1 if words.reached == FEWER else 1
    rows = [
        [f"it {words.gain}", number(gain.value, POINTS), fraction(gain.exact) or ""],
        [f"it {words.loss}", number(loss.value, POINTS), fraction(loss.exact) or ""],
        ["together", number((gain.value - loss.value) * sign, POINTS, signed=True), ""],
    ]
    about = Sentence([f"{throw} with {again.made} {words.counted} {words.held}, on average"])
    advice = Sentence(["Points are not all that counts: 'rollwise ask' says which move is best."])
    return [about, CellTable(rows, right=(1,)), *([advice] if risk.policy is not None and loss.value else [])]
