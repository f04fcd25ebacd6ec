"""The sentence that answers a question: the best move, its value, and the value of the second-best."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollwise.questions.ask.data import Advice, MoveAdvice, TieBreak
from rollwise.solver.model.moves import parse_move
from rollwise.solver.model.plain import count_of
from rollwise.text.labels import LOW_IS_GOOD, VALUES, short_label
from rollwise.text.moves import gerund, imperative, infinitive
from rollwise.text.numbers import distinct_places, number, percent

MAX_NAMED = 4  # equally good moves in the sentence
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six")
THROW_FIELDS = ("turn", "roll", "left")  # set after an earlier throw of the turn


def next_steps(advice: Advice, move: MoveAdvice) -> str:
    """The best second steps of a move, in words; empty for a move of one step."""
    return " or ".join(_step(advice, move, step) for step in (move.then.best if move.then else ()))


def _step(advice: Advice, move: MoveAdvice, step: str, to_words: Callable[[str], str] = infinitive) -> str:
    roll = advice.state.get("roll") or ()
    if step != "roll" or not roll:
        return to_words(step)
    dice_kept = parse_move(move.move).kept
    n_others = len(roll) - len(dice_kept) if dice_kept else 0
    return f"{to_words(step)} the other {NUMBER_WORDS[n_others]}" if n_others else f"{to_words(step)} all dice again"


def other_step(move: MoveAdvice, unit: str, places: int = 2) -> str:
    """The inferior second step and its value, as ``roll 39.20 %``; empty if there is none."""
    other = move.then and move.then.other
    return f"{infinitive(other.move)} {number(other.value, unit, places)}" if other else ""


def brief_label(advice: Advice) -> str:
    """The short label of the values of an answer."""
    return short_label(advice.objective, advice.parameters, advice.state)


def verdict(advice: Advice) -> str:
    """One sentence: the best move, its value, and the value of the second-best."""
    moves, best, unit = advice.moves, advice.best, advice.unit
    top, counts = moves[0], brief_label(advice)
    low = f"; {LOW_IS_GOOD}" if advice.sense == "min" else ""
    if len(moves) == 1:
        return _forced_sentence(advice, top, counts, low)
    if any(move.probability for move in moves):
        return _mixed_sentence(moves, f"{counts} {number(top.value, unit, 2)}{low}.")
    if advice.tie_break:
        worth = f"{counts} {number(top.value, unit, 2)}{low}"
        return f"{imperative(top.move)}, {tie_break_words(advice.tie_break)}: all is decided, {worth} by every move."
    if len(best) > 1:
        how = "equally good" if top.exact is not None or advice.decided else "equally good, as far as proved"
        return f"{_equal_moves(best)}: {how}; {counts} {number(top.value, unit, 2)}{low}."
    second = moves[1]
    places = distinct_places(top.value, second.value, unit)
    return (
        f"{imperative(top.move)}{again(advice)}{_follow_up(advice, top)}: {counts} {number(top.value, unit, places)}"
        f"{f' ({instead})' if (instead := _alternative(advice, top, places)) else ''} "
        f"against {number(second.value, unit, places)} for {gerund(second.move)}{low}."
    )


def tie_break_words(tie: TieBreak) -> str:
    """The reason why one of several equal moves comes first."""
    return f"best for the mean ({VALUES[tie.by]} {number(tie.value, 'points', 2)})"


def stopping(advice: Advice) -> str:
    """The stopping threshold in a sentence; empty if there is none."""
    where = advice.stop_from
    if where is None:
        return ""
    points = f"{where.turn}" if where.to is None else f"{where.turn} to {where.to}"
    return f"After that {where.move} from {points}." if where.after else f"{imperative(where.move)} from {points} here."


def _alternative(advice: Advice, move: MoveAdvice, places: int) -> str:
    """The value of the other second step of a move; empty if there is none."""
    other = move.then and move.then.other
    return (other and f"{number(other.value, advice.unit, places)} for {_step(advice, move, other.move, gerund)}") or ""


def _forced_sentence(advice: Advice, move: MoveAdvice, counts: str, low: str) -> str:
    """The sentence for a forced move: the reason, or the choice right after it."""
    worth = f"{counts} {number(move.value, advice.unit, 2)}"
    if move.then is None or len(move.then.moves) == 1:
        why = f": {advice.why_only}" if advice.why_only else ""
        return f"You can only {infinitive(move.move)}{_follow_up(advice, move)}{why}; {worth}{low}."
    then = f"You can only {infinitive(move.move)}. Then {next_steps(advice, move)}: "
    if move.then.other is None:
        return f"{then}equally good, as far as proved; {worth}{low}."
    places = distinct_places(move.value, move.then.other.value, advice.unit)
    worth = f"{counts} {number(move.value, advice.unit, places)}"
    return f"{then}{worth} against {_alternative(advice, move, places)}{low}."


def _mixed_sentence(moves: Sequence[MoveAdvice], worth: str) -> str:
    """A mixed strategy in words, its likeliest moves first."""
    mixed = sorted((move for move in moves if move.probability), key=lambda move: -(move.probability or 0.0))
    if len(mixed) == 1:
        return f"Always {infinitive(mixed[0].move)}: {worth}"
    named = [f"{infinitive(move.move)} {percent(move.probability or 0.0, 0)}" for move in mixed[:MAX_NAMED]]
    rest = sum(move.probability or 0.0 for move in mixed[MAX_NAMED:])
    named += [f"others {percent(rest, 0)}"] if rest else []
    return f"Mix {', '.join(named)}: {worth}"


def again(advice: Advice) -> str:
    """The word " again" where the best move is a further roll of the turn, else empty."""
    rolls = advice.best[:1] == ["roll"]
    return " again" if rolls and any(advice.state.get(name) for name in THROW_FIELDS) else ""


def _follow_up(advice: Advice, move: MoveAdvice) -> str:
    """The second step of the move, or the box that it goes for."""
    follows = next_steps(advice, move)
    if follows:
        return f", then {follows}"
    aim = move.goes_for
    return "" if aim is None else f", going for {aim.box} ({number(aim.chance, 'probability', 0)})"


def _equal_moves(moves: Sequence[str]) -> str:
    """Equally good moves joined by or, of many the first ones."""
    named = [imperative(moves[0]), *map(infinitive, moves[1:MAX_NAMED])]
    more = len(moves) - len(named)
    named += [count_of(more, "other")] if more else []
    return f"{', '.join(named[:-1])} or {named[-1]}"
