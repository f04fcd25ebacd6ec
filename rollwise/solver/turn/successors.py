"""Successors of a move: the dice that fall, and the board and state of the next question.

The walk is over the game's own nodes, for a compiled turn has no faces: it merges throws of equal effect. Turns without
questions (a robot's, a roll-off) are played on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any, TypeAlias

from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import (
    Bounded,
    Chance,
    Columns,
    Decision,
    End,
    FirstLegal,
    Goto,
    Node,
    NodeKey,
    TurnGame,
)
from rollwise.solver.model.outcome import Effect, Numbers, one_board, only, outcome
from rollwise.solver.model.throws import Faces
from rollwise.solver.turn.algebra import Legality

Thrown: TypeAlias = tuple[Faces, ...]  # the dice of one throw after the other, faces ascending
MAX_OUTCOMES = 200_000  # of a move
MAX_CACHED_QUESTIONS = 100_000  # states in the memo of ``is_question``


@dataclass(frozen=True)
class ThrowOutcome:
    """One outcome of a move.

    ``chance`` of it (None where hidden dice leave it open), and the dice ``thrown``, in ``ways`` ways, without dice
    that others throw before the next question. ``board`` and ``node`` are the position then: a
    ``Goto`` to the state of the next question, or a choice past a proven cut, with bounds only; ``board`` is None where
    the game is over. ``passed``: number of seats to the left by which the turn has passed; ``earned``: the reward of
    the move's player, the whole value of a game that is over; ``shares`` by seat from that one to the left, of a game
    that is over and shared. ``result``: that of the mover's own turn, None where it goes on. ``reply``: the reply of
    another player without sight of the dice.
    """

    chance: Fraction | None
    thrown: Thrown
    ways: int
    board: Numbers | None
    node: Node | None
    passed: int
    earned: Fraction
    shares: tuple[Fraction, ...] | None
    result: Any
    reply: str | None = None


@dataclass(frozen=True)
class _Place:
    """The state of a walk: all parts of a ``ThrowOutcome`` but its chance."""

    board: Numbers
    thrown: Thrown = ()
    open: bool = False  # True: another die may join the last throw
    is_own: bool = True  # True: in the mover's own turn, whose dice count
    passed: int = 0
    earned: Fraction = Fraction(0)
    result: Any = None


Stop: TypeAlias = (
    ThrowOutcome | tuple[_Place, Fraction, int, Goto]
)  # or a place, its chance and ways, and the state to go on in


class Successors:
    """Walker of the nodes of one game, from a move to all of its outcomes."""

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.names = game.boards().names
        self.roots = [tuple(root) for root in game.roots()]
        self._is_question: dict[tuple[Numbers, NodeKey], bool] = {}

    def outcomes(self, board: Mapping[str, Any], node: Node) -> list[ThrowOutcome]:
        """All outcomes from a node of a turn on this board; the sum of chances is 1."""
        results: list[ThrowOutcome] = []
        frontier = {(_Place(tuple(board[name] for name in self.names)), None): (Fraction(1), 1, node)}
        while frontier:
            next_frontier: dict[Any, tuple[Fraction, int, Node]] = {}
            for (place, _), (chance, ways, current) in frontier.items():
                if isinstance(current, Goto) and self.is_question(place.board, current.state):
                    results.append(self._stopped(place, current, chance, ways))
                    continue
                node = self.game.turn(*current.state) if isinstance(current, Goto) else current
                for stop in self._inside(place, node, chance, ways):
                    if isinstance(stop, ThrowOutcome):
                        results.append(stop)
                        continue
                    next_place, more, more_ways, goto = stop
                    key = (next_place, goto.state)
                    before = next_frontier.get(key, (Fraction(0), 0, goto))
                    next_frontier[key] = before[0] + more, before[1] + more_ways, goto
            frontier = next_frontier
            if len(frontier) + len(results) > MAX_OUTCOMES:
                raise ModelError(f"a move of {self.game} goes on in more than {MAX_OUTCOMES} ways")
        return results

    def _inside(self, place: _Place, node: Node, chance: Fraction, ways: int) -> Iterator[Stop]:
        """Follow a node without a question to its outcomes, or to the next states of the turn."""
        if isinstance(node, Goto):
            yield place, chance, ways, node
        elif isinstance(node, Chance):
            total_weight = sum(weight for weight, _ in node.outcomes)
            for number, (weight, after) in enumerate(node.outcomes):
                for thrown, ways_thrown in self._thrown(place, node, number, weight):
                    part = chance * Fraction(ways_thrown, total_weight)
                    yield from self._inside(thrown, after, part, ways * ways_thrown if thrown.is_own else ways)
        elif isinstance(node, End):
            yield from self._ended(place, node, chance, ways)
        elif isinstance(node, FirstLegal):
            legal = next(filter(Legality(self.game, self.by_name(place.board)).value_of, node.nodes), None)
            if legal is None:
                raise ModelError(f"{self.game} prefers what is not legal")
            yield from self._inside(place, legal, chance, ways)
        elif isinstance(node, Decision) and len(node.moves) == 1:
            yield from self._inside(place, node.moves[0][1], chance, ways)
        else:
            assert isinstance(node, Decision | Bounded)
            yield self._stopped(place, node, chance, ways)

    def _thrown(self, place: _Place, node: Chance, number: int, weight: int) -> list[tuple[_Place, int]]:
        """The dice of one outcome, with their ways."""
        if node.throws is None or not place.is_own:
            return [(replace(place, open=False), weight)]
        joins = node.throws.joins
        places = []
        for faces, ways in node.throws.dice_by_outcome[number]:
            before, last = (place.thrown[:-1], place.thrown[-1]) if joins and place.open else (place.thrown, ())
            places.append((replace(place, thrown=(*before, tuple(sorted((*last, *faces)))), open=joins), ways))
        if sum(ways for _, ways in places) != weight:
            raise ModelError(f"{self.game} gives a throw another weight than it has ways")
        return places

    def _ended(self, place: _Place, end: End, chance: Fraction, ways: int) -> Iterator[Stop]:
        """The outcome of an end of the game, or the root of the next turn."""
        effect = self.effect(place.board, end.result)
        if not effect.legal:
            raise ModelError(f"{self.game} ends a turn with {end.result}, which is not legal there")
        result = end.result if place.is_own else place.result
        is_opponent = is_duel(self.game) and place.passed % 2
        value = effect.value + Fraction(end.reward)
        if effect.following is None:
            earned = place.earned + (self.game.total - value if is_opponent else value)
            shares = effect.shares and _from_first(effect.shares, place.passed)
            yield ThrowOutcome(chance, place.thrown, ways, None, None, place.passed, earned, shares, result)
            return
        earned = place.earned + (-value if is_opponent else value)
        following = _Place(effect.following, place.thrown, False, False, place.passed + effect.passed, earned, result)
        yield following, chance, ways, Goto(*self.root(effect.following))

    def _stopped(self, place: _Place, node: Node, chance: Fraction, ways: int) -> ThrowOutcome:
        return ThrowOutcome(
            chance, place.thrown, ways, place.board, node, place.passed, place.earned, None, place.result
        )

    # --- the game ----------------------------------------------------------------------------------------------------

    def is_question(self, board: Numbers, state: NodeKey) -> bool:
        """True where a question can be about this state.

        Not while dice of one throw still fall. ``describe`` may leave out states with questions: those past the solved
        turn, and any with a choice of more than the end of the turn.
        """
        has_question = self._is_question.get((board, state))
        if has_question is None:
            if len(self._is_question) >= MAX_CACHED_QUESTIONS:
                self._is_question.clear()  # another thread may do so at any time
            node = self.game.turn(*state)
            if isinstance(node, Chance) and node.throws is not None and node.throws.joins:
                has_question = False
            elif next(iter(self.game.describe(self.by_name(board), state)), None) is not None:
                has_question = True
            else:
                is_forced = isinstance(node, Decision) and len(node.moves) == 1 and isinstance(node.moves[0][1], End)
                is_past_turn = self.game.unsolved_node(*state) is not None and not isinstance(node, End)
                has_question = is_past_turn or (isinstance(node, Decision) and not is_forced)
            self._is_question[board, state] = has_question
        return has_question

    def effect(self, board: Numbers, result: Any) -> Effect:
        """The effect of a result on a board."""
        return outcome(self.game, board, result)

    def root(self, board: Numbers) -> NodeKey:
        """The state in which the turn of a board starts."""
        columns: Columns = one_board(self.by_name(board))
        return self.roots[int(only(self.game.root(columns)))]

    def by_name(self, board: Numbers) -> dict[str, Any]:
        """A board's fields by name."""
        return dict(zip(self.names, board, strict=True))


