"""Pages about a game: rules, card, quiz, and an answer to share as link, QR code and picture.

The server stores nothing: the address of a quiz has its seed, the number of the question and the right answers.
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

from rollwise.games.cards import list_cards
from rollwise.parsing.validate import parse_fields
from rollwise.questions.ask.text import UNREACHABLE
from rollwise.questions.card.compute import card
from rollwise.questions.card.text import card_blocks
from rollwise.questions.catalogue import rules as rules_read
from rollwise.questions.quiz.compute import N_SEEDS, make_quiz
from rollwise.questions.quiz.data import Quiz
from rollwise.questions.quiz.text import rule_lines
from rollwise.solutions.lookup import Unsolved
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, UnknownGame
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.moves import parse_move
from rollwise.text.html import dice, join_html
from rollwise.text.moves import infinitive
from rollwise.text.numbers import cost, page_places
from rollwise.web import address
from rollwise.web.answers import answer_of
from rollwise.web.guard import bare_host, origin_of, require_can_open
from rollwise.web.home import no_game
from rollwise.web.labels import RULE, in_words, label, relabel, text
from rollwise.web.page_question import PageQuestion, read_question
from rollwise.web.play_view import board_of, table_dice
from rollwise.web.setup import rules_line
from rollwise.web.templating import templates

router = APIRouter(include_in_schema=False)
View: TypeAlias = dict[str, Any]
SEED_KEY, AT_KEY, RIGHT_KEY = "seed", "at", "right"  # parameters of a quiz address
QUIZ_CANDIDATES = 20  # decisions examined for the hardest ones: more would take many seconds
ANSWER_TEMPLATES = ("share.html", "picture.html")
QUIZ_CACHE_SIZE = 64  # quizzes
MAX_QR_CHARS = 1000  # of an address in a QR code
SENTENCE_END = re.compile(r"(?<=[.!?]) ")
THROW_PATTERN = re.compile(r"(?<![\w-])([1-6](?:-[1-6])+)(?![\w-])")  # as in rules: 6-6 or 1-2-3
PICTURE_LINE_CHARS, PICTURE_FOOTER_CHARS = 32, 72  # of a line of a picture, and of its footer
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def other_pages(game: TurnGame) -> list[str]:
    """Names of the other pages of a game."""
    has_card, has_quiz = game.name in list_cards(), kind_of(game).has_decisions
    return ["rules", *(["card"] if has_card else []), *(["quiz"] if has_quiz else [])]


async def _about_page(
    request: Request,
    name: str,
    template: str,
    work: Callable[[PageQuestion], View],
    media: str = "text/html",
    late_key: str = "",
) -> Response:
    """Page about a game with the rules, or about the question, of its address.

    An invalid question, an unsolved game and a question without an answer to share redirect to the question's page.
    """
    pairs = [pair for pair in request.query_params.multi_items() if pair[0] not in (SEED_KEY, AT_KEY, RIGHT_KEY)]
    workers = request.app.state.workers
    try:
        question: PageQuestion = await workers.run(read_question, name, pairs)
        if question.problems:
            return RedirectResponse(f"/{question.game.name}?{address.encode_pairs(pairs)}", 303)
        view, status = await workers.run(work, question, late_key=late_key), 200
    except UnknownGame:
        raise HTTPException(404, no_game(name)) from None
    except Unsolved:
        return RedirectResponse(question.url, 303)
    except BadInput as error:
        if template in ANSWER_TEMPLATES:
            return RedirectResponse(question.url, 303)
        view, status = {"problem": relabel(question.game, str(error))}, 400
    game = question.game
    view = {"problem": "", "game": game.name, "title": game.title, "url": question.url} | view
    view["others"] = [page for page in other_pages(game) if f"{page}.html" != template]
    view |= {"rules_line": rules_line(game), "rules_query": address.encode_pairs(address.rule_pairs(game))}
    return templates.TemplateResponse(request, template, view, status, {"Cache-Control": "no-cache"}, media)


@router.get("/{name}/rules")
async def rules(request: Request, name: str) -> Response:
    """Rules of a game with drawn dice, and its rule parameters."""
    return await _about_page(request, name, "rules.html", _rules_view)


def _rules_view(question: PageQuestion) -> View:
    game = question.game
    read = rules_read(game.name, params=game.parameters())
    boxes = {box for field in read["fields"] for box in field["form"].get("boxes", ())}
    _, faces, line = game.picture or (0, "", "")
    rows = [
        (
            label(game, RULE + each["name"])[0],
            each["help"],
            ", ".join(map(in_words, each["allowed"].split("/"))),
        )
        for each in read["parameters"]
    ]
    sentences = [draw_throws(each, boxes) for each in SENTENCE_END.split(relabel(game, read["rules"], of_rules=True))]
    view = {"dice": tuple(map(int, faces)), "line": line, "sentences": sentences, "rows": rows}
    names = {differs: [other for other, same in game.like if same == differs] for _, differs in game.like}
    return view | {"like": names, "source": read["source_title"]}


def draw_throws(sentence: str, names: Container[str]) -> Markup:
    """A sentence with its throws as drawn dice, except in names of boxes.

    >>> draw_throws("6-6 beats 3-2-1", {"3-2-1"}).count("use href")
    2
    """
    parts = [(part, place % 2 and part not in names) for place, part in enumerate(THROW_PATTERN.split(sentence))]
    return Markup(join_html(*(dice([*map(int, part.split("-"))]) if is_drawn else part for part, is_drawn in parts)))


@router.get("/{name}/card")
async def card_page(request: Request, name: str) -> Response:
    """Printable card: how to play well without a computer."""
    return await _about_page(request, name, "card.html", _card_view)


def _card_view(question: PageQuestion) -> View:
    return {
        "blocks": card_blocks(card(question.game.name, params=question.game.parameters()), "")[1:]
    }  # without the title


# --- the quiz --------------------------------------------------------------------------------------------------------


@router.get("/{name}/quiz")
async def quiz(request: Request, name: str) -> Response:
    """A position of a quiz with its moves; with a move in the address, its loss."""
    query_params = request.query_params
    seed, at, right = (_parse_number(query_params.get(key, "")) for key in (SEED_KEY, AT_KEY, RIGHT_KEY))
    if seed is None:  # a new quiz
        rules = [pair for pair in query_params.multi_items() if pair[0].startswith(RULE)]
        query = address.encode_pairs([*rules, (SEED_KEY, str(secrets.randbelow(N_SEEDS)))])
        return RedirectResponse(f"/{name}/quiz?{query}", 303, {"Cache-Control": "no-store"})
    require_can_open(request)
    work = partial(_quiz_view, seed=seed, at=at or 1, right=right or 0)
    return await _about_page(request, name, "quiz.html", work, late_key=f"{name} quiz")


def _parse_number(typed: str) -> int | None:
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 7 else None


@lru_cache(QUIZ_CACHE_SIZE)
def _quiz_of(game: TurnGame, seed: int) -> Quiz:
    return make_quiz(game.name, game.parameters(), seed=seed, look=QUIZ_CANDIDATES)


def _quiz_view(question: PageQuestion, seed: int, at: int, right: int) -> View:
    game, positions = question.game, _quiz_of(question.game, seed).positions
    view: View = {"count": len(positions), "at": at, "right": min(right, at - 1, len(positions)), "lost": ""}
    if at > len(positions):
        return view
    position, base = positions[at - 1], [*address.rule_pairs(game), (SEED_KEY, str(seed))]

    def link(at: int, right: int, *move: tuple[str, str]) -> str:
        return f"/{game.name}/quiz?{address.encode_pairs([*base, (AT_KEY, str(at)), (RIGHT_KEY, str(right)), *move])}"

    state, mover = position.state, position.advice.mover or 0
    seats = range(kind_of(game).n_seats(game))
    names = [text("review.you") if seat == mover else text("form.seat", seat=seat) for seat in seats]
    view |= {"names": names, "mover": mover, "board": board_of(game, state, mover, names)}
    view["dice"] = table_dice(state)
    if (move := question.move) not in position.choices:
        moves = [
            (parse_move(move), infinitive(move), link(at, view["right"], (address.MOVE_KEY, move)))
            for move in position.choices
        ]
        return view | {"moves": moves}
    advice, to_ask = position.advice, partial(address.query_string, game, parse_fields(game, state))
    is_right, digits = position.is_right(move), page_places(advice.moves[0].value, advice.unit)
    page_answer, lost = answer_of(advice, move, to_ask), cost(position.move(move).loss, advice.unit, digits)
    return view | {
        "lost": text("quiz.right") if is_right else text("quiz.lost", loss=lost),
        "is_right": is_right,
        "verdict": page_answer.verdict,
        "wrong_rules": " ".join(map(str.strip, rule_lines(position, digits))),
        "blocks": page_answer.blocks,
        "ask": f"/{game.name}?{to_ask(move)}",
        "onward": link(at + 1, view["right"] + is_right),
    }


# --- an answer to hand on --------------------------------------------------------------------------------------------


@router.get("/{name}/share")
async def share(request: Request, name: str) -> Response:
    """An answer as link, QR code and picture."""

    def work(question: PageQuestion) -> View:
        full = origin_of(request) + question.url
        is_here = bare_host(request.headers["host"]) in LOCAL_HOSTS  # which no phone can reach
        code = segno.make(full, error="l", micro=False) if len(full) <= MAX_QR_CHARS and not is_here else None
        svg = code.svg_inline(light="#fff", omitsize=True, title=text("share.code")) if code else ""
        view = {"full": full, "code": Markup(svg), "query": question.url.partition("?")[2]}
        return _picture_view(question) | view | {"is_here": is_here}

    return await _about_page(request, name, "share.html", work)


@router.get("/{name}/picture.svg")
async def picture(request: Request, name: str) -> Response:
    """The verdict as a picture: dice, words and the number."""
    return await _about_page(request, name, "picture.html", _picture_view, "image/svg+xml")


def _picture_view(question: PageQuestion) -> View:
    game, fields, advice = question.game, question.values, question.advice()
    verdict = answer_of(advice, "", partial(address.query_string, game, fields)).verdict
    question_text = (
        UNREACHABLE
        if not advice.reachable
        else " · ".join(
            f"{label(game, name)[0]} {in_words(value, name)}" for name, value in address.query_pairs(game, fields)
        )
    )
    lines = wrap(verdict.first, PICTURE_LINE_CHARS, max_lines=2, placeholder=" …")
    return {
        "verdict": verdict,
        "lines": lines,
        "footer": shorten(question_text, PICTURE_FOOTER_CHARS, placeholder=" …"),
    }
