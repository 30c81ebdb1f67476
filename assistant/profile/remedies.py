"""What would fix a finding, in one line each; the finding's page says more. Pure.

Example::

    remedy("KO103")     # "pad the row (tile[32][33]), or let neighbouring lanes read neighbouring words"
    remedy("KO102", "…: misaligned, …")     # "a start at a multiple of 32 bytes (pad rows), or a tile in shared memory"
    remedy_within_line("KO202", "write after write: …")     # "one thread that writes, or an atomic"
"""

from __future__ import annotations

__all__ = ["remedy", "remedy_within_line"]

_REMEDIES = {
    "KO101": "let threadIdx.x run along the fastest-varying index, or stage a tile in shared memory",
    "KO102": "one array per member, a start at a multiple of 32 bytes, or a step of one element",
    "KO103": "pad the row (tile[32][33]), or let neighbouring lanes read neighbouring words",
    "KO104": "shorter live ranges, less unrolling, or a higher register limit",
    "KO105": "fewer registers or less shared memory per block, or more independent loads per thread",
    "KO106": "write 0.5f and sqrtf; the last bits of results may change",
    "KO107": "accumulate in a local variable, store once after the loop",
    "KO108": "load a tile into shared memory together and use it from there",
    "KO109": "branch on what is equal across a warp",
    "KO110": "combine in the warp first, then in the block, then one atomic per block",
    "KO111": "smaller blocks, or split the work over more of them",
    "KO112": "a multiple of 32 threads, 128 to 256 to start with",
    "KO113": "load it before the loop, or declare the pointers const and __restrict__, if the buffers really never overlap",
    "KO114": "#pragma unroll, with a bound that the compiler knows",
    "KO115": "let the first warp finish with __shfl_down_sync",
    "KO116": "write x * x, x * x * x or 1.0f / x; in a loop over the exponent, multiply the last power by x",
    "KO117": "constant indices, so that the elements become registers, or a smaller array",
    "KO118": "move 16 bytes per thread at once (float4), with a check of the alignment",
    "KO119": "scan in each warp with __shfl_up_sync, then add the totals of the warps before",
    "KO120": "keep the value in a local variable for the next iteration, too",
    "KO121": "several rows per thread, all loads before the first store",
    "KO122": "let each thread take its share: for (int k = threadIdx.x; k < n; k += blockDim.x)",
    "KO123": "write rsqrtf(x) and multiply; the last bits of results may change",
    "KO124": "one launch for the passes within a block's elements, in shared memory, with a barrier between them",
    "KO125": "one launch for each diagonal of tiles: a block walks along its tile's diagonals in shared memory",
    "KO126": "write cospi(2.0 * u), sincos(a, &s, &c), exp2(x) or exp10(x); the last bits of results may change",
    "KO127": "blocks of up to 512 threads, or several elements per thread, so that there are fewer blocks",
    "KO201": "guard the index, or make the buffer as large as the grid reaches",
    "KO202": "a barrier between both accesses within a block; between blocks an atomic, or a second launch",
    "KO203": "write every element before it is read",
    "KO204": "move the barrier to where all threads of the block pass",
    "KO205": "free the buffer after the last launch that uses it",
    "KO206": "a block of at most 1024 threads, and a grid that is not empty",
    "KO208": "wait for the copy (cp.async.wait_group, a barrier) before reading",
    "KO209": "volatile, or an atomic load, where another thread changes the value",
    "KO210": "__threadfence() between the data and the flag",
    "KO211": "no waiting for a block that may not be resident, or a cooperative launch",
}


_BY_REASON = {
    "KO102": (
        ("structures", "one array per member, or members that one access moves together (__align__, float4)"),
        ("misaligned", "a start at a multiple of 32 bytes (pad rows), or a tile in shared memory"),
        ("lie apart", _REMEDIES["KO101"]),
    ),
}
"""By code: words of a message that say which of its causes it has, and what would fix that one."""


def remedy(code: str, message: str = "") -> str | None:
    """None where it depends on the case; with the finding's message, that of the cause it names."""
    return next((fix for words, fix in _BY_REASON.get(code, ()) if words in message), _REMEDIES.get(code))


def remedy_within_line(code: str, message: str) -> str | None:
    """Of a race of a line with itself, where no barrier can stand; as ``remedy`` for everything else."""
    if not any(words in message for words in _MEETINGS):
        return remedy(code, message)
    return "one thread that writes, or an atomic" if _BOTH_WRITE in message else _READ_AND_WRITE


_BOTH_WRITE = "write after write"
_MEETINGS = (_BOTH_WRITE, "write after read", "read after write")
"""How a race's message begins."""
_READ_AND_WRITE = "an atomic, or one thread alone; to move elements: read all, wait at a barrier, write"
