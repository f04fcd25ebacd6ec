"""The answers of ``ask`` and ``solve`` as a person reads them: one sentence, then a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

from rollwise.answer import Advice, MoveAdvice, shown_state
from rollwise.labels import LOW_IS_GOOD, short_label
from rollwise.move_words import assumed_lines, order, other_step, verdict, what_follows
from rollwise.quantity_text import quantity_lines
from rollwise.text import (
    MOST,
    columns,
    digits,
    exact_lines,
    fraction,
    heading_lines,
    number,
    state_lines,
    width,
    wrapped,
)

EQUILIBRIUM = 1e-9  # nobody gains more by leaving one
FEWEST = 5  # moves that are listed however small the terminal is


def advice_lines(
    advice: Advice, title: str, *, top: int | None = None, height: int | None = None, exact: bool = False
) -> list[str]:
    """The whole answer of a question.

    ``top``: so many moves are listed, and the others counted; where it is None, as many as fit into ``height`` lines,
    or all. ``exact``: fractions were asked for.
    """
    lines = _answer(advice, title, top, exact)
    if top is None and height is not None and advice.moves and len(lines) >= height:
        fitting = len(advice.moves) - (len(lines) + 2 - height)  # a line is for the prompt, one tells of the others
        lines = _answer(advice, title, max(FEWEST, fitting), exact)
    return lines


def _answer(advice: Advice, title: str, top: int | None, exact: bool) -> list[str]:
    blocks = [heading_lines(advice, title) + state_lines(shown_state(advice.state)) + assumed_lines(advice.assumed)]
    if advice.moves:
        blocks += [wrapped(verdict(advice)), *_moves(advice, advice.moves, top)]
    if advice.note:
        blocks.append(wrapped(advice.note))
    if advice.drawn is not None:
        blocks.append([f"Drawn: {order(advice.drawn)}"])
    if advice.shares:
        blocks.append(_shares(advice))
    if advice.quantities:
        blocks += quantity_lines(advice.quantities, advice.mover, exact)
    return in_blocks(blocks)


def in_blocks(blocks: Sequence[Sequence[str]]) -> list[str]:
    """Blocks of lines with an empty line between them."""
    lines: list[str] = []
    for block in blocks:
        lines += [""] if lines and block else []
        lines += [line.rstrip() for line in block]
    return lines


def _moves(advice: Advice, moves: Sequence[MoveAdvice], top: int | None) -> list[list[str]]:
    """The table of moves, what its columns mean, and fractions."""
    unit, listed = advice.unit, in_the_mix_first(moves, advice.best or [])[:top]
    forced, steps = len(moves) == 1, any(move.then for move in moves)
    choose = any(other_step(move, unit) for move in moves)
    mixed = any(move.probability is not None for move in moves)
    known = [move for move in listed if move.exact is not None]
    short = bool(known) and all(fraction(move.exact) for move in listed)
    shown = {"": True, "move": True, "then": steps, "play": mixed, "worth": True, "interval": True}
    shown |= {"loss": not forced, "or": choose, "exactly": short}
    rows = [[short_label(advice.objective, advice.parameters) if name == "worth" else name for name in shown]]
    for move in listed:
        best, places = move.move in (advice.best or []), digits(move.lower, move.upper, unit)
        then = " or ".join(move.then.best) if choose and move.then else what_follows(advice, move)
        row = ["*" if best else "", move.move, then, how_often(move), number(move.value, unit, places)]
        row += [width(move.lower, move.upper, unit), "" if best else loss(move.loss, unit, places)]
        rows.append([*row, other_step(move, unit), fraction(move.exact) or ""])
    first, last = 3 if steps else 2, sum(shown.values()) - short - choose
    lines = columns([list(compress(row, shown.values())) for row in rows], right=range(first, last), names=2)
    rest = moves[len(listed) :]
    if rest:
        worst = number(rest[-1].value, unit)
        lines.append(f"   and {len(rest)} more, down to {worst}; --top {len(moves)} lists them all")
    blocks = [lines, wrapped(("play: how often, at random; " if mixed else "") + _meaning(advice, forced))]
    if known and not short:
        blocks.append(["exactly", *exact_lines([(move.move, move.exact or "") for move in known])])
    return blocks


def in_the_mix_first(moves: Sequence[MoveAdvice], best: Sequence[str]) -> list[MoveAdvice]:
    """The same moves; of those that are equally good the likeliest first."""
    return sorted(moves, key=lambda move: -(move.probability or 0.0) if move.move in best else 1.0)


def how_often(move: MoveAdvice) -> str:
    """A move's part of a mix; nothing where it has none."""
    return number(move.probability, "probability") if move.probability else ""


