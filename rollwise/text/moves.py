"""Moves in words: as an order, as something one does, and the sentence that answers a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollwise.answers.advice import Advice, MoveAdvice, TieBreak
from rollwise.answers.labels import LOW_IS_GOOD, VALUES, short_label
from rollwise.answers.moves import does
from rollwise.solver.model.plain import count_of
from rollwise.text.numbers import number, percent, places_to_tell

MOST_NAMED = 4  # equally good moves that the sentence names
ORDERS = {"one die": "throw one die", "two dice": "throw two dice"}
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
COUNTS = ("no", "one", "two", "three", "four", "five", "six")
THROWN = ("turn", "roll", "left")  # fields that tell of a throw before this one


def order(move: str) -> str:
    """What to do.

    >>> order("roll"), order("roll 2"), order("one die")
    ('roll', 'roll 2 dice', 'throw one die')
    """
    return ORDERS.get(move, move) + _dice(move)


def imperative(move: str) -> str:
    """The same as an order: ``Roll``, ``Keep 5 5``."""
    text = order(move)
    return text[:1].upper() + text[1:]


def _dice(move: str) -> str:
    """``roll 2`` names a number of dice."""
    done = does(move)
    return "" if done.verb != "roll" or not done.dice else " die" if done.dice == (1,) else " dice"


def doing(move: str) -> str:
    """A move as something one does.

    >>> doing("hold"), doing("keep 5 5"), doing("roll 1")
    ('holding', 'keeping 5 5', 'rolling 1 die')
    """
    verb, _, rest = move.partition(" ")
    rest += _dice(move)
    return DOING.get(move) or (f"{VERBS[verb]} {rest}" if verb in VERBS and rest else f"'{move}'")


def what_follows(advice: Advice, move: MoveAdvice) -> str:
    """The second step of a move, or those that are equally good, in words; empty where none follows at once."""
    return " or ".join(_step(advice, move, step) for step in (move.then.best if move.then else ()))


def _step(advice: Advice, move: MoveAdvice, step: str, say: Callable[[str], str] = order) -> str:
    roll = advice.state.get("roll") or ()
    if step != "roll" or not roll:
        return say(step)
    kept = does(move.move).kept
    left = len(roll) - len(kept) if kept else 0
    return f"{say(step)} the other {COUNTS[left]}" if left else f"{say(step)} all dice again"


def other_step(move: MoveAdvice, unit: str, places: int = 2) -> str:
    """The second step that is not as good, and what it is worth: ``roll 39.20 %``; empty where there is none."""
    other = move.then and move.then.other
    return f"{order(other.move)} {number(other.value, unit, places)}" if other else ""


def label_of(advice: Advice) -> str:
    """What its values are, in the fewest words."""
    return short_label(advice.objective, advice.parameters, advice.state)


def verdict(advice: Advice) -> str:
    """One sentence: what to do, what it is worth, and what the next best move is worth."""
    moves, best, unit = advice.moves, advice.best, advice.unit
    top, counts = moves[0], label_of(advice)
    low = f"; {LOW_IS_GOOD}" if advice.sense == "min" else ""
    if len(moves) == 1:
        return _only(advice, top, counts, low)
    if any(move.probability for move in moves):
        return _mix(moves, f"{counts} {number(top.value, unit, 2)}{low}.")
    if advice.tie_break:
        worth = f"{counts} {number(top.value, unit, 2)}{low}"
        return f"{imperative(top.move)}, {for_the_mean(advice.tie_break)}: all is decided, {worth} by every move."
    if len(best) > 1:
        how = "equally good" if top.exact is not None or advice.decided else "equally good, as far as proved"
        return f"{_either(best)}: {how}; {counts} {number(top.value, unit, 2)}{low}."
    second = moves[1]
    places = places_to_tell(top.value, second.value, unit)
    return (
        f"{imperative(top.move)}{again(advice)}{_later(advice, top)}: {counts} {number(top.value, unit, places)}"
        f"{f' ({instead})' if (instead := _instead(advice, top, places)) else ''} "
        f"against {number(second.value, unit, places)} for {doing(second.move)}{low}."
    )


def for_the_mean(tie: TieBreak) -> str:
    """What makes a move the first of those that are all equal."""
    return f"best for the mean ({VALUES[tie.by]} {number(tie.value, 'points', 2)})"


def stops(advice: Advice) -> str:
    """From how many points of the turn on one stops, in a sentence; empty where that is not said."""
    where = advice.stop_from
    if where is None:
        return ""
    points = f"{where.turn}" if where.to is None else f"{where.turn} to {where.to}"
    return f"After that {where.move} from {points}." if where.after else f"{imperative(where.move)} from {points} here."


def _instead(advice: Advice, move: MoveAdvice, places: int) -> str:
    """What the other choice right after a move is worth; empty where there is none."""
    other = move.then and move.then.other
    return (other and f"{number(other.value, advice.unit, places)} for {_step(advice, move, other.move, doing)}") or ""


def _only(advice: Advice, move: MoveAdvice, counts: str, low: str) -> str:
    """Of a move that has to be made: why, or what there is to choose right after it."""
    worth = f"{counts} {number(move.value, advice.unit, 2)}"
    if move.then is None or len(move.then.moves) == 1:
        why = f": {advice.why_only}" if advice.why_only else ""
        return f"You can only {order(move.move)}{_later(advice, move)}{why}; {worth}{low}."
    then = f"You can only {order(move.move)}. Then {what_follows(advice, move)}: "
    if move.then.other is None:
        return f"{then}equally good, as far as proved; {worth}{low}."
    places = places_to_tell(move.value, move.then.other.value, advice.unit)
    worth = f"{counts} {number(move.value, advice.unit, places)}"
    return f"{then}{worth} against {_instead(advice, move, places)}{low}."


def _mix(moves: Sequence[MoveAdvice], worth: str) -> str:
    """A mix in words, its likeliest moves first."""
    mixed = sorted((move for move in moves if move.probability), key=lambda move: -(move.probability or 0.0))
    if len(mixed) == 1:
        return f"Always {order(mixed[0].move)}: {worth}"
    named = [f"{order(move.move)} {percent(move.probability or 0.0, 0)}" for move in mixed[:MOST_NAMED]]
    rest = sum(move.probability or 0.0 for move in mixed[MOST_NAMED:])
    named += [f"others {percent(rest, 0)}"] if rest else []
    return f"Mix {', '.join(named)}: {worth}"


def again(advice: Advice) -> str:
    """Has the mover thrown before?"""
    rolls = advice.best[:1] == ["roll"]
    return " again" if rolls and any(advice.state.get(name) for name in THROWN) else ""


def _later(advice: Advice, move: MoveAdvice) -> str:
    """What follows the move, or what it goes for."""
    follows = what_follows(advice, move)
    if follows:
        return f", then {follows}"
    aim = move.goes_for
    return "" if aim is None else f", going for {aim.box} ({number(aim.chance, 'probability', 0)})"


def _either(moves: Sequence[str]) -> str:
    """Some of which any will do; of many the first ones."""
    named = [imperative(moves[0]), *map(order, moves[1:MOST_NAMED])]
    more = len(moves) - len(named)
    named += [count_of(more, "other")] if more else []
    return f"{', '.join(named[:-1])} or {named[-1]}"
