"""How a game in play looks: its state in pieces, its moves, what happened, each as plain data for a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rollwise.answers.advice import MoveAdvice
from rollwise.answers.moves import does
from rollwise.answers.spelling import shown_value
from rollwise.match.looks import name_of, scores
from rollwise.match.match import Match
from rollwise.parsing.validate import the_fields
from rollwise.solver.model.fields import Field
from rollwise.solver.model.game import TurnGame
from rollwise.text.moves import imperative, order
from rollwise.text.numbers import loss, number, places
from rollwise.web.labels import WHO, in_words, label
from rollwise.web.sitting import Sitting
from rollwise.web.texts import text

SEATLESS = ("mover", "roll")  # fields that are shown in another way
MINE, THEIRS = "mine", "theirs"  # of the mover, and of the other seat of a duel
TURN = "turn"  # what was gathered in it, and is banked at its end
FEW = 3  # keeps that are buttons; of more, dice are chosen on the table


# --- the state -------------------------------------------------------------------------------------------------------


@dataclass
class Board:
    """The state in pieces: ``seats`` rows of a table with a column for each seat, ``facts`` names with values,
    ``sheets`` boxes with scores, ``sets`` what is in them and what is not."""

    seats: list[tuple[str, list[str]]] = field(default_factory=list)
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    sheets: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)
    sets: list[tuple[str, list[tuple[str, bool]]]] = field(default_factory=list)
    dice: list[tuple[str, list[int]]] = field(default_factory=list)


def board_of(made: TurnGame, state: Mapping[str, Any], mover: int, names: Sequence[str]) -> Board:
    """A state as whoever moves has it, with the names of all seats."""
    board = Board()
    for each in made.fields():
        value = state.get(each.name)
        if each.name not in SEATLESS and value is not None:
            _put(board, label(made, each.name)[0], each, value, mover, names)
    return board


def seen(sitting: Sitting) -> Mapping[str, Any]:
    """The state, as it may be seen."""
    return sitting.match.seen_by(-1 if sitting.eyes is None else sitting.eyes) or {}


def last_seen(match: Match) -> tuple[Mapping[str, Any], int, bool]:
    """The last state of a game that is over, and who moved; is what was banked by the last move counted in it?"""
    lines = [line for line in match.record()[1:] if "result" not in line]
    last = next(line for line in reversed(lines) if "state" in line)
    state = dict(last["state"])
    is_banked = last is lines[-1] and {MINE, TURN} <= state.keys() and not does(last.get("choice", "")).kept
    if is_banked:
        state[MINE] += state.pop(TURN)
    return state, last["seat"], is_banked


def _put(board: Board, name: str, each: Field, value: Any, mover: int, names: Sequence[str]) -> None:
    form = each.form
    seats = {MINE: mover, THEIRS: 1 - mover}
    match form["form"], value:
        case _, _ if each.name in seats and len(names) == 2:  # in the order of seats
            if not board.seats or board.seats[-1][0]:
                board.seats.append(("", ["", ""]))
            board.seats[-1][1][seats[each.name]] = shown_value(value)
        case "seats", [*cells] if len(cells) == len(names):
            board.seats.append((name, [_cell(one) for one in cells]))
        case "dice", [*faces]:
            board.dice.append((name, faces))
        case "map", {}:
            board.sheets.append((name, [(box, _cell(value.get(box, ""))) for box in form["boxes"]]))
        case "set", [*members]:
            board.sets.append((name, [(_cell(one), one in members) for one in form["of"]]))
        case "number", int() if each.name in WHO and value < len(names):
            board.facts.append((name, names[value], each.help))
        case _:
            shown = names[seats[value]] if value in (MINE, THEIRS) else shown_value(value)
            board.facts.append((name, shown, each.help))


def _cell(value: Any) -> str:
    return "–" if value in (None, "-") else shown_value(value)


def lying(sitting: Sitting) -> list[int]:
    """The dice on the table."""
    roll = seen(sitting).get("roll")
    return [face for face in roll if isinstance(face, int)] if isinstance(roll, list) else []


# --- moves -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Button:
    """A move: its name, what stands on it (``dice`` between ``before`` and ``after``), and what the coach says.

    ``now``: what a box would score.
    """

    move: str
    before: str
    dice: list[int]
    after: str
    worth: str = ""
    loss: str = ""
    best: bool = False
    now: str = ""


def buttons_of(sitting: Sitting) -> list[Button]:
    """The moves, in the game's own order; with their worth where there is a coach."""
    match = sitting.match
    worth = {move.move: move for move in match.moves} if sitting.coach else {}
    best = match.advice.best if sitting.coach and match.advice is not None else []
    now = scores(match.made, the_fields(match.made, match.state or {}), match.legal)
    return [_button(move, now.get(move, ""), worth.get(move), best, match) for move in match.legal]


