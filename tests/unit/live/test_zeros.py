"""Arguments of nothing but zeros are called that: on them a wrong kernel is right, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assistant.cuda.parse import parse
from assistant.live.binding import Bound, bind
from assistant.live.zeros import drawn_values, zero_floats, zeros_note
from assistant.model.source import Kernel, Source
from assistant.workload.signature import signature_of

_TYPES = {"float32": "float", "int32": "int", "float16": "__half"}


def opened(body: str, arrays: dict[str, np.ndarray]) -> tuple[Bound, str, Kernel]:
    parameters = ", ".join(f"{_TYPES[array.dtype.name]} *{name}" for name, array in arrays.items())
    text = f"__global__ void k({parameters})\n{{\n  int i = threadIdx.x;\n  {body}\n}}\n"
    (kernel,) = parse(Source(Path("/w/k.cu"), text)).kernels
    return bind(signature_of(kernel, "k"), arrays), text, kernel


def check(body: str, **arrays: np.ndarray) -> tuple[str, ...]:
    bound, text, kernel = opened(body, arrays)
    return zeros_note((bound,), text, kernel)


def drawn(body: str, **arrays: np.ndarray) -> tuple[str, ...]:
    return zero_floats(*opened(body, arrays))


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


def test_others_are_drawn_for_floats_that_the_kernel_reads_alone_or_works_on_in_place() -> None:
    assert drawn("out[i] = a[i] * b[i];", out=zeros(), a=zeros(), b=ones()) == ("a",)
    assert drawn("out[i] = 2 * out[i] + a[i];", out=zeros(), a=zeros()) == ("a",), "a sum may have to begin with 0"
    assert drawn("x[i] = 2 * x[i];", x=zeros()) == ("x",)
    assert drawn("out[i] = a[at[i]];", out=zeros(), a=zeros(), at=np.zeros(8, np.int32)) == ("a",), "whole numbers may be places"
    assert drawn("atomicAdd(&sum[0], 1);", sum=zeros()) == ()


def test_what_is_drawn_is_within_0_and_1_first_and_of_both_signs_then() -> None:
    bound, _, _ = opened("out[i] = a[i];", {"out": zeros(), "a": zeros().astype(np.float16)})
    first, other = (np.frombuffer(drawn_values(bound, ("a",), 3, scale)["a"], np.float16) for scale in (1.0, 8.0))
    assert first.size == other.size == 8
    assert (first >= 0).all() and (first <= 1).all() and first.any()
    assert (other < 0).any() and (other > 0).any()
