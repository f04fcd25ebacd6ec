"""Replay of a game from question to question, with the accounts of skill and luck in a ledger."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.games.move_aliases import all_dice, meaning
from rollwise.match.review.data import Step
from rollwise.match.spots import Branches, Shares, Spot, SpotCache, distinct_outcomes
from rollwise.parsing.records import Place, at_place
from rollwise.parsing.validate import parse_fields
from rollwise.questions.outcomes.compute import listed
from rollwise.questions.question import all_fields, question, require_board
from rollwise.solver.kinds.kind import QueryOptions, no_progress
from rollwise.solver.kinds.outcomes import Outcome
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position
from rollwise.solver.model.plain import quoted
from rollwise.solver.model.throws import Faces
from rollwise.text.spelling import shown_state, shown_value

THROWING_MOVES = re.compile(r"roll( \d)?|one die|two dice")  # moves implied by typed dice
VALUE_TOLERANCE = 1e-6  # relative and absolute; a value of a record further off does not match
SeatValues = NDArray[np.float64]  # shape (seats,)


class Ledger:
    """Accounts by seat: the value at the ``start``, its changes by ``own`` choices, by ``others``, by ``luck``.

    They add up to the result within ``off``. ``bank`` are points that no state contains, ``forced`` is the number of
    moves without a choice. ``ambiguous`` are notes on words that fit several moves, ``mismatches`` notes on numbers of
    the record that differ from the computed ones, ``steps`` all moves, ``decisions`` those among several moves, each
    with its spot, ``names`` the typed names of players by seat.
    """

    def __init__(self, n_seats: int) -> None:
        self.place = Place(1)
        self.throw_line: tuple[Place, Mapping[str, Any]] | None = None  # the line of the record about the next throw
        self.start, self.own, self.others, self.luck, self.bank = np.zeros((5, n_seats))
        self.off = 0.0
        self.forced = [0] * n_seats
        self.decisions: list[tuple[Step, Spot]] = []
        self.ambiguous: list[str] = []
        self.mismatches: list[str] = []
        self.steps: list[Step] = []
        self.names: dict[int, str] = {}

    def add_choice(self, seat: int, changes: SeatValues, loss: float) -> None:
        """Add the value changes of a choice of this seat."""
        if loss:
            self.own[seat] += changes[seat]
        if loss or len(changes) > 2:
            self.others += np.where(np.arange(len(changes)) == seat, 0.0, changes)

    @contextmanager
    def at(self, place: Place) -> Iterator[None]:
        """Set the place in the record; errors raised inside name it."""
        self.place = place
        with at_place(place):
            yield

    def check_number(self, name: str, recorded: float | None, *computed: float) -> None:
        """Note a mismatch if the record's number is close to none of the computed ones."""
        if recorded is not None and not any(is_close(recorded, number) for number in computed):
            self.mismatches.append(f"{self.place}: {name} {recorded:.6g}, computed {computed[0]:.6g}")

    def check_throw(self, seat: int, before: SeatValues, after: SeatValues) -> None:
        """Check the record's values of a throw, with and without the points in the bank."""
        if self.throw_line is not None:
            here, (self.place, line) = self.place, self.throw_line
            for name, computed in {"before": before[seat], "after": after[seat]}.items():
                self.check_number(name, line.get(name), computed, computed + self.bank[seat])
            self.place, self.throw_line = here, None


