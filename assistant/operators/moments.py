"""Mean and squared deviations in one pass over the values; the partial results of threads and blocks are merged. Pure.

The sum of squares alone would lose all digits where a mean is large beside the deviation; so would some digits a mean that is kept as one
number: each thread's values are taken as distances from its first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.operators.kernel_plan import Step, note

__all__ = [
    "COLUMN_MOMENTS",
    "COLUMN_MOMENTS_OF_PARTS",
    "MOMENTS",
    "MOMENT_NUMBERS",
    "ROW_MOMENTS",
    "ROW_MOMENTS_OF_PARTS",
    "added",
    "both",
    "weights",
]

MOMENTS = """// Of values: how many there are, their sum, the sum of their distances from one of them (`shift`), which has more
// digits, and the sum of the squares of their distances from their mean.
struct Moments {
    float count, sum, shift, apart, squares;
};

// How much the next value's distance counts for among the squares of a thread (Youngs and Cramer).
__device__ float weight_of_next(const Moments& so_far) {
    return so_far.count > 0.0f ? __fdividef(1.0f, so_far.count * (so_far.count + 1.0f)) : 0.0f;
}

__device__ void add_to(Moments& so_far, float value, float weight) {
    so_far.shift = so_far.count > 0.0f ? so_far.shift : value;
    so_far.count += 1.0f;
    so_far.sum += value;
    const float own = value - so_far.shift;
    so_far.apart += own;
    const float distance = so_far.count * own - so_far.apart;
    so_far.squares += distance * (distance * weight);
}

// Of two sets of values as one (Chan, Golub and LeVeque).
__device__ Moments merged(const Moments& a, const Moments& b) {
    if (a.count == 0.0f) return b;
    if (b.count == 0.0f) return a;
    const float count = a.count + b.count, between = b.shift - a.shift;
    const float distance = between + (b.apart / b.count - a.apart / a.count);
    const float squares = a.squares + b.squares + distance * distance * (a.count * (b.count / count));
    return {count, a.sum + b.sum, a.shift, a.apart + b.apart + b.count * between, squares};
}
"""
MOMENT_NUMBERS = 5
"""How many numbers they are."""
ROW_MOMENTS = """__device__ Moments moments_of_warp(Moments mine) {
    for (int offset = 16; offset > 0; offset /= 2) {
        Moments other;
        other.count = __shfl_xor_sync(0xffffffffu, mine.count, offset);
        other.sum = __shfl_xor_sync(0xffffffffu, mine.sum, offset);
        other.shift = __shfl_xor_sync(0xffffffffu, mine.shift, offset);
        other.apart = __shfl_xor_sync(0xffffffffu, mine.apart, offset);
        other.squares = __shfl_xor_sync(0xffffffffu, mine.squares, offset);
        mine = merged(mine, other);
    }
    return mine;
}

// Of all threads of a block, which have a row together; each thread has WIDTH of them.
template <int WIDTH>
__device__ Moments moments_of_row(const Moments* own) {
    __shared__ Moments partial[32];
    Moments mine = own[0];
    #pragma unroll
    for (int e = 1; e < WIDTH; ++e) {
        mine = merged(mine, own[e]);
    }
    mine = moments_of_warp(mine);
    const int lane = threadIdx.x % 32;
    if (lane == 0) partial[threadIdx.x / 32] = mine;
    __syncthreads();
    mine = lane < blockDim.x / 32 ? partial[lane] : Moments{};
    mine = moments_of_warp(mine);
    __syncthreads();
    return mine;
}
"""
ROW_MOMENTS_OF_PARTS = """// Of what the blocks of a row left, by all threads of a block.
__device__ Moments moments_of_parts(const Moments* parts, int splits) {
    Moments mine = {};
    for (int part = threadIdx.x; part < splits; part += blockDim.x) {
        mine = merged(mine, parts[part]);
    }
    return moments_of_row<1>(&mine);
}
"""
COLUMN_MOMENTS = """// Of the threads that share WIDTH columns; a power of two of them.
template <int WIDTH>
__device__ void moments_of_columns(Moments* own) {
    __shared__ Moments partial[WIDTH][512];
    if (blockDim.y == 1) return;
    const int mine = threadIdx.y * blockDim.x + threadIdx.x;
    #pragma unroll
    for (int e = 0; e < WIDTH; ++e) {
        partial[e][mine] = own[e];
    }
    __syncthreads();
    for (int lines = blockDim.y / 2; lines > 0; lines /= 2) {
        #pragma unroll
        for (int e = 0; e < WIDTH; ++e) {
            if (threadIdx.y < lines) partial[e][mine] = merged(partial[e][mine], partial[e][mine + lines * blockDim.x]);
        }
        __syncthreads();
    }
    #pragma unroll
    for (int e = 0; e < WIDTH; ++e) {
        own[e] = partial[e][threadIdx.x];
    }
    __syncthreads();
}
"""
COLUMN_MOMENTS_OF_PARTS = """// Of what the blocks of columns left, by the threads that share them.
template <int WIDTH>
__device__ void moments_of_parts(Moments* own, const Moments* parts, long long stride, int splits) {
    #pragma unroll
    for (int e = 0; e < WIDTH; ++e) {
        own[e] = {};
    }
    for (int part = threadIdx.y; part < splits; part += blockDim.y) {
        #pragma unroll
        for (int e = 0; e < WIDTH; ++e) {
            own[e] = merged(own[e], parts[part * stride + e]);
        }
    }
    moments_of_columns<WIDTH>(own);
}
"""


def weights(squares: Sequence[Step], indent: str) -> Iterator[str]:
    """What the next value of each of WIDTH neighbours counts for: they have had equally many."""
    yield from (f"{indent}const float weight_{step.name} = weight_of_next(part_{step.name}[0]);" for step in squares)


def added(squares: Step, value: str, indent: str) -> str:
    """Takes in the next value of neighbour ``e``."""
    return f"{indent}add_to(part_{squares.name}[e], {value}, weight_{squares.name});"


def both(total: Step, squares: Step, found: str) -> list[str]:
    """A row's values of its moments."""
    return [
        f"    const Moments all_{squares.name} = {found};",
        f"    const float {total.name} = all_{squares.name}.sum, {squares.name} = all_{squares.name}.squares;{note(squares)}",
    ]
