"""The review on the page says what ``rollwise review`` says, of whatever record is put in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise import Match
from rollwise.review_text import change_text, grading, lost_text, meaning, value_text
from rollwise.reviewing.told import Review
from rollwise.web.charts import waterfall
from rollwise.web.records import MOST_BYTES
from tests.web.pressing import Page, begin, play_out, send

PIG = {"target": 12}


def played(game: str, params: dict[str, Any], seed: int) -> Match:
    """A game in which seat 0 always makes the last move of the list, which is often a bad one."""
    match = Match(game, params, seed=seed)
    while not match.over:
        if match.waiting:
            match.throw()
        else:
            match.play(match.legal[-1] if match.mover == 0 else match.moves[0].move)
    return match


@pytest.fixture
def pig() -> Match:
    """A short game of Pig, with errors in it."""
    rollwise.solve("pig", PIG)
    return played("pig", PIG, 8)


def sent(client: TestClient, record: Any, **more: str) -> Page:
    """The review of a record."""
    told = record if isinstance(record, str) else json.dumps(record)
    return send(client, "/review", {"record": told, **more})


def text_of(page: Page) -> str:
    """What stands on the page, without tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.html.partition("<main")[2]))


def cells(page: Page, sort: str) -> Iterator[list[str]]:
    """The rows of tables of a class, cell by cell."""
    for table in re.findall(rf'<table class="{sort}[^>]*>(.*?)</table>', page.html, re.DOTALL):
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.DOTALL):
            found = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
            yield [re.sub(r"<[^>]*>", "", cell).strip().replace("&lt;", "<").replace("&#39;", "'") for cell in found]


@pytest.mark.parametrize(
    ("game", "params"),
    [("pig", PIG), ("bluff", {"chips": 1}), ("mexico", {"lives": 1}), ("shut-the-box", {}), ("slam", {})],
)
def test_the_page_has_the_numbers_of_the_review(client: TestClient, game: str, params: dict[str, Any]) -> None:
    rollwise.solve(game, params)
    record = played(game, params, 3).record()
    found: Review = rollwise.review(record)
    page = sent(client, record)
    assert page.status == 200
    rows = list(cells(page, "fall"))
    for seat in found.seats:
        assert ["start", "", value_text(seat.start, found)] in rows
        assert ["luck", "", change_text(seat.luck, found.unit)] in rows
        assert ["result", "", value_text(seat.result, found)] in rows
        assert ["without luck", "", value_text(seat.luck_adjusted, found)] in rows
        if found.chooses:
            assert ["own choices", "", change_text(seat.own, found.unit)] in rows
    if found.chooses:
        counts = {row[0]: row[1:] for row in cells(page, "plain graded")}
        assert counts["choices"] == [str(seat.decisions) for seat in found.seats]
        assert counts["lost per choice"] == [lost_text(seat.mean_loss, found.unit) for seat in found.seats]
        sorts = ("best", "fine", "inaccuracies", "mistakes", "blunders")
        for place, told in enumerate(found.seats):
            assert sum(int(counts[sort][place]) for sort in sorts) == told.decisions
        assert grading(found) in text_of(page)
    assert meaning(found) in text_of(page).replace("&#39;", "'")


def test_the_worst_choices_stand_first_each_with_its_question(client: TestClient, pig: Match) -> None:
    found = rollwise.review(pig)
    page = sent(client, pig.record())
    assert found.choices
    places = [
        page.html.index(f"Seat {choice.seat} chose {choice.move}; {choice.best[0]} was best.")
        for choice in found.choices
    ]
    assert places == sorted(places)
    links = re.findall(r'href="(/pig\?[^"]*)"', page.html)
    assert len(links) == len(found.choices)
    for link, choice in zip(links, found.choices, strict=True):
        asked = client.get(link.replace("&amp;", "&"))
        assert asked.status_code == 200
        assert f"move={choice.move}" in link
        assert "p.target=12" in link