class Replay:
    """Replay of a game, choice by choice and throw by throw, which books value changes in its ``ledger``.

    ``seat`` is to move; ``move`` is its choice until the outcome is known.
    """

    def __init__(self, spots: SpotCache) -> None:
        self.spots, self.game, self.n_seats = spots, spots.game, spots.n_seats
        self.spot: Spot | None = None
        self.seat = 0
        self.is_begun = self.over = False
        self.ledger = Ledger(self.n_seats)
        self._shares = Shares((0.0,) * self.n_seats)  # values of the present position, without the bank
        self._call: tuple[Spot, int, str] | None = None  # that awaits its reply: the caller's spot and seat, its move
        self.move = ""
        self._thrown: tuple[Faces, ...] = ()
        self._matching: Sequence[Outcome] = ()

    # --- the present question -----------------------------------------------------------------------------------------

    def begin(self, fields: Mapping[str, Any], seat: int | None = None) -> None:
        """Start from these unparsed fields; ``seat`` is to move where the fields do not determine it."""
        state, position = question(self.game, fields)
        if self.spots.mixes and not self.spots.chooses:  # raises the error why there is no best play
            self.spots.solution.ask(position, state, QueryOptions(), no_progress)
        self._ask(state, position, seat or 0)
        if not self._question.moves:
            raise BadInput(f"nothing is left to do in {shown_state(self._question.shown)}")
        if self.seat >= self.n_seats:
            raise BadInput(f"seats are from 0 to {self.n_seats - 1}, got {self.seat}", field="seat")
        self.is_begun = True
        self.ledger.start += self.now
        self.ledger.off = self._question.shares.off

    def _ask(self, state: Mapping[str, Any], position: Position, seat: int) -> None:
        """Make this the present question."""
        self.spot = self.spots.at(all_fields(self.game, state, position), position)
        self._shares = self.spot.shares
        self.seat = position.mover if self.spots.by_seat else seat

    @property
    def now(self) -> SeatValues:
        """Present values by seat, points in the bank included."""
        return self._by_seat(self._shares) + self.ledger.bank

    def _by_seat(self, shares: Shares) -> SeatValues:
        is_turned = is_duel(self.game) and not self.spots.by_seat and self.seat == 1
        return np.array(shares.seats[::-1] if is_turned else shares.seats)

    @property
    def _question(self) -> Spot:
        """The present spot; raises BadInput if there is none."""
        if self.over:
            raise BadInput("the game is over before this")
        if self.spot is None:
            raise BadInput("from here on the game is not solved; the record needs a state here")
        return self.spot

    def enter_state(self, fields: Mapping[str, Any], seat: int | None = None) -> None:
        """Check a state of the record against the replay: it must follow from the moves and throws before it."""
        if not self.is_begun:
            self.begin(fields, seat)
            return
        state = parse_fields(self.game, fields)
        if not self.over:
            self._resolve_move(state)
        if self.spot is None and not self.over:
            self._continue_past_cut(state, seat)
        spot = self._question
        if not spot.is_described_by(state):
            raise _state_error(state, [spot])
        if seat is not None and seat != self.seat:
            raise BadInput(f"it is seat {self.seat} that moves here, got seat {seat}", field="seat")

    def _continue_past_cut(self, state: Mapping[str, Any], seat: int | None) -> None:
        """Go on with a state past a proven cut, whose value is known within bounds."""
        before, position = self.now, self.game.locate(**state)
        require_board(self.game, state, position)
        self.ledger.off += self._shares.off
        self._ask(state, position, self.seat if seat is None else seat)
        self.ledger.luck += self.now - before

    # --- choices ------------------------------------------------------------------------------------------------------

    def find_move(self, words: str) -> str | None:
        """The legal move of these words, once the dice before it have fallen; None if there is none."""
        self._resolve_move()
        return meaning(words, self._question.moves).move

    def is_keep_all(self, words: str) -> bool:
        """True if the words keep all dice, before a box is filled with them."""
        self._resolve_move()
        return bool(all_dice(words, list(self._question.moves)))

    def choose(self, words: str, recorded: Mapping[str, Any] | None = None) -> None:
        """Replay a move; ``recorded`` is its line of the record, whose numbers are checked."""
        self._resolve_move()
        spot = self._question
        parsed = meaning(words, spot.moves)
        if parsed.move is None:
            raise BadInput(
                f"{parsed.doubt or f'{quoted(words)} is no move'} in {shown_state(spot.shown)}; "
                f"the moves are: {listed(list(spot.moves))}",
                field="move",
            )
        self.ledger.ambiguous += [f"{self.ledger.place}: {parsed.note}"] if parsed.note else []
        chosen, recorded = spot.moves[parsed.move], recorded or {}
        values = [self._by_seat(shares)[self.seat] for shares in (chosen.shares, spot.shares)]
        self.ledger.check_number("value", recorded.get("value"), *values)
        self.ledger.check_number("loss", recorded.get("loss"), chosen.loss)
        self._choose(parsed.move)

    def _choose(self, move: str) -> None:
        spot, seat = self._question, self.seat
        chosen = spot.moves[move]
        before, place = tuple(self.now.tolist()), self.ledger.place.line
        self.ledger.steps.append(Step(place, seat, spot.shown, move, chosen.loss, spot.best, before, []))
        if len(spot.moves) > 1:
            self.ledger.decisions.append((self.ledger.steps[-1], spot))
        else:
            self.ledger.forced[seat] += 1
        self.ledger.add_choice(seat, self._by_seat(chosen.shares) - self._by_seat(spot.shares), chosen.loss)
        self.ledger.off += spot.shares.off + chosen.shares.off
        self.move, self._thrown, self._shares = move, (), chosen.shares
        if self._call is not None:
            caller, _, call = self._call
            self._take_outcome(caller.call_outcome(call, move))
        elif not self._is_call and not self._branches.throws:
            self._take_only_outcome()

    # --- throws -------------------------------------------------------------------------------------------------------

    def throw(self, dice: Faces) -> None:
        """Replay a throw; without a move before it, it implies the move that throws these dice."""
        self._choose_implied_moves(dice)
        branches, thrown = self._branches, (*self._thrown, tuple(sorted(dice)))
        matching, can_continue = branches.fitting(thrown), branches.can_continue(thrown)
        if not matching and not can_continue:
            sizes = " or ".join(f"{size}" for size in sorted(branches.sizes))
            falls = f"{sizes} {'die' if sizes == '1' else 'dice'}, faces 1 to 6" if sizes else "no dice"
            raise BadInput(f"{shown_value(dice)} cannot fall here: '{self.move}' throws {falls}", field="thrown")
        self._thrown, self._matching = thrown, matching
        if matching:  # with or without the dice already on the table, it is the same throw
            self.ledger.steps[-1].dice[:] = [dice for one in matching[0].throws[:1] for dice in (one.dice, *one.then)]
            self._shares = self.spots.mean(matching)
        if not can_continue:
            self._take_only_outcome()

    def first_throw(self, dice: Faces) -> Faces:
        """The dice of the next throw: all of these, or the first of them if fewer fall at once."""
        self._choose_implied_moves(dice[:1])
        branches, thrown = self._branches, (*self._thrown, tuple(sorted(dice)))
        if branches.fitting(thrown) or branches.can_continue(thrown):
            return dice
        falling = {len(each[len(self._thrown)]) for each in branches.throws if len(each) > len(self._thrown)}
        return dice[: min(falling)] if len(falling) == 1 else dice

    def _choose_implied_moves(self, dice: Faces) -> None:
        """Choose the implied moves until dice have to fall."""
        if self.move and not self._branches.can_continue(self._thrown):
            self._resolve_move()
        while not self.move:  # a forced move without dice may be missing in the record
            self._choose(self._implied_move(dice))

    def _implied_move(self, dice: Faces) -> str:
        """The move implied by these dice."""
        spot = self._question
        if len(spot.moves) == 1:
            return next(iter(spot.moves))
        throwing = [move for move in spot.moves if THROWING_MOVES.fullmatch(move)]
        fitting = [move for move in throwing if len(dice) in spot.branches(move).sizes]
        for moves in (fitting, throwing):
            if len(moves) == 1:
                return moves[0]
        raise BadInput(f"a move is wanted before {shown_value(dice)}; the moves are: {', '.join(spot.moves)}")

    # --- what follows -------------------------------------------------------------------------------------------------

    @property
    def _branches(self) -> Branches:
        return self._question.branches(self.move)

    @property
    def _is_call(self) -> bool:
        """True if the chosen move is a call on hidden dice, which awaits a reply."""
        return self.spot is not None and bool(self.move) and self.spot.reply_spot(self.move) is not None

    @property
    def _next_outcomes(self) -> list[Outcome]:
        """Possible outcomes now, one of each kind."""
        return distinct_outcomes(self._matching) if self._thrown else self._branches.distinct

    def advance_if_certain(self) -> None:
        """Take the outcome of the last move if there is only one."""
        if self.move and not self._pass_to_replier(None):
            self._take_only_outcome()

    def end_if_certain(self) -> None:
        """Replay the last move of the game if it is forced, or wins at once."""
        if self._is_call:
            return
        self.advance_if_certain()
        if self.move or self.spot is None:
            return
        for move in self.spot.moves:
            branches = self.spot.branches(move)
            ended = None if branches.throws or len(branches.distinct) > 1 else branches.distinct[0].ended
            if ended == "won" or (ended is not None and len(self.spot.moves) == 1):
                self._choose(move)
                return

    def _resolve_move(self, state: Mapping[str, Any] | None = None) -> None:
        """Take the outcome of the last move, the one that leads to ``state`` if given; raises BadInput otherwise."""
        if not self.move or self._pass_to_replier(state):
            return
        every = self._next_outcomes
        if state is not None:
            following = [(self.spots.at(each.fields, each.position), each) for each in every if each.fields]
            fitting = [outcome for spot, outcome in following if spot.is_described_by(state)]
            if len(fitting) == 1:
                self._take_outcome(fitting[0])
                return
            if not fitting and (self._thrown or len(every) == 1):
                raise _state_error(state, [spot for spot, _ in following])
        if not self._take_only_outcome():
            if self._thrown and every:
                raise BadInput("the dice do not determine what follows; the record needs a state before this")
            raise BadInput(f"the dice of '{self.move}' are missing before this")

    def _pass_to_replier(self, state: Mapping[str, Any] | None) -> bool:
        """Pass a call to the player who replies; False if it is no call, or the record has no reply."""
        spot = self._question
        reply_spot = spot.reply_spot(self.move)
        if reply_spot is None or (state is not None and not reply_spot.is_described_by(state)):
            return False
        before = self.now
        self.ledger.off += spot.moves[self.move].shares.off + reply_spot.shares.off
        self._call = spot, self.seat, self.move
        self.move, self.spot, self.seat, self._shares = "", reply_spot, 1 - self.seat, reply_spot.shares
        self.ledger.luck += self.now - before
        return True

    def _take_only_outcome(self) -> bool:
        """Take the only possible outcome; False if there are several."""
        every = self._next_outcomes
        if len(every) == 1:
            self._take_outcome(every[0])
        return len(every) == 1

    def _take_outcome(self, outcome: Outcome) -> None:
        """Take an outcome: book its luck, and go on to its question."""
        spot = self._question
        chosen = spot.moves[self.move].shares
        before = self._by_seat(chosen)
        if self._call is not None:  # outcomes are from the caller's point of view
            (spot, self.seat, _), self._call = self._call, None
        self._shares = spot.shares_after(outcome)
        after = self._by_seat(self._shares)
        self.ledger.luck += after - before
        self.ledger.check_throw(self.seat, before, after)
        self.ledger.off += chosen.off + self._shares.off
        self.move, self._thrown, self._matching = "", (), ()
        if outcome.fields is None:
            self.spot, self.over = None, outcome.ended is not None
            return
        self.ledger.bank += np.where(np.arange(self.n_seats) == self.seat, 1, -1) * float(outcome.gained)
        self.seat = spot.seat_after(outcome, self.seat)
        self.spot = self.spots.at(outcome.fields, outcome.position)
        self._shares = self.spot.shares
        self.ledger.off += self._shares.off
        if self.game.pays_seats:  # every seat gains chips; the value of a new pot is added to the start
            onward = self.game.onward(spot.fields, outcome.throws[0].dice)
            self.ledger.bank += np.array(onward.earned, dtype=float)
            self.ledger.start += 0.0 if onward.counting else np.array(self._shares.seats)

    # --- the end ------------------------------------------------------------------------------------------------------

    def end(self, result: Sequence[float]) -> None:
        """Check the result of the record against the replay."""
        if self.move:
            ended = [outcome for outcome in self._next_outcomes if outcome.ended is not None]
            values = [self._by_seat(self.spots.shares(outcome.worth)) + self.ledger.bank for outcome in ended]
            same = [outcome for outcome, each in zip(ended, values, strict=True) if are_close(result, each)]
            if len(same) == 1:
                self._take_outcome(same[0])
        self._resolve_move()
        if not self.over:
            raise BadInput("the game is not over here, so it has no result")
        if len(result) != self.n_seats:
            raise BadInput(f"a result is a list of {self.n_seats} numbers, one a seat, got {len(result)}")
        for seat, (recorded, computed) in enumerate(zip(result, self.now, strict=True)):
            self.ledger.check_number(f"the result of seat {seat}", recorded, computed)

    def finish(self) -> None:
        """Finish the replay: take the last outcome if it is certain, and book the luck of a throw so far."""
        if self.move and not self._is_call and not self._take_only_outcome() and self._thrown and self._next_outcomes:
            self.ledger.luck += self.now - self.ledger.bank - self._by_seat(self._question.moves[self.move].shares)


def _state_error(state: Mapping[str, Any], following: Sequence[Spot]) -> BadInput:
    """The error of a state that is none of the possible ones."""
    does = f"{len(following)} others do" if following else "the game is over"
    if len(following) == 1:
        does = f"{shown_state(following[0].shown)} does"
    return BadInput(f"the state does not follow from what was played: {does}, got {shown_state(state)}")


def is_close(number: float, other: float) -> bool:
    """True if two numbers agree within the tolerance."""
    return isclose(number, other, rel_tol=VALUE_TOLERANCE, abs_tol=VALUE_TOLERANCE)


def are_close(numbers: Sequence[float], others: SeatValues) -> bool:
    """True if the numbers of all seats agree within the tolerance."""
    return len(numbers) == len(others) and all(map(is_close, numbers, others))
