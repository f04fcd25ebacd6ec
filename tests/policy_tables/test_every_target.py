"""A table of a sheet for every target at once: what it has, who reads it again, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.policy_tables.files import read_description
from tests.policy_tables.exports import rows_of

REACH = {"objective": "reach"}
NUMBERS = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}  # with the bonus 98
LATE = {**NUMBERS, "three of a kind": 24, "full house": 25, "small straight": 30, "yahtzee": 0, "chance": 20}  # 197
LAST = {**LATE, "four of a kind": 22}  # the large straight is open, 219
MID = {"roll": [1, 2, 3, 5, 5], "rolls_left": 1}
SIXZEE = {
    **dict(zip(NUMBERS, (4, 8, 12, 16, 20, 24), strict=True)),  # with the bonus 114
    **{"three of a kind": 20, "four of a kind": 20, "3-2-1": 20, "three pairs": 0, "low straight": 20},
    **{"high straight": 30, "super straight": 0, "sixzee": 0, "chance": 25},  # 249 with all
}


def exported(tmp_path: Path, filled: Mapping[str, int], game: str = "yahtzee", **more: Any) -> list[dict[str, Any]]:
    """The rows for every target on this sheet and those that it can become."""
    return rows_of(
        rollwise.export(game, tmp_path / "table.parquet", params=REACH, filled=filled, force=True, **more).path
    )


@pytest.mark.parametrize(
    ("game", "sheet", "made", "most"),
    [  # two boxes, and a bonus
        ("yahtzee", LATE, 197, 30 + 40),
        pytest.param("sixzee", SIXZEE, 249, 36 + 36 + 30, marks=pytest.mark.thorough),
    ],
)
def test_every_number_of_points_needed_has_a_row_of_each_sheet_the_asked_one_first(
    game: str, sheet: dict[str, int], made: int, most: int, tmp_path: Path
) -> None:
    rows = exported(tmp_path, sheet, game, roll="none")
    needed: dict[str, list[int]] = {}
    for row in rows:
        needed.setdefault(row["filled"], []).append(row["needed"])
    n_filled = [text.count(":") for text in needed]
    assert (n_filled[0], n_filled) == (len(sheet), sorted(n_filled))
    assert len(needed) > 2
    assert all(of_sheet == list(range(1, len(of_sheet) + 1)) for of_sheet in needed.values())
    assert len(next(iter(needed.values()))) == most
    for row in (rows[0], rows[most // 2], rows[most - 1]):
        told = rollwise.ask(game, params=REACH, filled=sheet, target=made + row["needed"])
        assert row["value"] == pytest.approx(told.value, abs=1e-13)
        assert row["lower"] <= (told.value or 0) <= row["upper"]
        assert row["value"] > 0
    assert rollwise.ask(game, params=REACH, filled=sheet, target=made + most + 1).value == 0


@pytest.mark.thorough
def test_a_row_says_what_the_table_of_its_one_target_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = exported(tmp_path, LAST, target=259)
    every = exported(tmp_path, LAST, needed=40)
    same = [name for name in one[0] if name not in ("filled", "target", "mine")]
    assert [[row[name] for name in same] for row in every] == [[row[name] for name in same] for row in one]
    state = {**MID, "filled": LATE, "needed": 40}
    made = rollwise.export("yahtzee", f"{tmp_path}/levels/", params=REACH, state=state)
    assert made.rows == 2  # four of a kind alone never makes 40
    assert (read_description(made.path / "level-012.parquet") or {})["slice"].keys() == state.keys()
    monkeypatch.setattr("rollwise.policy_tables.export.answer_from_solution", None)  # nothing is left to do
    assert rollwise.export("yahtzee", f"{tmp_path}/levels/", params=REACH, state=state).already == 2


def test_a_table_of_every_target_is_read_again_for_any(tmp_path: Path) -> None:
    assert len(exported(tmp_path, LAST, needed=40)) > 700
    table = tmp_path / "table.parquet"
    alike = {**MID, "filled": {**LAST, "chance": 21}}  # 220
    found = [rollwise.best(table, state={**alike, **said}) for said in ({"target": 260}, {"needed": 40})]
    assert [row["best_move"] for row in found] == ["keep 1 2 3 5"] * 2
    assert found[0]["row"] == found[1]["row"]
    for is_slice in (False, True):
        told = rollwise.compare("yahtzee", table, state={"filled": LAST, "target": 259}, slice=is_slice)
        assert told.table is not None
        assert told.cost[0] == pytest.approx(0, abs=1e-12)
        assert told.table["held"] == told.table["reached"] > 500


def test_a_rule_is_asked_about_the_sheets_that_play_comes_to() -> None:
    """Only they are solved, and they have numbers of their own."""
    seen: list[dict[str, Any]] = []

    def first(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        """The first move."""
        seen.append(dict(state))
        return moves[0]

    rollwise.compare("yahtzee", first, params=REACH, state={"filled": LAST, "target": 259})
    assert {frozenset(state["filled"]) for state in seen} == {frozenset(LAST)}
    assert {frozenset(state) for state in seen} == {frozenset(["joker", "objective", "filled", "target", *MID])}


@pytest.mark.thorough
def test_six_by_6_has_a_row_for_every_target(tmp_path: Path) -> None:
    params = {**REACH, "posting": "free"}
    made = rollwise.export("six-by-6", tmp_path / "t.parquet", params=params, carry=3, roll=[2] * 6)
    rows = rows_of(made.path)
    assert [row["target"] for row in rows] == list(range(1, 91))
    told = rollwise.ask("six-by-6", params=params, carry=3, roll=[2] * 6, target=50)
    assert rows[49]["values"] == [move.value for move in told.moves]


FILLED = "filled=" + ",".join(f"{box}:{score}" for box, score in LATE.items())


def test_what_no_table_is_of_is_said_in_a_line(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    reach = ("yahtzee", "-p", "objective=reach", FILLED)
    for words, said in (
        (("sixzee", "-p", "objective=reach", "filled=none"), "400,000 fit; later sheets are small enough"),
        ((*reach, "mine=197"), "give filled and target"),
        ((*reach, "needed=4", "target=9"), "needed fixes it already; leave target"),
        (("yahtzee", "-p", "objective=beat", FILLED), "give filled and theirs or theirs_filled"),
        (("yahtzee", "-p", "players=2", FILLED), "give filled and theirs_filled"),
        ((*reach, "--levels", "3"), "a level of 3"),
    ):
        code, out, error = run("export", *words, "-o", str(tmp_path / "late.csv"))
        assert (code > 0, out, said in error.splitlines()[0]) == (True, "", True), error


def test_a_table_that_is_too_long_says_so_before_anything_is_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.policy_tables.export.answer_from_solution", None)
    with pytest.raises(rollwise.TooLarge, match=r"would be 105,980 decisions .* \(filled, roll, rolls_left, needed\)"):
        exported(tmp_path, LATE, most=100_000)
