"""A duel whose question lists both seats answers by seat; one that speaks of mine and theirs does not."""

from __future__ import annotations

import pytest

import rollwise
from rollwise.solver.game.fields import Numbers
from tests.sizes import SIZES, Size

DUELS = [size for size in SIZES if size.game.kind == "duel" and size.game.measure == "win"]


@pytest.mark.parametrize("size", DUELS, ids=str)
def test_a_duel_answers_by_seat_if_its_question_lists_seats(size: Size) -> None:
    fields = {field.name: field for field in size.game.fields()}
    lists = "mover" in fields or any(isinstance(field, Numbers) and field.count == 2 for field in fields.values())
    assert size.game.by_seat == lists
    assert lists != ("theirs" in fields)


@pytest.mark.parametrize("name", ["mexico", "shut-the-box"])
def test_shares_are_in_python_and_json_and_at_the_terminal_alike(name: str) -> None:
    parameters = {"lives": 1} if name == "mexico" else {"players": 2}
    told = rollwise.solve(name, parameters, exact=True)
    plain = told.plain_solution()
    for key in ("shares", "shares_lower", "shares_upper", "shares_exact"):
        assert plain[key] == getattr(told, key)
        assert len(plain[key]) == 2
    assert plain["shares_exact"][0] == told.exact
    assert plain["shares"][told.mover] == told.value
    assert sum(plain["shares"]) == 1
