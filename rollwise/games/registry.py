"""The games: one file each, which reads like its rules, imported when a question names the game."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeAlias

from rollwise.solver.model.errors import ModelError, UnknownGame, UnknownName
from rollwise.solver.model.game import Game
from rollwise.solver.model.names import matched, nearest
from rollwise.solver.model.plain import plain, quoted


@dataclass(frozen=True)
class RegistryEntry:
    """One line of the registry: the module and class of a game, and whether it is a reference or one of the 25."""

    name: str
    module: str
    cls: str
    title: str
    reference: bool = False


REGISTRY = {
    entry.name: entry
    for entry in (
        RegistryEntry("421", "rollwise.games.four_two_one.rules", "FourTwoOne", "421"),
        RegistryEntry("aces-in-the-pot", "rollwise.games.aces_in_the_pot.rules", "AcesInThePot", "Aces in the Pot"),
        RegistryEntry("big-six", "rollwise.games.big_six.rules", "BigSix", "Big Six"),
        RegistryEntry("bluff", "rollwise.games.bluff.rules", "Bluff", "Bluff"),
        RegistryEntry("bouncer", "rollwise.games.bouncer.rules", "Bouncer", "Bouncer"),
        RegistryEntry("busted", "rollwise.games.busted.rules", "Busted", "Busted"),
        RegistryEntry("cameroon", "rollwise.games.cameroon.rules", "Cameroon", "Cameroon"),
        RegistryEntry("cops-and-robbers", "rollwise.games.cops_and_robbers.rules", "CopsAndRobbers", "Cops and Robbers"),
        RegistryEntry("dice-roulette", "rollwise.games.dice_roulette.rules", "DiceRoulette", "Dice Roulette"),
        RegistryEntry("drop-dead", "rollwise.games.drop_dead.rules", "DropDead", "Drop Dead"),
        RegistryEntry("finish", "rollwise.games.finish.rules", "Finish", "Finish"),
        RegistryEntry("high-dice", "rollwise.games.high_dice.rules", "HighDice", "High Dice"),
        RegistryEntry("killer", "rollwise.games.killer.rules", "Killer", "Killer"),
        RegistryEntry("martinetti", "rollwise.games.martinetti.rules", "Martinetti", "Martinetti"),
        RegistryEntry("mexico", "rollwise.games.mexico.rules", "Mexico", "Mexico"),
        RegistryEntry("pay-the-rent", "rollwise.games.pay_the_rent.rules", "PayTheRent", "Pay the Rent"),
        RegistryEntry("pig", "rollwise.games.pig.rules", "Pig", "Pig", reference=True),
        RegistryEntry("piggy-six", "rollwise.games.piggy_six.rules.table", "PiggySixForAny", "Piggy Six"),
        RegistryEntry("sevens", "rollwise.games.sevens.rules", "Sevens", "Sevens"),
        RegistryEntry("shut-the-box", "rollwise.games.shut_the_box.rules", "ShutTheBox", "Shut the Box"),
        RegistryEntry("slam", "rollwise.games.slam.rules", "Slam", "Slam"),
        RegistryEntry("six-by-6", "rollwise.games.six_by_6.forms", "SixBy6", "Six By 6"),
        RegistryEntry("sixzee", "rollwise.games.sixzee.rules", "Sixzee", "Sixzee"),
        RegistryEntry("ten-thousand", "rollwise.games.ten_thousand.rules", "TenThousand", "Ten Thousand"),
        RegistryEntry("thunderstorm", "rollwise.games.thunderstorm.rules", "Thunderstorm", "Thunderstorm"),
        RegistryEntry("yahtzee", "rollwise.games.yahtzee.rules", "Yahtzee", "Yahtzee", reference=True),
        RegistryEntry("zilch", "rollwise.games.zilch.rules", "Zilch", "Six-Dice Zilch"),
    )
}

WELL_KNOWN = {  # games at the top of the page: (dice of the picture, one line of text)
    "yahtzee": ("55555", "Three throws a box, thirteen boxes."),
    "zilch": ("111456", "Keep what scores; throw on, or bank it."),
    "pig": ("1", "Roll on or hold: a 1 costs you the turn."),
    "ten-thousand": ("111555", "Ones, fives and triples: bank in time."),
    "shut-the-box": ("34", "Two dice to shut the boxes 1 to 9."),
    "mexico": ("12", "Six lives, two dice: never be lowest."),
    "bluff": ("246", "A cup and a call: raise it, or doubt it."),
    "421": ("124", "Nothing beats 4-2-1: lose your chips."),
}
WITH_SCORES = ("yahtzee", "sixzee", "shut-the-box")  # played alone for a final score that can be forecast
# Games with odds of a turn, by box and in points; type checkers infer the type of an answer from these names.
SheetName: TypeAlias = Literal["cameroon", "sixzee", "yahtzee"]
TurnName: TypeAlias = Literal[
    "drop-dead", "mexico", "pig", "piggy-six", "sevens", "shut-the-box", "slam", "ten-thousand", "thunderstorm", "zilch"
]

# Other names of the very same games. A game that only resembles one of ours is no synonym: its rules differ.
SYNONYMS = {
    "10000": "ten-thousand",
    "cops & robbers": "cops-and-robbers",
    "pig dice": "pig",
    "zilch with six dice": "zilch",
}
# Well-known games that none of ours resembles; a game that one of ours resembles stands in its ``like``.
NOT_HERE = {
    "can't stop": "none of these games is like it; pig, zilch and ten-thousand are about stopping in time, too",
    "craps": "none of these games is like it; dice-roulette and high-dice are bets on two dice, too",
    "qwixx": "none of these games is like it; yahtzee and sixzee have sheets to fill in, too",
}
LIST = "rollwise list"  # the hint for a name that resembles none


def spelt(name: object) -> str | None:
    """The registered name for any name or spelling of a game; None where there is no such game."""
    others = {**{entry.title: entry.name for entry in REGISTRY.values()}, **SYNONYMS}
    match = matched(name, REGISTRY) or matched(name, others)
    return others.get(match, match) if match else None


def find(name: object) -> RegistryEntry:
    """The registry line for any name of a game; raises UnknownGame as ``unknown`` words it."""
    registered = spelt(name)
    if registered in REGISTRY:
        return REGISTRY[registered]
    raise unknown(name)


def unknown(name: object) -> UnknownGame:
    """The error for a name of no game; its hint has the games that resemble it, else the nearest name."""
    message, near = f"there is no game {quoted(plain(name))}", nearest_game(name)
    alike = {game: dict(game_class(game).like) for game in REGISTRY}
    kindred = [f"{game} (but: {like[near]})" for game, like in alike.items() if near in like]
    if kindred or near in NOT_HERE:
        return UnknownGame(message, hint=f"try {' or '.join(kindred)}" if kindred else NOT_HERE[str(near)])
    return UnknownGame(f"{message}; did you mean '{spelt(near)}'?" if near else message, hint=LIST)


def nearest_game(name: object) -> str | None:
    """The nearest name among games here, ``NOT_HERE`` and the names in ``like``; None if none is near."""
    others = [*NOT_HERE, *dict.fromkeys(other for game in REGISTRY for other, _ in game_class(game).like)]
    return spelt(name) or matched(name, others) or nearest(name, [*REGISTRY, *SYNONYMS, *others])


def game_class(name: str) -> type[Game]:
    """The class of a game, imported now; raises ModelError for a class that would answer as its parent."""
    entry = find(name)
    cls: type[Game] = getattr(import_module(entry.module), entry.cls)
    if not entry.module.startswith(__package__):
        made_by = next(each for each in cls.__mro__ if "of" in vars(each))
        if vars(cls).get("name") != entry.name or made_by not in (cls, Game):
            missing = f"name = '{entry.name}' and a class method 'of' that returns cls(**parameters)"
            raise ModelError(f"{cls.__name__} would answer as its parent: write {missing} in it")
    return cls


def game(name: str, parameters: dict[str, Any] | None = None) -> Game:
    """A game with these rule parameters and solver options, plain values; raises UnknownName or ParameterError."""
    import dataclasses

    cls = game_class(name)
    arguments = {each: tuple(value) if isinstance(value, list) else value for each, value in (parameters or {}).items()}
    names = [field.name for field in dataclasses.fields(cls)]
    game_object = cls.of(**{parameter: value for parameter, value in arguments.items() if parameter in names})
    more = {parameter: value for parameter, value in arguments.items() if parameter not in names}
    for parameter in more.keys() - {field.name for field in dataclasses.fields(game_object)}:
        raise UnknownName(f"'{name}' has no parameter '{parameter}'; it has: {', '.join(names) or 'none'}")
    return dataclasses.replace(game_object, **more) if more else game_object