def test_the_bars_of_a_seat_join_from_the_start_to_the_result() -> None:
    bars = waterfall(0.5, [-0.2, 0.1, 0.6], 1.0)
    assert bars[1].x + bars[1].width == pytest.approx(bars[0].width)
    assert bars[2].x == pytest.approx(bars[1].x)
    assert bars[3].x + bars[3].width == pytest.approx(bars[-1].width)


def test_a_bar_of_nothing_is_still_seen_and_none_leaves_the_chart() -> None:
    for bars in (waterfall(0, [0, 0], 0), waterfall(1, [1e-9, -3], -2), waterfall(-1, [0.5], -0.5)):
        assert all(bar.width > 0 and bar.x >= 0 and bar.x + bar.width <= 100.01 for bar in bars)


def test_the_course_goes_from_the_start_to_the_result(pig: Match) -> None:
    found = rollwise.review(pig)
    assert found.course[0].seats == tuple(seat.start for seat in found.seats)
    assert found.course[-1].seats == tuple(seat.result for seat in found.seats)
    for moment in found.course:
        assert sum(moment.seats) == pytest.approx(1)
    lines = [moment.at for moment in found.course]
    assert lines == sorted(lines)
    assert len(set(lines)) == len(lines)
    after = {moment.at: moment.seats for moment in found.course}
    for number, line in enumerate(pig.record(), 1):
        if "thrown" in line and number in after:
            assert after[number][line["seat"]] == pytest.approx(line["after"])


def test_a_course_is_a_line_with_the_same_as_a_table(client: TestClient, pig: Match) -> None:
    found = rollwise.review(pig)
    page = sent(client, pig.record(), seats="1")
    points = re.search(r'class="run run1" points="([^"]*)"', page.html)
    assert points, "the line of the seat that was played"
    assert len(points[1].split()) == len(found.course)
    rows = list(cells(page, "plain"))
    assert [str(found.course[-1].at), *(value_text(value, found) for value in found.course[-1].seats)] in rows


def test_a_review_speaks_of_you_where_the_table_did(client: TestClient, pig: Match) -> None:
    page = sent(client, pig.record(), seats="0")
    assert "You chose" in page.html
    assert "Seat 1" in page.html
    assert "Seat 0" not in page.html
    assert "You chose" not in sent(client, pig.record(), seats="0,1").html


def test_how_it_stood_is_told_in_words(client: TestClient) -> None:
    rollwise.solve("pig", {"target": 10})
    page = sent(client, "pig target=10\nA: 5 hold\nB: 6 6", seats="0")
    assert "mine=" not in page.html.partition("<main")[2].replace("?mine=", "")
    assert "<dt>You</dt><dd>0</dd>" in page.html
    assert "<dt>Seat 1</dt><dd>0</dd>" in page.html
    assert "<dt>turn</dt><dd>5</dd>" in page.html
    assert "Line 2 of the record" in page.html


def test_the_ends_of_a_short_scale_are_told_apart(client: TestClient) -> None:
    rollwise.solve("high-dice")
    record = played("high-dice", {}, 4).record()
    found = rollwise.review(record)
    page = sent(client, record)
    ends = re.findall(r"<text [^>]*>([^<]*)</text>", page.html)
    assert ends == ["0.89", "0.00"]
    assert found.course[0].seats == (found.seats[0].start,)
    assert ["start", "0.89"] in list(cells(page, "plain"))


def test_a_game_of_luck_has_no_choices(client: TestClient) -> None:
    rollwise.solve("slam")
    page = sent(client, played("slam", {}, 2).record())
    assert "own choices" not in page.html
    assert "worst choices" not in page.html


def test_from_the_table_to_the_review_and_the_file(client: TestClient, pig: Match, tmp_path: Path) -> None:
    page = play_out(begin(client, "pig", p_target="12", seed="2"), lambda moves: moves[0])
    review = page.press("from", "table")
    assert review.status == 200
    saved = review.press_at("/review/record")
    assert saved.came.headers["Content-Disposition"] == 'attachment; filename="pig.jsonl"'
    file = tmp_path / "pig.jsonl"
    file.write_bytes(saved.came.content)
    assert Match.load(file).record() == page.record


