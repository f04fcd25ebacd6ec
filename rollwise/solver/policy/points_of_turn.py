"""What one turn comes to under a policy: the chances of its points, of a bust, and what one more throw gains and loses.

A turn is followed forwards through its own states. Where somebody chooses, the policy is asked for the one move that is
played, so only what that policy comes to is looked at. All numbers are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import Bounded, Chance, Decision, End, FirstLegal, Goto, Node, NodeKey, named_moves
from rollwise.solver.model.turn_points import Hand, PointGame, PointSpread
from rollwise.solver.turn.algebra import Legality
from rollwise.solver.turn.graph import states_in_order
from rollwise.solver.turn.query import OneTurn, word_asked

Choose = Callable[[NodeKey, Decision], Node]  # what is played in a state, of these moves
Rule = Callable[[Mapping[str, Any], Sequence[str]], str]  # the fields of a state and its moves: the one it plays
CUT = "cut"  # marks an end past which the turn is not followed, with the state that it stands in
FACES = 6


@dataclass(frozen=True)
class OneMore:
    """One more throw of so many ``dice`` with ``made`` points in hand: what it gains and what it loses on average.

    That is against stopping now, for who stops after it. Where points are places in a ranking, these are the chances to
    come out higher and lower.
    """

    dice: int
    made: int
    gain: Fraction
    loss: Fraction


# --- who plays -----------------------------------------------------------------------------------------------------


def nobody(state: NodeKey, word: Decision) -> Node:
    """The policy of a game in which nobody chooses."""
    if len(word.moves) > 1:
        raise ModelError(f"somebody chooses in the turn state {state}")
    return word.moves[0][1]


def best_play(turn: OneTurn) -> Choose:
    """The solution's policy on the board of ``turn``: the first of the moves that cannot be told from the best."""
    return lambda state, word: turn.best(word)


def by_rule(
    game: PointGame, board: Mapping[str, Any], rule: Rule, fields: Callable[[NodeKey], Mapping[str, Any] | None]
) -> Choose:
    """A rule of thumb on one board: it is asked with the moves that are legal there, where these are several.

    ``fields(state)``: what the rule sees of a state; None where no question can stand, so the turn is cut there.
    Raises BadInput, as ``rule`` does, or KeyError, where the rule plays what is none of these moves.
    """
    legal = Legality(game, board).worth

    def choose(state: NodeKey, word: Decision) -> Node:
        moves = {name: after for name, after in named_moves(word, game.turn).items() if legal(after)}
        if not moves:
            raise StateError("no move is left here, the turn is over")
        if len(moves) == 1:
            return next(iter(moves.values()))
        seen = fields(state)
        return End((CUT, *state)) if seen is None else moves[rule(seen, list(moves))]

    return choose


# --- all points of a turn ------------------------------------------------------------------------------------------


def spread(game: PointGame, board: Mapping[str, Any], state: NodeKey, choose: Choose) -> PointSpread:
    """The points of a turn on this board from a state of it on, if it is played as ``choose`` says."""
    chances: dict[int, Fraction] = {}
    bust = beyond = open_ = Fraction(0)
    least: list[int] = []
    for result, chance in endings(_followed(game, board, state, choose), state).items():
        if isinstance(result, tuple) and result[:1] == (CUT,):
            least.append(_in_hand(game, board, Goto(*result[1:]), min) or 0)
            beyond, open_ = beyond + chance, open_ + chance
            continue
        made = game.ended(board, result)
        bust += chance * made.bust
        if made.or_more:
            least.append(made.points)
            beyond += chance
            open_ += chance * made.unsure
        else:
            chances[made.points] = chances.get(made.points, Fraction(0)) + chance
    cut = (min(least), beyond) if least else None
    past = game.asked(*state) is not None  # such a turn has more points than it is followed to
    mean = None if cut and past else _mean(game, chances, cut, open_)
    return PointSpread(dict(sorted(chances.items())), bust if game.busts else None, mean, cut, open_)


def _mean(
    game: PointGame, chances: Mapping[int, Fraction], cut: tuple[int, Fraction] | None, open_: Fraction
) -> tuple[Fraction, Fraction] | None:
    """The least and the most that the points can be on average; None where no average means anything or is known."""
    known = sum((points * chance for points, chance in chances.items()), Fraction(0))
    if cut is None or game.ranked:
        return None if game.ranked else (known, known)
    if game.most_more is None:
        return None
    least, beyond = cut
    lost = min([0, *chances])  # the worst that can come of what is open
    return known + (beyond - open_) * least + open_ * lost, known + beyond * (least + game.most_more)


def _followed(game: PointGame, board: Mapping[str, Any], first: NodeKey, choose: Choose) -> Callable[..., Node]:
    """The words of a turn without choices: the moves that are played; what lies past a cut is an end."""
    legal = Legality(game, board).worth

    def follow(state: NodeKey, word: Node) -> Node:
        if isinstance(word, Decision):
            return follow(state, choose(state, _known(word)))
        if isinstance(word, FirstLegal):
            return follow(state, next(after for after in word.words if legal(after)))
        if isinstance(word, Chance):
            return Chance((weight, follow(state, after)) for weight, after in word.outcomes)
        return End((CUT, *state)) if isinstance(word, Bounded) else word

    def word_of(*state: Any) -> Node:
        return follow(state, word_asked(game, state) if state == first else game.turn(*state))

    return word_of


