"""``verify``: what it prints, what it leaves out, and the ledger that it writes."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import rollwise.verifying
from rollwise import verify
from rollwise.games import registry
from rollwise.games.claims import EXACTLY, IN_WORDS, Claim, Verdict, check, claims
from rollwise.ledger import SOURCES, counts, ledger
from rollwise.progress import Progress
from rollwise.verifying import left_out

Run = Callable[..., tuple[int, str, str]]
SOURCE = "004_cc367fea0fd9d5c8.txt"


def test_a_claim_is_printed_with_what_is_stated_and_what_is_so(run: Run) -> None:
    code, out, err = run("verify", "ten-thousand")
    assert (code, err) == (0, "")
    first = out.splitlines()[:5]
    assert first == [
        "CONFIRMED  ten-thousand/first-roll-nothing",
        "           The chance that the first roll of a turn scores nothing.",
        "           stated   3 %",
        "           exact    5/162",
        "           decimal  0.0308641975309",
    ]
    assert out.splitlines()[-1].endswith(" confirmed")


def test_json_is_a_list_of_verdicts(run: Run) -> None:
    _, out, err = run("verify", "shut-the-box", "--json")
    told = json.loads(out)
    assert err == ""
    assert told == [row.plain() for row in verify("shut-the-box")]
    assert list(told[0]) == [field.name for field in dataclasses.fields(Verdict)]


def test_every_row_is_computed_within_a_minute() -> None:
    began = time.monotonic()
    rows = verify()
    assert time.monotonic() - began < 60
    assert len({row.id for row in rows}) == len(rows)


def test_progress_is_told_claim_by_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[float] = []
    monkeypatch.setattr(Progress, "share", lambda self, done: heard.append(done))
    rows = verify("shut-the-box")
    assert heard == [done / len(rows) for done in range(len(rows))]


def test_every_source_of_a_claim_has_a_title() -> None:
    assert {claim.source for claim in claims()} <= set(SOURCES)


# --- slow claims ---------------------------------------------------------------------------------------------------


def of_pig(name: str, **others: object) -> Claim:
    claim = Claim(f"pig/{name}", "pig", SOURCE, "Made up.", "1", EXACTLY, lambda: Fraction(1))
    return dataclasses.replace(claim, **others)  # type: ignore[arg-type]


@pytest.fixture
def one_slow_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = [
        of_pig("quick"),
        of_pig("long", slow=True),
        of_pig("far-off", slow=True, game="no-such-game", compute=_no_such_game),
    ]
    monkeypatch.setattr(rollwise.verifying, "claims", lambda game: made_up)


def _no_such_game() -> Fraction:
    registry.game("no-such-game")
    return Fraction(1)


@pytest.mark.usefixtures("one_slow_claim")
def test_slow_claims_are_left_out_unless_asked_for() -> None:
    assert [row.id for row in verify()] == ["pig/quick", "pig/far-off"]
    assert [row.id for row in verify(slow=True)] == ["pig/quick", "pig/long", "pig/far-off"]
    assert left_out() == ["pig/long"]


@pytest.mark.usefixtures("one_slow_claim")
def test_a_slow_claim_about_a_game_that_is_not_there_is_pending() -> None:
    assert [row.verdict for row in verify()] == ["confirmed", "pending"]


@pytest.mark.usefixtures("one_slow_claim")
def test_the_command_says_how_many_were_left_out_and_how_to_get_them(run: Run, tmp_path: Path) -> None:
    _, out, err = run("verify", "--json")
    assert len(json.loads(out)) == 2
    assert err == "1 claim needs a long solve and is left out; --slow checks it too\n"
    _, out, err = run("verify", "--slow")
    assert out.endswith("3 claims: 2 confirmed, 1 pending\n")
    assert err == ""
    run("verify", "-o", str(tmp_path / "ledger.md"))
    assert "1 claim that needs a long solve" in (tmp_path / "ledger.md").read_text()


# --- the ledger ----------------------------------------------------------------------------------------------------


def test_the_ledger_is_written_whole_and_in_one_place(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ledger.md"
    path.write_text("an older one")
    code, out, err = run("verify", "shut-the-box", "--output", str(path))
    rows = verify("shut-the-box")
    assert (code, err) == (0, "")
    assert out == f"{path}: {counts(rows)}\n"
    assert path.read_text() == ledger(rows)
    assert list(tmp_path.iterdir()) == [path]


def test_a_ledger_can_be_written_beside_json(run: Run, tmp_path: Path) -> None:
    _, out, _ = run("verify", "shut-the-box", "--json", "-o", str(tmp_path / "ledger.md"))
    assert json.loads(out)[0]["game"] == "shut-the-box"
    assert (tmp_path / "ledger.md").exists()


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("missing/ledger.md", "there is no folder"),
        (".", "is a folder"),
        ("-", "--output ledger.md"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_computed(
    output: str, told: str, monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rollwise.verifying, "check", lambda claim: pytest.fail("a claim was computed"))
    code, out, err = run("verify", "--output", output)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert told in err
    assert list(tmp_path.iterdir()) == []


def test_a_game_that_is_not_known_leaves_the_file_alone(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ledger.md"
    path.write_text("an older one")
    code, _, err = run("verify", "zilhc", "--output", str(path))
    assert (code, err.splitlines()[0]) == (2, "error: there is no game 'zilhc'; did you mean 'zilch'?")
    assert path.read_text() == "an older one"


ROWS = [
    check(of_pig("second", source="b.txt", stated="2 | 3", precision=IN_WORDS, compute=lambda: "<2>")),
    check(of_pig("first", source="a.txt", compute=lambda: Fraction(1, 3), reading="one\nway")),
    check(of_pig("third", source="b.txt")),
]


def test_the_ledger_is_grouped_by_source_and_counts_verdicts() -> None:
    lines = ledger(ROWS).splitlines()
    assert "3 claims: 1 confirmed, 2 refuted." in lines
    headings = [line for line in lines if line.startswith("#")]
    assert headings == [
        "# What the rule sheets state",
        *("## a.txt", "### Pig (`pig`)"),
        *("## b.txt", "### Pig (`pig`)"),
    ]
    assert lines[lines.index("## b.txt") + 2] == "2 claims: 1 confirmed, 1 refuted."


def test_a_row_of_the_ledger_says_everything() -> None:
    lines = ledger(ROWS).splitlines()
    assert "| `pig/first` | Made up. | 1 | 1/3 | 0.333333333333 | refuted | one way |" in lines
    assert "| `pig/third` | Made up. | 1 | 1 |  | confirmed |  |" in lines


def test_what_would_break_the_table_is_escaped() -> None:
    assert "| `pig/second` | Made up. | 2 \\| 3 | &lt;2> |  | refuted |  |" in ledger(ROWS).splitlines()
