"""``solve --ties``: what other ways to tell equally good moves apart would change."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

Said = Callable[..., str]


@pytest.mark.parametrize(
    ("words", "is_unique"), [("shut-the-box -p players=3", None), ("mexico -p players=3 -p lives=3", False)]
)
def test_it_says_whether_shares_hang_on_ties_and_how_much_at_the_start_and_anywhere(
    words: str, is_unique: bool | None, said: Said
) -> None:
    for _ in range(2):  # solved, then from the cache
        told = json.loads(said(f"solve {words} --ties --json"))["unique_by_ties"]
        assert set(told) == {"unique", "difference", "anywhere"}
        assert told["unique"] is (told["anywhere"] < 1e-9)
        assert 0 <= told["difference"] <= told["anywhere"] < 1
        line = " ".join(said(f"solve {words} --ties").split())
        start, anywhere = (f"{100 * told[name]:.4f} %" for name in ("difference", "anywhere"))
        changed = f"they change a share by up to {start} at the start, by up to {anywhere} on some board"
        assert ("broken otherwise they change no share" in line, changed in line) == (
            told["unique"],
            not told["unique"],
        )
    assert is_unique is None or (told["unique"] is is_unique and 1e-5 < told["difference"] < told["anywhere"])


@pytest.mark.parametrize("game", ["pig -p target=10", "big-six"])
def test_where_ties_change_nothing_the_flag_is_refused(game: str, said: Said) -> None:
    told = ("error: ties between moves matter at tables of three or more", f"hint: rollwise solve {game.split()[0]}")
    said(f"solve {game} --ties", *told, code=2)
