"""Pages about a game beside its questions: rules, card, quiz, and an answer to hand on as link, QR code and picture.

Nothing is kept here: a quiz stands in its address, by its seed, its number and how many answers were right.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Container
from functools import lru_cache, partial
from textwrap import shorten, wrap
from typing import Any, TypeAlias

import segno
from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from rollwise.answers.moves import does
from rollwise.answers.quiz import Quiz
from rollwise.asking.ask import answer
from rollwise.asking.card import card
from rollwise.asking.catalogue import rules as rules_read
from rollwise.asking.quiz import SEEDS, drawn_up
from rollwise.games.cards import known_cards
from rollwise.games.registry import WELL_KNOWN
from rollwise.parsing.validate import the_fields
from rollwise.solutions.games import Unsolved
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.model.errors import BadInput, UnknownGame
from rollwise.solver.model.game import TurnGame
from rollwise.text.advice import UNREACHABLE
from rollwise.text.card import card_blocks
from rollwise.text.html import dice, joined
from rollwise.text.moves import order
from rollwise.text.numbers import cost, places
from rollwise.text.quiz import rule_lines
from rollwise.web import address
from rollwise.web.answers import answer_of
from rollwise.web.guard import bare_host, origin_of, require_may_open
from rollwise.web.home import no_game
from rollwise.web.labels import in_words, label, told
from rollwise.web.page_question import PageQuestion, read_question
from rollwise.web.setup import rules_of
from rollwise.web.showing import board_of
from rollwise.web.templating import templates
from rollwise.web.texts import text

router = APIRouter(include_in_schema=False)
View: TypeAlias = dict[str, Any]
SEED, AT, RIGHT = "seed", "at", "right"  # of a quiz, in its address
LOOKED_AT = 20  # decisions, of which the hardest are asked: more would take many seconds
HANDED_ON = ("share.html", "picture.html")
KEPT = 64  # quizzes that need not be drawn up again
LONGEST = 1000  # letters of an address that a QR code carries
SENTENCE = re.compile(r"(?<=[.!?]) ")
THROW = re.compile(r"(?<![\w-])([1-6](?:-[1-6])+)(?![\w-])")  # as rules write one, 6-6 or 1-2-3
WIDE, LINE = 32, 72  # letters of a line of a picture, and of that below
HERE = ("localhost", "127.0.0.1", "::1")


def others(game: TurnGame) -> list[str]:
    """Which pages there are of a game beside its questions."""
    return ["rules", *(["card"] if game.name in known_cards() else []), *(["quiz"] if kind_of(game).chooses else [])]


async def _shown(
    request: Request,
    name: str,
    template: str,
    work: Callable[[PageQuestion], View],
    media: str = "text/html",
    late_once: str = "",
) -> Response:
    """A page of a game with the rules, or of the question, that its address says.

    Where that is no question, or is not solved yet, or has no answer to hand on, the page of the question says so.
    """
    pairs = [pair for pair in request.query_params.multi_items() if pair[0] not in (SEED, AT, RIGHT)]
    workers = request.app.state.workers
    try:
        question: PageQuestion = await workers.run(read_question, name, pairs)
        if question.problems:
            return RedirectResponse(f"/{question.game.name}?{address.written(pairs)}", 303)
        view, status = await workers.run(work, question, late_once=late_once), 200
    except UnknownGame:
        raise HTTPException(404, no_game(name)) from None
    except Unsolved:
        return RedirectResponse(question.url, 303)
    except BadInput as error:
        if template in HANDED_ON:
            return RedirectResponse(question.url, 303)
        view, status = {"problem": told(question.game, str(error))}, 400
    game = question.game
    view = {"problem": "", "game": game.name, "title": game.title, "url": question.url} | view
    view["others"] = [page for page in others(game) if f"{page}.html" != template]
    view |= {"rules_line": rules_of(game), "rules_query": address.written(address.rules(game))}
    return templates.TemplateResponse(request, template, view, status, {"Cache-Control": "no-cache"}, media)


@router.get("/{name}/rules")
async def rules(request: Request, name: str) -> Response:
    """How a game is played, with its throws drawn, and what can be agreed on at a table."""
    return await _shown(request, name, "rules.html", _rules)


def _rules(question: PageQuestion) -> View:
    game = question.game
    read = rules_read(game.name, params=game.parameters())
    boxes = {box for field in read["fields"] for box in field["form"].get("boxes", ())}
    faces, line = WELL_KNOWN.get(game.name, ("", ""))
    rows = [
        (
            label(game, address.RULE + each["name"])[0],
            each["help"],
            ", ".join(map(in_words, each["allowed"].split("/"))),
        )
        for each in read["parameters"]
    ]
    sentences = [drawn(sentence, boxes) for sentence in SENTENCE.split(told(game, read["rules"], of_rules=True))]
    view = {"dice": tuple(map(int, faces)), "line": line, "sentences": sentences, "rows": rows}
    names = {differs: [other for other, same in game.like if same == differs] for _, differs in game.like}
    return view | {"like": names, "source": read["source_title"]}


def drawn(sentence: str, names: Container[str]) -> Markup:
    """A sentence with its throws drawn, but for what is the name of a box.

    >>> drawn("6-6 beats 3-2-1", {"3-2-1"}).count("use href")
    2
    """
    parts = [(part, place % 2 and part not in names) for place, part in enumerate(THROW.split(sentence))]
    return Markup(joined(*(dice([*map(int, part.split("-"))]) if is_drawn else part for part, is_drawn in parts)))


@router.get("/{name}/card")
async def the_card(request: Request, name: str) -> Response:
    """How to play well without a computer, on one page to be printed."""
    return await _shown(request, name, "card.html", _card)


def _card(question: PageQuestion) -> View:
    return {
        "blocks": card_blocks(card(question.game.name, params=question.game.parameters()), "")[1:]
    }  # without the title


# --- the quiz --------------------------------------------------------------------------------------------------------


@router.get("/{name}/quiz")
async def quiz(request: Request, name: str) -> Response:
    """A position and its moves; or, with one of them, what that loses."""
    said = request.query_params
    seed, at, right = (_number(said.get(key, "")) for key in (SEED, AT, RIGHT))
    if seed is None:  # a new one
        rules_said = [pair for pair in said.multi_items() if pair[0].startswith(address.RULE)]
        query = address.written([*rules_said, (SEED, str(secrets.randbelow(SEEDS)))])
        return RedirectResponse(f"/{name}/quiz?{query}", 303, {"Cache-Control": "no-store"})
    require_may_open(request)
    work = partial(_asked, seed=seed, at=at or 1, right=right or 0)
    return await _shown(request, name, "quiz.html", work, late_once=f"{name} quiz")


def _number(typed: str) -> int | None:
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 7 else None


@lru_cache(KEPT)
def _drawn_up(game: TurnGame, seed: int) -> Quiz:
    return drawn_up(game.name, game.parameters(), seed=seed, look=LOOKED_AT)


def _asked(question: PageQuestion, seed: int, at: int, right: int) -> View:
    game, positions = question.game, _drawn_up(question.game, seed).positions
    view: View = {"count": len(positions), "at": at, "right": min(right, at - 1, len(positions)), "lost": ""}
    if at > len(positions):
        return view
    position, said = positions[at - 1], [*address.rules(game), (SEED, str(seed))]

    def link(at: int, right: int, *move: tuple[str, str]) -> str:
        return f"/{game.name}/quiz?{address.written([*said, (AT, str(at)), (RIGHT, str(right)), *move])}"

    state, mover = position.state, position.advice.mover or 0
    seats = range(kind_of(game).n_seats(game))
    names = [text("review.you") if seat == mover else text("form.seat", seat=seat) for seat in seats]
    view |= {"names": names, "mover": mover, "board": board_of(game, state, mover, names)}
    view["dice"] = [face for face in state.get("roll") or [] if isinstance(face, int)]
    if (move := question.move) not in position.choices:
        moves = [(does(move), order(move), link(at, view["right"], (address.MOVE, move))) for move in position.choices]
        return view | {"moves": moves}
    advice, to_ask = position.advice, partial(address.query, game, the_fields(game, state))
    is_right, digits = position.is_right(move), places(advice.moves[0].value, advice.unit)
    found, lost = answer_of(advice, move, to_ask), cost(position.move(move).loss, advice.unit, digits)
    return view | {
        "lost": text("quiz.right") if is_right else text("quiz.lost", loss=lost),
        "is_right": is_right,
        "v": found.verdict,
        "wrong_rules": " ".join(map(str.strip, rule_lines(position, digits))),
        "blocks": found.blocks,
        "ask": f"/{game.name}?{to_ask(move)}",
        "onward": link(at + 1, view["right"] + is_right),
    }


# --- an answer to hand on --------------------------------------------------------------------------------------------


@router.get("/{name}/share")
async def share(request: Request, name: str) -> Response:
    """An answer as link, QR code and picture."""

    def work(question: PageQuestion) -> View:
        full = origin_of(request.headers.raw, request.url.scheme) + question.url
        is_here = bare_host(request.headers["host"]) in HERE  # where no phone can come
        code = segno.make(full, error="l", micro=False) if len(full) <= LONGEST and not is_here else None
        svg = code.svg_inline(light="#fff", omitsize=True, title=text("share.code")) if code else ""
        view = {"full": full, "code": Markup(svg), "query": question.url.partition("?")[2]}
        return _pictured(question) | view | {"is_here": is_here}

    return await _shown(request, name, "share.html", work)


@router.get("/{name}/picture.svg")
async def picture(request: Request, name: str) -> Response:
    """What is best, drawn: dice, words and the number."""
    return await _shown(request, name, "picture.html", _pictured, "image/svg+xml")


def _pictured(question: PageQuestion) -> View:
    assert question.position is not None
    game, fields = question.game, question.given
    advice = answer(game, fields, question.position, QueryOptions())
    found = answer_of(advice, "", partial(address.query, game, fields)).verdict
    said = (
        UNREACHABLE
        if advice.unreachable
        else " · ".join(
            f"{label(game, name)[0]} {in_words(value, name)}" for name, value in address.pairs(game, fields)
        )
    )
    lines = wrap(found.first, WIDE, max_lines=2, placeholder=" …")
    return {"v": found, "lines": lines, "said": shorten(said, LINE, placeholder=" …")}
