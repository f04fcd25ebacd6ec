"""Finish: the round that the sheet plays through, what a roll that fits nothing costs, who is out, and who wins."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rollwise.games.claims import ALWAYS, EXACTLY, IN_WORDS, Claim
from rollwise.games.claims.replay import ReplayPosition, by_seat, replay, turn_game
from rollwise.solver.model.dice import Faces

GAME = "finish"
SOURCE = "TACTIC rules for dice games"
A, B, C, D = range(4)
ROUND: tuple[Faces, ...] = ((1, 2, 3, 6, 6, 1), (4, 1, 3), (6, 2), (5, 5), (6,))
WHOLE_ROW = (1, 2, 3, 4, 5, 6)


def rolled(*dice: Faces, **state: Any) -> ReplayPosition:
    """Position after four players rolled these, one after another."""
    game = turn_game(GAME, players=4)
    from rollwise.games.finish.rules import outcome

    return replay(game, state, [(faces, None) for faces in dice], outcome)


def after(count: int) -> ReplayPosition:
    """Position of the example round after so many rolls."""
    return rolled(*ROUND[:count])


def dice_to_roll(played: ReplayPosition) -> Fraction:
    """Number of dice of the next player: those not in the row."""
    return Fraction(6 - max(played.board["row"], 0))


def chips(played: ReplayPosition) -> tuple[Fraction, ...]:
    """Chips by seat."""
    return tuple(map(Fraction, by_seat(turn_game(GAME, players=4), played, "chips")))


def seats_in(played: ReplayPosition) -> str:
    """Seats that still have chips."""
    chips_by_seat = sorted(zip(played.seats, played.board["chips"], strict=True))
    return ", ".join(str(seat) for seat, n_chips in chips_by_seat if n_chips)


def pays_for_empty_spaces() -> Fraction:
    """Share of row lengths at which a roll that adds nothing costs one chip for each empty space."""
    start = (10, 9, 9, 9)
    costs = []
    for placed in range(6):
        played = rolled((1 if placed else 2,) * (6 - placed), chips=start, placed=placed)
        costs.append(start[A] - chips(played)[A] == 6 - placed)
    return Fraction(sum(costs), len(costs))


def winner(played: ReplayPosition) -> str:
    """Winner of a replay, A to D."""
    return "ABCD"[played.shares.index(Fraction(1))] if played.over else "nobody yet"


CLAIMS = (
    Claim(
        "finish/example-row",
        GAME,
        SOURCE,
        "Numbers in the row after each roll of the example round, but for the last one.",
        "3, 4, 4, 5",
        EXACTLY,
        lambda: tuple(Fraction(after(count).board["row"]) for count in range(1, len(ROUND))),
        "stated as the numbers that are placed",
    ),
    Claim(
        "finish/example-dice",
        GAME,
        SOURCE,
        "Dice that B, C, D and then A get to roll in the example round, and B in the next one.",
        "3, 2, 2, 1, 6",
        EXACTLY,
        lambda: tuple(dice_to_roll(after(count)) for count in range(1, len(ROUND) + 1)),
    ),
    Claim(
        "finish/example-pays",
        GAME,
        SOURCE,
        "Chips that C pays for rolling 6-2 when 5 is needed.",
        "2",
        EXACTLY,
        lambda: chips(after(2))[C] - chips(after(3))[C],
    ),
    Claim(
        "finish/example-finisher",
        GAME,
        SOURCE,
        "Chips that B, C and D each give to A, who places the 6.",
        "1, 1, 1",
        EXACTLY,
        lambda: tuple(chips(after(4))[seat] - chips(after(5))[seat] for seat in (B, C, D)),
    ),
    Claim(
        "finish/example-chips",
        GAME,
        SOURCE,
        "Chips of A, B, C and D after the example round.",
        "13, 9, 7, 9",
        EXACTLY,
        lambda: chips(after(5)),
        "follows from what is stated: 10 each at the start, 2 paid by C, 1 from each of three to A",
    ),
    Claim(
        "finish/example-opens",
        GAME,
        SOURCE,
        "Who opens the round after the example.",
        "B",
        IN_WORDS,
        lambda: "ABCD"[after(5).mover],
    ),
    Claim(
        "finish/pays-for-empty-spaces",
        GAME,
        SOURCE,
        "A roll that adds nothing costs a chip for each number that is missing.",
        "as many as there are empty numbers",
        ALWAYS,
        pays_for_empty_spaces,
        "the part of all lengths of the row for which it is so, for a player who has enough",
    ),
    Claim(
        "finish/last-chip",
        GAME,
        SOURCE,
        "Seats that are in after a roll that costs seat 0 its last three chips.",
        "1, 2, 3",
        IN_WORDS,
        lambda: seats_in(rolled((1, 1, 1), chips=(3, 9, 9, 9), placed=3)),
        "the seats are ours",
    ),
    Claim(
        "finish/last-one-in",
        GAME,
        SOURCE,
        "Who wins when only A and D are in and A pays the last chip.",
        "D",
        IN_WORDS,
        lambda: winner(rolled((1,), chips=(1, None, None, 4), placed=5)),
        "the players are ours",
    ),
    Claim(
        "finish/whole-row",
        GAME,
        SOURCE,
        "Who wins when B opens the round after the example with 1-2-3-4-5-6.",
        "B",
        IN_WORDS,
        lambda: winner(rolled(*ROUND, WHOLE_ROW)),
        "the round is ours; stated in words: a round's starting player who rolls it wins at once",
    ),
)
