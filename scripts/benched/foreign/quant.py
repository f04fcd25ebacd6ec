"""QuantEcon's discrete dynamic programs, in an environment that has quantecon only: MODEL.npz SENSE METHOD RUNS."""

import sys
import time
import warnings
from typing import Any

import numpy as np
from quantecon.markov import DiscreteDP, backward_induction
from scipy.sparse import csr_matrix

from scripts.benched.foreign.telling import best, tell

DISCOUNT = 1 - 1e-13  # a discount of 1 it takes for a finite horizon only
HORIZON = 200


def main() -> None:
    """One method."""
    path, sense, method, runs = sys.argv[1:]
    begin = time.process_time()
    model = np.load(path)
    sign = 1 if sense == "max" else -1
    choices, entries, total = model["choices"], model["entries"], model["total"]
    states, chances = len(choices) - 1, model["weight"] / np.repeat(total, np.diff(entries))
    moves = csr_matrix((chances, model["target"], entries), shape=(len(total), states))
    of_state = np.repeat(np.arange(states), np.diff(choices))
    number = np.arange(len(total)) - choices[of_state]
    warnings.simplefilter("ignore")
    discount = 1 if method == "backward" else DISCOUNT
    program = DiscreteDP(sign * model["earned"], moves, discount, of_state, number)
    build = time.process_time() - begin

    def solve() -> Any:
        if method == "backward":
            return backward_induction(program, HORIZON)[0][0]
        more = {"max_iter": 40, "k": 20, "epsilon": 0} if method == "modified_policy_iteration" else {}
        return program.solve(method, v_init=np.zeros(states), **more).v

    values, times = best(solve, int(runs))
    tell("quantecon", build=build, **times, value=str(sign * float(values[1])))


main()
