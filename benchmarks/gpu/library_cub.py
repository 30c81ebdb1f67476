"""CUB and Thrust for the suite's basic algorithms: ``libraries.cu`` as a shared library, called with PyTorch's memory and stream.

Example::

    ops = cub_ops(Cub(folder))                # making the data of one waits until `library_build` is done there
"""

# PyTorch is not in every environment, and says little of its types.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch

from benchmarks.gpu.library_basic import least_squares_sums
from benchmarks.gpu.library_build import built_library
from benchmarks.gpu.library_work import Data, Op, Work

__all__ = ["Cub", "cub_ops"]

_BUILD_TIMEOUT_S = 180.0
_K = 8


class Cub:
    """The library of a folder, loaded when it is first called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._library: ctypes.CDLL | None = None

    def function(self, name: str) -> Callable[..., int]:
        """Waits for nvcc. Raises OSError where the library is not built."""
        if self._library is None:
            self._library = ctypes.CDLL(str(built_library(self._folder, _BUILD_TIMEOUT_S)))
        return getattr(self._library, name)


def _called(cub: Cub, name: str, *arguments: torch.Tensor | int) -> Callable[[], None]:
    """A call of that function, whose temporary storage is allocated once."""
    function = cub.function(name)
    given = [ctypes.c_int(each) if isinstance(each, int) else ctypes.c_void_p(each.data_ptr()) for each in arguments]
    size = ctypes.c_size_t(0)
    device = next(each.device for each in arguments if isinstance(each, torch.Tensor))

    def answer(temporary: ctypes.c_void_p) -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream(device).cuda_stream)
        status = function(temporary, ctypes.byref(size), stream, *given)
        if status:
            raise RuntimeError(f"{name} answers CUDA error {status}")

    answer(ctypes.c_void_p(None))
    storage = torch.empty(max(size.value, 1), dtype=torch.uint8, device=device)
    kept = (storage, arguments)  # as long as the call: it only has their addresses

    def call() -> None:
        answer(ctypes.c_void_p(kept[0].data_ptr()))

    return call


def _sum(cub: Cub, data: Data, n: int) -> Work:
    x, out = data.integers(-9, 10, n), data.empty(1, dtype=torch.int32)
    return _work(_called(cub, "cub_sum", x, out, n), (out,), lambda: (x.double().sum()[None],))


def _dot(cub: Cub, data: Data, n: int) -> Work:
    u, v, out = data.uniform(n, high=3.5), data.uniform(n, low=-2, high=2), data.empty(1, dtype=torch.float64)
    return _work(_called(cub, "cub_dot", u, v, out, n), (out,), lambda: ((u * v).double().sum()[None],))


def _mse(cub: Cub, data: Data, n: int) -> Work:
    target, out = data.doubles(n), data.empty(1, dtype=torch.float64)
    prediction = target + data.uniform(n, dtype=torch.float64, low=-0.06, high=0.06)
    return _work(_called(cub, "cub_squares", prediction, target, out, n), (out,), lambda: (((prediction - target) ** 2).sum()[None],))


def _least_squares(cub: Cub, data: Data, count: int) -> Work:
    samples, out = data.uniform(count, 2, low=-1), data.empty(11, dtype=torch.float64)
    return _work(_called(cub, "cub_powers", samples, out, count), (out,), lambda: (torch.cat(least_squares_sums(samples)),))


def _scan(cub: Cub, data: Data, n: int) -> Work:
    x, out = data.integers(-3, 6, n), data.empty(n, dtype=torch.int32)
    return _work(_called(cub, "cub_scan", x, out, n), (out,), lambda: (x.double().cumsum(0) - x,))


def _sort(cub: Cub, data: Data, n: int) -> Work:
    keys, out = data.integers(0, 2**31 - 1, n), data.empty(n, dtype=torch.int32)
    return _work(_called(cub, "cub_sort", keys, out, n), (out,), lambda: (keys.double().sort().values,))


def _histogram(cub: Cub, data: Data, size: int) -> Work:
    octets, out = data.products_of_octets(size), data.empty(256, dtype=torch.int32)
    return _work(
        _called(cub, "cub_histogram", octets, out, size), (out,), lambda: (torch.stack([(octets == each).sum() for each in range(256)]),)
    )


def _topk(cub: Cub, data: Data, users: int, items: int) -> Work:
    scores, ordered = data.uniform(users, items), data.empty(users, items)
    places = torch.arange(items, dtype=torch.int32, device=data.device).repeat(users)
    found = torch.empty_like(places).view(users, items)
    starts = torch.arange(users + 1, dtype=torch.int32, device=data.device) * items

    def expected() -> tuple[torch.Tensor, ...]:
        best = scores.double().sort(dim=1, descending=True).values[:, :_K]
        return (best, best)

    call = _called(cub, "cub_sort_rows", scores, ordered, places, found, starts, users, items)
    return Work(call, expected, lambda _: (ordered[:, :_K], torch.gather(scores, 1, found[:, :_K].long())))


def _reverse(cub: Cub, data: Data, n: int) -> Work:
    x = data.uniform(n, high=1000003)
    return _work(_called(cub, "thrust_reverse", x, n), (x,), lambda: (x[torch.arange(n - 1, -1, -1, device=data.device)],))


def _work(call: Callable[[], None], found: tuple[torch.Tensor, ...], expected: Callable[[], tuple[torch.Tensor, ...]]) -> Work:
    return Work(call, expected, lambda _: found)


_HOST = "all of the sum; the program's host adds what blocks summed"
_OPS: tuple[tuple[str, str, str, str, Callable[..., Work], str], ...] = (
    ("mse", "CUB", "DeviceReduce::TransformReduce", "float64", _mse, _HOST),
    ("reverse", "Thrust", "thrust::reverse", "float32", _reverse, ""),
    (
        "topk", "CUB", "DeviceSegmentedRadixSort::SortPairsDescending", "float32 and int32", _topk,
        "sorts each row as a whole; the places of its scores lie ready in memory",
    ),
    ("sort", "CUB", "DeviceRadixSort::SortKeys", "int32", _sort, "into another array"),
    ("reduction", "CUB", "DeviceReduce::Sum", "int32", _sum, ""),
    ("dot", "CUB", "DeviceReduce::TransformReduce", "float32, sums in float64", _dot, _HOST),
    ("scan", "CUB", "DeviceScan::ExclusiveSum", "int32", _scan, ""),
    ("histogram", "CUB", "DeviceHistogram::HistogramEven", "uint8", _histogram, "sets the counters to 0 itself"),
    ("least_squares", "CUB", "DeviceReduce::TransformReduce of 11 sums", "float32, sums in float64", _least_squares, _HOST),
)  # fmt: skip


def cub_ops(cub: Cub) -> tuple[Op, ...]:
    """In the suite's order."""
    return tuple(
        Op(program, library, calls, kind, partial(make, cub), differs, needs_gpu=True)
        for program, library, calls, kind, make, differs in _OPS
    )
