"""``Match``: one game as it is played, move by move and throw by throw, by anybody who drives it."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from rollwise.answers.advice import Advice, MoveAdvice
from rollwise.answers.outcomes import OutcomeRow
from rollwise.answers.spelling import plain_state
from rollwise.asking.outcomes import row_of
from rollwise.asking.question import question, reachable
from rollwise.match.dice import drawn, pick, typed
from rollwise.match.saved import RECORD, as_now, read, require_rules, with_review, write
from rollwise.match.spots import Chosen, Leads, Spot
from rollwise.match.view import Here, MatchView
from rollwise.parsing.records import VERSION, require_lines, require_played
from rollwise.parsing.validate import as_said, checked, the_fields, the_game
from rollwise.solutions.games import with_solved
from rollwise.solver.kinds.kind import PositionValue
from rollwise.solver.kinds.outcomes import Outcome
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.plain import plain, quoted

SEEDS = 1_000_000  # a seed that nobody said is below this: it is to be typed


class Match(MatchView):
    """A game that is played: its state, its moves, its dice, and the record of all that was done.

    ``params`` are rule parameters and ``state`` the fields of a question, as in ``ask``; without one the game begins at
    its start. ``seed`` decides all throws that are not typed. A throw depends on the seed, on how many throws there
    were before it in the match, and on the seat that throws: who takes a move back and makes it again sees the same
    dice, and another move brings dice that have nothing to do with those taken back. A seed that is not said is drawn
    when it is first needed. A match is plain data (``plain``, ``of``), so that a page or another process can carry it
    on. ``yes`` as in ``ask``.

    ``game`` is its name, ``parameters`` its rules, ``seats`` how many take turns, ``unit`` what values count.

    >>> match = Match("pig", params={"target": 10}, seed=4)
    >>> match.mover, match.state, [move.move for move in match.moves]
    (0, {'mine': 0, 'theirs': 0, 'turn': 0}, ['roll'])
    >>> match.play("roll").loss, match.waiting
    (0.0, True)
    >>> match.throw([5]).thrown[0].dice, match.state["turn"], match.waiting
    ((5,), 5, False)
    >>> round(match.play("hold").loss, 3), match.mover, match.state
    (0.479, 1, {'mine': 0, 'theirs': 5, 'turn': 0})
    >>> match.undo(), match.mover, match.state["turn"]
    (None, 0, 5)
    """

    @checked
    def __init__(
        self,
        game: str,
        *,
        params: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        seed: int | None = None,
        yes: bool = False,
    ) -> None:
        self._take_up(the_game(game, params), seed, yes)
        fields, position = question(self.made, as_said(state, {}))
        if fields:
            with_solved(self.made, reachable(self.made, fields, position), lambda stored: None)
        self._stand(Here(self._plain_state(fields), position.mover))

    # --- what is done -------------------------------------------------------------------------------------------------

    @checked
    def play(self, move: str) -> MoveAdvice:
        """Make a move, in any spelling; what it was worth, and what it cost.

        Where dice are to fall then, the match waits for ``throw``; what happens without dice that anybody sees (robots,
        a roll-off) happens at once. In games of luck ``roll`` is the only move, and nothing has to be played before a
        throw. Raises BadInput, naming the legal moves, for any other.
        """
        self._require_going()
        if self._here.move is not None:
            raise BadInput(f"{self._here.move} is played, and the dice are to be thrown now", field="move")
        return self._look(lambda spot: self._play(spot, move))

    def _play(self, spot: Spot, words: str) -> MoveAdvice:
        leads, advice = spot.leads(words), self.advice
        if self.luck:
            return MoveAdvice(leads.move, 0.0, 0.0, 0.0, 0.0)
        assert advice is not None
        made, heard = judged(advice, spot.moves[leads.move]), spot.heard(leads.move)
        line = {
            "choice": made.move,
            "seat": self.mover,
            "state": self.state,
            "value": made.value,
            "best": list(advice.best),
            "loss": made.loss,
        }
        if heard is None and not leads.throws:
            self._settle(spot, leads, self._uncovered(spot, leads), line)
            return made
        self._lines.append(line)
        if heard is None:
            self._here.move = made.move
        else:
            line["hidden"] = [name for name in self.state or {} if name not in heard.fields]
            self._stand(Here(plain_state(heard.shown), (self.mover + 1) % self.seats))
        return made

    def _uncovered(self, spot: Spot, leads: Leads) -> list[Outcome]:
        """The outcomes of a move that throws nothing; of a reply those that can be, where the dice are known, one."""
        call = self._lines[-1] if self._lines else {}
        outcomes = leads.every if any(outcome.chance for outcome in leads.every) else []
        if "hidden" in call:
            caller = spot.spots.at(the_fields(self.made, call["state"]))
            shown = [came for came in caller.leads(call["choice"]).every if came.reply == leads.move]
            outcomes = [outcome for outcome in leads.every if any(_are_same(outcome, came) for came in shown)]
        if not outcomes:
            raise BadInput(f"nobody makes the call that {leads.move} follows, so nothing says what is under the cup")
        return outcomes

    @checked
    def throw(self, dice: Any = None) -> OutcomeRow | None:
        """Let the dice fall, or say how they fell (``[1, 3, 5]``, ``"1 3 5"``, ``"135"``, in any order).

        Gives the outcome that was come to, with the dice of this throw alone. Where a second throw follows without a
        choice between (a bonus roll) and dice are said, it is None until that is said too. Raises DiceError for a throw
        that cannot be; then nothing has changed.
        """
        self._require_going()
        if not self.waiting:
            raise BadInput(f"no dice are to be thrown before a move: {', '.join(move.move for move in self.moves)}")
        return self._look(lambda spot: self._throw(spot, dice))

    def _throw(self, spot: Spot, dice: Any) -> OutcomeRow | None:
        leads, thrown = spot.leads(self._here.move), self._here.thrown
        while throws := leads.next_throws(thrown):
            if dice is not None and thrown != self._here.thrown:
                self._here.thrown = thrown  # a further throw is waited for
                return None
            place = (self._seed(), self._n_throws(), self.mover, len(thrown)) if dice is None else ()
            thrown = (*thrown, drawn(throws, *place) if dice is None else typed(dice, throws))
        return self._settle(spot, leads, leads.fitting(thrown) if thrown else leads.every)

    def _settle(self, spot: Spot, leads: Leads, outcomes: Sequence[Outcome], *lines: dict[str, Any]) -> OutcomeRow:
        """One of these outcomes is come to, all of the same dice: by lot, where there are several.

        ``lines`` of the record are written with it. All is worked out before anything changes.
        """
        place = 0
        if len(outcomes) > 1:
            chances = [outcome.chance or Fraction(0) for outcome in outcomes]
            place = pick(chances, self._seed(), self._n_throws(), self.mover, "unseen")
        outcome, seat = outcomes[place], self.mover
        row = row_of(outcome)
        self._lines += [*lines, *([] if leads.is_certain else [self._thrown_line(spot, leads, outcome)])]
        if row.state is not None:
            if row.gained:
                self._lines[-1]["gained"] = short(row.gained)
            self._stand(Here(plain_state(row.state), spot.seat_after(outcome, seat)))
            return row
        if row.ended is not None:
            self._lines.append({"result": result_of(outcome.worth, self._lines, seat, self.seats, self.made.total)})
        self._stand(Here(None, seat))
        return row

    def _thrown_line(self, spot: Spot, leads: Leads, outcome: Outcome) -> dict[str, Any]:
        """What a throw did to what its seat has."""
        throw, seat = next(iter(outcome.throws), None), self.mover
        line: dict[str, Any] = {"thrown": [] if throw is None else list(throw.dice)}
        if throw is not None and throw.then:
            line["then"] = [list(dice) for dice in throw.then]
        line["seat"] = seat
        if self.luck:
            line["state"] = self.state
            line["before"] = sum(float(each.chance or 0) * (worth_to(seat, each.worth) or 0.0) for each in leads.every)
        else:
            line["before"] = spot.moves[leads.move].worth.value
        return {**line, "after": worth_to(seat, outcome.worth)}

    def undo(self) -> None:
        """Take back the last move with all that it led to; in games of luck the last throw. BadInput where none is."""
        if self.luck and self._here.thrown:
            self._here.thrown = ()
            return
        sort = "thrown" if self.luck else "choice"
        place = max((place for place, line in enumerate(self._lines) if sort in line), default=None)
        if place is None:
            raise BadInput("there is nothing to take back")
        line = self._lines[place]
        del self._lines[place:]
        self._stand(Here(copy.deepcopy(line["state"]), line["seat"]))

    def _require_going(self) -> None:
        if self.over:
            raise BadInput("the game is over")

    def _seed(self) -> int:
        """The seed; one that was not said is drawn now."""
        if self.seed is None:
            self.seed = secrets.randbelow(SEEDS)
        return self.seed

    def _n_throws(self) -> int:
        return sum("thrown" in line for line in self._lines)

    # --- the record ---------------------------------------------------------------------------------------------------

    def record(self) -> list[dict[str, Any]]:
        """What was done, as the lines of a record.

        The first line says what is played; while the game goes on, its ``next`` says where it stands. Then each choice,
        with what it was worth and cost, and each throw, with what it changed for the seat that threw: ``before`` and
        ``after`` are that seat's value. ``thrown`` is empty where robots or a roll-off did what nobody sees. ``gained``
        is what was earned and no later state can say. The last line of a game that is over has the result by seat.
        """
        head: dict[str, Any] = {"rollwise": VERSION, "game": self.game, "parameters": self.parameters}
        head |= {"rules_version": self.rules_version, "seed": self.seed, "seats": self.seats}
        if not self.over:
            here = self._here
            head["next"] = {"state": here.state, "seat": here.mover}
            head["next"] |= {"choice": here.move} if here.move is not None else {}
            head["next"] |= {"thrown": [list(dice) for dice in here.thrown]} if here.thrown else {}
        return copy.deepcopy([head, *self._lines])

    def plain(self) -> list[dict[str, Any]]:
        """The whole match as plain data, from which ``of`` makes it again: the lines of its record."""
        return self.record()

    @classmethod
    @checked
    def of(cls, record: Any, *, yes: bool = False) -> Match:
        """The match that this record is of, ready to go on; raises BadInput for what is none."""
        if not isinstance(record, list):
            raise BadInput(f"a record is a list of lines, got {quoted(plain(record))}")
        require_lines((f"line {number}", line) for number, line in enumerate(record, 1))
        head, *lines = record
        made = the_game(head["game"], head.get("parameters"))
        require_rules(made, head.get("rules_version"))
        match = cls.__new__(cls)
        match._take_up(made, head.get("seed"), yes)
        require_played(lines, match.seats, match.luck)
        *match._lines, here = as_now(made, copy.deepcopy([*lines, head.get("next") or {}]))
        match._go_on(here or None)
        return match

    def _go_on(self, here: Any) -> None:
        """Stand where the record says, if it can be asked there."""
        if here is None:
            if not self._lines or "choice" in self._lines[-1]:
                raise BadInput(
                    "the record ends in the middle of a game and does not say where it goes on", field=RECORD
                )
            seats = [line["seat"] for line in self._lines if "result" not in line]
            if not seats:
                raise BadInput("the record has a result, and nothing that was played before it", field=RECORD)
            self._stand(Here(None, seats[-1]))
            return
        state, seat = here["state"], here["seat"]
        if seat >= self.seats:
            raise BadInput(f"seats are from 0 to {self.seats - 1}, got {seat}", field="seat")
        self._stand(Here(self._plain_state(the_fields(self.made, state)), seat))
        self._question()
        if "choice" in here:
            self._here.move = self._look(lambda spot: spot.leads(here["choice"]).move)
        for dice in here.get("thrown", []):
            if not self.waiting:
                raise BadInput("dice fall after a move, and the record says none", field="thrown")
            self._here.thrown = (*self._here.thrown, typed(dice, self.next_throws))

    @checked
    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the record to a file, whole or not at all; raises BadInput where it cannot be written.

        Over a file that is no record it is written only with ``force``.
        """
        write(Path(path), self.record(), force=force)

    @classmethod
    @checked
    def load(cls, path: str | Path, *, yes: bool = False) -> Match:
        """The match of a file that ``save`` wrote; raises BadInput for any other."""
        try:
            return cls.of(read(Path(path)), yes=yes)
        except BadInput as error:
            raise with_review(error, Path(path)) from None


