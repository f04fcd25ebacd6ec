"""The rules that cards say, as functions of a state and its moves, made of a card's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from rollwise.games.policies import Policy
from rollwise.games.policies.zilch import SPECIAL, points
from rollwise.games.zilch import CROSSING, DICE, LEAST

Table: TypeAlias = Sequence[Sequence[int]]
TO_THE_END = 0  # in place of a number of points: roll on until the game is won, or the target reached


def hold_by_bands(table: Table, width: int, finish: Sequence[int] = ()) -> Policy:
    """Hold with so many points in the turn, by both scores in bands of ``width``, the mover's first.

    With the target reached hold too; with ``finish`` (Piggy Six) who moves first in the round holds then only with so
    many points in all, by the other player's band. In a last turn hold as soon as the other player is passed.
    """

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if "hold" not in moves or "roll" not in moves:
            return moves[0]
        mine, theirs, turn, target = (state[name] for name in ("mine", "theirs", "turn", "target"))
        if theirs >= target:
            return "hold" if mine + turn > theirs else "roll"
        band = theirs // width
        end = (finish[band] if finish and state["seat"] == 0 else target) - mine
        wanted = table[mine // width][band] or end
        return "hold" if turn >= min(wanted, end) else "roll"

    return policy


def stop_by_dice(table: Table, worth: Sequence[int], near: int = 0) -> Policy:
    """Stop with so many points in the turn, by the dice left, one first; keep all that scores if that is enough.

    Else keep what makes the most points and ``worth`` (by the dice then left) together, and roll. A second row of
    ``table`` is for when the other player lacks ``near`` points or fewer. Who can reach the goal stops, and in a last
    turn who has passed the other player, as soon as the rules allow.
    """

    def stops(state: Mapping[str, Any], total: int, dice: int) -> bool:
        mine, theirs, goal = (state[name] for name in ("mine", "theirs", "goal"))
        if theirs >= goal:
            return mine + total > theirs and total >= least(state, mine, crossing=True)
        if mine + total >= goal:
            return total >= least(state, mine, crossing=True)
        row = table[1] if len(table) > 1 and goal - theirs <= near else table[0]
        return total >= max(row[dice - 1], least(state, mine, crossing=False))

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if len(moves) == 1:
            return moves[0]
        if "stop" in moves:
            return "stop" if stops(state, state["turn"], state["dice"]) else "roll"
        thrown = len(state["roll"])
        most = max(moves, key=points)
        if most not in SPECIAL and stops(state, state["turn"] + points(most), left(most, thrown)):
            return most
        return max(moves, key=lambda move: points(move) + worth[left(move, thrown) - 1])

    return policy


def least(state: Mapping[str, Any], mine: int, *, crossing: bool) -> int:
    """The least that may be stopped with: Zilch has limits, Ten Thousand has none."""
    if "opening" not in state:
        return 0
    return max(LEAST, CROSSING if crossing else 0, 0 if mine else state["opening"])


def left(move: str, thrown: int) -> int:
    """The dice to throw after a keep of so many dice thrown; all six once none is left.

    >>> left("keep 1 5 for 150", 6), left("keep 1 1 for 200", 2), left("score straight", 6)
    (4, 6, 6)
    """
    kept = thrown if move in SPECIAL else sum(word.isdigit() for word in move.partition(" for ")[0].split())
    return thrown - kept or DICE


def rule_of(game: str, numbers: Mapping[str, Any]) -> Policy:
    """The rule that the numbers of a game's card say."""
    if "width" in numbers:
        return hold_by_bands(numbers["table"], numbers["width"], numbers.get("finish", ()))
    return stop_by_dice(numbers["table"], numbers["worth"], numbers.get("near", 0))
