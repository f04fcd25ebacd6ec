"""The games by name, imported when a question names the game."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from rollwise.solver.model.errors import ModelError, UnknownGame, UnknownName
from rollwise.solver.model.game import Game
from rollwise.solver.model.names import matched, nearest
from rollwise.solver.model.plain import plain, quoted


@dataclass(frozen=True)
class RegistryEntry:
    """One line of the registry: the module and class of a game."""

    name: str
    module: str
    cls: str


REGISTRY = {
    entry.name: entry
    for entry in (
        RegistryEntry("421", "rollwise.games.four_two_one.rules", "FourTwoOne"),
        RegistryEntry("aces-in-the-pot", "rollwise.games.aces_in_the_pot.rules", "AcesInThePot"),
        RegistryEntry("big-six", "rollwise.games.big_six.rules", "BigSix"),
        RegistryEntry("bluff", "rollwise.games.bluff.rules", "Bluff"),
        RegistryEntry("bouncer", "rollwise.games.bouncer.rules", "Bouncer"),
        RegistryEntry("busted", "rollwise.games.busted.rules", "Busted"),
        RegistryEntry("cameroon", "rollwise.games.cameroon.rules", "Cameroon"),
        RegistryEntry("cops-and-robbers", "rollwise.games.cops_and_robbers.rules", "CopsAndRobbers"),
        RegistryEntry("dice-roulette", "rollwise.games.dice_roulette.rules", "DiceRoulette"),
        RegistryEntry("drop-dead", "rollwise.games.drop_dead.rules", "DropDead"),
        RegistryEntry("finish", "rollwise.games.finish.rules", "Finish"),
        RegistryEntry("high-dice", "rollwise.games.high_dice.rules", "HighDice"),
        RegistryEntry("killer", "rollwise.games.killer.rules", "Killer"),
        RegistryEntry("martinetti", "rollwise.games.martinetti.rules", "Martinetti"),
        RegistryEntry("mexico", "rollwise.games.mexico.rules", "Mexico"),
        RegistryEntry("pay-the-rent", "rollwise.games.pay_the_rent.rules", "PayTheRent"),
        RegistryEntry("pig", "rollwise.games.pig.rules", "Pig"),
        RegistryEntry("piggy-six", "rollwise.games.piggy_six.rules", "PiggySix"),
        RegistryEntry("sevens", "rollwise.games.sevens.rules", "Sevens"),
        RegistryEntry("shut-the-box", "rollwise.games.shut_the_box.rules", "ShutTheBox"),
        RegistryEntry("slam", "rollwise.games.slam.rules", "Slam"),
        RegistryEntry("six-by-6", "rollwise.games.six_by_6.rules", "SixBy6"),
        RegistryEntry("sixzee", "rollwise.games.sixzee.rules", "Sixzee"),
        RegistryEntry("ten-thousand", "rollwise.games.ten_thousand.rules", "TenThousand"),
        RegistryEntry("thunderstorm", "rollwise.games.thunderstorm.rules", "Thunderstorm"),
        RegistryEntry("yahtzee", "rollwise.games.yahtzee.rules", "Yahtzee"),
        RegistryEntry("zilch", "rollwise.games.zilch.rules", "Zilch"),
    )
}

# Well-known games that none of ours resembles; a game that one of ours resembles stands in its ``like``.
NOT_HERE = {
    "can't stop": "none of these games is like it; pig, zilch and ten-thousand are about stopping in time, too",
    "craps": "none of these games is like it; dice-roulette and high-dice are bets on two dice, too",
    "qwixx": "none of these games is like it; yahtzee and sixzee have sheets to fill in, too",
}
LIST = "rollwise list"  # the hint for a name that resembles none


def spelt(name: object) -> str | None:
    """The registered name for any name or spelling of a game; None where there is no such game.

    A name that begins with that of a game is one of its own: only other names import all games.
    """
    if not isinstance(name, str):
        return None
    match = name if name in REGISTRY else matched(name, REGISTRY)
    if match is not None:
        return match
    first = matched(next(iter(name.split()), ""), REGISTRY)
    classes = {game: game_class(game) for game in ([first] if first else REGISTRY)}
    others = {other: game for game, cls in classes.items() for other in (cls.title, *cls.synonyms)}
    match = matched(name, others)
    return others[match] if match else None


def find(name: object) -> RegistryEntry:
    """The registry line for any name of a game; raises UnknownGame as ``unknown`` words it."""
    registered = spelt(name)
    if registered in REGISTRY:
        return REGISTRY[registered]
    raise unknown(name)


def room(game: str) -> str:
    """The package of a game that is a folder, with its policies, card and claims; empty for one of a single file."""
    package, _, last = find(game).module.rpartition(".")
    return package if last == "rules" else ""


def module_in_room(game: str, name: str) -> ModuleType | None:
    """The module of this name beside the rules of a game; None where there is none."""
    package = room(game)
    return import_module(f"{package}.{name}") if package and find_spec(f"{package}.{name}") else None


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
    synonyms = [other for game in REGISTRY for other in game_class(game).synonyms]
    return spelt(name) or matched(name, others) or nearest(name, [*REGISTRY, *synonyms, *others])


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
