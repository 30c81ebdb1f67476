"""First kernels of functions that work element by element: four neighbours for each thread, or one where sizes do not divide. Pure."""

from __future__ import annotations

from assistant.operators.kernel_plan import Plan, statements
from assistant.operators.kernel_text import FOURS, alignment, loads, with_words

__all__ = ["flat_kernel"]

_THREADS = 256


def flat_kernel(plan: Plan) -> str:
    name, names = plan.function, plan.shape.names
    return f"""{FOURS}
// A thread for each element: everything between the functions of {plan.name} stays in registers.
__global__ void {name}_kernel({plan.parameters("long long count")}) {{
    const long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= count) return;
{_of_one(plan)}
}}

// A thread for each four neighbours, which begin at a multiple of four in every array.
__global__ void {name}_kernel_by_four({plan.parameters("long long count")}) {{
    const long long at = 4 * (blockIdx.x * (long long)blockDim.x + threadIdx.x);
    if (at >= count) return;
{_of_four(plan)}
}}

void {name}({plan.parameters()}) {{
    const long long count = {" * ".join(("(long long)" + names[0], *names[1:]))};
    if (count == 0) return;
    const bool has_fours = {names[-1]} % 4 == 0 && {alignment(plan, plan.outputs)};
    const long long threads = has_fours ? count / 4 : count, blocks = (threads + {_THREADS - 1}) / {_THREADS};
    if (has_fours)
        {name}_kernel_by_four<<<blocks, {_THREADS}>>>({plan.arguments("count")});
    else
        {name}_kernel<<<blocks, {_THREADS}>>>({plan.arguments("count")});
}}
"""


def _of_one(plan: Plan) -> str:
    stores = [f"    {output}[at] = {step.name};" for output, step in plan.stored]
    return "\n".join([*statements(plan.steps, plan.results, 1), *stores])


def _of_four(plan: Plan) -> str:
    steps = with_words(plan.steps, plan.reads)
    names = {step.name for step in plan.results}
    return "\n".join([
        *loads(plan.reads, "    "),
        *(f"    float {output}_four[4];" for output in plan.outputs),
        "    #pragma unroll",
        "    for (int e = 0; e < 4; ++e) {",
        *statements(steps, [step for step in steps if step.name in names], 2),
        *(f"        {output}_four[e] = {step.name};" for output, step in plan.stored),
        "    }",
        *(f"    store_four({output} + at, {output}_four);" for output in plan.outputs),
    ])  # fmt: skip
