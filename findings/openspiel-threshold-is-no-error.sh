#!/usr/bin/env bash
# Package: open_spiel 2.0.2 (with cvxpy 1.9.3, which its value iteration imports), Python 3.11, Linux x86-64.
# Behaviour: open_spiel.python.algorithms.value_iteration takes a threshold that its docstring calls the maximum error.
#   On a game with cycles it stops once one sweep changes no value by more, which bounds nothing: in Pig for two to 20
#   the value of the start is off by more than twice the threshold asked for.
# Hurts: whoever believes the digits, or calls two moves apart whose values differ by more than the threshold.
# Truth: 15116544/24557443 for whoever begins, as a win; by fractions (policy iteration and a check of every Bellman
#   inequality). As a return from -1 to 1: 2 p - 1.
# Seen 2026-11-28:
#   threshold 1e-09 error 2.29e-09
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q --disable-pip-version-check open_spiel==2.0.2 cvxpy==1.9.3
"$work/env/bin/python" - <<'PYTHON'
import sys
from fractions import Fraction

import pyspiel
from open_spiel.python.algorithms import value_iteration

sys.setrecursionlimit(10**6)  # it walks the game by calling itself
threshold = 1e-9
game = pyspiel.load_game("pig(players=2,winscore=20,horizon=1000000)")
values = value_iteration.value_iteration(game, -1, threshold, cyclic_game=True)
truth = 2 * Fraction(15116544, 24557443) - 1
error = abs(Fraction(values[str(game.new_initial_state())]) - truth)
print("threshold", threshold, "error", f"{float(error):.2e}")
assert error > 2 * Fraction(threshold), "this has changed"
PYTHON
