"""``optimize``: who plans, what is tried, what is built on, what is confirmed and offered, what it may cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.search.accounts import JobAccounts as JobAccounts
    from assistant.engine.search.attempts import kernel_traits as kernel_traits
    from assistant.engine.search.attempts import side_effects as side_effects
    from assistant.engine.search.candidate_judge import CandidateJudge as CandidateJudge
    from assistant.engine.search.deferred import deferred_labels as deferred_labels
    from assistant.engine.search.deferred import is_deferred as is_deferred
    from assistant.engine.search.elsewhere import JudgeElsewhere as JudgeElsewhere
    from assistant.engine.search.elsewhere import NotOffered as NotOffered
    from assistant.engine.search.frozen_version import FrozenVersion as FrozenVersion
    from assistant.engine.search.host_code import HostCodeRight as HostCodeRight
    from assistant.engine.search.nothing_found import NO_EDIT_FOUND as NO_EDIT_FOUND
    from assistant.engine.search.nothing_found import nothing_in_words as nothing_in_words
    from assistant.engine.search.operator_search import OpenSearch as OpenSearch
    from assistant.engine.search.operator_search import search_operator as search_operator
    from assistant.engine.search.optimize import Optimizer as Optimizer
    from assistant.engine.search.optimize import OptimizeResult as OptimizeResult
    from assistant.engine.search.optimize import People as People
    from assistant.engine.search.optimize import SearchBody as SearchBody
    from assistant.engine.search.plan_requests import NO_MEMORY as NO_MEMORY
    from assistant.engine.search.plan_requests import PlanRequests as PlanRequests
    from assistant.engine.search.planning import NO_CALLBACKS as NO_CALLBACKS
    from assistant.engine.search.planning import AskModel as AskModel
    from assistant.engine.search.planning import ModelNotice as ModelNotice
    from assistant.engine.search.planning import Models as Models
    from assistant.engine.search.planning import PlannerChoice as PlannerChoice
    from assistant.engine.search.planning import SearchCallbacks as SearchCallbacks
    from assistant.engine.search.planning import asked_once as asked_once
    from assistant.engine.search.planning import model_notice as model_notice
    from assistant.engine.search.predicting_judge import PredictingJudge as PredictingJudge
    from assistant.engine.search.resume import NOTHING_EARLIER as NOTHING_EARLIER
    from assistant.engine.search.resume import as_before as as_before
    from assistant.engine.search.resume import gone_on_with as gone_on_with
    from assistant.engine.search.resume import is_running as is_running
    from assistant.engine.search.resume import last_interrupted as last_interrupted
    from assistant.engine.search.rounds_alone import OutcomeKey as OutcomeKey
    from assistant.engine.search.rounds_alone import RoundsAlone as RoundsAlone
    from assistant.engine.search.rounds_alone import UnknownOutcomeError as UnknownOutcomeError
    from assistant.engine.search.rounds_alone import starts_of as starts_of
    from assistant.engine.search.setbacks import summary_of_attempt as summary_of_attempt
    from assistant.engine.search.shape import EXPERT as EXPERT
    from assistant.engine.search.spending_words import cap_words as cap_words
    from assistant.engine.search.spending_words import caps_words as caps_words
    from assistant.engine.search.spending_words import spent_words as spent_words
    from assistant.engine.search.trials import SearchNode as SearchNode
    from assistant.engine.search.trials import Trial as Trial

__getattr__ = names_of(__name__, __file__)
