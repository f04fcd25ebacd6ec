"""A rule of thumb as a function: the fields that it reads, and the boards on which its move is therefore the same.

A rule sees all fields of a question, and every field that it reads is noted. It plays the same move on all boards that
agree in these fields, so it is called for one of them only; if it reads only fields of the turn, once for all boards.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.games.policies import Policy
from rollwise.policy_tables.table_rows import key_of, key_text
from rollwise.solutions.notes import note
from rollwise.solver.kinds.kind import count_possible
from rollwise.solver.model.errors import BadInput, RollwiseError, TooLarge
from rollwise.solver.model.fields import check_same_field
from rollwise.solver.model.game import Decision, NodeKey, TurnGame
from rollwise.solver.model.plain import plain
from rollwise.solver.policy.policy_in_duel import Block
from rollwise.solver.turn.policy_turn import TurnDecision

Ints = NDArray[np.int64]
MAX_QUESTIONS = 20_000_000  # calls of a rule
MAX_SAMPLED_BOARDS = 20_000  # boards in the sample that estimates the number of calls
N_TIMED_TURNS = 4  # turns timed for the estimate of the whole time
NOTE_FROM_S = 3.0  # a note announces a comparison of more seconds
N_CONFIRMING_BOARDS = 8  # boards on which the fields of a turn are checked to be the same
ABSENT = object()
NO_MOVE = "which is none of the moves"


class ObservedState(Mapping[str, Any]):
    """All fields of a state, and the game's parameters; ``fields_read`` are the fields of the board read so far."""

    __slots__ = ("fields", "fields_read", "of_board")

    def __init__(self, fields: Mapping[str, Any], of_board: frozenset[str]) -> None:
        self.fields, self.of_board = fields, of_board
        self.fields_read: dict[str, None] = {}

    def __getitem__(self, name: str) -> Any:
        if name in self.of_board:
            self.fields_read[name] = None
        value = self.fields[name]
        return value.copy() if isinstance(value, dict | list) else value  # a rule may change its copy

    def __iter__(self) -> Iterator[str]:
        self.fields_read.update(dict.fromkeys(sorted(self.of_board)))  # the set of fields may depend on the board
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __repr__(self) -> str:
        return repr(dict(self))


