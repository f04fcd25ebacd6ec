"""Text of the answer of ``review``: a table by seat, the grades, and the worst choices."""

from __future__ import annotations

from collections.abc import Sequence

from rollwise.match.review.data import GRADES, ChoiceReview, Review, SeatReview, Step
from rollwise.questions.head import heading
from rollwise.text.blocks import DrawnLines, Heading, Sentence
from rollwise.text.layout import align_columns, wrap_text
from rollwise.text.moves import infinitive
from rollwise.text.numbers import difference_unit, loss, number, signed
from rollwise.text.screen import Screen, bar, dice, ljust, paint, rjust, visible_len
from rollwise.text.terminal import Blocks, render_text

MAX_CHOICES = 10  # in the list
MAX_NAMED = 3  # equally good moves
BAR_CHARS = 12
START, WORST_HEADING, NO_LOSS = "start", "The worst choices", "No choice lost anything."
NARROW_CHARS = 60  # lines shorter than this have no bars
GRADE_INKS = dict(zip(GRADES, ("faint", "mark", "strong", "bad"), strict=True))
PLURALS = {"fine": "fine", "inaccuracy": "inaccuracies", "mistake": "mistakes", "blunder": "blunders"}


def review_lines(review: Review, title: str, on: Screen, *, top: int | None = None) -> list[str]:
    """The whole answer; ``top``: so many of the worst choices."""
    blocks: list[Blocks] = [Heading(heading(review, title)), *(Sentence([note]) for note in review.notes)]
    blocks += [DrawnLines(_seats(review, on)), Sentence([column_meanings(review)])]
    if review.chooses:
        blocks += map(DrawnLines, [_grades(review, on), *_choices(review, on, top or MAX_CHOICES)])
    return render_text(blocks)


# --- by seat ---------------------------------------------------------------------------------------------------------


def _seats(review: Review, on: Screen) -> list[str]:
    """The table by seat: value at the start, its changes, and the result."""
    rows = []
    for seat, counts in enumerate(review.seats):
        start, *changed, result, without_luck = (text for _, text in amounts(review, counts))
        inked = [paint(text, {"+": "good", "-": "bad"}.get(text[0], "faint"), on) for text in changed]
        rows.append([str(seat), start, *inked, paint(result, "strong", on), without_luck])
    return table([["seat", *(name for name, _ in amounts(review, review.seats[0]))], *rows], on)


def amounts(review: Review, counts: SeatReview) -> list[tuple[str, str]]:
    """(name, amount) of a seat: value at the start, its changes, the result, and the result without luck."""
    return [
        (START, value_text(counts.start, review)),
        *((name, signed(change, review.unit)) for name, change in changes(review, counts)),
        ("result" if review.complete else "so far", value_text(counts.result, review)),
        ("without luck", value_text(counts.luck_adjusted, review)),
    ]


def changes(review: Review, counts: SeatReview) -> list[tuple[str, float]]:
    """The changes of a seat's value by name."""
    others = [("others'", counts.others)] if len(review.seats) > 1 and not review.apart else []
    return [*([("own choices", counts.own), *others] if review.chooses else []), ("luck", counts.luck)]


def value_text(value: float, review: Review) -> str:
    """A value with its unit, or a chance; results without luck may lie outside 0 to 1."""
    if review.unit != "probability":
        return number(value, review.unit)
    is_chance = -1e-6 < value < 1 + 1e-6
    return number(min(max(value, 0.0), 1.0), review.unit) if is_chance else f"{number(100 * value, '')} %"


def column_meanings(review: Review) -> str:
    """The meaning of the columns of the table by seat."""
    result = "the result" if review.complete else "what it is worth where the record ends"
    parts = (
        "start, own choices, others' and luck"
        if len(review.seats) > 1 and not review.apart
        else "start, own choices and luck"
    )
    parts = parts if review.chooses else "start and luck"
    unit = f"in {difference_unit(review.unit)}"
    unit = f"changes are {unit}" if review.unit == "probability" else unit
    return f"{parts[:1].upper()}{parts[1:]} together are {result}; {unit}."


# --- grades ----------------------------------------------------------------------------------------------------------


