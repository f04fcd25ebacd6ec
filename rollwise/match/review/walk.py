"""A game gone through once more: what was chosen and thrown leads from question to question, and is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rollwise.answers.review import Step
from rollwise.answers.spelling import shown_state, shown_value
from rollwise.asking.outcomes import listed
from rollwise.asking.question import all_fields, question, require_board
from rollwise.games.move_aliases import all_dice, meaning
from rollwise.match.review.ledger import BySeat, Ledger, ReviewedDecision, are_close
from rollwise.match.spots import Leads, Shares, Spot, Spots, different
from rollwise.parsing.records import Line
from rollwise.parsing.validate import the_fields
from rollwise.solver.kinds.kind import QueryOptions, Report, unheard
from rollwise.solver.kinds.outcomes import Outcome
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position
from rollwise.solver.model.plain import quoted
from rollwise.solver.model.throws import Faces
from rollwise.solver.model.two_seats import is_duel

THROWS = re.compile(r"roll( \d)?|one die|two dice")  # moves that dice alone may stand for


class _Call(NamedTuple):
    """A call that is heard: the caller's question and seat, and the call."""

    spot: Spot
    seat: int
    move: str


class Walk:
    """Goes through a game, choice by choice and throw by throw, and counts in its ``ledger``.

    ``seat`` moves now; ``move`` is what it has chosen, while that has not led on yet.
    """

    def __init__(self, spots: Spots) -> None:
        self.spots, self.game, self.n_seats = spots, spots.game, spots.n_seats
        self.spot: Spot | None = None
        self.seat = 0
        self.begun = self.over = False
        self.ledger = Ledger(self.n_seats)
        self._stake = Shares((0.0,) * self.n_seats)  # what is still to come, as it stands
        self._call: _Call | None = None  # that is replied to now
        self.move = ""
        self._thrown: tuple[Faces, ...] = ()
        self._fits: Sequence[Outcome] = ()

    # --- the record ---------------------------------------------------------------------------------------------------

    def each(self, lines: Sequence[Line], report: Report = unheard) -> Iterator[Line]:
        """The lines that are played; how far that is is reported."""
        for number, line in enumerate(lines):
            report(number / len(lines))
            yield line

    # --- where it stands ----------------------------------------------------------------------------------------------

    def begin(self, fields: Mapping[str, Any], seat: int | None = None) -> None:
        """Start from these fields, as they are said; ``seat`` is the one that moves, where the fields do not tell."""
        state, position = question(self.game, fields)
        if self.spots.mixes and not self.spots.chooses:  # says why no best play is known
            self.spots.opened.ask(position, state, QueryOptions(), unheard)
        self._ask(state, position, seat or 0)
        if not self._question.moves:
            raise BadInput(f"nothing is left to do in {shown_state(self._question.shown)}")
        if self.seat >= self.n_seats:
            raise BadInput(f"seats are from 0 to {self.n_seats - 1}, got {self.seat}", field="seat")
        self.begun = True
        self.ledger.start += self.now
        self.ledger.off = self._question.shares.off

    def _ask(self, state: Mapping[str, Any], position: Position, seat: int) -> None:
        """This question is asked."""
        self.spot = self.spots.at(all_fields(self.game, state, position), position)
        self._stake = self.spot.shares
        self.seat = position.mover if self.spots.by_seat else seat

    @property
    def now(self) -> BySeat:
        """What every seat has, as it stands, with what was earned before."""
        return self._by_seat(self._stake) + self.ledger.bank

    def _by_seat(self, shares: Shares) -> BySeat:
        is_turned = is_duel(self.game) and not self.spots.by_seat and self.seat == 1
        return np.array(shares.seats[::-1] if is_turned else shares.seats)

    @property
    def _question(self) -> Spot:
        """The question that is asked; raises BadInput where there is none."""
        if self.over:
            raise BadInput("the game is over before this")
        if self.spot is None:
            raise BadInput("what follows is past what was solved; a state is wanted here")
        return self.spot

    def stand(self, fields: Mapping[str, Any], seat: int | None = None) -> None:
        """The question that is asked now, as the record says it: it must follow from what was played."""
        if not self.begun:
            self.begin(fields, seat)
            return
        state = the_fields(self.game, fields)
        if not self.over:
            self._settle(state)
        if self.spot is None and not self.over:
            self._go_on_past(state, seat)
        spot = self._question
        if not spot.agrees(state):
            raise _does_not_follow(state, [spot])
        if seat is not None and seat != self.seat:
            raise BadInput(f"it is seat {self.seat} that moves here, got seat {seat}", field="seat")

    def _go_on_past(self, state: Mapping[str, Any], seat: int | None) -> None:
        """A question past a proven cut is taken as it is said: it is known within bounds what it is worth."""
        before, position = self.now, self.game.locate(**state)
        require_board(self.game, state, position)
        self.ledger.off += self._stake.off
        self._ask(state, position, self.seat if seat is None else seat)
        self.ledger.luck += self.now - before

    # --- choices ------------------------------------------------------------------------------------------------------

    def names(self, words: str) -> str | None:
        """The move that is meant here, once the dice before it have fallen; None where it is none."""
        self._settle()
        return meaning(words, self._question.moves).move

    def keeps_all(self, words: str) -> bool:
        """Are all dice kept here? The box that is filled with them comes next."""
        self._settle()
        return bool(all_dice(words, list(self._question.moves)))

    def choose(self, words: str, recorded: Mapping[str, Any] | None = None) -> None:
        """Somebody makes this move; ``recorded``: what the record says of it."""
        self._settle()
        spot = self._question
        meant = meaning(words, spot.moves)
        if meant.move is None:
            raise BadInput(
                f"{meant.doubt or f'{quoted(words)} is no move'} in {shown_state(spot.shown)}; "
                f"the moves are: {listed(list(spot.moves))}",
                field="move",
            )
        self.ledger.taken += [f"{self.ledger.place}: {meant.note}"] if meant.note else []
        chosen, recorded = spot.moves[meant.move], recorded or {}
        worths = [self._by_seat(shares)[self.seat] for shares in (chosen.shares, spot.shares)]
        self.ledger.check("value", recorded.get("value"), *worths)
        self.ledger.check("loss", recorded.get("loss"), chosen.loss)
        self._choose(meant.move)

    def _choose(self, move: str) -> None:
        spot, seat = self._question, self.seat
        chosen = spot.moves[move]
        before, place = tuple(self.now.tolist()), self.ledger.place.line
        self.ledger.steps.append(Step(place, seat, spot.shown, move, chosen.loss, spot.best, before, []))
        if len(spot.moves) > 1:
            self.ledger.decisions.append(ReviewedDecision(self.ledger.place, seat, spot, move, chosen.loss))
        else:
            self.ledger.forced[seat] += 1
        self.ledger.choose(seat, self._by_seat(chosen.shares) - self._by_seat(spot.shares), chosen.loss)
        self.ledger.off += spot.shares.off + chosen.shares.off
        self.move, self._thrown, self._stake = move, (), chosen.shares
        if self._call is not None:
            self._take(self._call.spot.answered(self._call.move, move))
        elif not self._is_call and not self._leads.throws:
            self._take_certain()

    # --- throws -------------------------------------------------------------------------------------------------------

    def throw(self, dice: Faces) -> None:
        """These dice fall; where nothing was said before, they stand for the move that throws them."""
        self._ready(dice)
        leads, thrown = self._leads, (*self._thrown, tuple(sorted(dice)))
        fits, may_go_on = leads.fitting(thrown), leads.may_go_on(thrown)
        if not fits and not may_go_on:
            sizes = " or ".join(f"{size}" for size in sorted(leads.sizes))
            falls = f"{sizes} {'die' if sizes == '1' else 'dice'}, faces 1 to 6" if sizes else "no dice"
            raise BadInput(f"{shown_value(dice)} cannot fall here: '{self.move}' throws {falls}", field="thrown")
        self._thrown, self._fits = thrown, fits
        if fits:  # told with the dice beside it or not, it is the same throw
            self.ledger.steps[-1].dice[:] = [dice for throw in fits[0].throws[:1] for dice in (throw.dice, *throw.then)]
        if fits:
            self._stake = self.spots.mean(fits)
        if not may_go_on:
            self._take_certain()

    def first_throw(self, dice: Faces) -> Faces:
        """These dice, or the first of them where fewer fall at once."""
        self._ready(dice[:1])
        leads, thrown = self._leads, (*self._thrown, tuple(sorted(dice)))
        if leads.fitting(thrown) or leads.may_go_on(thrown):
            return dice
        falling = {len(each[len(self._thrown)]) for each in leads.throws if len(each) > len(self._thrown)}
        return dice[: min(falling)] if len(falling) == 1 else dice

    def _ready(self, dice: Faces) -> None:
        """Something is chosen that dice have to follow."""
        if self.move and not self._leads.may_go_on(self._thrown):
            self._settle()
        while not self.move:  # a move that must be made, and after which no dice fall, goes without saying
            self._choose(self._implied(dice))

    def _implied(self, dice: Faces) -> str:
        """The move that dice stand for."""
        spot = self._question
        if len(spot.moves) == 1:
            return next(iter(spot.moves))
        throwing = [move for move in spot.moves if THROWS.fullmatch(move)]
        fitting = [move for move in throwing if len(dice) in spot.leads(move).sizes]
        for moves in (fitting, throwing):
            if len(moves) == 1:
                return moves[0]
        raise BadInput(f"a move is wanted before {shown_value(dice)}; the moves are: {', '.join(spot.moves)}")

    # --- what follows -------------------------------------------------------------------------------------------------

    @property
    def _leads(self) -> Leads:
        return self._question.leads(self.move)

    @property
    def _is_call(self) -> bool:
        """Is something chosen that is replied to, before anything else happens, by who has not seen the dice?"""
        return self.spot is not None and bool(self.move) and self.spot.heard(self.move) is not None

    @property
    def _next(self) -> list[Outcome]:
        """What may follow now, one of each sort."""
        return different(self._fits) if self._thrown else self._leads.different

    def lead_on(self) -> None:
        """Go on where what was played leads to one thing only."""
        if self.move and not self._hear(None):
            self._take_certain()

    def end_if_clear(self) -> None:
        """Make the last move of the game where nothing else can be done, or where it wins at once."""
        if self._is_call:
            return
        self.lead_on()
        if self.move or self.spot is None:
            return
        for move in self.spot.moves:
            leads = self.spot.leads(move)
            ended = None if leads.throws or len(leads.different) > 1 else leads.different[0].ended
            if ended == "won" or (ended is not None and len(self.spot.moves) == 1):
                self._choose(move)
                return

    def _settle(self, state: Mapping[str, Any] | None = None) -> None:
        """What was chosen leads on before anything else can happen."""
        if not self.move or self._hear(state):
            return
        every = self._next
        if state is not None:
            following = [(self.spots.at(each.fields, each.position), each) for each in every if each.fields]
            fitting = [outcome for spot, outcome in following if spot.agrees(state)]
            if len(fitting) == 1:
                self._take(fitting[0])
                return
            if not fitting and (self._thrown or len(every) == 1):
                raise _does_not_follow(state, [spot for spot, _ in following])
        if not self._take_certain():
            if self._thrown and every:
                raise BadInput("dice alone do not tell what follows; a state is wanted before this")
            raise BadInput(f"the dice of '{self.move}' are wanted before this")

    def _hear(self, state: Mapping[str, Any] | None) -> bool:
        """A call is heard, and the other player is asked, where the record tells what was replied; False if not."""
        spot = self._question
        heard = spot.heard(self.move)
        if heard is None or (state is not None and not heard.agrees(state)):
            return False
        before = self.now
        self.ledger.off += spot.moves[self.move].shares.off + heard.shares.off
        self._call = _Call(spot, self.seat, self.move)
        self.move, self.spot, self.seat, self._stake = "", heard, 1 - self.seat, heard.shares
        self.ledger.luck += self.now - before
        return True

    def _take_certain(self) -> bool:
        """Go on where one thing alone may follow; False where it may not."""
        every = self._next
        if len(every) == 1:
            self._take(every[0])
        return len(every) == 1

    def _take(self, outcome: Outcome) -> None:
        """This is what follows."""
        spot = self._question
        chosen = spot.moves[self.move].shares
        before = self._by_seat(chosen)
        if self._call is not None:  # what follows is told as the caller sees it
            spot, self.seat, self._call = self._call.spot, self._call.seat, None
        self._stake = spot.shares_after(outcome)
        after = self._by_seat(self._stake)
        self.ledger.luck += after - before
        self.ledger.compare(self.seat, before, after)
        self.ledger.off += chosen.off + self._stake.off
        self.move, self._thrown, self._fits = "", (), ()
        if outcome.fields is None:
            self.spot, self.over = None, outcome.ended is not None
            return
        self.ledger.gain(self.seat, float(outcome.gained))
        self.seat = spot.seat_after(outcome, self.seat)
        self.spot = self.spots.at(outcome.fields, outcome.position)
        self._stake = self.spot.shares
        self.ledger.off += self._stake.off
        if self.game.pays_seats:  # chips for everybody at once; a pot that begins is worth something of its own
            onward = self.game.onward(spot.fields, outcome.throws[0].dice)
            self.ledger.bank += np.array(onward.earned, dtype=float)
            self.ledger.start += 0.0 if onward.counting else np.array(self._stake.seats)

    # --- the end ------------------------------------------------------------------------------------------------------

    def end(self, result: Sequence[float]) -> None:
        """The record says how the game has ended."""
        if self.move:
            ended = [outcome for outcome in self._next if outcome.ended is not None]
            worths = [self._by_seat(self.spots.shares(outcome.worth)) + self.ledger.bank for outcome in ended]
            same = [outcome for outcome, worth in zip(ended, worths, strict=True) if are_close(result, worth)]
            if len(same) == 1:
                self._take(same[0])
        self._settle()
        if not self.over:
            raise BadInput("the game is not over here, so it has no result")
        if len(result) != self.n_seats:
            raise BadInput(f"a result is a list of {self.n_seats} numbers, one a seat, got {len(result)}")
        for seat, (recorded, computed) in enumerate(zip(result, self.now, strict=True)):
            self.ledger.check(f"the result of seat {seat}", recorded, computed)

    def finish(self) -> None:
        """Nothing more is known: what was chosen last leads on where that is certain."""
        if self.move and not self._is_call and not self._take_certain() and self._thrown and self._next:
            self.ledger.luck += self.now - self.ledger.bank - self._by_seat(self._question.moves[self.move].shares)


def _does_not_follow(state: Mapping[str, Any], following: Sequence[Spot]) -> BadInput:
    """What to say of a state that is none of those that follow."""
    does = f"{len(following)} others do" if following else "the game is over"
    if len(following) == 1:
        does = f"{shown_state(following[0].shown)} does"
    return BadInput(f"the state does not follow from what was played: {does}, got {shown_state(state)}")
