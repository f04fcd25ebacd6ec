"""``bench.py peers`` without a peer: its page and its judgement."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts.benched import peers

HALF = {"value": "1/2", "lower": "1/2", "upper": "1/2", "seconds": 1.0, "cpu": 1.0, "memory_mb": 1}


def test_the_page_is_what_the_recorded_rows_say() -> None:
    assert peers.page(json.loads(peers.KEPT.read_text())) == peers.PAGE.read_text()


@pytest.mark.parametrize(
    ("told", "bound", "holds"),
    [
        ({"value": "0.6", "lower": "0.55", "upper": "0.65"}, "± 5e-02", "NO, by 5.0e-02"),
        ({"value": "1/3", "lower": "1/3", "upper": "1/3"}, "exact", "NO, by 1.7e-01"),
        ({"value": "0.5", "lower": "0.5000000000000001", "upper": "0.6"}, "± 5e-02", "(rounding is left out)"),
        ({"value": "0.5", "lower": "0.45", "upper": "0.55"}, "± 5e-02", "yes"),
        ({"value": "0.6", "stated": 0.01}, "none", "off by 1.0e-01, stated 1e-02: NOT KEPT"),
        ({"value": "0.501", "stated": 0.01}, "none", "off by 1.0e-03, stated 1e-02: kept"),
    ],
)
def test_a_bound_that_does_not_hold_is_called_so(told: dict[str, Any], bound: str, holds: str) -> None:
    row = peers.judged(told, HALF)
    assert row["bound"] == bound
    assert row["holds"].endswith(holds)
