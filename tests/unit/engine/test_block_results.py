"""Outputs that hold a result of each block."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.cuda.parse import parse
from assistant.engine.judge.block_results import block_results, handed_on, has_part_by_size
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import PointerField, RecordedArgument, RecordedLaunch, Recording
from assistant.model.source import Kernel, Source

KERNEL = "__global__ void k(const float *in, float *out, int n) { int i = blockIdx.x * 64 + threadIdx.x; BODY }\n"


def found(body: str, key: str | None = None) -> frozenset[int]:
    parsed = parse(Source(Path("/k.cu"), KERNEL.replace("BODY", body)))
    version: Any = SimpleNamespace(parsed=parsed, source=parsed.source, sources=(parsed.source,))
    return block_results(version, key or parsed.kernels[0].key)


@pytest.mark.parametrize(
    "body",
    [
        "if (threadIdx.x == 0) out[blockIdx.x] = in[i];",
        "int block = blockIdx.y * gridDim.x + blockIdx.x; if (threadIdx.x == 0) out[block] = in[i];",
        "out[2 * blockIdx.x] = in[0]; out[2 * blockIdx.x + 1] = in[1];",
        "if (threadIdx.x == 0) *(out + blockIdx.x) = in[i];",
    ],
)
def test_places_that_the_block_alone_decides_are_results_of_blocks(body: str) -> None:
    assert found(body) == {1}


@pytest.mark.parametrize(
    "body",
    [
        "out[i] = in[i];",
        "if (threadIdx.x == 0) out[0] = in[i];",
        "if (threadIdx.x == 0) atomicAdd(&out[blockIdx.x], in[i]);",
        "out[blockIdx.x] = in[i]; out[i] = 0;",
        "if (threadIdx.x == 0) out[blockIdx.x] += in[i];",
        "for (int row = blockIdx.x; row < n; row += gridDim.x) out[row] = in[row];",
        "",
    ],
)
def test_all_other_places_are_not(body: str) -> None:
    assert found(body) == frozenset()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int j = blockIdx.x * blockDim.x + threadIdx.x; if (threadIdx.x == 0) out[blockIdx.x] = in[j];", True),
        ("for (int j = threadIdx.x + blockDim.x * blockIdx.x; j < n; j += blockDim.x * gridDim.x) in[j]; out[blockIdx.x] = 0;", True),
        ("const int EACH = 32 * 2; int j = blockIdx.x * EACH + threadIdx.x; out[blockIdx.x] = in[j];", True),
        ("int j = blockIdx.x * n + threadIdx.x; out[blockIdx.x] = in[j];", False),
        ("out[blockIdx.x] = in[blockIdx.x];", False),
        ("int j = blockIdx.x * 32 + threadIdx.x; out[blockIdx.x] = in[j];", False),
        ("int b = blockIdx.x; out[blockIdx.x] = in[b * blockDim.x];", False),
    ],
)
def test_a_part_of_the_work_is_by_the_blocks_size_where_the_block_is_multiplied_by_it(body: str, expected: bool) -> None:
    parsed = parse(Source(Path("/k.cu"), f"__global__ void k(const float *in, float *out, int n) {{ {body} }}\n"))
    version: Any = SimpleNamespace(parsed=parsed, source=parsed.source, sources=(parsed.source,))
    assert has_part_by_size(version, parsed.kernels[0].key, Dim3(64)) is expected


def test_a_kernel_of_another_file_has_none() -> None:
    assert found("out[blockIdx.x] = in[i];", "other(float *)") == frozenset()


STRIDED = "for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < n; j += blockDim.x * gridDim.x) in[j]; out[blockIdx.x] = 0;"
PIECES = "int each = n / gridDim.x; for (int j = blockIdx.x * each; j < each; j++) in[j]; out[blockIdx.x] = 0;"
EVERYWHERE = "out[blockIdx.x * blockDim.x + threadIdx.x] = 0;"
RESULTS = 7


class _Version(SimpleNamespace):
    def about(self, kernel: Kernel) -> _Version:
        return self

    def kernel_of(self, instance: str) -> Kernel | None:
        return self.parsed.kernels[0] if instance == "k" else None


def version_of(body: str) -> Any:
    parsed = parse(Source(Path("/k.cu"), f"__global__ void k(const float *in, float *out, int n) {{ {body} }}\n"))
    return _Version(parsed=parsed, source=parsed.source, sources=(parsed.source,))


def launched(reader: str, buffer: int) -> Recording:
    passed = tuple(RecordedArgument(8, "", (PointerField(0, number, 0),)) for number in (3, RESULTS))
    launches = (("k", (*passed, RecordedArgument(4, "", ()))), (reader, (RecordedArgument(8, "", (PointerField(0, buffer, 0),)),) * 2))
    made = (
        RecordedLaunch(index, name, LaunchConfig(Dim3(4), Dim3(64)), given, (), "k.cu", 1) for index, (name, given) in enumerate(launches)
    )
    return Recording((), tuple(made), (), ())


@pytest.mark.parametrize(
    ("a", "b", "reader", "buffer", "expected"),
    [
        (STRIDED, PIECES, "total", RESULTS, {"k": {1}}),
        (STRIDED, PIECES, "total", 3, {}),  # nothing reads them on the device
        (STRIDED, PIECES, "k", RESULTS, {}),
        (PIECES, STRIDED, "total", RESULTS, {}),  # what a block of A's has is not by its size
        (STRIDED, EVERYWHERE, "total", RESULTS, {}),
    ],
)
def test_results_of_blocks_are_handed_on_where_another_kernel_is_passed_them(
    a: str, b: str, reader: str, buffer: int, expected: dict[str, set[int]]
) -> None:
    recording = launched(reader, buffer)
    assert handed_on(version_of(a), version_of(b), recording, recording) == expected


def test_nothing_is_handed_on_where_nothing_was_recorded() -> None:
    assert handed_on(version_of(STRIDED), version_of(PIECES), None, None) == {}
