"""Storm on an explicit model, in an environment that has stormpy only: MODEL.drn PROPERTY METHOD RUNS."""

import sys
import time
from typing import Any

import stormpy
from stormpy import environments

from scripts.benched.foreign.telling import best, tell

METHODS = {"plain": "VALUE_ITERATION", "interval": "INTERVAL_ITERATION"}


def environment(method: str) -> Any:
    """Storm's own settings: by default nothing proved (``plain``), its sound choice, intervals, or fractions."""
    if method in ("sound", "exact"):
        return getattr(environments, method)()
    chosen = environments.Environment() if method == "plain" else environments.sound()
    found = chosen.solver().min_max()
    found.method = environments.MinMaxMethod[METHODS[method]]
    if method == "interval":
        found.precision = stormpy.Rational("1/1000000000")
    return chosen


def main() -> None:
    """One method."""
    path, wanted, method, runs = sys.argv[1:]
    begin = time.process_time()
    model = stormpy.build_model_from_drn[stormpy.Rational if method == "exact" else float](path)
    build = time.process_time() - begin
    asked = stormpy.parse_properties(wanted)[0]
    chosen = environment(method)
    result, times = best(lambda: stormpy.model_checking(model, asked, environment=chosen), int(runs))
    found = result[model.initial_states[0]]
    told = {"value": str(found.value)}
    if found.has_lower and found.has_upper:
        told |= {"lower": str(found.lower), "upper": str(found.upper)}
    if method == "plain":
        told["stated"] = 1e-6 * found.value  # its precision, relative
    tell("stormpy", build=build, **times, **told)


main()
