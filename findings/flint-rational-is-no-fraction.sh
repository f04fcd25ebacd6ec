#!/usr/bin/env bash
# Package: python-flint 0.9.0, Python 3.11.
# Behaviour: flint.fmpq(1, 3) == fractions.Fraction(1, 3) is False, without an error, though both hash alike; a
#   dictionary keyed by the one holds nothing for the other, and fmpz(5) == 5.0 is False where 5 == 5.0. Addition and
#   "<" of the same pairs raise TypeError, so the silence of "==" is the exception. (fmpz and int do compare.)
# Hurts: whoever checks FLINT's exact result against Python's Fraction by "==": a right answer is told to be wrong,
#   and "!=" or "not in" lets a wrong one pass for different.
# Seen 2026-11-28:
#   equal False same hash True found None fmpz(5) == 5.0 False sum TypeError
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q --disable-pip-version-check python-flint==0.9.0
"$work/env/bin/python" - <<'PYTHON'
from fractions import Fraction

from flint import fmpq, fmpz

third = fmpq(1, 3)
equal, found = third == Fraction(1, 3), {Fraction(1, 3): "a third"}.get(third)
try:
    total = type(third + Fraction(1, 3)).__name__
except TypeError:
    total = "TypeError"
alike = hash(third) == hash(Fraction(1, 3))
print("equal", equal, "same hash", alike, "found", found, "fmpz(5) == 5.0", fmpz(5) == 5.0, "sum", total)
assert not equal and alike and found is None and fmpz(5) != 5.0 and total == "TypeError", "this has changed"
PYTHON
