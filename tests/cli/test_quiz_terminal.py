"""``quiz`` at the terminal: questions, answers from a pipe, the score."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rollwise.quizzing import drawn_up, quiz
from rollwise.quizzing.session import take
from tests.cli.test_quiz import PIG, SMALL

Run = Callable[..., tuple[int, str, str]]
Answer = Run
ROOT = Path(__file__).parents[2]


@pytest.fixture
def answered(run: Run, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Run a quiz with these answers in a pipe."""

    def answered(answers: str, *words: str, columns: int = 80) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        monkeypatch.setenv("COLUMNS", str(columns))
        return run("quiz", *words)

    return answered


PIG_QUIZ = ["pig", "-p", "target=30", "--seed", "7", "--look", "200", "-n", "4"]


def test_a_pipe_of_answers_becomes_a_transcript_with_a_score(answered: Answer) -> None:
    positions = quiz("pig", PIG, seed=7, look=200, n=4)
    right = [position.best[0] for position in positions]
    wrong = "hold" if right[1] == "roll" else "roll"
    number = str(positions[2].choices.index(right[2]) + 1)
    code, told, said = answered(f"{right[0]}\n{wrong.upper()}\nneither\n\n{number}\n?\n", *PIG_QUIZ)
    assert (code, said) == (0, "")
    lines = told.splitlines()
    assert lines[0] == "Pig (target=30)"
    assert [line for line in lines if line.startswith("> ")] == [
        *(f"> {word}" for word in (right[0], wrong.upper(), "neither")),
        *("> ", f"> {number}", "> ?"),
    ]
    assert sum(line.startswith("Right. ") for line in lines) == 2
    loss = 100 * positions[1].move(wrong).loss
    assert f"That costs {loss:.2f} pp. " in told
    assert "That is no move here" in told
    score = " ".join(lines[lines.index(next(line for line in lines if line.startswith("Score"))) :])
    assert score == (
        f"Score: 2 of 3 right, mean loss {loss / 3:.2f} pp, worst {loss:.2f} pp (question 2, {wrong} instead of "
        f"{right[1]}), 1 shown."
    )


def test_the_readme_shows_what_is_printed(answered: Answer) -> None:
    readme = (ROOT / "README.md").read_text()
    sample = re.search(r"^\$ printf '(.*)' \| rollwise quiz (.*)\n((?:.*\n)*?)```$", readme, re.MULTILINE)
    assert sample
    _, told, _ = answered(sample[1].replace("\\n", "\n"), *sample[2].split())
    assert told == sample[3]


def test_quit_and_the_end_of_the_answers_end_it_with_the_score(answered: Answer) -> None:
    _, told, _ = answered("quit\n", *PIG_QUIZ)
    assert told.endswith("Score: no answers (4 not asked).\n")
    right = quiz("pig", PIG, seed=7, look=200, n=4)[0].best[0]
    _, told, _ = answered(f"{right}\n", *PIG_QUIZ)
    assert told.endswith("Score: 1 of 1 right, mean loss 0 pp, 3 not asked.\n")


def test_the_heading_says_what_was_looked_at_and_what_is_left_out(
    answered: Answer,
) -> None:
    _, told, _ = answered("", *PIG_QUIZ)
    found = drawn_up("pig", PIG, seed=7, look=200, n=4)
    said = " ".join(told.split())
    assert f"Looked at {found.looked_at} decisions of {found.games} games that the best player plays (seed 7)" in said
    assert f"{found.differ} of them different. In {found.qualified} the second-best move costs more than" in said
    assert "0.5 percentage points (pp); the 4 hardest are asked, hardest first." in said


