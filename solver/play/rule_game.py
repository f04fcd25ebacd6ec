"""A rule of thumb against the best reply: the same game on the boards that play comes to, each once for each role.

``RuleGame`` is a turn game like any other, so it is solved by the same solver: each place says whether the player who
moves is free or follows the rule. How the turns of the second kind are played is not said here but by the backup of
their roots (``solver.boards.by_rule``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.model import Boards, Columns, Settled, State, TurnGame, Word

FREE, BY_RULE = 0, 1
FINE = 1 << 36  # parts of a point in which known worths are earned
KNOWN_OFF = 1 / FINE  # so far off at most is what is earned for a known worth, rounded to a whole number of parts
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RuleGame(TurnGame):
    """``game`` on the ``places`` that are come to: place ``i`` is role ``i // size`` on board ``i % size`` of the game.

    ``places`` ascend; on those that are ``ruled`` the turn is played by the rule (where it cannot be asked, whoever
    follows it is free too). The roots are the game's for a free turn, then the same for one that is played by the rule.
    Ends that would lead to no place are illegal: nobody who can come there plays so. Places that are ``known`` (nan
    elsewhere) are worth that, whatever is played there: ends that lead to them earn it, and lead to one place more, the
    last, which is worth nothing.
    """

    name = "contest"
    title = "A rule of thumb against the best reply"
    source = "rollwise.solver.play.rule_game"
    rules = "Those of the game itself; one player follows a rule."

    game: TurnGame
    places: Ints
    ruled: NDArray[np.bool_]
    known: NDArray[np.float64]

    def __post_init__(self) -> None:
        for word in ("kind", "measure", "unit", "sense", "total", "cyclic", "endless"):
            object.__setattr__(self, word, getattr(self.game, word))

    @cached_property
    def space(self) -> Boards:
        """The boards of the game."""
        return self.game.boards()

    @cached_property
    def cut(self) -> bool:
        """Is anything known before?"""
        return not bool(np.isnan(self.known).all())

    @cached_property
    def last(self) -> int:
        """The level of the end: after all others."""
        return int(np.max(self.game.level(self.space.columns(self.places % self.space.size)))) + 1

    def parameters(self) -> dict[str, Any]:
        """Those of the game."""
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def boards(self) -> Boards:
        """The places by number."""
        return Boards(place=len(self.places) + self.cut)

    def is_end(self, board: Columns) -> Any:
        """The place that comes after all that is known."""
        return board.place == len(self.places)

    def at(self, board: Columns) -> Any:
        """The entries of ``places``; the end has that of some place."""
        return self.places[np.minimum(board.place, len(self.places) - 1)]

    def place_of(self, role: Any, boards: Any) -> Any:
        """The number of the place, -1 where there is none."""
        wanted = np.where(boards < 0, -1, role * self.space.size + boards)
        found = np.minimum(np.searchsorted(self.places, wanted), len(self.places) - 1)
        return np.where(self.places[found] == wanted, found, -1)

    def role(self, board: Columns) -> Any:
        """Who moves: FREE or BY_RULE."""
        return board.derive("role", lambda columns: self.at(columns) // self.space.size)

    def there(self, board: Columns) -> Columns:
        """The boards of the game."""
        found: Columns = board.derive("there", lambda columns: self.space.columns(self.at(columns) % self.space.size))
        return found

    def roots(self) -> list[State]:
        """The game's, for a free turn and for one that is played by the rule."""
        return [(role, *root) for role in (FREE, BY_RULE) for root in self.game.roots()]

    def root(self, board: Columns) -> Any:
        """By whether the turn is free."""
        by_rule = self.is_end(board) | self.ruled[np.minimum(board.place, len(self.ruled) - 1)]
        return by_rule * len(self.game.roots()) + self.game.root(self.there(board))

    def turn(self, role: int, *state: Any) -> Word:
        """The game's words."""
        return self.game.turn(*state)

    def settle(self, board: Columns, result: Any) -> Settled:
        """As in the game; the roles change with the mover."""
        said = self.game.settle(self.there(board), result)
        if said.next is None:
            return said
        role = self.role(board)
        role = np.where(np.asarray(said.mover, dtype=bool), FREE + BY_RULE - role, role)
        place = self.place_of(role, self.space.index(said.next, len(board)))
        over = np.asarray(said.over) | np.asarray(said.won) | np.asarray(said.drawn)
        legal = np.asarray(said.legal) & (over | (place >= 0))
        if not self.cut:
            return replace(said, next={"place": place}, legal=legal)
        is_end, known = self.is_end(board), np.where(place >= 0, self.known[place], np.nan)
        beyond = ~over & ~np.isnan(known)
        earned = np.rint(np.where(beyond, known, 0.0) * (said.per * FINE)).astype(np.int64)
        return replace(
            said,
            next={"place": np.where(beyond, len(self.places), place)},
            legal=legal | is_end,
            over=over | is_end,
            won=False,
            drawn=False,
            reward=np.where(is_end, 0, _worth(said) + earned),
            per=said.per * FINE,
        )

    def possible(self, board: Columns) -> Any:
        """All that is not known without being solved."""
        return self.is_end(board) | np.isnan(self.known[np.minimum(board.place, len(self.known) - 1)])

    def level(self, board: Columns) -> Any:
        """As in the game; the end comes last."""
        levels = self.game.level(self.there(board))
        return np.where(self.is_end(board), self.last, levels) if self.cut else levels

    def order(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.order(self.there(board))


def _worth(said: Settled) -> Any:
    """What a result earns, or is worth at the end of a game played alone, in parts of ``per * FINE``."""
    reward, won, drawn = (np.asarray(word, dtype=np.int64) for word in (said.reward, said.won, said.drawn))
    return reward * FINE + said.per * FINE * won + said.per * (FINE // 2) * drawn