def loss(lost: float, unit: str, places: int = MOST) -> str:
    """How much worse than the best; what is lost is never shown as nothing."""
    if unit != "probability" and 0 < lost < 0.5 * 10**-places:
        return f"<{10.0**-places:.{places}f}"
    return number(lost, unit, places).replace(" %", " pp")


def _meaning(advice: Advice, forced: bool) -> str:
    """What the columns are."""
    label = advice.label.removesuffix(f", {LOW_IS_GOOD}")
    said = [] if label == short_label(advice.objective, advice.parameters) else [f"the number is the {label}"]
    said += [] if forced else ["* best", "loss: how much worse than best"]
    said += ["or: the other choice then"] if any(other_step(move, advice.unit) for move in advice.moves or []) else []
    said.append("interval: proved to be off by no more")
    if advice.unit != "probability":
        return "; ".join(said)
    return "; ".join(said) + (", in percentage points" if forced else "; pp: percentage points")


def _shares(advice: Advice) -> list[str]:
    """What everybody has of it, by seat."""
    rows = [["seat", "win"]]
    for seat, share in enumerate(advice.shares or []):
        rows.append([f"{seat} (to move)" if seat == advice.mover else str(seat), number(share, "probability", MOST)])
    return columns(rows, right=(1,))


def ties_line(told: Mapping[str, Any]) -> str:
    """What other ways to tell equally good moves apart change, as ``solve --ties`` says it."""
    if told["unique"]:
        return "broken otherwise they change no share"
    start, anywhere = (number(told[name], "probability", MOST) for name in ("difference", "anywhere"))
    return f"broken otherwise they change a share by up to {start} at the start, by up to {anywhere} on some board"


def solution_lines(advice: Advice, title: str, *, exact: bool = False) -> list[str]:
    """The whole answer of ``solve``."""
    facts = advice.facts
    rows = []
    if advice.value is not None and advice.lower is not None and advice.upper is not None:
        value = number(advice.value, advice.unit, digits(advice.lower, advice.upper, advice.unit))
        unit = "" if advice.unit == "probability" else f" {advice.unit}"
        rows.append([advice.label, f"{value}{unit} {width(advice.lower, advice.upper, advice.unit)}"])
    short = fraction(advice.exact)
    rows += [["exactly", short]] if short else []
    rows += [["boards", f"{facts['boards']:,}"], ["method", facts["method"]]]
    rows.append(["solved in", f"{facts['seconds']:.2f} s" + (" (from the cache)" if facts["cached"] else "")])
    further = dict(advice.quantities)
    if "gain" in further:
        limit = further.pop("gain").upper
        gain = f"no seat wins more than {100 * limit:.1e} % more often by playing otherwise"
        rows.append(["gain", gain if limit <= EQUILIBRIUM else f"{gain}: this is no equilibrium"])
    if "unique_by_ties" in facts:
        rows.append(["ties", ties_line(facts["unique_by_ties"])])
    start = state_lines(f"at the start: {shown_state(advice.state)}") if advice.state else []
    blocks = [heading_lines(advice, title) + start, columns(rows)]
    if advice.exact is not None and short is None:
        blocks.append(["exactly", *exact_lines([(advice.label, advice.exact)])])
    if advice.shares:
        blocks.append(_shares(advice))
    return in_blocks([*blocks, *(quantity_lines(further, advice.mover, exact) if further else [])])
