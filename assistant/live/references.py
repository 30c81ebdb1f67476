"""The user's own function as the reference: called here, where their program lives; only the arrays that it returns travel.

It is called as ``function(**arguments)`` with copies of what the kernel is given, of the same kind, and returns one array, a dict by the
name of the output, or nothing where it changed the arrays that it was given. Example::

    call_reference(reference, bound, None)       # {"out": b'…'}: float64 values of floating outputs
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from assistant.errors import UsageError
from assistant.live.arrays import LiveArray
from assistant.live.binding import Bound
from assistant.live.names import kernel_names, python_name
from assistant.model.elements import ElementKind, ElementType, parse_element_type
from assistant.record import Record
from assistant.workload.arrays import encode, storage_dtype

__all__ = ["BadReference", "Reference", "call_reference", "outputs_of"]


class BadReference(UsageError):  # noqa: N818 - a fact, named as the code reads
    """The reference could not be called, or returned what no output can be held against."""


class Reference(Record):
    """A function of the user's."""

    name: str
    function: Callable[..., object]
    written: frozenset[str] | None = None
    """Parameters that the kernel may write, as its text shows; None: all that are not const."""


def call_reference(reference: Reference, bound: Bound, contents: Mapping[str, bytes] | None) -> dict[str, bytes]:
    """What it says of each output: float64 values of floating ones, stored elements of the others.

    ``contents``: values in the place of the arrays' own, by parameter. Raises BadReference, and lets what the function raises pass.
    """
    copies = {name: _copy(array, None if contents is None else contents.get(name)) for name, array in bound.arrays.items()}
    known = copies | bound.plain
    arguments = _taken(reference, {python_name(name): value for name, value in known.items()})
    returned = reference.function(**arguments)
    if returned is None and contents is None:
        _check_written(reference, bound, copies)
    named = _named(reference, bound, copies, returned)
    return {name: _stored(reference, bound, name, value) for name, value in named.items()}


def outputs_of(reference: Reference, bound: Bound) -> tuple[str, ...]:
    """Parameters that the kernel may write; many a kernel says const of none, and reads most of them alone."""
    writable = tuple(p.name for p in bound.signature.parameters if p.name in bound.arrays and not p.is_const)
    written = reference.written or frozenset(writable)
    return tuple(name for name in writable if name in written)


def _check_written(reference: Reference, bound: Bound, copies: Mapping[str, object]) -> None:
    """Raises BadReference for a function that neither returned anything nor wrote to an output: most often its ``return`` is missing."""
    outputs = outputs_of(reference, bound)
    if outputs and all(_bytes_of(copies[name]) == _bytes_of(bound.arrays[name].owner) for name in outputs):
        message = f"the reference {reference.name} returned nothing and left {', '.join(outputs)} as it was"
        raise BadReference(message, "end it with return, and the right result")


