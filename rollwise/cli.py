"""The command line. Exit codes: 0 done, 2 bad input (one line on stderr), 1 anything else."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any

import click
import typer

from rollwise.cache.errors import StoreError
from rollwise.cache_commands import cache_app
from rollwise.examples import examples
from rollwise.options import Exact, Game, Json, Lengths, Parameters, State, said, show, show_json
from rollwise.solver.game.errors import BadInput, RollwiseError

LONGEST = 600  # characters of a message
INTERRUPTED = 130  # typer lets no Ctrl-C through, but ends with this code

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},  # commands take it from here
)
app.add_typer(cache_app, name="cache")


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    from rollwise import __version__

    if wanted:
        typer.echo(f"rollwise {__version__}")
        raise typer.Exit


@app.callback(epilog=examples(""))
def rollwise_command(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="the version, and no more")
    ] = False,
) -> None:
    """Exact answers for dice games: the best move, the whole policy, the odds."""


def height() -> int | None:
    """How many lines a person sees at once; None where nobody looks at a terminal."""
    import shutil

    return shutil.get_terminal_size().lines if sys.stdout.isatty() else None


def title(game: str) -> str:
    """A game's title."""
    from rollwise.games.registry import find

    return find(game).title


@app.command("list")
def list_command(as_json: Json = False) -> None:
    """List the games."""
    from rollwise.catalogue import list_games
    from rollwise.text import columns

    games = list_games()
    if as_json:
        show_json(games)
        return
    rows = [["game", "title", "kind", "source"]]
    rows += [[game["name"], game["title"], game["kind"], source_of(game["source"])] for game in games]
    show(columns(rows))


@app.command("rules")
def rules_command(game: Game, p: Parameters = None, as_json: Json = False) -> None:
    """Print our reading of a game's rules, its parameters and the fields of a question."""
    from rollwise.catalogue import rules
    from rollwise.door import split
    from rollwise.labels import short_label
    from rollwise.text import columns, wrapped

    told = rules(game, split(p or [], "parameter"))
    if as_json:
        show_json(told)
        return
    parameters = [
        [f"  {item['name']}", f"{_default(item['default'])}", item["allowed"], item["help"]]
        for item in told["parameters"]
    ]
    fields = [[f"  {field['name']}", field["help"]] for field in told["fields"]]
    unsolved = told["unsolved"]
    show(
        [
            *wrapped(f"{told['title']} ({told['game']}), {told['kind']}: {short_label(told['objective'], {})}"),
            "",
            *wrapped(told["rules"]),
            "",
            "Parameters (-p name=value): name, default, allowed",
            *columns(parameters or [["  none"]]),
            "",
            "Fields of a question",
            *columns(fields),
            "",
            *(["Not solved: more players", *(f"  {each['cost']}" for each in unsolved), ""] if unsolved else []),
            *wrapped(f"Source: {source_of(told['source'])}"),
        ]
    )


def source_of(source: str) -> str:
    """Where a game comes from, by title and author."""
    from rollwise.ledger import SOURCES

    return SOURCES.get(source, source.removeprefix("reference game: "))


def _default(value: Any) -> str:
    return ",".join(map(str, value)) or "none" if isinstance(value, list) else str(value).lower()


@app.command("ask")
def ask_command(
    game: Game,
    state: State = None,
    all_moves: Annotated[
        bool,
        typer.Option("--all-moves", help="also moves that another one makes pointless, as the same boxes for less"),
    ] = False,
    lengths: Lengths = False,
    top: Annotated[
        int | None,
        typer.Option(
            "--top", metavar="N", min=1, help="list the N best moves and count the others; by default as many as fit"
        ),
    ] = None,
    draw: Annotated[
        bool, typer.Option("--draw", help="where the best play is a mix of moves (bluff): draw one of them")
    ] = False,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="the same seed always draws the same move")
    ] = None,
    p: Parameters = None,
    as_json: Json = False,
    exact: Exact = False,
) -> None:
    """Say what to do in a state, and what every move is worth."""
    from rollwise.advice_text import advice_lines
    from rollwise.asking import ask

    parameters, fields = said(game, p, state)
    how: dict[str, Any] = {"exact": exact, "all_moves": all_moves, "lengths": lengths, "draw": draw, "seed": seed}
    advice = ask(game, parameters, **how, state=fields)
    if as_json:
        show_json(advice.plain())
    else:
        show(advice_lines(advice, title(game), top=top, height=height(), exact=exact))


