"""Big Six: effects of a roll on an empty and on an occupied space and of a 6, and the winner."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from rollwise.games.claims.replay import ReplayPosition, by_seat, replay, share, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.game import TurnGame

SPACES = range(1, 6)  # those that hold one chip
START_CHIPS = 2  # chips of each of two players, few enough that all spaces can be occupied


def outcome_of(game: TurnGame, dice: Faces, n_occupied: int) -> object:
    """Effect of a roll on the board."""
    from rollwise.games.big_six.rules import move

    return move(dice, n_occupied)


def rolled(face: int, chips: tuple[int, int] = (START_CHIPS, START_CHIPS), occupied: int = 0) -> ReplayPosition:
    """Position after seat 0 of two rolls this while the first ``occupied`` spaces are occupied."""
    game = turn_game("big-six")
    state = {"chips": chips, "board": tuple(range(1, occupied + 1))}
    return replay(game, state, [((face,), None)], partial(outcome_of, game))


def got(face: int, occupied: int) -> tuple[int, int]:
    """Chips that the roller gets by this roll, and chips that the five spaces get."""
    played = rolled(face, occupied=occupied)
    return by_seat(turn_game("big-six"), played, "chips")[0] - START_CHIPS, played.board["occupied"] - occupied


def space_rolls(occupied: bool, moves: tuple[int, int]) -> Fraction:
    """Share of rolls of an empty or an occupied space that give so many chips to the roller, and to the spaces."""
    return share(got(face, first) == moves for first in (0, *SPACES) for face in SPACES if (face <= first) == occupied)


def six_is_always_put() -> Fraction:
    """Share of numbers of occupied spaces at which a 6 costs the roller a chip that no other space gets."""
    return share(got(6, occupied) == (-1, 0) for occupied in (0, *SPACES))


def winner_with_the_last_chip() -> str:
    """Winner after seat 0 puts its last chip, in words."""
    shares = {rolled(face, chips=(1, 3)).shares for face in (3, 6)}
    return "the first without chips" if shares == {(Fraction(1), Fraction(0))} else "somebody else"
