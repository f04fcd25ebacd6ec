"""Small games that are solved before the browser opens, and the places on the page that every test of all visits."""

from __future__ import annotations

from scripts.browsing import Game

SOLVED: list[Game] = [
    ("pig", {"target": 30}),
    ("shut-the-box", {}),
    ("bluff", {"chips": 2}),
    ("mexico", {"players": 3, "lives": 1}),
    ("zilch", {"goal": 500, "players": 1}),
    ("yahtzee", {}),
    ("drop-dead", {}),
    ("slam", {}),
]

PLACES = {
    "all games": "/",
    "a duel": "/pig?mine=12&theirs=20&turn=8&p.target=30",
    "alone": "/shut-the-box?open=1-9&roll=5,3",
    "a sheet": "/yahtzee?filled=sixes:18,chance:23&roll=2,2,3,4,6&rolls_left=1",
    "a mix": "/bluff?mine=2&theirs=2&total=9&p.chips=2",
    "a table": "/mexico?roll=5,5&rolls_left=1&p.players=3&p.lives=1",
    "luck": "/drop-dead?turn=14&dice=3",
    "a track": "/slam?scores=9,14",
    "a bet": "/high-dice?bank=3,4",
    "a game to play": "/play/pig?p.target=30",
    "hidden dice to play": "/play/bluff?p.chips=2",
    "a record": "/review",
    "a card": "/pig/card?p.target=100",
    "a quiz": "/pig/quiz?p.target=30&seed=3&move=hold",
    "an answer to share": "/pig/share?mine=12&theirs=20&turn=8&p.target=30",
    "what pages are made of": "/components",
}
