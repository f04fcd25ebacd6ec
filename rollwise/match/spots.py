"""Questions of a game that is played or gone through again, each looked at once.

What a question and its moves are worth to every seat, which dice may fall after a move, what they lead to, whose turn
it is then, and what whoever replies sees of hidden dice: a match and a review both learn it here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from rollwise.answers.spelling import shown_state
from rollwise.asking.outcomes import NOTHING, the_move
from rollwise.asking.question import all_fields, understood
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import PositionValue, QueryOptions, Solution, unheard
from rollwise.solver.kinds.outcomes import Outcome, one_by_one
from rollwise.solver.model.cancellation import require_wanted
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.memory import keep_newest
from rollwise.solver.model.throws import Faces
from rollwise.solver.model.two_seats import is_duel
from rollwise.solver.turn.judged import Judged
from rollwise.solver.turn.successors import Thrown, ThrowOutcome

MOST_KEPT = 100_000  # moves and outcomes of the questions that are kept: about 200 MB
MOST_GAMES = 4  # whose questions are kept
ROLL = "roll"


@dataclass(frozen=True)
class Shares:
    """What something is worth to every seat; each number is off by no more than ``off``.

    By seat where questions list seats, else the seat that moves first, then the other one.
    """

    seats: tuple[float, ...]
    off: float = 0.0


@dataclass(frozen=True)
class Chosen:
    """A move: what it gives every seat, what it is worth to who makes it, and how much worse than the best it is."""

    name: str
    shares: Shares
    worth: PositionValue
    loss: float


class Leads:
    """What a ``move`` leads to, by the dice that fall: each outcome is worked out when it is first asked for."""

    def __init__(
        self, move: str, falls: Sequence[ThrowOutcome], outcome: Callable[[ThrowOutcome], Outcome], shows_roll: bool
    ) -> None:
        self.move, self._falls, self._outcome, self._shows_roll = move, falls, outcome, shows_roll
        self._known: dict[int, Outcome] = {}
        self._by_dice: dict[Thrown, list[int]] = {}
        for place, fall in enumerate(falls):
            if fall.thrown:
                self._by_dice.setdefault(fall.thrown, []).append(place)

    def _at(self, place: int) -> Outcome:
        if place not in self._known:
            self._known[place] = self._outcome(self._falls[place])
        return self._known[place]

    @cached_property
    def every(self) -> list[Outcome]:
        """All outcomes."""
        return [self._at(place) for place in range(len(self._falls))]

    def drawn(self, random: Random) -> Outcome:
        """One of them, as likely as it is; of a call that nobody makes any."""
        weights = [float(fall.chance or 0) for fall in self._falls]
        return self._at(random.choices(range(len(weights)), weights if any(weights) else None)[0])

    @cached_property
    def different(self) -> list[Outcome]:
        """One of each sort of outcomes."""
        return different(self.every)

    @property
    def throws(self) -> Collection[Thrown]:
        """What can fall: the dice of one throw after the other."""
        return self._by_dice.keys()

    @cached_property
    def sizes(self) -> set[int]:
        """How many dice the first throw is of."""
        return {len(dice[0]) for dice in self.throws}

    def fitting(self, thrown: Thrown) -> list[Outcome]:
        """The outcomes of these throws, one after the other; a first throw may be told with the dice beside it."""
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
        """Does it lead to one thing, without dice?"""
        return len(self._falls) == 1 and not self.throws

    def may_go_on(self, thrown: Thrown) -> bool:
        """May further dice fall after these, before anybody is asked?"""
        return any(len(dice) > len(thrown) and dice[: len(thrown)] == thrown for dice in self.throws)

    def next_throws(self, thrown: Thrown) -> dict[Faces, Fraction]:
        """What can fall after these throws, with its chance; nothing where all dice have fallen."""
        n, throws = len(thrown), dict[Faces, Fraction]()
        for fall in self._falls:
            if fall.thrown[:n] == thrown and fall.thrown[n:]:
                throws[fall.thrown[n]] = throws.get(fall.thrown[n], Fraction(0)) + (fall.chance or 0)
        if throws and any(fall.thrown == thrown for fall in self._falls):
            raise ModelError(f"after {thrown} dice may fall or not, and nothing is seen that tells which")
        return throws


def different(every: Iterable[Outcome]) -> list[Outcome]:
    """One of each sort: the same question or ending, the same gain."""
    sorts: dict[Any, Outcome] = {}
    for outcome in every:
        fields = None if outcome.fields is None else shown_state(outcome.fields)
        worth = (outcome.worth.lower, outcome.worth.upper, outcome.worth.shares) if fields is None else None
        sorts.setdefault((fields, outcome.mover, outcome.ended, outcome.gained, worth), outcome)
    return list(sorts.values())


class Spot:
    """One question: all its fields, its moves in the game's own order, what it is worth to every seat."""

    def __init__(self, spots: Spots, fields: Mapping[str, Any], position: Position) -> None:
        self.fields, self.position = fields, position
        self.spots = spots
        self._leads: dict[str | None, Leads] = {}

    def agrees(self, fields: Mapping[str, Any]) -> bool:
        """Do these parsed fields say no other question? What they leave out may be anything."""
        return all(value == self.fields.get(name) for name, value in fields.items())

    @cached_property
    def shown(self) -> dict[str, Any]:
        """The fields as answers have them: seats that are out are ``-``."""
        return understood(self.spots.game, self.fields, self.position)

    @cached_property
    def moves(self) -> dict[str, Chosen]:
        """The moves by name; what the only move of a luck game gives is the mean of what it leads to."""
        if not self.spots.chooses:
            return {ROLL: Chosen(ROLL, self.spots.mean(self.leads(ROLL).every), NOTHING, 0.0)}
        moves = self._answer.moves
        bounds = np.array([[(move.value, move.lower, move.upper) for move in moves]])
        losses = Judged(bounds, self.spots.game.sense).loss[0].tolist()
        worths = [PositionValue(move.value, move.lower, move.upper, move.shares) for move in moves]
        self.spots.weigh(len(moves))
        return {
            move.move: Chosen(move.move, self.spots.shares(worth), worth, loss)
            for move, worth, loss in zip(moves, worths, losses, strict=True)
        }

    @cached_property
    def best(self) -> list[str]:
        """The moves that cannot be told from the best."""
        return [move.name for move in self.moves.values() if not move.loss]

    @property
    def is_decided(self) -> bool:
        """Does every move, of several, win for certain, or every one lose?"""
        ends = {(chosen.worth.lower, chosen.worth.upper) for chosen in self.moves.values()}
        return self.spots.game.measure == "win" and len(self.moves) > 1 and ends in ({(0, 0)}, {(1, 1)})

    @cached_property
    def shares(self) -> Shares:
        """What the question is worth, before anything is chosen."""
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
        return self.spots.opened.ask(self.position, self.fields, QueryOptions(all_moves=True), unheard)

    def leads(self, words: str | None) -> Leads:
        """What a move leads to, in any spelling, or the only one; raises BadInput that lists the legal ones."""
        if words not in self._leads:
            spots = self.spots
            legal = list(self.moves) if spots.chooses else []
            move = the_move(spots.game, self.position, words, legal)
            falls = spots.opened.falls(self.fields, self.position, move)
            spots.weigh(len(falls))
            one = one_by_one(spots.opened, self.fields, self.position, move)
            self._leads[words] = Leads(move.name, falls, one, spots.shows_roll)
        return self._leads[words]

    def heard(self, move: str) -> Spot | None:
        """Hidden dice: the question of who hears this move and replies; None where nobody does."""
        fields = self.spots.opened.heard(self.position, move)
        return None if fields is None else self.spots.at(fields)

    def answered(self, move: str, reply: str) -> Outcome:
        """Hidden dice: what a call comes to with this reply, as the caller knows it, who sees the dice."""
        return next(outcome for outcome in self.leads(move).every if outcome.reply == reply)

    def shares_after(self, outcome: Outcome) -> Shares:
        """What an outcome is worth; where dice are hidden, to who is asked next, for that is all that anybody knows."""
        if not self.spots.mixes or outcome.fields is None:
            return self.spots.shares(outcome.worth)
        following = self.spots.at(outcome.fields, outcome.position).shares
        passed = (outcome.mover - self.position.mover) % 2
        return Shares(following.seats[::-1] if passed else following.seats, following.off)

    def seat_after(self, outcome: Outcome, seat: int) -> int:
        """Whose turn it is after an outcome of a move that this seat made."""
        return (seat + outcome.mover - self.position.mover) % self.spots.n_seats


