"""All source transformations there are, and the planner built from them.

Example::

    planner = build_expert_planner(load_catalogue(techniques_directory))
"""

from __future__ import annotations

from assistant.plan.catalogue import Catalogue
from assistant.plan.expert.block_size_search import BlockSizeSearch
from assistant.plan.expert.coalescing_interchange import CoalescingInterchange
from assistant.plan.expert.const_restrict import ConstRestrict
from assistant.plan.expert.float_literals import FloatLiterals
from assistant.plan.expert.planner import ExpertPlanner
from assistant.plan.expert.scalar_replacement import ScalarReplacement
from assistant.plan.expert.shared_memory_padding import SharedMemoryPadding
from assistant.plan.expert.staged_store import StagedStore
from assistant.plan.expert.transformation import Transformation

__all__ = ["build_expert_planner", "expert_transformations"]


def expert_transformations() -> tuple[Transformation, ...]:
    """One of each, in the order of their ids."""
    return (
        BlockSizeSearch(),
        CoalescingInterchange(),
        ConstRestrict(),
        FloatLiterals(),
        ScalarReplacement(),
        SharedMemoryPadding(),
        StagedStore(),
    )


def build_expert_planner(catalogue: Catalogue) -> ExpertPlanner:
    """The planner with every transformation."""
    return ExpertPlanner(catalogue, expert_transformations())
