"""Arguments of public functions, checked against the signatures before anything else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any, TypeVar

from rollwise.cache.loaded import changed_modules
from rollwise.parsing.consent import python_consent
from rollwise.parsing.memory_errors import report_memory_errors
from rollwise.parsing.validate import ARGUMENT_KINDS, as_mapping, parse_argument

Function = TypeVar("Function", bound=Callable[..., Any])


def check_arguments(function: Function) -> Function:
    """The public function or method with its arguments checked against its signature; raises BadInput.

    Mappings and ARGUMENT_KINDS are parsed here, arguments of other types by the function itself. A function with an
    argument ``yes`` may solve: ``rollwise.parsing.consent`` announces large solves and waits for consent.
    """
    kinds = function.__annotations__  # text such as "int | None"; no ``schema`` is needed
    solves = "yes" in kinds
    names = function.__code__.co_varnames[: function.__code__.co_argcount]

    def parse(name: str, value: Any) -> Any:
        kind, is_optional, _ = kinds.get(name, "").partition(" | None")
        if value is None and is_optional:
            return None
        if kind == "Mapping[str, Any]":
            return as_mapping(value, f"{name} is")
        return parse_argument(kind, name, value) if kind in ARGUMENT_KINDS else value

    @wraps(function)
    def checked(*args: Any, **named: Any) -> Any:
        if len(args) > len(names):
            first = ", ".join(names)
            raise TypeError(f"{function.__name__} takes {first} by position, all else by name, as params={{...}}")
        changed_modules()  # memos may not outlive a constant that was changed since the last question
        positional = [*map(parse, names, args), *args[len(names) :]]
        keywords = {name: parse(name, value) for name, value in named.items()}
        with report_memory_errors(), python_consent(keywords.get("yes", False)) if solves else nullcontext():
            return function(*positional, **keywords)

    return checked  # type: ignore[return-value]