def _from_first(shares: tuple[Fraction, ...], passed: int) -> tuple[Fraction, ...]:
    """Shares from a later mover to the left as shares from the first one on."""
    back = -passed % len(shares)
    return (*shares[back:], *shares[:back])


class Sampler(Successors):
    """Walker of a game's nodes like ``Successors``, which samples one outcome of every throw by its chance."""

    def __init__(self, successors: Successors, random: Random) -> None:
        vars(self).update(vars(successors))  # all share the caches, ``random`` is private
        self._random = random

    def sample(self, board: Mapping[str, Any], node: Node) -> ThrowOutcome:
        """One of ``outcomes`` by its chance; its own ``chance`` and ``ways`` have no meaning."""
        return self.outcomes(board, node)[0]

    def _inside(self, place: Any, node: Node, chance: Fraction, ways: int) -> Iterator[Stop]:
        if not isinstance(node, Chance):
            yield from super()._inside(place, node, chance, ways)
            return
        weights = [weight for weight, _ in node.outcomes]
        number = self._random.choices(range(len(weights)), weights)[0]
        thrown = self._thrown(place, node, number, weights[number])
        after = self._random.choices([place for place, _ in thrown], [ways_of_place for _, ways_of_place in thrown])[0]
        yield from self._inside(after, node.outcomes[number][1], chance, ways)
