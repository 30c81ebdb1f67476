"""Which sizes a verdict holds for: in few words for the verdict line where they are the program's own only, and listed below it.

Example::

    caveats_of(tried, results)       # ("at the program's own sizes (n=1000)",)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.model.verification import CaseResult, Outcome
from assistant.verify.evidence import SizeCoverage

__all__ = ["caveats_of", "untried"]

_SHAPES_IN_LINE = 2
_SHAPES_LISTED = 3
_RESIZED, _RECORDED = "resized", "recorded"


def caveats_of(tried: SizeCoverage, results: Sequence[CaseResult]) -> tuple[str, ...]:
    """Empty where other sizes were tried, buffers and grid changing with them, and passed; where they did not, a label says so."""
    resized = [result for result in results if result.kind == _RESIZED]
    if any(result.outcome is not Outcome.PASS for result in resized):
        return ()
    if results and all(result.kind == _RECORDED for result in results):
        return (f"at the {tried.whose} sizes ({_some(tried.own, _SHAPES_IN_LINE)}), on its own values only",)
    own, passed = _some(tried.own, _SHAPES_IN_LINE), [result.shape for result in resized]
    modelled = [dict(_integers(shape)) for shape in passed if shape in tried.modelled]
    if not modelled:
        return (f"at sizes up to the {tried.whose} ({own})" if passed else f"at the {tried.whose} sizes ({own})",)
    known = [dict(_integers(shape)) for shape in tried.own]
    fixed = [name for name in tried.names if not any(sizes.get(name) != one.get(name) for sizes in modelled for one in known)]
    values = (f"{name}={known[0][name]}" for name in fixed if name in known[0])
    return (f"at the {tried.whose} {', '.join(values)}",) if fixed else ()


def untried(tried: SizeCoverage, results: Sequence[CaseResult]) -> str:
    """What the small print says of sizes."""
    also = dict.fromkeys(result.shape for result in results if result.kind == _RESIZED)
    own = f"{tried.whose} ({_some(tried.own, _SHAPES_LISTED)})"
    if not also:
        return f"other sizes than the {own}: {tried.remedy} to try them"
    return f"other sizes than the {own} and those tried in addition ({'; '.join(also)}): {tried.remedy} to try more"


def _some(shapes: Sequence[str], count: int) -> str:
    return "; ".join(shapes[:count]) + ("; …" if len(shapes) > count else "")


def _integers(shape: str) -> Iterator[tuple[str, int]]:
    """``n=1000, m=30`` as pairs; nothing of a shape that is known only by its grid."""
    for item in shape.split(", "):
        name, equals, value = item.partition("=")
        if equals and value.lstrip("-").isdigit():
            yield name, int(value)
