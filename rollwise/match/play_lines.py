"""Lines of a game in play at the terminal: question, numbered moves, throws, the loss of a move, the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.games.move_aliases import numbered
from rollwise.match.match import Match
from rollwise.parsing.validate import parse_fields
from rollwise.questions.ask.data import Advice, MoveAdvice
from rollwise.questions.ask.text import tie_break_words
from rollwise.questions.head import heading
from rollwise.questions.quiz.hardest import immediate_points
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.moves import parse_move
from rollwise.solver.model.plain import count_of
from rollwise.solver.model.sheet import ScoreSheet
from rollwise.solver.turn.questions import question_moves
from rollwise.solver.turn.successors import Successors
from rollwise.text.labels import aim, measure_of, quantity_label
from rollwise.text.layout import wrap_state, wrap_text
from rollwise.text.moves import infinitive
from rollwise.text.numbers import loss, number
from rollwise.text.screen import Screen, dice_lines, paint
from rollwise.text.spelling import shown_state

HELP = """\
NUMBER or words   make a move, as it is listed or as you would say it; the start of its name will do
1 3 5 or 135      dice that were rolled, in any order
score BOX (N)     N points at once, bonuses and all
throw             let the program roll; Enter does it where it rolls for all
? [N]             the moves with their values, the best first; ? all lists all
why [MOVE]        what makes the difference between the best move and another
odds [MOVE]       what a move, or the throw, can bring
undo [N]          take back your last move, or the last N
save FILE         write the record of the game; rollwise review reads it
quit or q         stop; the game is kept, and it says how to go on"""


def opening_lines(match: Match, humans: Sequence[int], thrown: str) -> list[str]:
    """First lines of a session: the game, the seats, the source of the dice."""
    lines = wrap_text(heading(match, match.title), hanging=2)
    if match.seats > 1:
        others = [seat for seat in range(match.seats) if seat not in humans]
        you = f"You have {_seats(humans)}" if humans else "You look on"
        lines += wrap_text(f"{you}{f'; the best player has {_seats(others)}' if others else ''}.")
    return [*lines, *wrap_text(f"{thrown} Type help for what can be typed.")]


def _seats(seats: Sequence[int]) -> str:
    if len(seats) == 1:
        return f"seat {seats[0]}"
    return f"seats {', '.join(map(str, seats[:-1]))} and {seats[-1]}"


def seat_name(match: Match, seat: int, humans: Sequence[int]) -> str:
    """Name of a seat: You, if it is the only one of a person."""
    return "You" if list(humans) == [seat] else f"Seat {seat}"


def question_lines(match: Match, humans: Sequence[int], screen: Screen) -> list[str]:
    """The state, the dice on the table, and the numbered moves in the game's own order."""
    state = match.state or {}
    name = "" if match.seats == 1 else f"{seat_name(match, match.mover, humans)}: "
    lines = wrap_state(f"{name}{shown_state(state)}")
    legal = match.legal
    lines = [paint(line, "strong", screen) for line in lines] + table_dice_lines(state, screen)
    fields = parse_fields(match.turn_game, state)
    if isinstance(match.turn_game, ScoreSheet):
        shown = sum(match.turn_game.line_points(fields).values())
        lines.append(f"{count_of(fields.get('mine', shown), 'point')} so far")
    return lines + (move_lines(legal, screen, move_points(match.turn_game, fields, legal)) if len(legal) > 1 else [])


def move_points(game: TurnGame, fields: Mapping[str, Any], legal: Sequence[str]) -> dict[str, str]:
    """Immediate points of a box by move, bonuses included, for moves whose names do not state them."""
    if not any(_is_score(move) for move in legal):
        return {}
    position, walker = game.locate(**fields), Successors(game)
    moves = [move for move in question_moves(game, position.state) if move.name in legal and _is_score(move.name)]
    points = {move.name: immediate_points(walker, fields, position, move) for move in moves}
    return {move: f" ({float(number):g})" for move, number in points.items() if number is not None}


def _is_score(move: str) -> bool:
    done = parse_move(move)
    return done.kind == "score" and done.points is None and not any(sign.isdigit() for sign in done.without_points)


def table_dice_lines(state: Mapping[str, Any], screen: Screen) -> list[str]:
    """The dice on the table, drawn."""
    roll = state.get("roll")
    return dice_lines(roll, screen) if isinstance(roll, list) and all(isinstance(face, int) for face in roll) else []


