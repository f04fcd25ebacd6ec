"""The command line: its commands by name, and its errors.

Exit codes: 0 done, 2 bad input (one line on stderr), 1 anything else.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import click
import typer
from typer.core import TyperGroup

from rollwise.cache.errors import StoreError
from rollwise.parsing.memory_errors import report_memory_errors
from rollwise.parsing.moves import is_bare, join_moves
from rollwise.questions import COMMANDS
from rollwise.questions.options import examples_text, with_yes
from rollwise.solutions.notes import write_to_terminal
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.limits import address_limit
from rollwise.solver.model.plain import one_line

COMMANDS_WITHOUT_SOLVE = ("list", "rules", "best", "serve")  # they solve nothing; server processes need no consent
SMALL_SPACE = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}  # for a limited address space
MAX_MESSAGE_CHARS = 600
INTERRUPTED = 130  # typer's exit code for Ctrl-C
EXAMPLES = ("rollwise ask pig mine=43 theirs=61 turn=18", "rollwise rules shut-the-box")


class LoadedCommands(Mapping[str, click.Command]):
    """The commands by name, in the order of the help; a module is loaded when its command is called or shown."""

    def __getitem__(self, name: str) -> click.Command:
        return load_command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Program(TyperGroup):
    """The program, whose commands are those of ``COMMANDS``."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "commands": LoadedCommands()})


@cache
def load_command(name: str) -> click.Command:
    """The command of this name: of its module a function, or an app with commands of its own."""
    module, examples = COMMANDS[name]
    command = getattr(import_module(f"rollwise.{module}"), f"{name.replace('-', '_')}_command")
    if isinstance(command, typer.Typer):
        return typer.main.get_command(command)
    alone = typer.Typer(add_completion=False)
    with_options = command if name in COMMANDS_WITHOUT_SOLVE else with_yes(command)
    alone.command(name, epilog=examples_text(examples))(with_options)
    return typer.main.get_command(alone)


app = typer.Typer(
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    suggest_commands=False,  # click does, and both would be printed
    context_settings={"help_option_names": ["-h", "--help"]},  # commands inherit it
)


def show_version(is_asked_for: bool) -> None:
    """Print the version and end."""
    from rollwise import __version__

    if is_asked_for:
        typer.echo(f"rollwise {__version__}")
        raise typer.Exit


@app.callback(epilog=examples_text(EXAMPLES))
def rollwise_command(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="print the version and exit")
    ] = False,
) -> None:
    """Exact answers for dice games: the best move, the whole policy, the odds."""


def main() -> None:
    """Run the command line."""
    reopen_closed_streams()
    write_to_terminal()
    if address_limit() is not None:
        os.environ |= {**SMALL_SPACE, **os.environ}
    try:
        with report_memory_errors():
            code = app(args=joined_words(sys.argv[1:]), standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()
    except RollwiseError as error:
        code = fail(add_hint(error), 2 if isinstance(error, BadInput) else 1)
    except click.exceptions.NoArgsIsHelpError as error:
        typer.echo(error.format_message())
        code = 2
    except click.ClickException as error:
        code = fail(add_hint(BadInput(error.format_message())), 2)
    except (KeyboardInterrupt, click.Abort):
        code = fail(Stopped("stopped"), 1)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  the reader of the old one has gone
        code = 1
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  the rest of the old one cannot be written
        code = fail(StoreError(f"the answer cannot be written: {error.strerror or error}"), 1)
    except StoreError as error:
        code = fail(error, 1)
    sys.exit(code or 0)


def reopen_closed_streams() -> None:
    """Reopen closed streams on the null device: no input, an error for writing an answer, no messages."""
    for name, how, mode in ("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, how), mode))


def joined_words(words: list[str]) -> list[str]:
    """The words of the command line, those of a game's name or a move joined: ``ask ten thousand turn=300``."""
    if sum(map(is_bare, words)) < 3:  # the command, and a name of one word
        return join_moves(words)
    from rollwise.parsing.words import join_game

    return join_moves(join_game(words))


def add_hint(error: RollwiseError) -> RollwiseError:
    """Add the corrected command line to an error as its hint, where there is one."""
    if isinstance(error, BadInput):
        from rollwise.parsing.suggestions import apply_hint, suggest_line

        options = {
            name: {option: not getattr(of, "is_flag", False) for of in load_command(name).params for option in of.opts}
            for name in COMMANDS
            if name != "cache"
        }
        words, in_python = joined_words(sys.argv[1:]), error.hint.startswith("params=")
        changed = "" if in_python else apply_hint(words, error.hint, options, error.field)
        error.hint = suggest_line(words, options) or changed
    return error


class Stopped(RollwiseError):
    """Ctrl-C."""

    def line(self) -> str:
        """The message, without the prefix of an error."""
        return str(self)


def fail(error: RollwiseError | StoreError, code: int) -> int:
    """Print an error on stderr and return the exit code: one line, a hint if there is one; as JSON with ``--json``."""
    if isinstance(error, RollwiseError):
        line, facts = error.line(), error.plain()
    else:
        line, facts = f"error: {error}", {"error": type(error).__name__, "message": str(error)}
    facts = {name: one_line(text, MAX_MESSAGE_CHARS) for name, text in facts.items()}
    lines = [one_line(line, MAX_MESSAGE_CHARS), *([f"hint: {facts['hint']}"] if "hint" in facts else [])]
    print(json.dumps(facts, ensure_ascii=False) if "--json" in sys.argv[1:] else "\n".join(lines), file=sys.stderr)
    return code
