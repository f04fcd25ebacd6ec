"""The answers of ``ask`` and ``solve`` as a person reads them: one sentence, then a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rollwise.answers.advice import Advice, MoveAdvice
from rollwise.answers.labels import LOW_IS_GOOD
from rollwise.answers.spelling import shown_state
from rollwise.text.blocks import Amount, Block, CellTable, Fractions, ProvedNumber, Sentence, TableColumn, table_of
from rollwise.text.head import head
from rollwise.text.moves import label_of, order, other_step, stops, verdict, what_follows
from rollwise.text.numbers import MOST, PP, difference_unit, digits, fraction, loss, number
from rollwise.text.quantities import quantity_blocks
from rollwise.text.terminal import Blocks, printed

UNREACHABLE = "No game comes to this; answered as it stands."
EQUILIBRIUM = 1e-9  # nobody gains more by leaving one
FEWEST = 5  # moves that are listed however small the terminal is


def advice_lines(
    advice: Advice, title: str, *, top: int | None = None, height: int | None = None, exact: bool = False
) -> list[str]:
    """The whole answer of a question, for a terminal.

    ``top``: so many moves are listed, and the others counted; where it is None, as many as fit into ``height`` lines,
    or all. ``exact``: fractions were asked for.
    """
    lines = printed(advice_blocks(advice, title, top), exact=exact)
    if top is None and height is not None and advice.moves and len(lines) >= height:
        fitting = len(advice.moves) - (len(lines) + 2 - height)  # a line is for the prompt, one tells of the others
        lines = printed(advice_blocks(advice, title, max(FEWEST, fitting)), exact=exact)
    return lines


def advice_blocks(advice: Advice, title: str, top: int | None = None) -> list[Blocks]:
    """The whole answer; ``top``: so many moves are listed, and the others counted."""
    never = [Sentence([UNREACHABLE])] if advice.unreachable else []
    blocks: list[Blocks] = [[*head(advice, title, shown_state(advice.state), advice.assumed), *never]]
    if advice.moves:
        blocks += [Sentence([" ".join(filter(None, (verdict(advice), stops(advice))))]), *moves_blocks(advice, top)]
    if advice.note:
        blocks.append(Sentence([advice.note]))
    if advice.drawn is not None:
        blocks.append(Sentence([f"Drawn: {order(advice.drawn)}"]))
    if advice.shares:
        blocks.append(_shares(advice))
    return [*blocks, *quantity_blocks(advice.quantities, advice.mover)]


@dataclass(frozen=True)
class MoveInWords:
    """A move in words and numbers: what follows it, or might instead, its part of a mix, its value and its loss.

    ``loss`` is empty where it is among the best.
    """

    move: str
    then: str
    other: str
    often: str
    value: ProvedNumber
    loss: str
    is_best: bool


def moves_in_words(advice: Advice) -> list[MoveInWords]:
    """The moves, the best first; of those that are equally good the likeliest first."""
    best, moves = advice.best, []
    for move in in_the_mix_first(advice.moves, best):
        is_best, value = move.move in best, ProvedNumber(move.value, move.lower, move.upper, advice.unit, move.exact)
        lost = "" if is_best else loss(move.loss, advice.unit, digits(move.lower, move.upper, advice.unit))
        often = number(move.probability, "probability") if move.probability else ""
        follows, other = what_follows(advice, move), other_step(move, advice.unit)
        moves.append(MoveInWords(move.move, follows, other, often, value, lost, is_best))
    return moves


def in_the_mix_first(moves: Sequence[MoveAdvice], best: Sequence[str]) -> list[MoveAdvice]:
    """The same moves; of those that are equally good the likeliest first."""
    return sorted(moves, key=lambda move: -(move.probability or 0.0) if move.move in best else 1.0)


def moves_blocks(advice: Advice, top: int | None = None) -> list[Blocks]:
    """The table of moves, what its columns mean, and fractions."""
    moves, listed = advice.moves, moves_in_words(advice)[:top]
    is_forced, is_mixed = len(moves) == 1, any(move.probability is not None for move in moves)
    has_steps, has_other = any(move.then for move in moves), any(other_step(move, advice.unit) for move in moves)
    follows = {move.move: " or ".join(move.then.best) for move in moves if has_other and move.then}
    known = [move for move in listed if move.value.exact is not None]
    is_short = bool(known) and all(move.value.short for move in listed)
    columns = [
        TableColumn("", ["*" if move.is_best else "" for move in listed]),
        TableColumn("move", [move.move for move in listed]),
        TableColumn("then", [follows.get(move.move, move.then) for move in listed] if has_steps else ()),
        TableColumn("play", [move.often for move in listed] if is_mixed else (), right=True),
        TableColumn(label_of(advice), [move.value.text() for move in listed], right=True),
        TableColumn("interval", [move.value.interval for move in listed], right=True),
        TableColumn("loss", () if is_forced else [move.loss for move in listed], right=True),
        TableColumn("or", [move.other for move in listed] if has_other else ()),
        TableColumn("exactly", [move.value.short for move in listed] if is_short else ()),
    ]
    table: list[Block] = [table_of(columns, names=2)]
    rest = moves[len(listed) :]
    if rest:
        worst = number(rest[-1].value, advice.unit)
        table.append(Sentence([f"   and {len(rest)} more, down to {worst}; --top {len(moves)} lists them all"]))
    blocks: list[Blocks] = [table, Sentence([_meaning(advice, is_forced, is_mixed, has_other)])]
    if known and not is_short:
        blocks.append(Fractions([(move.move, move.value.exact or "") for move in known]))
    return blocks


def _meaning(advice: Advice, is_forced: bool, is_mixed: bool, has_other: bool) -> str:
    """What the columns are."""
    label = advice.label.removesuffix(f", {LOW_IS_GOOD}")
    words = ["play: how often, at random"] if is_mixed else []
    words += [] if label == label_of(advice) else [f"the number is the {label}"]
    words += [] if is_forced else ["* best", "loss: how much worse than best"]
    words += ["or: the other choice then"] if has_other else []
    interval, unit = "interval: proved to be off by no more", difference_unit(advice.unit)
    if advice.unit != "probability":
        return "; ".join([*words, interval])
    return "; ".join([*words, f"{interval}, in {unit}"] if is_forced else [*words, interval, f"{PP}: {unit}"])


def _shares(advice: Advice) -> CellTable:
    """What everybody has of it, by seat."""
    shares = advice.shares or []
    seats = [f"{seat} (to move)" if seat == advice.mover else str(seat) for seat in range(len(shares))]
    wins = [Amount("value", share, places=MOST) for share in shares]
    return table_of([TableColumn("seat", seats), TableColumn("win", wins, right=True)])


def ties_line(ties: Mapping[str, Any]) -> str:
    """What other ways to tell equally good moves apart change, as ``solve --ties`` says it."""
    if ties["unique"]:
        return "broken otherwise they change no share"
    start, anywhere = (number(ties[name], "probability", MOST) for name in ("difference", "anywhere"))
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
    further = dict(advice.quantities)
    if "gain" in further:
        limit = further.pop("gain").upper
        assert isinstance(limit, float)
        gain = f"no seat wins more than {100 * limit:.1e} % more often by playing otherwise"
        rows.append(["gain", gain if limit <= EQUILIBRIUM else f"{gain}: this is no equilibrium"])
    if "unique_by_ties" in facts:
        rows.append(["ties", ties_line(facts["unique_by_ties"])])
    start = f"at the start: {shown_state(advice.state)}" if advice.state else ""
    blocks: list[Blocks] = [head(advice, title, start), CellTable(rows)]
    if advice.exact is not None and short is None:
        blocks.append(Fractions([(advice.label, advice.exact)]))
    if advice.shares:
        blocks.append(_shares(advice))
    return printed([*blocks, *quantity_blocks(further, advice.mover)], exact=exact)
