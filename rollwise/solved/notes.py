"""What is said beside the answer, to the person at the terminal."""

from __future__ import annotations

import sys


def note(text: str) -> None:
    """One line for the person at the terminal, beside the answer."""
    print(f"rollwise: {text}", file=sys.stderr)