def _known(word: Decision) -> Decision:
    """The moves of which more is known than bounds."""
    return Decision(move for move in word.moves if not isinstance(move[1], Bounded))


def endings(word_of: Callable[..., Node], first: NodeKey) -> dict[Any, Fraction]:
    """The chance of each result of a turn without choices, from a state on: exact."""
    chances, found = {first: Fraction(1)}, dict[Any, Fraction]()

    def come_to(word: Node, chance: Fraction) -> None:
        if isinstance(word, Chance):
            one = chance / sum(weight for weight, _ in word.outcomes)
            for weight, after in word.outcomes:
                come_to(after, one * weight)
        elif isinstance(word, Goto):
            chances[word.state] = chances.get(word.state, 0) + chance
        else:
            assert isinstance(word, End)
            found[word.result] = found.get(word.result, 0) + chance

    for state, word in reversed(list(states_in_order(word_of, [first]))):
        come_to(word, chances[state])
    return found


# --- one throw -----------------------------------------------------------------------------------------------------


def chance_to_bust(game: PointGame, board: Mapping[str, Any], hand: Hand) -> Fraction:
    """The chance that a throw of this hand is a bust."""
    ((_, thrown),) = throws_of(game, game.turn(*hand.state))
    lost = (n for n, after in thrown.outcomes if isinstance(after, End) and game.ended(board, after.result).bust)
    return Fraction(sum(lost), sum(n for n, _ in thrown.outcomes))


def throws_of(game: PointGame, word: Node) -> list[tuple[tuple[str | None, Node], Chance]]:
    """The moves of a decision, or what a state does by itself, that throw dice at once; and the throw."""

    def thrown(after: Node) -> Chance | None:
        if isinstance(after, Chance):
            return after
        if isinstance(after, Goto):
            return thrown(game.turn(*after.state))
        return thrown(after.moves[0][1]) if isinstance(after, Decision) and len(after.moves) == 1 else None

    moves = word.moves if isinstance(word, Decision) else ((None, word),)
    return [(move, found) for move in moves if (found := thrown(move[1])) is not None]


def dice_of(thrown: Chance) -> int:
    """How many dice a throw has: so many can fall in as many ways as its weights add up to."""
    ways, dice = sum(weight for weight, _ in thrown.outcomes), 0
    while ways > 1:
        ways, dice = ways // FACES, dice + 1
    return dice


def throw_ahead(
    game: PointGame, board: Mapping[str, Any], state: NodeKey, choose: Choose
) -> Iterator[tuple[NodeKey, tuple[str | None, Node], Chance]]:
    """The throws that may come next: those of this state, or of the one that the policy comes to without a throw.

    Each as (that state, the move, the throw). None where there are no points in hand before it.
    """
    word = word_asked(game, state)
    while game.made(board, state) is None:
        if isinstance(word, Decision):
            word = choose(state, _known(word))
        elif isinstance(word, Goto):
            state = word.state
            word = game.turn(*state)
        else:
            return
    yield from ((state, move, thrown) for move, thrown in throws_of(game, word))


def one_more(
    game: PointGame, board: Mapping[str, Any], state: NodeKey, choose: Choose, dice: int | None = None
) -> OneMore | None:
    """One more throw; of several numbers of dice that may be thrown, so many, or as the policy would play.

    A throw counts for the most that it can make. None where there is none, or not of so many dice.
    """
    ahead = [
        (here, move, thrown)
        for here, move, thrown in throw_ahead(game, board, state, choose)
        if dice in (None, dice_of(thrown))
    ]
    if not ahead:
        return None
    here, _, thrown = ahead[0]
    if len(ahead) > 1:
        played = choose(here, Decision(move for _, move, _ in ahead))
        thrown = next((thrown for _, (_, after), thrown in ahead if after is played), thrown)
    made = game.made(board, here)
    assert made is not None
    best = min if game.low_is_good else max
    total = sum(weight for weight, _ in thrown.outcomes)
    gain = loss = 0
    for weight, after in thrown.outcomes:
        reached = _in_hand(game, board, after, best)
        if reached is None:
            raise ModelError(f"a throw from {here} leads to {after!r}, where no points can be told")
        better = made - reached if game.low_is_good else reached - made
        if game.ranked:
            better = (better > 0) - (better < 0)
        gain += weight * max(0, better)
        loss += weight * max(0, -better)
    return OneMore(dice_of(thrown), made, Fraction(gain, total), Fraction(loss, total))


def _in_hand(game: PointGame, board: Mapping[str, Any], word: Node, pick: Callable[[list[int]], int]) -> int | None:
    """The points there are after this word, before another throw: of what can be chosen as ``pick`` says."""
    if isinstance(word, End):
        return game.ended(board, word.result).points
    if isinstance(word, Goto):
        made = game.made(board, word.state)
        return _in_hand(game, board, game.turn(*word.state), pick) if made is None else made
    if isinstance(word, Decision):
        found = [_in_hand(game, board, after, pick) for _, after in word.moves]
        known = [points for points in found if points is not None]
        return pick(known) if known else None
    return None