def test_where_no_position_qualifies_a_line_says_what_to_change(answered: Answer, tmp_path: Path) -> None:
    code, told, _ = answered("", *PIG_QUIZ, "--least", "99")
    told = " ".join(told.split())
    assert code == 0
    dearest = drawn_up("pig", PIG, seed=7, look=200, least=99).dearest
    assert f"the most is {100 * dearest:.2f} pp; try --least {90 * dearest:.2g}, or --look " in told
    _, again, _ = answered("", *PIG_QUIZ, "--least", f"{90 * dearest:.2g}")
    assert "asked, hardest first" in " ".join(again.split())
    (tmp_path / "pig.txt").write_text("mine=3\n")
    file = str(tmp_path / "pig.txt")
    _, told, _ = answered("", "pig", "-p", "target=30", "--file", file)
    said = f"Looked at 0 decisions of {file}, all different: nobody has a choice there; try another file."
    assert " ".join(told.split()) == said


def test_json_has_the_positions_and_asks_nothing(run: Run) -> None:
    code, told, said = run("quiz", *PIG_QUIZ, "--json")
    assert (code, said) == (0, "")
    plain = json.loads(told)
    assert plain == json.loads(json.dumps(drawn_up("pig", PIG, seed=7, look=200, n=4).plain()))
    first = plain["positions"][0]
    assert {"state", "value", "best", "moves", "choices", "second_loss", "wrong", "ask"} <= first.keys()
    wrong = [
        rule for each in drawn_up("pig", PIG, seed=7, look=200, n=99).plain()["positions"] for rule in each["wrong"]
    ]
    assert set(wrong[0]) == {"rule", "help", "move", "loss"}
    assert run(*first["ask"].removeprefix("rollwise ").split(), "--json")[0] == 0


def test_a_game_of_luck_is_refused_in_a_line(run: Run) -> None:
    code, told, said = run("quiz", "thunderstorm")
    assert (code, told) == (2, "")
    assert said.startswith("error: nobody chooses anything in Thunderstorm")
    assert said.count("\n") == 1


@pytest.mark.parametrize("columns", [40, 60])
def test_a_narrow_terminal_is_kept_to(columns: int, answered: Answer) -> None:
    for name in ("shut-the-box", "mexico"):
        words = [word for said in SMALL[name].items() for word in ("-p", "=".join(map(str, said)))]
        _, told, _ = answered("1\n2\n?\n", name, *words, "--seed", "7", "--look", "150", columns=columns)
        assert max(map(len, told.splitlines())) <= columns


def test_the_dice_are_drawn_and_the_order_of_the_moves_gives_nothing_away(answered: Answer) -> None:
    _, told, _ = answered("?\n" * 10, "shut-the-box", "--seed", "7", "--look", "150")
    found = quiz("shut-the-box", seed=7, look=150)
    assert "╭───╮ ╭───╮" in told
    assert all(f"  1 {position.choices[0]}" in told for position in found)
    assert {position.choices.index(position.best[0]) for position in found} > {0}


def test_colour_is_for_terminals_and_only_repeats_what_is_said(
    answered: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = quiz("pig", PIG, seed=7, look=200, n=4)[0].best[0]
    plain = answered(f"{right}\n1\n2\n", *PIG_QUIZ)[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = answered(f"{right}\n1\n2\n", *PIG_QUIZ)[1]
    assert "\x1b[" not in plain
    assert coloured != plain == re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    assert answered(f"{right}\n1\n2\n", *PIG_QUIZ)[1] == plain


def test_a_score_of_nothing_is_nothing() -> None:
    found = drawn_up("pig", PIG, seed=7, look=200, n=2)
    score = take(found, "Pig", lambda: None, lambda lines: None)
    assert (score.right, score.mean_loss, score.worst, score.shown, score.questions) == (0, 0.0, None, 0, 2)


def test_a_score_counts_what_was_right_and_what_was_lost() -> None:
    found = drawn_up("shut-the-box", seed=7, look=200, n=6)
    chosen = [position.moves[place % len(position.moves)].move for place, position in enumerate(found.positions)]
    waiting = iter(chosen)
    score = take(found, "Shut the Box", lambda: next(waiting), lambda lines: None)
    losses = [position.move(move).loss for position, move in zip(found.positions, chosen, strict=True)]
    assert score.right == sum(not loss for loss in losses) < 6
    assert score.mean_loss == pytest.approx(sum(losses) / 6)
    assert score.worst is not None
    assert (score.worst.loss, score.worst.number) == (max(losses), 1 + losses.index(max(losses)))
