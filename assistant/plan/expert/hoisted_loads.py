"""Load once before a loop what it does not change: the coefficients of a thread's filter, the constants of its system.

Declines wherever something in the loop might change the element. Where only recorded launches show that the loop's stores are apart from
it, the edit states that as an assumption.

Example::

    for (int t = 0; t < n; ++t) y[t * m + i] = gain[i] * x[t * m + i];
    // becomes
    float gain_i = gain[i];
    for (int t = 0; t < n; ++t) y[t * m + i] = gain_i * x[t * m + i];
"""

from __future__ import annotations

from assistant.cuda.functions import functions
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.verification import Label
from assistant.plan.expert.analysis.hoistable_loads import hoistable_loads
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.hoisted_loads_text import hoisted_edits
from assistant.workload.recorded_words import apart_assumption

__all__ = ["HoistedLoads"]


class HoistedLoads:
    """Loads of unchanging elements → registers, before the loop."""

    technique = "hoisted-loads"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        tree = context.tree
        function = next((f for f in functions(tree) if tree.span(f.body) == context.kernel.body), None)
        if function is None:
            none = Obstacle(DeclineReason.NOTHING_TO_CHANGE, "the kernel's own text has no loop here")
            return context.decline(self.technique, none)
        found = hoistable_loads(context, function)
        if isinstance(found, Obstacle):
            return context.decline(self.technique, found)
        edits, names = hoisted_edits(context, function, found)
        pairs = [(pair.first, pair.second) for pair in found.apart]
        assumed = (apart_assumption(context.recorded, *pairs),) if context.recorded is not None and pairs else ()
        *first, last = (f"`{name}`" for name in names)
        kept = f"{', '.join(first)} and {last}" if first else last
        rewrite = Rewrite(
            technique=self.technique,
            kernel=context.kernel.key,
            line=tree.line(found.loop),
            edits=edits,
            summary=f"Load what the loop at line {tree.line(found.loop)} does not change once before it, into {kept}.",
            labels=(Label.ASSUMPTION,) if assumed else (),
            predictions=predicted_values(context, {"global_requests_per_warp": 1.0}),
            assumptions=assumed,
        )
        return (rewrite,)
