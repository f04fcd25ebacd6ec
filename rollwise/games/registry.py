"""The games: one file each, read like its rules, found by name when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeAlias

from rollwise.solver.model.errors import ModelError, UnknownGame, UnknownName
from rollwise.solver.model.game import Game
from rollwise.solver.model.names import matched, nearest
from rollwise.solver.model.plain import plain, quoted


@dataclass(frozen=True)
class Listed:
    """One line of the registry: where a game's class stands, and whether it is one of the 25 of the rule sheets."""

    name: str
    module: str
    cls: str
    title: str
    reference: bool = False


REGISTRY = {
    listed.name: listed
    for listed in (
        Listed("421", "rollwise.games.four_two_one", "FourTwoOne", "421"),
        Listed("aces-in-the-pot", "rollwise.games.aces_in_the_pot", "AcesInThePot", "Aces in the Pot"),
        Listed("big-six", "rollwise.games.big_six", "BigSix", "Big Six"),
        Listed("bluff", "rollwise.games.bluff", "Bluff", "Bluff"),
        Listed("bouncer", "rollwise.games.bouncer", "Bouncer", "Bouncer"),
        Listed("busted", "rollwise.games.busted", "Busted", "Busted"),
        Listed("cameroon", "rollwise.games.cameroon", "Cameroon", "Cameroon"),
        Listed("cops-and-robbers", "rollwise.games.cops_and_robbers", "CopsAndRobbers", "Cops and Robbers"),
        Listed("dice-roulette", "rollwise.games.dice_roulette", "DiceRoulette", "Dice Roulette"),
        Listed("drop-dead", "rollwise.games.drop_dead", "DropDead", "Drop Dead"),
        Listed("finish", "rollwise.games.finish", "Finish", "Finish"),
        Listed("high-dice", "rollwise.games.high_dice", "HighDice", "High Dice"),
        Listed("killer", "rollwise.games.killer", "Killer", "Killer"),
        Listed("martinetti", "rollwise.games.martinetti", "Martinetti", "Martinetti"),
        Listed("mexico", "rollwise.games.mexico", "Mexico", "Mexico"),
        Listed("pay-the-rent", "rollwise.games.pay_the_rent", "PayTheRent", "Pay the Rent"),
        Listed("pig", "rollwise.games.pig", "Pig", "Pig", reference=True),
        Listed("piggy-six", "rollwise.games.piggy_six_table", "PiggySixForAny", "Piggy Six"),
        Listed("sevens", "rollwise.games.sevens", "Sevens", "Sevens"),
        Listed("shut-the-box", "rollwise.games.shut_the_box", "ShutTheBox", "Shut the Box"),
        Listed("slam", "rollwise.games.slam", "Slam", "Slam"),
        Listed("six-by-6", "rollwise.games.six_by_6", "SixBy6", "Six By 6"),
        Listed("sixzee", "rollwise.games.sixzee", "Sixzee", "Sixzee"),
        Listed("ten-thousand", "rollwise.games.ten_thousand", "TenThousand", "Ten Thousand"),
        Listed("thunderstorm", "rollwise.games.thunderstorm", "Thunderstorm", "Thunderstorm"),
        Listed("yahtzee", "rollwise.games.yahtzee", "Yahtzee", "Yahtzee", reference=True),
        Listed("zilch", "rollwise.games.zilch", "Zilch", "Six-Dice Zilch"),
    )
}

WELL_KNOWN = {  # what stands first where games are chosen: the dice of a picture, and a line
    "yahtzee": ("55555", "Three throws a box, thirteen boxes."),
    "zilch": ("111456", "Keep what scores; throw on, or bank it."),
    "pig": ("1", "Roll on or hold: a 1 costs you the turn."),
    "ten-thousand": ("111555", "Ones, fives and triples: bank in time."),
    "shut-the-box": ("34", "Two dice to shut the boxes 1 to 9."),
    "mexico": ("12", "Six lives, two dice: never be lowest."),
    "bluff": ("246", "A cup and a call: raise it, or doubt it."),
    "421": ("124", "Nothing beats 4-2-1: lose your chips."),
}
WITH_SCORES = ("yahtzee", "sixzee", "shut-the-box")  # played alone to a final score, so that it can be forecast
# Of whose turns there are odds: by box, and in points. Type checkers tell answers apart by them.
SheetName: TypeAlias = Literal["cameroon", "sixzee", "yahtzee"]
TurnName: TypeAlias = Literal[
    "drop-dead",
    "mexico",
    "pig",
    "piggy-six",
    "sevens",
    "shut-the-box",
    "slam",
    "ten-thousand",
    "thunderstorm",
    "zilch",
]

