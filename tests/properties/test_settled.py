"""What a game says in ``settle`` is read in one way, and what its kind does not use is refused, never ignored."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.games.registry import REGISTRY, game_class
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.boards.table import solve_table
from rollwise.solver.chains.chain import absorption
from rollwise.solver.chains.layout import lay_out
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.game.errors import ModelError, TooLarge
from rollwise.solver.game.model import OTHER, Boards, Columns, End, Settled, TurnGame, Word, named
from rollwise.solver.kinds import KINDS, kind_of
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.reference.walk import walk
from rollwise.solver.turn import perspective
from rollwise.solver.turn import settled as settled_module
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.perspective import ILLEGAL, Constants
from rollwise.solver.turn.settled import Settler, Uses
from rollwise.solver.witness.reading import told

WORDS = tuple(field.name for field in fields(Settled) if field.name not in ("next", "mover", "per"))


@dataclass(frozen=True)
class Says(TurnGame):
    """A coin is thrown once a turn: heads says ``heads`` of the board, tails goes on; two steps at most."""

    name = "says"
    title = "Says"
    source = "a test"
    rules = "None."
    measure = "win"
    unit = "probability"
    cyclic = False

    heads: Settled = Settled()  # noqa: RUF009 -- frozen
    seats: int = 0

    def __post_init__(self) -> None:
        """Nothing to check."""

    def parameters(self) -> dict[str, Any]:
        return {"players": self.seats or 2}

    def boards(self) -> Boards:
        return Boards(step=3)

    def level(self, board: Columns) -> Any:
        return board.step

    def turn(self) -> Word:
        return named([("heads", 1), ("tails", 5)], End)

    def settle(self, board: Columns, result: str) -> Settled:
        if result == "heads":
            return self.heads
        shares = [0] * (self.seats - 1) + [1] if self.seats else None
        return Settled(over=board.step == 2, next={"step": np.minimum(board.step + 1, 2)}, shares=shares)

    def fields(self) -> list[Any]:
        return []

    def describe(self, board: Any, state: Any) -> list[Any]:
        return []


SAID = {
    "legal": Settled(legal=False),
    "over": Settled(over=True),
    "won": Settled(won=True),
    "drawn": Settled(drawn=True),
    "reward": Settled(over=True, reward=1),
    "shares": Settled(over=True, shares=[1, 0], per=1),
}
SEATS = {"table": 3, "seats": 2}


def says(kind: str, heads: Settled) -> Says:
    """The toy as a game of this kind."""
    toy: Any = type("Says", (Says,), {"kind": kind, "total": int(kind == "duel")})
    return toy(heads, SEATS.get(kind, 0))  # type: ignore[no-any-return]


def solved(toy: Says) -> None:
    """Every solver that takes this kind of game; of hidden dice, whose turns have another form, the reading alone."""
    graph = compile_turn(toy)
    if toy.kind.startswith("hidden"):
        settler = Settler(toy, graph, Constants(3, 2), uses=kind_of(toy).uses(toy))
        settler.read(graph.results.index("heads"), settler.block(np.array([0, 1])))
        return
    kind_of(toy).solve(toy, graph, Tools())
    if toy.kind == "alone":
        absorption(toy, graph)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_a_kind_does_not_use_is_refused_by_solver_and_walker(kind: str, word: str) -> None:
    toy = says(kind, SAID[word])
    if word in kind_of(toy).uses(toy).words:
        return
    with pytest.raises(ModelError, match=f"says {word}, which .* does not use"):
        solved(toy)
    with pytest.raises(ModelError, match=f"says {word}, which .* does not use"):
        walk(toy)


def test_a_duel_that_ends_with_shares_is_refused_and_not_solved_to_the_wrong_number() -> None:
    toy = says("duel", Settled(over=True, shares=[1, 0], per=1))
    for solve in (
        lambda graph: BoardSolver(toy, graph, compiled=False).solve(),
        lambda graph: BoardSolver(toy, graph, compiled=True).solve(),
        lambda graph: solve_exact(toy, graph),
    ):
        with pytest.raises(ModelError, match="shares"):
            solve(compile_turn(toy))


def test_a_luck_game_that_ends_with_won_is_refused() -> None:
    toy = says("seats", Settled(won=True))
    with pytest.raises(ModelError, match="won"):
        lay_out(toy, compile_turn(toy))


@pytest.mark.parametrize("kind", ["solo", "alone"])
def test_nobody_else_can_be_handed_the_dice_where_one_player_keeps_them(kind: str) -> None:
    toy = says(kind, Settled(next={"step": 2}, mover=OTHER))
    with pytest.raises(ModelError, match="hands the dice to another player"):
        solved(toy)


def test_the_dice_of_a_duel_pass_to_no_third_player() -> None:
    toy = says("duel", Settled(next={"step": 2}, mover=np.array([2])))
    with pytest.raises(ModelError, match="hands the dice to another player; a duel passes them to 1 seats"):
        solved(toy)


def test_a_count_of_parts_that_is_none_is_refused() -> None:
    with pytest.raises(ModelError, match="counts in parts of 1/0"):
        solved(says("duel", Settled(over=True, per=0)))


@pytest.mark.parametrize(
    ("shares", "per", "wanted"),
    [
        ([1, 1], 1, "not 1 together"),
        ([2, -1], 1, "not 1 together"),
        ([1], 1, "with 1 shares instead of"),
        (None, 1, "without shares"),
        ([1 << 40, 0], 1 << 40, "too fine parts"),
    ],
)
@pytest.mark.parametrize("kind", ["table", "seats"])
def test_shares_that_are_none_are_refused(kind: str, shares: Any, per: int, wanted: str) -> None:
    if kind == "table" and shares is not None and len(shares) == 2:
        shares = [*shares, 0]
    toy = says(kind, Settled(over=True, shares=shares, per=per))
    with pytest.raises(ModelError, match=wanted):
        solved(toy)


@pytest.mark.parametrize("kind", ["duel", "solo", "table", "alone"])
@pytest.mark.parametrize(
    ("heads", "wanted"),
    [(Settled(), "result heads of .* leads nowhere"), (Settled(next={"step": 7}), "result heads of .* leads off")],
)
def test_a_result_that_leads_to_no_board_is_refused_by_the_solvers(kind: str, heads: Settled, wanted: str) -> None:
    with pytest.raises(ModelError, match=wanted):
        solved(says(kind, heads))


def test_no_share_is_below_0_though_all_are_1_together() -> None:
    three: Any = type("Says", (Says,), {"kind": "seats", "total": 0})
    with pytest.raises(ModelError, match="not 1 together"):
        solved(three(Settled(over=True, shares=[1, 1, -1], per=1), 3))


def test_a_share_of_one_seat_alone_is_no_more_than_the_whole() -> None:
    one: Any = type("Says", (Says,), {"kind": "seats", "total": 0})
    with pytest.raises(ModelError, match="not 1 together"):
        solved(one(Settled(over=True, shares=[2], per=1), 1))


def test_a_game_may_not_end_in_more_ways_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perspective, "ROOM", 4)
    constants = Constants(10)
    codes = [constants.code(Fraction(worth)) for worth in range(3)]
    assert len({*codes, constants.code(ILLEGAL)}) == 4
    with pytest.raises(ModelError, match="more than 4 different worths"):
        constants.code(Fraction(3))


@pytest.mark.parametrize("bits", [1, 3])
def test_boards_that_codes_cannot_name_are_refused(bits: int) -> None:
    most = 2 ** (31 - bits) - perspective.ROOM - 1
    assert Constants(most, bits).code(ILLEGAL) < 2**31
    with pytest.raises(TooLarge, match="codes of 32 bits"):
        Constants(most + 1, bits)


# --- the same reading as those who share nothing with it --------------------------------------------------------------


def small(name: str) -> TurnGame:
    from tests.sizes import SIZES

    return next(size.game for size in SIZES if size.name == name)


@pytest.mark.parametrize("looked_up", [False, True])
@pytest.mark.parametrize("name", [name for name in REGISTRY if not game_class(name).pays_seats])  # nobody codes a pot
def test_codes_say_what_the_witness_reads(name: str, looked_up: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Board that follows, seats passed on, endings and rewards, on all boards and results of every small game."""
    made = small(name)
    if looked_up:
        monkeypatch.setattr(settled_module, "LOOKED_UP", 1)
        monkeypatch.setattr(settled_module, "SMALLER", 1)
    graph, space, uses = compile_turn(made), made.boards(), kind_of(made).uses(made)
    boards = np.arange(space.size)
    boards = boards[np.broadcast_to(made.possible(space.columns(boards)), len(boards))][:20_000]
    roots = np.broadcast_to(made.root(space.columns(boards)), len(boards))
    for root in np.unique(roots)[:40]:
        check_root(made, graph, uses, boards[roots == root], int(root))


