"""Carry a value from one iteration of a loop to the next in a register, where it goes through global memory.

The loop stores what it stored before; it no longer waits for its own store. Declines wherever anything else might change the element in
between.

Example::

    for (int k = 1; k < n; ++k) y[k] = a * y[k - 1] + x[k];
    // becomes
    float y_last = y[0];
    for (int k = 1; k < n; ++k) {
        y_last = a * y_last + x[k];
        y[k] = y_last;
    }
"""

from __future__ import annotations

from assistant.cuda.carried_elements import CarriedElement, carried_elements
from assistant.cuda.functions import Function, functions
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.model.verification import Label
from assistant.plan.expert.analysis.carried_value import CarriedValue, carried_value
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.carried_value_text import carried_value_edits
from assistant.workload.recorded_words import apart_assumption

__all__ = ["CarryingValue"]

_NONE = Obstacle(DeclineReason.NOTHING_TO_CHANGE, "no loop reads here what its iteration before stored")


class CarryingValue:
    """Element stored by the iteration before → register."""

    technique = "carried-value"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        found = _function(context)
        if found is None:
            return context.decline(self.technique, _NONE)
        function, elements = found
        here = [element for element in elements if context.tree.line(element.load) == context.line]
        judged = {element: carried_value(context, function, element) for element in elements}
        obstacle = next((each for element in here if isinstance(each := judged[element], Obstacle)), None)
        values = _by_store([each for each in judged.values() if isinstance(each, CarriedValue)])
        if not any(value.element in here for value in values):
            return context.decline(self.technique, obstacle or _NONE)
        return (_rewrite(context, values),)


def _function(context: TransformationContext) -> tuple[Function, tuple[CarriedElement, ...]] | None:
    """The kernel, or a device function of its, that has such a load on the finding's line; with all such loads of it."""
    reachable = {context.kernel.name, *context.kernel.device_functions}
    for function in functions(context.tree):
        elements = carried_elements(context.tree, function.body) if function.name in reachable else ()
        if any(context.tree.line(element.load) == context.line for element in elements):
            return function, elements
    return None


def _by_store(values: list[CarriedValue]) -> tuple[CarriedValue, ...]:
    """Each store once, with all loads that it serves."""
    found: dict[int, CarriedValue] = {}
    for value in values:
        known = found.get(value.element.store.id)
        found[value.element.store.id] = value if known is None else known.with_load(value.element.load)
    return tuple(found.values())


def _rewrite(context: TransformationContext, values: tuple[CarriedValue, ...]) -> Rewrite:
    tree = context.tree
    edits, names = carried_value_edits(context, values)
    lines = list(dict.fromkeys(str(tree.line(value.element.loop)) for value in values))
    pairs = dict.fromkeys((pair.first, pair.second) for value in values for pair in value.apart)
    assumed = (apart_assumption(context.recorded, *pairs),) if context.recorded is not None and pairs else ()
    *first, last = (f"`{name}`" for name in names)
    kept = f"{', '.join(first)} and {last}" if first else last
    loops = f"the loop at line {lines[0]} stores" if len(lines) == 1 else f"the loops at lines {' and '.join(lines)} store"
    return Rewrite(
        technique=CarryingValue.technique,
        kernel=context.kernel.key,
        line=tree.line(values[0].element.loop),
        edits=edits,
        summary=f"Keep what {loops} for the next iteration in {kept}, too, instead of loading it again.",
        labels=(Label.ASSUMPTION,) if assumed else (),
        predictions=_predictions(context),
        assumptions=assumed,
    )


def _predictions(context: TransformationContext) -> tuple[MetricPrediction, ...]:
    """No load of the element is left in the loop."""
    return predicted_values(context, {"carried_requests_per_warp": 0.0})
