"""Values in pieces: a field of several controls as one text, and a text in the pieces that the controls hold.

The pieces of a set are its members, of a list its places from 0, of a sheet its boxes, of pairs their keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.solver.model.fields import Form
from rollwise.solver.model.names import matched

OUT, NONE = "-", "none"
GONE = ".out"  # behind a seat's number: is it out?
IS_SENT = ""  # the key that says that a set was sent, though nothing of it is chosen


def keys(form: Form) -> list[str]:
    """The keys of the pieces, in order; empty for a form of one control."""
    kind = form["form"]
    if kind == "set":
        return [str(member) for member in form["of"]]
    if kind == "map":
        return list(form["boxes"])
    if kind == "pairs":
        return [str(key) for key in range(form["keys"]["low"], form["keys"]["high"] + 1)]
    if kind in ("seats", "list"):
        return [str(place) for place in range(form["count"] if kind == "seats" else form["most"])]
    return []


def joined(form: Form, pieces: Mapping[str, str], start: str) -> str:
    """The pieces as one text, as it is typed; empty where nothing was filled in.

    >>> from rollwise.solver.model.fields import number_form, seats_form, set_form
    >>> joined(seats_form(3, number_form(0, 9), True), {"0": "4", "1": "", "2.out": "1"}, "5,5,5")
    '4,5,-'
    >>> joined(set_form([1, 2]), {"": "", "2": "1"}, "1,2"), joined(set_form([1, 2]), {"": ""}, "1,2")
    ('2', 'none')
    """
    kind, names = form["form"], keys(form)
    if kind == "set":
        return ",".join(name for name in names if pieces.get(name)) or (NONE if IS_SENT in pieces else "")
    if kind in ("map", "pairs"):
        return ",".join(f"{name}:{pieces[name]}" for name in names if pieces.get(name))
    if kind == "list":
        return ",".join(pieces[name] for name in names if pieces.get(name))
    if kind != "seats":
        return next(iter(pieces.values()), "")
    parts = [OUT if pieces.get(name + GONE) else pieces.get(name, "").replace(",", "-") for name in names]
    if not any(parts):
        return ""
    usual = start.split(",") if start.count(",") == len(names) - 1 else [OUT if form["out"] else ""] * len(names)
    return ",".join(one or other for one, other in zip(parts, usual, strict=True))


def apart(form: Form, typed: str) -> dict[str, str] | None:
    """The pieces of a text, as far as they can be told apart; None where they cannot, and it is shown as it is.

    >>> from rollwise.solver.model.fields import number_form, seats_form, set_form
    >>> apart(seats_form(2, number_form(0, 9), True), "4,-"), apart(set_form([1, 2, 3]), "1,3")
    ({'0': '4', '1': '-'}, {'1': '1', '3': '1'})
    >>> apart(set_form([1, 2, 3]), "7") is None
    True
    """
    kind, names = form["form"], keys(form)
    parts = [part.strip() for part in typed.split(",")] if typed not in ("", NONE) else []
    if kind in ("seats", "list") and len(parts) <= len(names):
        return dict(zip(names, parts, strict=False))
    if kind == "set":
        members = [matched(part, names) for part in parts]
        return None if None in members else {str(member): "1" for member in members}
    if kind in ("map", "pairs"):
        return _pairs(parts, names)
    return None


def _pairs(parts: list[str], names: list[str]) -> dict[str, str] | None:
    """``key:value`` parts by the keys as the form has them."""
    values: dict[str, Any] = {}
    for part in parts:
        name, colon, value = part.partition(":")
        key = matched(name.strip(), names)
        if key is None or not colon or key in values:
            return None
        values[key] = value.strip()
    return values
