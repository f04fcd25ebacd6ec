#!/usr/bin/env bash
# Package: stormpy 2.0.0 (Storm's Python bindings), Python 3.11, Linux x86-64.
# Behaviour: under environments.sound() with interval iteration a model without cycles is answered with a lower and an
#   upper bound that are the same float, while the exact value, which the same Storm gives as a fraction, is another
#   number: rounding is not part of the bounds, so "sound" holds in real arithmetic only. Here: at least one six in 25
#   throws, 1 - (5/6)^25; the point is some 2e-16 beside it, and not the float nearest to it either.
# Hurts: whoever compares intervals to call a move proved best, or feeds the bounds into the next component.
# Seen 2026-11-28:
#   lower 0.9895174039896037 upper 0.9895174039896037 nearest float 0.9895174039896039 inside False
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q --disable-pip-version-check stormpy==2.0.0
cat > "$work/six.prism" <<'MODEL'
mdp
module throws
  n : [0..25] init 0;
  six : [0..1] init 0;
  [throw] n < 25 -> 5/6 : (n' = n + 1) + 1/6 : (six' = 1) & (n' = 25);
  [stop] n = 25 -> true;
endmodule
MODEL
"$work/env/bin/python" - "$work/six.prism" <<'PYTHON'
import sys
from fractions import Fraction

import stormpy
from stormpy import environments

program = stormpy.parse_prism_program(sys.argv[1])
formula = stormpy.parse_properties("Pmax=? [F six=1]", program)


def checked(model, environment):
    return stormpy.model_checking(model, formula[0], environment=environment)[model.initial_states[0]]


sound = environments.sound()
sound.solver().min_max().method = environments.MinMaxMethod.INTERVAL_ITERATION
interval = checked(stormpy.build_model(program, formula), sound)
exact = Fraction(str(checked(stormpy.build_model[stormpy.Rational](program, formula), environments.exact()).value))
assert exact == 1 - Fraction(5, 6) ** 25
lower, upper = float(str(interval.lower)), float(str(interval.upper))
inside = Fraction(str(interval.lower)) <= exact <= Fraction(str(interval.upper))
print("lower", lower, "upper", upper, "nearest float", float(exact), "inside", inside)
assert lower == upper and not inside and lower != float(exact), "this has changed"
PYTHON
