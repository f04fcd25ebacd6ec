"""What a move leads to as a map for a page: every throw with its chance, coloured by what it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm

from rollwise.answers.moves import does
from rollwise.answers.outcomes import OutcomeRow, Outcomes
from rollwise.answers.spelling import shown_value
from rollwise.asking.outcomes import with_next_moves
from rollwise.solver.kinds.outcomes import Throw
from rollwise.solver.model.game import TurnGame
from rollwise.text.blocks import Block, Sentence
from rollwise.text.html import Html, dice, element, fold, joined, table
from rollwise.text.moves import order
from rollwise.text.numbers import percent, places
from rollwise.text.ranked_outcomes import ON, OutcomeGroup, RankedOutcome, RankedOutcomes
from rollwise.web import address
from rollwise.web.labels import in_words
from rollwise.web.texts import text

SIDES = 6
AT_ONCE = 24  # outcomes that stand one by one
LISTED = 60  # of very many, and so many more at a tap
FROM = "from"  # in an address: of which on
MOST_WAYS = 10**6  # in which dice can fall, that are counted
NO_DICE = Throw((), (), 0)
WARMTHS = 4  # steps of colour to either side of the middle


@dataclass(frozen=True)
class NextThrow:
    """What a move leads to: what stands there at once, and below it what is best then, or all outcomes.

    ``dice`` fall at the most, where it has to be asked what was thrown, as not every throw stands there by itself.
    """

    move: str
    first: tuple[Block | Html, ...]
    rest: tuple[Html, ...]
    dice: int


def map_of(outcomes: Outcomes, game: TurnGame, query: str) -> NextThrow:
    """The map of a move; ``query`` asks it in an address."""
    cells = _Cells(with_next_moves(game, outcomes), game)
    listed, tap = cells.ranked.outcomes, element("p.note", text("throws.tap"))
    first: list[Block | Html] = [Sentence(cells.ranked.sentences())]
    rest: list[Html] = []
    asks = False
    if cells.ranked.is_certain:
        first.append(cells.certain(listed[0]))
    elif square := cells.square():
        first += [tap, square]
        rest = [fold("more", text("throws.listed"), cells.table())]
    elif cells.is_one_die():
        tiles = sorted(listed, key=lambda each: each.row.thrown[0].dice)
        first += [tap, element("ul.row-of", *(element("li", cells.tile(each)) for each in tiles))]
    elif len(listed) > AT_ONCE:
        asks, every = True, f"/{game.name}/throws?{query}"
        more = text("throws.all", count=len(listed))
        rest = [element("h3", text("throws.groups")), cells.groups()]
        rest.append(fold("more", more, address=every, page=text("throws.all_page")))
    else:
        asks, rest = any(len(each.row.thrown) > 1 for each in listed), [cells.table()]
    dice = max((len(throw.dice) for row in outcomes.rows for throw in row.thrown), default=0)
    return NextThrow(outcomes.move, tuple(first), tuple(rest), dice if asks else 0)


def all_throws(outcomes: Outcomes, game: TurnGame, query: str, start: int = 0) -> list[Html]:
    """Outcomes, the best first, from that place on: so many at once, for each is asked what is best then."""
    rows = [each.row for each in RankedOutcomes(outcomes).outcomes]
    end = start + LISTED
    known = with_next_moves(game, replace(outcomes, rows=tuple(rows[start:end]))).rows
    cells = _Cells(replace(outcomes, rows=(*rows[:start], *known, *rows[end:])), game)
    left, more = len(rows) - end, f"/{game.name}/throws?{query}&{FROM}={end}"
    label, page = text("throws.further", count=left), text("throws.all_page")
    table = cells.table(cells.ranked.outcomes[start:end])
    return [table, *([fold("more", label, address=more, page=page)] if left > 0 else [])]


def after_throw(outcomes: Outcomes, dice: Sequence[int]) -> OutcomeRow | None:
    """The outcome of a throw of these dice, of the ways that there are the likeliest."""
    ways = [(throw.ways, row) for row in outcomes.rows for throw in row.thrown if sorted(throw.dice) == sorted(dice)]
    return max(ways, key=lambda pair: pair[0])[1] if ways else None


def followed(game: TurnGame, row: OutcomeRow, mover: int) -> str:
    """The address of the question that an outcome leaves, marked where it is no longer the mover's; empty at an end."""
    if row.state is None:
        return ""
    url = address.page(game, row.state)
    mark = address.written([(address.TURNED, "1")])
    return url if row.mover == mover or not address.swaps(game) else f"{url}{'&' if '?' in url else '?'}{mark}"


