"""``outcomes``: what happens next, every outcome of a move with its chance, the dice, the state after it, its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rollwise.answers.advice import picked
from rollwise.answers.labels import counted, value_label
from rollwise.answers.outcomes import OutcomeRow, Outcomes
from rollwise.answers.spelling import shown_state, spelled
from rollwise.asking.question import assumed, question, reachable, understood
from rollwise.games.move_aliases import meaning
from rollwise.parsing.validate import as_said, checked, the_fields, the_game
from rollwise.solutions.games import StoredSolution, with_solved
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import PositionValue, QueryOptions, unheard
from rollwise.solver.kinds.outcomes import Outcome, outcomes as outcomes_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.names import did_you_mean
from rollwise.solver.model.plain import plain, quoted
from rollwise.solver.turn.query import Move, left_out, moves_asked

NOTHING = PositionValue(None, None, None)
MOST_NAMED = 12  # moves that a message lists


@checked
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
    it may be left out where there is only one. An outcome ends where somebody is asked again, be it that
    a throw lies on the table, or at the end of the game. One row for each state, mover, ending and gain; with ``each``
    one for each throw. Chances add up to 1, and chance times value to the value of the move. ``yes`` as in ``ask``.
    Raises ``BadInput`` for what cannot be, naming the legal moves where the move is none of them.

    >>> row = outcomes("pig", "roll", mine=90, turn=5).rows[0]
    >>> row.chance, row.thrown[0].dice, row.state
    (Fraction(1, 6), (1,), {'mine': 0, 'theirs': 90, 'turn': 0})
    """
    made = the_game(game, params)
    return what_follows(made, *question(made, as_said(state, fields)), move, each=each)


def what_follows(
    game: TurnGame, fields: Mapping[str, Any], position: Position, move: str | None, *, each: bool = False
) -> Outcomes:
    """The outcomes of a move of a position, from the solved game."""

    def ask_it(stored: StoredSolution) -> Outcomes:
        state, parameters = understood(game, fields, position), plain_parameters(game)
        worths = stored.opened.ask(position, fields, QueryOptions(all_moves=True), unheard).moves if chooses else ()
        legal = [worth.move for worth in worths]
        meant = the_move(game, position, move, legal)
        with Progress(str(game), verb="working out") as progress:
            every = outcomes_of(stored.opened, the_fields(game, state), position, meant, progress.share)
        rows = list(map(row_of, every))
        return Outcomes(
            **picked(counted(game, parameters, state), "unit", "sense", "label"),
            **picked(next((worth for worth in worths if worth.move == meant.name), NOTHING), "value", "lower", "upper"),
            game=game.name,
            parameters=parameters,
            state=state,
            mover=position.mover,
            move=meant.name,
            rows=tuple(rows if each else together(rows)),
            note=meaning(move, legal).note,
            assumed=assumed(game, fields, state),
        )

    chooses = kind_of(game).chooses
    return with_solved(game, reachable(game, fields, position), ask_it)


def the_move(game: TurnGame, position: Position, words: str | None, legal: Sequence[str]) -> Move:
    """The move that is meant, in any spelling; raises BadInput that lists the legal ones."""
    moves = [*moves_asked(game, position.state), *left_out(game, position.board, position.state, True)]
    known = {move.name: move for move in moves if move.name in legal or not legal}
    if words is None and len(known) == 1:
        return next(iter(known.values()))
    if not known:
        raise BadInput("nobody chooses here: what these dice do is settled; leave roll out to throw", field="roll")
    meant = meaning(words, known)
    if meant.move is not None:
        return known[meant.move]
    guess = "" if words is None or any(map(str.isdigit, str(words))) else did_you_mean(words, known)
    what = "say which move" if words is None else meant.doubt or f"{quoted(plain(words))} is no move here{guess}"
    why = game.why_only(position.board, position.state) if meaning(words, ["stop"]).move else ""
    verb = str(words).partition(" ")[0]
    first = sorted(known, key=lambda move: move.partition(" ")[0] != verb)
    raise BadInput(f"{what}{f': {why}' if why else ''}; the moves are: {listed(first)}", field="move")


def listed(moves: Sequence[str]) -> str:
    """Moves in a line; of very many the first ones, and how many there are besides."""
    more = len(moves) - MOST_NAMED
    return ", ".join(moves) if more <= 1 else f"{', '.join(moves[:MOST_NAMED])} and {more} more"


def row_of(outcome: Outcome) -> OutcomeRow:
    """An outcome as it is told."""
    fields, position = outcome.fields, outcome.position
    return OutcomeRow(
        **picked(outcome, "chance", "mover", "ended", "gained", "reply"),
        **picked(outcome.worth, "value", "lower", "upper", "shares"),
        thrown=outcome.throws,
        state=None if fields is None or position is None else spelled(fields),
    )


def together(rows: Sequence[OutcomeRow]) -> list[OutcomeRow]:
    """One row for each state, mover, ending and gain (by seat, where each seat gains), in order of first appearance."""
    alike: dict[Any, list[OutcomeRow]] = {}
    for row in rows:
        past = (row.lower, row.upper) if row.state is None and row.ended is None else None
        key = (row.state and shown_state(row.state), row.mover, row.ended, row.gained, row.shares, past, row.reply)
        alike.setdefault(key, []).append(row)
    return [_merged(same) for same in alike.values()]


def _merged(rows: Sequence[OutcomeRow]) -> OutcomeRow:
    """Rows of one outcome as one."""
    chances = [row.chance for row in rows]
    chance = None if None in chances else sum((chance or Fraction(0) for chance in chances), Fraction(0))
    return replace(rows[0], chance=chance, thrown=tuple(throw for row in rows for throw in row.thrown))


def with_next_moves(game: TurnGame, outcomes: Outcomes) -> Outcomes:
    """The same outcomes, each with what who made the move does ``best`` then, in short.

    Empty where somebody else moves or nobody is asked. Where a second step follows at once it stands behind a comma,
    ``keep 1 for 100, roll``; of a mix it is the likeliest move.
    """

    def ask_all(stored: StoredSolution) -> tuple[OutcomeRow, ...]:
        return tuple(
            replace(row, best="" if row.state is None or row.mover != outcomes.mover else _best(stored, row.state))
            for row in outcomes.rows
        )

    label = value_label(game.measure, game.sense, outcomes.parameters, outcomes.state)
    check = reachable(game, *question(game, outcomes.state))
    return replace(outcomes, rows=with_solved(game, check, ask_all), value_label=label)


def _best(stored: StoredSolution, state: Mapping[str, Any]) -> str:
    game = stored.game
    fields = the_fields(game, state)
    moves = stored.opened.ask(game.locate(**fields), fields, QueryOptions(), unheard).moves
    if any(move.probability for move in moves):
        return max(moves, key=lambda move: move.probability or 0.0).move
    sign = 1 if game.sense == "max" else -1
    top = max(moves, key=lambda move: sign * move.value, default=None)
    if top is None:
        return ""
    return f"{top.move}, {top.then[0].move}" if top.then else top.move
