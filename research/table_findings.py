"""Write docs/tables.md: what each seat wins where three or more sit at a table, and what may be chosen is worth.

python -m research.table_findings [FILE]

Every number is computed by the solver when this is run, a few minutes in all unless the games are in the cache.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import rollwise
from rollwise.games.registry import game
from rollwise.parsing.validate import parse_game
from rollwise.solver.model.dice import throws
from rollwise.solver.model.game import Game
from research.one_chooses import what_each_wins

OUTPUT = Path(__file__).resolve().parents[1] / "docs" / "tables.md"
TABLES: list[tuple[str, dict[str, Any], str]] = [  # a game, its parameters, and what is said of them
    ("421", {"players": 3}, ""),
    ("busted", {"players": 3}, "25 chips each"),
    ("finish", {"players": 3, "placing": "free"}, "free placing"),
    *(("martinetti", {"players": players, "crossing": "free"}, "free crossing") for players in (3, 4)),
    ("mexico", {"players": 3}, "seat 0 opens every round"),
    ("mexico", {"players": 3, "opener": "rotating"}, "the opener moves on"),
    ("mexico", {"players": 4}, "seat 0 opens every round"),
    ("mexico", {"players": 4, "opener": "rotating"}, "the opener moves on"),
    ("piggy-six", {"players": 3, "target": 50}, "to 50"),
    *(("shut-the-box", {"players": players}, "") for players in (3, 4, 5, 6)),
    ("shut-the-box", {"players": 3, "variant": "partial"}, "the variant partial"),
    ("six-by-6", {"players": 3, "posting": "free"}, "free posting"),
]
DUELS: list[tuple[str, dict[str, Any]]] = [
    ("421", {"players": 2}),
    ("busted", {"players": 2}),
    ("mexico", {}),
    ("shut-the-box", {"players": 2}),
]
FREE: list[tuple[str, str]] = [("finish", "placing"), ("martinetti", "crossing"), ("six-by-6", "posting")]
CHIPS = 5
TOTALS = range(3, 19)


def percent(share: float, digits: int = 3) -> str:
    """A chance as a person reads it."""
    return f"{100 * share:.{digits}f} %"


def points(difference: float) -> str:
    """A difference of chances."""
    return f"{100 * difference:.3f}"


def named(made: Game, what: str) -> str:
    """A game and what is said of its rules."""
    return f"{made.title}, {what}" if what else made.title


def rows(cells: list[list[str]]) -> Iterator[str]:
    """A table of Markdown; the first row is its head, and all columns but the first are numbers."""
    yield "| " + " | ".join(cells[0]) + " |"
    yield "| " + " | ".join(["---", *["---:"] * (len(cells[0]) - 1)]) + " |"
    for row in cells[1:]:
        yield "| " + " | ".join(row) + " |"
    yield ""


# --- shares by seat -----------------------------------------------------------------------------------------------


def shares_by_seat() -> Iterator[str]:
    """Every table from its start."""
    yield "## What each seat wins"
    yield ""
    yield "From the start, where seat 0 moves first and everybody plays their best. `gain` is the most that any one"
    yield "seat could win more by playing otherwise, from any board of the game; ties between equally good moves go to"
    yield "the first in the game's own order."
    yield ""
    cells = [["table", *(f"seat {seat}" for seat in range(6)), "best less worst", "gain below", "boards"]]
    for name, params, what in TABLES:
        found = rollwise.solve(name, params=params)
        shares = found.shares or []
        limit = found.quantities["gain"].upper
        cells.append(
            [
                named(game(name, params), what),
                *(percent(shares[seat]) if seat < len(shares) else "" for seat in range(6)),
                points(max(shares) - min(shares)),
                f"{limit:.0e}",
                f"{found.facts['boards']:,}",
            ]
        )
    yield from rows(cells)
    yield "The same games for two, solved as duels:"
    yield ""
    cells = [["duel", "seat 0", "seat 1", "best less worst"]]
    for name, params in DUELS:
        value = rollwise.solve(name, params=params).value or 0.0
        cells.append([game(name, params).title, percent(value), percent(1 - value), points(abs(1 - 2 * value))])
    yield from rows(cells)
    yield "Differences are percentage points: what sitting in the best place is worth against sitting in the worst."
    yield ""


# --- what may be chosen ------------------------------------------------------------------------------------------


def what_choosing_is_worth() -> Iterator[str]:
    """Each seat's chance where nobody chooses, where all do, and where it alone does."""
    yield "## What a free choice is worth"
    yield ""
    yield "Three games that their sheets play as luck hold a decision as soon as the player need not take all that a"
    yield "roll offers: how many dice to place at Finish, how many numbers to cross off at Martinetti, whether to post"
    yield "a special roll whole at Six By 6. What each seat wins where nobody chooses and all take what is offered,"
    yield "where all choose, and where it alone chooses while the others take what is offered:"
    yield ""
    cells = [["game", "players", "seat", "nobody chooses", "all choose", "it alone chooses", "gains alone"]]
    for name, parameter in FREE:
        for players in (2, 3):
            params = {"players": players, parameter: "free"}
            made = parse_game(name, params)
            found = rollwise.solve(name, params=params)
            everybody = found.shares or [found.value or 0.0, 1 - (found.value or 0.0)]
            nobody, alone = (what_each_wins(made, chooses=chooses) for chooses in (False, True))
            for seat, (luck, free, one) in enumerate(zip(nobody, everybody, alone, strict=True)):
                shares = [percent(share, 4) for share in (luck, free, one)]
                gains = f"{100 * (one - luck):.4f}"
                cells.append([made.title, str(players), str(seat), *shares, gains])
    yield from rows(cells)
    yield "The last column, in percentage points, is what choosing is worth to one against others who do not."
    yield ""


