"""The words of a quiz: its heading, its questions, what an answer costs, and the score."""

from __future__ import annotations

from collections.abc import Sequence

from rollwise.answers.quiz import Quiz, QuizPosition, Score
from rollwise.answers.spelling import shown_state
from rollwise.games.move_aliases import numbered
from rollwise.solver.model.plain import count_of
from rollwise.text.advice import in_the_mix_first
from rollwise.text.head import heading
from rollwise.text.layout import columns, state_lines, wrapped
from rollwise.text.moves import label_of, order, verdict
from rollwise.text.numbers import PP, TOLD, cost, difference_unit, loss, number, percent
from rollwise.text.screen import dice_lines, line_width, paint, screen

HOW = "Answer with the number of a move, or with its words; ? shows the answer, quit ends."
LISTED = 5  # moves that an answer shows
GAP = 3  # blanks between two moves of a line
NAMED = 3  # rules that are named
DICE = "roll"  # the field of the dice that lie on the table


def heading_lines(quiz: Quiz, title: str) -> list[str]:
    """The game, and how many positions were looked at, and qualify."""
    n = len(quiz.positions)
    second = f"In {quiz.qualified:,} the second-best move costs more than {least(quiz)}"
    some = "the hardest is asked" if n == 1 else f"the {n} hardest are asked, hardest first"
    every = "it is asked" if n == 1 else "they are asked, hardest first"
    return [
        *wrapped(heading(quiz, title), 2),
        *wrapped(f"{_where(quiz)}. {second}; {some if quiz.qualified > n else every}."),
        *wrapped(HOW),
    ]


def _where(quiz: Quiz) -> str:
    """Where the positions come from."""
    looked = count_of(quiz.looked_at, "decision")
    differ = f"{quiz.differ:,} of them different" if quiz.differ != quiz.looked_at else "all different"
    if quiz.file is not None:
        return f"Looked at {looked} of {quiz.file}, {differ}"
    broken = ", the last of them not to the end" if quiz.broken_off else ""
    played = f"{count_of(quiz.games, 'game')}{broken} that the best player plays"
    return f"Looked at {looked} of {played} (seed {quiz.seed}), {differ}"


def least(quiz: Quiz) -> str:
    """What the second-best move costs more than, and what that is hundredths of, where that has to be said."""
    hundredths = 100 * quiz.least / quiz.scale
    if quiz.unit == "probability":
        return f"{hundredths:g} {difference_unit(quiz.unit)} ({PP})"
    return f"{quiz.least:g} {quiz.unit} ({hundredths:g} hundredths of {quiz.scale:g})"


def none_line(quiz: Quiz) -> str:
    """What to say where no position qualifies, and what to change."""
    more = "another file" if quiz.file is not None else f"--look {10 * max(1, quiz.looked_at)}"
    if not quiz.looked_at:
        return f"{_where(quiz)}: nobody has a choice there; try {more}."
    if not quiz.dearest:
        return f"{_where(quiz)}: in none does the second-best move cost anything; try {more}."
    lower = f"{90 * quiz.dearest / quiz.scale:.2g}"
    return (
        f"{_where(quiz)}: in none does the second-best move cost more than {least(quiz)}, the most is "
        f"{loss(quiz.dearest, quiz.unit, named=True)}; try --least {lower}, or {more}."
    )


def question_lines(position: QuizPosition, place: int, of: int) -> list[str]:
    """A question: the state, and the moves with their numbers."""
    on = screen()
    head = paint(f"Question {place} of {of}", "strong", on)
    dice = position.state.get(DICE)
    drawn = dice_lines(dice, on) if dice and all(isinstance(die, int) for die in dice) else []
    return [head, *state_lines(shown_state(position.state)), *drawn, *choice_lines(position.choices)]


