# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Values as the bytes that an extension's program reads and writes (`include/kernelopt/bytes.h`): tensors with their strides and memory.

Example::

    ValueReader(value_bytes([torch.ones(2), 3])).value([])      # (tensor([1., 1.]), 3)
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

import torch

from assistant.torch_worker.side.failures import SideError

__all__ = ["ValueReader", "memory_of", "text_bytes", "value_bytes", "write_memory"]

# Numbers of c10/core/ScalarType.h
_TYPES = {
    torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
    torch.float64: 7, torch.bool: 11, torch.bfloat16: 15,
}  # fmt: skip
_NUMBERS = {number: dtype for dtype, number in _TYPES.items()}


def text_bytes(text: str) -> bytes:
    """With its length before it."""
    data = text.encode()
    return struct.pack("<q", len(data)) + data


def value_bytes(value: Any) -> bytes:
    """Raises TypeError for a type that C++ functions do not take here, SideError for a tensor's."""
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if value is None:
        return b"n"
    if isinstance(value, bool):
        return b"b" + struct.pack("<q", value)
    if isinstance(value, int):
        return b"i" + struct.pack("<q", value)
    if isinstance(value, float):
        return b"d" + struct.pack("<d", value)
    if isinstance(value, str):
        return b"s" + text_bytes(value)
    if isinstance(value, (list, tuple)):
        return b"L" + struct.pack("<q", len(value)) + b"".join(map(value_bytes, value))
    raise TypeError(f"incompatible function arguments: {type(value).__name__}")


def _tensor(tensor: torch.Tensor) -> bytes:
    number = _TYPES.get(tensor.dtype)
    if number is None:
        raise SideError("unsupported", f"an extension was given a tensor of {tensor.dtype}, which the emulator does not have")
    data = memory_of(tensor)
    head = struct.pack("<bq", number, tensor.dim()) + struct.pack(f"<{2 * tensor.dim()}q", *tensor.shape, *tensor.stride())
    return b"T" + head + struct.pack("<q", len(data)) + data


def memory_of(tensor: torch.Tensor) -> bytes:
    """From its first to its last element, gaps included."""
    plain = tensor.detach().resolve_conj().resolve_neg()
    extent = _extent(list(plain.shape), list(plain.stride()))
    return ctypes.string_at(plain.data_ptr(), extent * plain.element_size()) if extent else b""


def write_memory(tensor: torch.Tensor, data: bytes) -> None:
    """The reverse of `memory_of`."""
    if data:
        ctypes.memmove(tensor.data_ptr(), data, len(data))


def _extent(shape: list[int], stride: list[int]) -> int:
    return 0 if 0 in shape else 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))


class ValueReader:
    """Goes along bytes. ``results``: what functions of PyTorch returned that values may refer to, by their number."""

    def __init__(self, data: bytes, results: Sequence[Any] = ()) -> None:
        self._data = data
        self._at = 0
        self._results = results

    def take(self, form: str) -> Any:
        """One number, in the form of `struct`."""
        (value,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return value

    def sized(self) -> bytes:
        """Bytes behind their number."""
        size = self.take("<q")
        self._at += size
        return self._data[self._at - size : self._at]

    def text(self) -> str:
        return self.sized().decode("utf-8", "replace")

    def value(self, arguments: Sequence[torch.Tensor]) -> Any:
        """``arguments``: the tensors that the call was given, which a value may name by their number."""
        kind = self.take("<c")
        if kind == b"A":
            return arguments[self.take("<q")]
        if kind == b"P":
            found, item = self._results[self.take("<q")], self.take("<q")
            return found[item] if isinstance(found, (tuple, list)) else found
        if kind == b"T":
            dtype, dims = _NUMBERS[self.take("<b")], self.take("<q")
            shape, stride = ([self.take("<q") for _ in range(dims)] for _ in range(2))
            made = torch.empty_strided(shape, stride, dtype=dtype)
            write_memory(made, self.sized())
            return made
        if kind == b"L":
            return tuple(self.value(arguments) for _ in range(self.take("<q")))
        if kind == b"n":
            return None
        if kind == b"s":
            return self.text()
        value = self.take("<d" if kind == b"d" else "<q")
        return bool(value) if kind == b"b" else _NUMBERS[value] if kind == b"t" else value
