"""Arguments of nothing but zeros are called that: on them a wrong kernel is right, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assistant.cuda.parse import parse
from assistant.live.binding import bind
from assistant.live.zeros import zeros_note
from assistant.model.source import Source
from assistant.workload.signature import signature_of


def check(body: str, **arrays: np.ndarray) -> tuple[str, ...]:
    parameters = ", ".join(f"float *{name}" for name in arrays)
    text = f"__global__ void k({parameters})\n{{\n  int i = threadIdx.x;\n  {body}\n}}\n"
    (kernel,) = parse(Source(Path("/w/k.cu"), text)).kernels
    return zeros_note((bind(signature_of(kernel, "k"), arrays),), text, kernel)


def zeros() -> np.ndarray:
    return np.zeros(8, np.float32)


def ones() -> np.ndarray:
    return np.ones(8, np.float32)


def test_inputs_of_zeros_alone_are_named() -> None:
    said = "zeros alone, and k reads no other array: what is right on zeros may be wrong on other values; give some"
    assert check("out[i] = a[i] * b[i];", out=zeros(), a=zeros(), b=zeros()) == (f"a, b hold {said}",)
    assert check("x[i] *= 2;", x=zeros()) == (f"x holds {said}",)


def test_one_other_value_is_enough_and_what_is_only_written_or_added_to_may_be_zero() -> None:
    one = zeros()
    one[-1] = 1
    assert check("out[i] = a[i] * b[i];", out=zeros(), a=zeros(), b=one) == ()
    assert check("out[i] = i;", out=zeros()) == ()
    assert check("atomicAdd(&sum[0], a[i]);", sum=zeros(), a=ones()) == ()
    assert check("atomicAdd(&sum[0], 1);", sum=zeros()) == ()
