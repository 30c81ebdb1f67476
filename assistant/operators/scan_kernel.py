"""First kernels of running sums and products along rows that lie side by side in memory: a block goes along its row, once. Pure.

The threads of a block have WIDTH neighbours each; what all threads before have together goes from warp to warp, and from stretch
to stretch.
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.operators.kernel_plan import Plan, Step, note, statements
from assistant.operators.kernel_text import (
    alignment,
    each_neighbour,
    loads,
    near_stores,
    plain_words,
    read_in,
    row_value,
    same_steps,
    vector_words,
    with_words,
)

__all__ = ["SCANS", "scan_functions", "scan_kernel"]

SCANS = {"running_sum": ("0.0f", "{a} + {b}"), "running_product": ("1.0f", "{a} * {b}")}
"""Where each begins, and how two become one."""
_MOST_THREADS = 256


def scan_kernel(plan: Plan) -> str:
    name = plan.function
    return f"""// A block goes along a row once, in stretches of WIDTH neighbours for each thread.
template <int WIDTH>
__global__ void __launch_bounds__({_MOST_THREADS}) {name}_kernel({plan.parameters("int columns")}) {{
    const long long row = blockIdx.x;
{chr(10).join(_body(plan))}
}}

{plan.linkage}void {name}({plan.parameters()}) {{
    const long long rows = {f"(long long){plan.outer}" if " " in plan.outer else plan.outer};
    const int columns = {plan.columns};
    if (rows == 0 || columns == 0) return;
    const bool has_fours = columns % 4 == 0 && {plan.last} % 4 == 0 && {alignment(plan, [store.array.name for store in plan.stores])};
    const int of_warp = has_fours ? 128 : 32, warps = (columns + of_warp - 1) / of_warp;
    const int threads = 32 * (warps < {_MOST_THREADS // 32} ? warps : {_MOST_THREADS // 32});
    if (has_fours)
        {name}_kernel<4><<<rows, threads>>>({plan.arguments("columns")});
    else
        {name}_kernel<1><<<rows, threads>>>({plan.arguments("columns")});
}}
"""


def _body(plan: Plan) -> Iterator[str]:
    scans = [step for step in plan.steps if step.kind in SCANS]
    for step, own in zip(plan.steps, with_words(plan.steps, plain_words(plan)), strict=True):
        if step.kind == "row":
            yield row_value(own)
    yield from (f"    float before_{step.name} = {SCANS[step.kind][0]};" for step in scans)
    yield "    for (int begin = 0; begin < columns; begin += WIDTH * blockDim.x) {"
    yield "        const int i = begin + WIDTH * threadIdx.x;"
    yield "        const long long at = row * columns + i;"
    yield from (line for step in scans for line in _scanned(plan, step, scans))
    steps = with_words(plan.steps, vector_words(plan), [step.name for step in scans])
    wanted = [store.step for store in plan.full_stores if store.step not in scans]
    locals_, _ = near_stores(plan, "            ")
    found = same_steps(steps, wanted)
    yield "        if (i < columns) {"
    yield from loads(plan, read_in(plan, wanted), "            ")
    yield from locals_
    names = {step.name for step in scans}
    stores = [
        f"                {store.array.name}_near[e] = {store.step.name}{'[e]' if store.step.name in names else ''};"
        for store in plan.full_stores
    ]
    yield from each_neighbour([*statements(steps, found, 4), *stores], "            ")
    yield from (f"            store<WIDTH>({store.array.name} + at, {store.array.name}_near);" for store in plan.full_stores)
    yield "        }"
    yield "    }"


def _scanned(plan: Plan, step: Step, scans: list[Step]) -> Iterator[str]:
    begin, join = SCANS[step.kind]
    steps = with_words(plan.steps, vector_words(plan), [each.name for each in scans])
    (own,) = same_steps(steps, [step])
    name = step.name
    yield f"        float {name}[WIDTH];{note(step)}"
    yield "        if (i < columns) {"
    yield from loads(plan, read_in(plan, [step]), "            ")
    together = join.format(a=f"{name}[e - 1]", b="term")
    lines = [*statements(steps, [own], 4), f"                const float term = {own.text};"]
    yield from each_neighbour([*lines, f"                {name}[e] = e == 0 ? term : {together};"], "            ")
    yield "        }"
    yield f"        float whole_{name};"
    mine = f"i < columns ? {name}[WIDTH - 1] : {begin}"
    yield f"        const float front_{name} = {join.format(a=f'before_{name}', b=f'{step.kind}_in_front({mine}, &whole_{name})')};"
    yield from each_neighbour([f"            {name}[e] = {join.format(a=f'front_{name}', b=f'{name}[e]')};"], "        ")
    yield f"        before_{name} = {join.format(a=f'before_{name}', b=f'whole_{name}')};"


def scan_functions(kind: str) -> str:
    """A device function that says what all threads in front of one have together."""
    begin, join = SCANS[kind]
    return f"""// What all threads in front of this one have together; all of a warp, or of the whole block, call it.
__device__ float {kind}_in_front(float value, float* whole) {{
    __shared__ float partial[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 1; offset < 32; offset *= 2) {{
        const float other = __shfl_up_sync(0xffffffffu, value, offset);
        if (lane >= offset) value = {join.format(a="other", b="value")};
    }}
    *whole = __shfl_sync(0xffffffffu, value, 31);
    float front = __shfl_up_sync(0xffffffffu, value, 1);
    if (lane == 0) front = {begin};
    if (blockDim.x == 32) return front;
    if (lane == 31) partial[warp] = value;
    __syncthreads();
    float warps = {begin}, all = {begin};
    for (int each = 0; each < blockDim.x / 32; ++each) {{
        if (each < warp) warps = {join.format(a="warps", b="partial[each]")};
        all = {join.format(a="all", b="partial[each]")};
    }}
    __syncthreads();
    *whole = all;
    return {join.format(a="warps", b="front")};
}}
"""
