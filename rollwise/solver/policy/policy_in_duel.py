"""A rule of thumb played through: the boards that play comes to, what the rule does there, and what that is worth.

The walk goes board by board from the start. Where the rule moves, it is asked about every decision that its own play
comes to, with the moves that are legal on that board; what is never come to is never asked. In a duel the other player
is free, so every legal move of theirs is followed. Then the contest is solved (``solver.values``), in a duel twice: the
other player replies as well as can be, or plays as the solution does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import by_root
from rollwise.solver.components.saving import part
from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.rounding import round_up
from rollwise.solver.policy.best_response import best_rows, past_the_cut
from rollwise.solver.policy.policy_game import BY_RULE, FREE, RuleGame
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.backups import make_backup
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.judged import first_good
from rollwise.solver.turn.perspective import ILLEGAL, Constants, read
from rollwise.solver.turn.played import Decided, EndsOfTurn, PlayedTurn
from rollwise.solver.turn.query import Read
from rollwise.solver.turn.transition_reader import TransitionReader, Uses
from rollwise.solver.values.board_solver import PLAIN_WORK, BoardSolver
from rollwise.solver.values.policy_evaluation import EndsBySituation, RuledBackup

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
CODES = 1 << 23  # ends x boards that are settled together
NODES = 1 << 24  # nodes x patterns of legal ends that are looked at together
MOST_PLACES = 20_000_000
RULE_TOLERANCE = 1e-6  # of any board's interval: bad play comes to a turn's cut more often; the answer says how wide


@dataclass(frozen=True)
class Best:
    """What is known of the best play, for where the rule says nothing.

    ``leaves``: (value, lower, upper) of the leaves of the turn on a board, ``read`` (values, radius) of boards. Boards
    of a level beyond ``last_level`` need not be played, since the best is played from there on; that of the start is.
    """

    leaves: Callable[[int], Floats]
    read: Read
    last_level: int | None = None


@dataclass(frozen=True)
class Alike:
    """Boards on which a rule has played alike so far; ``same``: fields of which is known that they are equal there."""

    boards: Ints
    same: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Known:
    """How turns were played, by what some fields of the board are, as they are said in a decision of that turn."""

    decided: Any
    rows: dict[Any, int]


class Rule(Protocol):
    """A rule as the walk asks it."""

    def begin(self, boards: Callable[[int], Ints | None], decisions: Sequence[Decided]) -> None:
        """A walk begins, of turns with these decisions.

        ``boards(most)``: those of the rule's turns that anybody could come to, None where they are more than ``most``.
        """

    def knows(self, board: int) -> bool:
        """Can it be asked about turns on this board? Where no question describes them the best is played."""

    def finished(self) -> None:
        """A turn was played on some boards."""

    def key(self, board: int, fields: frozenset[str], decided: Decided) -> Any:
        """What these fields are on a board, where this decision can be asked; None where that cannot be told."""

    def decide(self, alike: Alike, decided: Decided, names: tuple[str, ...]) -> list[tuple[Alike, str | None]]:
        """The move in this decision, of the legal ones, on some of the boards and on the others; None: the best."""


@dataclass(frozen=True)
class Contested:
    """What a contest came to. ``by_rule`` and ``free``: (value, radius) at the start for either role.

    ``free`` is None where nobody else plays. ``to_best``: both, where the other player plays as the solution does; None
    where nobody does, or where that takes too much. ``boards``: on so many the rule was asked.
    """

    by_rule: tuple[float, float]
    free: tuple[float, float] | None
    boards: int
    to_best: tuple[tuple[float, float], tuple[float, float]] | None = None


class Contestants:
    """A walk from one board on, and the solve."""

    anybody, ruled = FREE, BY_RULE  # the roles of those whose every move is followed, and of the rule's turns
    most_places = MOST_PLACES

    def __init__(
        self, played: PlayedTurn, graph: TurnGraph, uses: Uses, rule: Rule, report: Callable[[float], None], best: Best
    ) -> None:
        self.game, self.graph, self.uses, self.rule, self.report = played.game, graph, uses, rule, report
        self.best = best
        self._worth: tuple[int, list[list[float]]] = -1, []  # of every node on the board asked last
        self.space = self.game.boards()
        self.played = played
        self.settler = TransitionReader(self.game, graph, Constants(self.space.size), uses=uses)
        self.illegal = self.settler.constants.code(ILLEGAL)
        self.visited = [np.zeros(self.space.size, dtype=bool) for _ in range(2)]
        self.row_of = np.full(self.space.size, -1, dtype=np.int32)  # of each board, where the rule plays there
        self.rows: list[EndsOfTurn] = []
        self.start = -1
        self._known: dict[tuple[int, bytes], dict[frozenset[str], Known]] = {}  # by root and legal ends
        self._first: Decided | None = None  # the first decision of the turn that is played just now

    def run(self, start: Mapping[str, Any]) -> Contested:
        """Walk from this board, and solve."""
        board = self.space.index_of(**start)
        self.start = board
        roles = (BY_RULE, FREE) if self.uses.seats > 1 else (BY_RULE,)
        self.rule.begin(lambda most: self._within(board, most), list(self.played.decided.values()))
        self._walk(board, roles)
        n_asked, report = int((self.row_of >= 0).sum()), self.report
        if len(roles) == 1:
            return Contested(self._solve(board, roles)[0], None, n_asked)
        self.report = part(report, 0.0, 0.5)
        by_rule, free = self._solve(board, roles)
        self.report = part(report, 0.5, 1.0)
        try:
            own, other = self._solve(board, roles, to_best=True)
        except TooLarge:
            return Contested(by_rule, free, n_asked)
        return Contested(by_rule, free, n_asked, (own, other))

    def sample(self, start: Mapping[str, Any], turns: int = 30, boards: int = 2) -> None:
        """Ask the rule on a few boards that its own play comes to, turn after turn: it may find that it has no answer.

        Nothing has to be solved for that, as long as the rule never leaves a move to the best play.
        """
        here, draw = np.array([self.space.index_of(**start)]), np.random.default_rng(0)
        for _ in range(turns):
            ahead = [next_ for root, some in self._blocks(here) for _, next_ in self._follow(self.ruled, root, some)]
            here = np.unique(draw.permutation(np.concatenate(ahead or [here[:0]]))[:boards])

    # --- the walk ----------------------------------------------------------------------------------------------------

    def _walk(self, start: int, roles: Sequence[int]) -> None:
        ahead: list[list[Ints]] = [[np.array([start])] if role in roles else [] for role in range(len(self.visited))]
        n_places = 0
        while any(ahead):
            for role, visited in enumerate(self.visited):
                here = np.unique(np.concatenate(ahead[role])) if ahead[role] else np.zeros(0, dtype=np.int64)
                ahead[role] = []
                here = here[~visited[here]]
                visited[here] = True
                n_places += len(here)
                if n_places > self.most_places:
                    raise TooLarge(f"play of {self.game} from there comes to more than {self.most_places:,} boards")
                for root, boards in self._blocks(here[~self._is_beyond(here)]):
                    for passes, following in self._follow(role, root, boards):
                        ahead[(role - passes) % len(ahead)].append(following)

    def _within(self, start: int, most: int) -> Ints | None:
        """The boards that can be come to from one, whoever moves there; None where they are more than ``most``."""
        found, here = np.array([start]), np.array([start])
        while len(here):
            ahead = [
                boards for root, some in self._blocks(here) for _, boards in self._follow(self.anybody, root, some)
            ]
            here = np.setdiff1d(np.concatenate(ahead), found) if ahead else here[:0]
            found = np.union1d(found, here)
            if len(found) > most:
                return None
        return found

    def _is_beyond(self, boards: Ints) -> NDArray[np.bool_]:
        """On which boards the rule has nothing more to say."""
        if self.best.last_level is None or not len(boards):
            return np.zeros(len(boards), dtype=bool)
        levels = self.game.level(self.space.columns(np.append(boards, self.start)))
        beyond: NDArray[np.bool_] = levels[:-1] > max(self.best.last_level, levels[-1])
        return beyond

    def _blocks(self, boards: Ints) -> list[tuple[int, Ints]]:
        width = max(1, CODES // int(self.graph.root_leaves.sum(axis=1).max()))
        return [(root, boards[some]) for root, some in by_root(self.game, boards, width)]

    def _follow(self, role: int, root: int, boards: Ints) -> list[tuple[int, Ints]]:
        """The boards that follow these, by how many seats the turn passes on: all that others could do."""
        leaves = np.flatnonzero(self.graph.root_leaves[root])
        codes = self.settler.transitions(leaves, boards).codes
        if role == self.ruled:
            codes = codes[self._played(root, boards, leaves, codes != self.illegal)]
        following, passes = read(codes, self.settler.constants.bits)
        on = following < self.space.size
        by = range(self.uses.seats)
        return [(left, np.unique(following[on & (passes == left)]).astype(np.int64)) for left in by]

    def _played(self, root: int, boards: Ints, leaves: Ints, legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of these ends a player with the rule comes to on each board, as ``legal``: shape (leaves, boards)."""
        used = np.zeros(legal.shape, dtype=bool)
        packed = np.ascontiguousarray(np.packbits(legal, axis=0).T)
        _, first, number = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        number = number.reshape(-1)
        by_pattern = np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])
        place_of = np.full(self.graph.n_leaves, -1)
        place_of[leaves] = np.arange(len(leaves))
        width = max(1, NODES // self.played.n_nodes)
        for low in range(0, len(first), width):
            patterns = np.zeros((self.graph.n_leaves, len(first[low : low + width])), dtype=bool)
            patterns[leaves] = legal[:, first[low : low + width]]
            nodes = self.played.legal(patterns)
            for pattern in range(nodes.shape[1]):
                lanes = by_pattern[low + pattern]
                if not self.knows(int(boards[lanes[0]])):
                    used[:, lanes] = legal[:, lanes]
                    continue
                known = self._known.setdefault((root, packed[first[low + pattern]].tobytes()), {})
                left = self._as_before(boards[lanes], known)
                if len(left):
                    self._play(root, nodes[:, pattern].tolist(), left, known)
                for board, lane in zip(boards[lanes].tolist(), lanes.tolist(), strict=True):
                    used[place_of[self.rows[self.row_of[board]].leaves], lane] = True
        return used

    def knows(self, board: int) -> bool:
        """Is the rule asked about turns on this board?"""
        return self.rule.knows(board)

    def _as_before(self, boards: Ints, known: dict[frozenset[str], Known]) -> Ints:
        """The boards that are not like one on which the turn was played before; the others are played so."""
        for fields, played in known.items():
            if not fields:
                self.row_of[boards] = played.rows[()]
                return boards[:0]
            left = []
            for board in boards.tolist():
                row = played.rows.get(self.rule.key(board, fields, played.decided))
                if row is None:
                    left.append(board)
                else:
                    self.row_of[board] = row
            boards = np.array(left, dtype=np.int64)
        return boards

    def _play(self, root: int, legal: list[bool], boards: Ints, known: dict[frozenset[str], Known]) -> None:
        """Play the turn on boards that have the same nodes legal, and note what it depends on."""
        self._first = None
        for alike, row in self.played.play(root, legal, Alike(boards), self._decide):
            self.row_of[alike.boards] = len(self.rows)
            self.rows.append(row)
            self.rule.finished()
            key = ()
            if alike.same:
                assert self._first is not None
                key = self.rule.key(int(alike.boards[0]), alike.same, self._first)
            if key is not None:
                known.setdefault(alike.same, Known(self._first, {})).rows[key] = len(self.rows) - 1

    def _decide(self, alike: Alike, node: int, names: tuple[str, ...]) -> list[tuple[Alike, str]]:
        """What the rule plays, the best where it says nothing: that of the first of the boards."""
        self._first = self._first or self.played.decided[node]
        answers = self.rule.decide(alike, self.played.decided[node], names)
        return [
            (some, self._best(int(some.boards[0]), node, names) if move is None else move) for some, move in answers
        ]

    def _best(self, board: int, node: int, names: tuple[str, ...]) -> str:
        """The best of some moves: of those that cannot be told apart the first."""
        if self._worth[0] != board:
            self._worth = board, self.played.worth(self.best.leaves(board), self.game.sense).tolist()
        child_of = dict(zip(self.played.decided[node].names, self.played.children[node], strict=True))
        place = first_good([self._worth[1][child_of[name]] for name in names], self.game.sense)
        assert place is not None
        return names[place]

    # --- the solve ---------------------------------------------------------------------------------------------------

    def _solve(self, start: int, roles: tuple[int, ...], *, to_best: bool = False) -> list[tuple[float, float]]:
        """(value, radius) of these roles on a board; ``to_best``: who is free plays as the solution does."""
        game, graph = self.game, self.graph
        places = np.concatenate(
            [np.flatnonzero(visited) + role * self.space.size for role, visited in enumerate(self.visited)]
        )
        boards = places % self.space.size
        ruled = self.row_of[boards]
        ruled[places < self.space.size] = -1
        beyond = self._is_beyond(boards)
        contest = RuleGame(game, places, (ruled >= 0) | to_best)
        rows = EndsBySituation.of(self.rows) if self.rows else None
        roundings = max((row.off / UNIT + len(row.chances) for row in self.rows), default=0.0)
        if to_best:
            best, of_free, behind = self._best_rows(places, ruled < 0)
            ruled[ruled < 0] = of_free + len(self.rows)
            rows, roundings = rows.then(best) if rows else best, max(roundings, behind)
            rows = replace(rows, leaves=past_the_cut(graph, self.played)[rows.leaves])
        both = replace(
            graph,
            roots=np.concatenate([graph.roots, graph.roots]),
            root_leaves=np.concatenate([graph.root_leaves, graph.root_leaves]),
            terms=max(graph.terms, int(roundings) + 8),
        )
        n_free = int(((ruled < 0) & ~beyond).sum())
        compiled = n_free * graph.n_edges > PLAIN_WORK
        free: list[Any] = [make_backup(graph, int(root), game.sense, compiled) for root in graph.roots if n_free]
        with_rule: list[Any] = [
            RuledBackup(graph, int(root), game.sense, rows, ruled) for root in graph.roots if rows is not None
        ]
        solver = BoardSolver(
            contest,
            both,
            compiled=compiled,
            tolerance=np.inf if to_best else RULE_TOLERANCE,
            uses=self.uses,
            backups=[*(free or with_rule), *(with_rule or free)],
        )
        if beyond.any():
            solver.resume(*self._done(boards, beyond))
        found = solver.solve(self.report)
        at = [int(contest.place_of(role, np.array([start]))[0]) for role in sorted(roles, reverse=True)]
        return [(float(found.values[place]), float(found.radius[place])) for place in at]

    def _done(self, boards: Ints, beyond: NDArray[np.bool_]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the best is worth on the boards that need not be played, as a solve that has come so far keeps it."""
        value, radius = np.full(len(boards), np.nan), np.full(len(boards), np.nan, dtype=np.float32)
        value[beyond], off = self.best.read(boards[beyond])
        radius[beyond] = round_up(off)
        level = int(np.min(self.game.level(self.space.columns(boards[beyond]))))
        state = {"level_radius": float(radius[beyond].max()), "scale": max(1.0, float(np.abs(value[beyond]).max()))}
        return {"value": value, "radius": radius}, {"slack": 0.0, "level": level, "methods": [], **state}

    def _best_rows(self, places: Ints, free: NDArray[np.bool_]) -> tuple[EndsBySituation, Ints, float]:
        """How the best player's turns end, the row of each place that is free, and roundings behind a chance."""
        boards, row_of = np.unique(places[free] % self.space.size, return_inverse=True)
        ahead = np.unique(places % self.space.size)
        rows, found, roundings = best_rows(self.game, self.graph, self.settler, self.best.read, boards, ahead)
        return rows, found[row_of], roundings
