"""What one warp's access costs: 32-byte sectors in global memory, wavefronts in shared memory.

The rules are those of Nsight Compute's theoretical counters (Nsight Compute documentation, "Memory Tables"; CUDA C++ Best
Practices Guide, "Coalesced Access to Global Memory" and "Shared Memory and Memory Banks").

Example::

    sector_count(range(32), size_bytes=4)              # 4
    wavefront_count([32 * i for i in range(32)], 4)    # 32: one bank for all lanes
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from assistant.model.launch import Dim3

__all__ = [
    "BANK_BYTES",
    "BANK_COUNT",
    "SECTOR_BYTES",
    "WARP_SIZE",
    "exchanged_lane",
    "ideal_wavefront_count",
    "lane_environments",
    "lane_values",
    "sector_count",
    "wavefront_count",
]

WARP_SIZE = 32
SECTOR_BYTES = 32
BANK_COUNT = 32
BANK_BYTES = 4
_AXES = ("x", "y", "z")


def lane_environments(block: Dim3, warp_index: int = 0) -> tuple[dict[str, int], ...]:
    """Built-in variables of each thread of a warp of the first block, in lane order; fewer than 32 in a partial warp."""
    sizes = {f"blockDim.{axis}": getattr(block, axis) for axis in _AXES} | {f"blockIdx.{axis}": 0 for axis in _AXES}
    first = warp_index * WARP_SIZE
    return tuple(
        {
            **sizes,
            "threadIdx.x": thread % block.x,
            "threadIdx.y": thread // block.x % block.y,
            "threadIdx.z": thread // (block.x * block.y),
        }
        for thread in range(first, min(first + WARP_SIZE, block.count))
    )


def exchanged_lane(lane: dict[str, int]) -> dict[str, int]:
    """What words about x mean where y was written, and the other way round."""
    names = {"x": "y", "y": "x"}
    return {f"{name[:-1]}{names.get(name[-1], name[-1])}": value for name, value in lane.items()}


def sector_count(element_indices: Iterable[int], size_bytes: int) -> int:
    """Distinct 32-byte sectors of a request; indices count elements of ``size_bytes`` from an aligned base."""
    return len(
        {
            sector
            for index in element_indices
            for sector in range(index * size_bytes // SECTOR_BYTES, (index * size_bytes + size_bytes - 1) // SECTOR_BYTES + 1)
        }
    )


def wavefront_count(element_indices: Sequence[int], size_bytes: int) -> int:
    """Shared-memory wavefronts of one request: the words that the busiest bank must serve one after the other.

    Elements of 8 (16) bytes are served per half (quarter) warp.
    """
    words_per_element = max(1, size_bytes // BANK_BYTES)
    group = max(1, WARP_SIZE // words_per_element)
    return sum(_conflicts(element_indices[start : start + group], size_bytes) for start in range(0, len(element_indices), group))


def ideal_wavefront_count(element_indices: Sequence[int], size_bytes: int) -> int:
    """Wavefronts of the same words without a conflict."""
    return -(-len(_words(element_indices, size_bytes)) // BANK_COUNT)


def _words(element_indices: Sequence[int], size_bytes: int) -> set[int]:
    return {
        word
        for index in element_indices
        for word in range(index * size_bytes // BANK_BYTES, (index * size_bytes + size_bytes - 1) // BANK_BYTES + 1)
    }


def _conflicts(element_indices: Sequence[int], size_bytes: int) -> int:
    banks: dict[int, int] = {}
    for word in _words(element_indices, size_bytes):
        banks[word % BANK_COUNT] = banks.get(word % BANK_COUNT, 0) + 1
    return max(banks.values(), default=0)


def lane_values(block: Dim3, unknowns: dict[str, int], value_of: Callable[[dict[str, int]], int | None]) -> tuple[int, ...] | None:
    """``value_of`` each lane of the first warp; None when one of them is unknown."""
    values = [value_of({**unknowns, **lane}) for lane in lane_environments(block)]
    known = tuple(v for v in values if v is not None)
    return known if len(known) == len(values) else None
