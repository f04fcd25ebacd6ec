"""What games refuse, as it is typed, and the line that says why."""

from __future__ import annotations

import shlex

import pytest

from rollwise.games.registry import game
from rollwise.parsing.validate import parse_assignments, parse_fields, parse_game
from rollwise.solver.model.errors import BadInput, ParameterError

CLOSED = "ones,twos,threes,fours,fives,sixes,five of a kind,big straight,small straight,full house".replace(" ", "_")
BETS = "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, under 7, over 7, odd, even"
QUESTIONS: dict[str, dict[str, str]] = {
    "421": {
        "pot=4": "chips| chips and pot are 20 together with 3 players, got chips 9 and pot=4",
        "pot=4 chips=3,2,11": "chips| chips are at least 3 until the pot is empty, got 2 for seat 1",
        "pot=0 chips=7,7,7": "chips| chips are at most 20 with 3 players, got 7+7+7=21",
        "pot=0 chips=7,0,7": "chips| chips has 0 for seat 1, which has won",
        "pot=0 chips=5,2,13": "chips| chips with none put back yet are 1, or 3 and more,",
        "pot=0 chips=5,1,14": "opener| opener has 1 chip after a 4-2-1 with none put back yet, got 5 for",
        "pot=0 chips=5,6": "chips| chips is a list of 3 numbers, got 2",
        "opener=1": "opener| opener is seat 0 in the first round, got 1",
        "pot=9 chips=3,5,3 opener=1": "opener| opener=1 makes seat 0 throw last, which has taken no",
        "results=-,6-5-5": "results| results has 6-5-5 for seat 1, which has not rolled yet: seat 0 opens",
        "results=6-5-5,6-5-5,3-2-1": "results| results has every seat, so the round is over",
        "results=6-5": "results| results names throws of three faces in 1..6 like 4-2-1, got 6-5",
        "results=6-5-5,1-1-7": "results| results names throws of three faces in 1..6 like 4-2-1, got 1-1-7",
        "rolls=2": "rolls| rolls is 1 until the pot is empty, got 2",
        "rolls_left=2": "rolls_left| rolls_left is 1 before the first throw, got 2",
        "roll=421 rolls_left=1": "rolls_left| rolls_left is at most 0 with a roll on the table, of 1 allowed",
        "pot=0 chips=4,7,9 rolls=2": "rolls| rolls=2 is the opener's, who has not rolled yet",
        "pot=0 chips=4,7,9 results=6-5-5": "rolls| rolls, the throws that the opener has used, is 1 to 3, got none",
        "pot=0 chips=4,7,9 results=6-5-5 rolls=2 roll=421 rolls_left=2": "rolls_left| rolls_left is at most 1",
        "pot=0 chips=4,7,9 results=6-5-5 rolls=2 rolls_left=1": "rolls_left| rolls_left is 2 before the first throw",
        "roll=4217": "roll| roll needs 3 faces in 1..6, got 4,2,1,7",
    },
    "aces-in-the-pot": {
        "coins=2,2,2,3": "the game holds 8 coins, got 9",
        "coins=0,0,0,0": "the last coin never goes into the pot, so a seat has a coin, got none",
        "coins=0,2,0,3": "mover is a seat that has a coin (1, 3), got 0",
    },
    "big-six -p players=3": {
        "chips=5,0,4": "the game is over, seat 1 has no chips left and won",
        "board=1": "the game holds 15 chips, got 15 in hand and 1 on the board",
        "chips=5,4,5": "at most once, got 5,4,5 from the mover on",
    },
    "bluff": {
        "total=2": "total| total is from 3 to 18, got 2",
        "total=19": "total| total is from 3 to 18, got 19",
        "call=2": "call| call is from 3 to 18, got 2",
        "call=9 total=9": "total| the player who replies to a call does not see the total",
        "mine=4 last=9 call=9": "call| call is higher than the last one, 9, got 9",
        "mine=4 last=18 call=18": "call| call is higher than the last one, 18, got 18",
        "mine=4 last=18 total=5": "last| a call of 18 must be challenged, no call follows it",
        "mine=4 last=2": "last| last is a call from 3 on, or 0 for none, got 2",
        "last=9": "last| last=9 was accepted, so a chip is in the pot: mine and theirs are 9 chips at most",
        "mine=6": "theirs| mine and theirs are 10 chips at most, got 6 + 5",
        "mine=10": "mine| mine is from 1 to 9, got 10",
    },
    "busted": {
        "chips=20,19,19": "board| 3 players have 75 chips, in hand and on the board together, got 58 and 0",
        "chips=20,19,19 board=3:3": "board| 3 players have 75 chips, in hand and on the board together, got 58",
        "chips=40,40,40": "chips| 3 players have 75 chips, in hand and on the board together, got 120 and 0",
        "chips=70,5,-,1": "chips| chips is a list of 3 numbers, got 4",
        "chips=-,-,75": "chips| the game is over, seat 2 is the last one in and won",
        "chips=-,-,-": "chips| the last one in wins with chips in hand, got no chips at all",
        "chips=25,-,50 mover=1": "mover| mover is a seat that is still in (0, 2), got 1",
        "chips=25,25,21 board=5:4": "board| space 5 holds 5 chips or none while everybody is in, got 4",
        "chips=25,25,19 board=5:6": "board| space 5 holds 5 chips or none, got 6",
        "chips=25,25,20 board=7:5": "board| space 7 holds a multiple of 7 chips while everybody is in, got 5",
        "chips=25,-,44 board=5:6": "board| space 5 holds 5 chips or none, got 6",
        "chips=25,-,41 board=5:4,7:5": "board| spaces 5 and 7 are both filled in part, but only one player",
        "chips=25,-,41 board=5:4,9:5": "board| spaces 5 and 9 are both filled in part, but only one player",
        "board=2:2": "board| board names spaces from 3 to 11, got 2",
        "board=3:3,3:3": "board| board names space 3 twice",
        "board=3:99": "board| board names chips from 0 to 75, got 99",
        "board=3": "board| board is a list of space:chip like 3:3,7:14, got '3'",
        "taken=maybe": "taken| taken is true or false, got 'maybe'",
        "chips=3,40,32 taken=true": "taken| taken=true, but no space can have been emptied that leaves",
        "mover=3": "mover| mover is from 0 to 2, got 3",
    },
    **{
        f"cameroon -p objective={objective}": {
            "mine=ones closed=ones": "'ones' is in mine and in closed",
            "mine=ones theirs=ones": "'ones' is in mine and in theirs",
            "mine=full_house": "mine has 'full house', which is closed to both once either has scored it",
            f"closed={CLOSED}": "every box is closed, the game is over",
            "kept=6,6 roll=1,2,3,4 rolls_left=1": "kept and roll are 5 dice together, got 2 and 4",
            "roll=1,2,3,4": "kept and roll are 5 dice together, got 0 and 4",
            "kept=6,6": "with kept=6 6 say rolls_left",
            "kept=6,6 rolls_left=0": "rolls_left=0 needs roll, the 3 faces beside those kept",
            "kept=6,6 rolls_left=3": "no dice are set aside before the first throw",
            "kept=6,6 roll=1,2,3 rolls_left=2": "no dice are set aside before the first throw",
            "roll=1,2,3,4,5 rolls_left=3": "after a throw up to 2 are left, got rolls_left=3",
            "mine=sixes difference=13": "difference=13 cannot come of the boxes that are filled",
            "roll=1,2,3,4,5,6": "needs 1 to 5 faces",
            "closed=four_of_a_kind": "closed has no box 'four of a kind'",
        }
        for objective in ("margin", "win")
    },
    "cameroon -p must_keep=true": dict.fromkeys(
        ("rolls_left=2", "rolls_left=1 kept=6", "rolls_left=1 roll=1,2,3,4,5"), "with must_keep=true and rolls_left="
    ),
    "cops-and-robbers": {
        "scores=60,0,50,30 last=1": "the game is over: seat 1 has got away and the robbers have won",
        "scores=60,10,50,-2 last=1": "the game is over: seat 3 has got away and the robbers have won",
        "scores=60,-,50,- last=1": "the game is over: both robbers are caught and the cops have won",
        "scores=-,40,50,30 last=1": "nobody catches the cop in seat 0, who needs points, got -",
        "scores=60,40,40,30 last=1": "the cop in seat 2 has caught the robber in seat 1, who has -, got 40",
        "scores=75,40,50,30 last=1": "after the first round seat 0 has at most 74 points, got 75",
        "scores=74,64,74,60 last=1": "after the first round seat 1 has at most 63 points, got 64",
        "last=3": "after the first round seat 0 has at most 74 points, got 75",
        "scores=60,-,50,30 last=1 mover=1": "the robber in seat 1 is caught, so the mover is another",
        "scores=60,40,50,30": "without last this is the first round, and with mover=0 seat 0 has 75 points, got 60",
        "scores=68,64,75,66 mover=1": "with mover=1 seat 0 has 69 to 74 points, got 68",
        "scores=70,-,75,66 mover=2": "with mover=2 seat 1 has 58 to 63 points, got -",
    },
    "dice-roulette": {"bet=13": "got '13'", "bet=sevens": f"bet is one of {BETS}, got 'sevens'"},
    "drop-dead": {
        "scores=3,0 mover=0": "seat 0 has not finished (mover=0), so its score is 0, got 3",
        "scores=3,8 mover=1": "seat 1 has not finished (mover=1), so its score is 0, got 8",
        "turn=12": "with turn=12 say how many dice are left (dice=1 to 5)",
        "turn=6 dice=5": "with 5 dice left the mover cannot have 6 points",
        "turn=2 dice=3": "with 3 dice left the mover cannot have 2 points",
    },
    "finish -p players=4": {
        "chips=10,10,11,10": "the game holds 40 chips, got 41",
        "chips=-,12,-,- mover=1": "the game is over, seat 1 is the last one in and won",
        "chips=-,-,-,-": "the last one in wins with chips in hand, got no chips at all",
        "chips=-,12,-,3": "mover is a seat that is still in (1, 3), got 0",
        "placed=3 opened=0": "with placed=3 the opener of the round has rolled, got opened=0",
        "opened=1": "at least 6 have been paid to the pot, which holds the other 0 of 40",
        "chips=10,10,10,9 opened=1": "at least 6 have been paid to the pot, which holds the other 1 of 40",
        "chips=12,10,9,8": "at least 5 have been paid to the pot, which holds the other 1 of 40",
    },
    "finish -p players=2 -p placing=free": {
        "roll=2,3,3,4,5,6": "roll 2 3 3 4 5 6 has no 1 to add to the row, the turn is over",
        "placed=2 roll=3,3,3": "roll needs 4 faces with placed=2, got 3: 3 3 3",
        "chips=20,-": "the game is over, seat 0 is the last one in and won",
        "chips=15,6": "the game holds 20 chips, got 21",
    },
    "high-dice": {
        f"bank={given}": f"bank| bank needs 2 faces in 1..6, got {shown}"
        for given, shown in {"7-1": "7,1", "3": "3", "1-2-3": "1,2,3", "0-1": "0,1", "-1-3": "-1-3", "x": "x"}.items()
    },
    "killer": {
        "mine=sevens": "mine has no box 'sevens'; boxes: trebles, bull's eye",
        "mine=ones,ones": "mine names 'ones' twice",
        "mine=3": "mine has no box '3'",
        "mine=ones theirs=ones": "'ones' is in mine and in theirs; a box is in one list or in none",
        "theirs=ones closed=ones": "'ones' is in theirs and in closed",
        "closed=trebles,bulls_eye,doubles,sequences,ones,twos,threes,fours,fives,sixes": "every box is closed",
        "rolls_left=1": "rolls_left=1 needs roll",
        "roll=1,2,3,4,5 rolls_left=2": "up to 1 throw is left, got rolls_left=2",
        "roll=1,2,3,4,5 rolls_left=3": "rolls_left is from 0 to 2, got 3",
        "roll=1,2,3,4,7": "roll needs 5 faces in 1..6",
    },
    "martinetti -p players=3": {
        "positions=24,15,24": "only one seat can cross off all 24 squares, got seats 0, 2",
        "positions=3,24,3": "the game is over: seat 1 has won",
    },
    "martinetti -p crossing=free": {
        "positions=24,24": "only one seat can cross off all 24 squares, got seats 0, 1",
        "positions=3,24": "the game is over: seat 1 has won",
        "positions=3,0 roll=126": "roll 1 2 6 offers no 4, the next number of positions=3, the turn is over",
    },
    "mexico": {
        "lives=6,- results=-,6-5": "results has 6-5 for seat 1, which is out",
        "lives=6,0 results=6-4,6-5": "results has 6-5 for seat 1, which is out",
        "lives=6,-": "seat 1 has no life left, seat 0 has won",
        "lives=0,3": "seat 0 has no life left, seat 1 has won",
        "lives=0,-": "the game has ended as a dead game",
        "results=-,6-5": "results has 6-5 for seat 1, which has not rolled yet: seat 0 opens this round",
        "results=6-5,6-5": "results has both players, so the round is over",
        "opener=1": "seat 0 opens every round, got opener=1",
        "rolls_left=0": "with rolls_left=0 give the roll",
        "roll=12 rolls_left=3": "with roll 1 2 on the table up to 2 throws are left, got rolls_left=3",
    },
    "mexico -p players=3": {
        "lives=0,0,3": "seats 0, 1 have no life left, seat 2 has won",
        "lives=0,2,3 opener=0": "opener is a seat that is still in, and seat 0 is out",
        "lives=0,2,3 opener=2": "seat 1, the first that is still in, opens every round",
        "results=6-5,-,6-4": "results has 6-4 for seat 2, which has not rolled yet: seat 1",
        "results=6-5,6-5,6-4": "results has all players who are in, so the round is over",
    },
    "mexico -p players=4 -p opener=rotating": {
        "opener=2 results=6-5,-,-,-": "results has 6-5 for seat 0, which has not rolled yet: seat 2 opens this round"
    },
    "pay-the-rent": {
        "markers=4:0,4:1": "markers names face 4 twice",
        "markers=4:3": "markers names seats from 0 to 2, got 3",
        "markers=4": "markers is a list of face:seat like 4:0,6:2, got '4'",
        "markers=four:0": "markers is a list of face:seat like 4:0,6:2, got 'four:0'",
        "pot=5": "the pot of 3 players is a multiple of 3, or one chip more, got 5",
        "markers=4:2": "these markers take 1 roll or more, so the pot holds 3 chips or more, got 0",
        "markers=4:1,5:1 pot=9": "these markers take 5 rolls or more, so the pot holds 15 chips or more, got 9",
    },
    "pay-the-rent -p players=4": {"pot=5": "the pot of 4 players is a multiple of 4, got 5"},
    "pay-the-rent -p banker=always": {"markers=6:1": "the marker of the sixes is the banker's, seat 2, got seat 1"},
    "pay-the-rent -p banker=second_pair": {
        "markers=1:2,6:2 pot=4": "these markers take 2 rolls or more, so the pot holds 6 chips or more, got 4",
        "markers=6:0 pot=3": "the marker of the sixes is the banker's, seat 2, got seat 0",
    },
    "piggy-six": {"theirs=104": "this is the last turn: seat=1"},
    "piggy-six -p max_dice=3": {"turn=4": "say how many dice were chosen", "dice=2": "leave it out"},
    "piggy-six -p players=3 -p target=50": {
        "theirs=50,0": "theirs has 50 for seat 1, which has not moved in this round: whoever reaches 50",
        "theirs=50,0 seat=1": "theirs has 50 for seat 2, which has not moved in this round",
        "theirs=0,105 seat=1": "theirs is solved up to 99 for seat 0, got 105",
        "turn=1": "turn=1 is impossible: a throw of 2 dice adds 2 points or more",
        "mine=40 turn=70": "turn=70 and mine=40 make 110; from 90 on you hold, and scores are solved",
    },
    "piggy-six -p players=3 -p target=50 -p max_dice=3": {
        "mine=10 turn=2 dice=3": "turn=2 is impossible: a throw of 3 dice adds 3 points or more"
    },
    "sevens": {
        "mine=77": "the mover is out, the other player has won",
        "theirs=80": "the other player is out, the mover has won",
        "mine=77 theirs=77": "both players are out",
        "left=1,2,5,5": "left has 2 and 5, which make seven and are set aside",
        "left=1,1,2": "left is an even number of dice, since sevens go in pairs, got 1 1 2",
        "left=1,1 rolls_left=3": "of 3 throws allowed up to 2 are left after one, got rolls_left=3",
        "left=1,1 result=4 rolls=1 rolls_left=1": "of 1 throws allowed up to 0 are left after one",
        "rolls_left=2": "before the first throw 3 of 3 are left, got rolls_left=2",
        "result=4 rolls=2 rolls_left=3": "before the first throw 2 of 2 are left, got rolls_left=3",
        "result=4 rolls_left=0": "before the first throw 3 of 3 are left, got rolls_left=0",
        "opener=theirs": "give result, the opener's points",
        "rolls=2": "give result, the opener's points",
        "opener=mine result=4": "result=4 is the opener's, who has not rolled yet",
        "opener=mine rolls=1": "rolls=1 is the opener's, who has not rolled yet",
        "opener=me": "opener is mine or theirs, got 'me'",
        "result=1": "result=1 cannot be: an even number of dice is left over",
        "left=1,7": "left needs 0 to 6 faces",
    },
    "shut-the-box -p players=3": {
        "open=none": "every box is shut, the turn is over with 0 points",
        "open=2,3,4,5,6,7": "until 7 8 9 are all shut, box 1 is only shut together",
        "open=1,2,8 roll=2": "roll shows one die, but box 8 is open",
        "open=3,5,6 roll=1,4": "roll 1 4 fits no open box, the turn is over with 14 points",
        "open=1,3,3": "open names 3 twice",
        "mover=1": "with mover=1 say the best score so far, best=0 to 45",
        "mover=1 holders=0": "with mover=1 say the best score",
        "mover=1 best=12": "best=12 needs holders",
        "mover=1 best=12 holders=1": "holders names seat 1, which has no score yet with mover=1",
        "best=12": "best=12 with mover=0, but nobody has a score",
        "mover=2 best=44 holders=0": "best=44 cannot be",
    },
    "six-by-6": {
        "posted=1 roll=1,2,3,4,5": "posted=1 with carry=0 cannot be",
        "posted=2 roll=1,2,3,4": "pays for no other, the round is over with 22 points",
        "posted=5 roll=5": "roll 5 earns nothing and carry=0 pays for no other, the round is over with 35 points",
        "carry=200": "carry is from 0 to",
        "carry=2 posted=1 roll=1,2,3,4": "roll needs 5 faces with posted=1, got 4: 1 2 3 4",
    },
    "six-by-6 -p players=2 -p posting=free": {
        "carry=41": "carry is from 0 to 40, got 41",
        "mover=1 best=80 holders=0": "best is from 21 to 79, got 80",
    },
    **{
        f"six-by-6 -p players=3 -p posting={posting}": {
            "mover=1": "with mover=1 say the best score so far, best=2",
            "best=40": "best=40 with mover=0, but nobody has a score before seat 0 has played",
            "mover=2 best=40": "best=40 needs holders, the seats that have it (0 to 1)",
            "mover=1 best=40 holders=1": "holders names seat 1, which has no score yet with mover=1",
            "mover=1 best=36 holders=0": "best=36 cannot be: a rack scores 37 or more, any other round 35",
        }
        for posting in ("forced", "free")
    },
    "sixzee": {
        "filled=sixes:17": "box 'sixes' can hold 0, 6, 12, 18, 24, 30, 36, got 17",
        "filled=three_of_a_kind:5": "box 'three of a kind' can hold 0, 6 to 36, got 5",
        "filled=two_triples:12,two_triples:10": "filled names 'two triples' twice",
        "filled=yahtzee:50": "filled has no box 'yahtzee'; boxes: ones, twos",
        "filled=ones": "filled is a list like box:score",
        "rolls_left=2": "rolls_left=2 needs roll; before the first throw leave both out",
        "roll=1,2,3,4,5": "roll needs 6 faces in 1..6, got 1,2,3,4,5",
    },
    "slam -p players=3": {
        "scores=15,15,15": "the last player in never gets to 15 points, got 15 for all seats",
        "scores=15,15,3 mover=2": "the game is over: only seat 2 is still in, and has lost",
        "scores=-,3,-": "the game is over: only seat 1 is still in, and has lost",
        "scores=1,15,3 mover=1": "mover is a seat that is still in (0, 2), got 1, which is out",
    },
    "ten-thousand": {
        "turn=300": "say how many dice are left",
        "roll=2,3": "scores nothing",
        "roll=1,5 dice=3": "leave dice out",
    },
    "thunderstorm": {
        "failures=-,3,-": "the game is over: seat 1 is the last one in and has won",
        "failures=-,-,-": "failures has at least two seats that are still in, got none",
        "failures=-,3,0": "the mover is a seat that is still in (1 or 2), got 0",
        "failures=7,0,0": "from 0 to 6, got 7",
    },
    "yahtzee": {
        "filled=chance:4": "box 'chance' can hold 5 to 30, got 4",
        "filled=three_of_a_kind:3": "box 'three of a kind' can hold 0, 5 to 30, got 3",
        "filled=yahtzee:100": "box 'yahtzee' can hold 0, 50, got 100",
        "roll=1,2,7": "roll needs 5 faces in 1..6, got 1,2,7",
    },
    "zilch": {
        "turn=600 dice=6 trio=2": "beside a trio on the board 1 to 3 dice are left to throw, got 6",
        "turn=600 roll=1,2,3,4 trio=3": "1 to 3 dice are left to throw, got 4",
        "trio=3": "1 to 3 dice are left to throw, got 6",
        "mine=300": "mine is 0, or 750 (the opening) or more, got 300",
        "theirs=700": "theirs is 0, or 750 (the opening) or more, got 700",
        "turn=300": "with turn=300 say how many dice are left",
        "turn=100 dice=3": "turn=100 is impossible with 3 dice to throw: the dice kept before make 150 points or more",
        "dice=2": "turn=0 is impossible with 2 dice to throw: the dice kept before make 200 points or more",
        "turn=200 dice=5": "turn=200 is impossible with 5 dice to throw: no dice that are kept make so many",
        "turn=300 dice=2 trio=4": "beside a trio of 4 4 4: the dice kept before make 450 points or more",
        "turn=900 dice=3 trio=1": "beside a trio of 1 1 1: the dice kept before make 1000 points or more",
        "turn=250 dice=6": "turn=250 is impossible with 6 dice to throw",
        "turn=1100 must_roll=yes": "turn=1100 is impossible with 6 dice to throw",
        "turn=1000 dice=3 must_roll=yes": "after a special throw all 6 dice must be thrown, got 3",
        "turn=300 roll=2,3,4": "roll 2 3 4 scores nothing, the turn is over",
        "turn=300 roll=1,5 dice=3": "roll shows 2 dice, but dice says 3; leave dice out",
        "mine=925": "mine is a multiple of 50, got 925",
        "theirs=14000": "theirs is from 0 to 13950, got 14000",
        "roll=1,7": "roll needs 1 to 6 faces in 1..6",
    },
}
RULES: dict[str, str] = {
    "421 players=4": "players is one of 3, 2, got 4; 4 players would have at least 100 million boards: about",
    "aces-in-the-pot players=3": "players is from 4 to 10",
    "aces-in-the-pot players=11": "players is from 4 to 10",
    "big-six players=1": "players is from 2 to 6",
    "big-six players=7": "players is from 2 to 6",
    "bluff chips=11": "chips is from 1 to 10, got 11",
    "busted players=4": "players| players is one of 3, 2",
    "busted chips=24": "chips is from 25 to 30, got 24",
    "busted chips=31": "chips is from 25 to 30, got 31",
    "cops-and-robbers six=both": "six is one of bonus_too, bonus_only, got both",
    "dice-roulette pays=13:2": "pays names numbers from 2 to 12, got '13'",
    "dice-roulette pays=1:2": "pays names numbers from 2 to 12, got '1'",
    "dice-roulette pays=odd:2": "pays names numbers from 2 to 12, got 'odd'",
    "dice-roulette pays=9:-3": "pays of 9 is from 0 to 10000 chips, like 7 or 6.5, got '-3'",
    "dice-roulette pays=9:": "pays of 9 is from 0 to 10000 chips, like 7 or 6.5, got ''",
    "dice-roulette pays=9:1/2": "pays of 9 is from 0 to 10000 chips, like 7 or 6.5, got '1/2'",
    "dice-roulette pays=9:10001": "pays of 9 is from 0 to 10000 chips, like 7 or 6.5, got '10001'",
    "dice-roulette pays=9:7,9:8": "pays names 9 twice",
    "dice-roulette pays=9:7,09:8": "pays names numbers from 2 to 12, got '09'",
    "dice-roulette pays=7": "pays is a list like 2:28,3:14, got '7'",
    "dice-roulette players=4": "'dice-roulette' has no parameter 'players'",
    "drop-dead players=9": "players is from 2 to 8, got 9",
    "finish players=2": "players| 'finish' with placing=forced is for 3 to 5 players, got 2",
    "finish players=6": "players| 'finish' parameter players is from 2 to 5, got 6",
    "finish players=4 placing=free": "players| 'finish' with placing=free is for 2 or 3 players, got 4",
    "finish players=5 placing=free": "players| 'finish' with placing=free is for 2 or 3 players, got 5",
    "finish players=1 placing=free": "players| 'finish' parameter players is from 2 to 5, got 1",
    "high-dice rule=usual": "rule is one of banker_loses_1_1, double_on_6_6, got usual",
    "killer objective=win": "objective is one of margin",
    "killer must_score=perhaps": "must_score is true or false",
    "martinetti players=9": "players is from 2 to 8, got 9",
    "martinetti crossing=free players=5": "crossing=free is for 2 to 4 players, got 5",
    "mexico players=5": "players is one of 2, 3, 4",
    "mexico players=4 lives=20": "lives=20 is too much for 4; 4 players would have at least 63 million boards",
    "mexico opener=first": "opener is one of fixed, rotating, got first",
    "pay-the-rent players=2": "players is from 3 to 6, got 2",
    "pay-the-rent players=7": "players is from 3 to 6, got 7",
    "pay-the-rent banker=yes": "banker is one of none, always, second_pair, got yes",
    "piggy-six robots=8,9,10": "one or two totals",
    "piggy-six choose=roll": "needs max_dice=3",
    "piggy-six robots=8 players=3": "against robots is played alone",
    "piggy-six players=3 target=51": "up to 50, got 51: in longer games more best moves follow each other in cycles",
    "shut-the-box objective=win": "with players=1 has objective score, clear or reach, got win",
    "shut-the-box objective=clear players=2": "with players=2 has objective win, got clear",
    "shut-the-box players=7": "players is from 1 to 6, got 7",
    "shut-the-box variant=full": "variant is one of basic, partial, got full",
    "six-by-6 posting=never": "posting is one of forced, free, got never",
    "six-by-6 players=9": "players is from 1 to 8, got 9",
    "six-by-6 players=5 posting=free": "with posting=free is for 1 to 4 players, got 5",
    "sixzee joker=perhaps": "'sixzee' parameter joker",
    "sixzee bonus_when=never": "bonus_when is one of placed, possible, got never",
    "slam players=9": "players is from 2 to 8, got 9",
    "ten-thousand objective=points": "players=2 has objective win",
    "ten-thousand players=1 objective=win": "turns, reach or points",
    "thunderstorm players=9": "players is from 3 to 8, got 9",
    "yahtzee joker=none": "'yahtzee' parameter joker",
    "zilch objective=points": "players=2 has objective win",
    "zilch players=1 objective=win": "turns, reach or points",
}
TRIAL: dict[str, tuple[object, ...]] = {  # boxes
    **{"cameroon": ("four of a kind", "sevens", ""), "killer": ("sevens",)},
    **{"shut-the-box": (2, 10), "sixzee": ("ones,yahtzee", ""), "yahtzee": ("ones,sevens", "")},
}


