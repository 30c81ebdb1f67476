"""What a thread without a value of its own brings to a total, so that it stays as it is.

Example::

    neutral_value(context, "float", Combination.SUM)      # '0.0f'
    neutral_value(context, "T", Combination.MAXIMUM)      # 'INT_MIN', where every launch makes `T` an int; None where they differ
"""

from __future__ import annotations

from assistant.plan.expert.analysis.element_types import launched_types
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import zero_of

__all__ = ["neutral_value"]

_ONES = {"float": "1.0f", "double": "1.0"}
_LARGEST = {"float": "FLT_MAX", "double": "DBL_MAX"}
_LEAST_AND_LARGEST = {
    "int": ("INT_MIN", "INT_MAX"),
    "unsigned": ("0", "UINT_MAX"),
    "unsigned int": ("0", "UINT_MAX"),
    "uint32_t": ("0", "UINT_MAX"),
    "long long": ("LLONG_MIN", "LLONG_MAX"),
    "unsigned long long": ("0", "ULLONG_MAX"),
    "unsigned long long int": ("0", "ULLONG_MAX"),
}
_OF_NVCC = (".cu", ".cuh")
"""Sources in which the names of <limits.h> are known: nvcc includes its driver_types.h, which includes that. NVRTC does not."""


def neutral_value(context: TransformationContext, spelled: str, combination: Combination) -> str | None:
    """The value; None where it is not known."""
    match combination:
        case Combination.SUM:
            return zero_of(context.tree, spelled)
        case Combination.PRODUCT:
            return _ONES.get(spelled, "1")
        case _:
            found = {_extreme(context, kind, is_maximum=combination is Combination.MAXIMUM) for kind in launched_types(context, spelled)}
            return found.pop() if len(found) == 1 else None


def _extreme(context: TransformationContext, kind: str, *, is_maximum: bool) -> str | None:
    sign = "-" if is_maximum else ""
    if kind in _LARGEST:
        return f"{sign}{_LARGEST[kind]}" if _LARGEST[kind] in context.text else f"{sign}INFINITY"
    if kind not in _LEAST_AND_LARGEST:
        return None
    name = _LEAST_AND_LARGEST[kind][not is_maximum]
    return name if name == "0" or name in context.text or context.parsed.source.path.suffix in _OF_NVCC else None
