"""Moves in words: as infinitive, imperative and gerund, and the sentence that answers a question."""

from __future__ import annotations

from rollwise.solver.model.moves import parse_move

INFINITIVES = {"one die": "throw one die", "two dice": "throw two dice"}
GERUNDS = {
    "roll": "rolling",
    "hold": "holding",
    "stop": "stopping",
    "leave": "leaving",
    "one die": "throwing one die",
    "two dice": "throwing two dice",
    "post": "posting",
    "go on": "going on",
    "pass": "passing",
    "accept": "accepting",
    "challenge": "challenging",
}
VERB_GERUNDS = {
    "roll": "rolling",
    "keep": "keeping",
    "score": "scoring",
    "shut": "shutting",
    "place": "placing",
    "cross": "crossing",
    "call": "calling",
}


def infinitive(move: str) -> str:
    """The move as an infinitive.

    >>> infinitive("roll"), infinitive("roll 2"), infinitive("one die")
    ('roll', 'roll 2 dice', 'throw one die')
    """
    return INFINITIVES.get(move, move) + _dice(move)


def imperative(move: str) -> str:
    """The move as an imperative: ``Roll``, ``Keep 5 5``."""
    text = infinitive(move)
    return text[:1].upper() + text[1:]


def _dice(move: str) -> str:
    """The word for dice that follows ``roll 2``; empty for other moves."""
    done = parse_move(move)
    return "" if done.kind != "roll" or not done.dice else " die" if done.dice == (1,) else " dice"


def gerund(move: str) -> str:
    """The move as a gerund.

    >>> gerund("hold"), gerund("keep 5 5"), gerund("roll 1")
    ('holding', 'keeping 5 5', 'rolling 1 die')
    """
    verb, _, rest = move.partition(" ")
    rest += _dice(move)
    return GERUNDS.get(move) or (f"{VERB_GERUNDS[verb]} {rest}" if verb in VERB_GERUNDS and rest else f"'{move}'")
