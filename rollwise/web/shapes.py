"""Schemas of JSON answers, derived from the classes of the answers, so that the description cannot drift.

A shape is a ``TypedDict``, which FastAPI describes in the interface. Keys that may be missing are not required, and an
answer may have further keys.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, is_dataclass
from fractions import Fraction
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from rollwise.parsing.records import RECORD_SCHEMA
from rollwise.questions.ask.data import OF_MOVES, Advice
from rollwise.questions.outcomes.data import OutcomeRow
from rollwise.solutions.plans import SolvePlan
from rollwise.solver.model.jsonable import Jsonable, as_json, keys_of
from rollwise.web.jobs import State


def json_shape(cls: Any, called: str = "", doc: str = "", without: Collection[str] = (), **more: Any) -> Any:
    """Shape of the JSON of a class, ``without`` some of its keys, and with the keys of ``more``."""
    keys = {name: kind for name, kind in _json_keys(cls).items() if name not in without}
    return _shape(called or cls.__name__, doc or (cls.__doc__ or "").split("\n\n")[0], **keys, **more)


def _shape(called: str, doc: str, **keys: Any) -> Any:
    shape_class: Any = TypedDict(called, keys)  # type: ignore[misc]
    shape_class.__doc__ = doc
    return shape_class


_cached_shape = cache(json_shape)  # one shape for each nested class


def _json_keys(cls: Any) -> dict[str, Any]:
    hints, keys = get_type_hints(cls, include_extras=True), dict[str, Any]()
    for each in keys_of(cls):
        hint, may_miss = hints[each.name], each.default is not MISSING or bool(each.when)
        if not each.key:
            keys |= _json_keys(hint)
            continue
        if each.show is not as_json:
            kind = get_type_hints(each.show)["return"]
        else:
            kind = _json_type(hint, with_none=each.default is not None or bool(each.when))
        keys[each.key] = NotRequired[kind] if may_miss else kind
    return keys


def _json_type(kind: Any, *, with_none: bool = True) -> Any:
    """JSON type of a Python type."""
    inside = get_args(kind)
    if get_origin(kind) is Annotated:  # a string of an enumeration
        return inside[1]
    if get_origin(kind) in (Union, UnionType):
        return reduce(or_, [_json_type(part) for part in inside if with_none or part is not NoneType])
    of: Any = get_origin(kind) or kind
    if isinstance(of, TypeVar):
        return Any
    if of is Literal or of is Any:
        return kind
    if of in (list, tuple):
        return list[_json_type(inside[0])] if inside else list[Any]  # type: ignore[misc]
    if issubclass(of, Mapping):
        return dict[str, _json_type(inside[1])] if inside else dict[str, Any]  # type: ignore[misc]
    if issubclass(of, Fraction):
        return str
    if issubclass(of, Jsonable) and of.plain is not Jsonable.plain:
        return get_type_hints(of.plain)["return"]
    return _cached_shape(of) if issubclass(of, Jsonable) or is_dataclass(of) else kind


def shape_of_answer(function: Callable[..., Any]) -> Any:
    """Shape of the JSON of what a public function returns."""
    return _json_type(get_type_hints(function)["return"])


ANSWER = json_shape(Advice, "Answer", "The moves of a state, best first; in games of luck ``quantities`` instead.")
SOLVED = json_shape(
    Advice,
    "Solution",
    "What the start of a game is worth, and how that was found.",
    OF_MOVES,
    boards=int,
    method=str,
    seconds=float,
    cached=bool,
)
PLAN = json_shape(SolvePlan, "Plan", game=str, parameters=dict[str, Any], allowed=bool)
Plain = dict[str, Any]
Job = _shape(
    "Job",
    "A solve that is under way, or a question that takes longer, with its ``path`` in place of the game;\n"
    "``/api/jobs/JOB/events`` tells of it. ``share`` is done of it, from 0 to 1.",
    job=str,
    game=NotRequired[str],
    parameters=NotRequired[Plain],
    path=NotRequired[str],
    state=State,
    share=float,
    seconds=float,
    compiling=NotRequired[bool],
    place=NotRequired[int],
    left=NotRequired[float],
    message=NotRequired[str],
)
Problem = _shape(
    "Problem",
    "What is wrong, in one line; ``hint`` is what to do instead, ``field`` names what it is about.",
    **dict.fromkeys(("error", "message"), str),
    **dict.fromkeys(("hint", "field"), NotRequired[str]),
)
GameLine = _shape(
    "GameLine", "A game in the list.", **dict.fromkeys(("name", "title", "kind", "source"), str), reference=bool
)
GameRules = _shape(
    "GameRules",
    "Our reading of a game's rules, its parameters and the fields of a question.",
    **dict.fromkeys(("game", "title", "kind", "objective", "unit"), str),
    rules_version=int,
    **dict.fromkeys(("parameters", "fields"), list[Plain]),
)
MatchAfter = _shape(
    "MatchAfter",
    "The record after the throw. ``row`` is what was come to; null where a further throw is waited for.",
    record=Annotated[list[Plain], WithJsonSchema(RECORD_SCHEMA)],
    row=_json_type(OutcomeRow | None),
    waiting=bool,
    over=bool,
)
