# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Functions of PyTorch that an extension calls in C++: computed here, in the candidate's process, where what computes is counted.

The emulated program asks for them with the values that their arguments had when it came to the call. Results that share the memory of an
argument are views of it there, too.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from assistant.torch_worker.side.tensor_files import tensors_in
from assistant.torch_worker.side.value_bytes import ValueReader, memory_of, text_bytes, value_bytes

__all__ = ["answered", "schemas_in"]

_CALLED = re.compile(r"(?:::|\.|->)\s*(\w+)\s*\(")


def schemas_in(texts: Iterable[str]) -> list[str]:
    """Of each function of PyTorch whose name is called in these texts, behind ``::``, ``.`` or ``->``: its forms, as PyTorch shows them."""
    names = dict.fromkeys(name.removesuffix("_out") for text in texts for name in _CALLED.findall(text))
    found = [schema for name in names for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}")]
    return [str(schema) for schema in found]


def answered(asked: bytes, *, first: int) -> list[bytes]:
    """What each function gave, for the emulated program. ``first``: the number that the first of them has in its call."""
    results: list[Any] = [None] * first
    reader = ValueReader(asked, results)
    return [_answered(reader.sized(), results) for _ in range(reader.take("<q"))]


def _answered(request: bytes, results: list[Any]) -> bytes:
    reader = ValueReader(request, results)
    name = reader.text()
    values = [reader.value(()) for _ in range(reader.take("<q"))]
    tensors = list(tensors_in(values))
    before = [memory_of(tensor) for tensor in tensors]
    try:
        returned = _called(name, values)
    except (RuntimeError, IndexError, ValueError, NotImplementedError) as error:
        return text_bytes(name) + text_bytes(str(error) or type(error).__name__) + value_bytes(None) + struct.pack("<q", 0)
    results.append(returned)
    changed = struct.pack("<q", len(tensors))
    for tensor, was in zip(tensors, before, strict=True):
        now = memory_of(tensor)
        changed += b"\1" + struct.pack("<q", len(now)) + now if now != was else b"\0"
    return text_bytes(name) + text_bytes("") + _result(returned, tensors) + changed


def _called(name: str, values: list[Any]) -> Any:
    packet, _, overload = name.partition(".")
    function = getattr(getattr(torch.ops.aten, packet), overload or "default")
    given = list(zip(function._schema.arguments, values, strict=False))  # what is left out has its default
    plain = [value for argument, value in given if not argument.kwarg_only]
    named = {argument.name: value for argument, value in given if argument.kwarg_only and value is not None}
    return function(*plain, **named)


def _result(value: Any, arguments: Sequence[torch.Tensor]) -> bytes:
    if isinstance(value, (tuple, list)):
        return b"L" + struct.pack("<q", len(value)) + b"".join(_result(item, arguments) for item in value)
    if not isinstance(value, torch.Tensor):
        return value_bytes(value)
    for number, argument in enumerate(arguments):
        if value is argument:
            return b"A" + struct.pack("<q", number)
        if value.numel() and value.dtype == argument.dtype and value.untyped_storage().data_ptr() == argument.untyped_storage().data_ptr():
            form = [value.storage_offset() - argument.storage_offset(), list(value.shape), list(value.stride())]
            return b"V" + struct.pack("<q", number) + value_bytes(form)
    return value_bytes(value)
