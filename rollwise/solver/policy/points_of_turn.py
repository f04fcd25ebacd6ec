"""Exact distribution of the points of one turn under a policy, with its bust, and mean gain and loss of one more throw.

A forward pass goes through the states of the turn. At a decision the policy gives the one move that is played, so only
states that the policy reaches are visited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import Bounded, Chance, Decision, End, FirstLegal, Goto, Node, NodeKey, moves_by_name
from rollwise.solver.model.turn_points import Hand, PointGame, PointSpread
from rollwise.solver.turn.algebra import Legality
from rollwise.solver.turn.graph import states_successors_first
from rollwise.solver.turn.query import OneTurn
from rollwise.solver.turn.questions import question_node

Choose = Callable[[NodeKey, Decision], Node]  # a policy: the node of the move played in a state, of these moves
RuleFunction = Callable[[Mapping[str, Any], Sequence[str]], str]  # from fields of a state and its moves to one of these
CUT = "cut"  # marks an end at which the forward pass stops, with the state there
FACES = 6


@dataclass(frozen=True)
class OneMore:
    """Mean gain and loss of one more throw of ``dice`` dice with ``in_hand`` points in hand.

    They compare stopping after it with stopping now. Where points are places in a ranking, these are the chances to
    come out higher and lower.
    """

    dice: int
    in_hand: int
    gain: Fraction
    loss: Fraction


# --- policies ------------------------------------------------------------------------------------------------------


def only_move(state: NodeKey, node: Decision) -> Node:
    """The policy of a game without choices: the only move; raises ModelError where there are several."""
    if len(node.moves) > 1:
        raise ModelError(f"there is a choice in the turn state {state}")
    return node.moves[0][1]


def optimal_choice(turn: OneTurn) -> Choose:
    """The optimal policy on the board of ``turn``: the first of the moves that may be best by their intervals."""
    return lambda state, node: turn.best(node)


def rule_choice(
    game: PointGame, board: Mapping[str, Any], rule: RuleFunction, fields: Callable[[NodeKey], Mapping[str, Any] | None]
) -> Choose:
    """The policy of a rule of thumb on one board: it chooses among the legal moves, where these are several.

    ``fields(state)``: the fields of a state that the rule gets; None for a state without a question, where the turn is
    cut. Raises BadInput, as ``rule`` does, or KeyError, where the rule plays none of these moves.
    """
    legal = Legality(game, board).value_of

    def choose(state: NodeKey, node: Decision) -> Node:
        moves = {name: after for name, after in moves_by_name(node, game.turn).items() if legal(after)}
        if not moves:
            raise StateError("no move is left here, the turn is over")
        if len(moves) == 1:
            return next(iter(moves.values()))
        visible = fields(state)
        return End((CUT, *state)) if visible is None else moves[rule(visible, list(moves))]

    return choose


# --- all points of a turn ------------------------------------------------------------------------------------------


def points_distribution(game: PointGame, board: Mapping[str, Any], state: NodeKey, choose: Choose) -> PointSpread:
    """Distribution of the points of a turn on this board, from a state of it on, under the policy ``choose``."""
    chances: dict[int, Fraction] = {}
    bust = beyond = open_ = Fraction(0)
    cut_points: list[int] = []
    for result, chance in result_chances(_fixed_turn(game, board, state, choose), state).items():
        if isinstance(result, tuple) and result[:1] == (CUT,):
            cut_points.append(_in_hand(game, board, Goto(*result[1:]), min) or 0)
            beyond, open_ = beyond + chance, open_ + chance
            continue
        points = game.result_points(board, result)
        bust += chance * points.bust
        if points.or_more:
            cut_points.append(points.points)
            beyond += chance
            open_ += chance * points.unsure
        else:
            chances[points.points] = chances.get(points.points, Fraction(0)) + chance
    cut = (min(cut_points), beyond) if cut_points else None
    past = game.unsolved_node(*state) is not None  # the points of such a turn go on past the cut
    mean = None if cut and past else _mean(game, chances, cut, open_)
    return PointSpread(dict(sorted(chances.items())), bust if game.busts else None, mean, cut, open_)


def _mean(
    game: PointGame, chances: Mapping[int, Fraction], cut: tuple[int, Fraction] | None, open_: Fraction
) -> tuple[Fraction, Fraction] | None:
    """Bounds of the mean of the points; None where a mean has no meaning or no bound."""
    sum_before_cut = sum((points * chance for points, chance in chances.items()), Fraction(0))
    if cut is None or game.ranked:
        return None if game.ranked else (sum_before_cut, sum_before_cut)
    if game.most_more is None:
        return None
    cut_points, beyond = cut
    worst = min([0, *chances])  # the worst value of the open mass
    return sum_before_cut + (beyond - open_) * cut_points + open_ * worst, sum_before_cut + beyond * (
        cut_points + game.most_more
    )


def _fixed_turn(game: PointGame, board: Mapping[str, Any], first: NodeKey, choose: Choose) -> Callable[..., Node]:
    """The nodes of the turn under a policy, without choices; a cut is an end."""
    legal = Legality(game, board).value_of

    def follow(state: NodeKey, node: Node) -> Node:
        if isinstance(node, Decision):
            return follow(state, choose(state, _without_bounds(node)))
        if isinstance(node, FirstLegal):
            return follow(state, next(after for after in node.nodes if legal(after)))
        if isinstance(node, Chance):
            return Chance((weight, follow(state, after)) for weight, after in node.outcomes)
        return End((CUT, *state)) if isinstance(node, Bounded) else node

    def node_of(*state: Any) -> Node:
        return follow(state, question_node(game, state) if state == first else game.turn(*state))

    return node_of


def _without_bounds(node: Decision) -> Decision:
    """The decision without moves that have only bounds."""
    return Decision(move for move in node.moves if not isinstance(move[1], Bounded))


def result_chances(node_of: Callable[..., Node], first: NodeKey) -> dict[Any, Fraction]:
    """Exact chance of each result of a turn without choices, from a state on."""
    chances, by_result = {first: Fraction(1)}, dict[Any, Fraction]()

    def come_to(node: Node, chance: Fraction) -> None:
        if isinstance(node, Chance):
            one = chance / sum(weight for weight, _ in node.outcomes)
            for weight, after in node.outcomes:
                come_to(after, one * weight)
        elif isinstance(node, Goto):
            chances[node.state] = chances.get(node.state, 0) + chance
        else:
            assert isinstance(node, End)
            by_result[node.result] = by_result.get(node.result, 0) + chance

    for state, node in reversed(list(states_successors_first(node_of, [first]))):
        come_to(node, chances[state])
    return by_result


# --- one throw -----------------------------------------------------------------------------------------------------


def chance_to_bust(game: PointGame, board: Mapping[str, Any], hand: Hand) -> Fraction:
    """The chance that a throw of this hand is a bust."""
    ((_, thrown),) = throws_of(game, game.turn(*hand.state))
    ways = (
        n for n, after in thrown.outcomes if isinstance(after, End) and game.result_points(board, after.result).bust
    )
    return Fraction(sum(ways), sum(n for n, _ in thrown.outcomes))


def throws_of(game: PointGame, node: Node) -> list[tuple[tuple[str | None, Node], Chance]]:
    """(move, throw) pairs of the moves of a decision, or of a state by itself, that throw dice at once."""

    def thrown(after: Node) -> Chance | None:
        if isinstance(after, Chance):
            return after
        if isinstance(after, Goto):
            return thrown(game.turn(*after.state))
        return thrown(after.moves[0][1]) if isinstance(after, Decision) and len(after.moves) == 1 else None

    moves = node.moves if isinstance(node, Decision) else ((None, node),)
    return [(move, throw) for move in moves if (throw := thrown(move[1])) is not None]


def dice_of(thrown: Chance) -> int:
    """Number of dice of a throw, from the sum of its weights, which is 6 to that power."""
    ways, dice = sum(weight for weight, _ in thrown.outcomes), 0
    while ways > 1:
        ways, dice = ways // FACES, dice + 1
    return dice


def throw_ahead(
    game: PointGame, board: Mapping[str, Any], state: NodeKey, choose: Choose
) -> Iterator[tuple[NodeKey, tuple[str | None, Node], Chance]]:
    """The throws that may come next: those of this state, or of the one that the policy reaches without a throw.

    Each as (that state, the move, the throw); no item where there are no points in hand before it.
    """
    node = question_node(game, state)
    while game.points_in_hand(board, state) is None:
        if isinstance(node, Decision):
            node = choose(state, _without_bounds(node))
        elif isinstance(node, Goto):
            state = node.state
            node = game.turn(*state)
        else:
            return
    yield from ((state, move, thrown) for move, thrown in throws_of(game, node))


def one_more(
    game: PointGame, board: Mapping[str, Any], state: NodeKey, choose: Choose, dice: int | None = None
) -> OneMore | None:
    """One more throw of ``dice`` dice, or of as many as the policy throws.

    A throw counts as the most points that it can give. None where there is no throw of so many dice.
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
    in_hand = game.points_in_hand(board, here)
    assert in_hand is not None
    best = min if game.low_is_good else max
    total = sum(weight for weight, _ in thrown.outcomes)
    gain = loss = 0
    for weight, after in thrown.outcomes:
        reached = _in_hand(game, board, after, best)
        if reached is None:
            raise ModelError(f"a throw from {here} leads to {after!r}, where there are no points")
        better = in_hand - reached if game.low_is_good else reached - in_hand
        if game.ranked:
            better = (better > 0) - (better < 0)
        gain += weight * max(0, better)
        loss += weight * max(0, -better)
    return OneMore(dice_of(thrown), in_hand, Fraction(gain, total), Fraction(loss, total))


def _in_hand(game: PointGame, board: Mapping[str, Any], node: Node, pick: Callable[[list[int]], int]) -> int | None:
    """Points in hand after this node, before another throw; ``pick`` chooses at decisions."""
    if isinstance(node, End):
        return game.result_points(board, node.result).points
    if isinstance(node, Goto):
        in_hand = game.points_in_hand(board, node.state)
        return _in_hand(game, board, game.turn(*node.state), pick) if in_hand is None else in_hand
    if isinstance(node, Decision):
        values = [_in_hand(game, board, after, pick) for _, after in node.moves]
        bounded = [points for points in values if points is not None]
        return pick(bounded) if bounded else None
    return None
