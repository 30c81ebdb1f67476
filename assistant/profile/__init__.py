"""From counters to conclusions: metric catalogue, evidence, findings, signature, roofline. Pure."""

from assistant.profile.catalogue import METRICS, Metric, metric
from assistant.profile.context import CountedLaunch, FindContext
from assistant.profile.facts import (
    AccessCost,
    CarriedLoad,
    DearFunction,
    DividedRoot,
    InvariantLoad,
    LineFacts,
    LoopFacts,
    PointerFacts,
    SourceFacts,
    StructUse,
    TreeFacts,
)
from assistant.profile.findings import FindResult, find, is_negligible
from assistant.profile.roofline import Roofline, roofline
from assistant.profile.rules import RULES, documentation_page, title
from assistant.profile.signature import DIMENSIONS, distance, signature, state_distance
from assistant.profile.summary import Summary, summarize
from assistant.profile.thresholds import THRESHOLDS, threshold

__all__ = [
    "DIMENSIONS",
    "METRICS",
    "RULES",
    "THRESHOLDS",
    "AccessCost",
    "CarriedLoad",
    "CountedLaunch",
    "DearFunction",
    "DividedRoot",
    "FindContext",
    "FindResult",
    "InvariantLoad",
    "LineFacts",
    "LoopFacts",
    "Metric",
    "PointerFacts",
    "Roofline",
    "SourceFacts",
    "StructUse",
    "Summary",
    "TreeFacts",
    "distance",
    "documentation_page",
    "find",
    "is_negligible",
    "metric",
    "roofline",
    "signature",
    "state_distance",
    "summarize",
    "threshold",
    "title",
]