def _grades(review: Review, on: Screen) -> list[str]:
    """The table of choices, losses and grades by seat."""
    rows = [["seat", *tally(review, 0)]]
    for seat in range(len(review.seats)):
        *losses, best, fine, inaccuracies, mistakes, blunders = tally(review, seat).values()
        inked = zip((best, fine, inaccuracies, mistakes, blunders), ("good", *GRADE_INKS.values()), strict=True)
        rows.append([str(seat), *losses, *(paint(count, "faint" if count == "0" else ink, on) for count, ink in inked)])
    return [*table(rows, on), *wrap_text(grade_limits(review))]


def tally(review: Review, seat: int) -> dict[str, str]:
    """By name: a seat's number of choices, their loss, the number of best ones, and of errors by grade."""
    counts, mine = review.seats[seat], [choice.grade for choice in review.choices if choice.seat == seat]
    return {
        "choices": str(counts.decisions),
        "lost": loss(counts.mean_loss * counts.decisions, review.unit),
        "each": loss(counts.mean_loss, review.unit),
        "best": str(counts.decisions - len(mine)),
    } | {PLURALS[grade]: str(mine.count(grade)) for grade in GRADES}


def grade_limits(review: Review) -> str:
    """The least loss of each grade, and the number of forced moves."""
    factor = 100 if review.unit == "probability" else 1
    named = ", ".join(f"{name} from {factor * limit:g}" for name, limit in review.grades.items())
    forced = sum(seat.forced for seat in review.seats)
    left_out = f" {forced} forced {'move is' if forced == 1 else 'moves are'} left out." if forced else ""
    return f"Errors: {named} {difference_unit(review.unit)}.{left_out}"


# --- choices ---------------------------------------------------------------------------------------------------------


def _choices(review: Review, on: Screen, top: int) -> list[list[str]]:
    """The worst choices, each with the command to ask it again."""
    if not review.choices:
        return [[NO_LOSS] if sum(seat.decisions for seat in review.seats) else []]
    listed, rest = review.choices[:top], len(review.choices) - top
    worst = review.choices[0].loss
    lines = []
    for choice in listed:
        lines += [*_choice(choice, review, worst, on), f"   {paint(choice.ask, 'faint', on)}"]
    unlisted = [f"{unlisted_words(rest)}; --top {len(review.choices)} lists them all"] if rest > 0 else []
    return [[paint(WORST_HEADING, "strong", on), *lines, *unlisted]]


def _choice(choice: ChoiceReview, review: Review, worst: float, on: Screen) -> list[str]:
    """A choice: its loss, its place, and the best moves."""
    loss_text, grade = rjust(loss(choice.loss, review.unit), 9), paint(choice.grade, GRADE_INKS[choice.grade], on)
    drawn = bar(choice.loss / worst, BAR_CHARS, on) if on.width >= NARROW_CHARS else ""
    head = f"{loss_text}  {ljust(grade, max(map(len, GRADES)))}  {paint(drawn, 'bad', on)}".rstrip()
    return [head, *(f"   {line}" for line in wrap_text(choice_text(choice, review)))]


def choice_text(choice: ChoiceReview, review: Review) -> str:
    """The place of a choice, the move, and the best moves, in words."""
    seat = f", seat {choice.seat}" if len(review.seats) > 1 else ""
    roll = choice.state.get("roll")
    thrown = f" with {dice(tuple(roll))}" if roll else ""
    return f"line {choice.at}{seat}: {infinitive(choice.move)}{thrown}; {best_words(choice)}"


def best_words(choice: ChoiceReview | Step) -> str:
    """The best moves of a choice in words, of many the first ones."""
    best = " or ".join(map(infinitive, choice.best[:MAX_NAMED])) + (" or others" if choice.best[MAX_NAMED:] else "")
    return f"{best} {'were' if len(choice.best) > 1 else 'was'} best"


def unlisted_words(count: int) -> str:
    """A line for the choices that are not listed."""
    return f"and {count} more that lost less"


def table(rows: Sequence[Sequence[str]], on: Screen) -> list[str]:
    """Rows as aligned lines, all but the first column flush right; transposed where they are too wide."""
    widths = [max(map(visible_len, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + 2 * (len(widths) - 1) > on.width and len(rows) < len(rows[0]):
        return table([list(column) for column in zip(*rows, strict=True)], on)
    return align_columns(rows, right=range(1, len(rows[0])))
