"""A session at the terminal: reads typed lines and prints replies until the game is over or the user stops."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from rollwise.games.move_aliases import meaning, numbered
from rollwise.match import play_lines
from rollwise.match.match import Match, best_move, undo_to_decision
from rollwise.match.record_files import record_text, write_new_record
from rollwise.policy_tables.overwrite import FORCE
from rollwise.questions.ask.text import advice_lines
from rollwise.questions.outcomes.compute import listed, outcomes, with_best_moves
from rollwise.questions.outcomes.data import Outcomes
from rollwise.questions.outcomes.text import outcome_lines
from rollwise.questions.why.compute import why
from rollwise.questions.why.text import why_lines
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.names import folded
from rollwise.solver.model.plain import quoted, whole
from rollwise.text.layout import wrap_text
from rollwise.text.moves import infinitive
from rollwise.text.screen import Screen, dice

ReadLine = Callable[[str], str | None]  # a line for a prompt; None at the end of the input
ShowLines = Callable[[Iterable[str]], None]
MOVE_PROMPT, DICE_PROMPT, OVER_PROMPT, OVERWRITE_PROMPT = "> ", "dice> ", "over> ", "y/n> "
MAX_LISTED_MOVES = 10  # by the command ?
TOP_OPTION_HINT = "--top N lists"  # a hint of the command line, which has no place here
ALL_MOVES = "all"


class SessionEnd(Exception):
    """The user ends the session."""


class Session:
    """A match at the terminal: ``humans`` are the seats of people; with ``is_thrown`` the program rolls for all."""

    def __init__(
        self, match: Match, humans: Sequence[int], is_thrown: bool, read_line: ReadLine, show: ShowLines, screen: Screen
    ) -> None:
        self.match, self.humans, self.is_thrown = match, list(humans), is_thrown
        self.read_line, self.show, self.screen = read_line, show, screen
        self.record_path: Path | None = None
        self.force = False

    def run(self, record_path: Path | None, *, force: bool = False) -> bool:
        """Play; True if Ctrl-C ended it. However it ends, the record is saved; with ``force`` over any file."""
        self.record_path, self.force = record_path, force
        is_interrupted = False
        try:
            thrown = f"The program rolls; seed {self.match.seed}." if self.is_thrown else "Type what is rolled."
            self.show([*play_lines.opening_lines(self.match, self.humans, thrown), ""])
            self._loop()
        except (SessionEnd, KeyboardInterrupt) as stopped:
            is_interrupted = isinstance(stopped, KeyboardInterrupt)
        except BaseException:
            with suppress(RollwiseError):
                self.show(self._save_at_end())
            raise
        self.show([*([""] if is_interrupted else []), *self._save_at_end()])  # saved first: a closed terminal fails
        return is_interrupted

    def _loop(self) -> None:
        while True:
            if self.match.over:
                self._end()
            elif self.match.waiting:
                self._throw()
            elif self.match.mover in self.humans:
                self._choose()
            else:
                self._play_best()

    # --- play ---------------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """Print the result; then the game can still be saved, or a move taken back."""
        self.show([*play_lines.result_lines(self.match, self.humans, self.screen)])
        if self.record_path is not None:
            raise SessionEnd
        self.show(wrap_text("quit keeps the record, for rollwise review; save FILE names its file; undo takes back."))
        for _ in self._replies(OVER_PROMPT):
            self.show(wrap_text("The game is over: quit, save FILE or undo."))

    def _choose(self) -> None:
        """Read a move of a person and play it."""
        legal = self.match.legal
        self.show(play_lines.question_lines(self.match, self.humans, self.screen))
        if len(legal) == 1:
            self._play(legal[0])
            return
        for typed in self._replies(MOVE_PROMPT):
            if not typed:
                self.show(["Which move? A number or its name; help tells what else can be typed."])
                continue
            with self._errors_as_lines():
                self._play(self._parse_move(typed, legal))

    def _parse_move(self, typed: str, legal: Sequence[str]) -> str:
        """The legal move of a number, of an alias, or of the unique start of a name."""
        parsed = meaning(typed, legal, listed=True)
        if parsed.note:
            self.show(wrap_text(f"{parsed.note}."))
        if parsed.move is None and (folded(typed) == "throw" or typed.isdigit()):
            first, *_, last = numbered(legal)
            raise BadInput(f"a move is wanted now, numbered from {first} to {last}, got {typed}")
        starting = [] if re.search(r"\d", typed) else [move for move in legal if folded(move).startswith(folded(typed))]
        return parsed.move or (starting[0] if len(starting) == 1 else typed)

    def _play(self, move: str) -> None:
        """Play a move of a person, and print its loss; a forced move has none."""
        advice = self.match.advice
        played = self.match.play(move)
        assert advice is not None
        if len(advice.moves) > 1:
            self.show(play_lines.cost_lines(advice, played, self.screen))
        elif played.move != "roll":
            self.show([f"Only one move: {infinitive(played.move)}."])
        self._print_unseen_events()

    def _play_best(self) -> None:
        """Play the best player's move, drawn from a mixed strategy where that is best."""
        match = self.match
        has_choice, move = len(match.moves) > 1, best_move(match)
        who = play_lines.seat_name(match, match.mover, self.humans)
        match.play(move)
        if move != "roll" or has_choice:
            self.show([f"{who}: {infinitive(move)}"])
        self._print_unseen_events()

    def _print_unseen_events(self) -> None:
        """Print events without visible dice: robots, a roll-off, dice under the cup."""
        lines = self.match.record()
        if len(lines) > 2 and lines[-2].get("result") is None and lines[-1].get("result") is not None:
            lines = lines[:-1]
        if lines[-1].get("thrown") != []:
            return
        under = next((line for line in lines[-3:-2] if "hidden" in line), None)
        if under is not None:
            shown = " ".join(f"{name}={under['state'][name]}" for name in under["hidden"])
            self.show([f"Under the cup: {shown}."])
        else:
            self.show(["What follows was drawn by lot."])

    def _throw(self) -> None:
        """Read a typed throw or roll; hidden dice of the best player are rolled unseen."""
        match, seat = self.match, self.match.mover
        is_own = seat in self.humans
        # If the program rolls for all, the move itself was the order to roll.
        if (self.is_thrown or match.hides) if not is_own else (self.is_thrown and match.move is not None):
            self._roll()
            return
        if match.move is None or not is_own:  # in games of luck the state was not shown yet
            self.show(play_lines.question_lines(match, self.humans, self.screen) if match.move is None else [])
        again = ", again" if match.thrown else ""
        who = play_lines.seat_name(match, seat, self.humans)
        for typed in self._replies(DICE_PROMPT if is_own and match.seats == 1 else f"{who}{again}, {DICE_PROMPT}"):
            if folded(typed) in (("throw", "roll", "") if self.is_thrown else ("throw",)):
                self._roll()
                continue
            with self._errors_as_lines():
                match.throw(self._require_dice(typed))

    def _require_dice(self, typed: str) -> str:
        """The typed text, if it has digits; else raises BadInput."""
        if not any(sign.isdigit() for sign in typed):
            raise BadInput(
                "a throw is wanted now: type what is rolled, such as 1 3 5 or 135; "
                f"throw lets the program roll{self._undo_hint()}"
            )
        return typed

    def _undo_hint(self) -> str:
        """Hint that undo takes the last move back; empty if the last event is no move."""
        try:
            earlier = undo_to_decision(self.match, self.humans)
        except BadInput:
            return ""
        taken = self.match.record()[len(earlier.record()) :]
        return f", undo takes '{infinitive(taken[0]['choice'])}' back" if taken and "choice" in taken[0] else ""

    def _roll(self) -> None:
        """Roll for the seat to move, and print the dice unless they are under the best player's cup."""
        match, seat = self.match, self.match.mover
        who = play_lines.seat_name(match, seat, self.humans)
        row = match.throw()
        if match.hides and seat not in self.humans:
            self.show([f"{who} rolls under the cup."])
        elif row is not None and row.thrown:
            faces = (dice(each, self.screen.width - 20) for each in (row.thrown[0].dice, *row.thrown[0].then))
            self.show([f"{who} {'roll' if who == 'You' else 'rolls'} {', then '.join(faces)}"])

    # --- input --------------------------------------------------------------------------------------------------------

    def _read(self, prompt: str) -> str:
        typed = self.read_line(prompt)
        if typed is None:
            raise SessionEnd
        return " ".join(typed.split())

    def _replies(self, prompt: str) -> Iterator[str]:
        """Typed lines that are no commands, until the record of the game changes."""
        record = self.match.record()
        while self.match.record() == record:
            typed = self._read(prompt)
            if not self._run_command(typed):
                yield typed

    @contextmanager
    def _errors_as_lines(self) -> Iterator[None]:
        """Print a BadInput as a line, and go on."""
        try:
            yield
        except BadInput as error:
            self.show(wrap_text(str(error)))

    def _run_command(self, typed: str) -> bool:
        """Run the line if it is a command; False if it is none."""
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
        with self._errors_as_lines():
            act(rest.strip())
        return True

    def _help(self, rest: str) -> None:
        lines = []
        for line in play_lines.HELP.splitlines():
            lines += wrap_text(line, hanging=4) if len(line) > self.screen.width else [line]
        self.show(lines)

    def _quit(self, rest: str) -> None:
        raise SessionEnd

    def _advise(self, rest: str) -> None:
        advice = self.match.advice
        if advice is None:
            raise BadInput("there is nothing to choose now; odds tells what the throw can bring")
        every = len(advice.moves)
        top = every if folded(rest) == ALL_MOVES else MAX_LISTED_MOVES if not rest else self._number(rest, "?", "moves")
        lines = advice_lines(advice, self.match.title, top=top)
        self.show([*(line.replace(f"--top {every} lists", f"? {ALL_MOVES} lists") for line in lines), ""])

    def _number(self, rest: str, command: str, what: str) -> int:
        """Parse a number of moves from 1 up; raises BadInput."""
        number = whole(rest)
        if number is None or number < 1:
            raise BadInput(f"say a number of {what}, as {command} 3, got {quoted(rest)}")
        return number

    def _odds(self, rest: str) -> None:
        match = self.match
        legal = match.legal
        move = match.move if match.move is not None or not legal else self._parse_move(rest, legal) if rest else None
        if move is None and legal:
            if "roll" not in legal and len(legal) > 1:
                raise BadInput(f"say of which move: odds {listed(legal)}")
            move = "roll" if "roll" in legal else legal[0]
        following = match.outcomes(move)
        then = _outcomes_of_next_throw(match, following)
        if then is not None:
            self.show(wrap_text(f"{infinitive(following.move)}; then:"))
        lines = outcome_lines(with_best_moves(match.turn_game, then or following), match.title, self.screen)
        last = next((place for place, line in enumerate(lines) if TOP_OPTION_HINT in line), len(lines))
        self.show([*lines[:last], ""])

    def _why(self, rest: str) -> None:
        match = self.match
        if not match.moves:
            raise BadInput("there is nothing to choose now, so nothing to compare")
        other = self._parse_move(rest, match.legal) if rest else None
        answer = why(match.game, state=match.state, move=other, params=match.parameters)
        self.show([*why_lines(answer, match.title, self.screen), ""])

    def _undo(self, rest: str) -> None:
        """Undo so many decisions of the people; in games of luck so many throws. All or none."""
        match = self.match
        for _ in range(self._number(rest, "undo", "moves") if rest else 1):
            match = undo_to_decision(match, self.humans)
        self.match = match

    def _save(self, rest: str) -> None:
        if not rest and self.record_path is None:
            raise BadInput(f"say where: save {self.match.game}.jsonl")
        path = Path(rest) if rest else self.record_path
        assert path is not None
        try:
            self.match.save(path, force=self.force)
        except BadInput as error:
            if error.field != FORCE:
                raise
            self.show(wrap_text(f"{path} is there already, and is no record of a game. Write over it?"))
            if folded(self._read(OVERWRITE_PROMPT)) not in ("y", "yes"):
                raise BadInput(f"{path} stays as it is; save FILE names another") from None
            self.match.save(path, force=True)
        self.record_path = path
        self.show([f"Saved: {path}"])

    def _save_at_end(self) -> list[str]:
        """Save the record; return lines on how to go on or to review it. A game without a move is not saved."""
        match = self.match
        if len(match.record()) == 1 and self.record_path is None:
            return []
        path = self.record_path
        if path is not None:
            try:
                match.save(path, force=self.force)
            except BadInput as error:  # another program has written there meanwhile, or it is no file
                self.show(wrap_text(f"{error}."))
                path = None
        if path is None:
            try:
                path = write_new_record(match.game, match.record())
            except RollwiseError as error:
                self.show(wrap_text(f"{error}. This is its record, for a file:"))
                sys.stdout.write(record_text(match.record()))  # unwrapped, so that it can be pasted into a file
                return []
        named = shlex.quote(str(path))
        if match.over:
            return ["The record is kept; look at every move with:", f"  rollwise review {named}"]
        seats = "" if self.humans == [0] else f" --seats {','.join(map(str, self.humans)) or 'none'}"
        dice = " --dice" if self.is_thrown else ""
        return ["The game is kept; go on with:", f"  rollwise play --resume {named}{seats}{dice}"]


def _outcomes_of_next_throw(match: Match, after: Outcomes) -> Outcomes | None:
    """Outcomes of the next throw, where a move leads for certain to a throw of the same seat; else None."""
    row = after.rows[0]
    if len(after.rows) > 1 or row.thrown or row.state is None or row.mover != after.mover or match.hides:
        return None
    try:
        return outcomes(match.game, state=row.state, params=match.parameters)
    except BadInput:  # there is a choice before it
        return None
