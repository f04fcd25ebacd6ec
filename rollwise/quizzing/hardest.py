"""Which positions are the hardest, and in what order they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rollwise.quizzing.playing import Met
from rollwise.quizzing.positions import WrongRule
from rollwise.quizzing.rules import Rules

Judged = tuple[Met, list[WrongRule]]  # a position, and the simple rules that are wrong there
ROLLS = "rolls_left"
Kind = tuple[frozenset[str], object]


def judged(rules: Rules, met: Met) -> Judged:
    """A position with the rules that choose wrongly, the one that loses most first."""
    played = {name: met.place(move) for name, move in rules.plays(met).items()}
    found = [
        WrongRule(name, rules.help(name), met.moves[place].name, met.losses[place], rules.counted(name, met, place))
        for name, place in played.items()
        if not met.is_right(place)
    ]
    return met, sorted(found, key=lambda rule: -rule.loss)


def hardest_first(every: Sequence[Judged]) -> Iterator[Judged]:
    """The hardest first; but two of one kind follow each other only where no other kind is left.

    Of one kind are those with the same sorts of moves, and as many throws left. What a player does not see plays no
    part in it, so that the order gives no answer away.
    """
    by_kind: dict[Kind, list[Judged]] = {}
    for each in sorted(every, key=lambda each: _ease(*each), reverse=True):
        by_kind.setdefault(_kind(each[0]), []).append(each)
    last: Kind | None = None
    while by_kind:
        others = [kind for kind in by_kind if kind != last] or list(by_kind)
        last = min(others, key=lambda kind: _ease(*by_kind[kind][-1]))
        yield by_kind[last].pop()
        if not by_kind[last]:
            del by_kind[last]


def _ease(met: Met, wrong: Sequence[WrongRule]) -> tuple[bool, float]:
    """The harder the less: what rules get wrong comes first, by what they lose, then what is nearly a tie."""
    return (False, -wrong[0].loss) if wrong else (True, met.second_loss)


def _kind(met: Met) -> Kind:
    return frozenset(move.name.partition(" ")[0] for move in met.moves), met.fields.get(ROLLS)