def check_root(made: TurnGame, graph: Any, uses: Uses, boards: Any, root: int) -> None:
    constants = Constants(made.boards().size, 4 if uses.seats > 2 else 1)
    settler = Settler(made, graph, constants, uses=uses)
    results = {graph.leaves[leaf].result for leaf in np.flatnonzero(graph.root_leaves[root])} - {-1}
    for number in sorted(results):
        codes = np.empty(len(boards), dtype=np.int32)
        reward = settler.fill(number, settler.block(boards), codes)
        plain = told(made, boards, graph.results[number], uses.n_shares)
        following = codes >> constants.bits
        on = following < constants.n_boards
        worths = list(constants.place)
        assert (on == (plain.following >= 0)).all()
        assert (following[on] == plain.following[on]).all()
        assert (codes[on] & (1 << constants.bits) - 1 == plain.passes[on]).all()
        assert np.array_equal(plain.points[on], 0 * plain.points[on] if reward is None else reward[on])
        for lane in np.flatnonzero(~on).tolist():
            worth: Any = worths[following[lane] - constants.n_boards]
            if plain.illegal[lane]:
                assert worth == ILLEGAL
            elif uses.n_shares:
                assert [float(share) for share in worth] == plain.shares[:, lane].tolist()
            else:
                assert float(worth) == plain.worth[lane]


def test_a_reward_in_parts_is_read_as_a_fraction() -> None:
    toy = says("solo", Settled(next={"step": 2}, reward=1, per=3))
    graph = compile_turn(toy)
    settler = Settler(toy, graph, Constants(3), uses=kind_of(toy).uses(toy))
    reading = settler.read(graph.results.index("heads"), settler.block(np.array([0, 1])))
    assert reading.fractions() == [Fraction(1, 3)] * 2


def test_solve_table_reads_through_the_one_reader() -> None:
    toy = says("table", Settled(over=True, shares=[1, 0, 0]))
    assert solve_table(toy, compile_turn(toy)).values[2].tolist() == pytest.approx([1 / 6, 0, 5 / 6])
