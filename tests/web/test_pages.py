"""The pages on which questions are asked: what an answer says, and what is said where something does not fit."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.games.registry import REGISTRY
from rollwise.questions.forecast.text import score_steps
from tests.web.conftest import SOLVED
from tests.web.playing import HTMX, opened

RULES = dict(reversed(SOLVED))  # of each game those that are solved first
PIG = {"turn": 9, "mine": 2}


def url(place: str, **fields: object) -> str:
    """An address with the rules of a solved game."""
    name, _, move = place.partition(" ")
    rules = {f"p.{parameter}": value for parameter, value in RULES.get(name.partition("/")[0], {}).items()}
    return f"/{name}?" + urlencode({**fields, **rules, **({"move": move} if move else {})})


def test_every_game_is_found_from_the_first_page_each_with_a_line_of_whole_sentences(pages: TestClient) -> None:
    cards = opened(pages, "/").find("a.card")
    assert sorted(card["href"] for card in cards) == sorted(f"/{name}" for name in REGISTRY)
    lines = [card.inside[-1].text for card in cards]
    assert len(set(lines)) == len(lines)
    for line in lines:
        assert line.endswith((".", ")")), line
        assert 30 <= len(line) <= 200, line
    for place in ("/", "/pig", "/play/pig"):
        assert "/review" in opened(pages, place).links()


@pytest.mark.parametrize(
    ("find", "wanted", "others"),
    [
        ("Mexi", {"/mexico"}, 0),
        ("farkle", {"/zilch", "/ten-thousand"}, 2),
        ("Kniffel", {"/yahtzee"}, 0),
        ("yam", {"/yahtzee"}, 0),
        ("mia", {"/mexico", "/bluff"}, 0),
        ("liar's dice", {"/bluff"}, 0),
        ("10000", {"/ten-thousand"}, 2),
        ("six by six", {"/six-by-6"}, 4),
        ("<script>alert(1)</script>", set(), 0),
    ],
)
def test_games_are_found_by_their_names(find: str, wanted: set[str], others: int, pages: TestClient) -> None:
    page = opened(pages, f"/?find={find}")
    found = page.links("a.card")
    assert wanted <= set(found)
    assert len(found) <= len(wanted) + others
    assert bool(found) != ("No game" in page.says("#games"))


def test_the_first_page_finds_what_there_is_and_asks_a_question(pages: TestClient) -> None:
    assert "Like Yatzy, but: no boxes for pairs" in opened(pages, "/?find=yatzy").says("#games")
    assert "Like" not in opened(pages, "/").says("#games")
    assert "mexico" in opened(pages, "/mexiko", 404).find("p.error")[0].text
    assert opened(pages, "/favicon.ico", 404).find("a.card")
    asked = opened(pages, "/").find("div.told")[0]
    page = opened(pages, url("pig/sample", turn=9, mine=2), **HTMX)
    assert page.links() == [opened(pages, url("pig/check", turn=9, mine=2), **HTMX).came.headers["HX-Replace-Url"]]
    assert opened(pages, url("pig", turn=9, mine=2)).verdict.startswith(page.one("div.told").words)
    assert asked["hx-get"].replace("/sample", "") in opened(pages, "/").links()


ROULETTE = "odd or even; a chip on it wins 50.0 % of the time and brings back 1.00 on average"
SAYS: dict[str, tuple[str, str, str]] = {  # the address, where it is said, and what
    "a forced move": (url("pig"), "#verdict", "You can only roll"),
    "a forced move in the table": (url("pig"), "tr.move", "only move"),
    "a game of luck": ("/big-six", "#verdict", "Nothing to choose"),
    "odds of a game of luck": ("/big-six", "#verdict", "56.3 %"),
    "bets": ("/dice-roulette", "#verdict", f"Cheapest for the player: {ROULETTE}"),
    "the throw that dice are taken for": (url("mexico", roll="1,5"), "#verdict", "Taken as the first throw"),
    "which throw": (url("mexico", roll="1,5"), "#field-rolls_left", "Which throw was this?"),
    "a state that no play comes to": ("/shut-the-box?open=2-9", "#error-open", "until 7 8 9 are all shut"),
    "a move that there is not": (url("pig fly", turn=4), "#next", "is no move here"),
    "a number": (url("pig", turn="17x", mine=3), "#error-turn", "whole number"),
    "dice that may be all": (
        *("/zilch?roll=1,5", "#verdict"),
        "Or if these are all: “Points this turn” 0 is impossible with 2 dice",
    ),
    "a game that is not solved here": (*("/pig?p.target=23&turn=3", "#answer"), "rollwise solve pig -p target=23"),
    "a game that is too long": ("/sixzee", "div.waiting", "rollwise serve --allow-solve all"),
    "a game that is too long, at the terminal": ("/sixzee", "div.waiting", "rollwise solve sixzee"),
    "bars of a mix": (url("bluff", mine=2, theirs=1, total=3), "#answer", "to win · bars: what a move loses"),
    "bars of moves": (url("pig", turn=4), "#answer", "to win · bars: what a move loses"),
    "less is better": (
        *("/slam?scores=10,12&move=roll", "#next"),
        "Roll: lose 57.0 % for player 1 on average; 3 outcomes, from 63.4 % to 0.0 %; low is good.",
    ),
}


@pytest.mark.parametrize(("where", "selector", "said"), SAYS.values(), ids=SAYS)
def test_a_page_says(where: str, selector: str, said: str, pages: TestClient) -> None:
    assert said in opened(pages, where).says(selector)


def test_the_sentence_and_the_rows_say_what_moves_are_worth_best_first(pages: TestClient) -> None:
    page, advice = opened(pages, url("pig", **PIG)), rollwise.ask("pig", params=RULES["pig"], state=PIG)
    moves = advice.moves
    assert page.verdict.lower().startswith(moves[0].move)
    assert f"{100 * (advice.value or 0):.1f} % to win" in page.verdict
    assert f"{100 * moves[1].loss:.1f} less: {moves[1].move}" in page.verdict
    verdict = page.one("#verdict")
    onward = f"{url('pig', **PIG)}&move={moves[0].move}#next".replace("turn=9&mine=2", "mine=2&turn=9")
    assert (verdict["aria-live"], verdict.links()) == ("polite", ["#answer", onward])
    rows = [row.words for row in page.find("tr.move")]
    for row, move in zip(rows, moves, strict=True):
        assert row.lower().startswith(move.move)
        assert f"{100 * move.value:.1f} %" in row
    assert "best" in rows[0]
    assert f"−{100 * moves[1].loss:.1f}" in rows[1]
    digits = opened(pages, page.one("details.proof")["hx-get"]).says("#main")
    for move in moves:
        assert f"{100 * move.value:.4f} %" in digits
    assert digits.count("± ") + digits.count("exact") >= len(moves)


def test_moves_that_are_equally_good_are_told_as_such_and_stand_in_one_row(pages: TestClient) -> None:
    advice = rollwise.ask("bluff", params=RULES["bluff"], mine=2, theirs=2, total=5)
    page = opened(pages, url("bluff", mine=2, theirs=2, total=5))
    assert len(page.find("tr.best")) == len(advice.best) > 1
    state = {"mine": 2, "theirs": 2, "call": 8}
    page = opened(pages, url("bluff", **state))
    mixed = [move for move in rollwise.ask("bluff", params=RULES["bluff"], state=state).moves if move.probability]
    assert len(mixed) > 1
    assert page.verdict.startswith("Mix")
    told = sorted(cell.text for cell in page.find("td.often") if cell.text)
    assert told == sorted(f"{100 * (move.probability or 0):.1f} % of the time" for move in mixed)
    page = opened(pages, "/components")
    first, rest = page.find("table.moves")
    assert [row.words.partition("24")[0].strip() for row in first.find("tr.move")][:2] == ["Keep", "Keep and any other"]
    assert [dice["aria-label"] for dice in rest.find("svg.rolled")] == ["1 6 6 6"]
    assert "2.3 less: keep 6 6 6 and any other" in page.says("p.less")
    assert [die["class"] for die in page.find("p.on-felt")[0].find("use")] == ["dim", "dim", "", "", ""]


def test_everybody_at_a_table_has_a_share_and_odds_have_spreads(pages: TestClient) -> None:
    page = opened(pages, url("mexico", roll="6,4"))
    assert page.says("dl.facts").count("Player") == 3
    assert opened(pages, "/big-six").find("details.spread")
    assert len(opened(pages, "/dice-roulette").find("th")) > 15
    taken = opened(pages, url("mexico", roll="1,5"))
    assert "#field-rolls_left" in taken.one("#verdict").links()
    assert "Taken as" not in opened(pages, url("mexico", roll="1,5", rolls_left=2)).verdict
    assert not opened(pages, "/pig?p.target=23&turn=3").find("tr.move")  # not solved
    long = opened(pages, "/sixzee")
    assert "players=" not in long.says("div.waiting")
    assert not [form for form in long.forms if "/solve" in form.action]


def test_a_move_is_read_as_people_say_it_and_the_choice_after_an_only_keep_is_told(pages: TestClient) -> None:
    page = opened(pages, url("zilch take 1 1 1", roll="1,1,1,2,3,4"))
    told = "'take 1 1 1' is taken as keep 1 1 1 for 1000"
    assert f"{told}. Keep 1 1 1 for 1000: " in page.says("#next")
    assert page.find("tr.chosen")
    body = {"game": "zilch", "params": RULES["zilch"], "state": {"roll": [1, 1, 1, 2, 3, 4]}, "move": "take 1 1 1"}
    answer = pages.post("/api/outcomes", json=body).json()
    assert (answer["move"], answer["note"]) == ("keep 1 1 1 for 1000", told)
    page = opened(pages, url("zilch", turn=300, roll="1,2"))
    (move,) = rollwise.ask("zilch", params=RULES["zilch"], turn=300, roll=[1, 2]).moves
    then: Any = move.then
    assert f"then {then.move} the other one (or {then.other.move} {then.other.value:.2f})" in page.one("tr.move").words
    assert f"You can only keep 1 for 100, then {then.move}" in page.verdict
    assert f"{then.other.loss:.2f} more: {then.other.move}" in page.verdict


def test_why_is_told_in_words_and_in_numbers_that_stand_in_a_fold(pages: TestClient) -> None:
    asked = url("pig/why", **PIG)
    page, why = opened(pages, asked), rollwise.why("pig", state=PIG, params=RULES["pig"])
    assert all(sentence in page.says("#main") for sentence in why.words.split(". "))
    part = opened(pages, asked, **HTMX)
    assert not part.find("html")
    assert why.parts[0].called in part.html
    assert opened(pages, url("pig", **PIG)).find("details.why")[0]["hx-get"].startswith("/pig/why?")
    rows = [
        [cell.text for cell in row.inside if cell.tag in ("th", "td")] for row in page.one("table.parts").find("tr")
    ]
    assert sorted(rows[0]) == ["", "hold", "roll"]
    assert rows[1][1] == "part"
    for row in rows[2:]:
        assert re.fullmatch(r"[+-]?\d+\.\d+", row[1])
        assert all(len(cell.removesuffix(" %").partition(".")[2]) <= 2 for cell in row[2:]), rows
    worst = (rollwise.ask("shut-the-box", roll=[3, 5]).moves)[-1].move
    assert worst in opened(pages, f"/shut-the-box/why?roll=3,5&move={worst.replace(' ', '+')}").html
    opened(pages, "/pig/why?p.target=23&turn=3&move=roll", 303)  # not solved: to the page that says so


def test_a_part_of_the_page_comes_with_its_address_and_asked_for_as_a_page_is_one(pages: TestClient) -> None:
    part = opened(pages, url("pig/check", turn=4, mine=""), **HTMX)
    assert part.came.headers["HX-Replace-Url"] == "/pig?turn=4&p.target=12"
    assert (len(part.find("#verdict")), part.find("html")) == (1, [])
    assert "HX-Request" in part.came.headers["vary"]
    clicked = opened(pages, url("pig/answer hold", turn=4), **HTMX)
    assert clicked.came.headers["HX-Push-Url"] == "/pig?turn=4&p.target=12&move=hold"
    for below in ("check", "form", "answer"):
        page = opened(pages, url(f"pig/{below}", turn=4))
        assert (page.is_answered, len(page.find("html"))) == (True, 1)


def test_the_reason_stands_beside_the_field_and_what_was_typed_stays(pages: TestClient) -> None:
    page = opened(pages, url("pig", turn="17x", mine=3))
    assert not page.is_answered
    box = page.one("#turn")
    assert (box["value"], box["aria-invalid"], page.one("#mine")["aria-invalid"]) == ("17x", "true", "")
    assert "error-turn" in box["aria-describedby"]
    part = opened(pages, url("pig/check", turn="17x"), **HTMX)
    assert "whole number" in part.says("#error-turn")
    assert "HX-Replace-Url" not in part.came.headers
    assert opened(pages, url("pig fly", turn=4)).is_answered  # a move that there is not leaves the answer


@pytest.mark.parametrize(
    ("where", "location"),
    [
        ("/shut-the-box?open.=&open.1=1&open.2=1&roll=", "/shut-the-box?open=1,2"),  # a form without script
        ("/Shut%20The%20Box?roll=3,5", "/shut-the-box?roll=3,5"),
        ("/shutthebox/check?open=1,9&x=%20", "/shut-the-box?open=1,9&x=%20"),
        ("/dice-roulette/next?wrong=1", "/dice-roulette?wrong=1"),  # the page that says so
        (f"{url('pig/after roll', turn=5)}&thrown=+3", "/pig?turn=8&p.target=12"),
        (f"{url('mexico/after roll')}&thrown=3+1", "/mexico?roll=1,3&rolls_left=2&p.players=3&p.lives=1"),
    ],
)
def test_an_address_leads_to_the_one_that_is_written(where: str, location: str, pages: TestClient) -> None:
    assert opened(pages, where, 303).came.headers["location"] == location


TO_COME = {
    "/yahtzee/check?roll=2": "4 dice to come",
    "/yahtzee/check?roll=2,2,3,4": "One die to come",
    "/zilch/check?roll=1,5": "4 dice to come",
    "/zilch/check?turn=200&dice=2&roll=2": "One die to come",
    "/shut-the-box/check?roll=5": "One die to come",
    "/six-by-6/check?carry=1&posted=2&roll=3,4": "2 dice to come",
    "/mexico/check?results.0=5": "One die to come",
    "/cameroon/check?kept=6,6": "3 dice to come",
    "/cameroon/check?kept=6,6&roll=1": "2 dice to come",
    **{f"/yahtzee/check?roll={roll}": "" for roll in ("7", "2,7", "1,2,3,4,5,6", "x")},  # which no more would mend
    "/zilch/check?turn=200&dice=6&roll=2": "",
}


@pytest.mark.parametrize("where", TO_COME)
def test_while_dice_are_laid_it_is_said_how_many_are_to_come(where: str, pages: TestClient) -> None:
    part, wanted = opened(pages, where, **HTMX), TO_COME[where]
    assert part.came.headers.get("HX-Reswap") == ("none" if wanted else None)
    assert bool(part.find("p.wrong")) != bool(wanted)
    for page in (part, opened(pages, where.replace("/check", ""))) if wanted else ():
        assert wanted in page.verdict
        assert not page.find("p.wrong")
    assert not wanted or part.says("p.error") == ""


@pytest.mark.parametrize(
    ("where", "first", "reason"),
    [
        ("/shut-the-box?open=1,2&roll=6,6", "The turn is over with 3 points", "roll 6 6 fits no open box"),
        ("/shut-the-box?open=none", "The turn is over with 0 points", "every box is shut"),
        ("/zilch?roll=2,2,3,3,4,6", "The turn is over", "scores nothing"),
        ("/six-by-6?carry=0&posted=2&roll=1,2,3,4", "The round is over with", "earns nothing"),
        ("/big-six?chips=0,5", "The game is over, player 1 has no chips left and won", ""),
    ],
)
def test_what_is_over_is_no_fault(where: str, first: str, reason: str, pages: TestClient) -> None:
    page = opened(pages, where)
    calm = page.one("p.calm")
    assert calm.inside[0].text.startswith(first)
    assert reason in calm.text
    assert (page.find("p.wrong"), page.says("p.error")) == ([], "")


def test_a_forced_move_is_followed_by_itself_and_an_answer_states_its_question(pages: TestClient) -> None:
    follows = opened(pages, url("pig")).one("#next")["hx-get"]  # after the answer, which does not wait for it
    for page in (opened(pages, follows, **HTMX), opened(pages, follows)):
        assert len(page.find("a.tall")) == 6  # one die, a tile for each face
    for where in ("/shut-the-box", "/drop-dead?dice=3&move=roll"):
        boxes = [box["placeholder"] for box in opened(pages, where).find("input.typed")]
        assert boxes
        assert not [told for told in boxes if "tap" in told]
    asked = opened(pages, "/pig?p.target=12&mine=3&turn=4").one("p.asked").words
    assert re.fullmatch(r"Pig: .* 3 · .* 4 · .* 12", asked)
    for other in ("p.target=12&mine=99", "p.target=23"):
        assert not opened(pages, f"/pig?{other}").find("p.asked")  # which is not kept, either


def test_before_a_throw_every_final_score_is_told_as_the_terminal_has_it(pages: TestClient) -> None:
    (fold,) = opened(pages, "/shut-the-box").find("details.ends")
    assert not opened(pages, "/shut-the-box?roll=1,2").find("details.ends")
    told = opened(pages, fold["hx-get"])
    steps = score_steps(rollwise.forecast("shut-the-box").quantities["score_distribution"].value, "min")
    rows = told.find("table.steps")[0].find("tr")[1:]
    assert [row.find("th")[0].text for row in rows] == [name for name, *_ in steps]
    assert len(told.find("svg.columns")[0].find("rect")) == len(steps)
