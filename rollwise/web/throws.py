"""Map of the outcomes of a move: every throw with its chance, coloured by its value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm

from rollwise.questions.outcomes.compute import with_best_moves
from rollwise.questions.outcomes.data import OutcomeRow, Outcomes
from rollwise.questions.outcomes.ranked import GOES_ON, OutcomeGroup, RankedOutcome, RankedOutcomes
from rollwise.solver.kinds.outcomes import Throw
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.moves import parse_move
from rollwise.text.blocks import Block, Sentence
from rollwise.text.html import Html, dice, element, folded_details, join_html, table
from rollwise.text.moves import infinitive
from rollwise.text.numbers import page_places, percent
from rollwise.text.spelling import shown_value
from rollwise.web import address
from rollwise.web.labels import in_words, text

SIDES = 6
MAX_SINGLE_OUTCOMES = 24  # outcomes shown one by one
ROWS_AT_A_TIME = 60  # of a long table, and at each tap
FROM_KEY = "from"  # parameter of an address: the first row
MAX_WAYS = 10**6  # in which dice can fall; beyond it only chances are shown
NO_DICE = Throw(dice=(), ways=0)
COLOUR_STEPS = 4  # on either side of the middle


@dataclass(frozen=True)
class NextThrow:
    """Outcomes of a move: ``first`` is shown at once, ``rest`` below it.

    ``dice``: the number to enter if not every throw is shown by itself; else 0.
    """

    move: str
    first: tuple[Block | Html, ...]
    rest: tuple[Html, ...]
    dice: int


def throw_map(outcomes: Outcomes, game: TurnGame, query: str) -> NextThrow:
    """Map of a move; ``query`` is its query string."""
    cells = _MapCells(with_best_moves(game, outcomes), game)
    listed, tap = cells.ranked.outcomes, element("p.note", text("throws.tap"))
    first: list[Block | Html] = [Sentence(cells.ranked.sentences())]
    rest: list[Html] = []
    asks = False
    if cells.ranked.is_certain:
        first.append(cells.certain(listed[0]))
    elif square := cells.square():
        first += [tap, square]
        rest = [folded_details("more", text("throws.listed"), cells.table())]
    elif cells.is_one_die():
        tiles = sorted(listed, key=lambda each: each.row.thrown[0].dice)
        first += [tap, element("ul.row-of", *(element("li", cells.tile(each)) for each in tiles))]
    elif len(listed) > MAX_SINGLE_OUTCOMES:
        asks, every = True, f"/{game.name}/throws?{query}"
        more = text("throws.all", count=len(listed))
        rest = [element("h3", text("throws.groups")), cells.groups()]
        rest.append(folded_details("more", more, address=every, page=text("throws.all_page")))
    else:
        asks, rest = any(len(each.row.thrown) > 1 for each in listed), [cells.table()]
    dice = max((len(throw.dice) for row in outcomes.rows for throw in row.thrown), default=0)
    return NextThrow(outcomes.move, tuple(first), tuple(rest), dice if asks else 0)


def all_throws(outcomes: Outcomes, game: TurnGame, query: str, start: int = 0) -> list[Html]:
    """Some outcomes, best first, from a place on, each with its best next move."""
    rows = [each.row for each in RankedOutcomes(outcomes).outcomes]
    end = start + ROWS_AT_A_TIME
    with_next = with_best_moves(game, replace(outcomes, rows=tuple(rows[start:end]))).rows
    cells = _MapCells(replace(outcomes, rows=(*rows[:start], *with_next, *rows[end:])), game)
    n_further, more = len(rows) - end, f"/{game.name}/throws?{query}&{FROM_KEY}={end}"
    label, page = text("throws.further", count=n_further), text("throws.all_page")
    table = cells.table(cells.ranked.outcomes[start:end])
    return [table, *([folded_details("more", label, address=more, page=page)] if n_further > 0 else [])]


def outcome_of_throw(outcomes: Outcomes, dice: Sequence[int]) -> OutcomeRow | None:
    """The likeliest outcome of a throw of these dice; None if they cannot fall."""
    ways = [(throw.ways, row) for row in outcomes.rows for throw in row.thrown if sorted(throw.dice) == sorted(dice)]
    return max(ways, key=lambda pair: pair[0])[1] if ways else None


def next_url(game: TurnGame, row: OutcomeRow, mover: int) -> str:
    """Address of the question after an outcome, marked if the other player is to move; empty at an end."""
    if row.state is None:
        return ""
    url = address.question_url(game, row.state)
    mark = address.encode_pairs([(address.TURNED_KEY, "1")])
    return url if row.mover == mover or not address.is_relative(game) else f"{url}{'&' if '?' in url else '?'}{mark}"


class _MapCells:
    """Builder of the cells of one map."""

    def __init__(self, outcomes: Outcomes, game: TurnGame) -> None:
        self.game = game
        values = [row.value for row in outcomes.rows if row.value is not None]
        value = max(map(abs, values), default=0.0) if outcomes.value is None else outcomes.value
        self.ranked = RankedOutcomes(outcomes, page_places(value, outcomes.unit))

    def certain(self, each: RankedOutcome) -> Html:
        """The only outcome: a link to the next question, or the ending."""
        then = self.then(each)
        is_mine = each.row.mover == self.ranked.answer.mover
        words = text("throws.onward" if is_mine else "throws.passes", then=then) if then else text("throws.on")
        return self.link("onward", each, words) if each.row.state is not None else element("p.note", then)

    def square(self) -> Html | None:
        """Table of a throw of two dice, rows by the first die; None for any other throw."""
        by_pair = self.ranked.pairs()
        if len(by_pair) != SIDES * (SIDES + 1) // 2:
            return None
        faces = range(1, SIDES + 1)
        pairs = [[(min(one, two), max(one, two)) for two in faces] for one in faces]
        rows = [
            [dice([one]), *(self.of_pair(pair, by_pair[pair]) for pair in row)]
            for one, row in zip(faces, pairs, strict=True)
        ]
        return table("square", ["", *(dice([face]) for face in faces)], rows, "td", aria_label=text("throws.square"))

    def of_pair(self, pair: tuple[int, int], each: RankedOutcome) -> Html:
        """Cell of one throw of two dice."""
        ways = next(throw.ways for throw in each.row.thrown if throw.dice == pair)
        chance = (each.row.chance or Fraction(0)) * ways / sum(throw.ways for throw in each.row.thrown)
        unseen = element("span.unseen", f"{pair[0]} {pair[1]} ({percent(float(chance), 1)}) {self.then(each)}: ")
        return self.link(
            f"heat.{self.warmth(each.worth)}", each, unseen, self.ranked.value(each.worth).removesuffix(" %")
        )

    def is_one_die(self) -> bool:
        """True if one die falls, and each face has its own outcome."""
        faces = [throw.dice for each in self.ranked.outcomes for throw in each.row.thrown]
        return all(len(dice) == 1 for dice in faces) and len(faces) == SIDES == len(self.ranked.outcomes)

    def tile(self, each: RankedOutcome) -> Html:
        """An outcome of one die."""
        chance = "" if each.row.chance is None else percent(float(each.row.chance), 1)
        numbers = element("b", self.ranked.value(each.worth)), element("span", chance)
        face = dice(each.row.thrown[0].dice)
        return self.link(
            f"heat.tall.{self.warmth(each.worth)}", each, face, *numbers, element("small", self.then(each))
        )

    def groups(self) -> Html:
        """Table of groups of outcomes with the same best next move and about the same value."""
        rows = [[self.of_group(each), self.chance(each.chance), self.warm(each.mean)] for each in self.ranked.groups()]
        return table("cells.outcomes", [text("throws.thrown"), text("throws.chance"), text("answer.value")], rows)

    def of_group(self, group: OutcomeGroup) -> Html:
        """Cell of a group: its best next move, the number of throws, and the likeliest one; a single one is a link."""
        alike, first = group.is_alike, _likeliest([throw for each in group.outcomes for throw in each.row.thrown])
        throws = text("throws.one") if group.throws == 1 else text("throws.count", count=group.throws)
        then = element("span.then", f"{_capitalised(_in_words(group.then))} · {throws}")
        if first is None or not alike:
            return then
        faces = _dice_of(first, group.then)
        return join_html(self.link("", group.outcomes[0], faces) if len(group.outcomes) == 1 else faces, then)

    def table(self, outcomes: Sequence[RankedOutcome] | None = None) -> Html:
        """Table of these outcomes, or of all, best first."""
        chances = [text("throws.chance")] if self.ranked.has_chances else []
        rows = [
            [self.name(each), *(self.chance(each.row.chance) for _ in chances), self.warm(each.worth)]
            for each in (self.ranked.outcomes if outcomes is None else outcomes)
        ]
        return table("cells.outcomes", [text("throws.thrown"), *chances, text("answer.value")], rows)

    def name(self, each: RankedOutcome) -> Html:
        """Cell of an outcome: the likeliest throw, the number of others, and the best next move."""
        first, others, then = _likeliest(each.row.thrown), len(each.row.thrown) - 1, self.then(each)
        words = [self.link("", each, _dice_of(first, each.then) if first else self.label(each))]
        words += [element("small", f" +{others}")] if others > 0 else []
        return join_html(*words, *([element("span.then", _capitalised(then))] if then else []))

    def link(self, sort: str, each: RankedOutcome, *inside: str) -> Html:
        """Link to the question after an outcome; a span if there is none."""
        to = next_url(self.game, each.row, self.ranked.answer.mover)
        return element(f"{'a' if to else 'span'}{'.' * bool(sort)}{sort}", *inside, href=to)

    def label(self, each: RankedOutcome) -> str:
        """Label of an outcome without dice: the reply, or the fields that differ."""
        if each.row.reply or self.ranked.is_certain:
            return each.row.reply or text("throws.certain")
        stands = self.stands(each.row).items()
        return ", ".join(f"{in_words(name).capitalize()} {value}" for name, value in stands if name in self.differing)

    def stands(self, row: OutcomeRow) -> dict[str, str]:
        """Fields of the next question, as shown."""
        return {} if row.state is None else {name: shown_value(value) for name, value in row.state.items()}

    @cached_property
    def differing(self) -> set[str]:
        """Fields by which the next questions differ, for outcomes without dice."""
        states = [self.stands(each.row) for each in self.ranked.outcomes if each.row.state is not None]
        names = {name for state in states for name in state}
        return {name for name in names if len({state.get(name) for state in states}) > 1}

    def then(self, each: RankedOutcome) -> str:
        """Best next move in words; empty if unknown."""
        return "" if each.then == GOES_ON else _in_words(each.then)

    def chance(self, chance: Fraction | None) -> Html | str:
        """A chance in per cent, and in ways of all ways that the dice can fall."""
        if chance is None:
            return ""
        exactly = text("throws.ways", count=int(chance * self.ways), ways=self.ways) if self.ways else ""
        return join_html(percent(float(chance), 1), *([element("small.ways", exactly)] if exactly else []))

    @cached_property
    def ways(self) -> int:
        """Number of ways that the dice can fall; 0 if too many, or unknown."""
        chances = [each.row.chance for each in self.ranked.outcomes]
        least = lcm(*(chance.denominator for chance in chances if chance is not None))
        most = SIDES ** max(len(throw.dice) for each in self.ranked.outcomes for throw in [*each.row.thrown, NO_DICE])
        return 0 if None in chances or least > MAX_WAYS else most if most % least == 0 else least

    def warmth(self, value: float | None) -> str:
        """Name of the colour of a value: from cold4, the worst, over mild to warm4."""
        step = round(COLOUR_STEPS * (2 * self.ranked.warmth(value) - 1))
        return "mild" if step == 0 else f"{'warm' if step > 0 else 'cold'}{abs(step)}"

    def warm(self, value: float | None) -> Html:
        """A value on its colour."""
        return element(f"b.heat.small.{self.warmth(value)}", self.ranked.value(value))


def _in_words(then: str) -> str:
    """Best next steps in the imperative."""
    return ", ".join(map(infinitive, then.split(", ")))


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _dice_of(throw: Throw, then: str) -> Html:
    """Dice of a throw and of further ones; the dice kept of the last one are lit."""
    *before, last = throw.dice, *throw.then
    return Html(" ".join([*map(dice, before), dice(last, parse_move(then.partition(", ")[0]).kept or None)]))


def _likeliest(thrown: Sequence[Throw]) -> Throw | None:
    return max(thrown, key=lambda throw: (-len(throw.then), throw.ways), default=None)
