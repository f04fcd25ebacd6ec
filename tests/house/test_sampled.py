"""Every game and size, asked, followed, explained, played, reviewed, exported and kept: over one recorded sample."""

from __future__ import annotations

import json
import shlex
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest

import rollwise
from rollwise import BadInput, Match
from rollwise.cache.store import Store
from rollwise.match.review.compute import review
from rollwise.parsing.validate import parse_assignments, parse_fields
from rollwise.parsing.words import join_fields
from rollwise.policy_tables.row_template import cell
from rollwise.questions.ask.data import Advice
from rollwise.questions.best import candidate_rows
from rollwise.questions.outcomes.compute import resolve_move
from rollwise.questions.question import full_state, question as asked_of
from rollwise.questions.why.compute import why_of
from rollwise.solutions.check import check
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.kinds.kind import QueryOptions, no_progress
from rollwise.solver.model.fields import YesNo
from rollwise.solver.model.game import Decision, End, TurnGame
from rollwise.solver.turn.graph import CHOICE
from rollwise.text.spelling import shown_state, spelled
from tests.asked import CLOSE, ask, edges, require_sound
from tests.games.test_forms import fits
from tests.sample import Sample, sample_of, seen
from tests.sizes import BOUNDS, CHECK, EDGES, EXPLAIN, EXPORT, FOLLOW, SOLVED, Size, another_stands_for, cases, chooses
from tests.sound import (
    Walked,
    as_described,
    require_explained,
    require_reviewed,
    require_row,
    require_same,
    require_sums,
    require_unit,
)

TAKEN_UP = 4  # a match is taken up before every so many steps
N_WHYS = 3  # differences that are looked at
N_ROWS = 2  # rows of an export that are asked, beside those that a game came to
N_EXACT = 4  # questions at the edges that are asked in fractions
WIDE = {  # of turns that hardly ever come about
    "piggy-six": 0.01,  # more ahead than any board of so small a game has room for
    "zilch": 1.0,  # a special throw far past the cut has to be thrown on, for nobody knows how long
}


@pytest.fixture
def sample(size: Size, play: Callable[[TurnGame], str]) -> Sample:
    """What is recorded of this size; whoever is asked for a game by its name takes this one."""
    play(size.game)
    return sample_of(size)


@cases(FOLLOW)
def test_the_sample_has_throws_an_end_and_choices_where_somebody_chooses(sample: Sample, size: Size) -> None:
    assert len(sample.asked) >= 2
    endless = size.name == "pay-the-rent" or another_stands_for(size)  # after a pot there is another one
    assert any(game.over for game in sample.games) or endless
    assert any(len(asked.advice.moves) > 1 for asked in sample.asked) == chooses(size)
    assert any(step.move is None for game in sample.games for step in game.steps)
    kinds = load_or_solve(sample.made).graph.kind
    assert chooses(size) == bool((kinds == CHOICE).any())


@cases(FOLLOW)
def test_chances_are_one_together_and_values_add_up_to_the_answer(sample: Sample, size: Size) -> None:
    for asked in sample.asked:
        require_sums(sample.made, asked.advice, asked.outcomes)
        require_unit(sample.made, asked.advice, asked.outcomes)
        for row in asked.outcomes.rows:
            require_row(size, row)


@cases(FOLLOW)
def test_every_state_that_follows_says_the_same_of_itself(sample: Sample) -> None:
    assert sample.followers or all(row.ended for asked in sample.asked for row in asked.outcomes.rows)
    for asked, row, again in sample.followers:
        assert spelled(parse_fields(sample.made, row.state or {})) == row.state
        require_same(sample.made, asked.advice, row, again)


@cases(FOLLOW)
def test_outcomes_answers_and_the_match_spell_a_state_in_one_way(sample: Sample) -> None:
    for asked in sample.asked:
        as_described("outcomes", found := asked.outcomes.plain())
        as_described("ask", asked.advice.plain())
        assert found["state"] == asked.state == json.loads(json.dumps(asked.advice.plain()["state"]))
        states = [row["state"] for row in found["rows"] if row["state"] is not None]
        assert not any(isinstance(value, list) and None in value for state in states for value in state.values())
        assert asked.taken is None or asked.after is None or asked.after.state in states


@cases(EXPLAIN)
def test_parts_of_why_add_up_and_the_turn_ends_as_its_words_say(sample: Sample) -> None:
    made, draw, opened = sample.made, Random(11), load_or_solve(sample.made).solution
    n_told = n_refused = 0
    for asked in sample.asked:
        state, position = asked_of(made, asked.state)
        names = [move.move for move in asked.advice.moves]
        if len(names) < 2:
            n_refused += 1
            if n_refused == 1:
                with pytest.raises(BadInput, match=r"^there is nothing to compare: the only move here is "):
                    why_of(made, state, position)
            continue
        for other in dict.fromkeys([None, draw.choice(names[1:])]) if n_told < N_WHYS else ():
            found = why_of(made, state, position, other)
            assert (found.best, found.other) == (names[0], other or names[1])
            require_explained(found)
            as_described("why", found.plain())
            n_told += 1
            if made.kind == "hidden":
                continue
            walked = Walked(opened.turn_on(position.board))
            for name, is_best in ((found.best, True), (found.other, False)):
                chances = walked.classes(resolve_move(made, position, name, names).after)
                told = {part.called: part.chance if is_best else part.other_chance for part in found.parts}
                assert {name for name, chance in told.items() if chance} == chances.keys()
                assert all(told[end] == pytest.approx(float(chances[end]), rel=1e-9, abs=1e-15) for end in chances)
    assert n_told


