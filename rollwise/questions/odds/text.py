"""Text of the answer of ``odds``: a table of boxes, or the risk of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import fsum

from rollwise.questions.head import head, heading
from rollwise.questions.odds.data import BEST, POINTS, BestOdds, TurnOdds, TurnRisk
from rollwise.solver.model.solution import ByOutcome, OneNumber
from rollwise.text.blocks import Bar, Block, CellTable, Heading, Sentence, TableCell
from rollwise.text.layout import align_rows
from rollwise.text.numbers import TABLE_PLACES, TEXT_PLACES, fraction, number, percent
from rollwise.text.screen import line_width
from rollwise.text.spelling import either, shown_state
from rollwise.text.terminal import Blocks, render_text

MAX_LINES = 16  # of the table of a turn's points
STEP_SIZES = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2500, 5000)
RARE = 5e-4  # rarer points share a line
BAR_CHARS = 30  # of the longest
MORE, FEWER, HIGHER = "or more", "or fewer", "or higher"


def odds_lines(odds: TurnOdds | TurnRisk, title: str, *, briefly: bool) -> list[str]:
    """The whole answer of ``odds``; ``briefly``: boxes have one line an aim, with the fraction for the most rolls."""
    if isinstance(odds, TurnOdds):
        return render_text(_box_table(odds, title, briefly=briefly))
    return render_text([head(odds, title, shown_state(odds.state)), *_bust(odds), *_turn(odds), *_next_throw(odds)])


# --- by box --------------------------------------------------------------------------------------------------------


def _box_table(of_boxes: TurnOdds, title: str, *, briefly: bool) -> list[Blocks]:
    by_aim = [(aim, list(some)) for aim, some in groupby(of_boxes.odds, key=lambda odds: (odds.box, odds.aim))]
    rolls = [f"{n} {'roll' if n == 1 else 'rolls'}" for n in dict.fromkeys(odds.rolls for odds in of_boxes.odds)]
    notes = ["Each has its own best way to play. Plain scores of the dice: no jokers, no bonuses of the sheet."]
    if briefly:
        notes.append("Name a box to see all its fractions, or a number of rolls (--rolls); --json has everything.")
        rows = [["box", "going for", *rolls, "exactly" if len(rolls) == 1 else f"exactly, {rolls[-1]}"]]
        rows += [[*aim, *map(_best_number, some), some[-1].best.exact or ""] for aim, some in by_aim]
        right = range(2, 2 + len(rolls))
        if len(align_rows(_name_once(rows))[0]) > line_width():
            rows = [row[:-1] for row in rows]  # the note says how to see the fractions
    else:
        rows = [["box", "going for", "with", "best", "exactly"]]
        rows += [
            [*aim, with_rolls, _best_number(odds), odds.best.exact or ""]
            for aim, some in by_aim
            for with_rolls, odds in zip(rolls, some, strict=True)
        ]
        right = range(3, 4)
    about = "A turn that goes for one box and nothing else: the best chance, and the most points on average."
    table = CellTable(_name_once(rows), right, names=2)
    return [[Heading(heading(of_boxes, title)), Sentence([about])], table, Sentence(notes)]


def _best_number(odds: BestOdds) -> str:
    """The number in decimals, points aligned with the digits of per cents."""
    return number(odds.best.value, odds.best.unit, TABLE_PLACES) + ("" if odds.best.unit == "probability" else "  ")


def _name_once(rows: Sequence[list[str]]) -> list[list[str]]:
    """The rows with each box, and each aim of it, named in its first line only."""
    named, previous = [], ["", ""]
    for box, aim, *rest in rows:
        named.append([box if box != previous[0] else "", aim if [box, aim] != previous else "", *rest])
        previous = [box, aim]
    return named


# --- busts ---------------------------------------------------------------------------------------------------------


def _bust(risk: TurnRisk) -> list[Block]:
    """The chances to bust: a line for each number of dice, a column for each trio on the table."""
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
    """A chance in per cent and as a fraction."""
    return percent(chance.value, TEXT_PLACES), fraction(chance.exact) or ""


# --- the turn ------------------------------------------------------------------------------------------------------


def _turn(risk: TurnRisk) -> list[Block]:
    """The points of the turn: a sentence, and a line for each number of points or range."""
    points, words = risk.turn.points, risk.words
    how = "" if risk.policy is None else ", played best" if risk.policy == BEST else f", played by {risk.policy}"
    facts = []
    if risk.turn.mean is not None:
        facts.append(f"{number(risk.turn.mean.value, POINTS)} {words.counted} on average")
    if risk.turn.bust is not None:
        facts.append(f"{percent(risk.turn.bust.value, TEXT_PLACES)} {words.lost}")
    if len(points.value) == 1 and not points.tail:
        (only,) = points.value
        return [Sentence([f"All points of this turn{how}: {only}, for certain"])]
    about = f"All points of this turn{how}" if words.counted == "points" else f"What this turn comes to{how}"
    rows: list[list[TableCell]] = [[words.counted, "chance", words.reached, ""]]
    table = CellTable([*rows, *_histogram(points, words.reached)], right=(0, 1, 2))
    return [Sentence([about, *(["; ".join(facts)] if facts else [])]), table]


def _histogram(points: ByOutcome, way: str) -> list[list[TableCell]]:
    """Rows of points, chance, chance to reach them, and a bar; ranges where there are many."""
    chances = points.value
    beyond = points.tail["upper"] if points.tail else 0.0
    groups = [([name], chance) for name, chance in chances.items()] if way == HIGHER else _group_points(chances)
    rows: list[list[TableCell]] = []
    top = max([beyond, *(chance for _, chance in groups)])
    for i, (names, chance) in enumerate(groups):
        others = groups[i + 1 :] if way == FEWER else groups[:i]  # exactly 1 where there are none
        reached = max(0.0, 1.0 - fsum([*(each for _, each in others), beyond if way == FEWER else 0.0]))
        last = i == len(groups) - 1 and way == MORE
        name = names[0] if len(names) == 1 else f"{names[0]} {way}" if last else f"{names[0]}-{names[-1]}"
        rows.append([name, percent(chance, TEXT_PLACES), percent(reached, TEXT_PLACES), Bar(chance / top, BAR_CHARS)])
    if points.tail and beyond >= RARE:
        shown = percent(beyond, TEXT_PLACES)
        rows.append([f"{points.tail['from']} {way}", shown, shown, Bar(beyond / top, BAR_CHARS)])
    return rows


def _group_points(chances: Mapping[str, float]) -> list[tuple[list[str], float]]:
    """Neighbouring points in ranges, as short as MAX_LINES lines allow; rare points at the end share a line."""
    points = sorted(map(int, chances))
    if not points:
        return []
    usual = [n for n in points if fsum(chances[str(m)] for m in points if m >= n) > RARE]
    last = usual[-1] if usual else points[-1]
    for step in STEP_SIZES:
        groups: dict[tuple[bool, int], list[int]] = {}
        for n in points:
            key = (n > last, 0 if n > last else n // step if n > 0 else n * step - 1)
            groups.setdefault(key, []).append(n)
        if len(groups) <= MAX_LINES:
            break
    return [([str(n) for n in some], fsum(chances[str(n)] for n in some)) for some in groups.values()]


# --- one more throw ------------------------------------------------------------------------------------------------


def _next_throw(risk: TurnRisk) -> list[Block]:
    """The gain and loss of points by one more throw."""
    again, words = risk.again, risk.words
    if again is None:
        dice, thrown = risk.state.get("dice"), {row.dice for row in risk.bust}
        other = dice is not None and len(thrown) == 1 and dice not in thrown
        return [Sentence([f"One more throw: {f'it throws dice={dice} here' if other else words.no_more}."])]
    throw = f"One more throw of {again.dice} {'die' if again.dice == 1 else 'dice'}"
    gain, loss = again.gain, again.loss
    if gain.unit == "probability":
        rows = [
            ["it comes out higher", *_chance(gain)],
            ["it comes out lower", *_chance(loss)],
            ["the same", percent(1 - gain.value - loss.value, TEXT_PLACES), ""],
        ]
        return [Sentence([f"{throw}, {again.made} on the table"]), CellTable(rows, right=(1,))]
    sign = -1 if words.reached == FEWER else 1
    rows = [
        [f"it {words.gain}", number(gain.value, POINTS), fraction(gain.exact) or ""],
        [f"it {words.loss}", number(loss.value, POINTS), fraction(loss.exact) or ""],
        ["together", number((gain.value - loss.value) * sign, POINTS, signed=True), ""],
    ]
    about = Sentence([f"{throw} with {again.made} {words.counted} {words.place}, on average"])
    advice = Sentence(["Points are not all that counts: 'rollwise ask' says which move is best."])
    return [about, CellTable(rows, right=(1,)), *([advice] if risk.policy is not None and loss.value else [])]
