"""Names of kernels' instances."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.match import template_arguments_of
from assistant.cuda.parse import parse
from assistant.cuda.spelling import with_doubles
from assistant.model.source import Source

(KERNEL,) = parse(Source(Path("/k.cu"), "template <class T, int N> __global__ void tr(T *a) {}")).kernels


@pytest.mark.parametrize(
    ("instance", "expected"),
    [
        ("void ns::tr<float, 1>(float*)", ("float", "1")),
        ("(anonymous namespace)::tr<std::pair<int, int>, (Op)1>(std::pair<int, int>*)", ("std::pair<int, int>", "(Op)1")),
        ("void other_tr<int>(int*)", ()),
        ("tr", ()),
    ],
)
def test_template_arguments_as_they_are_written(instance: str, expected: tuple[str, ...]) -> None:
    assert template_arguments_of(KERNEL, instance) == expected


def test_an_instance_with_doubles() -> None:
    assert with_doubles("k<float, __half2>(float4*, halfway*)") == "k<double, double2>(double4*, halfway*)"
