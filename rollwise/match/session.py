"""One sitting: what is typed, line by line, and what is said to it, until the game is over or somebody stops."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from rollwise.asking.outcomes import listed
from rollwise.games.move_aliases import meaning, numbered
from rollwise.match import looks
from rollwise.match.match import Match
from rollwise.match.saved import as_lines, write_new
from rollwise.match.seats import best_move, on_to_the_throw, taken_back
from rollwise.policy_tables.ours import FORCE
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.names import folded
from rollwise.solver.model.plain import quoted, whole
from rollwise.text.advice import advice_lines
from rollwise.text.layout import wrapped
from rollwise.text.moves import order
from rollwise.text.screen import Screen

Ask = Callable[[str], str | None]  # prompt to answer; None at the end of the input
Say = Callable[[Iterable[str]], None]
MOVE, DICE, OVER, SURE = "> ", "dice> ", "over> ", "y/n> "
MOST_LISTED = 10  # moves that ? lists
OPTIONS = "--top N lists"  # of the command line, which are none here
ALL = "all"


class Stop(Exception):
    """Somebody wants to stop."""


class Session:
    """A match at the terminal: ``humans`` are the seats of those who type, ``is_thrown``: the program rolls for all."""

    def __init__(self, match: Match, humans: Sequence[int], is_thrown: bool, ask: Ask, say: Say, on: Screen) -> None:
        self.match, self.humans, self.is_thrown = match, list(humans), is_thrown
        self.ask, self.say, self.on = ask, say, on
        self.saved: Path | None = None
        self.force = False

    def run(self, saved: Path | None, *, force: bool = False) -> bool:
        """Play; True where it was stopped by Ctrl-C. Whatever ends it, the game is kept; ``force``: over any file."""
        self.saved, self.force = saved, force
        is_interrupted = False
        try:
            self.say([*looks.opening(self.match, self.humans, self._thrown_by()), ""])
            self._go()
        except (Stop, KeyboardInterrupt) as stopped:
            is_interrupted = isinstance(stopped, KeyboardInterrupt)
        except BaseException:
            with suppress(RollwiseError):
                self.say(self._keep())
            raise
        self.say([*([""] if is_interrupted else []), *self._keep()])  # kept first: a closed terminal hears nothing
        return is_interrupted

    def _thrown_by(self) -> str:
        return f"The program rolls; seed {self.match.seed}." if self.is_thrown else "Type what is rolled."

    def _go(self) -> None:
        while True:
            if self.match.over:
                self._over()
            elif self.match.waiting:
                self._throw()
            elif self.match.mover in self.humans:
                self._choose()
            else:
                self._best()

    # --- what happens -------------------------------------------------------------------------------------------------

    def _over(self) -> None:
        """The result; then there may still be something to save, or to take back."""
        self.say([*looks.result_lines(self.match, self.humans, self.on)])
        if self.saved is not None:
            raise Stop
        self.say(wrapped("quit keeps the record, for rollwise review; save FILE names its file; undo takes back."))
        for _ in self._typed(OVER):
            self.say(wrapped("The game is over: quit, save FILE or undo."))

    def _choose(self) -> None:
        """A move of somebody who types."""
        legal = self.match.legal
        self.say(looks.question_lines(self.match, self.humans, self.on))
        if len(legal) == 1:
            self._play(legal[0])
            return
        for typed in self._typed(MOVE):
            if not typed:
                self.say(["Which move? A number or its name; help tells what else can be typed."])
                continue
            with self._in_one_line():
                self._play(self._meant(typed, legal))

    def _meant(self, typed: str, legal: Sequence[str]) -> str:
        """The move of a number, of other words for it, or of the start of its name."""
        meant = meaning(typed, legal, listed=True)
        if meant.note:
            self.say(wrapped(f"{meant.note}."))
        if meant.move is None and (folded(typed) == "throw" or typed.isdigit()):
            first, *_, last = numbered(legal)
            raise BadInput(f"a move is wanted now, numbered from {first} to {last}, got {typed}")
        begun = [] if re.search(r"\d", typed) else [move for move in legal if folded(move).startswith(folded(typed))]
        return meant.move or (begun[0] if len(begun) == 1 else typed)

    def _play(self, move: str) -> None:
        """Make a move of somebody who types, and tell what it cost; one that had to be made costs nothing."""
        advice = self.match.advice
        made = self.match.play(move)
        assert advice is not None
        if len(advice.moves) > 1:
            self.say(looks.cost_lines(advice, made, self.on))
        elif made.move != "roll":
            self.say([f"Only one move: {order(made.move)}."])
        self._unseen()

    def _best(self) -> None:
        """A move of the best player, drawn where the best play is a mix."""
        match = self.match
        is_free, move = len(match.moves) > 1, best_move(match)
        who = looks.name_of(match, match.mover, self.humans)
        match.play(move)
        if move != "roll" or is_free:
            self.say([f"{who}: {order(move)}"])
        self._unseen()

    def _unseen(self) -> None:
        """Tell what happened without dice: robots, a roll-off, what was under the cup."""
        lines = self.match.record()
        if len(lines) > 2 and lines[-2].get("result") is None and lines[-1].get("result") is not None:
            lines = lines[:-1]
        if lines[-1].get("thrown") != []:
            return
        under = next((line for line in lines[-3:-2] if "hidden" in line), None)
        if under is not None:
            shown = " ".join(f"{name}={under['state'][name]}" for name in under["hidden"])
            self.say([f"Under the cup: {shown}."])
        else:
            self.say(["What follows was drawn by lot."])

    def _throw(self) -> None:
        """A throw: typed, or let fall; the hidden dice of the best player fall unseen."""
        match, seat = self.match, self.match.mover
        is_own = seat in self.humans
        # Where the program rolls for all, who rolls has said so by the move.
        if (self.is_thrown or match.hides) if not is_own else (self.is_thrown and match.move is not None):
            self._fall()
            return
        if match.move is None or not is_own:  # in games of luck nobody has seen the state yet
            self.say(looks.question_lines(match, self.humans, self.on) if match.move is None else [])
        again = ", again" if match.thrown else ""
        who = looks.name_of(match, seat, self.humans)
        for typed in self._typed(DICE if is_own and match.seats == 1 else f"{who}{again}, {DICE}"):
            if folded(typed) in (("throw", "roll", "") if self.is_thrown else ("throw",)):
                self._fall()
                continue
            with self._in_one_line():
                match.throw(self._dice(typed))

    def _dice(self, typed: str) -> str:
        """What was typed, if it may be dice."""
        if not any(sign.isdigit() for sign in typed):
            raise BadInput(
                "a throw is wanted now: type what is rolled, such as 1 3 5 or 135; "
                f"throw lets the program roll{self._back()}"
            )
        return typed

    def _back(self) -> str:
        """What undo would take back, where that is a move."""
        try:
            earlier = taken_back(self.match, self.humans)
        except BadInput:
            return ""
        taken = self.match.record()[len(earlier.record()) :]
        return f", undo takes '{order(taken[0]['choice'])}' back" if taken and "choice" in taken[0] else ""

    def _fall(self) -> None:
        """The program lets the dice fall, and tells them, but for those under the best player's cup."""
        match, seat = self.match, self.match.mover
        who = looks.name_of(match, seat, self.humans)
        row = match.throw()
        if match.hides and seat not in self.humans:
            self.say([f"{who} rolls under the cup."])
        elif row is not None and row.thrown:
            throw = row.thrown[0]
            self.say(looks.throw_lines(who, [throw.dice, *throw.then], self.on))

    # --- what is typed ------------------------------------------------------------------------------------------------

    def _hear(self, prompt: str) -> str:
        typed = self.ask(prompt)
        if typed is None:
            raise Stop
        return " ".join(typed.split())

    def _typed(self, prompt: str) -> Iterator[str]:
        """What is typed that is no command, line by line, until something was done in the game."""
        record = self.match.record()
        while self.match.record() == record:
            typed = self._hear(prompt)
            if not self._commanded(typed):
                yield typed

    @contextmanager
    def _in_one_line(self) -> Iterator[None]:
        """What cannot be is said in a line, and play goes on."""
        try:
            yield
        except BadInput as error:
            self.say(wrapped(str(error)))

    def _commanded(self, typed: str) -> bool:
        """Was this one of the words that are no move? Then it is done."""
        word, _, rest = typed.partition(" ")
        act = {
            "?": self._advise,
            "why": self._why,
            "odds": self._odds,
            "undo": self._undo,
            "save": self._save,
            "quit": self._quit,
            "q": self._quit,
            "exit": self._quit,
            "help": self._help,
        }.get(word.casefold())
        if act is None:
            return False
        with self._in_one_line():
            act(rest.strip())
        return True

    def _help(self, rest: str) -> None:
        lines = []
        for line in looks.HELP.splitlines():
            lines += wrapped(line, hanging=4) if len(line) > self.on.width else [line]
        self.say(lines)

    def _quit(self, rest: str) -> None:
        raise Stop

    def _advise(self, rest: str) -> None:
        advice = self.match.advice
        if advice is None:
            raise BadInput("there is nothing to choose now; odds tells what the throw can bring")
        every = len(advice.moves)
        top = every if folded(rest) == ALL else MOST_LISTED if not rest else self._number(rest, "?", "moves")
        lines = advice_lines(advice, self.match.title, top=top)
        self.say([*(line.replace(f"--top {every} lists", f"? {ALL} lists") for line in lines), ""])

    def _number(self, rest: str, command: str, what: str) -> int:
        """How many are meant; raises BadInput."""
        number = whole(rest)
        if number is None or number < 1:
            raise BadInput(f"say a number of {what}, as {command} 3, got {quoted(rest)}")
        return number

    def _odds(self, rest: str) -> None:
        from rollwise.asking.outcomes import with_next_moves
        from rollwise.text.outcomes import outcome_lines

        match = self.match
        legal = match.legal
        move = match.move if match.move is not None or not legal else self._meant(rest, legal) if rest else None
        if move is None and legal:
            if "roll" not in legal and len(legal) > 1:
                raise BadInput(f"say of which move: odds {listed(legal)}")
            move = "roll" if "roll" in legal else legal[0]
        outcomes = match.outcomes(move)
        then = on_to_the_throw(match, outcomes)
        if then is not None:
            self.say(wrapped(f"{order(outcomes.move)}; then:"))
            outcomes = then
        lines = outcome_lines(with_next_moves(match.made, outcomes), match.title, self.on)
        last = next((place for place, line in enumerate(lines) if OPTIONS in line), len(lines))
        self.say([*lines[:last], ""])

    def _why(self, rest: str) -> None:
        match = self.match
        if not match.moves:
            raise BadInput("there is nothing to choose now, so nothing to compare")
        from rollwise.asking.why import why
        from rollwise.text.why import why_lines

        other = self._meant(rest, match.legal) if rest else None
        answer = why(match.game, state=match.state, move=other, params=match.parameters)
        self.say([*why_lines(answer, match.title, self.on), ""])

    def _undo(self, rest: str) -> None:
        """Back so many decisions of those who type; in games of luck so many throws. All of them, or none."""
        match = self.match
        for _ in range(self._number(rest, "undo", "moves") if rest else 1):
            match = taken_back(match, self.humans)
        self.match = match

    def _save(self, rest: str) -> None:
        if not rest and self.saved is None:
            raise BadInput(f"say where: save {self.match.game}.jsonl")
        path = Path(rest) if rest else self.saved
        assert path is not None
        try:
            self.match.save(path, force=self.force)
        except BadInput as error:
            if error.field != FORCE:
                raise
            self.say(wrapped(f"{path} is there already, and is no record of a game. Write over it?"))
            if folded(self._hear(SURE)) not in ("y", "yes"):
                raise BadInput(f"{path} stays as it is; save FILE names another") from None
            self.match.save(path, force=True)
        self.saved = path
        self.say([f"Saved: {path}"])

    def _keep(self) -> list[str]:
        """What was done goes to a file, and how to go on, or to look at it, is said; nothing of what was not begun."""
        match = self.match
        if len(match.record()) == 1 and self.saved is None:
            return []
        path = self.saved
        if path is not None:
            try:
                match.save(path, force=self.force)
            except BadInput as error:  # what stands there by now is not ours, or no file
                self.say(wrapped(f"{error.message}."))
                path = None
        if path is None:
            try:
                path = write_new(match.game, match.record())
            except RollwiseError as error:
                self.say(wrapped(f"{error}. This is its record, for a file:"))
                sys.stdout.write(as_lines(match.record()))  # not folded, so that a file of it can be read
                return []
        named = shlex.quote(str(path))
        if match.over:
            return ["The record is kept; look at every move with:", f"  rollwise review {named}"]
        seats = "" if self.humans == [0] else f" --seats {','.join(map(str, self.humans)) or 'none'}"
        dice = " --dice" if self.is_thrown else ""
        return ["The game is kept; go on with:", f"  rollwise play --resume {named}{seats}{dice}"]
