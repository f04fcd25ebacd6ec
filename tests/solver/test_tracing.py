"""``transition`` recorded and run as a tape says what it says itself, or that it cannot be recorded."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pytest

from rollwise.games.bouncer.rules import Bouncer
from rollwise.games.seats import first_holder, next_holder, seen_from
from rollwise.solver.markov_chains import blocks, layout, recorded, step_kernels
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Transition
from rollwise.solver.model.spaces import Boards, Column, Enumerated, Nested, Span, Split, Standing, entries
from rollwise.solver.turn import tape, tape_kernel, tracing
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.record import LESS, OR, SELECT, SHIFT_LEFT, CannotTrace
from rollwise.solver.turn.tracing import Recording, Traced
from tests.sizes import SIZES, Size, first_quick

SOME = np.random.default_rng(1)
HIGH = 40
TABLE = np.array([3, -1, 4, 1, 5, -9, 2, 6])
SPACE = Boards(
    span=range(-2, 5),
    split=Split(3, 4, low=[0, 1, 0]),
    some=Split(2, 3, at_most=True),
    standing=Standing(3, range(1, 4)),
    nested=Nested([range(2), range(3)], lambda outer: [(outer[0] + 1, 3 - outer[1])]),
    listed=Enumerated([(0, 0), (2, 0), (2, 1)]),
)


def run(record: Recording, outputs: list[int], inputs: Any) -> Any:
    """What the nodes come to, one row each."""
    stored = np.empty((inputs.shape[1], len(outputs)), dtype=np.int32)
    rows, places = np.ascontiguousarray(inputs, dtype=np.int32), np.zeros(1, dtype=np.int32)
    inside, columns, unsaid = np.arange(len(stored)), np.arange(len(outputs)), np.zeros(len(outputs), dtype=bool)
    tape_kernel.run(tape.compile_tape(record, outputs), 0, rows, inside, places, columns, stored, unsaid)
    return stored.T


BOTH: list[Callable[..., Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
    operator.and_,
    operator.or_,
    operator.xor,
    np.minimum,
    np.maximum,
    np.logical_and,
    np.logical_or,
]
OF_NUMBERS: list[Callable[..., Any]] = [
    operator.floordiv,
    operator.mod,
    lambda one, other: one << (other & 7),
    lambda one, other: one >> (other & 7),
    lambda one, other: ~one + -other,
    lambda one, other: abs(one) - np.bitwise_count(other),
    lambda one, other: np.choose(one & 3, [other, 5, one, -other]),
    lambda one, other: entries(TABLE, one & 7) - entries(TABLE, other % 8),
    lambda one, other: np.clip(one, -3, other),
    lambda one, other: np.where(one > other, one, 7) + np.where(one, 1, other),
    lambda one, other: one % 7 + one // 5 + other % -3 + other // -4 + 17 % (other * other + 1),
    lambda one, other: (one > 2) + (other > 2) + ((one > 2) * (other > 2)),
    lambda one, other: (one > 2) + (other > 2) * 1 + ~(one > other) * 2,
    lambda one, other: ((one > 2) + True) * one + (False | (other > 0)) + (one + 0 == other),
]
OF_ROWS: list[Callable[..., Any]] = [
    lambda rows: changed(np.stack(list(rows))),
    lambda rows: rows.sum(axis=0),
    lambda rows: rows.max(axis=0) - rows.min(axis=0),
    lambda rows: (rows > 3).any(axis=0) + 2 * (rows > 3).all(axis=0),
    lambda rows: np.count_nonzero(rows < 4, axis=0) + np.sum(rows > 0, axis=0),
    lambda rows: np.argmax(rows, axis=0) + rows.argmax(axis=0),
    lambda rows: np.roll(rows, 1, axis=0) - rows[::-1],
    lambda rows: np.take_along_axis(rows, (rows + 1) % len(rows), axis=0),
    lambda rows: rows * np.arange(len(rows))[:, None] + np.array([[1], [2], [3]]),
    lambda rows: np.stack([*rows[1:], rows[0]]) == rows[-1],
    lambda rows: np.concatenate([rows[:1], rows[1:] // 2]),
    lambda rows: next_holder(np.maximum(rows, 0))[0],
    lambda rows: next_holder(np.maximum(rows, 0))[1],
    lambda rows: seen_from(rows, rows[0] & 1),
    lambda rows: first_holder(np.maximum(rows, 0), 1),
]


def changed(rows: Any) -> Any:
    """Rows written in place, parts of them being views."""
    rows[0] += rows[1]
    first = rows[0]
    first -= 3
    rows[1:] = first
    rows[2] //= 2
    flags = first > 0
    flags &= rows[1] > 1
    flags |= first == -1
    return rows.sum(axis=0) + flags


def same(work: Callable[..., Any], plain: list[Any], traced: list[Any], record: Recording, inputs: Any) -> None:
    """What NumPy says, in number, shape and kind."""
    expected, found = work(*plain), work(*traced)
    assert isinstance(found, Traced)
    assert found.is_bool == (expected.dtype == bool)
    assert found.ids.shape == expected.shape[:-1]
    rows = run(record, found.ids.ravel().tolist(), inputs)
    assert (rows == expected.reshape(rows.shape)).all()
    for node, row in zip(found.ids.ravel().tolist(), rows, strict=True):
        low, high = record.bounds[node]
        assert low <= row.min() <= row.max() <= high


@pytest.mark.parametrize("low", [-HIGH, 0, 3])
def test_each_operation_is_that_of_numpy_of_negative_numbers_and_bools_too(low: int) -> None:
    inputs = SOME.integers(low, HIGH, size=(3, 1500), endpoint=True)
    inputs[:, 0], inputs[:, 1] = low, HIGH
    record = Recording()
    columns: list[Any] = [Traced(record, np.array(record.input(row, low, HIGH))) for row in range(3)]
    numbers = (list(inputs[:2]), columns[:2])
    bools = ([row > 9 for row in inputs[:2]], [column > 9 for column in columns[:2]])
    mixed = ([numbers[0][0], bools[0][1]], [columns[0], bools[1][1]])
    for plain, traced in (numbers, bools, mixed, (numbers[0][::-1], columns[1::-1])):
        for work in BOTH:
            if not (plain[0].dtype == plain[1].dtype == bool and work is operator.sub):
                same(work, plain, traced, record, inputs)
    with np.errstate(divide="ignore"):
        for work in OF_NUMBERS:
            same(work, *numbers, record, inputs)
            same(lambda one, work=work: work(one, np.int64(6)), [inputs[0]], [columns[0]], record, inputs)
    for work in OF_ROWS:
        same(work, [inputs.copy()], [tracing.stacked(record, columns)], record, inputs)


@pytest.mark.parametrize(
    "guess",
    [
        lambda column: 1 if column > 2 else 0,
        int,
        len,
        list,
        lambda column: column.any(),
        lambda column: column.sum(),
        lambda column: np.zeros(column.shape),
        lambda column: np.asarray(column),
        lambda column: np.array([column, column]),
        lambda column: np.sum([column, column], axis=0),
        lambda column: np.where(column),
        lambda column: TABLE[column],
        lambda column: column[column > 2],
        lambda column: column * 0.5,
        lambda column: np.cumsum(column),
        lambda column: column / 2,
        lambda column: column << column,
        lambda column: (column + (1 << 30)) * 4,
        lambda column: column + np.arange(5),
        lambda column: column.__iadd__(1),
    ],
)
def test_what_cannot_be_traced_says_so_and_is_never_guessed(guess: Callable[[Any], Any]) -> None:
    record = Recording()
    ids = np.array(record.input(0, -5, 5))
    ids.flags.writeable = False
    with pytest.raises((CannotTrace, TypeError), match=r"cannot be traced|unsupported operand"):
        guess(Traced(record, ids))


def test_ranks_are_recorded_too_and_numbers_outside_have_none() -> None:
    for name, part in SPACE.parts.items():
        alone = Boards(**{name: part})
        columns = alone.columns(np.arange(alone.size)).as_dict()[name]
        noise = SOME.integers(-1, 2, size=(*columns.shape[:-1], 40 * alone.size)) * (SOME.random(40 * alone.size) < 0.5)
        column: Column = np.tile(columns, 40) + noise
        record = Recording()
        board: Any = tracing.traced_boards(record, alone).as_dict()[name]
        low = [record.input(len(part.bounds) + row, -1, 1) for row in range(len(part.bounds))]
        moved = board + Traced(record, np.array(low).reshape(board.ids.shape))
        index, outside = tracing.traced_index(record, alone, {name: moved})
        inputs = np.concatenate([np.atleast_2d(np.tile(columns, 40)), np.atleast_2d(noise)])
        found = run(record, [int(index.ids), int(outside.ids)], inputs)
        assert (np.where(found[1], -1, found[0]) == alone.index({name: column}, column.shape[-1])).all(), name
        assert found[1].any()
        assert not found[1].all()


def rows_of(column: Column, count: int) -> Any:
    """A column, or rows of them, as rows."""
    has_rows = isinstance(column, list | tuple) or np.ndim(column) > 1
    return np.array([np.broadcast_to(row, count) for row in (column if has_rows else [column])])


def words_of(said: Transition) -> dict[str, Any]:
    """All that was said, by word and field."""
    words = {word: getattr(said, word) for word in ("legal", "over", "won", "drawn", "reward", "mover", "per")}
    return words | ({} if said.shares is None else {"shares": said.shares}) | dict(said.next or {})


@pytest.mark.parametrize("size", first_quick(SIZES, lambda size: size.name), ids=str)
def test_every_result_of_every_game_is_recorded_as_settle_says_it_or_not_at_all(size: Size) -> None:
    game, results = size.game, size.graph.results
    space = game.boards()
    boards = np.unique([*SOME.integers(space.size, size=200), *range(min(20, space.size)), space.size - 1])
    boards = boards[np.broadcast_to(game.possible(space.columns(boards)), len(boards))]
    columns = space.columns(boards)
    refused = 0
    for result in results[:: max(1, len(results) // 12)]:
        record = Recording()
        try:
            traced = words_of(game.transition(tracing.traced_boards(record, space), result))
        except CannotTrace:
            refused += 1
            continue
        with np.errstate(all="ignore"):
            plain = words_of(game.transition(columns, result))
        assert traced.keys() == plain.keys()
        for word, column in traced.items():
            each = [record.column(row) for row in (column if isinstance(column, list | tuple) else [column])]
            nodes = [node for row in each for node in row.ids.ravel().tolist()]
            found = run(record, nodes, tracing.input_rows(columns))
            assert (found == rows_of(plain[word], len(boards))).all(), (result, word)
    if game.kind == "seats":
        assert not refused


def test_many_boards_are_put_in_order_as_few_are() -> None:
    level = SOME.choice([-2, 3, 4, 9, blocks.NO_BOARD_LEVEL], size=500).astype(np.int32)
    boards = np.flatnonzero(level != blocks.NO_BOARD_LEVEL)
    expected, levels = layout.sort_by_level(boards, level[boards])
    assert step_kernels.level_range(level, blocks.NO_BOARD_LEVEL) == (len(boards), -2, 9)
    assert step_kernels.level_range(level[:0], blocks.NO_BOARD_LEVEL) == (0, 0, 0)
    starts, ordered = np.zeros(13, dtype=np.int64), np.empty_like(boards)
    step_kernels.order_places(level, blocks.NO_BOARD_LEVEL, 9, starts, ordered)
    assert (ordered == expected).all()
    assert np.unique(starts).tolist() == levels.tolist()
    assert (level[ordered] == np.arange(len(boards))).all()
    assert (level < 0).sum() == 500 - len(boards)


def test_boards_by_index_are_what_their_space_says_in_any_order() -> None:
    seats = [size.game.boards() for size in SIZES if size.game.kind == "seats"]
    for space in (SPACE, *(Boards(**{name: part}) for name, part in SPACE.parts.items()), *seats):
        boards = np.concatenate([SOME.integers(space.size, size=300), np.arange(min(300, space.size))])
        for some in (boards, boards[::-1]):
            made = recorded.unranking_tables(space)
            rows = np.empty((made.n_rows, len(some)), dtype=np.int32)
            tape_kernel.unrank(made, some, rows)
            assert (rows == tracing.input_rows(space.columns(some))).all()
    with pytest.raises(CannotTrace, match="the boards of 'other'"):
        recorded.unranking_tables(Boards(other=type("Other", (Span,), {})(range(3))))


@pytest.mark.parametrize("slow", [(), (6,), range(1, 7)])
def test_a_chain_by_records_is_the_chain_by_settle_and_a_wrong_record_is_seen(
    slow: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, transition = Bouncer(chips=4), Bouncer.transition
    graph = compile_turn(game)
    plain = layout.lay_out(game, graph)
    monkeypatch.setattr(
        Bouncer,
        "transition",
        lambda self, board, rolled: transition(self, board, rolled if rolled not in slow else rolled + 0 * len(board)),
    )
    assert [result.split(",")[0] for result in layout.unrecorded_results(game, graph)] == [
        f"result {face}" for face in slow
    ]
    monkeypatch.setattr(layout, "MIN_RECORDED_CODES", 1)
    chain = layout.lay_out(game, graph)
    assert chain.is_recorded
    assert not plain.is_recorded
    assert chain.exact_endings == plain.exact_endings
    assert (chain.codes == plain.codes).all()
    if len(slow) == 6:
        return

    def mutated(record: Recording, *outputs: Any) -> tape.Tape:
        made = tape.compile_tape(record, *outputs)
        steps = made.steps.copy()
        steps[np.flatnonzero(steps[:, 0] == wrong)[:1], 0] = LESS
        return made._replace(steps=steps)

    monkeypatch.setattr(recorded, "compile_tape", mutated)
    for operation, said in (
        (SHIFT_LEFT, r"result \d of bouncer.* is recorded wrongly: on \{'marked'"),
        (SELECT, "the level of"),
    ):
        wrong = operation
        with pytest.raises(ModelError, match=said):
            layout.lay_out(game, graph)


def test_boards_and_roots_that_are_recorded_wrongly_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    game, made = Bouncer(chips=4), recorded.unranking_tables(Bouncer(chips=4).boards())
    graph, table = compile_turn(game), made.table.copy()
    table[0] += 1
    monkeypatch.setattr(layout, "MIN_RECORDED_CODES", 1)
    monkeypatch.setattr(recorded, "unranking_tables", lambda space: made._replace(table=table))
    with pytest.raises(ModelError, match="are not what their indices say"):
        layout.lay_out(game, graph)
    monkeypatch.setattr(Bouncer, "root", lambda self, board: board.marked)
    with pytest.raises(CannotTrace, match="what root"):
        recorded.trace_boards(game, game.boards(), blocks.NO_BOARD_LEVEL)


@pytest.mark.parametrize("word", ["possible", "level", "root", "standing"])
def test_words_that_cannot_be_recorded_are_asked_for(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, graph = Bouncer(chips=4), compile_turn(Bouncer(chips=4))
    plain = layout.lay_out(game, graph)
    said = getattr(game, word)
    monkeypatch.setattr(
        Bouncer, word, lambda self, board: (0 if word == "level" else said(board)) + np.zeros(len(board), int)
    )
    assert "cannot be traced" in layout.unrecorded_results(game, graph)[0]
    monkeypatch.setattr(layout, "MIN_RECORDED_CODES", 1)
    chain = layout.lay_out(game, graph)
    assert not chain.is_recorded
    assert (chain.codes == plain.codes).all()


def test_a_record_does_not_hold_where_a_table_ends_and_settle_itself_tells_of_boards_that_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = Recording()
    numbers = np.arange(-5, 13)
    found: Any = entries(TABLE, Traced(record, np.array(record.input(0, -5, 12))))
    row, outside = run(record, [int(found.ids), reduce(partial(record.binary, OR), record.faults)], numbers[None])
    assert (outside == ((numbers < 0) | (numbers >= len(TABLE)))).all()
    assert (row[5:13] == TABLE).all()

    def lost(game: Bouncer, board: Any, rolled: int) -> Transition:
        said = transition(game, board, rolled)
        assert said.next
        mover, *others = said.next["stake"]
        far = 99 * ((board.stake[0] == 3) & (board.stake[1] == 2))
        return replace(said, next={"marked": 1, "stake": [mover + far, *others]})

    transition, game = Bouncer.transition, Bouncer(chips=4)
    graph = compile_turn(game)
    monkeypatch.setattr(layout, "MIN_RECORDED_CODES", 1)
    monkeypatch.setattr(blocks, "SAMPLE_BOARDS", 1)
    monkeypatch.setattr(blocks, "EDGE_BOARDS", 1)
    layout.lay_out(game, graph)
    monkeypatch.setattr(Bouncer, "transition", lost)
    with pytest.raises(ModelError, match=r"result 1 of \{'marked': 1, 'stake': \(3, 2, 7\)\} leads off the boards"):
        layout.lay_out(game, graph)
