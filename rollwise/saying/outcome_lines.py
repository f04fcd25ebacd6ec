"""The answer of ``ask --next`` as a person reads it: a sentence, a map of a throw of two dice, a table, its two ends.

Few outcomes stand one by one. Many are told together by what follows: the best move then, or who comes next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rollwise.answers.moves import does
from rollwise.answers.outcomes import Outcomes, Row
from rollwise.answers.spelling import shown_state
from rollwise.saying.blocks import Drawn, Sentence
from rollwise.saying.head import head
from rollwise.saying.layout import aligned, columns, state_lines, wrapped
from rollwise.saying.numbers import TOLD, percent
from rollwise.saying.outcomes import ON, OutcomesTold, OutcomeTold, changed_fields
from rollwise.saying.screen import Screen, bar, dice, heat, length, paint, rjust
from rollwise.saying.terminal import Blocks, printed
from rollwise.solver.kinds.outcomes import Throw

MOST_ROWS = 12  # outcomes that stand one by one unless all are wanted
WIDEST_BAR, SHORTEST_BAR = 16, 4
NARROW = 60  # lines shorter than this have less in them
LONGEST_LABEL = 28
LONGEST_FRACTION = 13
CHANGE = "change"


@dataclass(frozen=True)
class Column:
    """A column of a table; ``rank``: those with the highest are left out first where a line is short, never 0.

    ``shares``: of a column of bars, how long they are.
    """

    head: str
    cells: Sequence[str] = ()
    right: bool = False
    rank: int = 0
    shares: Sequence[float] = ()

    @property
    def width(self) -> int:
        """Characters that it takes at least."""
        return SHORTEST_BAR if self.shares else max(map(length, [self.head, *self.cells]))


def outcome_lines(
    found: Outcomes, moves: Sequence[str], title: str, on: Screen, *, each: bool = False, top: int | None = None
) -> list[str]:
    """The whole answer; ``moves``: what is best after each outcome, in short.

    ``each``: every outcome by itself; ``top``: so many of them, the best first.
    """
    told = OutcomesTold(found, moves)
    writer = _Layout(told, on)
    blocks: list[Blocks] = [
        head(found, title, shown_state(found.state), found.assumed),
        [Sentence([text]) for text in told.sentences()],
    ]
    if told.is_certain and not each:
        return printed([*blocks, Drawn(writer.certain(told.outcomes[0]))])
    square = [] if each else writer.map()
    blocks.append(Drawn(square))
    if each or top is not None or len(told.outcomes) <= MOST_ROWS:
        parts = [writer.one_by_one(top), writer.meaning(grouped=False)]
    else:
        parts = [writer.grouped(by_value=not square), writer.ends(), writer.meaning(grouped=True)]
    return printed([*blocks, *map(Drawn, parts)])


class _Layout:
    """Lays out the parts of one answer for a screen."""

    def __init__(self, told: OutcomesTold, on: Screen) -> None:
        self.told, self.answer, self.on = told, told.answer, on
        self.narrow = on.width < NARROW
        self.shows_change = self.shows_more = False

    # --- numbers ------------------------------------------------------------------------------------------------------

    def change(self, value: float | None) -> str:
        """How far a value is from the move's, as a cell."""
        told = self.told.change(value)
        return f"{told} pp" if told and self.told.unit == "probability" else told

    def inked(self, text: str, value: float | None) -> str:
        """In the colour of what is better, or worse, than the move is on average."""
        base = self.told.base
        if value is None or base is None or abs(value - base) < 1e-12:
            return text
        return paint(text, "good" if self.told.sign * (value - base) > 0 else "bad", self.on)

    def chance(self, chance: Fraction | None) -> str:
        """A chance in per cent."""
        return "" if chance is None else percent(float(chance), TOLD)

    # --- blocks -------------------------------------------------------------------------------------------------------

    def certain(self, told: OutcomeTold) -> list[str]:
        """The one outcome that there is."""
        row = told.row
        if row.state is None:
            return [f"One outcome, for certain: {told.then}."]
        changed = changed_fields(self.answer, row)
        gained = f" It gains {_plainly(row.gained)}." if row.gained and self.answer.unit != "probability" else ""
        then = told.then if row.mover != self.answer.mover or told.then == ON else f"best then: {told.then}"
        lines = wrapped(f"One outcome, for certain; {then}.{gained}")
        return [*lines, *(f"  {line}" for line in state_lines(changed or "nothing changes"))]

    def map(self) -> list[str]:
        """A throw of two dice as a square of what they lead to; nothing for any other throw."""
        by_pair = {pair: each.worth for pair, each in self.told.pairs().items()}
        if len(set(by_pair.values())) < 3:
            return []
        sides = max(map(max, by_pair))
        texts = {pair: self._in_map(value) for pair, value in by_pair.items()}
        wide = max(map(len, texts.values())) + (1 if self.narrow else 2)
        unit = ", in per cent" if self.told.unit == "probability" else ""
        faces = range(1, sides + 1)
        lines = [f"What two dice lead to{unit}", "    " + "".join(rjust(str(face), wide) for face in faces)]
        for first in faces:
            pairs = [(min(first, second), max(first, second)) for second in faces]
            cells = [heat(rjust(texts[pair], wide), self.told.warmth(by_pair[pair]), self.on) for pair in pairs]
            lines.append(f"{first:>3} " + "".join(cells))
        return lines

    def _in_map(self, value: float | None) -> str:
        return self.told.value(value).removesuffix(" %")

    def one_by_one(self, top: int | None) -> list[str]:
        """A line for each outcome, with the fields that change."""
        listed = self.told.outcomes[:top]
        rows = [each.row for each in listed]
        states = [changed_fields(self.answer, row) for row in rows]
        thrown = [self.throws(row.thrown) for row in rows]
        replies = [row.reply or "" for row in rows]
        table = [
            *([Column("dice", thrown)] if any(thrown) else []),
            *([Column("reply", replies)] if any(replies) else []),
            *self._numbers([row.chance for row in rows], [each.worth for each in listed]),
            *self._shares(rows),
            Column("then best", [self._label(each.then) for each in listed], rank=2),
        ]
        lines = self._fitted(table, states)
        rest = self.told.outcomes[len(listed) :]
        if rest:
            lines.append(f"and {len(rest)} more, down to {self.told.value(rest[-1].worth)}")
        return lines

    def grouped(self, *, by_value: bool) -> list[str]:
        """A line for all outcomes with the same thing to do then."""
        groups = self.told.groups(by_value=by_value)
        throws = [str(group.throws) for group in groups]
        table = [
            Column("then best", [self._label(group.then) for group in groups]),
            *([Column("throws", throws, right=True, rank=7)] if any(group.throws for group in groups) else []),
            *self._numbers([group.chance for group in groups], [group.mean for group in groups]),
            Column("from, to", [self._reach(group.outcomes) for group in groups], right=True, rank=8),
        ]
        return self._fitted(table)

    def ends(self) -> list[str]:
        """The best and the worst outcome, by their dice."""
        known = [each for each in self.told.outcomes if each.worth is not None and each.row.thrown]
        if not known:
            return []
        rows = []
        for name, worth in (("best", known[0].worth), ("worst", known[-1].worth)):
            same = [each for each in known if each.worth == worth]
            same.sort(key=lambda each: -max(throw.ways for throw in each.row.thrown))
            at = same[0]  # the dice that are shown are the likeliest: what is best then goes with these
            thrown = tuple(throw for each in same for throw in each.row.thrown)
            chance = sum((each.row.chance or Fraction(0) for each in same), Fraction(0))
            cells = [name, self.throws(thrown), str(chance), self.inked(self.told.value(at.worth), at.worth)]
            rows.append(cells if self.narrow else [*cells, at.then])
        return columns(rows, right=(2, 3))

    def meaning(self, *, grouped: bool) -> list[str]:
        """What the columns are, and how to see more."""
        said = []
        if self.shows_change:
            said.append("change: against the move on average")
            said += ["pp: percentage points"] if self.answer.unit == "probability" else []
        if self.shows_more:
            said.append("+N: as many throws more")
        lines = wrapped("; ".join(said)) if said else []
        if grouped:
            lines += wrapped(
                f"--top N lists the N best of the {len(self.told.outcomes)} outcomes, --each every throw by itself."
            )
        return [paint(line, "faint", self.on) for line in lines]

    # --- columns ------------------------------------------------------------------------------------------------------

    def _numbers(self, chances: Sequence[Fraction | None], values: Sequence[float | None]) -> list[Column]:
        """Chances as fractions and in per cent, values, how far they are from the move's, and bars.

        Bars are of the chances, where these differ, else of values.
        """
        head = f"seat {self.answer.mover}" if self.told.luck else self.answer.label
        head = head if len(head) <= 8 else self.answer.unit
        worth = [Column(head, [self.inked(self.told.value(value), value) for value in values], right=True)]
        if self.told.base is not None and len(values) > 1:
            changes = [self.inked(self.change(value), value) for value in values]
            worth.append(Column(CHANGE, changes, right=True, rank=3))
        if any(chance is None for chance in chances):
            return worth
        per_cent = [self.chance(chance) for chance in chances]
        fractions = [_short(chance) for chance in chances if chance is not None]
        told = [
            Column("", fractions, right=True, rank=5),
            Column("chance", per_cent, right=True),
        ]
        told = told if any("/" in each for each in fractions) else told[1:]
        if len(set(chances)) > 1:
            return [*told, _bars([float(chance or 0) for chance in chances]), *worth]
        known = [value for value in values if value is not None]
        drawn = [_bars(known)] if len(known) == len(values) and min(known) >= 0 < max(known) else []
        return [*told, worth[0], *drawn, *worth[1:]]

    def _shares(self, rows: Sequence[Row]) -> list[Column]:
        """What the others have, where there are several or nobody chooses."""
        if self.told.seats < 3:
            return []
        others = [seat for seat in range(self.told.seats) if seat != self.answer.mover]
        return [
            Column(f"seat {seat}", [self.told.value(row.shares[seat] if row.shares else None) for row in rows], True, 6)
            for seat in others
        ]

    def _reach(self, some: Sequence[OutcomeTold]) -> str:
        """The worst and the best of several outcomes."""
        known = [each.worth for each in some if each.worth is not None]
        if not known or max(known) - min(known) < 1e-9:
            return ""
        ends = [self._in_map(value) for value in sorted(known, reverse=self.told.sign < 0)[:: len(known) - 1]]
        return f"{ends[0]} to {ends[1]}"

    def throws(self, thrown: Sequence[Throw]) -> str:
        """Dice, those of the likeliest throw where there are several."""
        if not thrown:
            return ""
        first = max(thrown, key=lambda throw: throw.ways)
        room = 12 if self.narrow else 18
        text = dice(first.dice, room) + "".join(f", then {dice(more, 5)}" for more in first.then)
        more = len(thrown) - 1
        self.shows_more |= more > 0
        return f"{text} +{more}" if more else text

    def _label(self, text: str) -> str:
        """What follows, short enough for a column."""
        room = self.on.width // 2 if self.narrow else LONGEST_LABEL
        if self.narrow or len(text) > room:
            text = ", ".join(does(step).without_points for step in text.split(", "))
        return text if len(text) <= room else f"{text[: room - 2]}.."

    def _fitted(self, table: Sequence[Column], states: Sequence[str] = ()) -> list[str]:
        """The columns that fit side by side, as lines.

        ``states`` are one more column; where there is no room for it, it goes below the lines if these are few.
        """
        last = Column("fields that change", states, rank=4)
        kept = self._fit([*table, last] if any(states) else table)
        if not any(states) or last in kept or len(states) > MOST_ROWS:
            return self._lines(kept)
        heading, *lines = self._lines(self._fit(table))
        for line, state in zip(lines, states, strict=True):
            below = state_lines(state) if state else []
            heading = "\n".join([heading, line, *(f"    {paint(part, 'faint', self.on)}" for part in below)])
        return heading.split("\n")

    def _fit(self, table: Sequence[Column]) -> list[Column]:
        """As many of these columns as a line has room for."""
        kept = list(table)
        while sum(column.width + 2 for column in kept) - 2 > self.on.width and any(column.rank for column in kept):
            ranks = [column.rank for column in kept]
            kept.pop(len(ranks) - 1 - ranks[::-1].index(max(ranks)))
        return kept

    def _lines(self, table: Sequence[Column]) -> list[str]:
        """Columns side by side, bars as long as there is room."""
        self.shows_change = any(column.head == CHANGE for column in table)
        free = self.on.width - sum(column.width + 2 for column in table) + 2
        wide = min(WIDEST_BAR, SHORTEST_BAR + free)
        cells = [
            [paint(bar(share, wide, self.on), "mark", self.on) for share in column.shares] or column.cells
            for column in table
        ]
        heads = [paint(column.head, "strong", self.on) for column in table]
        right = [place for place, column in enumerate(table) if column.right]
        return aligned([heads, *zip(*cells, strict=True)], right=right)


def _bars(numbers: Sequence[float]) -> Column:
    """Numbers from 0 on as bars, the largest of the full length."""
    most = max(numbers)
    return Column("", rank=6, shares=[number / most for number in numbers])


def _short(chance: Fraction) -> str:
    """A fraction where it is short enough for a column."""
    return str(chance) if len(str(chance)) <= LONGEST_FRACTION else ""


def _plainly(gained: Fraction) -> str:
    return str(gained) if gained.denominator == 1 else f"{float(gained):.4g}"
