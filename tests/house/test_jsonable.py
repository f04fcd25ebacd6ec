"""What a class shows as JSON is what its fields say, and nothing else; the description of the interface agrees."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field
from fractions import Fraction
from typing import Any, NotRequired, get_type_hints

import pytest

import rollwise
from rollwise.solver.model.jsonable import HIDDEN, SPREAD, Jsonable, keys_of


@dataclass(frozen=True)
class Inner(Jsonable):
    at: tuple[int, ...]
    chance: Fraction


def half(number: int) -> float:
    return number / 2


@dataclass(frozen=True, kw_only=True)
class Outer(Jsonable):
    called: str = field(metadata={"key": "class"})
    note: str = ""
    inner: Inner = field(metadata=SPREAD)
    value: float | None = None
    exact: str | None = field(default=None, metadata={"when": "value"})
    by: dict[int, tuple[Inner, ...]] = field(default_factory=dict)
    twice: int = field(metadata={"show": half})
    hidden: int = field(default=7, metadata=HIDDEN)


ONE = Inner((1, 2), Fraction(1, 3))
HOW: dict[str, Any] = {"called": "bust", "inner": ONE, "twice": 3}
TOLD = {"at": [1, 2], "chance": "1/3"}


@pytest.mark.parametrize(
    ("of", "told"),
    [
        (ONE, TOLD),
        (Outer(**HOW), {"class": "bust", **TOLD, "twice": 1.5}),
        (Outer(**HOW, exact="0", hidden=8), {"class": "bust", **TOLD, "twice": 1.5}),
        (
            Outer(**HOW, note="so", value=0.0, by={4: (ONE,)}),
            {"class": "bust", "note": "so", **TOLD, "value": 0.0, "exact": None, "by": {"4": [TOLD]}, "twice": 1.5},
        ),
    ],
)
def test_it_shows_what_its_fields_say_in_their_order(of: Jsonable, told: dict[str, Any]) -> None:
    assert of.plain() == told
    assert list(of.plain()) == list(told)


def test_the_description_is_of_the_same_keys() -> None:
    from rollwise.web.shapes import json_shape  # here: pydantic takes long to load

    hints = get_type_hints(json_shape(Outer), include_extras=True)
    by = hints.pop("by")
    assert by.__origin__ is NotRequired
    assert hints == {
        "class": str,
        "note": NotRequired[str],
        "at": list[int],
        "chance": str,
        "value": NotRequired[float],
        "exact": NotRequired[str | None],
        "twice": float,
    }


def test_whatever_is_declared_is_there() -> None:
    """Every class declares options that there are, of attributes that it has."""

    def below(cls: Any) -> list[Any]:
        return [cls, *(each for inner in cls.__subclasses__() for each in below(inner))]

    for name in rollwise.__all__:
        getattr(rollwise, name)  # loads its module
    classes = [cls for cls in below(Jsonable)[1:] if cls.__module__.startswith("rollwise")]
    assert len(classes) > 20
    for cls in classes:
        has, keys = {*dir(cls), *cls.__dataclass_fields__}, [each for each in keys_of(cls) if each.key]
        assert {each.when for each in keys if each.when} <= has, cls
        assert len({each.key for each in keys}) == len(keys), cls
        assert all(not each.when or each.default is not MISSING for each in keys), cls
