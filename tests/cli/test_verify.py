"""``verify``: what it prints, what it leaves out, and the ledger that it writes."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rollwise.verifying
from rollwise import verify
from rollwise.games import registry
from rollwise.games.claims import EXACTLY, IN_WORDS, Claim, Verdict, check, claims
from rollwise.ledger import SOURCES, VERDICTS, counts, ledger, title_of
from rollwise.ledger_page import html
from rollwise.progress import Progress
from rollwise.verifying import left_out

Run = Callable[..., tuple[int, str, str]]
SOURCE = "004_cc367fea0fd9d5c8.txt"


def test_a_claim_is_printed_with_what_is_stated_and_what_is_so(run: Run) -> None:
    code, out, err = run("verify", "ten-thousand")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:3] == [
        "source                       claims  confirmed",
        "TACTIC rules for dice games      12         12",
        "",
    ]
    assert lines[3:8] == [
        "CONFIRMED  ten-thousand/first-roll-nothing",
        "           The chance that the first roll of a turn scores nothing.",
        "           stated   3 %",
        "           exact    5/162",
        "           decimal  0.0308641975309",
    ]
    assert lines[-1] == "12 claims: 12 confirmed"


def test_json_is_a_list_of_verdicts(run: Run) -> None:
    _, out, err = run("verify", "shut-the-box", "--json")
    told = json.loads(out)
    assert err == ""
    assert told == [{**row.plain(), "source_title": title_of(row.source)} for row in verify("shut-the-box")]
    assert list(told[0]) == [*(field.name for field in dataclasses.fields(Verdict)), "source_title"]


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
    table = lines[lines.index("| source | claims | confirmed | refuted |") :][:5]
    assert table[1:] == [
        "| --- | --: | --: | --: |",
        "| a.txt | 1 | 0 | 1 |",
        "| b.txt | 2 | 1 | 1 |",
        "| all | 3 | 1 | 2 |",
    ]
    headings = [line for line in lines if line.startswith("#")]
    assert headings == [
        "# Claims, and what is so",
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


# --- the summary, and parts of it ------------------------------------------------------------------------------------


def test_a_summary_by_source_comes_first(run: Run) -> None:
    code, out, _ = run("verify")
    rows = verify()
    lines = out.splitlines()
    assert code == 0
    told = [verdict for verdict in VERDICTS if any(row.verdict == verdict for row in rows)]
    assert told == ["confirmed", "refuted", "depends"]  # nothing is pending
    assert lines[0].split() == ["source", "claims", *told]
    named = dict(re.split(r" {2,}", line, maxsplit=1) for line in lines[1:7])
    assert list(named) == [*SOURCES.values(), "all"]
    for source, title in SOURCES.items():
        of_source = [row.verdict for row in rows if row.source == source]
        assert list(map(int, named[title].split())) == [
            len(of_source),
            *(sum(verdict == one for verdict in of_source) for one in told),
        ]
    assert lines[8].startswith("depends: it is so under some of the readings")
    assert lines[10].startswith("CONFIRMED  ")
    assert lines[-1] == counts(rows)


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (["--refuted"], {"refuted"}),
        (["--depends"], {"depends"}),
        (["--refuted", "--depends"], {"refuted", "depends"}),
    ],
)
def test_rows_are_chosen_by_verdict_and_the_summary_counts_all(flags: list[str], wanted: set[str], run: Run) -> None:
    rows = verify("zilch")
    chosen = [row for row in rows if row.verdict in wanted]
    _, out, _ = run("verify", "zilch", *flags)
    assert out.splitlines()[1].split()[-4:] == [str(len(rows)), "34", "6", "2"]
    assert re.findall(r"^[A-Z]+  +(zilch/\S+)$", out, re.MULTILINE) == [row.id for row in chosen]
    assert out.splitlines()[-1] == f"shown: {len(chosen)} of {counts(rows)}"
    _, out, _ = run("verify", "zilch", "--json", *flags)
    assert json.loads(out) == [{**row.plain(), "source_title": title_of(row.source)} for row in chosen]
    _, out, _ = run("verify", "zilch", "-o", "-", *flags)
    assert f"{counts(chosen)}, of {len(rows)}." in out.splitlines()
    assert out.count("| `zilch/") == len(chosen)


@pytest.mark.parametrize("named", ["Piggy Six", "piggy", "003_4224d89a97a61c6e.txt", " PIGGY  six "])
def test_a_source_is_chosen_by_its_title_or_a_part_of_it(named: str, run: Run) -> None:
    _, out, err = run("verify", "--source", named, "--json")
    assert {row["game"] for row in json.loads(out)} == {"piggy-six"}
    assert err == "4 claims need a long solve and are left out; --slow checks them too\n"
    assert [row.id for row in verify(source=named)] == [row["id"] for row in json.loads(out)]


def test_a_source_that_is_none_or_not_one_is_refused(run: Run) -> None:
    titles = ", ".join(f"'{title}'" for title in SOURCES.values())
    assert run("verify", "--source", "nix") == (2, "", f"error: no source is called 'nix'; sources: {titles}\n")
    _, _, err = run("verify", "--source", "zee")
    assert err == ""
    code, _, err = run("verify", "--source", "dice")
    assert code == 2
    assert err.startswith("error: 'dice' fits several sources: 'Sixzee Rules, by freethedice.com', 'Six-Dice Zilch', ")
    assert run("verify", "--source", "")[0] == 2


def test_a_game_and_a_source_that_do_not_meet_have_no_claims(run: Run) -> None:
    assert run("verify", "zilch", "--source", "piggy") == (0, "no claims about zilch\n", "")


# --- standard output -------------------------------------------------------------------------------------------------


def test_the_ledger_goes_to_standard_output(run: Run) -> None:
    code, out, err = run("verify", "shut-the-box", "-o", "-")
    assert (code, err) == (0, "")
    assert out == ledger(verify("shut-the-box"))


def test_what_needs_a_long_solve_is_told_beside_standard_output(run: Run) -> None:
    _, out, err = run("verify", "piggy-six", "--output", "-")
    assert err == "4 claims need a long solve and are left out; --slow checks them too\n"
    assert err not in out
    assert "Not in this table: 4 claims that need a long solve" in out


def test_two_that_want_standard_output_are_refused_before_anything_is_computed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollwise.verifying, "check", lambda claim: pytest.fail("a claim was computed"))
    code, out, err = run("verify", "--json", "-o", "-")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "both want standard output" in json.loads(err)["message"]


@pytest.mark.parametrize("words", [["verify"], ["verify", "-o", "-"], ["verify", "--json"]], ids=" ".join)
def test_a_reader_that_leaves_early_ends_it_quietly(words: list[str]) -> None:
    script = f"import sys; sys.argv = ['rollwise', *{words}]; from rollwise.cli import main; main()"
    reader, writer = os.pipe()
    os.close(reader)  # what reads has gone
    done = subprocess.run([sys.executable, "-c", script], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.returncode == 1
    assert done.stderr in ("", "4 claims need a long solve and are left out; --slow checks them too\n")


# --- the page --------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Which tags stand open, whether all are closed in order, and the words between."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.words: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    tags.close()
    assert tags.open == []
    return tags


def test_a_name_that_ends_in_html_gets_a_page(run: Run, tmp_path: Path) -> None:
    for name in ("ledger.html", "ledger.HTM"):
        path = tmp_path / name
        code, out, err = run("verify", "shut-the-box", "-o", str(path))
        rows = verify("shut-the-box")
        assert (code, out, err) == (0, f"{path}: {counts(rows)}\n", "")
        assert path.read_text() == html(rows)
    assert {path.name for path in tmp_path.iterdir()} == {"ledger.html", "ledger.HTM"}


def test_the_page_holds_every_claim_and_needs_nothing_beside_it() -> None:
    rows = verify()
    tags = read(html(rows))
    assert tags.seen.count("article") == len(rows)
    assert not {"script", "link", "img", "iframe"} & set(tags.seen)
    leads = [value for name, value in tags.attributes if name in ("href", "src")]
    assert leads == [f"#s{number}" for number in range(1, len(SOURCES) + 1)]
    ids = [value for name, value in tags.attributes if name == "id"]
    assert len(set(ids)) == len(ids)
    assert set(leads) <= {f"#{name}" for name in ids}
    words = " ".join(tags.words)
    for row in rows:
        assert row.id in words
        assert row.statement in words
    page = html(rows)
    assert "://" not in page
    assert "@import" not in page
    assert "url(" not in page


def test_the_page_fits_a_phone_paper_and_the_dark() -> None:
    page = html(ROWS)
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    for told in ("color-scheme: light dark", "prefers-color-scheme: dark", "@media print", "max-width: 34rem"):
        assert told in page


def test_what_would_break_the_page_is_escaped() -> None:
    nasty = "</style><script>alert(1)</script>\"'&"
    row = check(of_pig("x", stated="1", reading=nasty, statement=nasty, source=nasty))
    tags = read(html([dataclasses.replace(row, id=nasty, game=nasty)]))
    assert "script" not in tags.seen
    assert " ".join(tags.words).count(nasty) == 6  # id, game, statement, reading, and the source twice


def test_a_page_without_claims_is_whole() -> None:
    assert "0 claims, of 3." in " ".join(read(html([], of=3)).words)
    assert "0 claims, of 3." in ledger([], of=3).splitlines()


def test_the_page_tells_what_is_left_out() -> None:
    assert "4 more that need a long solve" in html(ROWS, 4)
    assert "Not on this page" not in html(ROWS)
