"""No game and no proof is left out of the list of small sizes."""

from __future__ import annotations

from pathlib import Path

from rollwise.games.registry import REGISTRY
from rollwise.solver.model.fields import Numbers
from tests.sizes import PROOFS, SIZES

TESTS = Path(__file__).parents[1]
TAKEN_BY = {"walk": "solver/test_walker.py", "exact": "solver/test_flattened.py", "odds": "solver/test_luck.py"}


def test_every_game_has_a_small_size_told_apart_by_name() -> None:
    assert {size.name for size in SIZES} == set(REGISTRY)
    assert len({str(size) for size in SIZES}) == len(SIZES)


def test_a_game_is_put_through_every_proof_or_it_is_said_why_not() -> None:
    for proof in PROOFS:
        assert f"cases({proof.upper()}" in (TESTS / TAKEN_BY.get(proof, "house/test_sampled.py")).read_text()
        for name in REGISTRY:
            reasons = [size.why_not(proof) for size in SIZES if size.name == name]
            assert None in reasons or all(len(reason or "") > 20 for reason in reasons), (proof, name)


def test_a_duel_answers_by_seat_if_its_question_lists_seats() -> None:
    for size in SIZES:
        if size.game.kind == "duel" and size.game.measure == "win":
            fields = {field.name: field for field in size.game.fields()}
            lists = "mover" in fields or any(isinstance(each, Numbers) and each.count == 2 for each in fields.values())
            assert size.game.by_seat == lists != ("theirs" in fields), size
