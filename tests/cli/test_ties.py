"""``solve --ties``: what other ways to tell equally good moves apart would change."""

from __future__ import annotations

import json
from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]


def test_at_a_table_it_says_whether_shares_hang_on_ties(run: Run) -> None:
    for _ in range(2):  # solved, then from the cache
        code, out, error = run("solve", "shut-the-box", "-p", "players=3", "--ties", "--json")
        assert (code, error) == (0, "")
        told = json.loads(out)["unique_by_ties"]
        assert set(told) == {"unique", "difference", "anywhere"}
        assert told["unique"] is (told["anywhere"] < 1e-9)
        assert 0 <= told["difference"] <= told["anywhere"]
    lines = " ".join(run("solve", "shut-the-box", "-p", "players=3", "--ties")[1].split())
    assert ("broken otherwise they change no share" in lines) is told["unique"]


def test_where_another_tie_changes_a_share_it_says_how_much_at_the_start_and_anywhere(run: Run) -> None:
    mexico = ("solve", "mexico", "-p", "players=3", "-p", "lives=3", "--ties")
    for _ in range(2):  # solved, then from the cache
        code, out, error = run(*mexico, "--json")
        assert (code, error) == (0, "")
        told = json.loads(out)["unique_by_ties"]
        assert told["unique"] is False
        assert 1e-5 < told["difference"] < told["anywhere"] < 1
        line = " ".join(run(*mexico)[1].split())
        start, anywhere = (f"{100 * told[name]:.4f} %" for name in ("difference", "anywhere"))
        assert f"they change a share by up to {start} at the start, by up to {anywhere} on some board" in line


def test_without_the_flag_nothing_is_said_of_ties(run: Run) -> None:
    out = run("solve", "shut-the-box", "-p", "players=3")[1]
    assert "ties" not in out
    assert "no seat wins more than" in " ".join(out.split())


def test_where_ties_change_nothing_the_flag_is_refused(run: Run) -> None:
    for game in ("pig", "big-six"):
        code, _, error = (
            run("solve", game, "-p", "target=10", "--ties") if game == "pig" else run("solve", game, "--ties")
        )
        assert code == 2
        assert error.startswith("error: ties between moves matter at tables of three or more")
        assert f"hint: rollwise solve {game}" in error
