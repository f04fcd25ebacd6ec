"""A rule of thumb that is asked: what it sees of a state, and on which boards it is known to play alike.

A rule sees all fields of a question, and what it looks at is noted. Boards that agree in all that it looked at are one
to it, so it is asked about one of them only; where it looks at nothing but the turn, once for all boards.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.games.policies import Policy
from rollwise.policy_tables.reading import key_of, shown_key
from rollwise.solutions.notes import note
from rollwise.solver.kinds.kind import n_possible
from rollwise.solver.model.errors import BadInput, RollwiseError, TooLarge
from rollwise.solver.model.fields import check_alike
from rollwise.solver.model.game import Decision, NodeKey, TurnGame
from rollwise.solver.model.plain import plain
from rollwise.solver.policy.policy_in_duel import Alike
from rollwise.solver.turn.played import Decided

Ints = NDArray[np.int64]
MOST_ASKED = 20_000_000  # decisions that a rule is asked about
MOST_COUNTED = 20_000  # boards that are looked at to foresee how many that will be
TOLD_AFTER = 4  # turns of boards that differ, of which the time is taken
LONG = 3.0  # seconds from which on a person hears of it
CONFIRMED = 8  # boards on which a state of the turn is asked about before what is of the turn is relied on
ABSENT = object()
NO_MOVE = "which is none of the moves"


class Seen(Mapping[str, Any]):
    """All fields of a state that there are, and the game's parameters; ``read`` are those of the board looked at."""

    __slots__ = ("fields", "of_board", "read")

    def __init__(self, fields: Mapping[str, Any], of_board: frozenset[str]) -> None:
        self.fields, self.of_board = fields, of_board
        self.read: dict[str, None] = {}

    def __getitem__(self, name: str) -> Any:
        if name in self.of_board:
            self.read[name] = None
        value = self.fields[name]
        return value.copy() if isinstance(value, dict | list) else value  # a rule may change what it is shown

    def __iter__(self) -> Iterator[str]:
        self.read.update(dict.fromkeys(sorted(self.of_board)))  # which fields there are may depend on the board
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __repr__(self) -> str:
        return repr(dict(self))


