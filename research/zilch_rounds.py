"""Write docs/zilch-rounds.md: the two sample rounds of the Zilch sheet, move by move, and what each choice cost.

python research/zilch_rounds.py [FILE]     every number is asked of the solved game when this is run
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import rollwise

OUTPUT = Path(__file__).resolve().parents[1] / "docs" / "zilch-rounds.md"

# (who, the question as it is typed, what the player did)
FIRST = [
    ("A", "mine=8400 theirs=6300 roll=6,5,4,1,6,3", "keep 1 for 100"),
    ("A", "mine=8400 theirs=6300 turn=100 roll=3,5,1,3,3", "keep 1 3 3 3 5 for 450"),
    ("A", "mine=8400 theirs=6300 turn=550 dice=6", "roll"),
    ("B", "mine=6300 theirs=8500 roll=6,2,4,1,5,3", "score straight"),
    ("B", "mine=6300 theirs=8500 turn=1500 roll=1,4,6,1,6,1", "keep 1 1 1 for 1000"),
    ("B", "mine=6300 theirs=8500 turn=2500 dice=3 trio=1", "stop"),
]
SECOND = [
    ("A", "mine=8500 theirs=8800 roll=4,2,4,6,5,4", "keep 4 4 4 for 400"),
    ("A", "mine=8500 theirs=8800 turn=400 dice=3 trio=4", "roll"),
    ("A", "mine=8500 theirs=8800 turn=400 trio=4 roll=5,4,6", "keep 4 5 for 150"),
    ("A", "mine=8500 theirs=8800 turn=550 dice=1 trio=4", "roll"),
    ("A", "mine=8500 theirs=8800 turn=650 dice=6", "roll"),
    ("A", "mine=8500 theirs=8800 turn=650 roll=1,2,1,1,4,2", "keep 1 1 1 for 1000"),
    ("A", "mine=8500 theirs=8800 turn=1650 dice=3 trio=1", "stop"),
    ("B", "mine=8800 theirs=10150 roll=4,1,4,4,1,4", "score three pairs"),
    ("B", "mine=8800 theirs=10150 turn=1000 roll=5,3,1,3,4,3", "keep 1 3 3 3 5 for 450"),
    ("B", "mine=8800 theirs=10150 turn=1450 dice=1 trio=3", "stop"),
]


def table(rounds: list[tuple[str, str, str]]) -> list[str]:
    """One line a decision."""
    lines = ["| player | `rollwise ask zilch` | played | P(win) | best | it cost |", "|---|---|---|---|---|---|"]
    for player, question, played in rounds:
        fields: dict[str, Any] = dict(word.split("=") for word in question.split())
        advice = rollwise.ask("zilch", **fields)
        moves = {move.move: move for move in advice.moves}
        if played not in moves:
            raise SystemExit(f"{question}: '{played}' is none of {', '.join(moves)}")
        best = advice.best
        cost = "nothing" if played in best else f"{100 * moves[played].loss:.2f} points of a hundred"
        shown = "the same" if played in best else best[0]
        lines.append(f"| {player} | `{question}` | {played} | {100 * moves[played].value:.2f} % | {shown} | {cost} |")
    return lines


def main(output: Path) -> None:
    """Ask everything and write the page."""
    page = [
        "# The sample rounds of Six-Dice Zilch, move by move",
        "",
        "The rule sheet plays two rounds of a game to 10,000 and comments on its players' choices. Here every",
        "decision is asked of the solved game. P(win) is the chance of the player to move after the move played,",
        "against best play; the last column is what the move gave away. `python research/zilch_rounds.py` wrote this",
        "page from fresh answers.",
        "",
        "## Player A has 8,400, player B 6,300",
        "",
        *table(FIRST),
        "",
        "A's throw of six dice then scored nothing: 550 lost, 100 for consolation.",
        "",
        "## Player A has 8,500, player B 8,800",
        "",
        *table(SECOND),
        "",
    ]
    output.parent.mkdir(exist_ok=True)
    output.write_text("\n".join(page))
    print(f"{output}: {len(FIRST) + len(SECOND)} decisions")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path, nargs="?", default=OUTPUT, help="where the page goes (%(default)s)")
    main(parser.parse_args().file)
