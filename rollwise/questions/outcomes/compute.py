"""``outcomes``: every outcome of a move, with its chance, dice, following state and value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.games.move_aliases import meaning
from rollwise.parsing.validate import parse_fields, parse_game, question_fields
from rollwise.questions.outcomes.data import OutcomeRow, Outcomes
from rollwise.questions.question import all_fields, assumed_throw, question, reachable
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, answer_from_solution
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions, no_progress
from rollwise.solver.kinds.outcomes import Outcome, outcomes as outcomes_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.jsonable import pick
from rollwise.solver.model.names import did_you_mean
from rollwise.solver.model.plain import plain, quoted
from rollwise.solver.model.solution import PositionValue
from rollwise.solver.turn.questions import LegalMove, moves_left_out, question_moves
from rollwise.text.labels import measure_of, value_label
from rollwise.text.spelling import shown_state, spelled

NO_VALUE = PositionValue(None, None, None)
MAX_MOVES_LISTED = 12  # moves that a message lists


@check_arguments
def outcomes(
    game: str,
    move: str | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    each: bool = False,
    yes: bool = False,
    **fields: Any,
) -> Outcomes:
    """Every outcome of a move: the dice, the chance as a fraction, the state that follows, and its value.

    ``fields`` say the state, or ``state`` does in one mapping. ``move`` is a move of ``ask`` there, in any spelling;
    it may be left out where there is only one. An outcome ends at the next decision or throw, or at the end of the
    game. One row for each state, mover, ending and gain; with ``each`` one for each throw. Chances add up to 1, and
    chance times value to the value of the move. ``yes`` as in ``ask``. Raises ``BadInput`` for an impossible question,
    and for an illegal move, with the legal ones.

    >>> row = outcomes("pig", "roll", mine=90, turn=5).rows[0]
    >>> row.chance, row.thrown[0].dice, row.state
    (Fraction(1, 6), (1,), {'mine': 0, 'theirs': 90, 'turn': 0})
    """
    model = parse_game(game, params)
    return outcomes_after(model, *question(model, question_fields(state, fields)), move, each=each)


def outcomes_after(
    game: TurnGame, fields: Mapping[str, Any], position: Position, move: str | None, *, each: bool = False
) -> Outcomes:
    """The outcomes of a move of a position, from the solved game."""

    def ask_it(stored: StoredSolution) -> Outcomes:
        every_field, parameters = all_fields(game, fields, position), plain_parameters(game)
        state = spelled(every_field)
        options = QueryOptions(all_moves=True)
        values = stored.solution.ask(position, fields, options, no_progress).moves if chooses else ()
        legal = [value.move for value in values]
        chosen = resolve_move(game, position, move, legal)
        with Progress(str(game), verb="working out") as progress:
            found_outcomes = outcomes_of(stored.solution, every_field, position, chosen, progress.share)
        rows = list(map(row_of, found_outcomes))
        return Outcomes(
            **pick(measure_of(game, parameters, state), "unit", "sense", "label"),
            **pick(next((value for value in values if value.move == chosen.name), NO_VALUE), "value", "lower", "upper"),
            game=game.name,
            parameters=parameters,
            state=state,
            mover=position.mover,
            move=chosen.name,
            rows=tuple(rows if each else _merge_rows(rows)),
            note=meaning(move, legal).note,
            assumed=assumed_throw(game, fields, state),
        )

    chooses = kind_of(game).has_decisions
    return answer_from_solution(game, reachable(game, fields, position), ask_it)


def resolve_move(game: TurnGame, position: Position, text: str | None, legal: Sequence[str]) -> LegalMove:
    """The move of this name, in any spelling; raises BadInput that lists the legal ones."""
    moves = [*question_moves(game, position.state), *moves_left_out(game, position.board, position.state, True)]
    by_name = {move.name: move for move in moves if move.name in legal or not legal}
    if text is None and len(by_name) == 1:
        return next(iter(by_name.values()))
    if not by_name:
        raise BadInput("there is no choice here: these dice decide; leave roll out to throw", field="roll")
    match = meaning(text, by_name)
    if match.move is not None:
        return by_name[match.move]
    guess = "" if text is None or any(map(str.isdigit, str(text))) else did_you_mean(text, by_name)
    problem = "say which move" if text is None else match.doubt or f"{quoted(plain(text))} is no move here{guess}"
    reason = game.why_only(position.board, position.state) if meaning(text, ["stop"]).move else ""
    first_word = str(text).partition(" ")[0]
    ordered = sorted(by_name, key=lambda move: move.partition(" ")[0] != first_word)
    raise BadInput(f"{problem}{f': {reason}' if reason else ''}; the moves are: {listed(ordered)}", field="move")


def listed(moves: Sequence[str]) -> str:
    """Moves in a line; of very many the first ones, and the number of the others."""
    more = len(moves) - MAX_MOVES_LISTED
    return ", ".join(moves) if more <= 1 else f"{', '.join(moves[:MAX_MOVES_LISTED])} and {more} more"


def row_of(outcome: Outcome) -> OutcomeRow:
    """The row of an outcome."""
    fields, position = outcome.fields, outcome.position
    return OutcomeRow(
        **pick(outcome, "chance", "mover", "ended", "gained", "reply"),
        **pick(outcome.worth, "value", "lower", "upper", "shares"),
        thrown=outcome.throws,
        state=None if fields is None or position is None else spelled(fields),
    )


def _merge_rows(rows: Sequence[OutcomeRow]) -> list[OutcomeRow]:
    """One row for each state, mover, ending and gain (by seat, where each seat gains), in order of first appearance."""
    groups: dict[Any, list[OutcomeRow]] = {}
    for row in rows:
        cut = (row.lower, row.upper) if row.state is None and row.ended is None else None
        key = (row.state and shown_state(row.state), row.mover, row.ended, row.gained, row.shares, cut, row.reply)
        groups.setdefault(key, []).append(row)
    return [_merge(same) for same in groups.values()]


def _merge(rows: Sequence[OutcomeRow]) -> OutcomeRow:
    """Rows of one outcome as one."""
    chances = [row.chance for row in rows]
    chance = None if None in chances else sum((chance or Fraction(0) for chance in chances), Fraction(0))
    return replace(rows[0], chance=chance, thrown=tuple(throw for row in rows for throw in row.thrown))


def with_best_moves(game: TurnGame, outcomes: Outcomes) -> Outcomes:
    """The same outcomes, each with the ``best`` next move of the same player, in short.

    Empty where another player moves or nothing is chosen. A second step that follows at once stands behind a comma,
    ``keep 1 for 100, roll``; of a mixed strategy it is the likeliest move.
    """

    def ask_all(stored: StoredSolution) -> tuple[OutcomeRow, ...]:
        return tuple(
            replace(row, best="" if row.state is None or row.mover != outcomes.mover else _best_text(stored, row.state))
            for row in outcomes.rows
        )

    label = value_label(game.measure, game.sense, outcomes.parameters, outcomes.state)
    check = reachable(game, *question(game, outcomes.state))
    return replace(outcomes, rows=answer_from_solution(game, check, ask_all), value_label=label)


def _best_text(stored: StoredSolution, state: Mapping[str, Any]) -> str:
    game = stored.game
    fields = parse_fields(game, state)
    moves = stored.solution.ask(game.locate(**fields), fields, QueryOptions(), no_progress).moves
    if any(move.probability for move in moves):
        return max(moves, key=lambda move: move.probability or 0.0).move
    sign = 1 if game.sense == "max" else -1
    top = max(moves, key=lambda move: sign * move.value, default=None)
    if top is None:
        return ""
    return f"{top.move}, {top.then[0].move}" if top.then else top.move
