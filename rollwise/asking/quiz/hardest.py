"""Which positions are the hardest, and in what order they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rollwise.answers.quiz import WrongRule
from rollwise.asking.quiz.playing import Met
from rollwise.asking.quiz.rules import QuizRules

Judged = tuple[Met, list[WrongRule]]  # a position, and the simple rules that are wrong there
ROLLS = "rolls_left"
Kind = tuple[frozenset[str], object]


def judged(rules: QuizRules, met: Met) -> Judged:
    """A position with the rules that choose wrongly, the one that loses most first."""
    played = {name: met.place(move) for name, move in rules.plays(met).items()}
    found = [
        WrongRule(name, rules.help(name), met.moves[place].name, met.losses[place], *rules.counted(name, met, place))
        for name, place in played.items()
        if not met.is_right(place)
    ]
    return met, sorted(found, key=lambda rule: -rule.loss)


def hardest_first(every: Sequence[Judged], plain: float) -> Iterator[Judged]:
    """What people get wrong first; two of one kind follow each other only where no other kind is as hard.

    Of one kind are those with the same sorts of moves, and as many throws left. What a player does not see plays no
    part in it, so that the order gives no answer away. Where the second-best move loses more than ``plain``, nobody
    errs.
    """
    by_kind: dict[Kind, list[Judged]] = {}
    for each in sorted(every, key=lambda each: _ease(each, plain), reverse=True):
        by_kind.setdefault(_kind(each[0]), []).append(each)
    last: Kind | None = None
    while by_kind:
        ease = {kind: _ease(some[-1], plain) for kind, some in by_kind.items()}
        as_hard = [kind for kind in by_kind if ease[kind][0] == min(ease.values())[0]]
        last = min([kind for kind in as_hard if kind != last] or as_hard, key=lambda kind: ease[kind])
        yield by_kind[last].pop()
        if not by_kind[last]:
            del by_kind[last]


def _ease(position: Judged, plain: float) -> tuple[bool, int, float, float]:
    """The harder the less: plain ones last; else what most rules get wrong, by what they lose, then what nearly ties.

    A tie is the nearer the smaller the part is that the second-best loses of what the best is worth.
    """
    met, wrong = position
    worth = abs(float(met.judged.ranked[0, 0])) or 1.0
    return met.second_loss > plain, -len(wrong), -sum(rule.loss for rule in wrong), met.second_loss / worth


def _kind(met: Met) -> Kind:
    return frozenset(move.name.partition(" ")[0] for move in met.moves), met.fields.get(ROLLS)
