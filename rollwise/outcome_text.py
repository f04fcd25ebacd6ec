"""The answer of ``ask --next`` as a person reads it: a sentence, a map of a throw of two dice, a table, its two ends.

Few outcomes stand one by one. Many are told together by what follows: the best move then, or who comes next.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rollwise.advice_text import in_blocks
from rollwise.answer import shown_state
from rollwise.display import Screen, bar, dice, heat, length, paint, rjust
from rollwise.foreseeing import Outcomes, Row
from rollwise.labels import LOW_IS_GOOD
from rollwise.move_words import assumed_lines, imperative
from rollwise.next_moves import next_moves
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds.outcomes import Throw
from rollwise.text import TOLD, aligned, columns, heading_lines, number, percent, state_lines, wrapped

MOST_ROWS = 12  # outcomes that stand one by one unless all are wanted
MOST_GROUPS = 11
FEWEST_GROUPS = 4  # fewer are told apart further, by value
BANDS = 8
WIDEST_BAR, SHORTEST_BAR = 16, 4
NARROW = 60  # lines shorter than this have less in them
LONGEST_LABEL = 28
LONGEST_FRACTION = 13
CHANGE, ROLL = "change", "roll"
ON = "it goes on"
ENDED = {"won": "won", "lost": "lost", "shared": "a shared win", "over": "the game is over"}


@dataclass(frozen=True)
class Told:
    """An outcome with what is best then, in short, or who comes next; ``worth``: its value for whoever is asked."""

    row: Row
    then: str
    worth: float | None


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
    found: Outcomes, game: TurnGame, title: str, on: Screen, *, each: bool = False, top: int | None = None
) -> list[str]:
    """The whole answer. ``each``: every outcome by itself; ``top``: so many of them, the best first."""
    told = best_first(found, next_moves(game, found.rows, found.mover))
    writer = _Writer(found, on)
    head = heading_lines(found, title) + state_lines(shown_state(found.state)) + assumed_lines(found.assumed)
    blocks = [head, writer.sentence(told)]
    if len(told) == 1 and not each:
        return in_blocks([*blocks, writer.certain(told[0])])
    square = [] if each else writer.map(told)
    blocks.append(square)
    if each or top is not None or len(told) <= MOST_ROWS:
        return in_blocks([*blocks, *writer.one_by_one(told, top), writer.meaning(told, grouped=False)])
    return in_blocks(
        [*blocks, writer.grouped(told, by_value=not square), writer.ends(told), writer.meaning(told, grouped=True)]
    )


def best_first(found: Outcomes, moves: Sequence[str]) -> list[Told]:
    """Outcomes in order of what they are worth to who made the move; those of which that is not known come last."""
    told = []
    for row, move in zip(found.rows, moves, strict=True):
        told.append(Told(row, _what_then(found, row, move), found.of(row)))
    sign = -1 if found.sense == "min" else 1
    return sorted(told, key=lambda each: float("inf") if each.worth is None else -sign * each.worth)


def _what_then(found: Outcomes, row: Row, move: str) -> str:
    """What follows an outcome, in a few words."""
    if row.ended is not None:
        return ENDED[row.ended]
    if row.state is None:
        return "not solved further"
    if row.mover != found.mover:
        return "their turn" if row.shares is None else f"seat {row.mover}'s turn"
    return move or ON


class _Writer:
    """Writes the blocks of one answer."""

    def __init__(self, found: Outcomes, on: Screen) -> None:
        self.found, self.on = found, on
        self.narrow = on.width < NARROW
        self.shows_change = self.shows_more = False
        self.sign = -1 if found.sense == "min" else 1
        self.label = found.label
        shares = next((row.shares for row in found.rows if row.shares is not None), None)
        self.seats = 0 if shares is None else len(shares)
        self.luck = found.value is None and self.seats > 0
        self.base = found.mean

    # --- numbers ------------------------------------------------------------------------------------------------------

    def worth(self, value: float | None) -> str:
        """A value, as a cell."""
        return "" if value is None else number(value, self.found.unit)

    def change(self, value: float | None) -> str:
        """How far a value is from the move's, as a cell."""
        if value is None or self.base is None:
            return ""
        told = number(value - self.base, self.found.unit).replace(" %", " pp")
        told = told.replace("<", "")
        return told if told.startswith("-") else f"+{told}"

    def inked(self, text: str, value: float | None) -> str:
        """In the colour of what is better, or worse, than the move is on average."""
        if value is None or self.base is None or abs(value - self.base) < 1e-12:
            return text
        return paint(text, "good" if self.sign * (value - self.base) > 0 else "bad", self.on)

    def chance(self, chance: Fraction | None) -> str:
        """A chance in per cent."""
        return "" if chance is None else percent(float(chance), TOLD)

    # --- blocks -------------------------------------------------------------------------------------------------------

    def sentence(self, told: Sequence[Told]) -> list[str]:
        """What the move is worth, and between what it may leave."""
        low = f"; {LOW_IS_GOOD}" if self.sign < 0 else ""
        said = f"{imperative(self.found.move)}: "
        if self.base is not None:
            said += f"{self.label} {self.worth(self.base)}" + (f" for seat {self.found.mover}" if self.luck else "")
        known = [each.worth for each in told if each.worth is not None]
        if len(told) > 1 and known:
            several = f"{len(told)} outcomes"
            ends = [self.worth(known[-1]), self.worth(known[0])]
            said += f" on average; {several}, from {ends[0]} to {ends[1]}" if self.base is not None else several
        lines = wrapped(f"{self.found.note}. {said}{low}." if self.found.note else f"{said}{low}.")
        if any(each.row.chance is None for each in told):
            lines += wrapped("The best play never makes this call, so that nothing says what dice lie behind it.")
        return lines

    def certain(self, told: Told) -> list[str]:
        """The one outcome that there is."""
        row = told.row
        if row.state is None:
            return [f"One outcome, for certain: {told.then}."]
        changed = changed_fields(self.found, row)
        gained = f" It gains {_plainly(row.gained)}." if row.gained and self.found.unit != "probability" else ""
        then = told.then if row.mover != self.found.mover or told.then == ON else f"best then: {told.then}"
        lines = wrapped(f"One outcome, for certain; {then}.{gained}")
        return [*lines, *(f"  {line}" for line in state_lines(changed or "nothing changes"))]

    def map(self, told: Sequence[Told]) -> list[str]:
        """A throw of two dice as a square of what they lead to; nothing for any other throw."""
        by_pair: dict[tuple[int, ...], float] = {}
        for each in told:
            for throw in each.row.thrown:
                if each.worth is None or len(throw.dice) != 2 or throw.then or each.row.chance is None:
                    return []
                by_pair[throw.dice] = each.worth
        sides = max((face for pair in by_pair for face in pair), default=0)
        if len(by_pair) != sides * (sides + 1) // 2 or len(set(by_pair.values())) < 3:
            return []
        low, high = min(by_pair.values()), max(by_pair.values())
        texts = {pair: self._in_map(value) for pair, value in by_pair.items()}
        wide = max(map(len, texts.values())) + (1 if self.narrow else 2)
        unit = ", in per cent" if self.found.unit == "probability" else ""
        lines = [
            f"What two dice lead to{unit}",
            "    " + "".join(rjust(str(face), wide) for face in range(1, sides + 1)),
        ]
        for first in range(1, sides + 1):
            cells = []
            for second in range(1, sides + 1):
                pair = (min(first, second), max(first, second))
                cells.append(heat(rjust(texts[pair], wide), self._warmth(by_pair[pair], low, high), self.on))
            lines.append(f"{first:>3} " + "".join(cells))
        return lines

    def _warmth(self, value: float, low: float, high: float) -> float:
        """Where a value lies between the worst (0), the move on average (a half), and the best (1)."""
        middle = (low + high) / 2 if self.base is None else self.base
        end = high if value > middle else low
        share = 0.5 if end == middle else 0.5 + 0.5 * self.sign * (value - middle) / abs(end - middle)
        return min(1.0, max(0.0, share))

    def _in_map(self, value: float) -> str:
        return number(value, self.found.unit).removesuffix(" %")

    def one_by_one(self, told: Sequence[Told], top: int | None) -> list[list[str]]:
        """A line for each outcome, with the fields that change."""
        listed = told[:top]
        rows = [each.row for each in listed]
        states = [changed_fields(self.found, row) for row in rows]
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
        rest = told[len(listed) :]
        if rest:
            lines.append(f"and {len(rest)} more, down to {self.worth(rest[-1].worth)}")
        return [lines]

    def grouped(self, told: Sequence[Told], *, by_value: bool) -> list[str]:
        """A line for all outcomes with the same thing to do then, the likeliest of them by themselves.

        Where that is too little to tell, and ``by_value``, they are told apart by that too.
        """
        groups = sorted(
            self._groups(told, by_value).items(), key=lambda item: -sum(each.row.chance or 0 for each in item[1])
        )
        shown, rest = groups, []
        if len(groups) > MOST_GROUPS:
            shown, rest = groups[: MOST_GROUPS - 1], groups[MOST_GROUPS - 1 :]
        named = [(name, members) for (name, _), members in shown]
        named.sort(key=lambda item: -self.sign * (_mean(item[1]) or 0.0))
        if rest:
            named.append((f"{len(rest)} others", [each for _, members in rest for each in members]))
        members = [some for _, some in named]
        means = [_mean(some) for some in members]
        reach = [self._reach(some) for some in members]
        throws = [str(sum(len(each.row.thrown) for each in some)) for some in members]
        table = [
            Column("then best", [self._label(name) for name, _ in named]),
            *([Column("throws", throws, right=True, rank=7)] if any(each.row.thrown for each in told) else []),
            *self._numbers(
                [sum((each.row.chance or Fraction(0) for each in some), Fraction(0)) for some in members], means
            ),
            Column("from, to", reach, right=True, rank=8),
        ]
        return self._fitted(table)

    def _groups(self, told: Sequence[Told], by_value: bool) -> dict[tuple[str, int], list[Told]]:
        """Outcomes by what follows and where their value lies."""
        names = {each.then for each in told}
        known = [each.worth for each in told if each.worth is not None]
        low, high = (min(known), max(known)) if known else (0.0, 0.0)
        groups: dict[tuple[str, int], list[Told]] = {}
        for each in told:
            band = 0
            if by_value and len(names) < FEWEST_GROUPS and high > low and each.worth is not None:
                band = min(BANDS - 1, int(BANDS * (each.worth - low) / (high - low)))
            groups.setdefault((each.then, band), []).append(each)
        return groups

    def ends(self, told: Sequence[Told]) -> list[str]:
        """The best and the worst outcome, by their dice."""
        known = [each for each in told if each.worth is not None and each.row.thrown]
        if not known:
            return []
        rows = []
        for name, worth in (("best", known[0].worth), ("worst", known[-1].worth)):
            same = [each for each in known if each.worth == worth]
            same.sort(key=lambda each: -max(throw.ways for throw in each.row.thrown))
            at = same[0]  # the dice that are shown are the likeliest: what is best then goes with these
            thrown = tuple(throw for each in same for throw in each.row.thrown)
            chance = sum((each.row.chance or Fraction(0) for each in same), Fraction(0))
            cells = [name, self.throws(thrown), str(chance), self.inked(self.worth(at.worth), at.worth)]
            rows.append(cells if self.narrow else [*cells, at.then])
        return columns(rows, right=(2, 3))

    def meaning(self, told: Sequence[Told], *, grouped: bool) -> list[str]:
        """What the columns are, and how to see more."""
        said = []
        if self.shows_change:
            said.append("change: against the move on average")
            said += ["pp: percentage points"] if self.found.unit == "probability" else []
        if self.shows_more:
            said.append("+N: as many throws more")
        lines = wrapped("; ".join(said)) if said else []
        if grouped:
            lines += wrapped(f"--top N lists the N best of the {len(told)} outcomes, --each every throw by itself.")
        return [paint(line, "faint", self.on) for line in lines]

    # --- columns ------------------------------------------------------------------------------------------------------

    def _numbers(self, chances: Sequence[Fraction | None], values: Sequence[float | None]) -> list[Column]:
        """Chances as fractions and in per cent, values, how far they are from the move's, and bars.

        Bars are of the chances, where these differ, else of values.
        """
        head = f"seat {self.found.mover}" if self.luck else self.label
        head = head if len(head) <= 8 else self.found.unit
        worth = [Column(head, [self.inked(self.worth(value), value) for value in values], right=True)]
        if self.base is not None and len(values) > 1:
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
        if self.seats < 3:
            return []
        others = [seat for seat in range(self.seats) if seat != self.found.mover]
        return [
            Column(f"seat {seat}", [self.worth(row.shares[seat] if row.shares else None) for row in rows], True, 6)
            for seat in others
        ]

    def _reach(self, some: Sequence[Told]) -> str:
        """The worst and the best of several outcomes."""
        known = [each.worth for each in some if each.worth is not None]
        if not known or max(known) - min(known) < 1e-9:
            return ""
        ends = [self._in_map(value) for value in sorted(known, reverse=self.sign < 0)[:: len(known) - 1]]
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
            text = re.sub(r" for \d+", "", text)
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


def _mean(some: Sequence[Told]) -> float | None:
    """The mean of outcomes by their chances; None where it is not known."""
    if any(each.worth is None or each.row.chance is None for each in some):
        return None
    chances = [float(each.row.chance or 0) for each in some]
    return sum(chance * (each.worth or 0.0) for chance, each in zip(chances, some, strict=True)) / sum(chances)


def changed_fields(found: Outcomes, row: Row) -> str:
    """The fields of the next question that are not as they were, ready to be typed; nothing if these are the dice."""
    if row.state is None:
        return ""
    changed = {name: value for name, value in row.state.items() if found.state.get(name) != value}
    if len(row.thrown) == 1 and changed == {ROLL: row.thrown[0].dice}:
        return ""
    return shown_state(changed)


def _short(chance: Fraction) -> str:
    """A fraction where it is short enough for a column."""
    return str(chance) if len(str(chance)) <= LONGEST_FRACTION else ""


def _plainly(gained: Fraction) -> str:
    return str(gained) if gained.denominator == 1 else f"{float(gained):.4g}"