class StateDescriptions:
    """The fields of states on boards, described once for each board and once for each turn.

    Raises ModelError for a field that contradicts its ``Field.of`` (board, turn or both).
    """

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.space = game.boards()
        self.fields = list(game.fields())
        self.names = {of: [field.name for field in self.fields if field.of == of] for of in ("board", "turn", "both")}
        self.of_board = frozenset(self.names["board"] + self.names["both"])
        self.parameters = game.whole_game().parameters()
        self.last: tuple[int, Mapping[str, Any]] = -1, {}
        self.roots: dict[int, int] = {}
        self.turns: dict[tuple[int, NodeKey], dict[str, Any]] = {}  # by root
        self.confirmed: dict[tuple[int, NodeKey], int] = {}  # number of boards
        self.boards: dict[int, dict[str, Any]] = {}

    def root(self, board: int) -> int:
        """The index of the root of turns on a board."""
        if board not in self.roots:
            self.roots[board] = root_of(self.game, board)
        return self.roots[board]

    def first_way(self, board: int, state: NodeKey) -> Mapping[str, Any] | None:
        """The first description of a state; also of a state outside this board's turns."""
        if self.last[0] != board:  # questions about one board come in sequence
            self.last = board, self.space.board(board)
        return next(iter(self.game.describe(self.last[1], state)), None)

    def question(self, board: int, state: NodeKey) -> Mapping[str, Any] | None:
        """The first description of a state, its parts stored by board and turn; None where no question describes it."""
        fields = self.first_way(board, state)
        if fields is not None:
            parts = {of: {name: fields[name] for name in names if name in fields} for of, names in self.names.items()}
            of_board = self.boards.setdefault(board, parts["board"])
            of_turn = self.turns.setdefault((self.root(board), state), parts["turn"])
            check_same_field(self.game, "board", self.fields, of_board, fields)
            check_same_field(self.game, "turn", self.fields, of_turn, fields)
        return fields

    def confirm(self, boards: Ints, state: NodeKey) -> None:
        """Check on some of the boards (of one root) that the fields of the turn are the same."""
        place = self.root(int(boards[0])), state
        n_confirmed = self.confirmed.get(place, 0)
        if n_confirmed < N_CONFIRMING_BOARDS:
            sample = boards[:: len(boards) // N_CONFIRMING_BOARDS + 1].tolist()
            self.confirmed[place] = n_confirmed + len(sample)
            for board in sample:
                self.question(board, state)

    def of(self, board: int, state: NodeKey) -> Mapping[str, Any] | None:
        """All fields of a state on a board, those of ``ObservedState``; None where no question describes it."""
        place = self.root(board), state
        both: dict[str, Any] = {}
        if self.names["both"] or place not in self.turns or board not in self.boards:
            here = self.question(board, state)
            if here is None:
                return None
            both = {name: here[name] for name in self.names["both"] if name in here}
        return {**self.parameters, **self.boards[board], **both, **self.turns[place]}

    def value(self, board: int, state: NodeKey, name: str) -> Any:
        """The value of a field of the board, in a comparable form."""
        fields = None if name in self.names["both"] else self.boards.get(board)
        return _comparable(fields or self.question(board, state) or {}, name)


def _comparable(fields: Mapping[str, Any], name: str) -> Any:
    """The value of a field in a comparable form."""
    value = fields.get(name, ABSENT)
    return tuple(value.items()) if isinstance(value, Mapping) else value


class FunctionPolicy:
    """A rule of thumb as a function; ``looks_at``: the fields of the board that it has read."""

    def __init__(self, game: TurnGame, rule: Policy, name: str) -> None:
        self.game, self.rule, self.name = game, rule, name
        self.descriptions = StateDescriptions(game)
        self.looks_at: dict[str, None] = {}
        self.n_asked = 0
        self.moves: dict[tuple[int, NodeKey, tuple[str, ...]], str] = {}  # by root; they depend on no field of a board
        self.estimate = QuestionEstimate(self)

    def begin(self, boards: Callable[[int], Ints | None], decisions: Sequence[TurnDecision]) -> None:
        """See ``solver.policy.policy_in_duel.Policy``."""
        self.estimate.begin(boards, len(decisions))

    def can_decide(self, board: int) -> bool:
        """See ``solver.policy.policy_in_duel.Policy``."""
        return is_question(self.game, board)

    def finished(self) -> None:
        """See ``solver.policy.policy_in_duel.Policy``."""
        self.estimate.finished()

    def key(self, board: int, fields: frozenset[str], decided: TurnDecision) -> Any:
        """See ``solver.policy.policy_in_duel.Policy``."""
        if not fields.isdisjoint(self.descriptions.names["both"]):
            return None
        return tuple(self.descriptions.value(board, decided.state, name) for name in sorted(fields))

    def decide(self, alike: Block, decided: TurnDecision, names: tuple[str, ...]) -> list[tuple[Block, str | None]]:
        """See ``solver.policy.policy_in_duel.Policy``; None where no question describes the decision."""
        root = self.descriptions.root(int(alike.boards[0]))  # of all of them
        self.descriptions.confirm(alike.boards, decided.state)
        stored = self.moves.get((root, decided.state, names))
        if stored is not None:
            return [(alike, stored)]
        pending = [alike]
        decisions: list[tuple[Block, str | None]] = []
        while pending:
            group = pending.pop()
            boards, same = group.boards, group.same
            fields = self.descriptions.of(int(boards[0]), decided.state)
            if fields is None:
                decisions.append((group, None))
                continue
            observed = ObservedState(fields, self.descriptions.of_board)
            move = self._move(observed, decided, names)
            for name in observed.fields_read:
                if name not in same and len(boards) > 1:
                    boards, others = self._apart(boards, decided.state, name)
                    pending += [Block(other, same | {name}) for other in others]
                same |= {name}
            if not observed.fields_read:
                self.moves[root, decided.state, names] = move
            decisions.append((Block(boards, same), move))
        return decisions

    def _apart(self, boards: Ints, state: NodeKey, name: str) -> tuple[Ints, list[Ints]]:
        """The boards that share the first one's value of a field, and groups of the others by theirs."""
        by_value: dict[Any, list[int]] = {}
        for board in boards.tolist():
            by_value.setdefault(self.descriptions.value(board, state, name), []).append(board)
        first, *others = (np.array(some, dtype=np.int64) for some in by_value.values())
        return first, others

    # --- one call ----------------------------------------------------------------------------------------------------

    def _move(self, observed: ObservedState, decided: TurnDecision, names: tuple[str, ...]) -> str:
        self.n_asked += 1
        if self.n_asked > MAX_QUESTIONS:
            raise self.estimate.too_large(f"more than {MAX_QUESTIONS:,}")
        move = call_policy(self.rule, self.name, observed, names, lambda: state_text(self.game, observed.fields))
        if not observed.fields_read.keys() <= self.looks_at.keys():
            self.looks_at.update(observed.fields_read)
            self.estimate.looks_at(decided.state)
        if isinstance(move, str) and move in names:
            return move
        place = state_text(self.game, observed.fields)
        return require_legal(move, names, f"{self.name} plays {move!r} at {place}", decided.names)


class QuestionEstimate:
    """An estimate of the number of calls of a rule and of their time, for a note before they are made."""

    def __init__(self, rule: FunctionPolicy) -> None:
        self.rule = rule
        self.n_boards = 0  # boards that the rule distinguishes
        self.n_turns = 0
        self.start_s = 0.0

    def begin(self, boards: Callable[[int], Ints | None], n_decisions: int) -> None:
        """A walk begins; see ``solver.policy.policy_in_duel.Policy``."""
        self.boards, self.n_decisions = boards, n_decisions
        self.n_boards = self.n_turns = 0

    def looks_at(self, state: NodeKey) -> None:
        """Count the boards that the rule distinguishes by the fields read so far; raises TooLarge if they are too many.

        Small games are counted in full; of others a random sample is, and if most of the sample differ all boards
        count as different.
        """
        few = max(MAX_QUESTIONS // self.n_decisions, 1)
        boards = self.boards(min(few, MAX_SAMPLED_BOARDS))
        if boards is not None:
            self.n_boards = self._told_apart(boards, state)
            return
        space = self.rule.game.boards()
        some = np.unique(np.random.default_rng(0).integers(space.size, size=MAX_SAMPLED_BOARDS))
        some = some[np.broadcast_to(self.rule.game.possible(space.columns(some)), len(some))]
        self.n_boards = self._told_apart(some, state)
        if 2 * self.n_boards > len(some):
            self.n_boards = count_possible(self.rule.game)
            if self.n_boards * self.n_decisions > MAX_QUESTIONS:
                raise self.too_large(f"up to {self.n_boards:,} boards with {self.n_decisions:,} decisions each")

    def _told_apart(self, boards: Ints, state: NodeKey) -> int:
        rows = (self.rule.descriptions.first_way(board, state) or {} for board in boards.tolist())
        return len({tuple(_comparable(row, name) for name in self.rule.looks_at) for row in rows})

    def finished(self) -> None:
        """Count a finished turn; after some, note how long the others take. The first, slower one is not timed."""
        self.n_turns += 1
        if self.n_turns == 1:
            self.start_s = time.monotonic()
        if self.n_turns != 1 + N_TIMED_TURNS or not self.n_boards:
            return
        seconds = (time.monotonic() - self.start_s) / N_TIMED_TURNS * self.n_boards
        if seconds > NOTE_FROM_S:
            long = f"this takes about {seconds:.0f} s (Ctrl-C to stop)"
            note(f"the rule distinguishes up to {self.n_boards:,} boards, so {long}")

    def too_large(self, how_many: str) -> TooLarge:
        """The error for too many calls."""
        looks_at = ", ".join(self.rule.looks_at) or "the turn"
        return TooLarge(
            f"this rule looks at {looks_at}, and there are {how_many} to ask it about; up to {MAX_QUESTIONS:,} can be",
            hint="name a later board to go on from: FIELD=VALUE",
        )


def root_of(game: TurnGame, board: int) -> int:
    """The index of the root of turns on a board."""
    columns = game.boards().columns(np.array([board]))
    return int(np.broadcast_to(np.asarray(game.root(columns)), 1)[0])


def is_question(game: TurnGame, board: int) -> bool:
    """True if a question describes the first decision of a turn on this board, or if the turn begins with none."""
    root = tuple(game.roots()[root_of(game, board)])
    if not isinstance(game.turn(*root), Decision):
        return True
    return any(True for _ in game.describe(game.boards().board(board), root))


def state_text(game: TurnGame, state: Mapping[str, Any]) -> str:
    """A state as a user types it."""
    fields = list(game.fields())
    return key_text(fields, key_of(fields, state))


def require_legal(move: Any, names: Sequence[str], prefix: str, elsewhere: Container[str] = (), field: str = "") -> str:
    """A move that is one of ``names``; raises BadInput, which begins with ``prefix``, for any other.

    ``elsewhere``: moves that are legal elsewhere.
    """
    if isinstance(move, str) and move in names:
        return move
    problem = "which is not legal there" if move in elsewhere else NO_MOVE
    raise BadInput(f"{prefix}, {problem}; {moves_text(names)}", field=field)


def call_policy(
    rule: Policy, name: str, state: Mapping[str, Any], moves: Sequence[str], shown: Callable[[], str], field: str = ""
) -> Any:
    """The move or weights that a rule returns for a state; raises BadInput if it fails, with the state as ``shown``."""
    try:
        played = rule(state, list(moves))
        if isinstance(played, Mapping):
            return {exact_text(move): number for move, number in played.items()}
        return exact_text(played) if isinstance(played, str) else plain(played)
    except RollwiseError:
        raise
    except (Exception, SystemExit) as error:
        raise BadInput(f"{name} failed at {shown()}: {error_text(error)}", field=field) from error


def exact_text(move: Any) -> Any:
    """A text without comparison methods of its own; anything else unchanged."""
    return str.__str__(move) if isinstance(move, str) else move


def error_text(error: BaseException) -> str:
    """The exception of a rule, with file and line."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    what = type(error).__name__ + (f": {error}" if str(error) else "")
    if isinstance(error, SyntaxError):
        return f"{what}"
    return f"{what} ({frames[-1].filename}, line {frames[-1].lineno})" if frames else what


def moves_text(names: Sequence[str]) -> str:
    """A list of moves, shortened if it is long."""
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return "they are: " + ", ".join(names[:12]) + more