def move_lines(moves: Sequence[str], screen: Screen, beside: Mapping[str, str]) -> list[str]:
    """Moves with their numbers and remarks, in as many columns as fit."""
    named = [f"{number:>2} {infinitive(move)}{beside.get(move, '')}" for number, move in numbered(moves).items()]
    wide = max(map(len, named), default=0) + 2
    a_line = max(1, screen.width // wide)
    rows = -(-len(named) // a_line)
    return ["".join(cell.ljust(wide) for cell in named[row::rows]).rstrip() for row in range(rows)]


def cost_lines(advice: Advice, played: MoveAdvice, screen: Screen) -> list[str]:
    """Loss of a move in a sentence, or praise."""
    best = advice.best
    if played.move not in best and played.loss:
        lost = loss(played.loss, advice.unit, named=True)
        cost = f"{infinitive(played.move)} costs {lost}; best was {infinitive(best[0])}."
        return [paint(line, "bad", screen) for line in wrap_text(cost)]
    if advice.decided:
        tie = advice.tie_break
        mean = f"; {tie_break_words(tie)}: {infinitive(tie.move)}" if tie and tie.move != played.move else ""
        return wrap_text(f"{infinitive(played.move)}: all is decided, every move is as good{mean}.")
    others = [move for move in best if move != played.move]
    praise = "as good as any" if others and played.probability is not None else "the best"
    if len(others) == 1 and played.probability is None:
        praise += f", as is {infinitive(others[0])}"
    return [paint(line, "good", screen) for line in wrap_text(f"{infinitive(played.move)}: {praise}.")]


def result_lines(match: Match, humans: Sequence[int], screen: Screen) -> list[str]:
    """The result of the game, and the losses of the people's moves."""
    result, unit = match.result, match.unit
    if result is None:
        return wrap_text("From here on the game is not solved, so it has no result.")
    lines = [paint(line, "strong", screen) for line in wrap_text(_result_sentence(match, result, humans))]
    choices = [line for line in match.record() if "choice" in line and line["seat"] in humans]
    if choices:
        lost = sum(line["loss"] for line in choices)
        worst = max(choices, key=lambda line: line["loss"])
        cost = "Your moves cost nothing"
        if sum(line["loss"] > 0 for line in choices) == 1:
            cost = f"One move of yours cost something: {infinitive(worst['choice'])}, {loss(lost, unit, named=True)}"
        elif lost:
            cost = f"Your moves cost {loss(lost, unit, named=True)} in all; "
            cost += f"the worst was {infinitive(worst['choice'])}, which cost {loss(worst['loss'], unit, named=True)}"
        lines += wrap_text(f"{cost}.")
    return lines


def _result_sentence(match: Match, result: Sequence[float], humans: Sequence[int]) -> str:
    """The result in a sentence."""
    names = [seat_name(match, seat, humans) for seat in range(match.seats)]
    begun: dict[str, Any] = next((line["state"] for line in match.record() if line.get("state")), {})
    counts = measure_of(match.turn_game, match.parameters, begun).name
    if match.turn_game.team:
        return f"{' and '.join(name for name, has in zip(names, result, strict=True) if has)} won."
    if counts == "lose":
        return f"{names[list(result).index(1)]} lost."
    aimed = aim(counts, match.parameters, begun)
    if aimed == "worth":
        return f"The game is over: your score is worth {number(result[0], match.unit)}."
    if aimed == "reach":
        return "You reached the target." if result[0] == 1 else "You missed the target."
    if counts == "win" and match.seats == 1:
        return "You won." if result[0] == 1 else "You lost." if result[0] == 0 else "A shared win."
    if counts == "win":
        won = [name for name, share in zip(names, result, strict=True) if share > 0]
        return f"A shared win: {' and '.join(won)}." if len(won) > 1 else f"{''.join(won) or 'Nobody'} won."
    points = [number(won, match.unit, 0 if won == int(won) else 2) for won in result]
    if match.luck and counts == "return":
        return f"The game is over: a chip staked brought back {points[0]}, the stake included."
    if match.luck:
        return f"The game is over: {quantity_label(counts)} {', '.join(points)}."
    if match.seats == 1:
        return f"The game is over: {points[0]} {match.unit}."
    return f"The game is over: {', '.join(map(' '.join, zip(names, points, strict=True)))} ({match.unit})."