def require_line(refused: BadInput, told: str) -> None:
    """The error says this in one line; a name before ``|`` is the field that it is about."""
    field, _, line = told.rpartition("| ")
    said = str(refused)
    assert line in said
    assert "\n" not in said
    assert not field or refused.field == field


@pytest.mark.parametrize(
    ("made", "asked", "line"),
    [(made, asked, line) for made, asked_of in QUESTIONS.items() for asked, line in asked_of.items()],
    ids=[f"{made} {asked}" for made, asked_of in QUESTIONS.items() for asked in asked_of],
)
def test_a_question_that_cannot_be_is_told_why_in_one_line(made: str, asked: str, line: str) -> None:
    name, *parameters = made.split(" -p ")
    made_so = parse_game(name, parse_assignments(parameters, "parameter"))
    with pytest.raises(BadInput) as refused:
        made_so.locate(**parse_fields(made_so, parse_assignments(shlex.split(asked), "field")))
    require_line(refused.value, line)
    assert refused.value.field in (None, "", *(field.name for field in made_so.fields()))


@pytest.mark.parametrize(("made", "line"), RULES.items(), ids=RULES)
def test_rules_that_cannot_be_are_told_why_in_one_line(made: str, line: str) -> None:
    name, *parameters = shlex.split(made)
    with pytest.raises(BadInput) as refused:
        parse_game(name, parse_assignments(parameters, "parameter"))
    require_line(refused.value, line)


@pytest.mark.parametrize(("name", "boxes"), [(name, boxes) for name, wrong in TRIAL.items() for boxes in wrong])
def test_boxes_that_there_are_not_cannot_be_played(name: str, boxes: object) -> None:
    with pytest.raises(ParameterError, match="parameter boxes is "):
        game(name, {"boxes": boxes})
