"""Policies of cards, made from their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from rollwise.games.policies import Policy
from rollwise.games.zilch.policies import points
from rollwise.games.zilch.rules import MIN_BANKED_POINTS
from rollwise.games.zilch.scoring import DICE
from rollwise.games.zilch.turn import CROSSING
from rollwise.solver.model.moves import parse_move

Table: TypeAlias = Sequence[Sequence[int]]
UNTIL_WON = 0  # in place of a number of points: roll on until the game is won, or the target reached


def hold_by_bands(table: Table, width: int, finish: Sequence[int] = ()) -> Policy:
    """Policy that holds from a turn total on: ``table`` has it by both scores in bands of ``width``, the mover's first.

    It also holds once the target is reached; with ``finish`` (Piggy Six) the first player of the round holds then only
    from a total in ``finish`` on, by the other player's band. In a last turn it holds once the other player is passed.
    """

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if "hold" not in moves or "roll" not in moves:
            return moves[0]
        mine, theirs, turn, target = (state[name] for name in ("mine", "theirs", "turn", "target"))
        if theirs >= target:
            return "hold" if mine + turn > theirs else "roll"
        band = theirs // width
        end = (finish[band] if finish and state["seat"] == 0 else target) - mine
        threshold = table[mine // width][band] or end
        return "hold" if turn >= min(threshold, end) else "roll"

    return policy


def stop_by_dice(table: Table, worth: Sequence[int], near: int = 0) -> Policy:
    """Policy that stops from a turn total on, given in ``table`` by the dice to throw, one first.

    It keeps all that scores if that is enough, else the dice with the highest sum of points and ``worth`` (by the dice
    then to throw), and rolls. A second row of ``table`` holds while the other player lacks ``near`` points or fewer. It
    stops once it can reach the goal, and in a last turn once it has passed the other player, if the rules allow.
    """

    def stops(state: Mapping[str, Any], total: int, dice: int) -> bool:
        mine, theirs, goal = (state[name] for name in ("mine", "theirs", "goal"))
        if theirs >= goal:
            return mine + total > theirs and total >= least_to_stop(state, mine, crossing=True)
        if mine + total >= goal:
            return total >= least_to_stop(state, mine, crossing=True)
        row = table[1] if len(table) > 1 and goal - theirs <= near else table[0]
        return total >= max(row[dice - 1], least_to_stop(state, mine, crossing=False))

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if len(moves) == 1:
            return moves[0]
        if "stop" in moves:
            return "stop" if stops(state, state["turn"], state["dice"]) else "roll"
        thrown = len(state["roll"])
        most = max(moves, key=points)
        if parse_move(most).dice and stops(state, state["turn"] + points(most), dice_after_keep(most, thrown)):
            return most
        return max(moves, key=lambda move: points(move) + worth[dice_after_keep(move, thrown) - 1])

    return policy


def least_to_stop(state: Mapping[str, Any], mine: int, *, crossing: bool) -> int:
    """Least turn total to stop with: Zilch has limits, Ten Thousand has none."""
    if "opening" not in state:
        return 0
    return max(MIN_BANKED_POINTS, CROSSING if crossing else 0, 0 if mine else state["opening"])


def dice_after_keep(move: str, thrown: int) -> int:
    """Dice to throw after a keep; all six once none remains, and after a special score, which takes all.

    >>> [dice_after_keep(*keep) for keep in (("keep 1 5 for 150", 6), ("keep 1 1 for 200", 2), ("score straight", 6))]
    [4, 6, 6]
    """
    return thrown - (len(parse_move(move).dice) or thrown) or DICE


def make_policy(numbers: Mapping[str, Any]) -> Policy:
    """Policy from the numbers of a game's card."""
    if "width" in numbers:
        return hold_by_bands(numbers["table"], numbers["width"], numbers.get("finish", ()))
    return stop_by_dice(numbers["table"], numbers["worth"], numbers.get("near", 0))
