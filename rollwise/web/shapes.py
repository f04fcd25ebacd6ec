"""What programs get: the shapes of answers, made from the classes that answers are, so that no description drifts.

A shape is a ``TypedDict``, of which FastAPI makes the description of the interface. What is left out where there is
nothing is not required, and further names may stand beside those told here.
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

from rollwise.answers.advice import SOLUTION, Advice
from rollwise.answers.outcomes import OutcomeRow, Outcomes
from rollwise.answers.plan import SolvePlan
from rollwise.answers.review import Review
from rollwise.answers.why import Why
from rollwise.parsing.records import RECORD_SCHEMA
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.jsonable import Jsonable, parts_of
from rollwise.web import jobs


def shape(cls: Any, called: str = "", words: str = "", doc: str | None = None, **more: Any) -> Any:
    """What JSON shows of objects of this class, or by these ``words`` (see ``jsonable``), and ``more`` beside."""
    made: Any = TypedDict(called or cls.__name__, {**_keys(cls, words), **more})  # type: ignore[misc]
    made.__doc__ = doc or (cls.__doc__ or "").split("\n\n")[0]
    return made


_once = cache(shape)  # each class within others has one shape


def _keys(cls: Any, words: str = "") -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for key, name, where in parts_of(cls, words):
        held = _type_of(cls, name)
        if key:
            kind = _as_json(_without_none(held) if where == name else held)
            keys[key] = NotRequired[kind] if where else kind
        elif isinstance(held, type) and issubclass(held, Jsonable):
            keys |= _keys(held)
    return keys


def _type_of(cls: Any, name: str) -> Any:
    """The type of a field, or of a property."""
    held = getattr(cls, name, None)
    return get_type_hints(held.fget)["return"] if isinstance(held, property) else _hints(cls)[name]


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)


def _without_none(kind: Any) -> Any:
    return reduce(or_, [part for part in get_args(kind) if part is not NoneType]) if _is_union(kind) else kind


def _as_json(kind: Any) -> Any:
    """The type of what ``as_json`` makes of values of this type."""
    inside = get_args(kind)
    if get_origin(kind) is Annotated:  # a text that is one of a few
        return inside[1]
    if _is_union(kind):
        return reduce(or_, map(_as_json, inside))
    of: Any = get_origin(kind) or kind
    if isinstance(of, TypeVar):
        return Any
    if of is Literal or of is Any:
        return kind
    if of in (list, tuple):
        return list[_as_json(inside[0])] if inside else list[Any]  # type: ignore[misc]
    if issubclass(of, Mapping):
        return dict[str, _as_json(inside[1])] if inside else dict[str, Any]  # type: ignore[misc]
    if issubclass(of, Fraction):
        return str
    if issubclass(of, Jsonable) and of.plain is not Jsonable.plain:
        return get_type_hints(of.plain)["return"]
    return _once(of) if issubclass(of, Jsonable) or is_dataclass(of) else kind


ANSWER = shape(Advice, "Answer", doc="The moves of a state, best first; in games of luck ``quantities`` instead.")
SOLVED = shape(
    Advice,
    "Solution",
    SOLUTION,
    "What the start of a game is worth, and how that was found.",
    boards=int,
    method=str,
    seconds=float,
    cached=bool,
)
OUTCOMES, WHY, REVIEW = _once(Outcomes), _once(Why), _once(Review)
PLAN = shape(SolvePlan, "Plan", game=str, parameters=dict[str, Any], allowed=bool)
JOB = shape(
    jobs.Job,
    "Job",
    doc="A solve that is under way, or a question that takes longer, with its ``path`` in place of the game; "
    "``/api/jobs/JOB/events`` tells of it. ``share`` is done of it, from 0 to 1.",
)
PROBLEM = shape(
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
    row: _as_json(OutcomeRow | None)  # type: ignore[valid-type]
    waiting: bool
    over: bool