def judged(advice: Advice, chosen: Chosen) -> MoveAdvice:
    """What a move is worth; one that is not advised, since another is never worse, too."""
    for move in advice.moves:
        if move.move == chosen.name:
            return move
    worth = chosen.worth
    bounds = worth.value, worth.lower, worth.upper
    return MoveAdvice(chosen.name, *bounds, chosen.loss, label=advice.label)  # type: ignore[arg-type]


def worth_to(seat: int, worth: PositionValue) -> float | None:
    """What an outcome is worth to this seat, which made the move."""
    return worth.shares[seat] if worth.value is None and worth.shares else worth.value


def result_of(
    worth: PositionValue, lines: Sequence[Mapping[str, Any]], mover: int, seats: int, total: Fraction | int
) -> list[float]:
    """What a game that is over gives by seat; what was gained on the way is counted, as the lines of the record say."""
    if worth.shares is not None:
        return [short(share) for share in worth.shares]
    assert worth.value is not None
    gained = sum(line["gained"] if line["seat"] == mover else -line["gained"] for line in lines if "gained" in line)
    own = worth.value + gained
    shares = [own] if seats == 1 else [own, total - own]
    return [short(share) for share in (shares if mover == 0 else shares[::-1])]


def short(number: Fraction | float) -> float:
    """Without a fraction where it has none."""
    return int(number) if number == int(number) else float(number)


def _are_same(reply: Outcome, call: Outcome) -> bool:
    """Is this outcome of a reply what the call came to, which is told as the other seat sees it?"""
    if reply.fields is not None or reply.worth.value is None:
        return reply.fields == call.fields
    return call.fields is None and reply.worth.value == 1 - (call.worth.value or 0.0)