class Spots:
    """The questions of one solved game."""

    def __init__(self, opened: Solution) -> None:
        self.opened = opened
        self.game: TurnGame = opened.game
        kind = kind_of(self.game)
        self.chooses, self.mixes, self.n_seats = kind.chooses, kind.mixes, kind.n_seats(self.game)
        self.by_seat = opened.lists_seats
        self.shows_roll = any(field.name == "roll" for field in self.game.fields())
        self._kept: dict[str, Spot] = {}
        self._weight = 0  # moves and outcomes of these

    @cached_property
    def luck_off(self) -> float:
        """How far shares of a luck game are off: as far as those of its start."""
        position = self.game.locate()
        odds = self.opened.ask(position, {}, QueryOptions(), unheard).quantities.get(self.game.outcome)
        if odds is None or not isinstance(odds.lower, list | tuple):
            return 0.0
        return float(np.max(np.subtract(odds.upper, odds.lower)))

    def at(self, fields: Mapping[str, Any], position: Position | None = None) -> Spot:
        """The question of these fields, which have been checked."""
        require_wanted()
        key = shown_state(fields)
        if self._weight > MOST_KEPT:
            self._kept, self._weight = {}, 0
        spot = self._kept.get(key)
        if spot is None:
            position = position or self.game.locate(**fields)
            spot = self._kept[key] = Spot(self, all_fields(self.game, fields, position), position)
            self.weigh(1)
        return spot

    def weigh(self, more: int) -> None:
        """So many moves or outcomes more are kept."""
        self._weight += more

    def shares(self, worth: PositionValue) -> Shares:
        """What somebody's worth is to every seat."""
        value, lower, upper = worth.value, worth.lower, worth.upper
        if lower is None or upper is None:
            return Shares(tuple(map(float, worth.shares or ())), self.luck_off)
        value = (lower + upper) / 2 if value is None else value
        off = max(upper - value, value - lower)
        if worth.shares is not None and self.by_seat:
            return Shares(tuple(map(float, worth.shares)), off)
        return Shares((value, self.game.total - value) if is_duel(self.game) else (value,), off)

    def mean(self, every: Sequence[Outcome]) -> Shares:
        """What outcomes are worth on average."""
        whole = float(sum(outcome.chance or 0 for outcome in every))
        parts = [(float(outcome.chance or 0) / whole, self.shares(outcome.worth)) for outcome in every]
        seats = tuple(sum(part * shares.seats[seat] for part, shares in parts) for seat in range(self.n_seats))
        return Shares(seats, max(shares.off for _, shares in parts))


_SPOTS: dict[int, Spots] = {}  # by solved game, which they keep open


def spots_of(opened: Solution) -> Spots:
    """The questions of a solved game, which are kept until those of some others are asked for."""
    spots = _SPOTS.pop(id(opened), None) or Spots(opened)
    _SPOTS[id(opened)] = spots  # the last of them now
    keep_newest(_SPOTS, MOST_GAMES)
    return spots
