"""A move drawn from a mix, for those who have no dice of their own to play it with."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from rollwise.answers.advice import MoveAdvice
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame


def require_drawn(game: TurnGame, draw: bool, seed: int | None) -> None:
    """Raise BadInput for a draw that was asked for where there is no mix, or a seed and no draw."""
    if draw and not kind_of(game).mixes:
        raise BadInput(f"draw is for games whose best play is a mix of moves; in {game.name} play the best move")
    if seed is not None and not draw:
        raise BadInput("a seed is for a draw: say draw too", field="seed")


def drawn(moves: Sequence[MoveAdvice], seed: int | None) -> str:
    """One of these moves, as often as its probability says; a move that must be made is made.

    >>> moves = [MoveAdvice("accept", 0.5, 0.5, 0.5, 0.0, probability=0.25)]
    >>> moves.append(MoveAdvice("challenge", 0.5, 0.5, 0.5, 0.0, probability=0.75))
    >>> [drawn(moves, seed) for seed in range(4)]
    ['challenge', 'accept', 'challenge', 'accept']
    """
    place = Random(seed).random()  # a multiple of 2^-53, as probabilities are: each part is as likely as any other
    passed = 0.0
    for move in moves:
        passed += 1.0 if move.probability is None else move.probability
        if place < passed:
            return move.move
    return moves[-1].move
