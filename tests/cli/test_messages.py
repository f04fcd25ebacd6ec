"""The command line: what a wrong word gets, and what a right one prints."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rollwise.cache.store import Store
from rollwise.games.pig.rules import Pig
from rollwise.questions.ask.command import NEXT_CONFLICTS

Run = Callable[..., tuple[int, str, str]]
Said = Callable[..., str]

FULL_SHEET = (
    "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,three_of_a_kind:20,four_of_a_kind:21,five_of_a_kind:0,3-2-1:0,"
    "three_pairs:0,two_triples:0,low_straight:20,high_straight:30,super_straight:0,sixzee:0,chance:24"
)
BAD = [
    ("ask zilhc", "error: there is no game 'zilhc'; did you mean 'zilch'?"),
    ("ask yatzee", "did you mean 'yahtzee'?"),
    (
        "ask bluff total=9 call=9",
        "error: the player who replies to a call does not see the total; say the total to call",
    ),
    ("ask bluff -p players=5", "error: 'bluff' parameter players is from 2 to 4, got 5"),
    ("ask bluff --seed 1", "error: a seed is for a draw: say draw too"),
    ("ask pig --draw", "error: draw is for games whose best play is a mix of moves"),
    ("ask pig mine", "a field is given as name=value, got 'mine'"),
    ("ask pig mine=100", "mine is from 0 to 99, got 100"),
    ("ask pig mine=x", "mine is a whole number, got 'x'"),
    ("ask pig -p players=3", "'pig' has no parameter 'players'; it has: target"),
    ("ask pig -p target=1", "parameter target is from 2 to 1000, got 1"),
    ("ask ten-thousand mine=8420", "mine is a multiple of 50, got 8420"),
    ("ask ten-thousand roll=1,5,7", "roll needs 1 to 6 faces in 1..6, got 1,5,7"),
    ("ask ten-thousand turn=300", "say how many dice are left"),
    ("ask ten-thousand -p goal=1025", "goes in steps of 50"),
    ("ask ten-thousand -p players=1 theirs=50", "has no field 'theirs'"),
    ("ask shut-the-box open=1,2,2", "open names 2 twice"),
    ("ask shut-the-box open=1,2,12", "open is from 1 to 9, got 12"),
    ("ask yahtzee roll=1,2,3", "roll needs 5 faces in 1..6, got 1,2,3"),
    ("ask sixzee roll=1,2,3,4,5", "roll needs 6 faces in 1..6, got 1,2,3,4,5"),
    ("ask sixzee filled=chance:0", "box 'chance' can hold 6 to 36, got 0"),
    ("ask sixzee rolls_left=1", "rolls_left=1 needs roll; before the first throw leave both out"),
    ("ask sixzee -p bonus_when=always", "bonus_when is one of placed, possible, got always"),
    ("ask sixzee -p sixzee_bonus=-1", "sixzee_bonus is from 0 to 1000, got -1"),
    ("ask piggy-six theirs=104", "this is the last turn: seat=1"),
    ("ask piggy-six -p choose=roll", "choose=roll needs max_dice=3"),
    ("ask piggy-six -p robots=a", "robots is a list like 8,14, got 'a'"),
    ("ask dice-roulette bet=13", "bet is one of 2, 3,"),
    ("ask pay-the-rent markers=4:2", "so the pot holds 3 chips or more, got 0"),
    ("ask bouncer -p players=7", "players is from 3 to 6, got 7"),
    ("ask bouncer chips=12,12,13", "3 players hold 36 chips together, got 37"),
    ("ask bouncer chips=12,11,13", "say the roll to beat"),
    ("compare pig hold-at-21", "has no policy 'hold-at-21'"),
    ("compare drop-dead x", "drop-dead(players=2) is a luck game"),
    ("ask pig game=3", "no field 'game'"),
    ("export pig", "say where to write"),
    ("export pig -o /nowhere/at/all.parquet", "/nowhere/at"),
    ("export drop-dead -o x.parquet", "no decisions"),
    ("verify zilhc", "error: there is no game 'zilhc'"),
    ("fetch pig", "No such command 'fetch'"),
    ("export drop-dead -o - --format csv", "no decisions"),
    ("play", "error: say which game, or --resume FILE"),
    ("play pig --seat 2", "error: seats of pig are 0 to 1, all or none, got 2"),
    ("play pig --seat first", "error: seats of pig are 0 to 1, all or none, got first"),
    ("play shut-the-box --seat 1", "error: shut-the-box is played alone here, by seat 0; got 1"),
    ("play pig turn=1", "error: turn=1 is impossible"),
    ("play pig --save missing/pig.jsonl", "there is no folder 'missing'"),
    ("play --resume missing.jsonl", "error: missing.jsonl cannot be read"),
    ("play pig --resume missing.jsonl", "name no game, state, parameter or seed"),
    ("quiz thunderstorm", "error: Thunderstorm (players=3) has no choices"),
    *(
        (f"forecast {game}", "error: forecast needs a solo game with a final score (yahtzee, sixzee, shut-the-box); ")
        for game in ("pig -p target=5", "ten-thousand -p players=1 -p goal=500", "big-six")
    ),
    ("forecast shut-the-box -p objective=clear", "; shut-the-box is played with objective=clear here"),
    *((f"solve {game} --lengths", "lengths are for games of luck") for game in ("pig", "pay-the-rent")),
]
NO_MOVE = [  # of a question that is looked at first
    ("pig turn=4 --why pass", "'pass' is no move here; the moves are: "),
    ("pig turn=2 --why roll", "error: roll is the best move itself; compare it with hold"),
    ("pig --why", "error: there is nothing to compare: the only move here is roll"),
    ("pig --why roll", "error: there is nothing to compare: the only move here is roll"),
    ("bouncer --why", "error: there is nothing to compare: bouncer has no choices"),
    ("pig turn=4 --lines", "error: --lines needs --why"),
    ("pig turn=4 --why --lines", "error: --lines is for a score sheet: pig is a duel"),
    ("pig turn=4 --why --exact --draw", "error: --why compares two moves; leave out --draw and --exact"),
    ("shut-the-box roll=3,4 --why shut 5", "; the moves are: shut 3 4, shut 7"),
    ("shut-the-box roll=3,4 --why --lines", "error: --lines is for a score sheet: shut-the-box has none"),
    ("pig turn=4 --next holt", "error: 'holt' is no move here (did you mean 'hold'?); the moves are: hold, roll"),
    ("pig turn=3 --next", "error: say which move; the moves are: hold, roll"),
    ("pig turn=4 --each", "--each lists the throws of a move; say which with --next MOVE"),
    ("pig turn=4 --next roll --exact", "--next does not go with --exact: chances are fractions already"),
    ("pig turn=4 --next roll --draw", "--next does not go with --draw: name the move"),
    *((f"pig turn=4 --next roll --{word}", f"--next does not go with --{word}") for word in ("all-moves", "lengths")),
    ("pig turn=4 --next roll --seed 0", "--next does not go with --seed"),
    ("big-six --next hold", "error: 'hold' is no move here; the moves are: roll"),
]

OVER = [
    ("ask ten-thousand roll=2,3,4,6,6,2", "The turn is over: roll 2 2 3 4 6 6 scores nothing."),
    (
        f"ask sixzee filled={FULL_SHEET}",
        "The game is over: every box is filled.\nhint: leave at least one box out of filled",
    ),
    ("ask big-six chips=0,5", "The game is over, seat 0 has no chips left and won."),
    ("ask slam scores=15,3", "The game is over: only seat 1 is still in, and has lost."),
    ("ask martinetti positions=24,3", "The game is over: seat 0 has won."),
    ("ask shut-the-box open=1,2 roll=6,6", "The turn is over with 3 points: roll 6 6 fits no open box."),
]


def require_one_line(words: str, told: str, run: Run) -> None:
    code, out, err = run(*words.split())
    assert (code, out) == (2, ""), words
    assert [line.partition(": ")[0] for line in err.splitlines()] in (["error"], ["error", "hint"]), words
    assert told in err, words


def test_bad_input_gets_one_line_and_exit_code_2(run: Run, own_cache: Store) -> None:
    for words, told in BAD:
        require_one_line(words, told, run)
        assert not own_cache.root.exists(), words  # nothing is written


def test_so_does_what_cannot_be_followed_or_compared(run: Run) -> None:
    for words, told in NO_MOVE:
        require_one_line(f"ask {words}{' -p target=10' if words.startswith('pig') else ''}", told, run)


def test_every_option_that_next_refuses_has_a_reason() -> None:
    assert set(NEXT_CONFLICTS) == {"exact", "all_moves", "lengths", "draw", "seed"}


def test_what_is_over_is_told_as_such_and_there_is_no_answer(run: Run) -> None:
    for words, told in OVER:
        assert run(*words.split()) == (2, "", f"{told}\n")


def test_what_is_too_large_for_fractions_says_what_else_can_be_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.solver.exact.optimal.MAX_EDGES", 1)
    told = "fractions are too large from here; leave out --exact (the interval is certified)"
    upper = "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18"
    lower = "three of a kind:0,four of a kind:0,full house:0,small straight:0,large straight:0,yahtzee:0"
    reach = ("ask", "yahtzee", "-p", "objective=reach", "target=120", f"filled={upper},{lower}")
    assert run(*reach, "--exact") == (1, "", f"error: {told} or fill more boxes\n")


def test_ctrl_c_gets_one_line_and_exit_code_1(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rollwise.questions.ask.compute.ask", interrupted)
    assert run("ask", "pig") == (1, "", "stopped\n")


@pytest.mark.parametrize("command", ["ask", "odds"])
def test_a_board_that_no_game_comes_to_is_refused_whoever_asks(
    command: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pig, "possible", lambda self, board: board.mine != 5)
    monkeypatch.setattr(Pig, "impossible", lambda self, position: "")
    code, _, err = run(command, "pig", "-p", "target=10", "mine=5")
    assert (code, err) == (2, "error: mine=5 theirs=0 turn=0 is impossible: no play of Pig comes to it\n")
