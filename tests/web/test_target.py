"""A sheet for a target on the page: no more is solved for a question than the sheet needs, in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

import httpx2
import pytest
from starlette.testclient import TestClient

from rollwise.games.objectives import two_sheets
from rollwise.solutions.lookup import cache_only
from rollwise.solver.model.errors import TooLarge
from rollwise.web.child import solve
from rollwise.web.jobs import plan_job
from rollwise.web.page_question import PageQuestion, read_question
from rollwise.web.pages import _unsolved_game
from rollwise.web.settings import Settings
from tests.web.asking import post
from tests.web.solves import SLEEPS, fake

LATE = "ones:4,twos:6,threes:9,fours:12,fives:15,sixes:18,three of a kind:24,full house:25,small straight:30,chance:20"


def asked(name: str, **fields: str) -> PageQuestion:
    """What a page asks."""
    return read_question(name, [("p.objective", "reach"), *fields.items()])


def test_a_sheet_that_is_too_early_is_said_to_be_so() -> None:
    with cache_only():
        part = _unsolved_game(asked("sixzee", target="400"))
    assert part is not None
    with pytest.raises(TooLarge, match="later sheets are small enough"):
        plan_job(part, Settings())


REACH = {"p.objective": "reach", "filled": LATE, "target": "237", "roll": "22245"}
TWO = {"p.players": "2", "filled": LATE, "theirs_filled": LATE, "roll": "22245"}


def asks(client: TestClient, query: dict[str, str]) -> httpx2.Response:
    """What the JSON interface says to the question of a page."""
    state = {name: value for name, value in query.items() if not name.startswith("p.")}
    return post(client, "ask", {"game": "yahtzee", "params": {"players": 2}, "state": state})


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("asked", [REACH, TWO])
def test_what_a_position_can_come_to_is_solved_and_never_the_whole(
    client_of: Callable[..., TestClient], asked: dict[str, str]
) -> None:
    unsolved = client_of(allow_solve="all")
    jobs = unsolved.app.state.jobs  # type: ignore[attr-defined]
    jobs.command = fake(SLEEPS)
    query = urlencode(asked)
    assert "What can still happen from here has to be" in unsolved.get(f"/yahtzee?{query}").text
    assert "What can still happen from here is being" in unsolved.post(f"/yahtzee/solve?{query}").text
    (job,) = jobs.by_id.values()
    assert "Solve it now" in unsolved.post(f"/yahtzee/stop?{query}&job={job.id}").text
    solve(job.name, job.parameters)
    for press in ("solve?", f"stop?job={job.id}&"):  # on a page that was opened before
        assert 'class="asked"' in unsolved.post(f"/yahtzee/{press}{query}", headers={"HX-Request": "true"}).text
    form = {"start": "1"} | {name if name.startswith("p.") else f"s.{name}": said for name, said in asked.items()}
    assert "Your turn" in unsolved.post("/play/yahtzee", data=form).text
    assert list(jobs.by_id.values()) == [job]


@pytest.mark.parametrize("most", [two_sheets.MAX_CELLS, 300])
def test_too_much_for_two_says_what_to_ask_instead(
    unsolved: TestClient, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("rollwise.solutions.identity.changed_modules", lambda names: [])  # a limit is no rule
    monkeypatch.setattr(two_sheets, "MAX_CELLS", most)
    sheets = {} if most > 300 else dict.fromkeys(("filled", "theirs_filled"), LATE.removesuffix(",chance:20"))
    query = {"p.players": "2", **sheets}
    line = re.compile(r"from \d+ and \d+ open boxes on yahtzee for two is too large: [^\n<]*objective=beat answers")
    for page in (unsolved.get(f"/yahtzee?{urlencode(query)}"), unsolved.post(f"/yahtzee/solve?{urlencode(query)}")):
        assert re.search(f"No answer here:</strong> *<span>{line.pattern}", page.text)
    assert line.match(asks(unsolved, query).json()["message"])
    form = {"start": "1", "p.players": "2", **{f"s.{name}": sheet for name, sheet in sheets.items()}}
    assert line.search(unsolved.post("/play/yahtzee", data=form).text)


@pytest.mark.usefixtures("own_cache")
def test_a_server_that_does_not_solve_names_the_question_to_ask_by_hand(client_of: Callable[..., TestClient]) -> None:
    said = asks(client_of(allow_solve="none"), TWO)
    assert said.status_code == 503
    assert (
        said.json()["hint"]
        == f"rollwise ask yahtzee 'filled={LATE}' 'theirs_filled={LATE}' roll=2,2,2,4,5 -p players=2"
    )
