#!/usr/bin/env bash
# Package: mdpsolver 0.10.2, Python 3.11, Linux x86-64.
# Behaviour: a Markov decision process without discount (discount=1.0, which every dice game has) is refused by
#   sys.exit inside the library. That is SystemExit, no Exception: "except Exception" does not catch it, and the
#   caller's process ends where an error was expected. So for every option that the library does not know.
# Hurts: programs that try several solvers or discounts in one run, servers, notebooks' test runners.
# Seen 2026-11-28:
#   exit status 1; after "except Exception": nothing printed
#   Error: The discount needs to be in the interval between 0.0 and 1.0 (i.e. 0 < discount < 1).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q --disable-pip-version-check mdpsolver==0.10.2
cat > "$work/program.py" <<'PYTHON'
import mdpsolver

model = mdpsolver.model()
try:  # one state that pays 1 and ends in another, which pays nothing
    model.mdp(discount=1.0, rewards=[[1.0], [0.0]], tranMatWithZeros=[[[0.0, 1.0]], [[0.0, 1.0]]])
except Exception as error:
    print("caught", error)
print("the program goes on")
PYTHON
status=0
"$work/env/bin/python" "$work/program.py" > "$work/out" 2> "$work/err" || status=$?
echo "exit status $status; standard output: $(wc -c < "$work/out") bytes"
cat "$work/err"
[ "$status" -eq 1 ] && [ ! -s "$work/out" ] && grep -q "0 < discount < 1" "$work/err"
