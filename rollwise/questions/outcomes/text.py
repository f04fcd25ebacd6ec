"""Text of the answer of ``outcomes``: a sentence, a map of a throw of two dice, a table, the best and worst outcome.

Few outcomes have a row each. Many are grouped by the best move then, or by the next seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rollwise.questions.head import head
from rollwise.questions.outcomes.data import OutcomeRow, Outcomes
from rollwise.questions.outcomes.ranked import GOES_ON, RankedOutcome, RankedOutcomes
from rollwise.solver.kinds.outcomes import Throw
from rollwise.text.blocks import (
    Amount,
    Bar,
    Block,
    CellTable,
    Glossary,
    MoveText,
    Sentence,
    StateFields,
    TableCell,
    TableColumn,
    ThrowMap,
    ThrownDice,
    table_of,
)
from rollwise.text.numbers import PP, difference_unit
from rollwise.text.screen import Screen
from rollwise.text.spelling import shown_state
from rollwise.text.terminal import Blocks, render_text

MAX_ROWS = 12  # more outcomes are grouped, unless --each or --top lists them
BAR_CHARS = 16
MAX_FRACTION_CHARS = 13
ROLL, CHANGE = "roll", "change"


def changed_fields(answer: Outcomes, row: OutcomeRow) -> str:
    """The changed fields of the next question, as users type them; empty if only the dice changed."""
    if row.state is None:
        return ""
    changed = {name: value for name, value in row.state.items() if answer.state.get(name) != value}
    if len(row.thrown) == 1 and changed == {ROLL: row.thrown[0].dice}:
        return ""
    return shown_state(changed)


# --- blocks -----------------------------------------------------------------------------------------------------------


def outcome_lines(
    answer: Outcomes, title: str, on: Screen | None = None, *, each: bool = False, top: int | None = None
) -> list[str]:
    """The whole answer, for a terminal."""
    return render_text(outcome_blocks(answer, title, each=each, top=top), on)


def outcome_blocks(answer: Outcomes, title: str, *, each: bool = False, top: int | None = None) -> list[Blocks]:
    """The whole answer as blocks; ``each``: a row for each outcome; ``top``: so many of them, the best first."""
    ranked = RankedOutcomes(answer)
    blocks: list[Blocks] = [
        head(answer, title, shown_state(answer.state), answer.assumed),
        [Sentence([text]) for text in ranked.sentences()],
    ]
    if ranked.is_certain and not each:
        return [*blocks, _certain_outcome(ranked)]
    square = [] if each else _throw_map(ranked)
    blocks += square
    if each or top is not None or len(ranked.outcomes) <= MAX_ROWS:
        listed = ranked.outcomes[:top]
        columns, changed = _outcome_columns(ranked, listed), [changed_fields(answer, each.row) for each in listed]
        states = TableColumn("fields that change", changed if any(changed) else (), rank=4)
        table: list[Block] = [table_of([*columns, states], below=any(changed))]
        rest = ranked.outcomes[top:] if top is not None else []
        table += [Sentence([f"and {len(rest)} more, down to {ranked.value(rest[-1].worth)}"])] if rest else []
        return [*blocks, table, _glossary(ranked, columns, columns[0].cells)]
    columns, ends = _group_columns(ranked, by_value=not square), _extreme_rows(ranked)
    blocks += [table_of(columns), *([CellTable(ends, (2, 3), ranks={4: 1})] if ends else [])]
    more = f"--top N lists the N best of the {len(ranked.outcomes)} outcomes, --each every throw by itself."
    return [*blocks, [_glossary(ranked, columns, [row[1] for row in ends]), Sentence([more], ink="faint")]]


def _certain_outcome(ranked: RankedOutcomes) -> list[Block]:
    """The single outcome of a certain move."""
    answer, (only,) = ranked.answer, ranked.outcomes
    if only.row.state is None:
        return [Sentence([f"One outcome, for certain: {only.then}."])]
    gained = only.row.gained if answer.unit != "probability" else Fraction(0)
    exactly = str(gained) if gained.denominator == 1 else f"{float(gained):.4g}"
    then = only.then if only.row.mover != answer.mover or only.then == GOES_ON else f"best then: {only.then}"
    sentence = f"One outcome, for certain; {then}." + (f" It gains {exactly}." if gained else "")
    return [Sentence([sentence]), StateFields(changed_fields(answer, only.row) or "nothing changes", indent=2)]


def _throw_map(ranked: RankedOutcomes) -> list[ThrowMap]:
    """The map of a throw of two dice; empty for any other throw."""
    by_pair = {(low, high): each.worth for (low, high), each in ranked.pairs().items()}
    if len(set(by_pair.values())) < 3:
        return []
    title = "What two dice lead to" + (", in per cent" if ranked.unit == "probability" else "")
    return [ThrowMap(title, {pair: (_bare(ranked, worth), ranked.warmth(worth)) for pair, worth in by_pair.items()})]


def _bare(ranked: RankedOutcomes, worth: float | None) -> str:
    return ranked.value(worth).removesuffix(" %")


def _outcome_columns(ranked: RankedOutcomes, listed: Sequence[RankedOutcome]) -> list[TableColumn]:
    """The columns of a table with a row for each outcome."""
    rows = [each.row for each in listed]
    others = [seat for seat in range(ranked.seats) if seat != ranked.answer.mover] if ranked.seats > 2 else []
    return [
        TableColumn("dice", [_dice(row.thrown) for row in rows] if any(row.thrown for row in rows) else ()),
        TableColumn("reply", [row.reply or "" for row in rows] if any(row.reply for row in rows) else ()),
        *_number_columns(ranked, [row.chance for row in rows], [each.worth for each in listed]),
        *(TableColumn(f"seat {seat}", [_share(ranked, row, seat) for row in rows], True, 6) for seat in others),
        TableColumn("then best", [MoveText(each.then) for each in listed], rank=2),
    ]


def _group_columns(ranked: RankedOutcomes, *, by_value: bool) -> list[TableColumn]:
    """The columns of a table with a row for each group of outcomes."""
    groups = ranked.groups(by_value=by_value)
    throws = [str(group.throws) for group in groups] if any(group.throws for group in groups) else ()
    return [
        TableColumn("then best", [MoveText(group.then) for group in groups]),
        TableColumn("throws", throws, True, 7),
        *_number_columns(ranked, [group.chance for group in groups], [group.mean for group in groups]),
        TableColumn("from, to", [_value_range(ranked, group.outcomes) for group in groups], True, 8),
    ]


def _extreme_rows(ranked: RankedOutcomes) -> list[list[TableCell]]:
    """Rows of the best and the worst outcome, with their dice."""
    valued = [each for each in ranked.outcomes if each.worth is not None and each.row.thrown]
    rows: list[list[TableCell]] = []
    for name, end in zip(("best", "worst"), (valued[0], valued[-1]) if valued else (), strict=False):
        same = [each for each in valued if each.worth == end.worth]
        one = max(same, key=lambda each: max(throw.ways for throw in each.row.thrown))  # its best move is shown
        chance = sum((each.row.chance or Fraction(0) for each in same), Fraction(0))
        dice = _dice([*one.row.thrown, *(throw for each in same if each is not one for throw in each.row.thrown)])
        rows.append([name, dice, str(chance), _value(ranked, one.worth), MoveText(one.then)])
    return rows


def _glossary(ranked: RankedOutcomes, columns: Sequence[TableColumn], dice: Sequence[TableCell]) -> Glossary:
    """The meanings of the columns."""
    words = []
    if any(column.head == CHANGE for column in columns):
        words.append((CHANGE, "against the move on average"))
        words += [(PP, difference_unit(ranked.unit))] if ranked.unit == "probability" else []
    if any(isinstance(cell, ThrownDice) and cell.more for cell in dice):
        words.append(("+N", "as many throws more"))
    return Glossary(words, heads={CHANGE: CHANGE, PP: CHANGE}, ink="faint")


# --- columns and cells ------------------------------------------------------------------------------------------------


def _number_columns(
    ranked: RankedOutcomes, chances: Sequence[Fraction | None], values: Sequence[float | None]
) -> list[TableColumn]:
    """The columns of chances, values and their differences from the mean of the move, with bars.

    Bars show chances where these differ, else values.
    """
    head = f"seat {ranked.answer.mover}" if ranked.luck else ranked.answer.label
    head = head if len(head) <= 8 else ranked.unit
    worth = [TableColumn(head, [_value(ranked, value) for value in values], True)]
    if ranked.base is not None and len(values) > 1:
        changes = [Amount("change", ranked.difference(value), ranked.unit, ink=ranked.ink(value)) for value in values]
        worth.append(TableColumn(CHANGE, changes, True, 3))
    if any(chance is None for chance in chances):
        return worth
    fractions = [str(chance) if len(str(chance)) <= MAX_FRACTION_CHARS else "" for chance in chances]
    often = [float(chance or 0) for chance in chances]
    columns = [
        TableColumn("", fractions if any("/" in each for each in fractions) else (), True, 5),
        TableColumn("chance", [Amount("value", chance) for chance in often], True),
    ]
    if len(set(chances)) > 1:
        return [*columns, _bar_column(often), *worth]
    numbers = [value for value in values if value is not None]
    drawn = [_bar_column(numbers)] if len(numbers) == len(values) and min(numbers) >= 0 < max(numbers) else []
    return [*columns, worth[0], *drawn, *worth[1:]]


def _bar_column(numbers: Sequence[float]) -> TableColumn:
    """A column of bars, the largest number at full length."""
    return TableColumn("", [Bar(number / max(numbers), BAR_CHARS, "mark") for number in numbers], rank=6)


def _value(ranked: RankedOutcomes, worth: float | None) -> Amount:
    return Amount("value", worth, ranked.unit, ink=ranked.ink(worth))


def _share(ranked: RankedOutcomes, row: OutcomeRow, seat: int) -> Amount:
    return Amount("value", row.shares[seat] if row.shares else None, ranked.unit)


def _value_range(ranked: RankedOutcomes, some: Sequence[RankedOutcome]) -> str:
    """The worst and the best value of several outcomes."""
    numbers = [each.worth for each in some if each.worth is not None]
    if not numbers or max(numbers) - min(numbers) < 1e-9:
        return ""
    worst, best = sorted([min(numbers), max(numbers)], reverse=ranked.sign < 0)
    return f"{_bare(ranked, worst)} to {_bare(ranked, best)}"


def _dice(throws: Sequence[Throw]) -> ThrownDice:
    """The dice of the likeliest of these throws."""
    first = max(throws, key=lambda throw: throw.ways, default=None)
    return ThrownDice(first.dice, first.then, len(throws) - 1) if first else ThrownDice(())