class Described:
    """What there is to say of a state on a board: what the board says, asked once, with what the turn says, asked once.

    Raises ModelError where a field does not belong to what the game says (``Field.of``).
    """

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.space = game.boards()
        self.fields = list(game.fields())
        self.names = {of: [field.name for field in self.fields if field.of == of] for of in ("board", "turn", "both")}
        self.of_board = frozenset(self.names["board"] + self.names["both"])
        self.parameters = game.as_asked().parameters()
        self.last: tuple[int, Mapping[str, Any]] = -1, {}
        self.roots: dict[int, int] = {}
        self.turns: dict[tuple[int, NodeKey], dict[str, Any]] = {}  # by root
        self.confirmed: dict[tuple[int, NodeKey], int] = {}  # on so many boards
        self.boards: dict[int, dict[str, Any]] = {}

    def root(self, board: int) -> int:
        """The place of the root that turns on a board start in."""
        if board not in self.roots:
            self.roots[board] = root_of(self.game, board)
        return self.roots[board]

    def first_way(self, board: int, state: NodeKey) -> Mapping[str, Any] | None:
        """As the game says it, of the ways in which it may; also of a state that is none of this board's turns."""
        if self.last[0] != board:  # many questions about a board come one after the other
            self.last = board, self.space.board(board)
        return next(iter(self.game.describe(self.last[1], state)), None)

    def question(self, board: int, state: NodeKey) -> Mapping[str, Any] | None:
        """As the game says it, the first way; None where no question is there. What board and turn say is kept."""
        here = self.first_way(board, state)
        if here is not None:
            parts = {of: {name: here[name] for name in names if name in here} for of, names in self.names.items()}
            of_board = self.boards.setdefault(board, parts["board"])
            of_turn = self.turns.setdefault((self.root(board), state), parts["turn"])
            check_alike(self.game, "board", self.fields, of_board, here)
            check_alike(self.game, "turn", self.fields, of_turn, here)
        return here

    def confirm(self, boards: Ints, state: NodeKey) -> None:
        """See to it that what is of the turn was the same on some boards (of one root) before that is relied on."""
        place = self.root(int(boards[0])), state
        before = self.confirmed.get(place, 0)
        if before < CONFIRMED:
            some = boards[:: len(boards) // CONFIRMED + 1].tolist()
            self.confirmed[place] = before + len(some)
            for board in some:
                self.question(board, state)

    def of(self, board: int, state: NodeKey) -> Mapping[str, Any] | None:
        """All fields of a state on a board, those of ``Seen``; None where no question describes it."""
        place = self.root(board), state
        both: dict[str, Any] = {}
        if self.names["both"] or place not in self.turns or board not in self.boards:
            here = self.question(board, state)
            if here is None:
                return None
            both = {name: here[name] for name in self.names["both"] if name in here}
        return {**self.parameters, **self.boards[board], **both, **self.turns[place]}

    def value(self, board: int, state: NodeKey, name: str) -> Any:
        """One field of the board, as something that can be compared."""
        here = None if name in self.names["both"] else self.boards.get(board)
        return _plain(here or self.question(board, state) or {}, name)


def _plain(fields: Mapping[str, Any], name: str) -> Any:
    """A field as something that can be compared."""
    value = fields.get(name, ABSENT)
    return tuple(value.items()) if isinstance(value, Mapping) else value


class AskedRule:
    """A rule, asked with what it may see; ``looks_at``: the fields of the board that it looked at."""

    def __init__(self, game: TurnGame, rule: Policy, name: str) -> None:
        self.game, self.rule, self.name = game, rule, name
        self.described = Described(game)
        self.looks_at: dict[str, None] = {}
        self.n_asked = 0
        self.answers: dict[tuple[int, NodeKey, tuple[str, ...]], str] = {}  # by root; they look at nothing of the board
        self.foreseen = Foreseen(self)

    def begin(self, boards: Callable[[int], Ints | None], decisions: Sequence[Decided]) -> None:
        """See ``solver.policy.policy_in_duel.Rule``."""
        self.foreseen.begin(boards, len(decisions))

    def knows(self, board: int) -> bool:
        """See ``solver.policy.policy_in_duel.Rule``."""
        return is_asked(self.game, board)

    def finished(self) -> None:
        """See ``solver.policy.policy_in_duel.Rule``."""
        self.foreseen.finished()

    def key(self, board: int, fields: frozenset[str], decided: Decided) -> Any:
        """See ``solver.policy.policy_in_duel.Rule``."""
        if not fields.isdisjoint(self.described.names["both"]):
            return None
        return tuple(self.described.value(board, decided.state, name) for name in sorted(fields))

    def decide(self, alike: Alike, decided: Decided, names: tuple[str, ...]) -> list[tuple[Alike, str | None]]:
        """See ``solver.policy.policy_in_duel.Rule``; None where no question describes the decision."""
        root = self.described.root(int(alike.boards[0]))  # of all of them
        self.described.confirm(alike.boards, decided.state)
        before = self.answers.get((root, decided.state, names))
        if before is not None:
            return [(alike, before)]
        waiting = [alike]
        decisions: list[tuple[Alike, str | None]] = []
        while waiting:
            group = waiting.pop()
            boards, same = group.boards, group.same
            fields = self.described.of(int(boards[0]), decided.state)
            if fields is None:
                decisions.append((group, None))
                continue
            seen = Seen(fields, self.described.of_board)
            move = self._move(seen, decided, names)
            for name in seen.read:
                if name not in same and len(boards) > 1:
                    boards, others = self._apart(boards, decided.state, name)
                    waiting += [Alike(other, same | {name}) for other in others]
                same |= {name}
            if not seen.read:
                self.answers[root, decided.state, names] = move
            decisions.append((Alike(boards, same), move))
        return decisions

    def _apart(self, boards: Ints, state: NodeKey, name: str) -> tuple[Ints, list[Ints]]:
        """Boards with the first one's value of a field, and the others by theirs."""
        by_value: dict[Any, list[int]] = {}
        for board in boards.tolist():
            by_value.setdefault(self.described.value(board, state, name), []).append(board)
        first, *others = (np.array(some, dtype=np.int64) for some in by_value.values())
        return first, others

    # --- one question ------------------------------------------------------------------------------------------------

    def _move(self, seen: Seen, decided: Decided, names: tuple[str, ...]) -> str:
        self.n_asked += 1
        if self.n_asked > MOST_ASKED:
            raise self.foreseen.too_large(f"more than {MOST_ASKED:,}")
        move = played_by(self.rule, self.name, seen, names, lambda: in_a_line(self.game, seen.fields))
        if not seen.read.keys() <= self.looks_at.keys():
            self.looks_at.update(seen.read)
            self.foreseen.looks_at(decided.state)
        if isinstance(move, str) and move in names:
            return move
        return legal(move, names, f"{self.name} plays {move!r} at {in_a_line(self.game, seen.fields)}", decided.names)


class Foreseen:
    """How many decisions there will be to ask about, and how long that takes: told before it is done."""

    def __init__(self, rule: AskedRule) -> None:
        self.rule = rule
        self.apart = 0  # boards that the rule tells apart
        self.n_played = 0
        self.began = 0.0

    def begin(self, boards: Callable[[int], Ints | None], n_decisions: int) -> None:
        """A walk begins; see ``solver.policy.policy_in_duel.Rule``."""
        self.boards, self.n_decisions = boards, n_decisions
        self.apart = self.n_played = 0

    def looks_at(self, state: NodeKey) -> None:
        """The rule looks at a field more: count the boards that it tells apart; raises TooLarge if they are too many.

        Those that differ are counted where boards are few; else some are taken at random, and where most of these
        differ all boards are taken to.
        """
        few = max(MOST_ASKED // self.n_decisions, 1)
        boards = self.boards(min(few, MOST_COUNTED))
        if boards is not None:
            self.apart = self._told_apart(boards, state)
            return
        space = self.rule.game.boards()
        some = np.unique(np.random.default_rng(0).integers(space.size, size=MOST_COUNTED))
        some = some[np.broadcast_to(self.rule.game.possible(space.columns(some)), len(some))]
        self.apart = self._told_apart(some, state)
        if 2 * self.apart > len(some):
            self.apart = n_possible(self.rule.game)
            if self.apart * self.n_decisions > MOST_ASKED:
                raise self.too_large(f"up to {self.apart:,} boards with {self.n_decisions:,} decisions each")

    def _told_apart(self, boards: Ints, state: NodeKey) -> int:
        rows = (self.rule.described.first_way(board, state) or {} for board in boards.tolist())
        return len({tuple(_plain(row, name) for name in self.rule.looks_at) for row in rows})

    def finished(self) -> None:
        """A turn was played on some boards: when some were, say how long all others take, the first being slower."""
        self.n_played += 1
        if self.n_played == 1:
            self.began = time.monotonic()
        if self.n_played != 1 + TOLD_AFTER or not self.apart:
            return
        seconds = (time.monotonic() - self.began) / TOLD_AFTER * self.apart
        if seconds > LONG:
            long = f"this takes about {seconds:.0f} s (Ctrl-C to stop)"
            note(f"the rule tells up to {self.apart:,} boards apart, so {long}")

    def too_large(self, how_many: str) -> TooLarge:
        """There is too much to ask about."""
        looks_at = ", ".join(self.rule.looks_at) or "the turn"
        return TooLarge(
            f"this rule looks at {looks_at}, and there are {how_many} to ask it about; up to {MOST_ASKED:,} can be",
            hint="name a later board to go on from: FIELD=VALUE",
        )


def root_of(game: TurnGame, board: int) -> int:
    """The place of the root that turns on a board start in."""
    columns = game.boards().columns(np.array([board]))
    return int(np.broadcast_to(np.asarray(game.root(columns)), 1)[0])


def is_asked(game: TurnGame, board: int) -> bool:
    """Can a question stand on this board? True too where its turns do not begin with one."""
    root = tuple(game.roots()[root_of(game, board)])
    if not isinstance(game.turn(*root), Decision):
        return True
    return any(True for _ in game.describe(game.boards().board(board), root))


def in_a_line(game: TurnGame, state: Mapping[str, Any]) -> str:
    """A state as it would be typed."""
    fields = list(game.fields())
    return shown_key(fields, key_of(fields, state))


def legal(move: Any, names: Sequence[str], plays: str, known: Container[str] = (), field: str = "") -> str:
    """A move, which is one of these; else raises BadInput, which begins with who ``plays`` it where.

    ``known``: moves that are legal elsewhere.
    """
    if isinstance(move, str) and move in names:
        return move
    what = "which is not legal there" if move in known else NO_MOVE
    raise BadInput(f"{plays}, {what}; {listed(names)}", field=field)


def played_by(
    rule: Policy, name: str, state: Mapping[str, Any], moves: Sequence[str], shown: Callable[[], str], field: str = ""
) -> Any:
    """What a rule plays in a state; raises BadInput where it fails, with the state as ``shown``."""
    try:
        played = rule(state, list(moves))
        if isinstance(played, Mapping):
            return {plainly(move): number for move, number in played.items()}
        return plainly(played) if isinstance(played, str) else plain(played)
    except RollwiseError:
        raise
    except (Exception, SystemExit) as error:
        raise BadInput(f"{name} failed at {shown()}: {raised(error)}", field=field) from error


def plainly(move: Any) -> Any:
    """A text that has no ways of its own to compare; anything else as it is."""
    return str.__str__(move) if isinstance(move, str) else move


def raised(error: BaseException) -> str:
    """What a rule raised, with file and line."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    what = type(error).__name__ + (f": {error}" if str(error) else "")
    if isinstance(error, SyntaxError):
        return f"{what}"
    return f"{what} ({frames[-1].filename}, line {frames[-1].lineno})" if frames else what


def listed(names: Sequence[str]) -> str:
    """Moves, not all of them if they are many."""
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return "they are: " + ", ".join(names[:12]) + more
