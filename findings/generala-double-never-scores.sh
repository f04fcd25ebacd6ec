#!/usr/bin/env bash
# Package: generala 2.0.0 (expected scores of Generala), Python 3.11.
# Behaviour: Double Generala scores 0 with five equal dice whatever is open, and so counts for nothing in the expected
#   score that every move is chosen by: its test joins a boolean and the counts of faces by "&" and compares the result
#   with 5, which a bit can never be.
# Hurts: whoever asks the package what to keep while Double Generala (200 points) is open.
# Seen 2026-11-28:
#   generala 100 double 0 expected 0.0
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q --disable-pip-version-check generala==2.0.0 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
from generala.categories import DOUBLE_GENERALA, GENERALA

fives = (0, 0, 0, 0, 5, 0)  # five fives after the second throw
double = [int(DOUBLE_GENERALA.score(fives, 2, categories)) for categories in ((DOUBLE_GENERALA,), (GENERALA, DOUBLE_GENERALA))]
expected = float(DOUBLE_GENERALA.expected_score((0, 0, 0, 0, 4, 1), 2, (DOUBLE_GENERALA,)))
print("generala", int(GENERALA.score(fives, 2, (GENERALA,))), "double", max(double), "expected", expected)
assert double == [0, 0] and expected == 0, "this has changed"
PYTHON