@cases(FOLLOW)
def test_a_match_is_taken_up_anywhere_as_it_was(sample: Sample) -> None:
    for game in sample.games:
        records = [*(step.record for step in game.steps), game.record]
        for place, step in [*enumerate(game.steps)][1::TAKEN_UP]:
            match = Match.of(json.loads(json.dumps(step.record)))
            assert (match.record(), seen(match)) == (step.record, step.seen)
            step.take(match)
            assert match.record() == records[place + 1]
        match = Match.of(json.loads(json.dumps(game.record)))
        assert (match.record(), match.over, match.result) == (game.record, game.over, game.result)
        assert match.result is None or len(match.result) == match.seats


@cases(FOLLOW)
def test_what_is_taken_back_and_made_again_brings_the_same_dice(sample: Sample) -> None:
    game = sample.games[0]
    match = Match.of(game.record)
    while match.move is not None:
        match.throw()
    whole = match.record()
    match.undo()
    done = whole[len(match.record()) :]
    assert done
    if "choice" in done[0]:
        match.play(done[0]["choice"])
    if match.waiting:
        match.throw()
    assert match.record() == whole
    while len(match.record()) > 1:
        match.undo()
    assert (match.record(), seen(match)) == (game.steps[0].record, game.steps[0].seen)
    with pytest.raises(BadInput, match="nothing to take back"):
        match.undo()


@cases(FOLLOW)
def test_a_seats_start_and_all_that_changed_it_are_the_result_and_the_best_move_loses_nothing(sample: Sample) -> None:
    n_best = 0
    for game in sample.games:
        told = review(game.record)
        require_reviewed(told, len(game.record))
        assert review(game.record) == told
        assert told.complete == (game.result is not None)  # past a proven cut there is none
        assert len([note for note in told.notes if "all was decided" not in note]) == int(not told.complete)
        if told.complete:
            assert [seat.result for seat in told.seats] == pytest.approx(game.result)
        if told.complete and told.unit == "probability" and len(told.seats) > 1 and sample.made.outcome == "win":
            assert sum(seat.result for seat in told.seats) == pytest.approx(1.0)
        choices = [(number, line) for number, line in enumerate(game.record, 1) if "choice" in line]
        lost = {choice.at: choice.loss for choice in told.choices}
        assert lost == pytest.approx({number: line["loss"] for number, line in choices if line["loss"]})
        for asked, (number, _) in zip(game.asked, choices, strict=False):
            assert not (asked.plays_best and number in lost)
            n_best += asked.plays_best
    assert bool(n_best) == chooses(sample.size)


@cases(SOLVED, each=lambda size: size.game.kind)
@pytest.mark.usefixtures("own_cache")
def test_an_answer_is_the_same_when_solved_and_from_the_cache(sample: Sample) -> None:
    solved, kept = load_or_solve(sample.made, quiet=True), load_or_solve(sample.made, quiet=True)
    assert (solved.cached, kept.cached) == (False, True)
    answered = [question for question, told in sample.at_edges if isinstance(told, Advice)]
    for question in [sample.asked[-1].state, *sample.by_sort.values(), answered[-1]]:
        given, position = asked_of(sample.made, question)
        first, again = (found.solution.ask(position, given, QueryOptions(), no_progress) for found in (solved, kept))
        assert (first.moves, first.quantities, first.shares) == (again.moves, again.quantities, again.shares)


@cases(CHECK)
def test_what_is_kept_is_proved_again(size: Size) -> None:
    (checked,) = check(Store(), [load_or_solve(size.game, quiet=True).key])
    assert checked.verdict == "proved", checked.detail
    assert checked.game == size.name


