"""First kernels of functions that work element by element: four neighbours for each thread, or one where sizes do not divide. Pure."""

from __future__ import annotations

from assistant.operators.kernel_plan import Plan, statements
from assistant.operators.kernel_text import MOVES, alignment, each_neighbour, loads, same_steps, with_words

__all__ = ["flat_kernel"]

_THREADS = 256


def flat_kernel(plan: Plan) -> str:
    name, names = plan.function, plan.shape.names
    return f"""{MOVES}
// Each thread computes WIDTH neighbours: everything between the functions of {plan.name} stays in registers.
template <int WIDTH>
__global__ void {name}_kernel({plan.parameters("long long count")}) {{
    const long long at = WIDTH * (blockIdx.x * (long long)blockDim.x + threadIdx.x);
    if (at >= count) return;
{_body(plan)}
}}

void {name}({plan.parameters()}) {{
    const long long count = {" * ".join(("(long long)" + names[0], *names[1:]))};
    if (count == 0) return;
    const bool has_fours = {names[-1]} % 4 == 0 && {alignment(plan, plan.outputs)};
    if (has_fours)
        {name}_kernel<4><<<(count / 4 + {_THREADS - 1}) / {_THREADS}, {_THREADS}>>>({plan.arguments("count")});
    else
        {name}_kernel<1><<<(count + {_THREADS - 1}) / {_THREADS}, {_THREADS}>>>({plan.arguments("count")});
}}
"""


def _body(plan: Plan) -> str:
    steps = with_words(plan.steps, plan.reads)
    stores = [f"        {output}_near[e] = {step.name};" for output, step in plan.stored]
    return "\n".join([
        *loads(plan.reads, "    "),
        *(f"    float {output}_near[WIDTH];" for output in plan.outputs),
        *each_neighbour([*statements(steps, same_steps(steps, plan.results), 2), *stores], "    "),
        *(f"    store<WIDTH>({output} + at, {output}_near);" for output in plan.outputs),
    ])  # fmt: skip