@app.command("solve")
def solve_command(
    game: Game,
    lengths: Lengths = False,
    ties: Annotated[
        bool,
        typer.Option("--ties", help="at tables: how much other ways to break ties would change; solves twice more"),
    ] = False,
    p: Parameters = None,
    as_json: Json = False,
    exact: Exact = False,
) -> None:
    """Solve a game and say what its start is worth."""
    from rollwise.advice_text import solution_lines
    from rollwise.door import split
    from rollwise.solving import solve

    solution = solve(game, split(p or [], "parameter"), exact=exact, lengths=lengths, ties=ties)
    if as_json:
        show_json(solution.plain_solution())
    else:
        show(solution_lines(solution, title(game), exact=exact))


@app.command("export")
def export_command(
    game: Game,
    state: Annotated[
        list[str] | None,
        typer.Argument(metavar="FIELD=VALUE...", help="which decisions; roll=none: those before the throw"),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="the file: .parquet, .csv or .jsonl; or FOLDER/ for a Parquet file of each level: those that are "
            "there, whole and of the same solution, stay, so that what was stopped goes on; or - for standard output",
        ),
    ] = "",
    file_format: Annotated[str | None, typer.Option("--format", help="parquet, csv or jsonl")] = None,
    levels: Annotated[
        str | None,
        typer.Option(
            "--levels",
            metavar="14-16",
            help="only boards of these levels, as 14-16 or 0,3; a level is what no turn lowers: boxes filled at "
            "yahtzee and sixzee, both scores together at pig",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="also more than 50 million rows in all")] = False,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Write every decision of a game, or of the slice that the fields name, to a file, or in parts to a folder."""
    from rollwise.exporting.writing import export

    if not output:
        raise BadInput("say where to write: --output FILE.parquet (or .csv, .jsonl), or FOLDER/")
    parameters, fields = said(game, p, state)
    how: dict[str, Any] = {"format": file_format, "all": everything, "levels": levels, "state": fields}
    if output == "-":
        from rollwise.exporting.standard_output import to_standard_output

        if as_json:
            raise BadInput("--json and --output - both want standard output; leave one out", field="output")
        to_standard_output(file_format, lambda path: export(game, path, parameters, **how))
        return
    made = export(game, output, parameters, **how)
    if as_json:
        show_json(
            {
                "path": str(made.path),
                "rows": made.rows,
                "format": made.format,
                "bytes": made.bytes,
                "seconds": made.seconds,
                "files": made.files,
                "already": made.already,
            }
        )
    else:
        already = f" ({made.already} there already)" if made.already else ""
        parts = f"{made.files} file{'s' * (made.files != 1)}{already}, " if made.path.is_dir() else ""
        typer.echo(f"{made.path}: {parts}{made.rows:,} decisions, {made.bytes:,} bytes, {made.seconds:.1f} s")


@app.command("compare")
def compare_command(
    game: Game,
    rule: Annotated[
        str | None,
        typer.Argument(
            metavar="POLICY", help="a rule's name, rule.py:function, or a table (FILE, FOLDER/) that export wrote"
        ),
    ] = None,
    state: Annotated[
        list[str] | None, typer.Argument(metavar="FIELD=VALUE...", help="the board that the game goes on from")
    ] = None,
    slice: Annotated[
        bool, typer.Option("--slice", help="the table is a part of one: the best is played outside its rows")
    ] = False,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Say what a rule of thumb costs per game, or list the rules that a game knows."""
    from rollwise.comparing import compare
    from rollwise.text import columns, comparison_lines

    if rule is None:
        from rollwise.games.policies import policies

        known = [{"policy": name, "help": house.help} for name, house in policies(game).items()]
        rows = [[row["policy"], row["help"]] for row in known] or [["none", f"{game} has no rules of thumb of its own"]]
        show_json(known) if as_json else show(columns(rows))
        return
    parameters, fields = said(game, p, state)
    found = compare(game, rule, parameters, state=fields, slice=slice)
    if as_json:
        show_json(found.plain())
    else:
        show(comparison_lines(found, title(game)))


