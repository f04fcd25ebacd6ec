"""Text of the answers of ``ask`` and ``solve``: one sentence, then a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rollwise.questions.ask.data import Advice, MoveAdvice, TieBreak
from rollwise.questions.head import head
from rollwise.solver.model.moves import parse_move
from rollwise.solver.model.plain import count_of
from rollwise.text.blocks import Amount, Block, CellTable, Fractions, ProvedNumber, Sentence, TableColumn, table_of
from rollwise.text.labels import LOW_IS_GOOD, VALUES, short_label
from rollwise.text.moves import gerund, imperative, infinitive
from rollwise.text.numbers import (
    PP,
    TABLE_PLACES,
    difference_unit,
    distinct_places,
    fraction,
    loss,
    n_places,
    number,
    percent,
)
from rollwise.text.quantities import quantity_blocks
from rollwise.text.spelling import shown_state
from rollwise.text.terminal import Blocks, render_text

UNREACHABLE = "No game reaches this state; the answer holds all the same."
EQUILIBRIUM_TOLERANCE = 1e-9  # largest gain by deviation in an equilibrium
MIN_MOVES_LISTED = 5  # listed however small the terminal is
MAX_NAMED = 4  # equally good moves in the sentence
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six")
THROW_FIELDS = ("turn", "roll", "left")  # set after an earlier throw of the turn


def advice_lines(
    advice: Advice, title: str, *, top: int | None = None, height: int | None = None, exact: bool = False
) -> list[str]:
    """The whole answer of a question, for a terminal.

    ``top``: so many moves are listed, and the others counted; None lists as many as fit into ``height`` lines, or all.
    ``exact``: print long fractions too.
    """
    lines = render_text(advice_blocks(advice, title, top), exact=exact)
    if top is None and height is not None and advice.moves and len(lines) >= height:
        fitting = len(advice.moves) - (len(lines) + 2 - height)  # one line for the prompt, one counts the others
        lines = render_text(advice_blocks(advice, title, max(MIN_MOVES_LISTED, fitting)), exact=exact)
    return lines


def advice_blocks(advice: Advice, title: str, top: int | None = None) -> list[Blocks]:
    """The whole answer as blocks; ``top``: so many moves are listed, and the others counted."""
    never = [Sentence([UNREACHABLE])] if not advice.reachable else []
    blocks: list[Blocks] = [[*head(advice, title, shown_state(advice.state), advice.assumed), *never]]
    if advice.moves:
        blocks += [Sentence([" ".join(filter(None, (verdict(advice), stopping(advice))))]), *moves_blocks(advice, top)]
    if advice.note:
        blocks.append(Sentence([advice.note]))
    if advice.drawn is not None:
        blocks.append(Sentence([f"Drawn: {infinitive(advice.drawn)}"]))
    if advice.shares:
        blocks.append(_share_table(advice))
    return [*blocks, *quantity_blocks(advice.quantities, advice.mover)]


def likeliest_first(moves: Sequence[MoveAdvice], best: Sequence[str]) -> list[MoveAdvice]:
    """The moves in their order, but of the best ones the likeliest first."""
    return sorted(moves, key=lambda move: -(move.probability or 0.0) if move.move in best else 1.0)


def moves_blocks(advice: Advice, top: int | None = None) -> list[Blocks]:
    """The table of moves, the best first, the meaning of its columns, and fractions."""
    moves, unit = advice.moves, advice.unit
    listed = likeliest_first(moves, advice.best)[:top]
    values = [ProvedNumber(move.value, move.lower, move.upper, unit, move.exact) for move in listed]
    losses = [
        "" if move.move in advice.best else loss(move.loss, unit, n_places(move.lower, move.upper, unit))
        for move in listed
    ]
    often = [number(move.probability, "probability") if move.probability else "" for move in listed]
    is_forced, is_mixed = len(moves) == 1, any(move.probability is not None for move in moves)
    has_steps, has_other = any(move.then for move in moves), any(other_step(move, unit) for move in moves)
    then = [" or ".join(move.then.best) if has_other and move.then else next_steps(advice, move) for move in listed]
    exact = [(move.move, move.exact) for move in listed if move.exact is not None]
    is_short = bool(exact) and all(value.short for value in values)
    columns = [
        TableColumn("", ["*" if move.move in advice.best else "" for move in listed]),
        TableColumn("move", [move.move for move in listed]),
        TableColumn("then", then if has_steps else ()),
        TableColumn("play", often if is_mixed else (), right=True),
        TableColumn(brief_label(advice), [value.text() for value in values], right=True),
        TableColumn("interval", [value.interval for value in values], right=True),
        TableColumn("loss", () if is_forced else losses, right=True),
        TableColumn("or", [other_step(move, unit) for move in listed] if has_other else ()),
        TableColumn("exactly", [value.short for value in values] if is_short else ()),
    ]
    table: list[Block] = [table_of(columns, names=2)]
    rest = moves[len(listed) :]
    if rest:
        worst = number(rest[-1].value, unit)
        table.append(Sentence([f"   and {len(rest)} more, down to {worst}; --top {len(moves)} lists them all"]))
    blocks: list[Blocks] = [table, Sentence([_column_meanings(advice, is_forced, is_mixed, has_other)])]
    return blocks if is_short or not exact else [*blocks, Fractions(exact)]


def _column_meanings(advice: Advice, is_forced: bool, is_mixed: bool, has_other: bool) -> str:
    """The meaning of the columns, in a line."""
    label = advice.label.removesuffix(f", {LOW_IS_GOOD}")
    words = ["play: how often, at random"] if is_mixed else []
    words += [] if label == brief_label(advice) else [f"the number is the {label}"]
    words += [] if is_forced else ["* best", "loss: how much worse than best"]
    words += ["or: the other choice then"] if has_other else []
    interval, unit = "interval: proved to be off by no more", difference_unit(advice.unit)
    if advice.unit != "probability":
        return "; ".join([*words, interval])
    return "; ".join([*words, f"{interval}, in {unit}"] if is_forced else [*words, interval, f"{PP}: {unit}"])


def _share_table(advice: Advice) -> CellTable:
    """The table of shares by seat."""
    shares = advice.shares or []
    seats = [f"{seat} (to move)" if seat == advice.mover else str(seat) for seat in range(len(shares))]
    wins = [Amount("value", share, places=TABLE_PLACES) for share in shares]
    return table_of([TableColumn("seat", seats), TableColumn("win", wins, right=True)])


def ties_line(ties: Mapping[str, Any]) -> str:
    """How much other tie breaks between equally good moves change the shares (``solve --ties``)."""
    if ties["unique"]:
        return "broken otherwise they change no share"
    start, anywhere = (number(ties[name], "probability", TABLE_PLACES) for name in ("difference", "anywhere"))
    return f"broken otherwise they change a share by up to {start} at the start, by up to {anywhere} on some board"


def solution_lines(advice: Advice, title: str, *, exact: bool = False) -> list[str]:
    """The whole answer of ``solve``."""
    facts = advice.facts
    rows = []
    if advice.value is not None and advice.lower is not None and advice.upper is not None:
        value = ProvedNumber(advice.value, advice.lower, advice.upper, advice.unit, advice.exact)
        rows.append([advice.label, f"{value.with_unit()} {value.interval}"])
    short = fraction(advice.exact)
    rows += [["exactly", short]] if short else []
    rows += [["boards", f"{facts['boards']:,}"], ["method", facts["method"]]]
    rows.append(["solved in", f"{facts['seconds']:.2f} s" + (" (from the cache)" if facts["cached"] else "")])
    quantities = dict(advice.quantities)
    if "gain" in quantities:
        upper = quantities.pop("gain").upper
        assert isinstance(upper, float)
        gain = f"no seat wins more than {100 * upper:.1e} % more often by playing otherwise"
        rows.append(["gain", gain if upper <= EQUILIBRIUM_TOLERANCE else f"{gain}: this is no equilibrium"])
    if "unique_by_ties" in facts:
        rows.append(["ties", ties_line(facts["unique_by_ties"])])
    start = f"at the start: {shown_state(advice.state)}" if advice.state else ""
    blocks: list[Blocks] = [head(advice, title, start), CellTable(rows)]
    if advice.exact is not None and short is None:
        blocks.append(Fractions([(advice.label, advice.exact)]))
    if advice.shares:
        blocks.append(_share_table(advice))
    return render_text([*blocks, *quantity_blocks(quantities, advice.mover)], exact=exact)


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