def _taken(reference: Reference, arguments: dict[str, object]) -> dict[str, object]:
    """Those that the function has parameters for."""
    try:
        parameters = inspect.signature(reference.function).parameters.values()
    except (TypeError, ValueError):  # some built-in functions do not say
        return arguments
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return arguments
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY]
    unknown = [
        p.name for p in parameters if p.default is p.empty and p.name not in arguments and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    if positional or unknown:
        names = ", ".join(arguments)
        message = f"the reference {reference.name}: its parameter {(positional or unknown)[0]} is not a parameter of the kernel ({names})"
        raise BadReference(message, "name its parameters as the kernel's are named; those that it does not need may be left out")
    return {p.name: arguments[p.name] for p in parameters if p.name in arguments}


def _named(reference: Reference, bound: Bound, copies: Mapping[str, object], returned: object) -> dict[str, object]:
    outputs = outputs_of(reference, bound)
    if returned is None:
        return {name: copies[name] for name in outputs}
    if isinstance(returned, Mapping):
        named = kernel_names(cast("Mapping[str, object]", returned), bound.arrays)
        unknown = [name for name in named if name not in bound.arrays]
        if unknown:
            message = (
                f"the reference {reference.name} returned {unknown[0]!r}, which is not an array of the kernel ({', '.join(bound.arrays)})"
            )
            raise BadReference(message, "return a dict by the names of the kernel's outputs")
        if not any(name in outputs for name in named):
            said = f"{', '.join(named)} alone, which the kernel only reads" if named else "an empty dict"
            remedy = f"return {{'{outputs[0]}': …}}" if outputs else "the kernel writes no array: do without a reference"
            raise BadReference(f"the reference {reference.name} returned {said}", remedy)
        return dict(named)
    if isinstance(returned, tuple) and len(cast("tuple[object, ...]", returned)) == len(outputs) > 1:
        return dict(zip(outputs, cast("tuple[object, ...]", returned), strict=True))
    if len(outputs) != 1:
        message = f"the reference {reference.name} returned one value, and the kernel may write {', '.join(outputs) or 'nothing'}"
        alike = next((name for name in outputs if _is_alike(cast("object", returned), bound.arrays[name].owner)), "out")
        raise BadReference(message, f"return {{'{alike}': …}}, or write const before the parameters that the kernel only reads")
    return {outputs[0]: returned}


def _is_alike(value: object, array: object) -> bool:
    """Whether both are of one type and shape."""
    kinds = [(str(getattr(each, "dtype", None)).rpartition(".")[2], tuple(getattr(each, "shape", ()))) for each in (value, array)]
    return kinds[0] == kinds[1]


def _copy(array: LiveArray, contents: bytes | None) -> object:
    """An array of the same kind, on the same device, with its own memory."""
    if array.kind == "torch tensor":
        return _tensor_copy(array, contents)
    if array.is_on_cpu:
        values = array.owner if contents is None else np.frombuffer(contents, array.owner.dtype).reshape(array.shape)
        return np.array(values)
    copied = array.owner.copy()
    if contents is not None:
        copied.set(np.frombuffer(contents, array.dtype).reshape(array.shape))  # CuPy and pycuda
    return copied


def _tensor_copy(array: LiveArray, contents: bytes | None) -> object:
    if contents is None:
        return array.owner.clone()
    host = array.owner.to("cpu", copy=True)
    ctypes.memmove(host.data_ptr(), contents, len(contents))
    return host.to(array.owner.device)


def _stored(reference: Reference, bound: Bound, name: str, value: Any) -> bytes:
    """One output's values as they are compared."""
    parameter = next(parameter for parameter in bound.signature.parameters if parameter.name == name)
    element = parse_element_type(parameter.element_type or "")
    values = _host_values(value)
    if values.dtype.kind == "c":
        values = np.ascontiguousarray(values).reshape(-1).view(values.real.dtype)
    if element is None:
        message = f"{name} cannot be held against the reference {reference.name}: what its type `{parameter.type}` holds is not known"
        raise BadReference(message, "write the parameter with a type of CUDA's own, as float *, or do without a reference")
    if values.dtype.kind not in "fiub":
        raise BadReference(
            f"the reference {reference.name}: {name} of type {values.dtype} cannot be compared", "return an array of numbers"
        )
    expected = bound.arrays[name].size_bytes // element.scalar_bytes
    if values.size != expected:
        message = f"the reference {reference.name} returned {values.size} values for {name} (shape {values.shape}), which holds {expected}"
        raise BadReference(message, f"return an array of shape {bound.arrays[name].shape}")
    flat = np.ascontiguousarray(values).reshape(-1)
    if element.is_floating:
        return flat.astype(np.float64).tobytes()
    if flat.dtype.kind == "f" and not np.array_equal(flat, np.rint(flat)):
        raise BadReference(
            f"the reference {reference.name} returned fractions for {name}, which holds {storage_dtype(element)}", "return integers"
        )
    _demand_range(reference, name, element, flat)
    return encode(flat, element)


def _demand_range(reference: Reference, name: str, element: ElementType, values: np.ndarray[Any, Any]) -> None:
    """Raises BadReference for whole numbers that the output cannot hold: wrapped they would equal what overflows in the kernel as well."""
    is_bool = element.kind is ElementKind.BOOL
    kind = "bool" if is_bool else storage_dtype(element).name
    least, most = (0, 1) if is_bool else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    ends = (values.min().item(), values.max().item()) if values.size else ()
    beyond = next((value for value in ends if not least <= value <= most), None)
    if beyond is None:
        return
    message = f"the reference {reference.name} returned {beyond} for {name}, which holds {kind} ({least} to {most})"
    remedy = (
        "return whether it is other than 0" if is_bool else f"return .astype('{kind}') where the kernel's values are meant to wrap around"
    )
    raise BadReference(message, remedy)


def _bytes_of(value: Any) -> bytes:
    return np.ascontiguousarray(_host_values(value)).tobytes()


def _host_values(value: Any) -> np.ndarray[Any, Any]:
    """Any array or number as a NumPy array."""
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        value = value.detach().cpu()
        return (value.float() if str(value.dtype) == "torch.bfloat16" else value).contiguous().numpy()
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
        return np.asarray(value.get())
    return np.asarray(value)
