"""OpenSpiel's value iteration of its own Pig, in an environment that has open_spiel only: TARGET RUNS."""

import sys
import time

import pyspiel
from open_spiel.python.algorithms.value_iteration import value_iteration

from scripts.benched.foreign.telling import best, tell

PRECISION = 1e-9  # of values from -1 to 1: what it is told, and calls the maximum error


def main() -> None:
    """One target."""
    target, runs = sys.argv[1:]
    sys.setrecursionlimit(10**7)  # it walks the game by calling itself
    begin = time.process_time()
    game = pyspiel.load_game(f"pig(players=2,winscore={target},horizon=1000000000)")
    build = time.process_time() - begin
    values, times = best(lambda: value_iteration(game, -1, PRECISION, cyclic_game=True), int(runs))
    value = (1 + values[str(game.new_initial_state())]) / 2
    tell("open_spiel", build=build, **times, value=repr(value), stated=PRECISION / 2, states=len(values))


main()
