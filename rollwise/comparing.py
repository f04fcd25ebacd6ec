"""``compare``: what a rule of thumb costs against the best play, computed exactly and not simulated."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.door import the_game
from rollwise.exporting.files import SUFFIXES, read_table
from rollwise.games.policies import Policy, policy
from rollwise.progress import Progress
from rollwise.solver.game.contest import Contest
from rollwise.solver.game.errors import BadInput, TooLarge
from rollwise.solver.game.model import Columns, State, TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Cost, Rule, Tools
from rollwise.solver.turn.graph import compile_turn
from rollwise.stored import Stored, anything, asked, plain_parameters

MOST_ASKED = 5_000_000  # decisions that a rule is asked about, once for each kind of board that it tells apart
MOST_BOARDS = 50_000  # boards of which a rule may see more than the turn
SAMPLES = 40  # boards on which the fields of a turn are told apart from those of the board


Bounds = tuple[float, float, float]  # value, lower, upper
Decision = tuple[State, tuple[str, ...]]  # a state of the turn and its moves


@dataclass(frozen=True)
class Comparison:
    """What a rule is worth and what it costs, each as (value, lower, upper) in the game's unit.

    In a duel ``best`` and ``rule`` are by seat: P(win) or margin of the player in seat 0 and in seat 1, the rule's
    against the best reply to it, and ``cost`` is the mean difference over the seats. Alone there is one seat.
    ``looks_at`` names the fields beside the turn that the rule looked at.
    """

    game: str
    parameters: dict[str, Any]
    policy: str
    help: str
    objective: str
    unit: str
    best: tuple[Bounds, ...]
    rule: tuple[Bounds, ...]
    cost: Bounds
    looks_at: tuple[str, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON shows it."""

        def told(bounds: Bounds) -> dict[str, float]:
            return dict(zip(("value", "lower", "upper"), bounds, strict=True))

        return {
            "game": self.game,
            "parameters": self.parameters,
            "policy": self.policy,
            "help": self.help,
            "objective": self.objective,
            "unit": self.unit,
            "best": [told(bounds) for bounds in self.best],
            "rule": [told(bounds) for bounds in self.rule],
            "cost": told(self.cost),
            "looks_at": list(self.looks_at),
        }


def compare(game: str, rule: str | Path | Policy, params: Mapping[str, Any] | None = None) -> Comparison:
    """What a rule of thumb costs per game: the best value minus the rule's value against a best reply, mean of seats.

    ``rule`` is the name of one of the game's own (``games.policies``), a function of (state, moves) that returns a
    move, a file with such a function (``policy.py:function``), or a table that ``export`` wrote and somebody edited.
    Raises BadInput for a rule that cannot be found or plays what is no move, TooLarge for one that looks at more of
    the board than can be worked out.

    >>> round(compare("pig", "hold-at-20", {"target": 40}).cost[0], 6)
    0.043401
    """
    made = the_game(game, params)
    name, told, function = _found(game, rule)
    kind_of(made).require_comparable(made)
    seen, looks_at = seen_as_needed(made, function, name)

    def cost_of(found: Stored) -> Cost:
        with Progress(str(made), verb="comparing") as progress:
            return kind_of(made).compare(found.opened, seen, Tools(progress.share))

    found = asked(made, anything, cost_of)
    return Comparison(
        made.name,
        plain_parameters(made),
        name,
        told,
        made.measure,
        made.unit,
        found.best,
        found.rule,
        found.cost,
        looks_at,
    )


# --- which rule ----------------------------------------------------------------------------------------------------


def _found(game: str, rule: str | Path | Policy) -> tuple[str, str, Policy]:
    """(name, what it does, function) of a rule."""
    if callable(rule):
        return getattr(rule, "__name__", "rule"), (rule.__doc__ or "").strip().partition("\n")[0], rule
    text = str(rule)
    path, colon, function = text.rpartition(":")
    if colon and path.endswith(".py"):
        return _from_file(Path(path), function)
    if Path(text).suffix.lower() in SUFFIXES:
        return text, "a table", _from_table(Path(text))
    if text.endswith(".py"):
        raise BadInput(f"say which function of {text}: {text}:NAME")
    house = policy(game, text)
    return text, house.help, house.policy


