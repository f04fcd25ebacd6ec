"""Positions of a solved game with their values, each computed once, for matches and reviews.

A spot has the value of a question and of its moves for every seat, the dice that may fall after a move, the outcomes,
the next seat to move, and with hidden dice the question of the player who replies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from rollwise.questions.outcomes.compute import NO_VALUE, resolve_move
from rollwise.questions.question import all_fields, full_state
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions, Solution, no_progress
from rollwise.solver.kinds.outcomes import Outcome, outcome_maker
from rollwise.solver.model.cancellation import raise_if_cancelled
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.limits import evict_oldest
from rollwise.solver.model.solution import PositionValue
from rollwise.solver.model.throws import Faces
from rollwise.solver.turn.ranked_moves import RankedMoves
from rollwise.solver.turn.successors import Thrown, ThrowOutcome
from rollwise.text.spelling import shown_state

MAX_CACHED_OUTCOMES = 100_000  # moves and outcomes of the cached spots: about 200 MB
MAX_CACHED_GAMES = 4  # solved games with cached spots
ROLL = "roll"


@dataclass(frozen=True)
class Shares:
    """Values by seat, each within ``off`` of the true value.

    In order of seats where questions list seats; else the seat to move comes first, then the other.
    """

    seats: tuple[float, ...]
    off: float = 0.0


@dataclass(frozen=True)
class ValuedMove:
    """A move with its values by seat, its value for the player to move, and its loss against the best move."""

    name: str
    shares: Shares
    worth: PositionValue
    loss: float


class Branches:
    """Outcomes of a ``move`` by the dice that fall; each is evaluated when it is first used."""

    def __init__(
        self, move: str, falls: Sequence[ThrowOutcome], outcome: Callable[[ThrowOutcome], Outcome], shows_roll: bool
    ) -> None:
        self.move, self._throw_outcomes, self._evaluate, self._shows_roll = move, falls, outcome, shows_roll
        self._by_place: dict[int, Outcome] = {}
        self._by_dice: dict[Thrown, list[int]] = {}
        for place, fall in enumerate(falls):
            if fall.thrown:
                self._by_dice.setdefault(fall.thrown, []).append(place)

    def _at(self, place: int) -> Outcome:
        if place not in self._by_place:
            self._by_place[place] = self._evaluate(self._throw_outcomes[place])
        return self._by_place[place]

    @cached_property
    def every(self) -> list[Outcome]:
        """All outcomes."""
        return [self._at(place) for place in range(len(self._throw_outcomes))]

    def drawn(self, random: Random) -> Outcome:
        """Draw an outcome by its chance; of a call with chance 0 all outcomes are equally likely."""
        weights = [float(fall.chance or 0) for fall in self._throw_outcomes]
        return self._at(random.choices(range(len(weights)), weights if any(weights) else None)[0])

    @cached_property
    def distinct(self) -> list[Outcome]:
        """One outcome of each kind."""
        return distinct_outcomes(self.every)

    @property
    def throws(self) -> Collection[Thrown]:
        """All sequences of throws that can fall."""
        return self._by_dice.keys()

    @cached_property
    def sizes(self) -> set[int]:
        """Numbers of dice of the first throw."""
        return {len(dice[0]) for dice in self.throws}

    def fitting(self, thrown: Thrown) -> list[Outcome]:
        """Outcomes of this sequence of throws; a first throw may include the dice already on the table."""
        places = self._by_dice.get(thrown)
        return [self._at(place) for place in places] if places else self._by_roll.get(thrown, [])

    @cached_property
    def _by_roll(self) -> dict[Thrown, list[Outcome]]:
        by_roll: dict[Thrown, list[Outcome]] = {}
        for outcome in self.every if self._shows_roll else ():
            roll = (outcome.fields or {}).get("roll")
            if roll and outcome.throws:
                by_roll.setdefault((tuple(roll),), []).append(outcome)
        return by_roll

    @property
    def is_certain(self) -> bool:
        """True if there is one outcome, without dice."""
        return len(self._throw_outcomes) == 1 and not self.throws

    def can_continue(self, thrown: Thrown) -> bool:
        """True if further dice may fall after these before the next decision."""
        return any(len(dice) > len(thrown) and dice[: len(thrown)] == thrown for dice in self.throws)

    def next_throws(self, thrown: Thrown) -> dict[Faces, Fraction]:
        """Next throws after these, with their chances; empty if all dice have fallen."""
        n, throws = len(thrown), dict[Faces, Fraction]()
        for fall in self._throw_outcomes:
            if fall.thrown[:n] == thrown and fall.thrown[n:]:
                throws[fall.thrown[n]] = throws.get(fall.thrown[n], Fraction(0)) + (fall.chance or 0)
        if throws and any(fall.thrown == thrown for fall in self._throw_outcomes):
            raise ModelError(f"after {thrown} dice may fall or not, and nothing is seen that tells which")
        return throws


def distinct_outcomes(every: Iterable[Outcome]) -> list[Outcome]:
    """One outcome of each kind: of the same question or ending, and the same gain."""
    sorts: dict[Any, Outcome] = {}
    for outcome in every:
        fields = None if outcome.fields is None else shown_state(outcome.fields)
        bounds = (outcome.worth.lower, outcome.worth.upper, outcome.worth.shares) if fields is None else None
        sorts.setdefault((fields, outcome.mover, outcome.ended, outcome.gained, bounds), outcome)
    return list(sorts.values())


class Spot:
    """One question: all its fields, its moves in the game's own order, and its values by seat."""

    def __init__(self, spots: SpotCache, fields: Mapping[str, Any], position: Position) -> None:
        self.fields, self.position = fields, position
        self.spots = spots
        self._branches: dict[str | None, Branches] = {}

    def is_described_by(self, fields: Mapping[str, Any]) -> bool:
        """True if these parsed fields fit the question; fields that they omit may have any value."""
        return all(value == self.fields.get(name) for name, value in fields.items())

    @cached_property
    def shown(self) -> dict[str, Any]:
        """The fields as answers show them: seats that are out are ``-``."""
        return full_state(self.spots.game, self.fields, self.position)

    @cached_property
    def moves(self) -> dict[str, ValuedMove]:
        """The moves by name; the only move of a luck game has the mean value of its outcomes."""
        if not self.spots.chooses:
            return {ROLL: ValuedMove(ROLL, self.spots.mean(self.branches(ROLL).every), NO_VALUE, 0.0)}
        moves = self._answer.moves
        bounds = np.array([[(move.value, move.lower, move.upper) for move in moves]])
        losses = RankedMoves(bounds, self.spots.game.sense).loss[0].tolist()
        values = [PositionValue(move.value, move.lower, move.upper, move.shares) for move in moves]
        self.spots.weight += len(moves)
        return {
            move.move: ValuedMove(move.move, self.spots.shares(value), value, loss)
            for move, value, loss in zip(moves, values, losses, strict=True)
        }

    @cached_property
    def best(self) -> list[str]:
        """The moves without a proved loss."""
        return [move.name for move in self.moves.values() if not move.loss]

    @property
    def is_decided(self) -> bool:
        """True if every one of several moves wins for certain, or every one loses."""
        ends = {(chosen.worth.lower, chosen.worth.upper) for chosen in self.moves.values()}
        return self.spots.game.measure == "win" and len(self.moves) > 1 and ends in ({(0, 0)}, {(1, 1)})

    @cached_property
    def shares(self) -> Shares:
        """Values by seat before the choice."""
        if not self.spots.chooses:
            return self.moves[ROLL].shares
        answer = self._answer
        if answer.shares is not None and self.spots.by_seat:
            seats, lower, upper = answer.shares
            return Shares(seats, max(np.subtract(upper, seats).max(), np.subtract(seats, lower).max()))
        better = max if self.spots.game.sense == "max" else min
        return self.moves[better(answer.moves, key=lambda move: move.value).move].shares

    @cached_property
    def _answer(self) -> Any:
        return self.spots.solution.ask(self.position, self.fields, QueryOptions(all_moves=True), no_progress)

    def branches(self, words: str | None) -> Branches:
        """Outcomes of a move, in any spelling, or of the only one; raises BadInput with the legal moves."""
        if words not in self._branches:
            spots = self.spots
            legal = list(self.moves) if spots.chooses else []
            move = resolve_move(spots.game, self.position, words, legal)
            falls = spots.solution.throw_outcomes(self.fields, self.position, move)
            spots.weight += len(falls)
            one = outcome_maker(spots.solution, self.fields, self.position, move)
            self._branches[words] = Branches(move.name, falls, one, spots.shows_roll)
        return self._branches[words]

    def reply_spot(self, move: str) -> Spot | None:
        """Question of the player who replies to this move without seeing the dice; None if there is no reply."""
        fields = self.spots.solution.reply_question(self.position, move)
        return None if fields is None else self.spots.at(fields)

    def call_outcome(self, move: str, reply: str) -> Outcome:
        """Outcome of a call with this reply, from the point of view of the caller, who sees the hidden dice."""
        return next(outcome for outcome in self.branches(move).every if outcome.reply == reply)

    def shares_after(self, outcome: Outcome) -> Shares:
        """Values of an outcome by seat; with hidden dice those of the next question, by what its player knows."""
        if not self.spots.mixes or outcome.fields is None:
            return self.spots.shares(outcome.worth)
        following = self.spots.at(outcome.fields, outcome.position).shares
        passed = (outcome.mover - self.position.mover) % 2
        return Shares(following.seats[::-1] if passed else following.seats, following.off)

    def seat_after(self, outcome: Outcome, seat: int) -> int:
        """Seat to move after an outcome of a move of this seat."""
        return (seat + outcome.mover - self.position.mover) % self.spots.n_seats


