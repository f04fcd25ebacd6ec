"""Fields of several controls: joins their pieces to one text, and splits a text into pieces.

The pieces of a set are its members, of a list its places from 0, of a sheet its boxes, of a map its keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.solver.model.fields import Form
from rollwise.solver.model.names import matched

OUT, NONE = "-", "none"
OUT_SUFFIX = ".out"  # of a seat's key: the switch that it is out
SENT_KEY = ""  # key that marks an empty set as sent


def piece_keys(form: Form) -> list[str]:
    """Keys of the pieces in order; empty for a form of one control."""
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


def join_pieces(form: Form, pieces: Mapping[str, str], start: str) -> str:
    """Join pieces to one text in the spelling of the terminal; empty if no piece is filled in.

    >>> from rollwise.solver.model.fields import number_form, seats_form, set_form
    >>> join_pieces(seats_form(3, number_form(0, 9), True), {"0": "4", "1": "", "2.out": "1"}, "5,5,5")
    '4,5,-'
    >>> join_pieces(set_form([1, 2]), {"": "", "2": "1"}, "1,2"), join_pieces(set_form([1, 2]), {"": ""}, "1,2")
    ('2', 'none')
    """
    kind, names = form["form"], piece_keys(form)
    if kind == "set":
        return ",".join(name for name in names if pieces.get(name)) or (NONE if SENT_KEY in pieces else "")
    if kind in ("map", "pairs"):
        return ",".join(f"{name}:{pieces[name]}" for name in names if pieces.get(name))
    if kind == "list":
        return ",".join(pieces[name] for name in names if pieces.get(name))
    if kind != "seats":
        return next(iter(pieces.values()), "")
    parts = [OUT if pieces.get(name + OUT_SUFFIX) else pieces.get(name, "").replace(",", "-") for name in names]
    if not any(parts):
        return ""
    usual = start.split(",") if start.count(",") == len(names) - 1 else [OUT if form["out"] else ""] * len(names)
    return ",".join(one or other for one, other in zip(parts, usual, strict=True))


def split_pieces(form: Form, typed: str) -> dict[str, str] | None:
    """Split a text into its pieces; None if it cannot be split, and is shown as typed.

    >>> from rollwise.solver.model.fields import number_form, seats_form, set_form
    >>> split_pieces(seats_form(2, number_form(0, 9), True), "4,-"), split_pieces(set_form([1, 2, 3]), "1,3")
    ({'0': '4', '1': '-'}, {'1': '1', '3': '1'})
    >>> split_pieces(set_form([1, 2, 3]), "7") is None
    True
    """
    kind, names = form["form"], piece_keys(form)
    parts = [part.strip() for part in typed.split(",")] if typed not in ("", NONE) else []
    if kind in ("seats", "list") and len(parts) <= len(names):
        return dict(zip(names, parts, strict=False))
    if kind == "set":
        members = [matched(part, names) for part in parts]
        return None if None in members else {str(member): "1" for member in members}
    if kind in ("map", "pairs"):
        return _split_pairs(parts, names)
    return None


def _split_pairs(parts: list[str], names: list[str]) -> dict[str, str] | None:
    """Values by key of ``key:value`` parts; None for an unknown or repeated key."""
    values: dict[str, Any] = {}
    for part in parts:
        name, colon, value = part.partition(":")
        key = matched(name.strip(), names)
        if key is None or not colon or key in values:
            return None
        values[key] = value.strip()
    return values
