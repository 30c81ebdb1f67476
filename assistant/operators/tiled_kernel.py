"""First kernels of functions element by element that read an array along another dimension than they write: by tiles. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.operators.kernel_plan import Plan, statements
from assistant.operators.kernel_text import plain_words, same_steps, with_words

__all__ = ["tiled_kernel"]

_TILE = 32
_LINES = 8
"""Of threads in a block; each takes every eighth line of a tile."""


def tiled_kernel(plan: Plan) -> str:
    assert plan.tile is not None
    name, (q_size, p_size) = plan.function, plan.tile
    return f"""// A tile of {_TILE} x {_TILE} elements for each block. An array whose neighbours lie along q is read along q and turned in
// shared memory; everything is written along p. The column that a tile has too many keeps its lines in different banks.
__global__ void {name}_kernel({plan.kernel_parameters("int p_size", "int q_size")}) {{
    const int p_tiles = (p_size + {_TILE - 1}) / {_TILE}, q_tiles = (q_size + {_TILE - 1}) / {_TILE};
    const long long outer = blockIdx.x / (p_tiles * q_tiles);
    const int p_begin = blockIdx.x % p_tiles * {_TILE}, q_begin = blockIdx.x / p_tiles % q_tiles * {_TILE};
{chr(10).join(_body(plan))}
}}

{plan.linkage}void {name}({plan.parameters()}) {{
    const long long outer = {_long(plan.outer)};
    const int p_size = {p_size}, q_size = {q_size};
    const long long tiles = outer * ((p_size + {_TILE - 1}) / {_TILE}) * ((q_size + {_TILE - 1}) / {_TILE});
    if (tiles == 0) return;
    {name}_kernel<<<tiles, dim3({_TILE}, {_LINES})>>>({plan.arguments("p_size", "q_size")});
}}
"""


def _long(product: str) -> str:
    return f"(long long){product}" if " " in product else product


def _body(plan: Plan) -> Iterator[str]:
    words = plain_words(plan)
    turned = [(number, read) for number, read in enumerate(plan.reads) if read.array is not None and read.place == "apart"]
    for _, read in turned:
        assert read.array is not None
        yield f"    __shared__ {read.array.value_type} {read.word}_tile[{_TILE}][{_TILE + 1}];"
    yield from _lines()
    yield "        const long long p = p_begin + line, q = q_begin + threadIdx.x;"
    yield "        if (p < p_size && q < q_size) {"
    for number, read in turned:
        yield f"            {read.word}_tile[line][threadIdx.x] = {words[number]};"
        words[number] = f"{read.word}_tile[threadIdx.x][line]"
    yield "        }"
    yield "    }"
    yield "    __syncthreads();"
    yield from _lines()
    yield "        const long long p = p_begin + threadIdx.x, q = q_begin + line;"
    yield "        if (p >= p_size || q >= q_size) continue;"
    steps = with_words(plan.steps, words)
    yield from statements(steps, same_steps(steps, [store.step for store in plan.stores]), 2)
    yield from (f"        {store.array.name}[{store.index}] = {store.step.name};" for store in plan.stores)
    yield "    }"


def _lines() -> Iterator[str]:
    """Unrolled, so that a thread has all that it reads under way at once."""
    yield "    #pragma unroll"
    yield f"    for (int first = 0; first < {_TILE}; first += {_LINES}) {{"
    yield "        const int line = first + threadIdx.y;"