class SpotCache:
    """Cached spots of one solved game, by the fields of their questions."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.game: TurnGame = solution.game
        kind = kind_of(self.game)
        self.chooses, self.mixes, self.n_seats = kind.has_decisions, kind.is_mixed, kind.n_seats(self.game)
        self.by_seat = solution.lists_seats
        self.shows_roll = any(field.name == "roll" for field in self.game.fields())
        self._spots: dict[str, Spot] = {}
        self.weight = 0  # moves and outcomes of the cached spots

    @cached_property
    def luck_error(self) -> float:
        """Error bound of the values of a luck game: that of its start."""
        position = self.game.locate()
        odds = self.solution.ask(position, {}, QueryOptions(), no_progress).quantities.get(self.game.outcome)
        if odds is None or not isinstance(odds.lower, list | tuple):
            return 0.0
        return float(np.max(np.subtract(odds.upper, odds.lower)))

    def at(self, fields: Mapping[str, Any], position: Position | None = None) -> Spot:
        """The spot of these fields, which have been validated."""
        raise_if_cancelled()
        key = shown_state(fields)
        if self.weight > MAX_CACHED_OUTCOMES:
            self._spots, self.weight = {}, 0
        spot = self._spots.get(key)
        if spot is None:
            position = position or self.game.locate(**fields)
            spot = self._spots[key] = Spot(self, all_fields(self.game, fields, position), position)
            self.weight += 1
        return spot

    def shares(self, worth: PositionValue) -> Shares:
        """Values by seat from a value of the player to move."""
        value, lower, upper = worth.value, worth.lower, worth.upper
        if lower is None or upper is None:
            return Shares(tuple(map(float, worth.shares or ())), self.luck_error)
        value = (lower + upper) / 2 if value is None else value
        off = max(upper - value, value - lower)
        if worth.shares is not None and self.by_seat:
            return Shares(tuple(map(float, worth.shares)), off)
        return Shares((value, self.game.total - value) if is_duel(self.game) else (value,), off)

    def mean(self, every: Sequence[Outcome]) -> Shares:
        """Mean values of outcomes by seat, weighted by their chances."""
        whole = float(sum(outcome.chance or 0 for outcome in every))
        parts = [(float(outcome.chance or 0) / whole, self.shares(outcome.worth)) for outcome in every]
        seats = tuple(sum(part * shares.seats[seat] for part, shares in parts) for seat in range(self.n_seats))
        return Shares(seats, max(shares.off for _, shares in parts))


_CACHES: dict[int, SpotCache] = {}  # by the id of a solved game, which each keeps open


def spot_cache_of(solution: Solution) -> SpotCache:
    """Cached spots of a solved game; the caches of the games used last are kept."""
    spots = _CACHES.pop(id(solution), None) or SpotCache(solution)
    _CACHES[id(solution)] = spots  # now the newest
    evict_oldest(_CACHES, MAX_CACHED_GAMES)
    return spots
