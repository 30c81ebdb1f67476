"""First kernels of functions that work element by element: four neighbours for each thread, or one where sizes do not divide. Pure."""

from __future__ import annotations

from assistant.operators.kernel_plan import Plan, statements
from assistant.operators.kernel_text import alignment, each_neighbour, loads, near_stores, read_in, same_steps, vector_words, with_words

__all__ = ["flat_kernel"]

_THREADS = 256


def flat_kernel(plan: Plan) -> str:
    name = plan.function
    return f"""// Each thread computes WIDTH neighbours: everything between the functions of {plan.model} stays in registers.
template <int WIDTH>
__global__ void {name}_kernel({plan.parameters("long long count")}) {{
    const long long at = WIDTH * (blockIdx.x * (long long)blockDim.x + threadIdx.x);
    if (at >= count) return;
{_body(plan)}
}}

{plan.linkage}void {name}({plan.parameters()}) {{
    const long long count = (long long){plan.outer};
    if (count == 0) return;
    const bool has_fours = {plan.last} % 4 == 0 && {alignment(plan, [store.array.name for store in plan.stores])};
    if (has_fours)
        {name}_kernel<4><<<(count / 4 + {_THREADS - 1}) / {_THREADS}, {_THREADS}>>>({plan.arguments("count")});
    else
        {name}_kernel<1><<<(count + {_THREADS - 1}) / {_THREADS}, {_THREADS}>>>({plan.arguments("count")});
}}
"""


def _body(plan: Plan) -> str:
    steps = with_words(plan.steps, vector_words(plan))
    locals_, stores = near_stores(plan, "    ")
    wanted = same_steps(steps, [store.step for store in plan.stores])
    return "\n".join([
        *loads(plan, read_in(plan, [store.step for store in plan.stores]), "    "),
        *locals_,
        *each_neighbour([*statements(steps, wanted, 2), *stores], "    "),
        *(f"    store<WIDTH>({store.array.name} + at, {store.array.name}_near);" for store in plan.stores),
    ])  # fmt: skip
