"""Quantities of an answer as blocks: numbers, a table of bets, and a histogram for each distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from rollwise.solver.model.solution import Quantity
from rollwise.text.blocks import Bars, Block, CellTable, Fact, Facts, Glossary, ProvedNumber, Sentence
from rollwise.text.labels import quantity_label
from rollwise.text.numbers import number

MIN_SHOWN_CHANCE = 5e-5  # less likely outcomes are summed up
MAX_BARS = 32
TIE = "shared"  # left out where it is impossible
MEAN_NAMES = {"score_distribution": "mean_score"}  # of distributions whose mean has another name


def quantity_blocks(quantities: Mapping[str, Quantity], mover: int) -> list[Block]:
    """The quantities of an answer: numbers, then bets, the cheapest in a sentence, then distributions."""
    bets, spread, plain = dict[str, Quantity](), dict[str, Quantity](), dict[str, Quantity]()
    for name, quantity in quantities.items():
        is_bet, is_spread = isinstance(quantity.exact, Mapping), isinstance(quantity.value, Mapping)
        if name != TIE or quantity.exact != "0":
            (bets if is_bet else spread if is_spread else plain)[name] = quantity
    facts = [fact for name, quantity in plain.items() for fact in _facts(_label(name, quantity), quantity, mover)]
    blocks: list[Block] = [Facts(facts)] if facts else []
    if bets:
        words = {name: name.replace("_", " ") for name in bets}
        rows = [["bet", *words.values()]]
        named = list(dict.fromkeys(bet for quantity in bets.values() for bet in quantity.value))
        table = [[bet, *(_bet(quantity, bet) for quantity in bets.values())] for bet in named]
        glossary = Glossary([(words[name], _label(name, quantity)) for name, quantity in bets.items()])
        blocks += [Sentence([cheapest_bets(bets)]), CellTable([*rows, *table], right=range(1, 1 + len(bets))), glossary]
    for name, quantity in spread.items():
        of = quantities.get(MEAN_NAMES.get(name) or name.removesuffix("_distribution"), quantity)
        unit = "" if of.unit == "probability" else f" ({of.unit})"
        blocks.append(_bars(_label(name, quantity) + unit, quantity))
    return blocks


def _label(name: str, quantity: Quantity) -> str:
    return quantity.label or quantity_label(name)


def _facts(label: str, quantity: Quantity, mover: int) -> Iterator[Fact]:
    """One number, or one for each seat."""
    if not isinstance(quantity.value, list):
        yield Fact(label, ProvedNumber(quantity.value, quantity.lower, quantity.upper, quantity.unit, quantity.exact))
        return
    largest = 1.0 if quantity.unit == "probability" else max([*map(float, quantity.value), 1e-300])
    exacts = quantity.exact or [None] * len(quantity.value)
    numbers = zip(quantity.value, quantity.lower, quantity.upper, exacts, strict=True)
    for seat, (value, lower, upper, exact) in enumerate(numbers):
        share = max(0.0, value / largest)  # negative numbers have no bar
        yield Fact(label, ProvedNumber(value, lower, upper, quantity.unit, exact), seat, seat == mover, share)


def cheapest_bets(quantities: Mapping[str, Quantity], places: int = 2) -> str:
    """The bets with the highest return, in a sentence; for a single bet its return."""
    chances, backs = quantities["chance"].value, quantities["return"].value
    top = max(backs.values())
    named = [bet for bet, back in backs.items() if back == top]
    chance = {number(chances[bet], "probability", places) for bet in named}
    wins = f"wins {chance.pop()} of the time and " if len(chance) == 1 else ""
    brings = f"a chip on it {wins}brings back {top:.2f} on average, the stake included"
    which = f"Cheapest for the player: {' or '.join(named)}" if len(backs) > 1 else f"The bet: {named[0]}"
    return f"{which}; {brings}."


def headline(quantities: Mapping[str, Quantity]) -> str:
    """The sentence on the cheapest bets; empty where there are none."""
    return cheapest_bets(quantities, 1) if any(isinstance(each.exact, Mapping) for each in quantities.values()) else ""


def first_fact(quantities: Mapping[str, Quantity], mover: int) -> Fact | None:
    """The first number of a game without choices, that of the mover; None for bets."""
    for name, quantity in quantities.items():
        if isinstance(quantity.exact, Mapping):
            return None
        for fact in () if isinstance(quantity.value, Mapping) else _facts(_label(name, quantity), quantity, mover):
            if fact.seat is None or fact.is_mover:
                return fact
    return None


def _bet(quantity: Quantity, bet: str) -> ProvedNumber | str:
    if bet not in quantity.value:
        return ""
    value = quantity.value[bet]
    return ProvedNumber(value, value, value, quantity.unit, quantity.exact[bet])


def _bars(title: str, quantity: Quantity) -> Bars:
    """The histogram of a distribution, with ranges where there are many outcomes."""
    shown, rest = chance_bands(quantity.value)
    notes = [f"all others together: {number(rest, 'probability')}"] if rest > 1e-9 else []
    if quantity.tail:
        past = f"{100 * quantity.tail['upper']:.1e} %"
        notes.append(f"{quantity.tail['from']} or more: at most {past}, not listed one by one")
    return Bars(title, list(shown.items()), notes)


def chance_bands(value: Mapping[str, float]) -> tuple[dict[str, float], float]:
    """Chances by outcome, or by range of many outcomes; and the sum of all unlikely ones left out."""
    outcomes = {int(outcome): chance for outcome, chance in value.items()}
    low, high = min(outcomes), max(outcomes)
    step = max(1, -(-(high - low + 1) // MAX_BARS))
    grouped: dict[int, float] = {}
    for outcome, chance in outcomes.items():
        start = low + (outcome - low) // step * step
        grouped[start] = grouped.get(start, 0.0) + chance
    shown = {start: chance for start, chance in sorted(grouped.items()) if chance >= MIN_SHOWN_CHANCE}
    named = {str(start) if step == 1 else f"{start}-{start + step - 1}": chance for start, chance in shown.items()}
    return named, 1 - math.fsum(shown.values())
