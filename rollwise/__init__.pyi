# Every public name and its home. Type checkers read this file; ``__init__.py`` reads it when a name is first used.

from rollwise.cache.errors import (
    DamagedEntry as DamagedEntry,
    EntryBusy as EntryBusy,
    MissingSource as MissingSource,
    StoreError as StoreError,
)
from rollwise.games.cards import BestPlay as BestPlay, Cost as Cost
from rollwise.games.claims import Verdict as Verdict
from rollwise.games.policies import Policy as Policy
from rollwise.match.match import Match as Match
from rollwise.match.review.compute import review as review
from rollwise.match.review.data import ChoiceReview as ChoiceReview, Review as Review, SeatReview as SeatReview
from rollwise.policy_tables.export import Exported as Exported, export as export
from rollwise.questions.ask.compute import ask as ask
from rollwise.questions.ask.data import Advice as Advice, GoesFor as GoesFor, MoveAdvice as MoveAdvice, Then as Then
from rollwise.questions.best import best as best
from rollwise.questions.card.compute import card as card
from rollwise.questions.card.data import (
    Band as Band,
    Card as Card,
    FinishBand as FinishBand,
    Keep as Keep,
    Minimum as Minimum,
    SimplerCard as SimplerCard,
)
from rollwise.questions.catalogue import list_games as list_games, rules as rules
from rollwise.questions.compare.compute import compare as compare
from rollwise.questions.compare.data import Comparison as Comparison
from rollwise.questions.forecast.compute import forecast as forecast
from rollwise.questions.forecast.data import FinalScore as FinalScore
from rollwise.questions.odds.compute import odds as odds
from rollwise.questions.odds.data import (
    BestOdds as BestOdds,
    BustChance as BustChance,
    OneMoreThrow as OneMoreThrow,
    TurnOdds as TurnOdds,
    TurnPoints as TurnPoints,
    TurnRisk as TurnRisk,
)
from rollwise.questions.outcomes.compute import outcomes as outcomes
from rollwise.questions.outcomes.data import OutcomeRow as OutcomeRow, Outcomes as Outcomes
from rollwise.questions.plan import plan as plan
from rollwise.questions.quiz.compute import quiz as quiz
from rollwise.questions.quiz.data import QuizPosition as QuizPosition, WrongRule as WrongRule
from rollwise.questions.solve import solve as solve
from rollwise.questions.sweep.compute import solve_all as solve_all, sweep as sweep
from rollwise.questions.sweep.data import SolvedRow as SolvedRow
from rollwise.questions.verify.compute import verify as verify
from rollwise.questions.why.compute import why as why
from rollwise.questions.why.data import LinePart as LinePart, Why as Why, WhyPart as WhyPart
from rollwise.solutions.plans import SolvePlan as SolvePlan
from rollwise.solver.kinds.outcomes import Throw as Throw
from rollwise.solver.model.errors import (
    BadInput as BadInput,
    DiceError as DiceError,
    ModelError as ModelError,
    NotConverged as NotConverged,
    ParameterError as ParameterError,
    RollwiseError as RollwiseError,
    StateError as StateError,
    TooLarge as TooLarge,
    UnknownGame as UnknownGame,
    UnknownName as UnknownName,
)
from rollwise.solver.model.solution import Quantity as Quantity

__all__: list[str]
__version__: str
