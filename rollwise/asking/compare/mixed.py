"""A rule that may mix its moves: a function that says how often each is made, or a table with their probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from pathlib import Path
from typing import Any

from rollwise.asking.compare.seen import NO_MOVE, Seen, in_a_line, listed, played_by, raised
from rollwise.games.policies import Policy
from rollwise.policy_tables.reading import (
    MOVES,
    NEAR,
    as_list,
    check_description,
    chosen_column,
    key_of,
    read_rows,
    read_table,
    shown_key,
)
from rollwise.policy_tables.rows import PROBABILITIES
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import NodeKey, TurnGame
from rollwise.solver.turn.exact_mixes import PARTS

Known = dict[tuple[str, ...], dict[tuple[Any, ...], Sequence[int]]]  # mixes by the fields looked at, and what they are


class AskedMix:
    """A rule that is asked; ``looks_at``: fields of the board that it looked at."""

    def __init__(self, game: TurnGame, rule: Policy, name: str) -> None:
        self.game, self.rule, self.name = game, rule, name
        self.space = game.boards()
        self.parameters = game.parameters()
        self.of_board = frozenset(field.name for field in game.fields() if field.of != "turn")
        self.looks_at: dict[str, None] = {}
        self.known: dict[tuple[NodeKey, tuple[str, ...]], Known] = {}
        self.last: tuple[int, Mapping[str, Any]] = -1, {}

    def mix(self, board: int, state: NodeKey, moves: Sequence[str]) -> Sequence[int]:
        """See ``solver.hidden_information.ruled.MixRule``; raises BadInput where the rule fails, or plays what is no move there."""
        if self.last[0] != board:  # all questions about a board come one after the other
            self.last = board, self.space.board(board)
        fields = next(iter(self.game.describe(self.last[1], state)))
        known = self.known.setdefault((state, tuple(moves)), {})
        for names, mixes in known.items():  # boards that agree in all that it looked at are one to it
            before = mixes.get(tuple(fields[name] for name in names))
            if before is not None:
                return before
        mix, names = self._ask(fields, moves)
        known.setdefault(names, {})[tuple(fields[name] for name in names)] = mix
        return mix

    def _ask(self, fields: Mapping[str, Any], moves: Sequence[str]) -> tuple[Sequence[int], tuple[str, ...]]:
        """The mix, and the fields of the board that the rule looked at."""
        seen = Seen({**self.parameters, **fields}, self.of_board & fields.keys())
        played = played_by(self.rule, self.name, seen, moves, lambda: in_a_line(self.game, fields))
        self.looks_at.update(seen.read)
        try:
            return parts_of(played, moves), tuple(seen.read)
        except BadInput as error:
            raise BadInput(f"{self.name} plays {error} at {in_a_line(self.game, fields)}; {listed(moves)}") from None
        except Exception as error:  # whatever numbers of the user's own do
            raise BadInput(f"{self.name} failed at {in_a_line(self.game, fields)}: {raised(error)}") from error


def parts_of(played: Any, moves: Sequence[str]) -> list[int]:
    """A move, or how often moves are made (any numbers, of which only the ratio counts), in PARTS of ``moves``.

    Raises BadInput that says what is wrong.

    >>> [part / PARTS for part in parts_of({"accept": 1, "challenge": 3}, ["accept", "challenge"])]
    [0.25, 0.75]
    """
    if isinstance(played, str):
        played = {played: 1}
    if not isinstance(played, Mapping) or not played:
        raise BadInput(f"{played!r}, which is neither a move nor a mix of moves")
    often: dict[str, Fraction] = {}
    for move, number in played.items():
        if move not in moves:
            raise BadInput(f"{move!r}, {NO_MOVE}")
        is_number = isinstance(number, Rational | float) and not isinstance(number, bool) and math.isfinite(number)
        if not is_number or number < 0:
            raise BadInput(f"{move!r} {number!r} times")
        often[move] = Fraction(number)
    whole = sum(often.values())
    if not whole:
        raise BadInput("no move ever")
    parts = [int(often.get(move, 0) * PARTS / whole) for move in moves]
    parts[max(range(len(parts)), key=parts.__getitem__)] += PARTS - sum(parts)  # what rounding has left over
    return parts


def table_policy(game: TurnGame, path: Path) -> Policy:
    """The mixes of a table that ``export`` wrote, as a function; without probabilities its best moves."""
    fields = list(game.fields())
    rows: dict[tuple[str, ...], Any] = {}
    for part in read_table(path):
        check_description(game, path, part)
        lists = [MOVES, PROBABILITIES] if PROBABILITIES in part.columns and MOVES in part.columns else []
        for number, key, (played, *often) in read_rows(part, game, lists or [chosen_column(part, fields)], len(rows)):
            if key in rows:
                raise BadInput(f"{part.place(number)} is the second of {shown_key(fields, key)}")
            rows[key] = played
            if not lists:
                continue
            try:
                rows[key] = dict(zip(map(str, as_list(played)), map(float, as_list(*often)), strict=True))
            except (ValueError, TypeError) as error:
                raise BadInput(f"{part.place(number)}: {error}") from None
            chances = rows[key].values()
            if not all(0 <= chance <= 1 for chance in chances) or abs(sum(chances) - 1) > NEAR:
                raise BadInput(f"{part.place(number, PROBABILITIES)}: chances from 0 to 1 are wanted that add up to 1")

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> Any:
        key = key_of(fields, state)
        if key not in rows:
            raise BadInput(f"{path} has no row for {shown_key(fields, key)}")
        return rows[key]

    return policy
