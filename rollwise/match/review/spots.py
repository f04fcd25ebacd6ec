"""Questions of a record, each looked at once: what it and its moves are worth to every seat, and what they lead to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from rollwise.answers.spelling import shown_state
from rollwise.asking.outcomes import the_move
from rollwise.asking.question import all_fields, understood
from rollwise.solver.game.giving_up import require_wanted
from rollwise.solver.game.memory import keep_newest
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.game.two_seats import is_duel
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Opened, Stands, Wanted, unheard
from rollwise.solver.kinds.outcomes import Outcome, one_by_one
from rollwise.solver.turn.following import Fall, Thrown
from rollwise.solver.turn.judged import Judged

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
    """A move: what it gives every seat, and how much worse than the best it is for who makes it."""

    name: str
    shares: Shares
    loss: float


class Leads:
    """What a move leads to, by the dice that fall: each outcome is worked out when it is first asked for."""

    def __init__(self, falls: Sequence[Fall], outcome: Callable[[Fall], Outcome], shows_roll: bool = True) -> None:
        self._falls, self._outcome, self._shows_roll = falls, outcome, shows_roll
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
        found: dict[Thrown, list[Outcome]] = {}
        for outcome in self.every if self._shows_roll else ():
            roll = (outcome.fields or {}).get("roll")
            if roll and outcome.throws:
                found.setdefault((tuple(roll),), []).append(outcome)
        return found

    def may_go_on(self, thrown: Thrown) -> bool:
        """May further dice fall after these, before anybody is asked?"""
        return any(len(dice) > len(thrown) and dice[: len(thrown)] == thrown for dice in self.throws)

    @property
    def replies(self) -> bool:
        """Does somebody reply, before anything else happens, who has not seen the dice?"""
        return any(fall.reply is not None for fall in self._falls)


def different(every: Iterable[Outcome]) -> list[Outcome]:
    """One of each sort: the same question or ending, the same gain."""
    found: dict[Any, Outcome] = {}
    for outcome in every:
        fields = None if outcome.fields is None else shown_state(outcome.fields)
        worth = (outcome.worth.lower, outcome.worth.upper, outcome.worth.shares) if fields is None else None
        found.setdefault((fields, outcome.mover, outcome.ended, outcome.gained, worth), outcome)
    return list(found.values())


class Spot:
    """One question: all its fields, its moves in the game's own order, what it is worth to every seat."""

    def __init__(self, spots: Spots, fields: Mapping[str, Any], position: Position) -> None:
        self.fields, self.position = fields, position
        self._spots = spots
        self._leads: dict[str, Leads] = {}

    def agrees(self, said: Mapping[str, Any]) -> bool:
        """Do these parsed fields say no other question? What they leave out may be anything."""
        return all(value == self.fields.get(name) for name, value in said.items())

    @cached_property
    def shown(self) -> dict[str, Any]:
        """The fields as answers have them: seats that are out are ``-``."""
        return understood(self._spots.game, self.fields, self.position)

    @cached_property
    def moves(self) -> dict[str, Chosen]:
        """The moves by name; what the only move of a luck game gives is the mean of what it leads to."""
        if not self._spots.chooses:
            return {ROLL: Chosen(ROLL, self._spots.mean(self.leads(ROLL).every), 0.0)}
        game, answer = self._spots.game, self._answer
        worths = np.array([[(move.value, move.lower, move.upper) for move in answer.moves]])
        loss = Judged(worths, game.sense).loss[0].tolist()
        shares = [self._spots.shares(Stands(m.value, m.lower, m.upper, m.shares)) for m in answer.moves]
        self._spots.weigh(len(shares))
        return {move.move: Chosen(move.move, *both) for move, *both in zip(answer.moves, shares, loss, strict=True)}

    @cached_property
    def best(self) -> list[str]:
        """The moves that cannot be told from the best."""
        return [move.name for move in self.moves.values() if not move.loss]

    @cached_property
    def shares(self) -> Shares:
        """What the question is worth, before anything is chosen."""
        if not self._spots.chooses:
            return self.moves[ROLL].shares
        answer = self._answer
        if answer.shares is not None and self._spots.by_seat:
            seats, lower, upper = answer.shares
            return Shares(seats, max(np.subtract(upper, seats).max(), np.subtract(seats, lower).max()))
        better = max if self._spots.game.sense == "max" else min
        return self.moves[better(answer.moves, key=lambda move: move.value).move].shares

    @cached_property
    def _answer(self) -> Any:
        return self._spots.opened.ask(self.position, self.fields, Wanted(all_moves=True), unheard)

    def leads(self, name: str) -> Leads:
        """What a move leads to."""
        if name not in self._leads:
            spots = self._spots
            legal = list(self.moves) if spots.chooses else []
            move = the_move(spots.game, self.position, name, legal)
            falls = spots.opened.falls(self.fields, self.position, move)
            spots.weigh(len(falls))
            one = one_by_one(spots.opened, self.fields, self.position, move)
            self._leads[name] = Leads(falls, one, spots.shows_roll)
        return self._leads[name]


class Spots:
    """The questions of one solved game."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.game: TurnGame = opened.game
        self.chooses, self.mixes = kind_of(self.game).chooses, kind_of(self.game).mixes
        self.by_seat = opened.lists_seats
        self.shows_roll = any(field.name == "roll" for field in self.game.fields())
        self._kept: dict[str, Spot] = {}
        self._weight = 0  # moves and outcomes of these

    @cached_property
    def luck_off(self) -> float:
        """How far shares of a luck game are off: as far as those of its start."""
        position = self.game.locate()
        told = self.opened.ask(position, {}, Wanted(), unheard).quantities.get(self.game.outcome)
        if told is None or not isinstance(told.lower, list | tuple):
            return 0.0
        return float(np.max(np.subtract(told.upper, told.lower)))

    def at(self, fields: Mapping[str, Any], position: Position | None = None) -> Spot:
        """The question of these fields, which have been checked."""
        require_wanted()
        key = shown_state(fields)
        if self._weight > MOST_KEPT:
            self._kept, self._weight = {}, 0
        found = self._kept.get(key)
        if found is None:
            position = position or self.game.locate(**fields)
            found = self._kept[key] = Spot(self, all_fields(self.game, fields, position), position)
            self.weigh(1)
        return found

    def weigh(self, more: int) -> None:
        """So many moves or outcomes more are kept."""
        self._weight += more

    def reply_to(self, spot: Spot, call: str) -> Spot:
        """The question of who hears a call and has not seen the dice."""
        game, board = self.game, spot.position.board
        root = self.opened.following.root(tuple(board[name] for name in game.boards().names))
        state = next(state for state, heard in game.answers(root).items() if heard == call)
        return self.at(next(iter(game.describe(board, state))))

    def shares(self, worth: Stands) -> Shares:
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
        found = [(float(outcome.chance or 0) / whole, self.shares(outcome.worth)) for outcome in every]
        n = len(found[0][1].seats)
        seats = tuple(sum(chance * shares.seats[seat] for chance, shares in found) for seat in range(n))
        return Shares(seats, max(shares.off for _, shares in found))


_SPOTS: dict[int, Spots] = {}  # by solved game, which they keep open


def spots_of(opened: Opened) -> Spots:
    """The questions of a solved game, which are kept until those of some others are asked for."""
    found = _SPOTS.pop(id(opened), None) or Spots(opened)
    _SPOTS[id(opened)] = found  # the last of them now
    keep_newest(_SPOTS, MOST_GAMES)
    return found
