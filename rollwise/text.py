"""Answers as a person reads them: one verdict, then a table. Every number comes from ``Advice``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import fsum
from typing import TYPE_CHECKING, Any

from rollwise.answer import Advice, shown_state, shown_value
from rollwise.solver.game.solution import Quantity

if TYPE_CHECKING:
    from rollwise.comparing import Comparison
    from rollwise.forecasting import FinalScore
    from rollwise.turn_odds import BestOdds, TurnOdds

MOST_PLACES = 9
RARE = 1e-3  # scores that are missed, or reached, no more often stand in one line of a histogram
MOST_STEPS = 24  # lines of a histogram, besides these
LOST_TOLD = 1e-15  # smaller chances are not worth a word
ACTIVE = {"roll": "Roll", "hold": "Hold", "stop": "Stop"}
DOING = {
    "roll": "rolling",
    "hold": "holding",
    "stop": "stopping",
    "leave": "leaving",
    "one die": "throwing one die",
    "two dice": "throwing two dice",
    "post": "posting",
    "go on": "going on",
    "pass": "passing",
    "accept": "accepting",
    "challenge": "challenging",
}
VERBS = {
    "roll": "rolling",
    "keep": "keeping",
    "score": "scoring",
    "shut": "shutting",
    "place": "placing",
    "cross": "crossing",
    "call": "calling",
}


def number(value: float, unit: str, places: int) -> str:
    """A value with its unit: chances in per cent."""
    if unit == "probability":
        return f"{100 * value:.{places}f} %"
    return f"{value:.{places}f}"


def width(lower: float, upper: float, unit: str) -> str:
    """Half the width of an interval, rounded up."""
    half = (upper - lower) / 2 * (100 if unit == "probability" else 1)
    if half <= 0:
        return "exact"
    exponent = math.floor(math.log10(half))
    digit = math.ceil(half / 10**exponent)
    return f"± {digit}e{exponent:+03d}" if digit < 10 else f"± 1e{exponent + 1:+03d}"


def places_to_tell(first: float, second: float, unit: str) -> int:
    """Decimal places at which two values can be told apart, at least one (per cent) or two."""
    least = 1 if unit == "probability" else 2
    scale = 100 if unit == "probability" else 1
    for places in range(least, MOST_PLACES + 1):
        if round(first * scale, places) != round(second * scale, places):
            return places
    return MOST_PLACES


def imperative(move: str) -> str:
    """A move as an order: ``Roll``, ``Keep 5 5``."""
    return ACTIVE.get(move, move[:1].upper() + move[1:]) + _dice(move)


def _dice(move: str) -> str:
    """``roll 2`` names a number of dice."""
    verb, _, count = move.partition(" ")
    return "" if verb != "roll" or not count else " die" if count == "1" else " dice"


def doing(move: str) -> str:
    """A move as something one does: ``holding``, ``keeping 5 5``."""
    verb, _, rest = move.partition(" ")
    rest += _dice(move)
    return DOING.get(move) or (f"{VERBS[verb]} {rest}" if verb in VERBS and rest else f"'{move}'")


def verdict(advice: Advice) -> str:
    """One sentence: what to do, what it is worth, and what the next best move is worth."""
    moves, best, unit = advice.moves or [], advice.best or [], advice.unit
    again = " again" if best[:1] == ["roll"] and len(moves) > 1 and advice.state.get("turn") else ""
    if len(moves) == 1:
        return f"{imperative(moves[0].move)}: the only move, worth {_worth(moves[0].value, unit, 2)}."
    if len(best) > 1:
        how = "exactly equal" if moves[0].exact is not None else "a tie within the interval"
        return f"{_listed([imperative(best[0]), *best[1:]])}: {how}, worth {_worth(moves[0].value, unit, 2)}."
    second = moves[1]
    places = places_to_tell(moves[0].value, second.value, unit)
    return (
        f"{imperative(best[0])}{again}: {_worth(moves[0].value, unit, places)} against "
        f"{number(second.value, unit, places)} for {doing(second.move)}."
    )


def _worth(value: float, unit: str, places: int) -> str:
    shown = number(value, unit, places)
    return shown if unit == "probability" else f"{shown} {unit}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows as aligned lines; the columns in ``right`` are set flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def heading(answer: Advice | Comparison | FinalScore | TurnOdds, title: str) -> str:
    """The game and its rule parameters."""
    told = {name: value for name, value in answer.parameters.items() if value not in ([], ())}
    parameters = ", ".join(f"{name}={shown_value(value)}" for name, value in told.items())
    return f"{title} ({parameters})" if parameters else title


def measured(advice: Advice) -> str:
    """The name of the value column."""
    return measure_of(advice.objective)


def measure_of(objective: str) -> str:
    """What a value counts, as a heading."""
    return {"win": "P(win)"}.get(objective, objective)


def advice_lines(advice: Advice, title: str) -> list[str]:
    """The whole answer of a question."""
    lines = [heading(advice, title), shown_state(advice.state), ""]
    if advice.moves:
        lines += [verdict(advice), "", *_moves(advice)]
    if advice.shares:
        lines += ["", *_shares(advice)]
    if advice.quantities:
        lines += ["", *_quantities(advice)] if advice.moves else _quantities(advice)
    return [line.rstrip() for line in lines]


def _moves(advice: Advice) -> list[str]:
    unit = advice.unit
    moves = advice.moves or []
    exact = any(move.exact is not None for move in moves)
    rows = [["", "move", measured(advice), "interval", "loss", *(["exact"] if exact else [])]]
    for move in moves:
        mark = "*" if move.move in (advice.best or []) else ""
        loss = "" if mark else number(move.loss, unit, 4).replace(" %", " pp")
        row = [mark, move.move, number(move.value, unit, 4), width(move.lower, move.upper, unit), loss]
        rows.append([*row, *([_short(move.exact)] if exact else [])])
    lines = columns(rows, right=(2, 3, 4))
    return [
        *lines,
        "",
        "* best; loss: how much worse than the best"
        + ("; intervals and losses in percentage points" if unit == "probability" else ""),
    ]


def _short(exact: str | None) -> str:
    if exact is None or len(exact) <= 60:
        return exact or ""
    return f"{exact[:24]}...{exact[-12:]} ({len(exact)} characters; --json shows all)"


def _shares(advice: Advice) -> list[str]:
    shares = enumerate(advice.shares or [])
    rows = [["seat", "P(win)"], *([str(seat), number(share, "probability", 4)] for seat, share in shares)]
    return columns(rows, right=(1,))


def _quantities(advice: Advice) -> list[str]:
    lines: list[str] = []
    rows: list[list[str]] = []
    by_bet = {name: quantity for name, quantity in advice.quantities.items() if isinstance(quantity.exact, Mapping)}
    if by_bet:
        lines += ["", *_bets(by_bet)]
    for name, quantity in advice.quantities.items():
        if name in by_bet:
            continue
        if isinstance(quantity.value, Mapping):
            lines += ["", name.replace("_", " "), *_distribution(quantity.value, quantity.tail)]
            continue
        by_seat = isinstance(quantity.value, list)
        values = quantity.value if by_seat else [quantity.value]
        exacts = quantity.exact if by_seat and quantity.exact else [quantity.exact] * len(values)
        lowers = quantity.lower if by_seat else [quantity.lower]
        uppers = quantity.upper if by_seat else [quantity.upper]
        for seat, (value, lower, upper, exact) in enumerate(zip(values, lowers, uppers, exacts, strict=True)):
            label = f"{name.replace('_', ' ')} seat {seat}" if by_seat else name.replace("_", " ")
            unit = "" if quantity.unit == "probability" else quantity.unit
            rows.append(
                [label, number(value, quantity.unit, 6), unit, width(lower, upper, quantity.unit), _short(exact)]
            )
    return [*columns(rows, right=(1,)), *lines] if rows else lines[1:]


def _bets(quantities: Mapping[str, Quantity]) -> list[str]:
    """One line a bet, the best first; fractions in brackets where they are no whole numbers."""
    bets = list(dict.fromkeys(bet for quantity in quantities.values() for bet in quantity.value))
    rows = [["bet", *(name.replace("_", " ") for name in quantities)]]
    for bet in bets:
        cells = []
        for quantity in quantities.values():
            if bet not in quantity.value:
                cells.append("")
                continue
            shown, exact = number(quantity.value[bet], quantity.unit, 4), quantity.exact[bet]
            cells.append(f"{shown} ({exact})" if "/" in exact else exact)
        rows.append([bet, *cells])
    return columns(rows, right=tuple(range(1, 1 + len(quantities))))


def _distribution(value: Mapping[str, float], tail: Mapping[str, Any] | None) -> list[str]:
    """A histogram: one line an outcome (or a range of outcomes, where there are many)."""
    outcomes = {int(outcome): chance for outcome, chance in value.items()}
    low, high = min(outcomes), max(outcomes)
    step = max(1, -(-(high - low + 1) // 32))
    grouped: dict[int, float] = {}
    for outcome, chance in outcomes.items():
        start = low + (outcome - low) // step * step
        grouped[start] = grouped.get(start, 0.0) + chance
    shown = {start: chance for start, chance in sorted(grouped.items()) if chance >= 5e-5}
    most = max(shown.values())
    rows = [
        [
            str(start) if step == 1 else f"{start}-{start + step - 1}",
            number(chance, "probability", 2),
            "█" * round(40 * chance / most) or "▏",
        ]
        for start, chance in shown.items()
    ]
    rest = 1 - math.fsum(shown.values())
    lines = columns(rows, right=(0, 1))
    if rest > 1e-9:
        lines.append(f"others: {number(rest, 'probability', 3)}")
    if tail:
        lines.append(f"from {tail['from']} on: at most {tail['upper']:.1e} (not listed one by one)")
    return lines


def comparison_lines(found: Comparison, title: str) -> list[str]:
    """The whole answer of ``compare``."""
    unit = found.unit
    rows = [["", "best play", found.policy, "difference"]]
    for seat, (best, rule) in enumerate(zip(found.best, found.rule, strict=True)):
        rows.append(
            [f"seat {seat}" if len(found.best) > 1 else measure_of(found.objective)]
            + [number(value, unit, 4) for value in (best[0], rule[0], round(best[0] - rule[0], 9) + 0.0)]
        )
    value, lower, upper = found.cost
    cost = number(value, unit, 4).replace(" %", " percentage points") + ("" if unit == "probability" else f" {unit}")
    against = " against a best reply, mean of both seats." if len(found.best) > 1 else "."
    return [
        heading(found, title),
        *([f"from {shown_state(found.state)}"] if found.state else []),
        f"{found.policy}: {found.help}" if found.help else found.policy,
        "",
        (f"It costs {cost} per game" if lower > 0 else "It costs nothing,") + f" {width(lower, upper, unit)}{against}",
        "",
        *columns(rows, right=(1, 2, 3)),
        *_of_table(found),
    ]


def _of_table(found: Comparison) -> list[str]:
    """What there is to say of a table: how much of play it holds, and whether it says what game it is of."""
    if found.table is None:
        return []
    lines = []
    reached, held = found.table["reached"], found.table["held"]
    if found.table["slice"]:
        where = "on its sheets and before them" if held < reached else "on its sheets"
        share = f"{100 * held / reached:.1f} %" if reached else "none"
        lines.append(
            f"The slice holds {held:,} of the {reached:,} decisions that play comes to {where} ({share}); "
            "outside it the best is played."
        )
    if not found.table["described"]:
        lines.append(f"The table does not say what it is of; it was taken to be of {found.game} with these parameters.")
    return ["", *lines] if lines else []


def turn_odds_lines(found: TurnOdds, title: str, *, briefly: bool) -> list[str]:
    """The whole answer of ``odds``; briefly: a line for each box and aim, with the fraction for the most rolls only."""
    by_aim: dict[tuple[str, str], list[BestOdds]] = {}
    for odds in found.odds:
        by_aim.setdefault((odds.box, odds.aim), []).append(odds)
    rolls = [f"{n} {'roll' if n == 1 else 'rolls'}" for n in dict.fromkeys(odds.rolls for odds in found.odds)]
    notes = ["Each has its own best way to play. Plain scores of the dice: no jokers, no bonuses of the sheet."]
    if briefly:
        notes.append("Name a box to see all its fractions, or a number of rolls (--rolls); --json has everything.")
        rows = [["box", "going for", *rolls, "exactly" if len(rolls) == 1 else f"exactly, {rolls[-1]}"]]
        rows += [[*aim, *map(_best, told), told[-1].best.exact] for aim, told in by_aim.items()]
        right = range(2, 2 + len(rolls))
    else:
        rows = [["box", "going for", "with", "best", "exactly"]]
        rows += [
            [*aim, said, _best(odds), odds.best.exact]
            for aim, told in by_aim.items()
            for said, odds in zip(rolls, told, strict=True)
        ]
        right = range(3, 4)
    return [
        heading(found, title),
        "A turn that goes for one box and nothing else: the best chance, and the most points on average.",
        "",
        *columns(_said_once(rows), right),
        "",
        *notes,
    ]


def _best(odds: BestOdds) -> str:
    """The number in decimals; points stand under the digits of per cents."""
    return number(odds.best.value, odds.best.unit, 4) + ("" if odds.best.unit == "probability" else "  ")


def _said_once(rows: Sequence[list[str]]) -> list[list[str]]:
    """Rows in which a box, and an aim of it, is named in its first line only."""
    shown, before = [], ["", ""]
    for box, aim, *rest in rows:
        shown.append([box if box != before[0] else "", aim if [box, aim] != before else "", *rest])
        before = [box, aim]
    return shown


def forecast_lines(found: FinalScore, title: str) -> list[str]:
    """The whole answer of ``forecast``."""
    told, unit = found.quantities, found.unit
    mean, deviation, percentiles = told["mean_score"], told["standard_deviation"], told["percentiles"].value
    lines = [
        heading(found, title),
        shown_state(found.state),
        "",
        f"The best play ends with {number(mean.value, unit, 4)} {unit} on average "
        f"{width(mean.lower, mean.upper, unit)}; standard deviation {number(deviation.value, unit, 4)}.",
        "",
        *columns(
            [
                ["", *(f"{percent} %" for percent in percentiles)],
                ["of games end with no more than", *map(str, percentiles.values())],
            ],
            right=range(1, 1 + len(percentiles)),
        ),
        "",
        *_scores(told["score_distribution"].value),
    ]
    if found.asked:
        at_least = told["at_least"]
        rows = [
            [
                f"P(at least {score})",
                _small(at_least.value[str(score)]),
                width(at_least.lower[str(score)], at_least.upper[str(score)], "probability"),
            ]
            for score in found.asked
        ]
        lines += ["", *columns(rows, right=(1, 2))]
    if "lines" in told:
        lines += ["", *_lines_of_sheet(told)]
    lost = found.facts["lost"]
    left_out = f"; what was left out has a chance of {lost:.0e} in all" if lost > LOST_TOLD else ""
    return [*lines, "", f"This is one best policy: of equally good moves it plays the first{left_out}."]


def _small(chance: float) -> str:
    """A chance in per cent, however small."""
    return number(chance, "probability", 6) if chance == 0 or chance >= 1e-6 else f"{100 * chance:.2e} %"


def _scores(distribution: Mapping[str, float]) -> list[str]:
    """A histogram of scores in steps of a round number, with the chance to reach each step; rare ends together."""
    from rollwise.forecasting import round_numbers

    chances = {int(score): chance for score, chance in distribution.items()}
    scores = sorted(chances)
    reached = dict(zip(reversed(scores), accumulate(chances[score] for score in reversed(scores)), strict=True))
    usual = [score for score in scores if reached[score] > RARE and reached[score] - chances[score] < 1 - RARE]
    steps = round_numbers(usual[0], usual[-1], MOST_STEPS)
    cuts = [low for low in steps if scores[0] < low <= scores[-1]]
    groups: list[tuple[str, float, float]] = []
    for low, end in zip([scores[0], *cuts], [*cuts, scores[-1] + 1], strict=True):
        name = f"{low}-{end - 1}" if end - 1 > low else str(low)
        inside = fsum(chance for score, chance in chances.items() if low <= score < end)
        groups.append((name, inside, min(1.0, fsum(chance for score, chance in chances.items() if score >= low))))
    most = max(chance for _, chance, _ in groups)
    rows = [["score", "chance", "or more", ""]]
    rows += [
        [name, number(chance, "probability", 3), number(more, "probability", 3), "█" * round(50 * chance / most) or "▏"]
        for name, chance, more in groups
    ]
    return columns(rows, right=(0, 1, 2))


def _lines_of_sheet(told: Mapping[str, Quantity]) -> list[str]:
    means, chances = told["lines"], told["line_chances"].value
    often = told["line_numbers"].value if "line_numbers" in told else {}
    rows = [["line", f"{means.unit} on average", "more than 0", ""]]
    for name, mean in means.value.items():
        times = f"{often[name]:.4f} times on average" if name in often else ""
        rows.append([name, number(mean, means.unit, 4), number(chances[name], "probability", 3), times])
    return columns(rows, right=(1, 2))


def solution_lines(advice: Advice, title: str) -> list[str]:
    """The whole answer of ``solve``."""
    facts = advice.facts
    rows = []
    if advice.value is not None and advice.lower is not None and advice.upper is not None:
        value = number(advice.value, advice.unit, 10)
        unit = "" if advice.unit == "probability" else f" {advice.unit}"
        rows.append([measured(advice), f"{value}{unit} {width(advice.lower, advice.upper, advice.unit)}"])
        if advice.exact is not None:
            rows.append(["exactly", _short(advice.exact)])
    rows += [["boards", f"{facts['boards']:,}"], ["method", facts["method"]]]
    rows.append(["solved in", f"{facts['seconds']:.2f} s" + (" (from the cache)" if facts["cached"] else "")])
    if "gain" in advice.quantities:
        limit = advice.quantities["gain"].upper
        rows.append(["gain", f"no seat wins more than {limit:.1e} more often by playing otherwise"])
    lines = [heading(advice, title), f"at the start: {shown_state(advice.state)}", "", *columns(rows)]
    if advice.shares:
        lines += ["", *_shares(advice)]
    if advice.quantities and not advice.shares:
        lines += ["", *_quantities(advice)]
    return lines
