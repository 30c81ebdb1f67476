"""Controls that test the test: outputs that are plainly wrong must fail on the cases that a candidate is judged on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.operators.evidence import ReferenceCase, TensorLeft
from assistant.operators.values import Rule, compare

__all__ = ["weakness"]

_KINDS = frozenset({"given", "scaled", "normal", "size"})
_Control = Callable[[int, int], TensorLeft | None]
"""(case, output) → what it leaves there; None where it says nothing."""


def weakness(cases: Sequence[ReferenceCase], rules: Sequence[tuple[Rule, ...]]) -> str | None:
    """Which wrong candidate would pass; None where all fail, as they should."""
    judged = [
        at for at, case in enumerate(cases) if case.kind in _KINDS and any(output.data for output in case.outputs[: case.output_count])
    ]
    if not judged:
        return "the reference returns nothing on its own inputs, so there is nothing to compare"

    def expected(case: int, output: int) -> TensorLeft:
        return cases[case].outputs[output]

    def zeros(case: int, output: int) -> TensorLeft:
        return replace(expected(case, output), data=bytes(len(expected(case, output).data)))

    def constant(case: int, output: int) -> TensorLeft | None:
        original = expected(case, output)
        size = original.element.scalar_bytes
        return replace(original, data=original.data[:size] * (len(original.data) // size)) if len(original.data) > size else None

    def frozen(case: int, output: int) -> TensorLeft | None:
        earlier = next(at for at in judged if [o.shape for o in cases[at].outputs] == [o.shape for o in cases[case].outputs])
        is_same = cases[earlier].inputs_after == cases[case].inputs_after and cases[earlier].seed == cases[case].seed
        return None if earlier == case or is_same else expected(earlier, output)

    controls: tuple[tuple[str, _Control], ...] = (
        ("returns zeros", zeros),
        ("returns one value everywhere", constant),
        ("ignores its inputs", frozen),
    )
    for words, control in controls:
        if _passes(control, judged, cases, rules):
            return f"these inputs cannot judge a candidate: one that {words} would pass"
    return None


def _passes(control: _Control, judged: Sequence[int], cases: Sequence[ReferenceCase], rules: Sequence[tuple[Rule, ...]]) -> bool:
    """Whether it is right wherever it says something, and says something somewhere."""
    said = False
    for case in judged:
        for output in range(cases[case].output_count):
            left = control(case, output)
            if left is None:
                continue
            said = True
            if compare(rules[case][output], left, lowers_precision=False) is not None:
                return False
    return said
