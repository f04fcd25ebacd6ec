"""The public names: what ``import rollwise`` gives, in whatever order it is used."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations

import pytest

import rollwise


def test_the_public_names_are_functions_and_what_they_return_and_raise() -> None:
    functions = [name for name in rollwise.__all__ if not isinstance(getattr(rollwise, name), type | str)]
    assert (
        " ".join(functions)
        == "ask best card compare export forecast list_games odds outcomes plan quiz review rules solve verify why"
    )
    assert all(callable(getattr(rollwise, name)) for name in functions)
    assert [name for name in rollwise.__all__ if isinstance(getattr(rollwise, name), str)] == ["__version__"]
    assert set(rollwise.__all__) <= set(dir(rollwise))


@pytest.mark.parametrize("order", [*permutations(["asking", "foreseeing", "solving"])], ids=" ".join)
def test_the_names_stay_functions_whatever_is_imported_first(order: tuple[str, ...]) -> None:
    imports = "; ".join(f"import rollwise.{module}" for module in order)
    named = "(getattr(rollwise, name) for name in rollwise.__all__ if name != '__version__')"
    script = f"{imports}; import rollwise; print(all(map(callable, {named})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'play'"):
        rollwise.play  # type: ignore[attr-defined]  # noqa: B018  the access itself is the test


def test_every_game_is_listed_with_its_source() -> None:
    games = {game["name"]: game for game in rollwise.list_games()}
    assert games["pig"]["reference"]
    assert not games["piggy-six"]["reference"]
    assert games["shut-the-box"]["source"] == "004_cc367fea0fd9d5c8.txt"
