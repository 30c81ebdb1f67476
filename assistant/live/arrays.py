"""Arrays of the user's program as places in memory: NumPy, torch, CuPy, pycuda and whatever speaks their protocols.

No array library is imported: a tensor is known by its own attributes, a CUDA array by ``__cuda_array_interface__``, a NumPy array by
``__array_interface__``. Nothing is copied here. Example::

    live = live_array("x", numpy.ones(4, numpy.float32))
    live.dtype, live.device, live.size_bytes        # 'float32', 'cpu', 16
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from math import prod
from typing import Any, cast

import numpy as np

from assistant.errors import UsageError
from assistant.record import Record

__all__ = ["BindingError", "LiveArray", "chunks", "is_array", "live_array", "refill"]

_CHUNK_BYTES = 4 << 20
"""Read and written at a time: what an array costs in addition to itself."""
_CPU = "cpu"
_CUDA = "cuda"
_TEXT = "SUT"
"""NumPy's kinds of strings."""
_SIZES = {"bfloat16": 2}
"""Bytes of the element types that NumPy has no name for."""


class BindingError(UsageError):
    """An argument that a kernel cannot be given; the message names it and says what was expected."""


class LiveArray(Record):
    """Consecutive values in memory."""

    name: str
    """The parameter that it is bound to."""
    kind: str
    """What it is for people: ``NumPy array``, ``torch tensor`` …"""
    device: str
    """``cpu`` or ``cuda:N``."""
    address: int
    dtype: str
    """NumPy's name (``float32``), or ``bfloat16``."""
    shape: tuple[int, ...]
    is_read_only: bool
    owner: Any
    """The user's object, kept alive."""

    @property
    def item_bytes(self) -> int:
        return _item_bytes(self.dtype)

    @property
    def size_bytes(self) -> int:
        return prod(self.shape) * self.item_bytes

    @property
    def is_on_cpu(self) -> bool:
        return self.device == _CPU

    @property
    def words(self) -> str:
        """``float32 NumPy array of shape (4, 8)``."""
        return f"{self.dtype} {self.kind} of shape {self.shape}"


def is_array(value: object) -> bool:
    """Whether it holds values that a pointer can point to; NumPy's scalars do not."""
    if isinstance(value, np.generic):
        return False
    return _is_tensor(value) or any(hasattr(value, name) for name in ("__cuda_array_interface__", "__array_interface__", "__dlpack__"))


def live_array(name: str, value: Any) -> LiveArray:
    """The memory behind ``value``. Raises BindingError for what is no array, or one whose values are not consecutive."""
    if _is_tensor(value):
        return _tensor(name, value)
    if hasattr(value, "__cuda_array_interface__"):
        return _cuda_array(name, value)
    if hasattr(value, "__array_interface__"):
        return _host_array(name, value, _kind_of(value))
    if hasattr(value, "__dlpack__"):
        return _dlpack_array(name, value)
    raise BindingError(f"{name}: expected an array, got {type(value).__name__}", "pass a NumPy, torch, CuPy or pycuda array")


