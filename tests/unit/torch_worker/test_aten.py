# pyright: basic
"""Functions of PyTorch that an extension's program asks for, computed next to the candidate."""

from __future__ import annotations

import struct
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from assistant.torch_worker.side import aten, value_bytes  # noqa: E402 - they import torch


def asked(*requests: tuple[str, list[Any]]) -> bytes:
    """What a program writes of calls with these values; a string of bytes stands for itself."""
    whole = struct.pack("<q", len(requests))
    for name, values in requests:
        written = b"".join(each if isinstance(each, bytes) else value_bytes.value_bytes(each) for each in values)
        request = value_bytes.text_bytes(name) + struct.pack("<q", len(values)) + written
        whole += struct.pack("<q", len(request)) + request
    return whole


def read(answer: bytes, arguments: list[Any]) -> tuple[str, str, value_bytes.ValueReader]:
    reader = value_bytes.ValueReader(answer)
    return reader.text(), reader.text(), reader


def test_a_result_may_be_an_argument_of_the_next_function() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    first = b"P" + struct.pack("<qq", 0, 0)
    _, answer = aten.answered(asked(("sum.dim_IntList", [x, [1], True]), ("div.Tensor", [x, first])), first=0)
    name, error, reader = read(answer, [])
    assert (name, error) == ("div.Tensor", "") and torch.equal(reader.value([]), x / x.sum(1, keepdim=True))


def test_a_function_in_place_says_what_the_argument_holds_then() -> None:
    x = torch.zeros(2, 3).t()
    (answer,) = aten.answered(asked(("add_.Scalar", [x, 2])), first=0)
    _, _, reader = read(answer, [])
    assert reader.value([x]) is x and (reader.take("<q"), reader.take("<b")) == (1, 1)
    assert reader.sized() == struct.pack("<6f", *[2.0] * 6)


def test_a_part_of_an_argument_is_a_part_there_too() -> None:
    (answer,) = aten.answered(asked(("select.int", [torch.arange(6.0).reshape(2, 3), 0, 1])), first=0)
    _, _, reader = read(answer, [])
    assert reader.take("<c") == b"V" and reader.take("<q") == 0 and reader.value([]) == (3, (3,), (1,))


def test_an_error_of_pytorch_is_one_of_the_call() -> None:
    (answer,) = aten.answered(asked(("mm", [torch.ones(2, 3), torch.ones(2, 3)])), first=0)
    name, error, _ = read(answer, [])
    assert name == "mm" and "cannot be multiplied" in error


def test_schemas_are_those_of_functions_that_a_text_calls() -> None:
    found = aten.schemas_in(["auto y = x.pow(2); at::softmax(y, -1); int sum = 0; my::kernel(y);"])
    names = {schema.partition("(")[0].partition(".")[0] for schema in found}
    assert names == {"aten::pow", "aten::softmax"}
