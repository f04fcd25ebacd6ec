"""``verify``: what it leaves out, the ledger and the page that it writes; what it prints is in ``verify.txt``."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal

import pytest

import rollwise.questions.verify.compute
from rollwise import verify
from rollwise.games import registry
from rollwise.games.claims import Claim, Verdict, check, claims
from rollwise.games.claims.stated import stated
from rollwise.questions.verify.compute import left_out
from rollwise.questions.verify.data import SOURCES, VERDICTS, counts
from rollwise.questions.verify.text import ledger_html, ledger_markdown
from rollwise.solutions.progress import Progress

Run = Callable[..., tuple[int, str, str]]
Said = Callable[..., str]
MADE_UP: list[Literal["confirmed", "refuted", "depends"]] = ["confirmed", "refuted", "depends"]
LEFT_OUT = "4 claims need a long solve and are left out; --slow checks them too\n"


@pytest.fixture
def every(monkeypatch: pytest.MonkeyPatch) -> list[Verdict]:
    """A made-up verdict on every claim, which ``verify`` takes as it is: confirmed, refuted, depends, and so on."""
    made = [claim for claim in claims() if not claim.slow]
    like: dict[str, Any] = dict(stated="1", agrees=lambda text, value: value == 1, compute=lambda: Fraction(1))
    rows = {
        claim.id: dataclasses.replace(check(dataclasses.replace(claim, **like)), verdict=MADE_UP[number % 3])
        for number, claim in enumerate(made)
    }
    monkeypatch.setattr(rollwise.questions.verify.compute, "check", lambda claim: rows[claim.id])
    return list(rows.values())


@pytest.fixture
def nothing_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollwise.questions.verify.compute, "check", lambda claim: pytest.fail("a claim was computed"))


def plain(rows: list[Verdict]) -> list[dict[str, object]]:
    """As JSON has them."""
    return [{**row.plain(), "source_title": row.source} for row in rows]


def test_json_is_a_list_of_verdicts(run: Run) -> None:
    _, out, err = run("verify", "shut-the-box", "--json")
    told = json.loads(out)
    assert (told, err) == (plain(verify("shut-the-box")), "")
    assert list(told[0]) == [*(field.name for field in dataclasses.fields(Verdict)), "source_title"]


def test_every_claim_is_checked_and_progress_is_told_claim_by_claim(
    every: list[Verdict], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[float] = []
    monkeypatch.setattr(Progress, "share", lambda self, done: heard.append(done))
    assert verify() == every
    assert heard == [done / len(every) for done in range(len(every))]


def test_every_source_of_a_claim_has_a_title() -> None:
    assert {claim.source for claim in claims()} <= set(SOURCES)


def of_pig(name: str, **others: object) -> Claim:
    about = (f"pig/{name}", "pig", "004_cc367fea0fd9d5c8.txt", "Made up.", "1")
    claim = Claim(*about, lambda text, value: stated(text).agrees(value), lambda: Fraction(1))
    return dataclasses.replace(claim, **others)  # type: ignore[arg-type]


def _no_such_game() -> Fraction:
    registry.game("no-such-game")
    return Fraction(1)


@pytest.fixture
def one_slow_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = [
        of_pig("quick"),
        of_pig("long", slow=True),
        of_pig("far-off", slow=True, game="no-such-game", compute=_no_such_game),
    ]
    monkeypatch.setattr(rollwise.questions.verify.compute, "claims", lambda game: made_up)


@pytest.mark.usefixtures("one_slow_claim")
def test_slow_claims_are_left_out_unless_asked_for() -> None:
    """One about a game that is not there is pending at once."""
    assert [(row.id, row.verdict) for row in verify()] == [("pig/quick", "confirmed"), ("pig/far-off", "pending")]
    assert [row.id for row in verify(slow=True)] == ["pig/quick", "pig/long", "pig/far-off"]
    assert left_out() == ["pig/long"]


@pytest.mark.usefixtures("one_slow_claim")
def test_the_command_says_how_many_were_left_out_and_how_to_get_them(run: Run, said: Said, tmp_path: Path) -> None:
    assert run("verify", "--json")[2] == "1 claim needs a long solve and is left out; --slow checks it too\n"
    assert said("verify --slow").endswith("3 claims: 2 confirmed, 1 pending\n")
    said(f"verify -o {tmp_path}/ledger.md")
    assert "1 claim needs a long solve" in (tmp_path / "ledger.md").read_text()


@pytest.mark.parametrize("name", ["ledger.md", "ledger.html", "ledger.HTM"])
def test_the_ledger_is_written_whole_and_in_one_place(name: str, said: Said, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("an older one")
    rows = verify("shut-the-box")
    assert said(f"verify shut-the-box --force -o {path}") == f"{path}: {counts(rows)}\n"
    assert (
        path.read_text()
        == f"{(ledger_markdown if name == 'ledger.md' else ledger_html)(rows)}\n<!-- A ledger by rollwise. -->\n"
    )
    assert list(tmp_path.iterdir()) == [path]
    path.unlink()
    assert json.loads(said(f"verify shut-the-box --json -o {path}"))[0]["game"] == "shut-the-box"
    assert path.exists()


@pytest.mark.usefixtures("nothing_is_computed")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-o missing/ledger.md", "there is no folder"),
        ("-o .", "is a folder"),
        ("--json -o -", "both want standard output"),
        ("zilhc --force -o there.md", "error: there is no game 'zilhc'; did you mean 'zilch'?\n"),
        ("--source nix", "error: no source is called 'nix'; sources: 'Six By 6, by Michael Williams', 'Sixzee Rules, "),
        ("--source dice", "error: 'dice' fits several sources: 'Sixzee Rules, by freethedice.com', 'Six-Dice Zilch', "),
        ("--source ''", "error: "),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_computed(
    words: str, told: str, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.md").write_text("an older one")
    error = said(f"verify {words}", told, code=2)
    assert error.partition("hint: ")[0].count("\n") == 1
    assert (tmp_path / "there.md").read_text() == "an older one"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_summary_by_source_comes_first(every: list[Verdict], run: Run) -> None:
    lines = run("verify")[1].splitlines()
    told = [verdict for verdict in VERDICTS if any(row.verdict == verdict for row in every)]
    assert told == ["confirmed", "refuted", "depends"]
    assert lines[0].split() == ["source", "claims", *told]
    named = dict(re.split(r" {2,}", line, maxsplit=1) for line in lines[1:7])
    assert list(named) == [*SOURCES, "all"]
    for source in SOURCES:
        of_source: list[str] = [row.verdict for row in every if row.source == source]
        assert [int(number) for number in named[source].split()] == [
            len(of_source),
            *(of_source.count(one) for one in told),
        ]
    assert lines[8].startswith("depends: it is so under some of the readings")
    assert lines[10].startswith("CONFIRMED  ")
    assert lines[-1] == counts(every)


@pytest.mark.parametrize("flags", [["--refuted"], ["--depends"], ["--refuted", "--depends"]])
def test_rows_are_chosen_by_verdict_and_the_summary_counts_all(
    flags: list[str], every: list[Verdict], run: Run
) -> None:
    rows = [row for row in every if row.game == "zilch"]
    chosen = [row for row in rows if f"--{row.verdict}" in flags]
    _, out, _ = run("verify", "zilch", *flags)
    told = [row.verdict for row in rows]
    assert out.splitlines()[1].split()[-4:] == [str(len(rows)), *(str(told.count(one)) for one in MADE_UP)]
    assert re.findall(r"^[A-Z]+  +(zilch/\S+)$", out, re.MULTILINE) == [row.id for row in chosen]
    assert out.splitlines()[-1] == f"shown: {len(chosen)} of {counts(rows)}"
    assert json.loads(run("verify", "zilch", "--json", *flags)[1]) == plain(chosen)
    _, out, _ = run("verify", "zilch", "-o", "-", *flags)
    assert f"{counts(chosen)}, of {len(rows)}." in out.splitlines()
    assert out.count("| `zilch/") == len(chosen)


@pytest.mark.usefixtures("every")
@pytest.mark.parametrize("named", ["Piggy Six", "piggy", "003_4224d89a97a61c6e.txt", " PIGGY  six "])
def test_a_source_is_chosen_by_its_title_or_a_part_of_it(named: str) -> None:
    assert {row.game for row in verify(source=named)} == {"piggy-six"}
    assert len(left_out(source=named)) == 4


@pytest.mark.thorough  # that of an export is quick
@pytest.mark.parametrize("words", [[], ["-o", "-"], ["--json"]], ids=" ".join)
def test_a_reader_that_leaves_early_ends_it_quietly(words: list[str]) -> None:
    words = ["rollwise", "verify", "drop-dead", *words]
    script = f"import sys; sys.argv = {words}; from rollwise.cli import main; main()"
    reader, writer = os.pipe()
    os.close(reader)  # what reads has gone
    done = subprocess.run([sys.executable, "-c", script], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


class Tags(HTMLParser):
    """Which tags stand open, whether all are closed in order, and the words between."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.words = ""
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += f" {data}"