def choice_lines(choices: Sequence[str]) -> list[str]:
    """The moves with their numbers, as many side by side as fit, in columns from top to bottom."""
    by_number = numbered(choices)
    cells = [f"{place.rjust(max(map(len, by_number)))} {choice}" for place, choice in by_number.items()]
    wide = max(map(len, cells)) + GAP
    across = max(1, (line_width() - 2 + GAP) // wide)
    down = -(-len(cells) // across)
    rows = [cells[row::down] for row in range(down)]
    return ["  " + "".join(cell.ljust(wide) for cell in row).rstrip() for row in rows]


def answer_lines(position: QuizPosition, move: str) -> list[str]:
    """Was it right, what does it cost, and what is best."""
    chosen, unit = position.move(move), position.advice.unit
    if position.is_right(move):
        first, ink, beside = "Right.", "good", ""
    else:
        counts = label_of(position.advice)
        first, ink = f"That costs {loss(chosen.loss, unit, named=True)}", "bad"
        is_second = chosen.probability is None and move == position.moves[1].move  # which the verdict tells
        beside = "." if is_second else f" ({order(move)}: {counts} {number(chosen.value, unit, 2)})."
    lines = wrapped(f"{first}{beside} {verdict(position.advice)}")
    lines[0] = lines[0].replace(first, paint(first, ink, screen()), 1)
    return [*lines, *rule_lines(position)]


def solution_lines(position: QuizPosition) -> list[str]:
    """The answer, and the best moves with what they lose."""
    unit = position.advice.unit
    moves = in_the_mix_first(position.moves, position.best)
    counts = label_of(position.advice) if unit == "probability" else unit
    mixed = any(move.probability is not None for move in moves)
    rows = [["move", *(["play"] if mixed else []), counts, "loss"]]
    for move in moves[:LISTED]:
        often = [percent(move.probability or 0.0, 0) if move.probability else ""] if mixed else []
        lost = "" if position.is_right(move.move) else loss(move.loss, unit)
        rows.append([move.move, *often, number(move.value, unit, 2), lost])
    rest = [f"  and {len(moves) - LISTED} more"] if len(moves) > LISTED else []
    table = [f"  {line}" for line in columns(rows, right=range(1, len(rows[0])))]
    return [*wrapped(verdict(position.advice)), *table, *rest, *rule_lines(position)]


def rule_lines(position: QuizPosition, places: int = TOLD) -> list[str]:
    """Which simple rules are wrong, and what they lose, those together that make the same move."""
    by_move: dict[str, list[str]] = {}
    for rule in position.wrong:
        by_move.setdefault(rule.move, []).append(rule.rule)
    lines = []
    for move, rules in by_move.items():
        *others, last = rules if len(rules) <= NAMED else [*rules[: NAMED - 1], f"{len(rules) - NAMED + 1} others"]
        names = f"{', '.join(others)} and {last}" if others else last
        lost = cost(position.move(move).loss, position.advice.unit, places)
        counted = (rule for rule in position.wrong if rule.move == move and rule.points is not None)
        now = next((f" ({rule.points:g} at once, not {rule.best_points:g})" for rule in counted), "")
        lines += wrapped(f"Going by {names} you would {order(move)}{now}, and lose {lost}.")
    return lines


def score_lines(score: Score, unit: str) -> list[str]:
    """How a quiz went: right answers, mean loss, the worst."""
    n = len(score.answers)
    left = score.questions - n - score.shown
    beside = [f"{score.shown} shown"] * (score.shown > 0) + [f"{left} not asked"] * (left > 0)
    if not n:
        return [f"Score: no answers{' (' + ', '.join(beside) + ')' if beside else ''}."]
    parts = [f"{score.right} of {n} right", f"mean loss {loss(score.mean_loss, unit, named=True)}"]
    worst = score.worst
    if worst is not None:
        instead = f"question {worst.number}, {order(worst.move)} instead of {order(worst.best)}"
        parts.append(f"worst {loss(worst.loss, unit, named=True)} ({instead})")
    return wrapped(f"Score: {', '.join([*parts, *beside])}.")
