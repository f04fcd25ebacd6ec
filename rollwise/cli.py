"""The command line: its commands by name, and what is said of errors.

Exit codes: 0 done, 2 bad input (one line on stderr), 1 anything else.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from typing import Annotated, Any

import click
import typer

from rollwise.cache.errors import StoreError
from rollwise.commands.announcing import with_yes
from rollwise.commands.cache import cache_app
from rollwise.commands.examples import EXAMPLES, examples
from rollwise.parsing.little_memory import within_memory
from rollwise.parsing.moves import is_bare, moves_joined
from rollwise.solutions.notes import at_the_terminal
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.memory import address_limit
from rollwise.solver.model.plain import on_a_line

UNSOLVING = ("list", "rules", "best", "serve")  # commands that solve nothing; processes of a server are never asked
SPARING = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}  # of address space, where it is limited
LONGEST = 600  # characters of a message
INTERRUPTED = 130  # typer lets no Ctrl-C through, but ends with this code
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    suggest_commands=False,  # click itself does, and either would be printed
    context_settings={"help_option_names": ["-h", "--help"]},  # commands take it from here
)
app.add_typer(cache_app, name="cache")


def show_version(is_asked_for: bool) -> None:
    """Print the version and end."""
    from rollwise import __version__

    if is_asked_for:
        typer.echo(f"rollwise {__version__}")
        raise typer.Exit


@app.callback(epilog=examples(""))
def rollwise_command(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="the version, and no more")
    ] = False,
) -> None:
    """Exact answers for dice games: the best move, the whole policy, the odds."""


for name in EXAMPLES:  # in the order of the help; each command is in a module of its name
    if name and not name.startswith("cache"):
        module = name.replace("-", "_")
        command = getattr(import_module(f"rollwise.commands.{module}"), f"{module}_command")
        app.command(name, epilog=examples(name))(command if name in UNSOLVING else with_yes(command))


def main() -> None:
    """Run the command line."""
    with_all_streams()
    at_the_terminal()
    if address_limit() is not None:
        os.environ |= {**SPARING, **os.environ}
    try:
        with within_memory():
            code = app(args=as_meant(sys.argv[1:]), standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()
    except RollwiseError as error:
        code = fail(with_right_line(error), 2 if isinstance(error, BadInput) else 1)
    except click.exceptions.NoArgsIsHelpError as error:
        typer.echo(error.format_message())
        code = 2
    except click.ClickException as error:
        code = fail(with_right_line(BadInput(error.format_message())), 2)
    except (KeyboardInterrupt, click.Abort):
        code = fail(Stopped("stopped"), 1)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  whoever read the old one has gone, and heard enough
        code = 1
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  what is left in the old one cannot be written either
        code = fail(StoreError(f"the answer cannot be written: {error.strerror or error}"), 1)
    except StoreError as error:
        code = fail(error, 1)
    sys.exit(code or 0)


def with_all_streams() -> None:
    """A stream that was closed stands open again: nobody answers, an answer cannot be written, errors go nowhere."""
    for name, how, mode in ("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, how), mode))


def as_meant(words: list[str]) -> list[str]:
    """The words of the command line, those of a game's name, and of a move, as one: ``ask ten thousand turn=300``."""
    if sum(map(is_bare, words)) < 3:  # the command, and a name of one word
        return moves_joined(words)
    from rollwise.parsing.words import game_joined

    return moves_joined(game_joined(words))


def with_right_line(error: RollwiseError) -> RollwiseError:
    """The error; its hint is the line that was meant, where that can be told."""
    if isinstance(error, BadInput):
        from rollwise.parsing.suggestions import changed_line, right_line

        commands: dict[str, Any] = getattr(typer.main.get_command(app), "commands", {})
        options = {
            name: {option: not getattr(of, "is_flag", False) for of in command.params for option in of.opts}
            for name, command in commands.items()
            if name != "cache"
        }
        words, in_python = as_meant(sys.argv[1:]), error.hint.startswith("params=")
        changed = "" if in_python else changed_line(words, error.hint, options, error.field)
        error.hint = right_line(words, options) or changed
    return error


class Stopped(RollwiseError):
    """Ctrl-C."""

    def line(self) -> str:
        """What there is to say, and no error."""
        return str(self)


def fail(error: RollwiseError | StoreError, code: int) -> int:
    """Say on stderr what is wrong: one line, and one that helps where there is one; JSON where JSON was wanted."""
    if isinstance(error, RollwiseError):
        line, facts = error.line(), error.plain()
    else:
        line, facts = f"error: {error}", {"error": type(error).__name__, "message": str(error)}
    facts = {name: on_a_line(text, LONGEST) for name, text in facts.items()}
    lines = [on_a_line(line, LONGEST), *([f"hint: {facts['hint']}"] if "hint" in facts else [])]
    print(json.dumps(facts, ensure_ascii=False) if "--json" in sys.argv[1:] else "\n".join(lines), file=sys.stderr)
    return code
