"""From a judged edit to a decided one: the gate, records, explanations, what was turned down, accepting and undoing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.lazy import names_of

if TYPE_CHECKING:
    from assistant.engine.proposals.constraints import Constraint as Constraint
    from assistant.engine.proposals.constraints import all_rules as all_rules
    from assistant.engine.proposals.constraints import broken as broken
    from assistant.engine.proposals.constraints import constraint_of_rejection as constraint_of_rejection
    from assistant.engine.proposals.constraints import forbidden as forbidden
    from assistant.engine.proposals.constraints import read_constraint as read_constraint
    from assistant.engine.proposals.decide import Decider as Decider
    from assistant.engine.proposals.decide import DecisionRequest as DecisionRequest
    from assistant.engine.proposals.decide import MadeBefore as MadeBefore
    from assistant.engine.proposals.decide import MovedChange as MovedChange
    from assistant.engine.proposals.decide import as_partial as as_partial
    from assistant.engine.proposals.decide import chosen_of as chosen_of
    from assistant.engine.proposals.decisions import Ask as Ask
    from assistant.engine.proposals.decisions import Decisions as Decisions
    from assistant.engine.proposals.explain import other_edit as other_edit
    from assistant.engine.proposals.gating import DECIDED_GAIN_RATIO as DECIDED_GAIN_RATIO
    from assistant.engine.proposals.gating import PREDICTED_GAIN_RATIO as PREDICTED_GAIN_RATIO
    from assistant.engine.proposals.gating import SHOWN_GAIN_RATIO as SHOWN_GAIN_RATIO
    from assistant.engine.proposals.gating import Citation as Citation
    from assistant.engine.proposals.gating import Improvement as Improvement
    from assistant.engine.proposals.gating import NoImprovement as NoImprovement
    from assistant.engine.proposals.gating import gate as gate
    from assistant.engine.proposals.gating import is_proved_better as is_proved_better
    from assistant.engine.proposals.records import ConfirmedVersion as ConfirmedVersion
    from assistant.engine.proposals.records import proposal_record as proposal_record
    from assistant.engine.proposals.rejected import FoundEdit as FoundEdit
    from assistant.engine.proposals.rejected import StandingRejection as StandingRejection
    from assistant.engine.proposals.rejected import refusals as refusals
    from assistant.engine.proposals.rejected import rejected_before as rejected_before
    from assistant.engine.proposals.replayed import keep_recording as keep_recording
    from assistant.engine.proposals.scoring import ScoredVersion as ScoredVersion
    from assistant.engine.proposals.scoring import score_predictions as score_predictions
    from assistant.engine.proposals.scoring import score_ratio as score_ratio
    from assistant.engine.proposals.steps import HOST_CODE_MARGIN as HOST_CODE_MARGIN
    from assistant.engine.proposals.steps import OF_EDITED as OF_EDITED
    from assistant.engine.proposals.steps import KeptStep as KeptStep
    from assistant.engine.proposals.steps import SettledStep as SettledStep
    from assistant.engine.proposals.steps import chain_in_words as chain_in_words
    from assistant.engine.proposals.steps import is_settled as is_settled
    from assistant.engine.proposals.steps import moved as moved
    from assistant.engine.proposals.steps import settled_step as settled_step
    from assistant.engine.proposals.submitted import Submission as Submission
    from assistant.engine.proposals.submitted import submit as submit
    from assistant.engine.proposals.superseding import claim_in_words as claim_in_words
    from assistant.engine.proposals.superseding import offered_already as offered_already
    from assistant.engine.proposals.superseding import offered_for_another_kernel as offered_for_another_kernel
    from assistant.engine.proposals.superseding import store_and_supersede as store_and_supersede

__getattr__ = names_of(__name__, __file__)
