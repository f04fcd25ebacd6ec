"""``Match``: one game in play, move by move and throw by throw, for the terminal, the page and Python callers."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from rollwise.arguments import check_arguments
from rollwise.match.dice import draw_below, draw_index, draw_throw, parse_throw
from rollwise.match.record_files import (
    RECORD,
    RULES,
    describe_other_rules,
    read_record,
    upgrade_lines,
    with_hint,
    write_record,
)
from rollwise.match.spots import Branches, Spot, spot_cache_of
from rollwise.parsing.consent import python_consent
from rollwise.parsing.records import RECORD_VERSION, require_lines, require_match_lines
from rollwise.parsing.validate import parse_fields, parse_game, parse_whole_number, question_fields
from rollwise.questions.ask.compute import answer, draw_move
from rollwise.questions.ask.data import Advice, MoveAdvice
from rollwise.questions.outcomes.compute import outcomes_after, row_of
from rollwise.questions.outcomes.data import OutcomeRow, Outcomes, int_if_whole
from rollwise.questions.question import full_state, question, reachable
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, answer_from_solution
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.kinds.outcomes import Outcome
from rollwise.solver.model.cancellation import raise_if_cancelled
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.jsonable import as_json, pick
from rollwise.solver.model.plain import plain, quoted
from rollwise.solver.model.solution import PositionValue
from rollwise.solver.model.throws import Faces
from rollwise.solver.turn.questions import question_moves
from rollwise.solver.turn.successors import Thrown
from rollwise.text.labels import measure_of
from rollwise.text.spelling import shown_state

SEED_LIMIT = 1_000_000  # a drawn seed is below this, so that it is short to type


Result = TypeVar("Result")


@dataclass
class MatchState:
    """The present question, the seat to move, the move that waits for its dice, and the throws since."""

    state: dict[str, Any] | None
    mover: int
    move: str | None = None
    thrown: Thrown = ()


class Match:
    """A game in play: its state, its moves, its dice, and the record of every choice and throw.

    ``params`` are rule parameters and ``state`` the fields of a question, as in ``ask``; without one the game begins at
    its start. ``seed`` decides all throws that are not typed. A throw depends on the seed, on the number of throws
    before it in the match, and on the seat that throws: a move that is taken back and made again brings the same dice,
    and another move brings dice independent of those taken back. Without a seed, one is drawn when it is first needed.
    A match is plain data (``plain``, ``of``), so that a page or another process can go on with it. ``yes`` as in
    ``ask``.

    ``game`` is its name, ``parameters`` its rules, ``seats`` the number of players, ``unit`` the unit of its values,
    ``turn_game`` the game with its rules. ``luck``: no player has a choice. ``hides``: throws are hidden.

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

    @check_arguments
    def __init__(
        self,
        game: str,
        *,
        params: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        seed: int | None = None,
        yes: bool = False,
    ) -> None:
        self._set_game(parse_game(game, params), seed, yes)
        fields, position = question(self.turn_game, question_fields(state, {}))
        if fields:
            answer_from_solution(self.turn_game, reachable(self.turn_game, fields, position), lambda stored: None)
        self._set_state(MatchState(self._plain_state(fields), position.mover))

    def _set_game(self, game: TurnGame, seed: Any, yes: bool) -> None:
        self.turn_game, kind, self._yes = game, kind_of(game), yes
        self.parameters: dict[str, Any] = plain_parameters(game)
        self.game, self.title, self.unit = game.name, game.title, measure_of(game, self.parameters, {}).unit
        self.rules_version = game.rules_version
        self.seats = kind.n_seats(game)
        self.seed = None if seed is None else parse_whole_number("seed", seed)
        self.luck, self.hides = not kind.has_decisions, kind.is_mixed
        self._lines: list[dict[str, Any]] = []

    def _set_state(self, here: MatchState) -> None:
        raise_if_cancelled()
        self._now = here
        self._advice: Advice | None = None  # of the present question, once computed

    def __repr__(self) -> str:
        state = "over" if self._now.state is None else f"seat {self.mover} at {shown_state(self._now.state)}"
        return f"<Match of {self.turn_game}, {state}>"

    # --- the present question -----------------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, Any] | None:
        """The fields of the present question, as its mover sees them; None when the game is over."""
        return copy.deepcopy(self._now.state)

    @property
    def mover(self) -> int:
        """The seat to move or to throw; in a finished game the seat that moved last."""
        return self._now.mover

    @property
    def hidden(self) -> list[str]:
        """The names of those fields of the present question that only its mover sees."""
        if not self.hides or self.over or self.waiting:
            return []
        reply_spot = self._at_spot(lambda spot: spot.reply_spot(self.moves[0].move))
        return [] if reply_spot is None else [name for name in self.state or {} if name not in reply_spot.fields]

    @check_arguments
    def seen_by(self, seat: int) -> dict[str, Any] | None:
        """Fields of the present question as a seat sees them, without the dice that are hidden from it."""
        unseen = [] if seat == self.mover else self.hidden
        state = self.state
        return None if state is None else {name: value for name, value in state.items() if name not in unseen}

    @property
    def over(self) -> bool:
        """True if the game is over."""
        return self._now.state is None

    @property
    def result(self) -> list[float] | None:
        """The result by seat, in the game's unit; None while the game goes on, and past a proven cut."""
        return list(self._lines[-1]["result"]) if self._lines and "result" in self._lines[-1] else None

    @property
    def waiting(self) -> bool:
        """True if dice are to be thrown now."""
        return not self.over and (self._now.move is not None or self.luck)

    @property
    def thrown(self) -> list[list[int]]:
        """The throws since the last move, while a further one is expected."""
        return [list(dice) for dice in self._now.thrown]

    @property
    def move(self) -> str | None:
        """The last move, while its dice are expected; else None."""
        return self._now.move

    @property
    def moves(self) -> list[MoveAdvice]:
        """Moves of the present question, best first; none in games of luck, and while dice are expected."""
        advice = None if self.luck else self.advice
        return list(advice.moves) if advice is not None else []

    @property
    def legal(self) -> list[str]:
        """The names of these moves in the game's own order, which does not reveal their values."""
        advised = {move.move for move in self.moves}
        if not advised:
            return []
        moves = [move.name for move in question_moves(self.turn_game, self._question()[1].state)]
        return [*(move for move in moves if move in advised), *sorted(advised - set(moves))]

    @property
    def advice(self) -> Advice | None:
        """Answer of ``ask`` to the present question; None in a finished game, and while dice are expected.

        In games of luck, where every question is a throw, it has the odds.
        """
        if self.over or self._now.move is not None:
            return None
        if self._advice is None:
            fields, position = self._question()
            with python_consent(self._yes):
                self._advice = answer(self.turn_game, fields, position, QueryOptions())
        return self._advice

    @property
    def next_throws(self) -> dict[Faces, Fraction]:
        """Throws that can fall now, with their chances; empty if no dice fall."""
        return self._at_spot(lambda spot: spot.branches(self._now.move).next_throws(self._now.thrown))

    @check_arguments
    def outcomes(self, move: str | None = None, *, each: bool = False) -> Outcomes:
        """Answer of ``rollwise.outcomes`` to a move of the present question, by default to the move already made."""
        if self.over:
            raise BadInput("the game is over")
        fields, position = self._question()
        with python_consent(self._yes):
            return outcomes_after(self.turn_game, fields, position, self._now.move if move is None else move, each=each)

    def _question(self) -> tuple[dict[str, Any], Position]:
        """Fields and position of the present question; raises BadInput if the state is none of the game."""
        return question(self.turn_game, self._now.state or {})

    def _plain_state(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """All fields of a question as JSON values."""
        return dict(as_json(full_state(self.turn_game, fields, self.turn_game.locate(**fields))))

    def _at_spot(self, look: Callable[[Spot], Result]) -> Result:
        """Apply a function to the spot of the present question, in the solved game."""
        fields, position = self._question()

        def look_there(stored: StoredSolution) -> Result:
            return look(spot_cache_of(stored.solution).at(fields, position))

        with python_consent(self._yes):
            return answer_from_solution(self.turn_game, reachable(self.turn_game, fields, position), look_there)

    # --- play ---------------------------------------------------------------------------------------------------------

    @check_arguments
    def play(self, move: str) -> MoveAdvice:
        """Make a move, in any spelling; return its value and its loss.

        If dice fall next, the match waits for ``throw``; events without visible dice (robots, a roll-off) follow at
        once. In games of luck ``roll`` is the only move, and a throw needs no move before it. Raises BadInput, which
        lists the legal moves, for any other.
        """
        self._require_not_over()
        if self._now.move is not None:
            raise BadInput(f"{self._now.move} is played, and the dice are to be thrown now", field="move")
        return self._at_spot(lambda spot: self._play(spot, move))

    def _play(self, spot: Spot, words: str) -> MoveAdvice:
        branches, advice = spot.branches(words), self.advice
        if self.luck:
            return MoveAdvice(branches.move, "", 0.0, 0.0, 0.0, None, 0.0)
        assert advice is not None
        chosen, reply_spot = spot.moves[branches.move], spot.reply_spot(branches.move)
        bounds = pick(chosen.worth, "value", "lower", "upper")  # another move is never worse than one left out
        left_out = MoveAdvice(chosen.name, advice.label, exact=None, loss=chosen.loss, **bounds)
        advised = next((move for move in advice.moves if move.move == chosen.name), left_out)
        line = {
            "choice": advised.move,
            "seat": self.mover,
            "state": self.state,
            "value": advised.value,
            "best": list(advice.best),
            "loss": advised.loss,
        }
        if reply_spot is None and not branches.throws:
            self._take(spot, branches, self._possible_outcomes(spot, branches), line)
            return advised
        self._lines.append(line)
        if reply_spot is None:
            self._now.move = advised.move
        else:
            line["hidden"] = [name for name in self.state or {} if name not in reply_spot.fields]
            self._set_state(MatchState(as_json(reply_spot.shown), (self.mover + 1) % self.seats))
        return advised

    def _possible_outcomes(self, spot: Spot, branches: Branches) -> list[Outcome]:
        """Outcomes of a move without a throw; for a reply to hidden dice only those that the call before it allows."""
        call = self._lines[-1] if self._lines else {}
        outcomes = branches.every if any(outcome.chance for outcome in branches.every) else []
        if "hidden" in call:
            caller = spot.spots.at(parse_fields(self.turn_game, call["state"]))
            shown = [came for came in caller.branches(call["choice"]).every if came.reply == branches.move]
            outcomes = [outcome for outcome in branches.every if any(_is_same_outcome(outcome, came) for came in shown)]
        if not outcomes:
            raise BadInput(f"the call before {branches.move} is never made, so the dice under the cup are unknown")
        return outcomes

    @check_arguments
    def throw(self, dice: Any = None) -> OutcomeRow | None:
        """Throw the dice, or enter a throw (``[1, 3, 5]``, ``"1 3 5"``, ``"135"``, in any order).

        Returns the outcome, with the dice of this throw alone. Where a second throw follows without a choice between (a
        bonus roll) and dice are entered, it is None until the second is entered too. Raises DiceError for an impossible
        throw, and then changes nothing.
        """
        self._require_not_over()
        if not self.waiting:
            raise BadInput(f"no dice are to be thrown before a move: {', '.join(move.move for move in self.moves)}")
        return self._at_spot(lambda spot: self._throw(spot, dice))

    def _throw(self, spot: Spot, dice: Any) -> OutcomeRow | None:
        branches, thrown = spot.branches(self._now.move), self._now.thrown
        while throws := branches.next_throws(thrown):
            if dice is not None and thrown != self._now.thrown:
                self._now.thrown = thrown  # a further throw is waited for
                return None
            place = (self._seed(), self._n_throws(), self.mover, len(thrown)) if dice is None else ()
            thrown = (*thrown, draw_throw(throws, *place) if dice is None else parse_throw(dice, throws))
        return self._take(spot, branches, branches.fitting(thrown) if thrown else branches.every)

    def _take(self, spot: Spot, branches: Branches, outcomes: Sequence[Outcome], *lines: dict[str, Any]) -> OutcomeRow:
        """Apply one of these outcomes, all of the same dice; of several, one is drawn by its chance.

        ``lines`` are added to the record with it. Everything is computed before anything changes.
        """
        place = 0
        if len(outcomes) > 1:
            chances = [outcome.chance or Fraction(0) for outcome in outcomes]
            place = draw_index(chances, self._seed(), self._n_throws(), self.mover, "unseen")
        outcome, seat = outcomes[place], self.mover
        row = row_of(outcome)
        self._lines += [*lines, *([] if branches.is_certain else [self._throw_line(spot, branches, outcome)])]
        if row.state is not None:
            if row.gained:
                self._lines[-1]["gained"] = int_if_whole(row.gained)
            self._set_state(MatchState(as_json(row.state), spot.seat_after(outcome, seat)))
            return row
        if row.ended is not None:
            self._lines.append({"result": results(outcome.worth, self._lines, seat, self.seats, self.turn_game.total)})
        self._set_state(MatchState(None, seat))
        return row

    def _throw_line(self, spot: Spot, branches: Branches, outcome: Outcome) -> dict[str, Any]:
        """The line of the record for a throw, with its seat's value before and after."""
        throw, seat = next(iter(outcome.throws), None), self.mover
        line: dict[str, Any] = {"thrown": [] if throw is None else list(throw.dice)}
        if throw is not None and throw.then:
            line["then"] = [list(dice) for dice in throw.then]
        line["seat"] = seat
        if self.luck:
            line["state"] = self.state
            every = branches.every
            line["before"] = sum(float(each.chance or 0) * (value_to(seat, each.worth) or 0.0) for each in every)
        else:
            line["before"] = spot.moves[branches.move].worth.value
        return {**line, "after": value_to(seat, outcome.worth)}

    def undo(self) -> None:
        """Take back the last move and what followed it, or the last throw of a luck game; raises BadInput if none."""
        if self.luck and self._now.thrown:
            self._now.thrown = ()
            return
        kind = "thrown" if self.luck else "choice"
        place = max((place for place, line in enumerate(self._lines) if kind in line), default=None)
        if place is None:
            raise BadInput("there is nothing to take back")
        line = self._lines[place]
        del self._lines[place:]
        self._set_state(MatchState(copy.deepcopy(line["state"]), line["seat"]))

    def _require_not_over(self) -> None:
        if self.over:
            raise BadInput("the game is over")

    def _seed(self) -> int:
        """The seed; without one, it is drawn now."""
        if self.seed is None:
            self.seed = secrets.randbelow(SEED_LIMIT)
        return self.seed

    def _n_throws(self) -> int:
        return sum("thrown" in line for line in self._lines)

    # --- the record ---------------------------------------------------------------------------------------------------

    def record(self) -> list[dict[str, Any]]:
        """The lines of the record of this match.

        The first line names the game and its rules; while the game goes on, its ``next`` is the present state. Then
        follow each choice, with its value and its loss, and each throw, with its seat's value ``before`` and ``after``
        it. ``thrown`` is empty for events without visible dice (robots, a roll-off). ``gained`` are points that no
        later state contains. The last line of a game that is over has the result by seat.
        """
        head: dict[str, Any] = {"rollwise": RECORD_VERSION, "game": self.game, "parameters": self.parameters}
        head |= {"rules_version": self.rules_version, "seed": self.seed, "seats": self.seats}
        if not self.over:
            here = self._now
            head["next"] = {"state": here.state, "seat": here.mover}
            head["next"] |= {"choice": here.move} if here.move is not None else {}
            head["next"] |= {"thrown": [list(dice) for dice in here.thrown]} if here.thrown else {}
        return copy.deepcopy([head, *self._lines])

    def plain(self) -> list[dict[str, Any]]:
        """The whole match as plain data, the lines of its record, from which ``of`` restores it."""
        return self.record()

    @classmethod
    @check_arguments
    def of(cls, record: Any, *, yes: bool = False) -> Match:
        """The match of a record, ready to go on; raises BadInput for an invalid record."""
        if not isinstance(record, list):
            raise BadInput(f"a record is a list of lines, got {quoted(plain(record))}")
        require_lines((f"line {number}", line) for number, line in enumerate(record, 1))
        head, *lines = record
        turn_game = parse_game(head["game"], head.get("parameters"))
        if (version := head.get("rules_version")) != turn_game.rules_version:
            raise BadInput(f"this match was played by {describe_other_rules(turn_game, version)}", field=RULES)
        match = cls.__new__(cls)
        match._set_game(turn_game, head.get("seed"), yes)
        require_match_lines(lines, match.seats, match.luck)
        *match._lines, here = upgrade_lines(turn_game, copy.deepcopy([*lines, head.get("next") or {}]))
        match._resume_at(here or None)
        return match

    def _resume_at(self, here: Any) -> None:
        """Set the state that the record ends in; raises BadInput if it is no state of the game."""
        if here is None:
            if not self._lines or "choice" in self._lines[-1]:
                raise BadInput("the record ends in the middle of a game, without a state to go on from", field=RECORD)
            seats = [line["seat"] for line in self._lines if "result" not in line]
            if not seats:
                raise BadInput("the record has a result, and nothing that was played before it", field=RECORD)
            self._set_state(MatchState(None, seats[-1]))
            return
        state, seat = here["state"], here["seat"]
        if seat >= self.seats:
            raise BadInput(f"seats are from 0 to {self.seats - 1}, got {seat}", field="seat")
        self._set_state(MatchState(self._plain_state(parse_fields(self.turn_game, state)), seat))
        self._question()
        if "choice" in here:
            self._now.move = self._at_spot(lambda spot: spot.branches(here["choice"]).move)
        for dice in here.get("thrown", []):
            if not self.waiting:
                raise BadInput("dice fall after a move, and the record has none", field="thrown")
            self._now.thrown = (*self._now.thrown, parse_throw(dice, self.next_throws))

    @check_arguments
    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the record to a file, whole or not at all; raises BadInput if it cannot be written.

        A file that is no record is overwritten only with ``force``.
        """
        write_record(Path(path), self.record(), force=force)

    @classmethod
    @check_arguments
    def load(cls, path: str | Path, *, yes: bool = False) -> Match:
        """The match of a file written by ``save``; raises BadInput for any other."""
        try:
            return cls.of(read_record(Path(path)), yes=yes)
        except BadInput as error:
            raise with_hint(error, Path(path)) from None


def value_to(seat: int, value: PositionValue) -> float | None:
    """Value of an outcome for the seat that moved; None if only bounds are proved."""
    return value.shares[seat] if value.value is None and value.shares else value.value


def results(
    value: PositionValue, lines: Sequence[Mapping[str, Any]], mover: int, seats: int, total: Fraction | int
) -> list[float]:
    """Result of a finished game by seat, points ``gained`` in earlier lines of the record included."""
    if value.shares is not None:
        return [int_if_whole(share) for share in value.shares]
    assert value.value is not None
    gained = sum(line["gained"] if line["seat"] == mover else -line["gained"] for line in lines if "gained" in line)
    own = value.value + gained
    shares = [own] if seats == 1 else [own, total - own]
    return [int_if_whole(share) for share in (shares if mover == 0 else shares[::-1])]


def _is_same_outcome(reply: Outcome, call: Outcome) -> bool:
    """True if a reply and a call have the same outcome; the call's is from the other seat's point of view."""
    if reply.fields is not None or reply.worth.value is None:
        return reply.fields == call.fields
    return call.fields is None and reply.worth.value == 1 - (call.worth.value or 0.0)


def best_move(match: Match) -> str:
    """Move of the best player; of a mixed strategy one move is drawn from the seed and the place in the game."""
    moves, seed = match.moves, match.seed
    if not any(each.probability for each in moves):
        return moves[0].move
    place = secrets.randbits(64) if seed is None else draw_below(1 << 64, seed, len(match.record()), "mix")
    return draw_move(moves, place)


def undo_to_decision(match: Match, humans: Sequence[int]) -> Match:
    """A copy of the match at the last decision of these seats, or before the last throw; raises BadInput if none."""
    earlier = Match.of(match.record())
    chooses = any("choice" in line for line in earlier.record())
    earlier.undo()
    while chooses and not (earlier.mover in humans and len(earlier.moves) > 1):
        try:
            earlier.undo()
        except BadInput:
            raise BadInput("there is no move of yours to take back") from None
    return earlier