@cases(EXPORT)
def test_every_row_of_an_export_says_what_ask_says(sample: Sample, tmp_path: Path) -> None:
    made, fields = sample.made, sample.made.fields()
    names, scores = [field.name for field in fields], [field.name for field in fields if field.of == "board"]
    exported = rollwise.export(made.name, tmp_path / "all.parquet")
    rows = pq.read_table(exported.path).to_pylist()
    assert exported.rows == len(rows) > 0
    by_cells = defaultdict(list)
    for row in rows:
        by_cells[tuple(row[field.name] for field in fields)].append(row)
    for row in Random(str(sample.size)).sample(rows, min(N_ROWS, len(rows))):
        question = {name: row[name] for name in names if row[name] is not None}
        require_exported(row, sample.ask(question))
        with_empty_cells = {name: row[name] for name in names if name in question or name not in scores}
        assert asked_of(made, with_empty_cells)[1] == asked_of(made, question)[1]
    graph = load_or_solve(made).graph
    for each in [asked for game in sample.games for asked in game.asked]:
        given, position = asked_of(made, each.state)
        if not isinstance(made.turn(*position.state), Decision):
            continue  # the turn is over, or a throw must be made: nothing to decide
        cells = [tuple(cell(field, row) for field in fields) for row in candidate_rows(made, given, position)]
        found = next((by_cells[cell] for cell in cells if cell in by_cells), [])
        hears = made.kind == "hidden"  # whose replies are no states of the turn
        is_solved = hears or graph.node_of(position.state) is not None  # questions go on further than any table
        assert len(found) == int(is_solved), each.state
        for row in found:
            question = {name: row[name] for name in names if row[name] is not None}
            told, made_there = sample.ask(question), made.locate(**parse_fields(made, question)).points
            more = float(position.points - made_there)  # points that the row says nothing of
            require_exported(row, told if more else each.advice)
            assert each.advice.value == pytest.approx((told.value or 0) + more, rel=1e-14, abs=1e-14)


def require_exported(row: dict[str, Any], advice: Advice) -> None:
    """A row of a table is the answer of its question."""
    assert row["best_move" if "best_move" in row else "best"] in advice.best
    forced = row["moves"] == ["roll"]  # then its interval may be that of the solution, which is wider
    near = 1e-12 if forced else 1e-15
    assert row["value"] == pytest.approx(advice.value, rel=1e-14, abs=1e-15)
    assert (row["lower"], row["upper"]) == pytest.approx((advice.lower, advice.upper), rel=1e-14, abs=near)
    moves = advice.moves
    assert row["second_loss"] == (pytest.approx(moves[1].loss, abs=1e-14) if len(moves) > 1 else None)
    told = {move.move: move.value for move in moves}
    assert row["values"] == pytest.approx([told[move] for move in row["moves"]], rel=1e-14, abs=1e-15)
    assert row["values"] == pytest.approx(list(told.values()), rel=1e-14, abs=1e-15)


@cases(EDGES)
def test_every_field_is_answered_at_its_edges_or_refused_in_a_line(sample: Sample) -> None:
    for _, told in sample.at_edges:
        if isinstance(told, str):
            assert "\n" not in told
        else:
            require_sound(told, WIDE.get(sample.made.name, CLOSE))
    for field in sample.made.fields():
        taken = [told for question, told in sample.at_edges if field.name in question]
        assert any(isinstance(told, Advice) for told in taken), f"{field.name} was never answered"
        assert any(isinstance(told, str) for told in taken) or isinstance(field, YesNo), f"{field.name} never refused"


@cases(BOUNDS)
def test_bounds_at_the_edges_hold_the_exact_values(sample: Sample) -> None:
    answered = [question for question, told in sample.at_edges if isinstance(told, Advice)]
    for question in Random(str(sample.size)).sample(answered, min(N_EXACT, len(answered))):
        advice = ask(sample.made, question, exact=True)
        moves = [move for move in advice.moves if move.exact is not None]
        assert len(moves) == len(advice.moves) or sample.made.name in WIDE
        exact = {move.move: Fraction(str(move.exact)) for move in moves}
        assert all(Fraction(move.lower) <= exact[move.move] <= Fraction(move.upper) for move in moves)
        if len(moves) == len(advice.moves):
            top = (max if advice.sense == "max" else min)(exact.values())
            assert sorted(advice.best) == sorted(move for move, value in exact.items() if value == top)


@cases(FOLLOW)
def test_whatever_a_question_can_name_has_a_move(sample: Sample) -> None:
    """An end of the solved turn is no question, unless the game says what may be done there all the same."""
    made = sample.made
    for board in sample.boards[:10] if chooses(sample.size) else ():
        for state, word in sample.states_on(board).items():
            if isinstance(word, End) and any(True for _ in made.describe(made.boards().board(board), state)):
                assert made.unsolved_node(*state) is not None, state


@cases(FOLLOW)
def test_every_question_can_be_filled_in_and_forms_offer_at_their_edges_what_is_read(sample: Sample) -> None:
    forms = {field.name: field.form for field in sample.made.fields()}
    for asked in sample.described:
        assert all(fits(forms[name], value) for name, value in asked.items()), asked
    for field in sample.made.fields():
        for edge in edges(field, sample.made):
            try:
                read = field.parse(edge)
            except BadInput:
                assert isinstance(edge, str) or not fits(field.form, edge), (field.name, edge)
            else:
                assert fits(field.form, read), (field.name, edge)


@cases(FOLLOW)
def test_a_state_that_is_shown_and_pasted_is_the_same_state(sample: Sample) -> None:
    made, fields = sample.made, sample.made.fields()
    for question, position in sample.located:
        state = full_state(made, question, position)
        said = shlex.join(f"{f.name}={f.show(question[f.name])}" for f in fields if f.name in question)
        for text in (shown_state(state), said):
            again = parse_fields(made, parse_assignments(join_fields(made, shlex.split(text)), "field") if text else {})
            assert made.locate(**again) == position, text
            assert full_state(made, again, position) == state, text
    assert sample.located or made.name == "dice-roulette"
