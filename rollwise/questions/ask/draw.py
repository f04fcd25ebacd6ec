"""A move sampled from a mixed strategy."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from rollwise.questions.ask.data import MoveAdvice
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame


def require_drawn(game: TurnGame, draw: bool, seed: int | None) -> None:
    """Raise BadInput for a draw in a game without mixed strategies, and for a seed without a draw."""
    if draw and not kind_of(game).is_mixed:
        raise BadInput(f"draw is for games whose best play is a mix of moves; in {game.name} play the best move")
    if seed is not None and not draw:
        raise BadInput("a seed is for a draw: say draw too", field="seed")


def draw_move(moves: Sequence[MoveAdvice], seed: int | None) -> str:
    """One of these moves, sampled by probability; a move without one is certain.

    >>> moves = [MoveAdvice("accept", "win", 0.5, 0.5, 0.5, None, 0.0, probability=0.25)]
    >>> moves.append(MoveAdvice("challenge", "win", 0.5, 0.5, 0.5, None, 0.0, probability=0.75))
    >>> [draw_move(moves, seed) for seed in range(4)]
    ['challenge', 'accept', 'challenge', 'accept']
    """
    threshold = Random(seed).random()  # a multiple of 2^-53, as probabilities are: each part is as likely as any other
    cumulative = 0.0
    for move in moves:
        cumulative += 1.0 if move.probability is None else move.probability
        if threshold < cumulative:
            return move.move
    return moves[-1].move