@app.command("card")
def card_command(
    game: Game,
    form: Annotated[
        str | None,
        typer.Option("--format", help="text, markdown, html (one sheet of A4) or csv; by default as the file is named"),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="write a file; - for standard output")
    ] = "",
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Print a strategy card: how to play a game well, on one page, and what playing so costs."""
    from rollwise.card_pages import form_of, render
    from rollwise.door import split
    from rollwise.ledger import STDOUT, ledger_path, write_ledger
    from rollwise.strategy_card import card

    if as_json and (form or output):
        raise BadInput("--json writes to standard output; leave out --format and --output", field="output")
    chosen = form_of(form, output)
    path = ledger_path(output) if output not in ("", STDOUT) else None
    made = card(game, split(p or [], "parameter"))
    if as_json:
        show_json(made.plain())
    elif path:
        write_ledger(path, render(made, chosen))
        show([f"{path}: the card of {made.title}"])
    else:
        typer.echo(render(made, chosen), nl=False)


@app.command("odds")
def odds_command(
    game: Game,
    about: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FIELD=VALUE...|BOX...]", help="the state of the turn; on score sheets the boxes"),
    ] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", help="who plays: 'best', or a rule as 'compare' takes it")
    ] = None,
    dice: Annotated[int | None, typer.Option("--dice", help="so many dice in hand, by default each number")] = None,
    rolls: Annotated[int | None, typer.Option("--rolls", help="(sheets) how many rolls, by default each")] = None,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Say how likely a turn busts, what it will make, and what one more throw is worth.

    On score sheets: how likely one turn fills a box that it goes for, and with how many points, as fractions.
    """
    from rollwise.turn_odds import TurnOdds, boxes_of, goes_for_boxes, odds
    from rollwise.words import names_joined

    words, asked = about or [], dict[str, Any]()
    if goes_for_boxes(game):
        parameters, _ = said(game, p, None)
        asked["boxes"] = names_joined(words, boxes_of(game, parameters)) or None
    else:
        parameters, asked["state"] = said(game, p, words)
    found = odds(game, parameters, policy=policy, dice=dice, rolls=rolls, **asked)
    if as_json:
        show_json(found.plain())
    elif isinstance(found, TurnOdds):
        from rollwise.text import turn_odds_lines

        show(turn_odds_lines(found, title(game), briefly=not words))
    else:
        from rollwise.risk_text import turn_risk_lines

        show(turn_risk_lines(found, title(game)))


