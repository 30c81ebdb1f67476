# pyright: basic, reportMissingImports=false
# PyTorch is the project's own: what is installed with the checker says little of its types.
"""Tensors and what holds them, as JSON with the contents in files: row by row, whatever the tensor's own layout is.

Example::

    files = TensorFiles(Path("/scratch/out"))
    saved = files.encoded([torch.ones(2), 3])   # {"kind": "list", "items": [{"kind": "tensor", "file": …}, {"kind": "int", …}]}
    decoded(saved)
"""

from __future__ import annotations

import ctypes
import dataclasses
import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from assistant.torch_worker.side.failures import SideError

__all__ = ["TensorFiles", "contents", "decoded", "decoded_tensor", "digest", "moved", "tensors_in"]

_CPU = torch.device("cpu")


def contents(tensor: torch.Tensor) -> bytes:
    """Its elements row by row."""
    plain = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
    return ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size()) if plain.numel() else b""


def digest(tensor: torch.Tensor) -> str:
    """Equal where the elements are, bit by bit."""
    return hashlib.sha256(contents(tensor)).hexdigest()


class TensorFiles:
    """Writes tensors into a folder, each into a file of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._count = 0

    def encoded(self, value: Any) -> dict[str, Any]:
        """Raises SideError for a value that cannot be handed to another process."""
        if isinstance(value, torch.Tensor):
            return self.saved(value)
        if isinstance(value, (list, tuple)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {"kind": kind, "items": [self.encoded(item) for item in value]}
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {"kind": "dict", "keys": list(value), "items": [self.encoded(item) for item in value.values()]}
        if isinstance(value, SimpleNamespace) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
            fields = _fields(value)
            return {"kind": "record", "keys": list(fields), "items": [self.encoded(item) for item in fields.values()]}
        if isinstance(value, torch.dtype):
            return {"kind": "dtype", "value": str(value).rpartition(".")[2]}
        if value is None or isinstance(value, (bool, int, str)):
            return {"kind": type(value).__name__, "value": value}
        if isinstance(value, float):
            return {"kind": "float", "value": value.hex()}
        known = "tensors, numbers, texts, data classes, and lists, tuples and dicts of these can be"
        raise SideError("bad_inputs", f"a value of type {type(value).__name__} cannot be given to another process: {known}")

    def saved(self, tensor: torch.Tensor) -> dict[str, Any]:
        """The tensor's contents in a file, and what describes it."""
        if tensor.layout is not torch.strided or tensor.is_quantized:
            raise SideError("bad_inputs", f"a tensor of layout {tensor.layout} is not supported, only dense ones are")
        data = contents(tensor)
        file = self._folder / f"{self._count}.bin"
        self._count += 1
        file.write_bytes(data)
        return {
            "kind": "tensor",
            "file": str(file),
            "dtype": str(tensor.dtype).rpartition(".")[2],
            "shape": list(tensor.shape),
            "stride": list(tensor.stride()),
            "sha256": hashlib.sha256(data).hexdigest(),
        }


def decoded_tensor(saved: dict[str, Any], device: torch.device = _CPU) -> torch.Tensor:
    """A fresh tensor with the saved contents and strides."""
    dtype = getattr(torch, saved["dtype"])
    data = bytearray(Path(saved["file"]).read_bytes())
    shape = saved["shape"]
    flat = torch.frombuffer(data, dtype=dtype).clone() if data else torch.empty(0, dtype=dtype)
    made = torch.empty_strided(shape, saved["stride"], dtype=dtype, device=device)
    storage: Any = made.untyped_storage()
    storage.fill_(0)  # between its elements, so that each run gives extensions the same bytes
    made.copy_(flat.reshape(shape))
    return made


def decoded(saved: dict[str, Any], device: torch.device = _CPU) -> Any:
    """The value that was encoded, its tensors fresh; a data class, which another file defines, as a namespace with its fields."""
    kind = saved["kind"]
    if kind == "tensor":
        return decoded_tensor(saved, device)
    if kind in ("list", "tuple", "dict", "record"):
        items = [decoded(item, device) for item in saved["items"]]
        if kind == "record":
            return SimpleNamespace(**dict(zip(saved["keys"], items, strict=True)))
        return dict(zip(saved["keys"], items, strict=True)) if kind == "dict" else tuple(items) if kind == "tuple" else items
    if kind == "dtype":
        return getattr(torch, saved["value"])
    return float.fromhex(saved["value"]) if kind == "float" else saved["value"]


def _fields(value: Any) -> dict[str, Any]:
    if isinstance(value, SimpleNamespace):
        return vars(value)
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Those in lists, tuples and dicts, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)


def moved(value: Any, device: torch.device) -> Any:
    """``value`` with every tensor in it on ``device``."""
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(moved(item, device) for item in value)
    return {name: moved(item, device) for name, item in value.items()} if isinstance(value, dict) else value
