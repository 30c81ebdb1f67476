"""What a library operation is for the benchmark: data like a program's, the calls that do what its kernels do, and what must come out.

Example::

    op = Op("relu", "torch", "torch.relu(x)", "float32", make_relu)
    work = op.work(Data(torch.device("cuda")), (1024,))
    difference(work)                          # 0.0: one call, held against the program's mathematics in double precision
"""

# PyTorch is not in every environment, and says little of its types.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

__all__ = ["Data", "Op", "Work", "difference"]

_SEED = 1
_TINY = 1e-300


class Work(NamedTuple):
    """One operation on data of its own."""

    call: Callable[[], Any]
    """All that the program's kernels do, once more; may update its data in place."""
    expected: Callable[[], Sequence[torch.Tensor]]
    """What the first call must leave, by the program's own formula in double precision; asked for before that call."""
    shown: Callable[[Any], Sequence[torch.Tensor]] = lambda found: found if isinstance(found, tuple) else (found,)
    """The call's result as tensors that can be held against ``expected``."""


class Data:
    """Makes a program's data on the device."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self._generator = torch.Generator(device).manual_seed(_SEED)

    @property
    def is_on_gpu(self) -> bool:
        return self.device.type == "cuda"

    def uniform(self, *shape: int, dtype: torch.dtype = torch.float32, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
        """Values in [low, high)."""
        return torch.rand(shape, dtype=dtype, device=self.device, generator=self._generator).mul_(high - low).add_(low)

    def doubles(self, *shape: int) -> torch.Tensor:
        """Values in [0, 1)."""
        return self.uniform(*shape, dtype=torch.float64)

    def integers(self, low: int, high: int, *shape: int, dtype: torch.dtype = torch.int32) -> torch.Tensor:
        """Values in [low, high)."""
        return torch.randint(low, high, shape, dtype=dtype, device=self.device, generator=self._generator)

    def products_of_octets(self, n: int) -> torch.Tensor:
        """The upper halves of products of two random octets: small ones are much more frequent, as in the suite's histogram."""
        a, b = (self.integers(0, 256, n, dtype=torch.int32) for _ in range(2))
        return (a.mul_(b) >> 8).to(torch.uint8)

    def empty(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.empty(shape, dtype=dtype, device=self.device)


class Op(NamedTuple):
    """Calls of one library that stand for a program of the suite."""

    program: str
    library: str
    calls: str
    """As a user would write them; with the program and the library they tell an op from all others."""
    type: str
    """Of the elements."""
    make: Callable[..., Work]
    """From ``Data`` and the program's size."""
    differs: str = ""
    """What the calls do otherwise than the program's kernels; empty: nothing but the order of sums."""
    is_graphed: bool = True
    """Whether the calls can be captured in a CUDA graph."""
    needs_gpu: bool = False

    def work(self, data: Data, size: Sequence[int]) -> Work:
        return self.make(data, *size)


def difference(work: Work) -> float:
    """Of the first call from what is expected: the largest over its results, relative to the largest value that is expected in each."""
    wanted = [tensor.double().clone() for tensor in work.expected()]
    found = [tensor.double() for tensor in work.shown(work.call())]
    if [tensor.shape for tensor in found] != [tensor.shape for tensor in wanted]:
        raise ValueError(f"shapes are {[tuple(each.shape) for each in found]}, expected {[tuple(each.shape) for each in wanted]}")
    return max(float((a - b).abs().max() / b.abs().max().clamp_min(_TINY)) for a, b in zip(found, wanted, strict=True))