def _from_file(path: Path, name: str) -> tuple[str, str, Policy]:
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location("rollwise_rule", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInput(f"{path} cannot be read as Python: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise BadInput(f"{path} has no function {name}")
    return f"{path}:{name}", (function.__doc__ or "").strip().partition("\n")[0], function


def _from_table(path: Path) -> Policy:
    """The moves of a table: the row of a state says what is played there."""
    columns, rows = read_table(path)
    chosen = "best_move" if "best_move" in columns else "best"
    fields = list(columns[: columns.index(chosen)]) if chosen in columns else []
    if not fields:
        raise BadInput(f"{path} has no column 'best' after those of the fields, as export writes it")
    moves = {tuple(_key(row[field]) for field in fields): str(row[chosen]) for row in rows}

    def policy(state: Mapping[str, Any], legal: Sequence[str]) -> str:
        key = tuple(_key(state[field]) for field in fields)
        if len(legal) == 1 and key not in moves:
            return legal[0]
        if key not in moves:
            shown = " ".join(f"{field}={state[field]}" for field in fields)
            raise BadInput(f"{path} has no row for {shown}")
        return moves[key] if moves[key] in legal else legal[0]

    return policy


def _key(value: Any) -> str:
    """A field as text, however a format has kept it."""
    if value is None or value == "":
        return ""
    if isinstance(value, Mapping):
        return "|".join(f"{box}:{score}" for box, score in value.items())
    if isinstance(value, list | tuple | np.ndarray):
        return "|".join(map(str, value))
    return str(value)


# --- what a rule sees ----------------------------------------------------------------------------------------------


class _LooksAt(Exception):
    """The rule looks at a field of the board."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


class _Seen(dict[str, Any]):
    """The fields of a state; looking at one that is hidden is noticed."""

    def __init__(self, shown: Mapping[str, Any], hidden: frozenset[str]) -> None:
        super().__init__({name: value for name, value in shown.items() if name not in hidden})
        self.hidden = hidden

    def __missing__(self, name: str) -> Any:
        if name in self.hidden:
            raise _LooksAt(name)
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        """As ``dict.get``, but a hidden field is noticed."""
        return self[name] if name in self or name in self.hidden else default

    def __iter__(self) -> Iterator[str]:
        for name in sorted(self.hidden):
            raise _LooksAt(name)
        return super().__iter__()


def seen_as_needed(game: TurnGame, rule: Policy, name: str) -> tuple[Rule, tuple[str, ...]]:
    """The rule as it sees the turn, and of the board no more than it looks at.

    Boards on which the rule plays every decision alike are one situation.
    """
    decisions = _decisions(game)
    asked = _Asked(game, rule, name)
    looks_at: tuple[str, ...] = ()
    while True:
        boards, number_of = _told_apart(game, looks_at)
        if len(boards) * len(decisions) > MOST_ASKED:
            raise TooLarge(
                f"this rule looks at {', '.join(looks_at)}, so there are {len(boards) * len(decisions):,} "
                f"decisions to ask it about; up to {MOST_ASKED:,} can be"
            )
        try:
            played = [tuple(asked.order(board, looks_at, *decision) for decision in decisions) for board in boards]
        except _LooksAt as field:
            looks_at = (*looks_at, field.field)
            continue
        break
    behaviours = {orders: i for i, orders in enumerate(dict.fromkeys(played))}
    tables = [dict(zip(decisions, orders, strict=True)) for orders in behaviours]
    behaviour_of = np.array([behaviours[orders] for orders in played])
    space = game.boards()

    def situation(board: Columns) -> Any:
        return behaviour_of[number_of[space.index(board.as_dict(), len(board))]] if looks_at else 0

    def order(number: int, state: State, names: Sequence[str]) -> Sequence[str]:
        return tables[number][state, tuple(names)]

    return Rule(order, situation, len(tables)), looks_at


def _decisions(game: TurnGame) -> list[Decision]:
    """Every decision of a turn: its state and its moves."""
    found: dict[Decision, None] = {}

    def note(situation: int, state: State, names: Sequence[str]) -> Sequence[str]:
        found[state, tuple(names)] = None
        return names

    compile_turn(Contest(game, note, lambda board: 0))
    return list(found)


def _told_apart(game: TurnGame, looks_at: Sequence[str]) -> tuple[list[dict[str, Any]], NDArray[np.int64]]:
    """A board of each kind that these fields tell apart, and which kind each board is, by index."""
    space = game.boards()
    if not looks_at:
        return [space.board(space.index_of(**game.first_board()))], np.zeros(0, dtype=np.int64)
    possible = _possible(game)
    if len(possible) > MOST_BOARDS:
        raise TooLarge(
            f"this rule looks at {', '.join(looks_at)}; with {len(possible):,} boards a rule of {game} may "
            "look at the turn alone"
        )
    roots = game.roots()
    root_of = np.broadcast_to(game.root(space.columns(possible)), len(possible))
    number_of = np.zeros(space.size, dtype=np.int64)
    known: dict[Any, int] = {}
    first: list[dict[str, Any]] = []
    for index, root in zip(possible.tolist(), root_of.tolist(), strict=True):
        board = space.board(index)
        told = next(iter(game.describe(board, roots[root])), {})
        key = tuple(_key(told.get(field)) for field in looks_at)
        if key not in known:
            known[key] = len(known)
            first.append(board)
        number_of[index] = known[key]
    return first, number_of


def _possible(game: TurnGame) -> NDArray[np.int64]:
    space = game.boards()
    indices = np.arange(space.size)
    found: NDArray[np.int64] = indices[np.broadcast_to(game.possible(space.columns(indices)), space.size)]
    return found


class _Asked:
    """Asks a rule for its order of moves, with what it may see of the state."""

    def __init__(self, game: TurnGame, rule: Policy, name: str) -> None:
        self.game, self.rule, self.name = game, rule, name
        space = game.boards()
        possible = _possible(game) if space.size <= 1 << 22 else np.arange(space.size)
        some = possible[np.linspace(0, len(possible) - 1, SAMPLES).astype(np.int64)]
        self.samples = [space.board(int(board)) for board in some]
        self.of_board: dict[State, frozenset[str]] = {}

    def order(
        self, board: Mapping[str, Any], looks_at: Sequence[str], state: State, names: Sequence[str]
    ) -> tuple[str, ...]:
        """The moves as the rule would play them: what it plays of all, of the rest, and so on."""
        if len(names) == 1:
            return tuple(names)
        seen = self._fields(board, looks_at, state)
        left, found = list(names), []
        while len(left) > 1:
            move = self.rule(seen, list(left))
            if move not in left:
                raise BadInput(f"{self.name} plays '{move}' of {', '.join(left[:12])}, which is none of them")
            found.append(move)
            left.remove(move)
        return (*found, *left)

    def _fields(self, board: Mapping[str, Any], looks_at: Sequence[str], state: State) -> _Seen:
        if state not in self.of_board:
            told = [next(iter(self.game.describe(other, state)), {}) for other in self.samples]
            names = {name for fields in told for name in fields}
            varying = {name for name in names if len({_key(fields.get(name)) for fields in told}) > 1}
            self.of_board[state] = frozenset(varying)
        told_here = {**self.game.parameters(), **next(iter(self.game.describe(board, state)), {})}
        return _Seen(told_here, self.of_board[state] - set(looks_at))