def _button(move: str, now: str, advice: MoveAdvice | None, best: Sequence[str], match: Match) -> Button:
    done = does(move)
    before, after = imperative(move) + now, ""
    if done.kept:
        before, after = text("play.keep"), "" if done.points is None else f"for {done.points}"
    worth = lost = ""
    if advice is not None:
        digits = places(advice.value, match.unit)
        worth = number(advice.value, match.unit, digits)
        if advice.probability is not None:
            worth = f"{number(advice.probability, 'probability', 0)} {text('play.of_the_mix')} · {worth}"
        lost = loss(advice.loss, match.unit, digits) if advice.loss else ""
    return Button(move, before, list(done.kept), after, worth, lost, move in best, now.strip(" ()"))


def in_boxes(buttons: Sequence[Button], board: Board) -> dict[str, Button]:
    """The moves that fill a box of the mover's sheet, by box: there they are tapped."""
    boxes = {box for box, _ in board.sheets[0][1]} if board.sheets else set()
    return {does(each.move).rest: each for each in buttons if each.now and does(each.move).rest in boxes}


def dice_to_keep(buttons: Sequence[Button], dice: Sequence[int]) -> bool:
    """Are there so many ways to keep dice that they are chosen on the table?"""
    kept = [button for button in buttons if button.dice]
    return len(kept) > FEW and all(not button.after for button in kept) and bool(dice)


# --- what happened ---------------------------------------------------------------------------------------------------


@dataclass
class Event:
    """A move, or a throw, or both: who, what, which dice, and what it cost."""

    seat: int
    name: str
    moves: list[str] = field(default_factory=list)
    dice: list[list[int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def events(sitting: Sitting, since: int = 0) -> list[list[Event]]:
    """What happened after so many lines of the record, by turns: what one seat does until another one does anything."""
    lines, turns = sitting.match.record()[1:], list[list[Event]]()
    for place, line in enumerate(lines):
        if place < since or "result" in line:
            continue
        event, goes_on = _event(sitting, lines, place), sitting.match.seats > 1 or "thrown" in line
        if turns and turns[-1][-1].seat == event.seat and goes_on:
            turns[-1].append(event)
        else:
            turns.append([event])
    return turns


def _event(sitting: Sitting, lines: Sequence[Mapping[str, Any]], place: int) -> Event:
    line, match = lines[place], sitting.match
    event = Event(line["seat"], name_of(match, line["seat"], sitting.humans))
    if "choice" in line:
        event.moves.append(order(str(line["choice"])))
        lost = line.get("loss")
        seen = sitting.is_open or line["seat"] == sitting.eyes
        if sitting.coach and seen and line["seat"] in sitting.humans and isinstance(lost, int | float) and lost > 0:
            event.notes.append(text("play.cost", cost=loss(lost, match.unit, named=True)))
        return event
    throws = [line.get("thrown"), *(line.get("then") or [])]
    dice = [list(each) for each in throws if isinstance(each, list) and each]
    if not dice:
        under = lines[place - 2] if place >= 2 and "hidden" in lines[place - 2] else None
        event.notes.append(_lifted(under) if under is not None else text("play.by_lot"))
    elif sitting.is_open or line["seat"] == sitting.eyes or _is_lifted(lines, place):
        event.dice.extend(dice)
    else:
        event.notes.append(text("play.under_the_cup"))
    return event


def _lifted(under: Mapping[str, Any]) -> str:
    """What lay under the cup."""
    shown = ", ".join(f"{in_words(name)} {shown_value(under['state'].get(name))}" for name in under["hidden"])
    return text("play.cup_lifted", shown=shown)


def _is_lifted(lines: Sequence[Mapping[str, Any]], place: int) -> bool:
    """Hidden dice fell here: was the cup lifted on the call that followed?"""
    after = lines[place + 1 : place + 4]
    return len(after) == 3 and "hidden" in after[0] and after[2].get("thrown") == []