# --- Bluff ---------------------------------------------------------------------------------------------------------


def bluff() -> Iterator[str]:
    """The opener's chance by chips, and both mixes of the first round."""
    yield "## Bluff"
    yield ""
    yield "What the opener of a round wins, before the dice are seen, by the chips of both. Nobody does better against"
    yield "the strategies found by more than 1e-9."
    yield ""
    most = 2 * CHIPS
    cells = [["opener has", *(f"other has {theirs}" for theirs in range(1, most))]]
    for mine in range(1, most):
        values = [
            percent(rollwise.ask("bluff", mine=mine, theirs=theirs).value or 0.0, 2) if mine + theirs <= most else ""
            for theirs in range(1, most)
        ]
        cells.append([str(mine), *values])
    yield from rows(cells)
    yield f"The first call of the game, with {CHIPS} chips each, by what the dice show."
    yield ""
    ways = {total: sum(count for faces, count in throws(3) if sum(faces) == total) for total in TOTALS}
    cells = [["total", "chance", "call", "wins"]]
    called = dict.fromkeys(TOTALS, 0.0)
    for total in TOTALS:
        found = rollwise.ask("bluff", total=total)
        mix = {move.move: move.probability or 0.0 for move in found.moves}
        shown = [(move, often) for move, often in mix.items() if often > 0.0005]
        words = ", ".join(f"{move.removeprefix('call ')} ({percent(often, 1)})" for move, often in shown)
        for move, often in mix.items():
            called[int(move.removeprefix("call "))] += often * ways[total] / 216
        cells.append([str(total), str(Fraction(ways[total], 216)), words, percent(found.value or 0.0, 2)])
    yield from rows(cells)
    yield "And the answer to it:"
    yield ""
    cells = [["call", "is made", "accept", "the answerer wins"]]
    for call in TOTALS:
        if called[call] < 0.0005:
            continue
        found = rollwise.ask("bluff", call=call)
        accept = next((move.probability or 0.0 for move in found.moves if move.move == "accept"), 0.0)
        cells.append([str(call), percent(called[call], 1), percent(accept, 1), percent(found.value or 0.0, 2)])
    yield from rows(cells)
    yield "Other mixes may do as well: the values are the only ones, the mixes need not be."
    yield ""


def page() -> str:
    """The whole page."""
    lines = [
        "# Tables of three and more, free choices, hidden dice",
        "",
        "Written by `python -m research.table_findings`; every number is the solver's, proved as [the page of",
        "methods](method.md) says.",
        "",
    ]
    for part in (shares_by_seat, what_choosing_is_worth, bluff):
        lines += part()
    return "\n".join(lines).rstrip() + "\n"


def main(output: Path) -> None:
    """Write the page."""
    output.write_text(page())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path, nargs="?", default=OUTPUT, help="where the page goes (%(default)s)")
    main(parser.parse_args().file)
