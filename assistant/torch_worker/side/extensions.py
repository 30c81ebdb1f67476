# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""PyTorch's ``load_inline`` and ``load``, where an extension's functions run on the emulator, in another process.

A candidate is run again and again: a call whose answer is not known yet is written down and ends its case (`Pending`), all calls that were
written down are run, and the next time they are answered. A call is known by its place (which model or case, the how manieth call there)
and by its arguments: other arguments at the same place are another call.
"""

from __future__ import annotations

import hashlib
import struct
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from assistant.torch_worker.side.failures import SideError
from assistant.torch_worker.side.tensor_files import tensors_in

__all__ = ["Extensions", "Pending"]

# Numbers of c10/core/ScalarType.h
_TYPES = {
    torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
    torch.float64: 7, torch.bool: 11, torch.bfloat16: 15,
}  # fmt: skip
_NUMBERS = {number: dtype for dtype, number in _TYPES.items()}


class Pending(BaseException):
    """The answer of a call is not known yet. No ``Exception``: a candidate's own handlers must not take it for an error."""


class Extensions:
    """Every extension that the candidate asked for, in order, and the calls of its functions."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._place = (-1, 0)
        self.requests: list[dict[str, Any]] = []
        """What each extension is built from."""
        self._calls: list[dict[tuple[int, int], bytes]] = []
        self._answers: list[dict[tuple[int, int], tuple[str, bytes]]] = []
        self.is_pending = False
        """Whether a call since `at` has no answer yet, even if the candidate went on all the same."""
        self.call_count = 0

    def at(self, place: int) -> None:
        """What is called from here on belongs to this model or case."""
        self._place = (place, 0)
        self.is_pending = False

    def install(self) -> None:
        """In the place of PyTorch's own functions, for the rest of this process."""
        from torch.utils import cpp_extension

        cpp_extension.load_inline = self._load_inline
        cpp_extension.load = self._load

    def _load_inline(
        self, name: str, cpp_sources: Any = "", cuda_sources: Any = "", functions: Any = None, *_: Any, **further: Any
    ) -> types.SimpleNamespace:
        names = list(functions) if isinstance(functions, (list, tuple, dict)) else [functions] if functions else []
        sources = [["cpp", text] for text in _texts(cpp_sources)] + [["cu", text] for text in _texts(cuda_sources)]
        return self._added(name, sources, names, further)

    def _load(self, name: str, sources: Any, *_: Any, **further: Any) -> types.SimpleNamespace:
        paths = [Path(path) for path in _texts(sources)]
        texts = [["cu" if path.suffix == ".cu" else "cpp", path.read_text("utf-8")] for path in paths]
        return self._added(name, texts, [], further)

    def _added(self, name: str, sources: list[list[str]], functions: list[str], further: dict[str, Any]) -> Any:
        index = len(self.requests)
        flags = [str(flag) for key in ("extra_cflags", "extra_cuda_cflags") for flag in further.get(key) or ()]
        self.requests.append({"name": name, "sources": sources, "functions": functions, "flags": flags})
        self._calls.append({})
        self._answers.append(_read_answers(self._folder / f"answers{index}.bin"))
        return _Functions(lambda function: lambda *values, **named: self._call(index, function, values, named))

    def _call(self, index: int, function: str, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
        arguments = [*values, *named.values()]
        request = _text(function) + struct.pack("<q", len(arguments)) + b"".join(map(_value, arguments))
        key = self._place
        self._place = (key[0], key[1] + 1)
        self._calls[index][key] = request
        self.call_count += 1
        known = self._answers[index].get(key)
        if known is None or known[0] != hashlib.sha256(request).hexdigest():
            self.is_pending = True
            raise Pending
        return _Answer(known[1]).given(list(tensors_in(arguments)))

    def write_calls(self) -> list[list[list[Any]]]:
        """Each extension's calls into ``calls{index}.bin``; for each call its place and what identifies its arguments."""
        listed: list[list[list[Any]]] = []
        for index, calls in enumerate(self._calls):
            ordered = sorted(calls.items())
            data = struct.pack("<q", len(ordered)) + b"".join(request for _, request in ordered)
            (self._folder / f"calls{index}.bin").write_bytes(data)
            listed.append([[*place, hashlib.sha256(request).hexdigest()] for place, request in ordered])
        return listed


class _Functions:
    """A module whose every public name is a function of the extension."""

    def __init__(self, function: Callable[[str], Any]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._function(name)


def _texts(given: Any) -> list[str]:
    if given is None or given == "":
        return []
    return [str(given)] if isinstance(given, (str, Path)) else [str(text) for text in given]


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<q", len(data)) + data


def _value(value: Any) -> bytes:
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
        return b"s" + _text(value)
    if isinstance(value, (list, tuple)):
        return b"L" + struct.pack("<q", len(value)) + b"".join(map(_value, value))
    raise TypeError(f"incompatible function arguments: {type(value).__name__}")


def _tensor(tensor: torch.Tensor) -> bytes:
    number = _TYPES.get(tensor.dtype)
    if number is None:
        raise SideError("unsupported", f"an extension was given a tensor of {tensor.dtype}, which the emulator does not have")
    data = _memory(tensor)
    head = struct.pack("<bq", number, tensor.dim()) + struct.pack(f"<{2 * tensor.dim()}q", *tensor.shape, *tensor.stride())
    return b"T" + head + struct.pack("<q", len(data)) + data


def _memory(tensor: torch.Tensor) -> bytes:
    """From its first to its last element, gaps included."""
    import ctypes

    extent = _extent(list(tensor.shape), list(tensor.stride()))
    return ctypes.string_at(tensor.data_ptr(), extent * tensor.element_size()) if extent else b""


def _extent(shape: list[int], stride: list[int]) -> int:
    return 0 if 0 in shape else 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))


