"""How a game in play looks: the question, the moves by number, throws, what a move cost, and the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rollwise.answers.advice import Advice, MoveAdvice
from rollwise.answers.labels import aim, counted, quantity_label
from rollwise.answers.moves import does
from rollwise.answers.spelling import shown_state
from rollwise.asking.points_now import PointsNow
from rollwise.games.move_aliases import numbered
from rollwise.match.match import Match
from rollwise.parsing.validate import the_fields
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import count_of
from rollwise.solver.model.sheet import ScoreSheet
from rollwise.solver.turn.query import moves_asked
from rollwise.text.head import heading
from rollwise.text.layout import state_lines, wrapped
from rollwise.text.moves import for_the_mean, order
from rollwise.text.numbers import loss, number
from rollwise.text.screen import Screen, dice, dice_lines, paint

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


def opening(match: Match, humans: Sequence[int], thrown: str) -> list[str]:
    """What is played, by whom, with which dice."""
    lines = wrapped(heading(match, match.title), hanging=2)
    if match.seats > 1:
        others = [seat for seat in range(match.seats) if seat not in humans]
        you = f"You have {_seats(humans)}" if humans else "You look on"
        lines += wrapped(f"{you}{f'; the best player has {_seats(others)}' if others else ''}.")
    return [*lines, *wrapped(f"{thrown} Type help for what can be typed.")]


def _seats(seats: Sequence[int]) -> str:
    if len(seats) == 1:
        return f"seat {seats[0]}"
    return f"seats {', '.join(map(str, seats[:-1]))} and {seats[-1]}"


def name_of(match: Match, seat: int, humans: Sequence[int]) -> str:
    """What a seat is called."""
    return "You" if list(humans) == [seat] else f"Seat {seat}"


def question_lines(match: Match, humans: Sequence[int], on: Screen) -> list[str]:
    """The state, the dice that lie there, and the moves by number, in the game's own order."""
    state = match.state or {}
    name = "" if match.seats == 1 else f"{name_of(match, match.mover, humans)}: "
    lines = state_lines(f"{name}{shown_state(state)}")
    legal = match.legal
    lines = [paint(line, "strong", on) for line in lines] + lying(state, on)
    fields = the_fields(match.made, state)
    if isinstance(match.made, ScoreSheet):
        shown = sum(match.made.lines_held(fields).values())
        lines.append(f"{count_of(fields.get('mine', shown), 'point')} so far")
    return lines + (choices(legal, on, scores(match.made, fields, legal)) if len(legal) > 1 else [])


def scores(made: TurnGame, fields: Mapping[str, Any], legal: Sequence[str]) -> dict[str, str]:
    """What a box would give at once, bonuses and all, by move; of moves that do not say it themselves."""
    if not any(_is_score(move) for move in legal):
        return {}
    position, counts = made.locate(**fields), PointsNow(made)
    moves = [move for move in moves_asked(made, position.state) if move.name in legal and _is_score(move.name)]
    points = {move.name: counts.of(fields, position, move) for move in moves}
    return {move: f" ({float(number):g})" for move, number in points.items() if number is not None}


def _is_score(move: str) -> bool:
    done = does(move)
    return done.verb == "score" and done.points is None and not any(sign.isdigit() for sign in done.without_points)


def lying(state: Mapping[str, Any], on: Screen) -> list[str]:
    """The dice on the table, drawn."""
    roll = state.get("roll")
    return dice_lines(roll, on) if isinstance(roll, list) and all(isinstance(face, int) for face in roll) else []


def choices(moves: Sequence[str], on: Screen, beside: Mapping[str, str]) -> list[str]:
    """Moves with their numbers, and what there is to say beside them, as many in a line as fit."""
    named = [f"{number:>2} {order(move)}{beside.get(move, '')}" for number, move in numbered(moves).items()]
    wide = max(map(len, named), default=0) + 2
    a_line = max(1, on.width // wide)
    rows = -(-len(named) // a_line)
    return ["".join(cell.ljust(wide) for cell in named[row::rows]).rstrip() for row in range(rows)]


def cost_lines(advice: Advice, made: MoveAdvice, on: Screen) -> list[str]:
    """What a move cost."""
    best = advice.best
    if made.move not in best and made.loss:
        cost = f"{order(made.move)} costs {loss(made.loss, advice.unit, named=True)}; best was {order(best[0])}."
        return [paint(line, "bad", on) for line in wrapped(cost)]
    if advice.decided:
        tie = advice.tie_break
        mean = f"; {for_the_mean(tie)}: {order(tie.move)}" if tie and tie.move != made.move else ""
        return wrapped(f"{order(made.move)}: all is decided, every move is as good{mean}.")
    others = [move for move in best if move != made.move]
    praise = "as good as any" if others and made.probability is not None else "the best"
    if len(others) == 1 and made.probability is None:
        praise += f", as is {order(others[0])}"
    return [paint(line, "good", on) for line in wrapped(f"{order(made.move)}: {praise}.")]


def throw_lines(who: str, thrown: Sequence[Sequence[int]], on: Screen) -> list[str]:
    """Who threw what, in a line; one's own throws are drawn below."""
    rolls = "roll" if who == "You" else "rolls"
    return [f"{who} {rolls} {', then '.join(dice(faces, on.width - 20) for faces in thrown)}"]


def result_lines(match: Match, humans: Sequence[int], on: Screen) -> list[str]:
    """How the game has ended, and what one's own moves cost."""
    result, unit = match.result, match.unit
    if result is None:
        return wrapped("Further than this the game is not solved: nobody knows how it ends.")
    lines = [paint(line, "strong", on) for line in wrapped(_ending(match, result, humans))]
    choices = [line for line in match.record() if "choice" in line and line["seat"] in humans]
    if choices:
        lost = sum(line["loss"] for line in choices)
        worst = max(choices, key=lambda line: line["loss"])
        cost = "Your moves cost nothing"
        if sum(line["loss"] > 0 for line in choices) == 1:
            cost = f"One move of yours cost something: {order(worst['choice'])}, {loss(lost, unit, named=True)}"
        elif lost:
            cost = f"Your moves cost {loss(lost, unit, named=True)} in all; "
            cost += f"the worst was {order(worst['choice'])}, which cost {loss(worst['loss'], unit, named=True)}"
        lines += wrapped(f"{cost}.")
    return lines


def _ending(match: Match, result: Sequence[float], humans: Sequence[int]) -> str:
    """The result in a sentence."""
    names = [name_of(match, seat, humans) for seat in range(match.seats)]
    begun: dict[str, Any] = next((line["state"] for line in match.record() if line.get("state")), {})
    counts = counted(match.made, match.parameters, begun).name
    if match.made.team:
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