def test_the_page_holds_every_claim_and_needs_nothing_beside_it(every: list[Verdict]) -> None:
    page = ledger_html(every)
    tags = Tags(page)
    assert tags.seen.count("article") == len(every)
    assert not {"script", "link", "img", "iframe"} & set(tags.seen)
    leads = [value for name, value in tags.attributes if name in ("href", "src")]
    assert leads == [f"#s{number}" for number in range(1, len(SOURCES) + 1)]
    ids = [value for name, value in tags.attributes if name == "id"]
    assert len(set(ids)) == len(ids)
    assert set(leads) <= {f"#{name}" for name in ids}
    assert all(row.id in tags.words and row.statement in tags.words for row in every)
    assert not re.search(r"://|@import|url\(", page)


def test_what_would_break_the_page_is_escaped() -> None:
    nasty = "</style><script>alert(1)</script>\"'&"
    row = check(of_pig("x", stated="1", reading=nasty, statement=nasty, source=nasty))
    tags = Tags(ledger_html([dataclasses.replace(row, id=nasty, game=nasty)]))
    assert "script" not in tags.seen
    assert tags.words.count(nasty) == 6  # id, game, statement, reading, and the source twice


def test_a_page_without_claims_is_whole() -> None:
    assert "0 claims, of 3." in Tags(ledger_html([], of=3)).words
    assert "0 claims, of 3." in ledger_markdown([], of=3).splitlines()
