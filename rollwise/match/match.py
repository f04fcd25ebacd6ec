"""``Match``: one game as it is played, move by move and throw by throw, by anybody who drives it."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rollwise.answers.advice import MoveAdvice
from rollwise.answers.outcomes import OutcomeRow, Outcomes
from rollwise.answers.spelling import plain_state, spelled
from rollwise.asking.question import question, reachable
from rollwise.match.chance import pick
from rollwise.match.saved import RECORD, looked_at, read, require_rules, write
from rollwise.match.standing import Here, Standing
from rollwise.match.telling import judged, result_of, short, worth_of
from rollwise.match.throwing import begun, chance, drawn, next_throws, thrown_in, typed
from rollwise.reading.door import as_said, checked, the_fields, the_game
from rollwise.reading.records import VERSION, require_lines, require_played
from rollwise.solved.games import with_solved
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.plain import plain, quoted
from rollwise.solver.kinds.kind import Opened

SEEDS = 1_000_000  # a seed that nobody said is below this: it is to be typed


class Match(Standing):
    """A game that is played: its state, its moves, its dice, and the record of all that was done.

    ``params`` are rule parameters and ``state`` the fields of a question, as in ``ask``; without one the game begins at
    its start. ``seed`` decides all throws that are not typed. A throw depends on the seed, on how many throws there
    were before it in the match, and on the seat that throws: who takes a move back and makes it again sees the same
    dice, and another move brings dice that have nothing to do with those taken back. A seed that is not said is drawn
    when it is first needed. A match is plain data (``plain``, ``of``), so that a page or another process can carry it
    on.

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
    ) -> None:
        self._take_up(the_game(game, params), seed)
        given, position = question(self._game, as_said(state, {}))
        if given:
            with_solved(self._game, reachable(self._game, given, position), lambda found: None)
        self._stand(Here(self._plain_state(given), position.mover))

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
        found = self.outcomes(move, each=True)
        if not self._chooses:
            return MoveAdvice(found.move, 0.0, 0.0, 0.0, 0.0)
        advice = self.advice
        assert advice is not None
        made = judged(advice, found)
        heard = self._heard(found.move) if self._hides else None
        rows = self._uncovered(found) if self._hides and heard is None else found.rows
        self._lines.append(
            {
                "choice": found.move,
                "seat": self.mover,
                "state": self.state,
                "value": made.value,
                "best": list(advice.best),
                "loss": made.loss,
            }
        )
        if heard is not None:
            self._lines[-1]["hidden"] = [name for name in self.state or {} if name not in heard]
            self._stand(Here(heard, (self.mover + 1) % self.seats))
            return made
        self._here.move = found.move
        self._known.follows[found.move] = found
        if not next_throws(rows, ()):
            self._settle(found, rows)
        return made

    def _uncovered(self, found: Outcomes) -> tuple[OutcomeRow, ...]:
        """The outcomes of a reply that can be: where the match knows the dice under the cup, one."""
        under = self._lines[-1] if self._lines else {}
        if "hidden" not in under:
            if not any(chance(row) for row in found.rows):
                raise BadInput(
                    f"nobody makes the call that {found.move} follows, so nothing says what is under the cup"
                )
            return found.rows
        given, position = self._question()
        seen = self._game.locate(**the_fields(self._game, under["state"]))

        def shown(opened: Opened) -> tuple[Mapping[str, Any] | None, float]:
            fall = opened.uncovered(position, found.move, seen)
            question = None if fall.board is None else opened.question(given, found.move, fall, found.mover)
            return None if question is None else spelled(question[0]), float(fall.earned)

        state, earned = self._opened(shown)
        return tuple(row for row in found.rows if row.state == state and (state is not None or row.value == earned))

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
        found, thrown = self.outcomes(each=True), self._here.thrown
        rows = begun(found.rows, thrown)
        while throws := next_throws(rows, thrown):
            if dice is not None and thrown != self._here.thrown:
                self._here.thrown = thrown  # a further throw is waited for
                return None
            at = (self._seed(), self._n_throws(), self.mover, len(thrown)) if dice is None else ()
            thrown = (*thrown, drawn(throws, *at) if dice is None else typed(dice, throws))
            rows = begun(rows, thrown)
        return self._settle(found, rows)

    def _settle(self, found: Outcomes, rows: Sequence[OutcomeRow]) -> OutcomeRow:
        """One of these outcomes is come to, all of the same dice: by lot, where there are several."""
        row = rows[0]
        if len(rows) > 1:
            row = rows[pick([chance(each) for each in rows], self._seed(), self._n_throws(), self.mover, "unseen")]
        seat, is_certain = self.mover, len(found.rows) == 1 and not thrown_in(row)
        if not is_certain:
            self._lines.append(self._thrown_line(found, row))
        after = (seat + row.mover - found.mover) % self.seats
        if row.state is not None:
            if row.gained:
                self._lines[-1]["gained"] = short(row.gained)
            self._stand(Here(plain_state(row.state), after))
            return row
        if row.ended is not None:
            self._lines.append({"result": result_of(row, self._lines, seat, self.seats, self._game.total)})
        self._stand(Here(None, seat))
        return row

    def _thrown_line(self, found: Outcomes, row: OutcomeRow) -> dict[str, Any]:
        """What a throw did to what its seat has."""
        thrown, seat = thrown_in(row), self.mover
        line: dict[str, Any] = {"thrown": list(thrown[0]) if thrown else []}
        if thrown[1:]:
            line["then"] = [list(dice) for dice in thrown[1:]]
        line["seat"] = seat
        if not self._chooses:
            line["state"] = self.state
        before, after = found.value, worth_of(row, seat)
        if before is None and None not in (each.chance for each in found.rows):
            before = sum(float(chance(each)) * (worth_of(each, seat) or 0.0) for each in found.rows)
        return {**line, "before": before, "after": after}

    def undo(self) -> None:
        """Take back the last move with all that it led to; in games of luck the last throw. BadInput where none is."""
        if not self._chooses and self._here.thrown:
            self._here.thrown = ()
            return
        sort = "choice" if self._chooses else "thrown"
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
    def of(cls, record: Any) -> Match:
        """The match that this record is of, ready to go on; raises BadInput for what is none."""
        if not isinstance(record, list):
            raise BadInput(f"a record is a list of lines, got {quoted(plain(record))}")
        require_lines((f"line {number}", line) for number, line in enumerate(record, 1))
        head, *lines = record
        made = the_game(head["game"], head.get("parameters"))
        require_rules(made, head.get("rules_version"))
        match = cls.__new__(cls)
        match._take_up(made, head.get("seed"))
        match._lines = copy.deepcopy(lines)
        require_played(lines, match.seats, match.luck)
        match._go_on(head.get("next"))
        return match

    def _go_on(self, here: Any) -> None:
        """Stand where the record says, if it can be asked there."""
        if here is None:
            if not self._lines or "choice" in self._lines[-1]:
                told = "the record ends in the middle of a game and does not say where it goes on"
                raise BadInput(told, field=RECORD)
            seats = [line["seat"] for line in self._lines if "result" not in line]
            if not seats:
                raise BadInput("the record has a result, and nothing that was played before it", field=RECORD)
            self._stand(Here(None, seats[-1]))
            return
        state, seat = here["state"], here["seat"]
        if seat >= self.seats:
            raise BadInput(f"seats are from 0 to {self.seats - 1}, got {seat}", field="seat")
        self._stand(Here(self._plain_state(the_fields(self._game, state)), seat))
        self._question()
        if "choice" in here:
            self._here.move = self.outcomes(here["choice"], each=True).move
        for dice in here.get("thrown", []):
            if not self.waiting:
                raise BadInput("dice fall after a move, and the record says none", field="thrown")
            rows, thrown = self.outcomes(each=True).rows, self._here.thrown
            self._here.thrown = (*thrown, typed(dice, next_throws(begun(rows, thrown), thrown)))

    @checked
    def save(self, path: str | Path) -> None:
        """Write the record to a file, whole or not at all; raises BadInput where it cannot be written."""
        write(Path(path), self.record())

    @classmethod
    @checked
    def load(cls, path: str | Path) -> Match:
        """The match of a file that ``save`` wrote; raises BadInput for any other."""
        found = Path(path)
        try:
            return cls.of(read(found))
        except BadInput as error:
            raise looked_at(error, found) from None