class _Cells:
    """Makes the cells of one map."""

    def __init__(self, outcomes: Outcomes, game: TurnGame) -> None:
        self.game = game
        worths = [row.value for row in outcomes.rows if row.value is not None]
        worth = max(map(abs, worths), default=0.0) if outcomes.value is None else outcomes.value
        self.ranked = RankedOutcomes(outcomes, places(worth, outcomes.unit))

    def certain(self, each: RankedOutcome) -> Html:
        """The only outcome: on to the question after it, or how it ended."""
        then = self.then(each)
        is_mine = each.row.mover == self.ranked.answer.mover
        words = text("throws.onward" if is_mine else "throws.passes", then=then) if then else text("throws.on")
        return self.link("onward", each, words) if each.row.state is not None else element("p.note", then)

    def square(self) -> Html | None:
        """A throw of two dice in rows by the first die; nothing for any other throw."""
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
        """The cell of one throw alone, of an outcome that others may lead to too."""
        ways = next(throw.ways for throw in each.row.thrown if throw.dice == pair)
        chance = (each.row.chance or Fraction(0)) * ways / sum(throw.ways for throw in each.row.thrown)
        unseen = element("span.unseen", f"{pair[0]} {pair[1]} ({percent(float(chance), 1)}) {self.then(each)}: ")
        return self.link(
            f"heat.{self.warmth(each.worth)}", each, unseen, self.ranked.value(each.worth).removesuffix(" %")
        )

    def is_one_die(self) -> bool:
        """Does one die fall, and each face stand for itself?"""
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
        """Outcomes with the same thing to do then, and worth about as much, in a row each."""
        rows = [[self.of_group(each), self.chance(each.chance), self.warm(each.mean)] for each in self.ranked.groups()]
        return table("cells.outcomes", [text("throws.thrown"), text("throws.chance"), text("answer.value")], rows)

    def of_group(self, group: OutcomeGroup) -> Html:
        """What is best then, and how many throws there are, the likeliest of them drawn; one alone leads on."""
        alike, first = group.is_alike, _likeliest([throw for each in group.outcomes for throw in each.row.thrown])
        throws = text("throws.one") if group.throws == 1 else text("throws.count", count=group.throws)
        then = element("span.then", f"{_capital(_in_words(group.then))} · {throws}")
        if first is None or not alike:
            return then
        faces = _fallen(first, group.then)
        return joined(self.link("", group.outcomes[0], faces) if len(group.outcomes) == 1 else faces, then)

    def table(self, outcomes: Sequence[RankedOutcome] | None = None) -> Html:
        """Outcomes, or all of them, the best first."""
        chances = [text("throws.chance")] if self.ranked.has_chances else []
        rows = [
            [self.name(each), *(self.chance(each.row.chance) for _ in chances), self.warm(each.worth)]
            for each in (self.ranked.outcomes if outcomes is None else outcomes)
        ]
        return table("cells.outcomes", [text("throws.thrown"), *chances, text("answer.value")], rows)

    def name(self, each: RankedOutcome) -> Html:
        """What was thrown, and what is best then: the dice of the likeliest throw, and how many others there are."""
        first, others, then = _likeliest(each.row.thrown), len(each.row.thrown) - 1, self.then(each)
        words = [self.link("", each, _fallen(first, each.then) if first else self.label(each))]
        words += [element("small", f" +{others}")] if others > 0 else []
        return joined(*words, *([element("span.then", _capital(then))] if then else []))

    def link(self, sort: str, each: RankedOutcome, *inside: str) -> Html:
        """What leads to the question after an outcome, where there is one."""
        to = followed(self.game, each.row, self.ranked.answer.mover)
        return element(f"{'a' if to else 'span'}{'.' * bool(sort)}{sort}", *inside, href=to)

    def label(self, each: RankedOutcome) -> str:
        """An outcome without dice in words: the reply, or by what its question differs."""
        if each.row.reply or self.ranked.is_certain:
            return each.row.reply or text("throws.certain")
        stands = self.stands(each.row).items()
        return ", ".join(f"{in_words(name).capitalize()} {value}" for name, value in stands if name in self.differing)

    def stands(self, row: OutcomeRow) -> dict[str, str]:
        """The fields of the question that follows, as they are shown."""
        return {} if row.state is None else {name: shown_value(value) for name, value in row.state.items()}

    @cached_property
    def differing(self) -> set[str]:
        """The fields by which questions that follow differ: without dice nothing else tells outcomes apart."""
        states = [self.stands(each.row) for each in self.ranked.outcomes if each.row.state is not None]
        names = {name for state in states for name in state}
        return {name for name in names if len({state.get(name) for state in states}) > 1}

    def then(self, each: RankedOutcome) -> str:
        """What is best then, where that is known."""
        return "" if each.then == ON else _in_words(each.then)

    def chance(self, chance: Fraction | None) -> Html | str:
        """How likely it is, and in how many of all ways that the dice can fall."""
        if chance is None:
            return ""
        exactly = text("throws.ways", count=int(chance * self.ways), ways=self.ways) if self.ways else ""
        return joined(percent(float(chance), 1), *([element("small.ways", exactly)] if exactly else []))

    @cached_property
    def ways(self) -> int:
        """In how many ways the dice can fall; 0 where that is too many to tell somebody, or not known."""
        chances = [each.row.chance for each in self.ranked.outcomes]
        least = lcm(*(chance.denominator for chance in chances if chance is not None))
        most = SIDES ** max(len(throw.dice) for each in self.ranked.outcomes for throw in [*each.row.thrown, NO_DICE])
        return 0 if None in chances or least > MOST_WAYS else most if most % least == 0 else least

    def warmth(self, worth: float | None) -> str:
        """The name of a colour: from cold4, the worst, over mild to warm4."""
        step = round(WARMTHS * (2 * self.ranked.warmth(worth) - 1))
        return "mild" if step == 0 else f"{'warm' if step > 0 else 'cold'}{abs(step)}"

    def warm(self, worth: float | None) -> Html:
        """A value on its colour."""
        return element(f"b.heat.small.{self.warmth(worth)}", self.ranked.value(worth))


def _in_words(then: str) -> str:
    """What is best then, its steps as orders."""
    return ", ".join(map(order, then.split(", ")))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _fallen(throw: Throw, then: str) -> Html:
    """The dice of a throw, and those of further ones; what is kept of the last one then is lit."""
    *before, last = throw.dice, *throw.then
    return Html(" ".join([*map(dice, before), dice(last, does(then.partition(", ")[0]).kept or None)]))


def _likeliest(thrown: Sequence[Throw]) -> Throw | None:
    return max(thrown, key=lambda throw: (-len(throw.then), throw.ways), default=None)
