"""A game gone through once more: what each choice and each throw changed for every seat.

For every seat the value at the start, what its own choices and those of others changed, and luck add up to the result,
but for how far off the solved values may be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rollwise.answers.spelling import shown_state
from rollwise.asking.question import all_fields, question, require_board
from rollwise.games.spoken import meaning
from rollwise.match.review.places import Place, placed
from rollwise.match.review.spots import Leads, Shares, Spot, Spots, different
from rollwise.match.review.steps import Made, ReviewedDecision, Strange
from rollwise.reading.door import the_fields
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.falls import Faces
from rollwise.solver.game.plain import quoted
from rollwise.solver.game.two_seats import is_duel
from rollwise.solver.kinds.kind import Wanted, unheard
from rollwise.solver.kinds.outcomes import Outcome

CLOSE = 1e-6  # a value in a record that is further off is not what is computed
LISTED = 12  # moves that an error names
THROWS = re.compile(r"roll( \d)?|one die|two dice")  # moves that dice alone may stand for


@dataclass(frozen=True)
class _Call:
    """A call that is heard: the caller's question and seat, and what the call leads to."""

    spot: Spot
    seat: int
    leads: Leads


class Walk:
    """Goes through a game, choice by choice and throw by throw.

    ``over``: is it over? ``start``, ``own``, ``others``, ``luck`` and ``result`` are by seat; ``result`` is what the
    game has come to so far. ``off``: their sums are off by no more. ``seat`` is the one that moves.
    """

    def __init__(self, spots: Spots) -> None:
        self.spots, self.game = spots, spots.game
        self.spot: Spot | None = None
        self.seat = 0
        self.over = False
        self.begun = False
        self._fixed: list[float] | None = None  # by seat, where it is over, or past a proven cut
        self._fixed_off = 0.0
        self.decisions: list[ReviewedDecision] = []
        self.strange: list[Strange] = []
        self.taken: list[str] = []  # words that fit several moves, and which was meant
        self.forced: list[int] = []
        self.off = 0.0
        self.made = Made(0.0, 0.0, 0.0)
        self._call: _Call | None = None  # that is replied to now
        self._expected: tuple[Place, float | None, float | None] | None = None  # of the next throw, by the record
        self._move = ""  # chosen, and its dice are still to fall
        self._thrown: tuple[Faces, ...] = ()
        self._fits: Sequence[Outcome] = ()

    # --- where it stands ----------------------------------------------------------------------------------------------

    def begin(self, fields: Mapping[str, Any], seat: int | None, place: Place) -> None:
        """Start from these fields, as they are said; ``seat`` is the one that moves, where the fields do not tell."""
        with placed(place):
            given, position = question(self.game, fields)
            if self.spots.mixes and not self.spots.chooses:  # says why no best play is known
                self.spots.opened.ask(position, given, Wanted(), unheard)
            self.spot = self.spots.at(all_fields(self.game, given, position), position)
            if not self.spot.moves:
                raise BadInput(f"nothing is left to do in {shown_state(self.spot.shown)}")
        self.begun = True
        self.seat = self.spot.position.mover if self.spots.by_seat else (seat or 0)
        shares = self._by_seat(self.spot.shares)
        n = len(shares)
        if not 0 <= self.seat < n:
            raise BadInput(f"{place}: seats are from 0 to {n - 1}, got {self.seat}", field="seat")
        self.first = tuple(shares)
        self.start, self._bank = list(shares), [0.0] * n
        self.own, self.others, self.luck = [0.0] * n, [0.0] * n, [0.0] * n
        self.forced = [0] * n
        self.off = self.spot.shares.off

    @property
    def n_seats(self) -> int:
        """How many seats there are."""
        return len(self.start)

    @property
    def waiting(self) -> bool:
        """Is something chosen that has not led on yet?"""
        return bool(self._move)

    @property
    def now(self) -> list[float]:
        """What every seat has, as it stands."""
        if self._fixed is not None:
            return self._fixed
        return self._in_all(self._here)

    @property
    def known(self) -> list[float] | None:
        """The same; None before it begins, and between two throws of one move."""
        is_between = bool(self._thrown) and not self._fits and self._fixed is None
        return None if not self.begun or is_between else list(self.now)

    @property
    def _here(self) -> Shares:
        assert self.spot is not None
        if not self._move:
            return self.spot.shares
        return self.spots.mean(self._fits) if self._thrown else self.spot.moves[self._move].shares

    def _by_seat(self, shares: Shares) -> tuple[float, ...]:
        turned = is_duel(self.game) and not self.spots.by_seat and self.seat == 1
        return shares.seats[::-1] if turned else shares.seats

    def _require_going_on(self, place: Place) -> Spot:
        if self.over:
            raise BadInput(f"{place}: the game is over before this")
        if self.spot is None:
            raise BadInput(f"{place}: what follows is past what was solved; a state is wanted here")
        return self.spot

    def stand(self, fields: Mapping[str, Any], seat: int | None, place: Place) -> None:
        """The question that is asked now, as the record says it: it must follow from what was played."""
        if not self.begun:
            self.begin(fields, seat, place)
            return
        with placed(place):
            given = the_fields(self.game, fields)
        if self.over:
            raise BadInput(f"{place}: the game is over before this")
        self._settle(place, given)
        if self._fixed is not None:
            self._go_on_past(given, seat, place)
        spot = self._require_going_on(place)
        if not spot.agrees(given):
            raise BadInput(
                f"{place}: the state does not follow from what was played: {shown_state(spot.shown)} does, got "
                f"{shown_state(given)}"
            )
        if seat is not None and seat != self.seat:
            raise BadInput(f"{place}: it is seat {self.seat} that moves here, got seat {seat}", field="seat")

    def _go_on_past(self, given: Mapping[str, Any], seat: int | None, place: Place) -> None:
        """A question past a proven cut is taken as it is said: it is known within bounds what it is worth."""
        before = self.now
        with placed(place):
            position = self.game.locate(**given)
            require_board(self.game, given, position)
        self._fixed, self.off = None, self.off + self._fixed_off
        self.spot = self.spots.at(all_fields(self.game, given, position), position)
        self.seat = position.mover if self.spots.by_seat else self.seat if seat is None else seat
        self._add(self.luck, before, self.now)

    # --- choices ------------------------------------------------------------------------------------------------------

    def names(self, words: str, place: Place) -> str | None:
        """The move that is meant here, once the dice before it have fallen; None where it is none."""
        self._settle(place)
        return meaning(words, self._require_going_on(place).moves).move

    def choose(self, words: str, place: Place) -> None:
        """Somebody makes this move."""
        self._settle(place)
        spot = self._require_going_on(place)
        meant = meaning(words, spot.moves)
        if meant.move is None:
            listed = list(spot.moves)
            more = f" and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
            legal = ", ".join(listed[:LISTED]) + more
            raise BadInput(
                f"{place}: {meant.doubt or f'{quoted(words)} is no move'} in {shown_state(spot.shown)}; "
                f"the moves are: {legal}",
                field="move",
            )
        self.taken += [f"{place}: {meant.note}"] if meant.note else []
        self._choose(meant.move, place)

    def _choose(self, name: str, place: Place) -> None:
        spot = self.spot
        assert spot is not None
        chosen = spot.moves[name]
        if len(spot.moves) > 1:
            self.decisions.append(ReviewedDecision(place, self.seat, spot, name, chosen.loss))
        else:
            self.forced[self.seat] += 1
        before = self._by_seat(spot.shares)
        after = self._by_seat(chosen.shares)
        for seat, (had, has) in enumerate(zip(before, after, strict=True)):
            if seat == self.seat:
                self.own[seat] += has - had if chosen.loss else 0.0
            elif self.n_seats > 2 or chosen.loss:
                self.others[seat] += has - had
        self.off += spot.shares.off + chosen.shares.off
        self.made = Made(after[self.seat], before[self.seat], chosen.loss)
        self._move, self._thrown = name, ()
        if self._call is not None:
            self._take(next(outcome for outcome in self._call.leads.every if outcome.reply == name))
        elif not self._leads.throws and not self._leads.replies and len(self._leads.different) == 1:
            self._take(self._leads.different[0])

    # --- throws -------------------------------------------------------------------------------------------------------

    def throw(self, dice: Faces, place: Place) -> None:
        """These dice fall; where nothing was said before, they stand for the move that throws them."""
        self._ready(dice, place)
        thrown = (*self._thrown, tuple(sorted(dice)))
        leads = self._leads
        fits = leads.fitting(thrown)
        if not fits and not leads.may_go_on(thrown):
            raise BadInput(f"{place}: {_listed(dice)} cannot fall here: {self._wanted(leads)}", field="thrown")
        self._thrown, self._fits = thrown, fits
        if fits and not leads.may_go_on(thrown) and len(different(fits)) == 1:
            self._take(fits[0])

    def first_throw(self, dice: Faces, place: Place) -> Faces:
        """These dice, or the first of them where fewer fall at once."""
        self._ready(dice[:1], place)
        leads, thrown = self._leads, (*self._thrown, tuple(sorted(dice)))
        if leads.fitting(thrown) or leads.may_go_on(thrown):
            return dice
        falling = {len(each[len(self._thrown)]) for each in leads.throws if len(each) > len(self._thrown)}
        return dice[: min(falling)] if len(falling) == 1 else dice

    def _ready(self, dice: Faces, place: Place) -> None:
        """Something is chosen that dice have to follow."""
        if self._move and self._thrown and not self._leads.may_go_on(self._thrown):
            self._settle(place)
        if self._move and not self._leads.throws:
            self._settle(place)
        while not self._move:  # a move that must be made, and after which no dice fall, goes without saying
            self._choose(self._implied(dice, place), place)

    def lead_on(self) -> None:
        """Go on where what was played leads to one thing only."""
        if self._move and self._leads.replies:
            self._hear(None)
        elif self._move:
            every = self._next
            if len(every) == 1:
                self._take(every[0])

    def end_if_clear(self, place: Place) -> None:
        """Make the last move of the game where nothing else can be done, or where it wins at once."""
        if self._move and self._leads.replies:
            return
        self.lead_on()
        if self._move or self.spot is None:
            return
        for name in self.spot.moves:
            leads = self.spot.leads(name)
            ended = None if leads.throws or len(leads.different) > 1 else leads.different[0].ended
            if ended == "won" or (ended is not None and len(self.spot.moves) == 1):
                self._choose(name, place)
                return

    def expect(self, place: Place, before: float | None, after: float | None) -> None:
        """What the record says of the throw that comes next."""
        self._expected = (place, before, after)

    @property
    def _leads(self) -> Leads:
        assert self.spot is not None
        return self.spot.leads(self._move)

    @property
    def _next(self) -> list[Outcome]:
        """What may follow now, one of each sort."""
        return different(self._fits if self._thrown else self._leads.every)

    def _implied(self, dice: Faces, place: Place) -> str:
        """The move that dice stand for."""
        spot = self._require_going_on(place)
        if len(spot.moves) == 1:
            return next(iter(spot.moves))
        throwing = [name for name in spot.moves if THROWS.fullmatch(name)]
        fitting = [name for name in throwing if len(dice) in spot.leads(name).sizes]
        if len(fitting) == 1:
            return fitting[0]
        if len(throwing) == 1:
            return throwing[0]
        raise BadInput(f"{place}: a move is wanted before {_listed(dice)}; the moves are: {', '.join(spot.moves)}")

    def _wanted(self, leads: Leads) -> str:
        """What may fall, in words."""
        if not leads.throws:
            return f"'{self._move}' throws no dice"
        sizes = " or ".join(f"{size}" for size in sorted(leads.sizes))
        return f"'{self._move}' throws {sizes} {'die' if sizes == '1' else 'dice'}, faces 1 to 6"

    def _settle(self, place: Place, given: Mapping[str, Any] | None = None) -> None:
        """What was chosen leads on before anything else can happen."""
        if not self._move:
            return
        if self._leads.replies and self._hear(given):
            return
        every = self._next
        if given is not None:
            fitting = [outcome for outcome in every if outcome.fields and self._spot(outcome).agrees(given)]
            if len(fitting) == 1:
                self._take(fitting[0])
                return
            if not fitting and (self._thrown or len(every) == 1):
                follows = [shown_state(self._spot(outcome).shown) for outcome in every if outcome.fields]
                told = f"{follows[0]} does" if len(follows) == 1 else f"{len(follows)} others do"
                told = told if follows else "the game is over"
                raise BadInput(
                    f"{place}: the state does not follow from what was played: {told}, got {shown_state(given)}"
                )
        if len(every) == 1:
            self._take(every[0])
            return
        if self._thrown and every:
            raise BadInput(f"{place}: dice alone do not tell what follows; a state is wanted before this")
        raise BadInput(f"{place}: the dice of '{self._move}' are wanted before this")

    def _hear(self, given: Mapping[str, Any] | None) -> bool:
        """The call is heard, and the other player is asked, where the record tells what was replied."""
        spot = self.spot
        assert spot is not None
        asked = self.spots.reply_to(spot, self._move)
        if given is not None and not asked.agrees(given):
            return False
        before = self.now
        self.off += spot.moves[self._move].shares.off + asked.shares.off
        self._call = _Call(spot, self.seat, self._leads)
        self._move, self.spot, self.seat = "", asked, 1 - self.seat
        self._add(self.luck, before, self.now)
        return True

    def _spot(self, outcome: Outcome) -> Spot:
        return self.spots.at(outcome.fields or {}, outcome.position)

    def _take(self, outcome: Outcome) -> None:
        """This is what follows."""
        spot = self.spot
        assert spot is not None
        chosen = spot.moves[self._move].shares
        before = self._in_all(chosen)
        if self._call is not None:  # what follows is told as the caller sees it
            spot, self.seat, self._call = self._call.spot, self._call.seat, None
        after = self._worth(spot, outcome)
        now = self._in_all(after)
        self._add(self.luck, before, now)
        self._compare(before[self.seat] - self._bank[self.seat], self._by_seat(after)[self.seat])
        self.off += chosen.off + after.off
        self._move, self._thrown, self._fits = "", (), ()
        if outcome.fields is None:
            self.spot, self.over, self._fixed, self._fixed_off = None, outcome.ended is not None, now, after.off
            return
        gained = float(outcome.gained)
        for seat in range(self.n_seats) if gained else ():
            self._bank[seat] += gained if seat == self.seat else -gained
        passed = outcome.mover - spot.position.mover
        self.seat = outcome.mover if self.spots.by_seat else (self.seat + passed) % self.n_seats
        self.spot = self.spots.at(outcome.fields, outcome.position)
        self.off += self.spot.shares.off
        if self.game.pays_seats:
            self._earn(spot, outcome)

    def _worth(self, spot: Spot, outcome: Outcome) -> Shares:
        """What an outcome is worth; where dice are hidden, to who is asked next, for that is all that anybody knows."""
        if not self.spots.mixes or outcome.fields is None:
            return self.spots.shares(outcome.worth)
        following = self.spots.at(outcome.fields, outcome.position).shares
        passed = (outcome.mover - spot.position.mover) % 2
        return Shares(following.seats[::-1] if passed else following.seats, following.off)

    def _earn(self, spot: Spot, outcome: Outcome) -> None:
        """Chips that a throw brings everybody at once; a pot that begins is worth something of its own."""
        assert self.spot is not None
        onward = self.game.onward(spot.fields, outcome.throws[0].dice)
        for seat, chips in enumerate(onward.earned):
            self._bank[seat] += float(chips)
            self.start[seat] += 0.0 if onward.counting else self.spot.shares.seats[seat]

    @staticmethod
    def _add(sums: list[float], before: Sequence[float], after: Sequence[float]) -> None:
        for seat, (had, has) in enumerate(zip(before, after, strict=True)):
            sums[seat] += has - had

    # --- the end ------------------------------------------------------------------------------------------------------

    def end(self, result: Sequence[float], place: Place) -> None:
        """The record says how the game has ended."""
        if self._move:
            ended = [outcome for outcome in self._next if outcome.ended is not None]
            same = [outcome for outcome in ended if _near(self._in_all(self.spots.shares(outcome.worth)), result)]
            if len(same) == 1:
                self._take(same[0])
        self._settle(place)
        if not self.over:
            raise BadInput(f"{place}: the game is not over here, so it has no result")
        if len(result) != self.n_seats:
            raise BadInput(f"{place}: a result is a list of {self.n_seats} numbers, one a seat, got {len(result)}")
        for seat, (told, found) in enumerate(zip(result, self.now, strict=True)):
            self.check(place, f"the result of seat {seat}", told, found)

    def _in_all(self, shares: Shares) -> list[float]:
        """By seat, with what was earned before."""
        return [value + had for value, had in zip(self._by_seat(shares), self._bank, strict=True)]

    def finish(self) -> None:
        """Nothing more is known: what was chosen last leads on where that is certain."""
        if not self._move or self._leads.replies:
            return
        every = self._next
        if len(every) == 1:
            self._take(every[0])
        elif self._thrown and every:
            assert self.spot is not None
            self._add(self.luck, self._in_all(self.spot.moves[self._move].shares), self.now)

    def _compare(self, before: float, after: float) -> None:
        """What the record says of a throw, counted from the question before it or from the start."""
        if self._expected is not None:
            place, *told = self._expected
            had = self._bank[self.seat]
            for name, number, found in zip(("before", "after"), told, (before, after), strict=True):
                if number is not None:
                    self.check(place, name, number, found, found + had)
        self._expected = None

    def check(self, place: Place, name: str, told: float, *found: float) -> None:
        """Is a number of the record one of those that may be meant?"""
        if not any(abs(told - number) <= CLOSE * max(1.0, abs(number)) for number in found):
            self.strange.append(Strange(place, name, told, found[0]))


def _near(some: Sequence[float], others: Sequence[float]) -> bool:
    return len(some) == len(others) and all(
        abs(a - b) <= CLOSE * max(1.0, abs(b)) for a, b in zip(some, others, strict=True)
    )


def _listed(dice: Faces) -> str:
    return ",".join(map(str, dice)) or "no dice"
