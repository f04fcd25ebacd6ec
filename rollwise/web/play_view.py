"""Data for the templates of a game in play: its state, its moves, and its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rollwise.match.match import Match
from rollwise.match.play_lines import move_points, seat_name
from rollwise.parsing.validate import parse_fields
from rollwise.questions.ask.data import MoveAdvice
from rollwise.solver.model.fields import Field
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.moves import parse_move
from rollwise.text.moves import imperative, infinitive
from rollwise.text.numbers import loss, number, page_places
from rollwise.text.spelling import shown_value
from rollwise.web.labels import SEAT_FIELDS, in_words, label, text
from rollwise.web.sitting import Sitting

SEPARATE_FIELDS = ("mover", "roll")  # fields shown outside the board
MINE, THEIRS = "mine", "theirs"  # of the mover, and of the other seat of a duel
TURN = "turn"  # points of the turn, banked at its end
MAX_KEEP_BUTTONS = 3  # with more keeps, dice are tapped on the table


# --- the state -------------------------------------------------------------------------------------------------------


@dataclass
class BoardView:
    """A state for a template: ``seats`` are rows of a table with a column for each seat, ``facts`` names with values,
    ``sheets`` boxes with scores, ``sets`` members that are in or out."""

    seats: list[tuple[str, list[str]]] = field(default_factory=list)
    facts: list[tuple[str, str, str]] = field(default_factory=list)
    sheets: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)
    sets: list[tuple[str, list[tuple[str, bool]]]] = field(default_factory=list)
    dice: list[tuple[str, list[int]]] = field(default_factory=list)


def board_of(game: TurnGame, state: Mapping[str, Any], mover: int, names: Sequence[str]) -> BoardView:
    """A state from the mover's point of view, with the names of all seats."""
    board = BoardView()
    for each in game.fields():
        value = state.get(each.name)
        if each.name not in SEPARATE_FIELDS and value is not None:
            _add_field(board, label(game, each.name)[0], each, value, mover, names)
    return board


def visible(sitting: Sitting) -> Mapping[str, Any]:
    """The state without dice hidden from the page."""
    return sitting.match.seen_by(-1 if sitting.eyes is None else sitting.eyes) or {}


def final_state(match: Match) -> tuple[Mapping[str, Any], int, bool]:
    """Last state of a finished game, its mover, and whether it includes the points banked by the last move."""
    lines = [line for line in match.record()[1:] if "result" not in line]
    last = next(line for line in reversed(lines) if "state" in line)
    state = dict(last["state"])
    is_banked = last is lines[-1] and {MINE, TURN} <= state.keys() and not parse_move(last.get("choice", "")).kept
    if is_banked:
        state[MINE] += state.pop(TURN)
    return state, last["seat"], is_banked


def _add_field(board: BoardView, name: str, each: Field, value: Any, mover: int, names: Sequence[str]) -> None:
    form = each.form
    seats = {MINE: mover, THEIRS: 1 - mover}
    match form["form"], value:
        case _, _ if each.name in seats and len(names) == 2:  # in order of seats
            if not board.seats or board.seats[-1][0]:
                board.seats.append(("", ["", ""]))
            board.seats[-1][1][seats[each.name]] = shown_value(value)
        case "seats", [*cells] if len(cells) == len(names):
            board.seats.append((name, [_cell_text(one) for one in cells]))
        case "dice", [*faces]:
            board.dice.append((name, faces))
        case "map", {}:
            board.sheets.append((name, [(box, _cell_text(value.get(box, ""))) for box in form["boxes"]]))
        case "set", [*members]:
            board.sets.append((name, [(_cell_text(one), one in members) for one in form["of"]]))
        case "number", int() if each.name in SEAT_FIELDS and value < len(names):
            board.facts.append((name, names[value], each.help))
        case _:
            shown = names[seats[value]] if value in (MINE, THEIRS) else shown_value(value)
            board.facts.append((name, shown, each.help))


def _cell_text(value: Any) -> str:
    return "–" if value in (None, "-") else shown_value(value)


def table_dice(state: Mapping[str, Any]) -> list[int]:
    """The dice on the table."""
    return [face for face in state.get("roll") or () if isinstance(face, int)]


# --- moves -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Button:
    """Button of a move: label (``dice`` between ``before`` and ``after``), coach's numbers, ``now`` points of a box."""

    move: str
    before: str
    dice: list[int]
    after: str
    value: str = ""
    loss: str = ""
    best: bool = False
    now: str = ""


