"""How much a change of precision costs, as measured on the cases: a person who decides on fewer digits wants to know how many fewer.

Example::

    with_measured_error([DetectedLabel(Label.PRECISION, "replaces double by a narrower type")], [3.1e-08])
    # its message ends with "; on ordinary values results are off by at most 3.1e-08 of the largest"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.model.verification import Label
from assistant.verify.compare import BufferVerdict
from assistant.verify.evidence import DetectedLabel
from assistant.verify.numbers import ieee, largest
from assistant.verify.rules import PreparedOutput, finite_reference

__all__ = ["with_measured_error", "with_share"]

_OF_DIGITS = (Label.PRECISION, Label.FAST_MATH)


@ieee
def with_share(verdict: BufferVerdict, output: PreparedOutput) -> BufferVerdict:
    """The verdict with its largest error over the output's largest value; as it is where nothing was measured."""
    if verdict.errors is None or output.reference is None:
        return verdict
    top = largest(finite_reference(output))
    return replace(verdict, share=verdict.errors.max / top) if top > 0.0 else verdict


def with_measured_error(labels: Sequence[DetectedLabel], shares: Sequence[float]) -> list[DetectedLabel]:
    """The labels; the first one about digits says how far results are off. ``shares``: of every output that was measured."""
    found = list(labels)
    first = next((index for index, detected in enumerate(found) if detected.label in _OF_DIGITS), None)
    if first is None or not shares:
        return found
    worst = max(shares)
    said = f"results are off by at most {worst:.2g} of the largest" if worst > 0.0 else "no result differs"
    found[first] = replace(found[first], message=f"{found[first].message}; on ordinary values {said}")
    return found
