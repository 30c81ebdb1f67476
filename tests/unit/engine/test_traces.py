"""In what the edited kernels of a program compute, by their own text and what it calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.traces import least_roundoff
from assistant.model.source import Source
from assistant.verify.tolerance import FLOAT_ROUNDOFF

PARSED = parse(
    Source(
        Path("/k.cu"),
        """
__device__ double wide(double x) { return x * 0.5; }
__device__ double narrow(double x) { return sqrtf(x) * 0.5f; }
__global__ void whole(double *sum) { sum[0] = wide(sum[0]); } // not a float
__global__ void inside(double *sum) { float x = threadIdx.x; sum[0] += x; }
template <typename T> __global__ void typed(double *sum) { sum[0] += T(1) / 3; }
__global__ void called(double *sum) { sum[0] = narrow(sum[0]); }
""",
    )
)


@pytest.mark.parametrize(
    ("edited", "is_float"), [(("whole",), False), (("inside",), True), (("called",), True), (("whole", "called"), True), ((), True)]
)
def test_floats_count_that_an_edited_kernel_computes_in(edited: tuple[str, ...], is_float: bool) -> None:
    keys = frozenset(kernel.key for kernel in PARSED.kernels if kernel.qualified_name in edited)
    assert least_roundoff(PARSED, keys) == (FLOAT_ROUNDOFF if is_float else 0.0)


@pytest.mark.parametrize(("instance", "is_float"), [("void typed<float>(double*)", True), ("void typed<double>(double*)", False)])
def test_templates_compute_in_what_they_are_launched_with(instance: str, is_float: bool) -> None:
    keys = frozenset(kernel.key for kernel in PARSED.kernels if kernel.qualified_name in ("typed", "whole"))
    assert least_roundoff(PARSED, keys, (instance, "void other<float>(float*)")) == (FLOAT_ROUNDOFF if is_float else 0.0)
