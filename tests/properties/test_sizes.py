"""No game and no proof is left out of the list of small sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollwise.games.registry import REGISTRY
from rollwise.solver.model.fields import Numbers
from tests.sizes import PROOFS, RUN, SIZES, Size

TESTS = Path(__file__).parents[1]
SAMPLED = "properties/test_sampled.py"
TAKEN_BY = {
    "walk": "properties/test_walker.py",
    "exact": "exact/test_flattened.py",
    "odds": "exact/test_luck.py",
    **dict.fromkeys(PROOFS[3:], SAMPLED),
}


def test_every_game_has_a_small_size_told_apart_by_name() -> None:
    assert {size.name for size in SIZES} == set(REGISTRY)
    assert len({str(size) for size in SIZES}) == len(SIZES)


@pytest.mark.parametrize("proof", PROOFS)
def test_a_game_is_put_through_a_proof_or_it_is_said_why_not(proof: str) -> None:
    for name in REGISTRY:
        reasons = [size.why_not(proof) for size in SIZES if size.name == name]
        assert None in reasons or all(len(reason or "") > 20 for reason in reasons)


def test_every_proof_runs_on_all_that_fits_it() -> None:
    """The test files that take their cases from the list, and nothing in them that leaves a case out."""
    for proof in PROOFS:
        assert f"cases({proof.upper()})" in (TESTS / TAKEN_BY[proof]).read_text()
        assert RUN[proof] in (set(), {str(size) for size in SIZES if size.why_not(proof) is None})


@pytest.mark.parametrize(
    "size", [size for size in SIZES if size.game.kind == "duel" and size.game.measure == "win"], ids=str
)
def test_a_duel_answers_by_seat_if_its_question_lists_seats(size: Size) -> None:
    fields = {field.name: field for field in size.game.fields()}
    lists = "mover" in fields or any(isinstance(field, Numbers) and field.count == 2 for field in fields.values())
    assert size.game.by_seat == lists
    assert lists != ("theirs" in fields)
