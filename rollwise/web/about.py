"""Pages about a game beside its questions: rules, card, quiz, and an answer to hand on as link, QR code and picture.

Nothing is kept here: a quiz stands in its address, by its seed, its number and how many answers were right.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
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
from rollwise.reading.door import the_fields
from rollwise.saying.card import card_blocks
from rollwise.saying.html import dice, joined
from rollwise.saying.moves import order, verdict
from rollwise.saying.numbers import loss
from rollwise.saying.quiz import rule_lines
from rollwise.solved.games import Unsolved
from rollwise.solver.game.errors import BadInput, UnknownGame
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Extras
from rollwise.web import address
from rollwise.web.answers import answer_of
from rollwise.web.guard import bare_host, origin_of
from rollwise.web.labels import in_words, label, told
from rollwise.web.page_question import PageQuestion, read_question
from rollwise.web.setup import rules_of
from rollwise.web.showing import board_of
from rollwise.web.templating import templates
from rollwise.web.texts import text

router = APIRouter(include_in_schema=False)
View: TypeAlias = dict[str, Any]
SEED, AT, RIGHT = "seed", "at", "right"  # of a quiz, in its address
LOOKED_AT = 50  # decisions, of which the hardest are asked: more would take many seconds
KEPT = 64  # quizzes that need not be drawn up again
LONGEST = 1000  # letters of an address that a QR code carries
SENTENCE = re.compile(r"(?<=[.!?]) ")
THROW = re.compile(r"(?<![\w-])[1-6](?:-[1-6])+(?![\w-])")  # as rules write one, 6-6 or 1-2-3
WIDE, LINE = 32, 72  # letters of a line of a picture, and of that below
HERE = ("localhost", "127.0.0.1", "::1")


def others(game: TurnGame) -> list[str]:
    """Which pages there are of a game beside its questions."""
    return ["rules", *(["card"] if game.name in known_cards() else []), *(["quiz"] if kind_of(game).chooses else [])]


async def _shown(
    request: Request, name: str, template: str, work: Callable[[PageQuestion], View], media: str = "text/html"
) -> Response:
    """A page of a game with the rules, or of the question, that its address says.

    Where that is no question, or is not solved yet, the page of the question says so.
    """
    pairs = [pair for pair in request.query_params.multi_items() if pair[0] not in (SEED, AT, RIGHT)]
    run = request.app.state.workers.run
    try:
        question: PageQuestion = await run(read_question, name, pairs)
    except UnknownGame as error:
        raise HTTPException(404, str(error)) from None
    if question.problems:
        return RedirectResponse(f"/{question.game.name}?{request.url.query}", 303)
    game = question.game
    view: View = {
        "game": game.name,
        "title": game.title,
        "rules_line": rules_of(game),
        "problem": "",
        "url": question.url,
    }
    view |= {"rules_query": address.written(address.rules(game)), "others": others(game), "answer": None}
    view["play_query"] = view["rules_query"]
    try:
        view |= await run(work, question)
    except Unsolved:
        return RedirectResponse(question.url, 303)
    except BadInput as error:
        view["problem"] = told(game, str(error))
    status = 400 if view["problem"] else 200
    return templates.TemplateResponse(request, template, view, status, {"Cache-Control": "no-cache"}, media)


@router.get("/{name}/rules")
async def rules(request: Request, name: str) -> Response:
    """How a game is played, with its throws drawn, and what can be agreed on at a table."""
    return await _shown(request, name, "rules.html", _rules)


def _rules(question: PageQuestion) -> View:
    game = question.game
    read = rules_read(game.name, params=game.parameters())
    forms = [field["form"] for field in read["fields"]]
    boxes = {box for form in forms for box in form.get("boxes", ())}  # some are called as throws are written
    faces, line = WELL_KNOWN.get(game.name, ("", ""))
    return {
        "dice": tuple(map(int, faces)),
        "line": line,
        "sentences": [drawn(sentence, boxes) for sentence in SENTENCE.split(told(game, read["rules"]))],
        "rows": [
            (label(game, address.RULE + each["name"])[0], each["help"], _allowed(each["allowed"]))
            for each in read["parameters"]
        ],
        "like": list(game.like),
        "source": read["source_title"],
    }


def _allowed(words: str) -> str:
    return ", ".join(in_words(word) for word in words.split("/"))


def drawn(sentence: str, names: set[str]) -> Markup:
    """A sentence with its throws drawn, but for what is a name.

    >>> drawn("6-6 beats 3-2-1", {"3-2-1"}).count("use href")
    2
    """
    parts = re.split(f"({THROW.pattern})", sentence)
    shown = [
        dice([*map(int, part.split("-"))]) if THROW.fullmatch(part) and part not in names else part for part in parts
    ]
    return Markup(joined(*shown))


@router.get("/{name}/card")
async def the_card(request: Request, name: str) -> Response:
    """How to play well without a computer, on one page to be printed."""
    return await _shown(request, name, "card.html", _card)


def _card(question: PageQuestion) -> View:
    _, *blocks = card_blocks(card(question.game.name, params=question.game.parameters()))  # the page has a title
    return {"blocks": blocks}


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
    return await _shown(request, name, "quiz.html", partial(_asked, seed=seed, at=at or 1, right=right or 0))


def _number(typed: str) -> int | None:
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 7 else None


@lru_cache(KEPT)
def _drawn_up(game: TurnGame, seed: int) -> Quiz:
    return drawn_up(game.name, game.parameters(), seed=seed, look=LOOKED_AT)


def _asked(question: PageQuestion, seed: int, at: int, right: int) -> View:
    game = question.game
    drawn_now = _drawn_up(game, seed)
    positions, count = drawn_now.positions, len(drawn_now.positions)
    right = min(right, at - 1)

    def link(at: int, right: int, move: str = "") -> str:
        pairs = [*address.rules(game), (SEED, str(seed)), (AT, str(at)), (RIGHT, str(right))]
        return f"/{game.name}/quiz?{address.written([*pairs, *([(address.MOVE, move)] if move else [])])}"

    view: View = {"count": count, "at": at, "right": right, "position": None, "lost": None}
    if at > count:
        return {**view, "right": min(right, count)}
    position = positions[at - 1]
    state, advice, mover = position.state, position.advice, position.advice.mover or 0
    names = [
        text("review.you") if seat == mover else text("form.seat", seat=seat)
        for seat in range(kind_of(game).n_seats(game))
    ]
    roll = state.get("roll") or []
    view |= {
        "position": board_of(game, state, mover, names),
        "names": names,
        "mover": mover,
        "dice": [face for face in roll if isinstance(face, int)],
        "choices": [(move, does(move), order(move), link(at, right, move)) for move in position.choices],
        "chosen": "",
    }
    if question.move not in position.choices:
        return view
    is_right = position.is_right(question.move)
    lost = (
        text("quiz.right")
        if is_right
        else text("quiz.lost", loss=loss(position.move(question.move).loss, advice.unit, named=True))
    )
    to_ask = partial(address.query, game, the_fields(game, state))
    return view | {
        "chosen": question.move,
        "lost": lost,
        "is_right": is_right,
        "verdict": verdict(advice),
        "wrong_rules": " ".join(line.strip() for line in rule_lines(position)),
        "blocks": answer_of(advice, question.move, to_ask).blocks,
        "ask": f"/{game.name}?{to_ask(question.move)}",
        "onward": link(at + 1, right + is_right),
    }


# --- an answer to hand on --------------------------------------------------------------------------------------------


@router.get("/{name}/share")
async def share(request: Request, name: str) -> Response:
    """An answer as link, QR code and picture."""
    origin = origin_of(request.headers.raw, request.url.scheme)
    here = bare_host(request.headers["host"]) in HERE

    def work(question: PageQuestion) -> View:
        full, code = origin + question.url, ""
        if len(full) <= LONGEST:
            code = segno.make(full, error="l", micro=False).svg_inline(
                light="#fff", omitsize=True, title=text("share.code")
            )
        query = question.url.partition("?")[2]
        return _pictured(question) | {"full": full, "code": Markup(code), "query": query, "is_here": here}

    return await _shown(request, name, "share.html", work)


@router.get("/{name}/picture.svg")
async def picture(request: Request, name: str) -> Response:
    """What is best, drawn: dice, words and the number."""
    return await _shown(request, name, "picture.html", _pictured, "image/svg+xml")


def _pictured(question: PageQuestion) -> View:
    assert question.position is not None
    game, fields = question.game, question.given
    advice = answer(game, fields, question.position, Extras())
    found = answer_of(advice, "", partial(address.query, game, fields))
    said = " · ".join(f"{label(game, name)[0]} {in_words(value, name)}" for name, value in address.pairs(game, fields))
    return {
        "answer": found,
        "v": found.verdict,
        "lines": wrap(found.verdict.first, WIDE, max_lines=2, placeholder=" …"),
        "said": shorten(said, LINE, placeholder=" …"),
    }
