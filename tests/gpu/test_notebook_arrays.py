"""A notebook's arrays on a GPU, read by a worker through handles of their memory; copied in their own process where that cannot be."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.cuda.parse import parse
from assistant.live.binding import Bound, bind
from assistant.live.loop import BackgroundLoop
from assistant.live.sharing import SharedReader
from assistant.live.snapshot import regions_of
from assistant.model.source import Source
from assistant.workload.signature import signature_of

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed here")

N = 1000


@pytest.fixture(scope="module")
def reader() -> Generator[SharedReader]:
    loop = BackgroundLoop()
    made = SharedReader(loop)
    yield made
    loop.close(made.close)


def bound(**arrays: Any) -> Bound:
    declared = ", ".join(f"float *{name}" for name in arrays)
    kernel = parse(Source(Path("/k.cu"), f"__global__ void k({declared}) {{ }}")).kernels[0]
    return bind(signature_of(kernel, "k"), arrays)


def read(reader: SharedReader, folder: Path, **arrays: Any) -> list[np.ndarray[Any, Any]]:
    """What the worker read, region by region."""
    names = reader.names(regions_of(bound(**arrays)), folder)
    assert names is not None, reader.note()
    return [np.frombuffer((folder / name).read_bytes(), np.float32) for name in names]


def test_tensors_of_the_same_segment_are_read_each_by_itself(reader: SharedReader, tmp_path: Path) -> None:
    first, second = torch.arange(float(N), device="cuda"), torch.full((N,), 7.0, device="cuda")
    values = sorted((part.tolist() for part in read(reader, tmp_path, a=first, b=second)), key=lambda part: part[1])
    assert values == [list(range(N)), [7.0] * N]
    (inner,) = read(reader, tmp_path, a=first[100:200])
    assert inner.tolist() == list(range(100, 200)), "a view is read from where it begins"


def test_what_is_queued_on_any_stream_is_waited_for(reader: SharedReader, tmp_path: Path) -> None:
    x, stream = torch.zeros(N, device="cuda"), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        x.fill_(5.0)
    (values,) = read(reader, tmp_path, x=x)
    assert (values == 5.0).all()


def test_pycudas_arrays_are_read(reader: SharedReader, tmp_path: Path) -> None:
    pytest.importorskip("pycuda", reason="pycuda is not installed here")
    torch.zeros(1, device="cuda")  # the primary context, which pycuda is asked to share
    importlib.import_module("pycuda.autoprimaryctx")
    gpuarray: Any = importlib.import_module("pycuda.gpuarray")
    (values,) = read(reader, tmp_path, x=gpuarray.to_gpu(np.arange(N, dtype=np.float32)))
    assert values.tolist() == list(range(N))


def test_managed_memory_is_copied_in_this_process_and_the_reason_is_reported(reader: SharedReader, tmp_path: Path) -> None:
    torch.zeros(1, device="cuda")
    address = ctypes.c_void_p()
    assert ctypes.CDLL("libcuda.so.1").cuMemAllocManaged(ctypes.byref(address), ctypes.c_size_t(4 * N), 1) == 0

    class Managed:
        __cuda_array_interface__ = {"shape": (N,), "typestr": "<f4", "data": (address.value, False), "strides": None, "version": 3}  # noqa: RUF012

    assert reader.names(regions_of(bound(x=Managed())), tmp_path) is None
    assert str(reader.note()).startswith("their memory cannot be shared with a worker (cuIpcGetMemHandle failed: CUDA_ERROR_")
