"""The command line where the best play is a mix of moves."""

from __future__ import annotations

from collections.abc import Callable


def test_the_terminal_says_the_mix_in_per_cent(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = run("ask", "bluff", "-p", "chips=2", "call=9", "--draw", "--seed", "1")
    assert code == 0
    assert "Mix accept 83 %, challenge 17 %: win 34.09 %." in out
    assert "   move          play        win  interval  loss" in out
    assert out.rstrip().endswith(("Drawn: accept", "Drawn: challenge"))
    code, out, _ = run("ask", "bluff", "-p", "chips=2", "call=18")
    assert "You can only challenge" in out
