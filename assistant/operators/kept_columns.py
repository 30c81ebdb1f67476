"""Columns that fit into the registers of the threads that share them: read once, written once. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.operators.column_text import THREADS, begun, column_loop, once_for_each, place_of_columns, row_values
from assistant.operators.kept_loops import KeptLoops
from assistant.operators.kernel_plan import Plan
from assistant.operators.passes import passes_of

__all__ = ["is_kept", "kept_kernel", "kept_launches"]

_MOST_KEPT = 64
"""Elements in the registers of a thread, of all arrays together."""
_MOST_LINES = 16
"""Of a block: with a warp side by side."""
_FEW_ROWS = 8
"""What a thread keeps of shorter columns, where it could keep more."""
_SHORT = 64
_FEW_BLOCKS = 264


def is_kept(plan: Plan) -> bool:
    """Whether columns may be kept, and would be read more than once."""
    return bool(_most_rows(plan)) and len(passes_of(plan)) - 1 + bool(plan.full_stores) > 1


def kept_kernel(plan: Plan) -> str:
    return f"""
// The same for columns that fit into registers: each thread keeps ROWS elements of each of its columns.
template <int WIDTH, int ROWS>
__global__ void __launch_bounds__({THREADS}) {plan.function}_kernel_kept({plan.kernel_parameters("int columns", "int inner")}) {{
{place_of_columns()}
{chr(10).join(_body(plan))}
}}
"""


def kept_launches(plan: Plan) -> str:
    most = _most_rows(plan)
    rows = f"        const int rows = columns <= {_SHORT} ? {_FEW_ROWS} : {most};\n" if most > _FEW_ROWS else ""
    return f"""    if (columns > 0 && columns <= {most * _MOST_LINES}) {{
{rows}        // As many lines as keep a column together, and a warp side by side or more.
        int width = 128, depth = 1;
        while (depth * {"rows" if rows else most} < columns) depth *= 2;
        while (width > 32 && width * depth > 256) width /= 2;
        while (width > 1 && width / 2 * per_thread >= inner) width /= 2;
        while (width > 8 && outer * ((inner + width * per_thread - 1) / (width * per_thread)) < {_FEW_BLOCKS}) width /= 2;
        const long long blocks = outer * ((inner + width * per_thread - 1) / (width * per_thread));
        if (has_fours) {{
{_launches(plan, 4, most)}
        }} else {{
{_launches(plan, 1, most)}
        }}
        return;
    }}
"""


def _launches(plan: Plan, width: int, most: int) -> str:
    def launch(rows: int) -> str:
        return f"{plan.function}_kernel_kept<{width}, {rows}><<<blocks, dim3(width, depth)>>>({plan.arguments('columns', 'inner')});"

    if most <= _FEW_ROWS:
        return f"            {launch(most)}"
    return f"""            if (rows == {_FEW_ROWS})
                {launch(_FEW_ROWS)}
            else
                {launch(most)}"""


def _kept(plan: Plan) -> list[int]:
    """Arrays of which each element of a column has its own."""
    return [number for number, read in enumerate(plan.reads) if read.array is not None and read.place == "near" and read.index == "at"]


def _most_rows(plan: Plan) -> int:
    """Elements of a column that a thread keeps of each array; 0: the arrays are none, or too many."""
    count = len(_kept(plan))
    return next((rows for rows in (16, 8, 4) if 4 * rows * count <= _MOST_KEPT), 0) if count else 0


def _body(plan: Plan) -> Iterator[str]:
    loops = KeptLoops(plan, _kept(plan), column_loop(plan), "ROWS", 4 * _most_rows(plan))
    yield from loops.loads()
    for step in plan.steps:
        if step.kind == "row":
            yield from row_values(plan, [step])
        elif step.kind != "full":
            yield from begun([step])
            yield from loops.fold(step, f"{step.name}[e]")
            yield f"    {step.kind}_of_columns<WIDTH>({step.name});"
    yield from loops.stores()
    yield from once_for_each(plan, "threadIdx.y == 0")
