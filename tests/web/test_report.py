"""The review on the page says what ``rollwise review`` says, of whatever record is put in."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise import Match
from rollwise.match.review.data import Review
from rollwise.match.review.text import column_meanings, grade_limits, value_text
from rollwise.text.numbers import loss, signed
from rollwise.web import report
from rollwise.web.charts import HEIGHT, waterfall
from rollwise.web.limits import MAX_RECORD_BYTES
from rollwise.web.records import encode_record
from tests.games.helping import thorough
from tests.web.playing import opened, play_out, posted, refused
from tests.web.reading import Page
from tests.web.test_play import NO_RECORDS

PIG = {"target": 12}
TYPED = "pig target=10\nA: 5 hold\nB: 6 6"


def played(game: str, params: dict[str, Any], seed: int) -> Match:
    """A game in which seat 0 always makes the last move of the list, which is often a bad one."""
    match = Match(game, params=params, seed=seed)
    while not match.over:
        if match.waiting:
            match.throw()
        else:
            match.play(match.legal[-1] if match.mover == 0 else match.moves[0].move)
    return match


@pytest.fixture(scope="module")
def match(solved: None) -> Match:
    """A short game of Pig, with errors in it."""
    return played("pig", PIG, 8)


@pytest.fixture(scope="module")
def found(match: Match) -> Review:
    """Its review."""
    return rollwise.review(match)


def sent(client: TestClient, record: Any, **more: str) -> Page:
    """The review of a record."""
    return posted(client, "/review", {"record": record if isinstance(record, str) else json.dumps(record), **more})


def rows(page: Page, sort: str) -> Iterator[list[str]]:
    """The rows of tables of a class, cell by cell."""
    for row in (row for table in page.find(f"table.{sort}") for row in table.find("tr")):
        yield [cell.text.strip() for cell in row.inside if cell.tag in ("th", "td")]


@pytest.mark.parametrize(
    ("game", "params"),
    [("pig", PIG), ("shut-the-box", {}), ("big-six", {}), *thorough(("bluff", {"chips": 1}), ("mexico", {"lives": 1}))],
)
def test_the_page_has_the_numbers_of_the_review(client: TestClient, game: str, params: dict[str, Any]) -> None:
    record = played(game, params, 3).record()
    found: Review = rollwise.review(record)
    page = sent(client, record)
    falls = list(rows(page, "fall"))
    for seat in found.seats:
        wanted = {
            "start": value_text(seat.start, found),
            "luck": signed(seat.luck, found.unit),
            "result": value_text(seat.result, found),
            "without luck": value_text(seat.luck_adjusted, found),
            **({"own choices": signed(seat.own, found.unit)} if found.chooses else {}),
        }
        for name, value in wanted.items():
            assert [name, "", value] in falls
    assert column_meanings(found) in page.says("main")
    assert ("own choices" in page.html, "worst choices" in page.html) == (found.chooses, found.chooses)
    if found.chooses:
        counts = {row[0]: row[1:] for row in rows(page, "graded")}
        assert counts["choices"] == [str(seat.decisions) for seat in found.seats]
        assert counts["each"] == [loss(seat.mean_loss, found.unit) for seat in found.seats]
        sorts = ("best", "fine", "inaccuracies", "mistakes", "blunders")
        for place, told in enumerate(found.seats):
            assert sum(int(counts[sort][place]) for sort in sorts) == told.decisions
        assert grade_limits(found) in page.says("main")


def test_the_worst_choices_stand_first_each_with_its_question(client: TestClient, match: Match, found: Review) -> None:
    page = sent(client, match.record())
    told = [f"Player {choice.seat + 1} chose {choice.move}; {choice.best[0]} was best." for choice in found.choices]
    assert re.findall(r"Player \d chose \w+; \w+ was best\.", page.says("ol.worst")) == told != []
    moves = [page.one(link) for link in page.one("ol.worst").links()]
    for choice, move in zip(found.choices, moves, strict=True):
        assert f"{choice.best[0]} was best" in move.words
    links = [move.links()[0] for move in moves]
    assert all(f"move={choice.move}" in link for link, choice in zip(links, found.choices, strict=True))
    assert all("p.target=12" in link for link in links)
    assert opened(client, links[0]).is_answered


def test_the_course_goes_from_the_start_to_the_result_and_its_bars_join(match: Match, found: Review) -> None:
    bars = waterfall(0.5, [-0.2, 0.1, 0.6], 1.0)
    assert bars[1].x + bars[1].width == pytest.approx(bars[0].width)
    assert bars[2].x == pytest.approx(bars[1].x)
    assert bars[3].x + bars[3].width == pytest.approx(bars[-1].width)
    for bars in (waterfall(0, [0, 0], 0), waterfall(1, [1e-9, -3], -2), waterfall(-1, [0.5], -0.5)):
        assert all(bar.width > 0 and bar.x >= 0 and bar.x + bar.width <= 100.01 for bar in bars)
    assert found.steps[0].seats == tuple(seat.start for seat in found.seats)
    record = dict(enumerate(match.record(), 1))
    after = [*(step.seats for step in found.steps[1:]), tuple(seat.result for seat in found.seats)]
    for step, then in zip(found.steps, after, strict=True):
        assert (record[step.at]["seat"], record[step.at]["choice"]) == (step.seat, step.move)
        assert sum(step.seats) == pytest.approx(1)
        if thrown := record[step.at + 1].get("thrown"):
            assert list(step.dice[0]) == thrown
            assert then[step.seat] == pytest.approx(record[step.at + 1]["after"])
    assert len(found.steps) == sum("choice" in line for line in record.values())


def test_a_course_is_a_line_through_all_moves(client: TestClient, match: Match, found: Review) -> None:
    page = sent(client, match.record(), seats="1")
    points = page.one("polyline.run1")["points"].split()  # the line of the seat that was played
    assert len(points) == len(page.one("ol.moments").find("li")) == len(found.steps) + 1  # a move each, and the end
    for point, step in zip(points, found.steps, strict=False):
        assert float(point.partition(",")[2]) == pytest.approx(HEIGHT * (1 - step.seats[1]), abs=0.1)
    assert page.one(f"#move-{len(found.steps)}").links()[0].startswith("/pig?")
    worths = [value_text(value, found) for value in found.steps[-1].seats]
    assert f"Player 1 {worths[0]} · You {worths[1]}" in page.says(f"#move-{len(found.steps)}")


def test_of_many_moves_the_first_are_drawn(
    client: TestClient, match: Match, found: Review, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "moves the first 3 are drawn here"
    assert said not in sent(client, match.record()).says("main")
    monkeypatch.setattr(report, "MAX_DRAWN_MOVES", 3)
    page = sent(client, match.record(), seats="1")
    points = page.one("polyline.run1")["points"].split()
    assert len(points) == len(page.one("ol.moments").find("li")) == 4 < len(found.steps)
    values = [*(step.seats[1] for step in found.steps[:3]), found.seats[1].result]
    assert [float(point.partition(",")[2]) for point in points] == pytest.approx(
        [HEIGHT * (1 - value) for value in values], abs=0.1
    )
    assert f"Of {len(found.steps)} {said}" in page.says("main")


def test_a_review_speaks_of_you_where_the_table_did_and_of_what_was_typed_in_words(
    client: TestClient, match: Match
) -> None:
    page = sent(client, match.record(), seats="0")
    assert ("You chose" in page.html, "Player 2" in page.html, "Player 1" in page.html) == (True, True, False)
    assert "You chose" not in sent(client, match.record(), seats="0,1").html
    page = sent(client, played("high-dice", {}, 4).record())
    assert [end.text for end in page.find("text")] == ["0.89", "0.00"]
    assert page.says("#move-1").endswith("0.89 Analyse this position")
    page = sent(client, TYPED)
    assert "mine=" not in page.html.partition("<main")[2].replace("?mine=", "")
    for told in ("blunder", "hold", "Line 2 of the record", "turn5"):
        assert told in page.says("main")
    assert page.one("#move-2").words.startswith("A: hold")  # as it was typed
    assert page.one("#move-2").find("table.seatwise")[0].words == "AB 00"
    assert refused(sent(client, "pig target=10\nA: 5 fly"))


def test_a_review_has_an_address_that_holds_the_record(client: TestClient, match: Match) -> None:
    for record in (json.dumps(match.record()), TYPED):
        page = sent(client, record)
        address = next(each["data-copy"] for each in page.find("button") if each["data-copy"])
        again = opened(client, address)
        assert list(rows(again, "fall")) == list(rows(page, "fall"))
        assert refused(opened(client, address[:-9], 400)).startswith("The record in this address is cut")
    for wrong in ("", "!", "eA", "é", "A" * 5000):
        assert refused(opened(client, f"/review?r={wrong}", 400))
    swells = base64.urlsafe_b64encode(zlib.compress(b" " * 4_000_000, 9)).decode().rstrip("=")
    assert "longer than" in refused(opened(client, f"/review?r={swells}", 413), 413)
    assert encode_record("".join(map(chr, range(9000)))) == ""
    long = sent(client, TYPED + "\n" + "".join(f"# {hash(str(n))}\n" for n in range(900)))
    assert "hand it on as a file" in long.says("main")
    assert opened(client, "/review").find("a.plain")[0]["href"].startswith("/review?r=")
    rollwise.solve("pig", params={"target": 50})
    assert "Ben" in opened(client, opened(client, "/review").find("a.plain")[0]["href"]).says("ol.moments")


def test_from_the_table_to_the_review_and_the_file(pig: Callable[..., Page], tmp_path: Path) -> None:
    page = play_out(pig(seed="2"), lambda moves: moves[0])
    saved = page.press("from", "table").press_at("/review/record")
    assert saved.came.headers["Content-Disposition"] == 'attachment; filename="pig.jsonl"'
    file = tmp_path / "pig.jsonl"
    file.write_bytes(saved.came.content)
    assert Match.load(file).record() == page.record


def test_from_the_review_of_a_game_that_is_not_over_one_plays_on(
    client: TestClient, pig: Callable[..., Page], match: Match
) -> None:
    table = pig(seed="4", throws="typed", coach="on").press("die", "3")
    page = table.press("from", "table")
    assert page.status == 200
    for told in ("The record ends before the game does", "so far", "Play on from here"):
        assert told in page.html
    on = page.press_at("/play/pig")
    assert (on.record, on.carried) == (table.record, table.carried)
    assert sent(client, table.record).press_at("/play/pig").record == table.record
    for over in (match.record(), "pig target=12\nA: 5 hold\nB: 6"):
        assert "Play on" not in sent(client, over).html


def test_a_record_that_is_cut_or_of_other_rules_is_reviewed_as_far_as_it_goes(client: TestClient, match: Match) -> None:
    head, *lines = match.record()
    page = sent(client, "\n".join(json.dumps(line) for line in (head, *lines))[:-8])
    assert (page.status, "is cut" in page.html) == (200, True)
    page = sent(client, [head | {"rules_version": 99}, *lines])
    assert refused(page)
    page = page.press("anyway", "on")
    (address,) = [each["data-copy"] for each in page.find("button") if each["data-copy"]]
    assert list(rows(opened(client, address), "fall")) == list(rows(page, "fall")) != []
    assert refused(opened(client, address.removesuffix("&anyway=on"), 400))


def test_what_is_no_record_is_told_in_a_line_and_what_is_too_long_refused(client: TestClient) -> None:
    assert opened(client, "/review").forms[0].fields == {"record": ""}
    for name in ("/etc/passwd", "README.md", "-", "~/.bashrc", "file:///etc/passwd", "../README.md\n"):
        page = sent(client, name)  # no file of the server is read
        assert ("the game is wanted" in refused(page), "root:" in page.html) == (True, False)
    for record in (*NO_RECORDS, "x" * 500, '{"a":' * 3000):
        assert refused(sent(client, record)), record
        assert posted(client, "/review/record", {"record": record}).status == 400
    for path in ("/review", "/review/record"):
        assert posted(client, path, {"record": "x" * (MAX_RECORD_BYTES + 1)}).status == 413


def test_a_review_of_what_is_not_solved_waits(unsolved: TestClient) -> None:
    head = {"rollwise": 1, "game": "pig", "parameters": {"target": 13}, "rules_version": 1, "seed": 1, "seats": 2}
    page = sent(unsolved, [head | {"next": {"state": {"mine": 0, "theirs": 0, "turn": 0}, "seat": 0}}])
    assert page.status == 503
