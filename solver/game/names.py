"""Names as people write them: in any case, with spaces, hyphens or underscores; answers have the one spelling."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

LONGEST = 60  # characters of a name that are looked at to guess what was meant
BETWEEN = re.compile(r"[\s_–—'’-]+")


def folded(name: str) -> str:
    """A name without what people write in different ways.

    >>> folded("Full_House"), folded("3-2-1"), folded("piggy six") == folded("Piggy-Six")
    ('fullhouse', '321', True)
    """
    return BETWEEN.sub("", name.casefold())


def matched(name: object, known: Iterable[str]) -> str | None:
    """The one of the ``known`` names that is meant, as it is spelt there; None where it is none of them, or two.

    >>> matched("Rolls Left", ["roll", "rolls_left"]), matched("rolls", ["roll", "rolls_left"])
    ('rolls_left', None)
    """
    if not isinstance(name, str):
        return None
    found = list(known)
    if name in found:
        return name
    alike = [other for other in found if folded(other) == folded(name)]
    return alike[0] if len(alike) == 1 else None


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, if any is."""
    spelt = {folded(other): other for other in known}
    near = difflib.get_close_matches(folded(name[:LONGEST]), spelt, n=1) if isinstance(name, str) else []
    return spelt[near[0]] if near else None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """That guess as an error tells it, with a space before it; empty where nothing is like it.

    >>> did_you_mean("their", ["mine", "theirs"])
    " (did you mean 'theirs'?)"
    """
    near = nearest(name, known)
    return f" (did you mean '{near}'?)" if near else ""
