"""Mexico: the order of all throws, and lives after a round."""

from __future__ import annotations

from rollwise.games.claims.replay import parse_steps, replay, turn_game
from rollwise.games.ranks import mexico_name, mexico_rank, ranking
from rollwise.solver.model.dice import Faces


def throws_in_order(different: int | None = None, first: int = 0, last: int | None = None) -> str:
    """Throws as the sheet names them, highest first: those of so many different faces, some of all these."""
    ranked = [dice for dice in ranking(2, mexico_rank) if different in (None, len(set(dice)))]
    return ", ".join(map(mexico_name, ranked[first:last]))


def place_of_pairs() -> str:
    """Places of the pairs, from the top."""
    places = [place for place, dice in enumerate(ranking(2, mexico_rank), 1) if len(set(dice)) == 1]
    return f"{min(places)} to {max(places)}" if len(places) == max(places) - min(places) + 1 else str(places)


def lowest_of(**thrown: Faces) -> str:
    """Players with the lowest throw."""
    lowest = min(map(mexico_rank, thrown.values()))
    return " and ".join(player for player, dice in thrown.items() if mexico_rank(dice) == lowest)


def lives_after(play: str) -> str:
    """Lives by seat after the first round, played at a table of so many."""
    steps = parse_steps(play)
    played = replay(turn_game("mexico", players=len(steps)), {}, steps)
    return ", ".join(str(lives) for _, lives in sorted(zip(played.seats, played.board["lives"], strict=True)))


def tie_of_the_last_two() -> str:
    """End of the game after two players with a life each stop with the same first throw, in words."""
    played = replay(turn_game("mexico"), {"lives": (1, 1)}, parse_steps("53: stop, 53: stop"))
    if not played.over:
        return "goes on"
    return "shared by " + " and ".join(str(seat) for seat, share in enumerate(played.shares) if share)
