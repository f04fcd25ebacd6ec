"""Text of a quiz: its heading, its questions, the cost of an answer, and the score."""

from __future__ import annotations

from collections.abc import Sequence

from rollwise.games.move_aliases import numbered
from rollwise.questions.ask.text import brief_label, likeliest_first, verdict
from rollwise.questions.head import heading
from rollwise.questions.quiz.data import Quiz, QuizPosition, QuizScore
from rollwise.solver.model.plain import count_of
from rollwise.text.layout import align_columns, wrap_state, wrap_text
from rollwise.text.moves import infinitive
from rollwise.text.numbers import PP, TEXT_PLACES, cost, difference_unit, loss, number, percent
from rollwise.text.screen import dice_lines, line_width, paint, screen
from rollwise.text.spelling import shown_state

INSTRUCTIONS = "Answer with the number of a move, or with its words; ? shows the answer, quit ends."
MAX_MOVES_LISTED = 5  # in the solution
MOVE_GAP = 3  # blanks between two moves of a line
N_RULES = 3  # in a sentence
DICE_FIELD = "roll"  # the field of the dice that lie on the table


def heading_lines(quiz: Quiz, title: str) -> list[str]:
    """The heading: the game, the positions searched, and those that qualify."""
    n = len(quiz.positions)
    second = f"In {quiz.qualified:,} the second-best move costs more than {threshold_words(quiz)}"
    some = "the hardest is asked" if n == 1 else f"the {n} hardest are asked, hardest first"
    every = "it is asked" if n == 1 else "they are asked, hardest first"
    return [
        *wrap_text(heading(quiz, title), 2),
        *wrap_text(f"{_source_words(quiz)}. {second}; {some if quiz.qualified > n else every}."),
        *wrap_text(INSTRUCTIONS),
    ]


def _source_words(quiz: Quiz) -> str:
    """The source of the positions, in words."""
    looked = count_of(quiz.looked_at, "decision")
    differ = f"{quiz.differ:,} of them different" if quiz.differ != quiz.looked_at else "all different"
    if quiz.file is not None:
        return f"Looked at {looked} of {quiz.file}, {differ}"
    broken = ", the last of them not to the end" if quiz.broken_off else ""
    played = f"{count_of(quiz.games, 'game')}{broken} that the best player plays"
    return f"Looked at {looked} of {played} (seed {quiz.seed}), {differ}"


def threshold_words(quiz: Quiz) -> str:
    """The least loss of the second-best move, with its unit or its share of the game's scale."""
    hundredths = 100 * quiz.least / quiz.scale
    if quiz.unit == "probability":
        return f"{hundredths:g} {difference_unit(quiz.unit)} ({PP})"
    return f"{quiz.least:g} {quiz.unit} ({hundredths:g} hundredths of {quiz.scale:g})"


def no_position_line(quiz: Quiz) -> str:
    """The message where no position qualifies, with a change to try."""
    more = "another file" if quiz.file is not None else f"--look {10 * max(1, quiz.looked_at)}"
    if not quiz.looked_at:
        return f"{_source_words(quiz)}: no decision there has a choice; try {more}."
    if not quiz.dearest:
        return f"{_source_words(quiz)}: in none does the second-best move cost anything; try {more}."
    lower = f"{90 * quiz.dearest / quiz.scale:.2g}"
    return (
        f"{_source_words(quiz)}: in none does the second-best move cost more than {threshold_words(quiz)}, the most is "
        f"{loss(quiz.dearest, quiz.unit, named=True)}; try --least {lower}, or {more}."
    )


def question_lines(position: QuizPosition, place: int, of: int) -> list[str]:
    """A question: the state, the dice, and the moves with their numbers."""
    on = screen()
    head = paint(f"Question {place} of {of}", "strong", on)
    dice = position.state.get(DICE_FIELD)
    drawn = dice_lines(dice, on) if dice and all(isinstance(die, int) for die in dice) else []
    return [head, *wrap_state(shown_state(position.state)), *drawn, *choice_lines(position.choices)]


