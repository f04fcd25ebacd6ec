"""Schemas of JSON answers, derived from the classes of the answers, so that the description cannot drift.

A shape is a ``TypedDict``, which FastAPI describes in the interface. Keys that may be missing are not required, and an
answer may have further keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from fractions import Fraction
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from rollwise.match.review.data import Review
from rollwise.parsing.records import RECORD_SCHEMA
from rollwise.questions.ask.data import SOLUTION, Advice
from rollwise.questions.outcomes.data import OutcomeRow, Outcomes
from rollwise.questions.why.data import Why
from rollwise.solutions.plans import SolvePlan
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.jsonable import Jsonable, parts_of
from rollwise.web import jobs


def json_shape(cls: Any, called: str = "", words: str = "", doc: str | None = None, **more: Any) -> Any:
    """Shape of the JSON of a class, or of these ``words`` (see ``jsonable``), with the keys of ``more``."""
    shape_class: Any = TypedDict(called or cls.__name__, {**_json_keys(cls, words), **more})  # type: ignore[misc]
    shape_class.__doc__ = doc or (cls.__doc__ or "").split("\n\n")[0]
    return shape_class


_cached_shape = cache(json_shape)  # one shape for each nested class


def _json_keys(cls: Any, words: str = "") -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for key, name, where in parts_of(cls, words):
        hint = _type_of(cls, name)
        if key:
            kind = _json_type(_without_none(hint) if where == name else hint)
            keys[key] = NotRequired[kind] if where else kind
        elif isinstance(hint, type) and issubclass(hint, Jsonable):
            keys |= _json_keys(hint)
    return keys


def _type_of(cls: Any, name: str) -> Any:
    """Type of a field or property."""
    member = getattr(cls, name, None)
    return get_type_hints(member.fget)["return"] if isinstance(member, property) else _hints(cls)[name]


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)


def _without_none(kind: Any) -> Any:
    return reduce(or_, [part for part in get_args(kind) if part is not NoneType]) if _is_union(kind) else kind


def _json_type(kind: Any) -> Any:
    """JSON type of a Python type."""
    inside = get_args(kind)
    if get_origin(kind) is Annotated:  # a string of an enumeration
        return inside[1]
    if _is_union(kind):
        return reduce(or_, map(_json_type, inside))
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


ANSWER = json_shape(Advice, "Answer", doc="The moves of a state, best first; in games of luck ``quantities`` instead.")
SOLVED = json_shape(
    Advice,
    "Solution",
    SOLUTION,
    "What the start of a game is worth, and how that was found.",
    boards=int,
    method=str,
    seconds=float,
    cached=bool,
)
OUTCOMES, WHY, REVIEW = _cached_shape(Outcomes), _cached_shape(Why), _cached_shape(Review)
PLAN = json_shape(SolvePlan, "Plan", game=str, parameters=dict[str, Any], allowed=bool)
JOB = json_shape(
    jobs.SolveJob,
    "Job",
    doc="A solve that is under way, or a question that takes longer, with its ``path`` in place of the game; "
    "``/api/jobs/JOB/events`` tells of it. ``share`` is done of it, from 0 to 1.",
)
PROBLEM = json_shape(
    RollwiseError,
    "Problem",
    doc="What is wrong, in one line; ``hint`` is what to do instead, ``field`` names what it is about.",
)


class GameLine(TypedDict):
    """A game in the list."""

    name: str
    title: str
    kind: str
    source: str
    reference: bool


class GameRules(TypedDict):
    """Our reading of a game's rules, its parameters and the fields of a question."""

    game: str
    title: str
    kind: str
    objective: str
    unit: str
    rules_version: int
    parameters: list[dict[str, Any]]
    fields: list[dict[str, Any]]


class MatchAfter(TypedDict):
    """The record after the throw. ``row`` is what was come to; null where a further throw is waited for."""

    record: Annotated[list[dict[str, Any]], WithJsonSchema(RECORD_SCHEMA)]
    row: _json_type(OutcomeRow | None)  # type: ignore[valid-type]
    waiting: bool
    over: bool
