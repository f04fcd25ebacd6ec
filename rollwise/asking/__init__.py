"""The questions of the package, one module each: their answers, computed from solved games."""
