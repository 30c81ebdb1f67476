"""Launchers as operators of ``torch.library``: shapes without running, gradients by name, and no function of PyTorch's."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="operators are PyTorch's")


class Scaled:
    """``y = x * factor``, and the sum of each row behind it where two are wanted."""

    def __init__(self, output_count: int = 1, *, has_backward: bool = True) -> None:
        self.output_count = output_count
        self.has_backward = has_backward
        self.ran = 0

    def empty(self, named: dict[str, Any]) -> tuple[Any, ...]:
        import torch

        x = named["x"]
        return (torch.empty_like(x), torch.empty(x.shape[0]))[: self.output_count]

    def forward(self, named: dict[str, Any]) -> tuple[Any, ...]:
        self.ran += 1
        y = named["x"] * named["factor"]
        return (y, y.sum(-1))[: self.output_count]

    def backward(self, named: dict[str, Any], outputs: Sequence[Any], cotangents: Sequence[Any]) -> dict[str, Any]:
        return {"x": cotangents[0] * named["factor"]}


def test_it_runs_the_launcher_and_gives_its_gradients() -> None:
    import torch

    from assistant.torch_worker.side.library_op import library_op

    scaled, x = Scaled(), torch.ones(2, 3, requires_grad=True)
    y = library_op("scaled", {"x": x, "factor": 2.5}, scaled)(x, 2.5)
    y.sum().backward()
    assert y.tolist() == [[2.5] * 3] * 2 and scaled.ran == 1
    assert x.grad is not None and x.grad.tolist() == [[2.5] * 3] * 2


def test_its_shapes_are_known_without_running_it() -> None:
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    from assistant.torch_worker.side.library_op import library_op

    scaled = Scaled(2)
    op = library_op("scaled", {"x": torch.ones(1), "factor": 1.0}, scaled)
    with FakeTensorMode():
        y, sums = op(torch.empty(5, 7), 1.0)
    assert (tuple(y.shape), tuple(sums.shape), scaled.ran) == ((5, 7), (5,), 0)


def test_it_counts_as_the_candidates_own_and_not_as_a_function_of_pytorch() -> None:
    import torch

    from assistant.torch_worker.side.library_op import library_op
    from assistant.torch_worker.side.watching import computing_calls

    x = torch.ones(2, 3)
    op = library_op("scaled", {"x": x, "factor": 2.0}, Scaled(has_backward=False))
    with computing_calls() as counts:
        op(x, 2.0)
        torch.relu(x)
    assert dict(counts) == {"relu": 1}


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("void row_softmax_of<float, 4>(float*, float const*, int)", "row_softmax_of"),
        ("twice(float*, int)", "twice"),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)",
            "at::native::vectorized_elementwise_kernel",
        ),
        ("void (anonymous namespace)::softmax_warp_forward<float>(float*)", "softmax_warp_forward"),
        ("sm90_xmma_gemm_f32f32_tn", "sm90_xmma_gemm_f32f32_tn"),
    ],
)
def test_kernels_are_named_without_types_and_arguments(name: str, plain: str) -> None:
    from assistant.torch_worker.side.trace import plain_name

    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("capped_scores(at::GenericPackedTensorAccessor<float, 3ul, at::RestrictPtrTraits, int>, float)", True),
        ("void capped_scores<at::Half>(at::Half*, int)", True),
        ("void at::native::capped_scores<float>(float*)", False),
        ("void cub::DeviceReduceKernel<float>(float*)", False),
        ("ampere_sgemm_128x64_tn", False),
    ],
)
def test_a_kernel_is_the_candidates_own_by_its_name_and_not_by_what_it_takes(name: str, expected: bool) -> None:
    from assistant.torch_worker.side.trace import is_own, plain_name

    assert is_own(plain_name(name), frozenset({"capped_scores", "DeviceReduceKernel"})) is expected
