"""Rules of thumb that mix their moves: functions that return weights, and tables with probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from pathlib import Path
from typing import Any

from rollwise.games.policies import Policy
from rollwise.policy_tables.decision_rows import PROBABILITIES
from rollwise.policy_tables.table_reader import read_table
from rollwise.policy_tables.table_rows import (
    MOVES,
    ROUNDING_TOLERANCE,
    find_move_column,
    key_of,
    key_text,
    parse_list,
    read_rows,
    require_same_game,
)
from rollwise.questions.compare.function_policy import (
    NO_MOVE,
    ObservedState,
    StateDescriptions,
    call_policy,
    error_text,
    moves_text,
    state_text,
)
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import NodeKey, TurnGame
from rollwise.solver.values.mixed_strategies import PARTS_PER_ONE

StoredMixes = dict[tuple[str, ...], dict[tuple[Any, ...], Sequence[int]]]  # by the names and values of fields read


class MixedFunctionPolicy:
    """A rule of thumb with mixed strategies; ``looks_at``: fields of the board that it has read."""

    def __init__(self, game: TurnGame, rule: Policy, name: str) -> None:
        self.game, self.rule, self.name = game, rule, name
        self.descriptions = StateDescriptions(game)
        self.looks_at: dict[str, None] = {}
        self.mixes: dict[tuple[NodeKey, tuple[str, ...]], StoredMixes] = {}

    def mix(self, board: int, state: NodeKey, moves: Sequence[str]) -> Sequence[int]:
        """See ``solver.hidden_information.policy_evaluation``; raises BadInput for a failure or an illegal move."""
        fields = self.descriptions.first_way(board, state)
        assert fields is not None
        mixes_by_fields = self.mixes.setdefault((state, tuple(moves)), {})
        for names, mixes in mixes_by_fields.items():  # one answer for all boards that agree in the fields it read
            before = mixes.get(tuple(fields[name] for name in names))
            if before is not None:
                return before
        mix, names = self._ask(fields, moves)
        mixes_by_fields.setdefault(names, {})[tuple(fields[name] for name in names)] = mix
        return mix

    def _ask(self, fields: Mapping[str, Any], moves: Sequence[str]) -> tuple[Sequence[int], tuple[str, ...]]:
        """The mix, and the fields of the board that the rule has read."""
        observed = ObservedState({**self.descriptions.parameters, **fields}, self.descriptions.of_board & fields.keys())
        played = call_policy(self.rule, self.name, observed, moves, lambda: state_text(self.game, fields))
        self.looks_at.update(observed.fields_read)
        try:
            return parts_of(played, moves), tuple(observed.fields_read)
        except BadInput as error:
            place = state_text(self.game, fields)
            raise BadInput(f"{self.name} plays {error} at {place}; {moves_text(moves)}") from None
        except Exception as error:  # numbers of a user's own class may raise anything
            raise BadInput(f"{self.name} failed at {state_text(self.game, fields)}: {error_text(error)}") from error


def parts_of(played: Any, moves: Sequence[str]) -> list[int]:
    """The probabilities of ``moves``, in units of 1 / PARTS_PER_ONE, for a move or for weights (of any sum).

    Raises BadInput with the fault.

    >>> [part / PARTS_PER_ONE for part in parts_of({"accept": 1, "challenge": 3}, ["accept", "challenge"])]
    [0.25, 0.75]
    """
    if isinstance(played, str):
        played = {played: 1}
    if not isinstance(played, Mapping) or not played:
        raise BadInput(f"{played!r}, which is neither a move nor a mix of moves")
    weights: dict[str, Fraction] = {}
    for move, number in played.items():
        if move not in moves:
            raise BadInput(f"{move!r}, {NO_MOVE}")
        is_number = isinstance(number, Rational | float) and not isinstance(number, bool) and math.isfinite(number)
        if not is_number or number < 0:
            raise BadInput(f"{move!r} {number!r} times")
        weights[move] = Fraction(number)
    total = sum(weights.values())
    if not total:
        raise BadInput("no move ever")
    parts = [int(weights.get(move, 0) * PARTS_PER_ONE / total) for move in moves]
    parts[max(range(len(parts)), key=parts.__getitem__)] += PARTS_PER_ONE - sum(parts)  # the rest of the rounding
    return parts


def mixed_table_policy(game: TurnGame, path: Path) -> Policy:
    """The mixes of a table that ``export`` wrote, as a function; its best moves if it has no probabilities."""
    fields = list(game.fields())
    rows: dict[tuple[str, ...], Any] = {}
    for part in read_table(path):
        require_same_game(game, path, part)
        lists = [MOVES, PROBABILITIES] if PROBABILITIES in part.columns and MOVES in part.columns else []
        for number, key, (played, *often) in read_rows(
            part, game, lists or [find_move_column(part, fields)], len(rows)
        ):
            if key in rows:
                raise BadInput(f"{part.place(number)} is the second of {key_text(fields, key)}")
            rows[key] = played
            if not lists:
                continue
            try:
                rows[key] = dict(zip(map(str, parse_list(played)), map(float, parse_list(*often)), strict=True))
            except (ValueError, TypeError) as error:
                raise BadInput(f"{part.place(number)}: {error}") from None
            chances = rows[key].values()
            if not all(0 <= chance <= 1 for chance in chances) or abs(sum(chances) - 1) > ROUNDING_TOLERANCE:
                raise BadInput(f"{part.place(number, PROBABILITIES)}: chances from 0 to 1 are wanted that add up to 1")

    def policy(state: Mapping[str, Any], moves: Sequence[str]) -> Any:
        key = key_of(fields, state)
        if key not in rows:
            raise BadInput(f"{path} has no row for {key_text(fields, key)}")
        return rows[key]

    return policy