@app.command("forecast")
def forecast_command(
    game: Game,
    state: State = None,
    at_least: Annotated[list[int] | None, typer.Option("--at-least", help="a score: how likely it is reached")] = None,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Say how a game played alone ends under the best play: the distribution of the score, and what makes it up."""
    from rollwise.forecast_text import forecast_lines
    from rollwise.forecasting import forecast

    parameters, fields = said(game, p, state)
    found = forecast(game, parameters, at_least=at_least or (), state=fields)
    if as_json:
        show_json(found.plain())
    else:
        show(forecast_lines(found, title(game)))


@app.command("verify")
def verify_command(
    game: Annotated[str | None, typer.Argument(metavar="GAME")] = None,
    slow: Annotated[bool, typer.Option("--slow", help="also what needs a long solve")] = False,
    claims: Annotated[
        str | None, typer.Option("--claims", metavar="SHEET.toml", help="check your own claims: docs/claims.md")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="TITLE", help="only this source; a part of its title will do")
    ] = None,
    refuted: Annotated[bool, typer.Option("--refuted", help="show what is not so")] = False,
    depends: Annotated[bool, typer.Option("--depends", help="show what depends on how a rule is read")] = False,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="write a page: .html, or Markdown; - for standard output"),
    ] = "",
    as_json: Json = False,
) -> None:
    """Check the odds and examples that the rule sheets state, or those of a sheet of your own."""
    from rollwise.ledger import STDOUT, counts, ledger_path, left_out_line, of_verdicts, verdict_lines, write_ledger
    from rollwise.ledger_page import page
    from rollwise.verifying import left_out, verify

    if output == STDOUT and as_json:
        raise BadInput("--json and --output - both want standard output; leave one out", field="output")
    path = ledger_path(output) if output not in ("", STDOUT) else None
    every = verify(game, slow=slow, claims=claims, source=source)
    rows = of_verdicts(every, refuted=refuted, depends=depends)
    missing = 0 if slow or claims is not None else len(left_out(game, source=source))
    if path:
        write_ledger(path, page(path, rows, missing, of=len(every)))
    if missing:
        print(left_out_line(missing), file=sys.stderr)
    if output == STDOUT:
        typer.echo(page(None, rows, missing, of=len(every)), nl=False)
    elif as_json:
        show_json([row.plain() for row in rows])
    elif path:
        show([f"{path}: {counts(rows)}"])
    else:
        show(verdict_lines(every, rows) if every else [f"no claims about {game}"])


for group, words in ((app, ""), (cache_app, "cache ")):
    for command in group.registered_commands:
        command.epilog = examples(f"{words}{command.name}")


def main() -> None:
    """Run the command line."""
    try:
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
        code = fail(StoreError(f"the answer cannot be written: {error.strerror}"), 1)
    except StoreError as error:
        code = fail(error, 1)
    sys.exit(code or 0)


def as_meant(words: list[str]) -> list[str]:
    """The words of the command line, those of a game's name as one: ``ask ten thousand turn=300``."""
    if sum(not word.startswith("-") and "=" not in word for word in words) < 3:  # the command, and a name of one word
        return words
    from rollwise.words import game_joined

    return game_joined(words)


def with_right_line(error: RollwiseError) -> RollwiseError:
    """The error; its hint is the line that was meant, where that can be told."""
    if isinstance(error, BadInput):
        from rollwise.words import right_line

        commands: dict[str, Any] = getattr(typer.main.get_command(app), "commands", {})
        options = {
            name: {option: not getattr(of, "is_flag", False) for of in command.params for option in of.opts}
            for name, command in commands.items()
            if name != "cache"
        }
        in_python = error.hint.startswith("params=")
        error.hint = right_line(sys.argv[1:], options, error.hint) or ("" if in_python else error.hint)
    return error


class Stopped(RollwiseError):
    """Ctrl-C."""


def fail(error: RollwiseError | StoreError, code: int) -> int:
    """Say on stderr what is wrong: one line, and one that helps where there is one; JSON where JSON was wanted."""
    told = error.plain() if isinstance(error, RollwiseError) else {"error": type(error).__name__, "message": str(error)}
    told = {name: printable(text) for name, text in told.items()}
    if "--json" in sys.argv[1:]:
        print(json.dumps(told, ensure_ascii=False), file=sys.stderr)
        return code
    print(told["message"] if isinstance(error, Stopped) else f"error: {told['message']}", file=sys.stderr)
    if "hint" in told:
        print(f"hint: {told['hint']}", file=sys.stderr)
    return code


def printable(message: str) -> str:
    """One line of printable characters, not longer than a screen."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(message.split()))
    return line if len(line) <= LONGEST else line[:LONGEST] + " ..."