def choice_lines(choices: Sequence[str]) -> list[str]:
    """The numbered moves in as many columns as fit, each from top to bottom."""
    by_number = numbered(choices)
    cells = [f"{place.rjust(max(map(len, by_number)))} {choice}" for place, choice in by_number.items()]
    width = max(map(len, cells)) + MOVE_GAP
    across = max(1, (line_width() - 2 + MOVE_GAP) // width)
    down = -(-len(cells) // across)
    rows = [cells[row::down] for row in range(down)]
    return ["  " + "".join(cell.ljust(width) for cell in row).rstrip() for row in rows]


def answer_lines(position: QuizPosition, move: str) -> list[str]:
    """The reply to an answer: right or not, its cost, and the best move."""
    answer, unit = position.move(move), position.advice.unit
    if position.is_right(move):
        first, ink, beside = "Right.", "good", ""
    else:
        counts = brief_label(position.advice)
        first, ink = f"That costs {loss(answer.loss, unit, named=True)}", "bad"
        is_second = answer.probability is None and move == position.moves[1].move  # the verdict has its value
        beside = "." if is_second else f" ({infinitive(move)}: {counts} {number(answer.value, unit, 2)})."
    lines = wrap_text(f"{first}{beside} {verdict(position.advice)}")
    lines[0] = lines[0].replace(first, paint(first, ink, screen()), 1)
    return [*lines, *rule_lines(position)]


def solution_lines(position: QuizPosition) -> list[str]:
    """The solution: the best move, and a table of moves and losses."""
    unit = position.advice.unit
    moves = likeliest_first(position.moves, position.best)
    counts = brief_label(position.advice) if unit == "probability" else unit
    mixed = any(move.probability is not None for move in moves)
    rows = [["move", *(["play"] if mixed else []), counts, "loss"]]
    for move in moves[:MAX_MOVES_LISTED]:
        often = [percent(move.probability or 0.0, 0) if move.probability else ""] if mixed else []
        loss_text = "" if position.is_right(move.move) else loss(move.loss, unit)
        rows.append([move.move, *often, number(move.value, unit, 2), loss_text])
    rest = [f"  and {len(moves) - MAX_MOVES_LISTED} more"] if len(moves) > MAX_MOVES_LISTED else []
    table = [f"  {line}" for line in align_columns(rows, right=range(1, len(rows[0])))]
    return [*wrap_text(verdict(position.advice)), *table, *rest, *rule_lines(position)]


def rule_lines(position: QuizPosition, places: int = TEXT_PLACES) -> list[str]:
    """A sentence for each move that simple rules get wrong, with its loss."""
    by_move: dict[str, list[str]] = {}
    for rule in position.wrong:
        by_move.setdefault(rule.move, []).append(rule.rule)
    lines = []
    for move, rules in by_move.items():
        *others, last = (
            rules if len(rules) <= N_RULES else [*rules[: N_RULES - 1], f"{len(rules) - N_RULES + 1} others"]
        )
        names = f"{', '.join(others)} and {last}" if others else last
        loss_text = cost(position.move(move).loss, position.advice.unit, places)
        counted = (rule for rule in position.wrong if rule.move == move and rule.points is not None)
        now = next((f" ({rule.points:g} at once, not {rule.best_points:g})" for rule in counted), "")
        lines += wrap_text(f"Going by {names} you would {infinitive(move)}{now}, and lose {loss_text}.")
    return lines


def score_lines(score: QuizScore, unit: str) -> list[str]:
    """The score of a quiz: right answers, mean loss, the worst answer."""
    n_answers = len(score.answers)
    n_unasked = score.questions - n_answers - score.shown
    notes = [f"{score.shown} shown"] * (score.shown > 0) + [f"{n_unasked} not asked"] * (n_unasked > 0)
    if not n_answers:
        return [f"Score: no answers{' (' + ', '.join(notes) + ')' if notes else ''}."]
    parts = [f"{score.right} of {n_answers} right", f"mean loss {loss(score.mean_loss, unit, named=True)}"]
    worst = score.worst
    if worst is not None:
        instead = f"question {worst.number}, {infinitive(worst.move)} instead of {infinitive(worst.best)}"
        parts.append(f"worst {loss(worst.loss, unit, named=True)} ({instead})")
    return wrap_text(f"Score: {', '.join([*parts, *notes])}.")