def test_a_game_is_reviewed_before_its_end(client: TestClient) -> None:
    rollwise.solve("pig", PIG)
    page = begin(client, "pig", p_target="12", seed="4").press("move", "roll").press("from", "table")
    assert page.status == 200
    assert "The record ends before the game does" in page.html
    assert "so far" in page.html


def test_from_the_review_of_a_game_that_is_not_over_one_plays_on(client: TestClient) -> None:
    rollwise.solve("pig", PIG)
    table = begin(client, "pig", p_target="12", seed="4", throws="typed", coach="on").press("die", "3")
    page = table.press("from", "table")
    assert "Play on from here" in page.html
    on = page.press_at("/play/pig")
    assert on.record == table.record
    assert on.carried == table.carried
    pasted = sent(client, table.record).press_at("/play/pig")
    assert pasted.record == table.record
    assert "Play on" not in sent(client, played("pig", PIG, 8).record()).html
    assert "Play on" not in sent(client, "pig target=12\nA: 5 hold\nB: 6").html


def test_hidden_dice_are_reviewed_when_the_game_is_over(client: TestClient) -> None:
    rollwise.solve("bluff", {"chips": 1})
    page = begin(client, "bluff", p_chips="1", seed="4").press("move", "roll")
    assert not page.has("from")
    assert send(client, "/review", page.carried).status == 400
    page = play_out(page, lambda moves: moves[-1])
    assert page.press("from", "table").status == 200


def test_what_was_typed_by_hand_is_reviewed(client: TestClient) -> None:
    rollwise.solve("pig", {"target": 10})
    page = sent(client, "pig target=10\nA: 5 hold\nB: 6 6")
    assert "blunder" in page.html
    assert "hold" in page.html
    assert sent(client, "pig target=10\nA: 5 fly").status == 400


@pytest.mark.parametrize("name", ["/etc/passwd", "README.md", "-", "~/.bashrc", "file:///etc/passwd", "../README.md\n"])
def test_no_file_of_the_server_is_read(client: TestClient, name: str) -> None:
    page = sent(client, name)
    assert page.status == 400
    assert "root:" not in page.html
    assert "the game is wanted" in page.html


def test_a_cut_record_is_reviewed_as_far_as_it_goes(client: TestClient, pig: Match) -> None:
    text = "\n".join(json.dumps(line) for line in pig.record())
    page = sent(client, text[:-8])
    assert page.status == 200
    assert "is cut" in page.html


def test_a_record_of_other_rules_is_reviewed_if_that_is_wanted(client: TestClient, pig: Match) -> None:
    head, *lines = pig.record()
    page = sent(client, [head | {"rules_version": 99}, *lines])
    assert page.status == 400
    assert page.has("anyway", "on")
    assert page.press("anyway", "on").status == 200


@pytest.mark.parametrize("record", ["", "{", "[{}]", "[1]", "x" * 500, '[{"rollwise":1}]', '{"a":' * 3000])
def test_what_is_no_record_is_told_in_a_line(client: TestClient, record: str) -> None:
    page = sent(client, record)
    assert page.status == 400
    assert 'role="alert"' in page.html
    assert send(client, "/review/record", {"record": record}).status == 400


def test_a_record_that_is_too_long_is_refused(client: TestClient) -> None:
    assert sent(client, "x" * (MOST_BYTES + 1)).status == 413
    assert send(client, "/review/record", {"record": "x" * (MOST_BYTES + 1)}).status == 413


def test_the_form_asks_for_a_record(client: TestClient) -> None:
    page = Page(client, client.get("/review"))
    assert page.status == 200
    assert page.forms[0].fields == {"record": ""}


def test_a_review_of_what_is_not_solved_waits(client: TestClient, own_cache: object, pig: Callable[..., Any]) -> None:
    head = {"rollwise": 1, "game": "pig", "parameters": {"target": 13}, "rules_version": 1, "seed": 1, "seats": 2}
    page = sent(client, [head | {"next": {"state": {"mine": 0, "theirs": 0, "turn": 0}, "seat": 0}}])
    assert page.status == 503