# Other names of the very same games. A game that only resembles one of ours is no synonym: its rules differ.
SYNONYMS = {
    "10000": "ten-thousand",
    "cops & robbers": "cops-and-robbers",
    "pig dice": "pig",
    "zilch with six dice": "zilch",
}
# Games that people ask for and none of ours is like; those that one of ours is like stand with it, as ``like``.
NOT_HERE = {
    "can't stop": "none of these games is like it; pig, zilch and ten-thousand are about stopping in time, too",
    "craps": "none of these games is like it; dice-roulette and high-dice are bets on two dice, too",
    "qwixx": "none of these games is like it; yahtzee and sixzee have sheets to fill in, too",
}
LIST = "rollwise list"  # the hint where nothing is known of a name


def spelt(name: object) -> str | None:
    """The name of a game as answers have it, from whatever people call it; None where there is no such game."""
    others = {**{listed.title: listed.name for listed in REGISTRY.values()}, **SYNONYMS}
    found = matched(name, REGISTRY) or matched(name, others)
    return others.get(found, found) if found else None


def find(name: object) -> Listed:
    """The registry line of a game, by any name of it; raises UnknownGame as ``unknown`` has it."""
    found = spelt(name)
    if found in REGISTRY:
        return REGISTRY[found]
    raise unknown(name)


def unknown(name: object) -> UnknownGame:
    """The error for a name that is no game's: its hint has the games that are like it, else it has the nearest name."""
    message, near = f"there is no game {quoted(plain(name))}", nearest_game(name)
    alike = {game: dict(game_class(game).like) for game in REGISTRY}
    kindred = [f"{game} (but: {like[near]})" for game, like in alike.items() if near in like]
    if kindred or near in NOT_HERE:
        return UnknownGame(message, hint=f"try {' or '.join(kindred)}" if kindred else NOT_HERE[str(near)])
    return UnknownGame(f"{message}; did you mean '{spelt(near)}'?" if near else message, hint=LIST)


def nearest_game(name: object) -> str | None:
    """The game that is meant, or nearly spelt, among those here, ``NOT_HERE`` and those that one here is ``like``."""
    others = [*NOT_HERE, *dict.fromkeys(other for game in REGISTRY for other, _ in game_class(game).like)]
    return spelt(name) or matched(name, others) or nearest(name, [*REGISTRY, *SYNONYMS, *others])


def game_class(name: str) -> type[Game]:
    """The class of a game, imported now; raises ModelError for one that would answer as its parent."""
    listed = find(name)
    cls: type[Game] = getattr(import_module(listed.module), listed.cls)
    if not listed.module.startswith(__package__):
        made_by = next(each for each in cls.__mro__ if "of" in vars(each))
        if vars(cls).get("name") != listed.name or made_by not in (cls, Game):
            wanted = f"name = '{listed.name}' and a class method 'of' that returns cls(**parameters)"
            raise ModelError(f"{cls.__name__} would answer as its parent: write {wanted} in it")
    return cls


def game(name: str, parameters: dict[str, Any] | None = None) -> Game:
    """A game with these rule parameters (plain values); raises UnknownName or ParameterError in one line."""
    import dataclasses

    cls, given = game_class(name), parameters or {}
    known = [field.name for field in dataclasses.fields(cls)]
    made = cls.of(**{parameter: value for parameter, value in given.items() if parameter in known})
    more = {parameter: value for parameter, value in given.items() if parameter not in known}
    more = {parameter: tuple(value) if isinstance(value, list) else value for parameter, value in more.items()}
    for parameter in more.keys() - {field.name for field in dataclasses.fields(made)}:
        raise UnknownName(f"'{name}' has no parameter '{parameter}'; it has: {', '.join(known) or 'none'}")
    return dataclasses.replace(made, **more) if more else made
