"""What a class shows as JSON is what its words say, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

import rollwise
from rollwise.solver.model.jsonable import Jsonable, parts_of, shown


@dataclass(frozen=True)
class Inner(Jsonable):
    at: tuple[int, ...] = (1, 2)
    chance: Fraction = Fraction(1, 3)


@dataclass(frozen=True)
class Outer(Jsonable):
    JSON = "class=called note? *inner value?(value lower) by"

    called: str = "bust"
    note: str = ""
    inner: Inner = field(default_factory=Inner)
    value: float | None = None
    lower: float = 0.0
    by: dict[int, tuple[Inner, ...]] = field(default_factory=lambda: {4: (Inner(()),)})
    hidden: int = 7


ONE = {"at": [1, 2], "chance": "1/3"}
BY = {"by": {"4": [{"at": [], "chance": "1/3"}]}}


@pytest.mark.parametrize(
    ("of", "told"),
    [
        (Inner(), ONE),
        (Outer(), {"class": "bust", **ONE, **BY}),
        (Outer(note="so", value=0.0), {"class": "bust", "note": "so", **ONE, "value": 0.0, "lower": 0.0, **BY}),
    ],
)
def test_it_shows_what_its_words_say_in_their_order(of: Jsonable, told: dict[str, Any]) -> None:
    assert of.plain() == told
    assert list(of.plain()) == list(told)
    assert shown(of) == of.plain()


@pytest.mark.parametrize("words", ["a-b", "a (b)", "a?(b", "a?b"])
def test_words_that_cannot_be_read_are_a_mistake_of_the_class(words: str) -> None:
    of: Any = Outer
    with pytest.raises(ValueError, match=r"Outer\.JSON cannot be read from '"):
        parts_of(of, words)


def test_whatever_is_shown_is_there() -> None:
    """Every class says names that it has."""

    def below(cls: Any) -> list[Any]:
        return [cls, *(each for inner in cls.__subclasses__() for each in below(inner))]

    for name in rollwise.__all__:
        getattr(rollwise, name)  # loads its module
    classes = [cls for cls in below(Jsonable)[1:] if cls.__module__.startswith("rollwise")]
    assert len(classes) > 20
    for cls in classes:
        has = {*dir(cls), *getattr(cls, "__dataclass_fields__", ()), *getattr(cls, "__annotations__", ())}
        if not issubclass(cls, rollwise.RollwiseError):
            assert {name for part in parts_of(cls) for name in (part.name, part.where or part.name)} <= has, cls
