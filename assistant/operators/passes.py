"""The passes of a kernel over its elements: reductions that do not need each other's results share one. Pure.

Squared deviations would need the mean first; they share its pass all the same, as `moments` computes both together.
"""

from __future__ import annotations

import re

from assistant.operators.kernel_plan import Plan, Step, needed
from assistant.operators.kernel_text import FOLDS, Fold
from assistant.record import Record

__all__ = ["Pass", "all_folds", "moments_of", "passes_of", "plain_folds"]

_NAME = re.compile(r"\br\d+\b")
_SQUARES = re.compile(r"\((.+) - (r\d+)\) \* \(\1 - \2\)")


class Pass(Record):
    """One reading of all elements."""

    rows: tuple[Step, ...]
    """Values that are known before it, made of what earlier passes left."""
    folds: tuple[Step, ...]
    """What it leaves; nothing: it is the last one, which writes the results."""

    @property
    def name(self) -> str:
        return "_".join(step.name for step in self.folds)


def all_folds(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.kind in FOLDS]


def moments_of(plan: Plan) -> dict[str, Step]:
    """The sums from whose mean squares of distances are summed, by the names of those; none where values of other types are folded, too."""
    folds, known = all_folds(plan), {step.name: step for step in plan.steps}
    found: dict[str, Step] = {}
    for step in folds:
        match = _SQUARES.fullmatch(step.text) if step.kind == "sum" else None
        mean = known[match[2]] if match else None
        total = known.get(mean.text.removesuffix(" / columns")) if mean is not None and mean.kind == "row" else None
        if match and total is not None and total.kind == "sum" and total.text == match[1]:
            found[step.name] = total
    return found if all(step.c_type == "float" for step in folds) else {}


def plain_folds(plan: Plan) -> list[Fold]:
    """What elements are folded by where all of them are read for each pass, without `moments`."""
    moments = moments_of(plan)
    totals = {total.name for total in moments.values()}
    own = [step for step in all_folds(plan) if step.name not in moments and step.name not in totals]
    return list(dict.fromkeys((step.kind, step.c_type) for kind in FOLDS for step in own if step.kind == kind))


def passes_of(plan: Plan) -> list[Pass]:
    """In order, each as early as it can be."""
    moments, known, found = moments_of(plan), set[str](), list[Pass]()
    left = [step for step in plan.steps if step.kind != "full"]
    while left or not found or found[-1].folds:
        rows: list[Step] = []
        for step in left:
            if step.kind == "row" and _is_known(plan, step, known):
                rows.append(step)
                known.add(step.name)
        folds = [step for step in left if step.kind in FOLDS and _is_known(plan, step, known)]
        names = {step.name for step in folds}
        folds += [step for step in left if step.name in moments and moments[step.name].name in names and step.name not in names]
        known |= {step.name for step in folds}
        left = [step for step in left if step.name not in known]
        found.append(Pass(tuple(rows), tuple(folds)))
    return found


def _is_known(plan: Plan, step: Step, known: set[str]) -> bool:
    """Whether all that it is made of is known, of the rows' values."""
    texts = [each.text for each in (*needed(plan.steps, [step]), step)]
    return all(name in known for text in texts for name in _NAME.findall(text))