def buttons_of(sitting: Sitting) -> list[Button]:
    """Buttons of the moves in the game's own order, with values if the coach is on."""
    match = sitting.match
    values = {move.move: move for move in match.moves} if sitting.coach else {}
    best = match.advice.best if sitting.coach and match.advice is not None else []
    now = move_points(match.turn_game, parse_fields(match.turn_game, match.state or {}), match.legal)
    return [_button(move, now.get(move, ""), values.get(move), best, match) for move in match.legal]


def _button(move: str, now: str, advice: MoveAdvice | None, best: Sequence[str], match: Match) -> Button:
    done = parse_move(move)
    before, after = imperative(move) + now, ""
    if done.kept:
        before, after = text("play.keep"), "" if done.points is None else f"for {done.points}"
    value = lost = ""
    if advice is not None:
        digits = page_places(advice.value, match.unit)
        value = number(advice.value, match.unit, digits)
        if advice.probability is not None:
            value = f"{number(advice.probability, 'probability', 0)} {text('play.of_the_mix')} · {value}"
        lost = loss(advice.loss, match.unit, digits) if advice.loss else ""
    return Button(move, before, list(done.kept), after, value, lost, move in best, now.strip(" ()"))


def box_buttons(buttons: Sequence[Button], board: BoardView) -> dict[str, Button]:
    """Buttons of moves that fill a box of the mover's sheet, by box."""
    boxes = {box for box, _ in board.sheets[0][1]} if board.sheets else set()
    return {parse_move(each.move).box: each for each in buttons if each.now and parse_move(each.move).box in boxes}


def can_tap(buttons: Sequence[Button], dice: Sequence[int]) -> bool:
    """True if dice are tapped on the table: more than MAX_KEEP_BUTTONS keeps, none that differ by points alone."""
    keeps = [button for button in buttons if button.dice]
    return len(keeps) > MAX_KEEP_BUTTONS and all(not button.after for button in keeps) and bool(dice)


# --- what happened ---------------------------------------------------------------------------------------------------


@dataclass
class PlayEvent:
    """A move or throw of the history: seat, moves, dice, notes such as the loss."""

    seat: int
    name: str
    moves: list[str] = field(default_factory=list)
    dice: list[list[int]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def events(sitting: Sitting, since: int = 0) -> list[list[PlayEvent]]:
    """Events after so many lines of the record, grouped by turns of a seat."""
    lines, turns = sitting.match.record()[1:], list[list[PlayEvent]]()
    for place, line in enumerate(lines):
        if place < since or "result" in line:
            continue
        event, goes_on = _event(sitting, lines, place), sitting.match.seats > 1 or "thrown" in line
        if turns and turns[-1][-1].seat == event.seat and goes_on:
            turns[-1].append(event)
        else:
            turns.append([event])
    return turns


def _event(sitting: Sitting, lines: Sequence[Mapping[str, Any]], place: int) -> PlayEvent:
    line, match = lines[place], sitting.match
    event = PlayEvent(line["seat"], seat_name(match, line["seat"], sitting.humans))
    if "choice" in line:
        event.moves.append(infinitive(str(line["choice"])))
        lost = line.get("loss")
        is_shown = sitting.is_open or line["seat"] == sitting.eyes
        if sitting.coach and is_shown and line["seat"] in sitting.humans and isinstance(lost, int | float) and lost > 0:
            event.notes.append(text("play.cost", cost=loss(lost, match.unit, named=True)))
        return event
    throws = [line.get("thrown"), *(line.get("then") or [])]
    dice = [list(each) for each in throws if isinstance(each, list) and each]
    if not dice:
        under = lines[place - 2] if place >= 2 and "hidden" in lines[place - 2] else None
        event.notes.append(_cup_note(under) if under is not None else text("play.by_lot"))
    elif sitting.is_open or line["seat"] == sitting.eyes or _is_lifted(lines, place):
        event.dice.extend(dice)
    else:
        event.notes.append(text("play.under_the_cup"))
    return event


def _cup_note(under: Mapping[str, Any]) -> str:
    """Note on the dice under the cup."""
    shown = ", ".join(f"{in_words(name)} {shown_value(under['state'].get(name))}" for name in under["hidden"])
    return text("play.cup_lifted", shown=shown)


def _is_lifted(lines: Sequence[Mapping[str, Any]], place: int) -> bool:
    """True if the hidden dice of this throw were shown after the call that followed."""
    after = lines[place + 1 : place + 4]
    return len(after) == 3 and "hidden" in after[0] and after[2].get("thrown") == []