def chunks(array: LiveArray) -> Iterator[memoryview]:
    """The array's bytes in order, a few megabytes at a time; those of a CPU array are views of its own memory."""
    if array.is_on_cpu:
        whole = _memory(array)
        for start in range(0, array.size_bytes, _CHUNK_BYTES):
            yield whole[start : start + _CHUNK_BYTES]
        return
    flat = array.owner.reshape(-1)
    count = max(1, _CHUNK_BYTES // array.item_bytes)
    for start in range(0, prod(array.shape), count):
        yield _to_host(flat[start : start + count]).data.cast("B")


def refill(array: LiveArray, offset_bytes: int, data: bytes | memoryview) -> None:
    """Write ``data`` into a CPU array."""
    _memory(array)[offset_bytes : offset_bytes + len(data)] = data


def _memory(array: LiveArray) -> memoryview:
    if not array.size_bytes:
        return memoryview(bytearray())
    return memoryview((ctypes.c_char * array.size_bytes).from_address(array.address)).cast("B")


def _is_tensor(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "data_ptr")


def _tensor(name: str, value: Any) -> LiveArray:
    """A torch tensor, whose attributes say everything, bfloat16 and gradients included."""
    shape = tuple(int(size) for size in value.shape)
    if str(value.layout) != "torch.strided":
        raise BindingError(f"{name}: expected a dense tensor, got {value.layout}", f"pass {name}.to_dense()")
    if value.device.type not in (_CPU, _CUDA):
        raise BindingError(f"{name}: expected a tensor on the CPU or a CUDA device, got one on {value.device}", f"pass {name}.cpu()")
    if value.is_conj() or value.is_neg():  # what lies in memory is not what the tensor says
        message = f"{name}: expected values as they lie in memory, got a view that is conjugated or negated when it is read"
        raise BindingError(message, f"pass {name}.resolve_conj().resolve_neg()")
    if not value.is_contiguous():
        raise _not_contiguous(name, shape, f"strides {tuple(value.stride())} in elements", f"{name}.contiguous()")
    device = _CPU if value.device.type == _CPU else f"{_CUDA}:{value.device.index or 0}"
    dtype = str(value.dtype).removeprefix("torch.")
    if not _is_known(dtype):
        remedy = f"pass its bytes ({name}.view(torch.uint8)), or convert it"
        raise BindingError(f"{name}: expected plain numbers, got a tensor of {dtype}", remedy)
    return LiveArray(name, "torch tensor", device, value.data_ptr(), dtype, shape, False, value.detach())


def _cuda_array(name: str, value: Any) -> LiveArray:
    """CUDA Array Interface, version 2 or 3 (numba's documentation): ``strides`` is None for consecutive values."""
    interface = cast("dict[str, Any]", value.__cuda_array_interface__)
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    if interface.get("mask") is not None:
        raise BindingError(f"{name}: expected plain values, got a masked array", "pass the values without a mask")
    strides = interface.get("strides")
    if strides is not None and not _is_consecutive(shape, tuple(strides), dtype.itemsize):
        raise _not_contiguous(name, shape, f"strides {tuple(strides)} in bytes", f"a contiguous copy of {name}")
    address, is_read_only = interface["data"]
    index = getattr(getattr(value, "device", None), "id", 0)
    return LiveArray(name, _kind_of(value), f"cuda:{index}", address, dtype.name, shape, bool(is_read_only), value)


def _host_array(name: str, value: Any, kind: str) -> LiveArray:
    array: np.ndarray[Any, Any] = np.asarray(value)
    if np.ma.isMaskedArray(value):
        raise BindingError(f"{name}: expected plain values, got a masked array", f"pass {name}.filled(…)")
    if array.dtype.hasobject or array.dtype.kind in _TEXT:
        what = "text" if array.dtype.kind in _TEXT else "Python objects"
        raise BindingError(f"{name}: expected numbers, got an array of {what}", f"convert it: {name}.astype(numpy.float32)")
    if not array.dtype.isnative:
        raise BindingError(f"{name}: expected values in this machine's byte order, got {array.dtype.str}", f"pass {name}.astype('=')")
    if not array.flags.c_contiguous:
        raise _not_contiguous(name, array.shape, f"strides {array.strides} in bytes", f"numpy.ascontiguousarray({name})")
    dtype = array.dtype.name if array.dtype.names is None else array.dtype.str
    return LiveArray(name, kind, _CPU, array.ctypes.data, dtype, array.shape, not array.flags.writeable, array)


def _dlpack_array(name: str, value: Any) -> LiveArray:
    """Array of a library that speaks nothing but DLPack. Device type 1 is the CPU (dlpack.h, ``DLDeviceType``)."""
    device_type, index = value.__dlpack_device__()
    if device_type != 1:
        remedy = "pass an array that has __cuda_array_interface__, or one on the CPU"
        raise BindingError(f"{name}: a {type(value).__name__} on device {device_type}:{index} cannot be read", remedy)
    try:
        array = np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as error:
        raise BindingError(f"{name}: {type(value).__name__} cannot be shared: {error}", "pass a NumPy array") from error
    return _host_array(name, array, type(value).__name__)


def _kind_of(value: object) -> str:
    library = type(value).__module__.partition(".")[0]
    return {"numpy": "NumPy array", "cupy": "CuPy array", "pycuda": "pycuda GPUArray"}.get(library, type(value).__name__)


def _is_consecutive(shape: tuple[int, ...], strides: tuple[int, ...], item_bytes: int) -> bool:
    expected = item_bytes
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size > 1 and stride != expected:
            return False
        expected *= size
    return True


def _not_contiguous(name: str, shape: tuple[int, ...], strides: str, remedy: str) -> BindingError:
    message = f"{name}: expected a contiguous array (a kernel is given one pointer), got shape {shape} with {strides}"
    return BindingError(message, f"pass {remedy}")


def _to_host(part: Any) -> np.ndarray[Any, Any]:
    """A piece of a CUDA array on the host, by its own library."""
    if _is_tensor(part):
        return part.cpu().view(-1).contiguous().view(dtype=_torch_bytes(part)).numpy()
    if hasattr(part, "get"):  # CuPy and pycuda
        return np.ascontiguousarray(part.get())
    if hasattr(part, "copy_to_host"):  # numba
        return np.ascontiguousarray(part.copy_to_host())
    raise BindingError(f"a {type(part).__name__} cannot be copied to the host", "pass a torch, CuPy or pycuda array")


def _torch_bytes(tensor: Any) -> Any:
    """``torch.uint8``, had from the tensor so that nothing is imported."""
    return tensor.new_empty(0).byte().dtype


def _is_known(dtype: str) -> bool:
    try:
        return _item_bytes(dtype) > 0
    except TypeError:
        return False


def _item_bytes(dtype: str) -> int:
    return _SIZES.get(dtype) or np.dtype(dtype).itemsize
