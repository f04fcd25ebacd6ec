# Every public name and its home. Type checkers read this file; ``__init__.py`` reads it when a name is first used.

from rollwise.answers.advice import Advice as Advice, GoesFor as GoesFor, MoveAdvice as MoveAdvice, Then as Then
from rollwise.answers.card import (
    Band as Band,
    Card as Card,
    FinishBand as FinishBand,
    Keep as Keep,
    Minimum as Minimum,
    SimplerCard as SimplerCard,
)
from rollwise.answers.comparison import Comparison as Comparison
from rollwise.answers.export import Exported as Exported
from rollwise.answers.forecast import FinalScore as FinalScore
from rollwise.answers.odds import (
    BestOdds as BestOdds,
    BustChance as BustChance,
    OneMoreThrow as OneMoreThrow,
    TurnOdds as TurnOdds,
    TurnPoints as TurnPoints,
    TurnRisk as TurnRisk,
)
from rollwise.answers.outcomes import OutcomeRow as OutcomeRow, Outcomes as Outcomes
from rollwise.answers.plan import SolvePlan as SolvePlan
from rollwise.answers.quiz import QuizPosition as QuizPosition, WrongRule as WrongRule
from rollwise.answers.review import ChoiceReview as ChoiceReview, Review as Review, SeatReview as SeatReview
from rollwise.answers.sweep import SolvedRow as SolvedRow
from rollwise.answers.why import LinePart as LinePart, Why as Why, WhyPart as WhyPart
from rollwise.asking.ask import ask as ask
from rollwise.asking.best import best as best
from rollwise.asking.card import card as card
from rollwise.asking.catalogue import list_games as list_games, rules as rules
from rollwise.asking.compare import compare as compare
from rollwise.asking.forecast import forecast as forecast
from rollwise.asking.odds import odds as odds
from rollwise.asking.outcomes import outcomes as outcomes
from rollwise.asking.plan import plan as plan
from rollwise.asking.quiz import quiz as quiz
from rollwise.asking.solve import solve as solve
from rollwise.asking.sweep import solve_all as solve_all, sweep as sweep
from rollwise.asking.verify import verify as verify
from rollwise.asking.why import why as why
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
from rollwise.match.review import review as review
from rollwise.policy_tables.export import export as export
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