def _read_answers(path: Path) -> dict[tuple[int, int], tuple[str, bytes]]:
    """By place: what identifies the arguments, and the answer."""
    if not path.exists():
        return {}
    data, found, at = path.read_bytes(), {}, 0
    while at < len(data):
        place, nth, size = struct.unpack_from("<qqq", data, at)
        found[place, nth] = (data[at + 24 : at + 88].decode(), data[at + 88 : at + 88 + size])
        at += 88 + size
    return found


class _Answer:
    """What the emulated program wrote after one call."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def given(self, arguments: list[torch.Tensor]) -> Any:
        """The value returned; tensors that the call changed are changed. Raises RuntimeError for what the call raised."""
        kind = self._take("<c")
        if kind == b"E":
            raise RuntimeError(self._bytes(self._take("<q")).decode("utf-8", "replace"))
        returned = self._value(arguments)
        for tensor in arguments:
            if self._take("<b"):
                _write(tensor, self._bytes(self._take("<q")))
        return returned

    def _take(self, form: str) -> Any:
        (value,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return value

    def _bytes(self, size: int) -> bytes:
        self._at += size
        return self._data[self._at - size : self._at]

    def _value(self, arguments: list[torch.Tensor]) -> Any:
        kind = self._take("<c")
        if kind == b"A":
            return arguments[self._take("<q")]
        if kind == b"T":
            dtype, dims = _NUMBERS[self._take("<b")], self._take("<q")
            shape, stride = ([self._take("<q") for _ in range(dims)] for _ in range(2))
            made = torch.empty_strided(shape, stride, dtype=dtype)
            _write(made, self._bytes(self._take("<q")))
            return made
        if kind == b"L":
            return tuple(self._value(arguments) for _ in range(self._take("<q")))
        if kind == b"n":
            return None
        value = self._take("<d" if kind == b"d" else "<q")
        return bool(value) if kind == b"b" else value


def _write(tensor: torch.Tensor, data: bytes) -> None:
    import ctypes

    if data:
        ctypes.memmove(tensor.data_ptr(), data, len(data))
