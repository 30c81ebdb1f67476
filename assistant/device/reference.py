"""Run a declared workload's Python reference: the user's ``f(**args)`` on NumPy arrays, floats as float64.

The reference is the user's own code and runs only here, in a worker process. It returns one array (for the only output) or a dict by
output name. A by-value argument arrives as a Python number.

Example::

    run_reference(ReferenceRequest(Path("/p/ref.py"), "transpose", (...,)))    # ReferenceReply(outputs=(("out", …),), failure=None)
"""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np

from assistant.record import Record

__all__ = ["ReferenceArgument", "ReferenceReply", "ReferenceRequest", "run_reference"]

_TRACE_LINES = 3


class ReferenceArgument(Record):
    """One argument by name: an array in a file, or a number."""

    name: str
    file: Path | None
    """Raw little-endian values; None for a number."""
    dtype: str
    """NumPy's spelling (``<f8``, ``<i4``)."""
    value: float | None = None


class ReferenceRequest(Record):
    path: Path
    function: str
    arguments: tuple[ReferenceArgument, ...]
    outputs: tuple[str, ...]
    """Names that the reference may return; a bare array stands for the first."""
    out: Path
    """Folder that receives ``<name>.bin`` files of float64 or integer values."""


class ReferenceReply(Record):
    """(output name, file, dtype) of what was returned, or why there is nothing."""

    outputs: tuple[tuple[str, str, str], ...]
    failure: str | None


def run_reference(request: ReferenceRequest) -> ReferenceReply:
    """Call the reference; whatever it raises becomes the failure's sentence."""
    try:
        function = getattr(_load(request.path), request.function, None)
        if not callable(function):
            return ReferenceReply((), f"{request.path} has no function {request.function!r}")
        returned = function(**{argument.name: _value(argument) for argument in request.arguments})
        return ReferenceReply(_stored(_by_name(returned, request.outputs), request.out), None)
    except Exception as error:  # noqa: BLE001 - the user's code may raise anything
        trace = " ".join(line.strip() for line in traceback.format_exc().splitlines()[-_TRACE_LINES:-1])
        return ReferenceReply((), f"{request.path.name}:{request.function} raised {type(error).__name__}: {error} ({trace})")


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernelopt_reference", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _value(argument: ReferenceArgument) -> Any:
    if argument.file is None:
        assert argument.value is not None
        return int(argument.value) if argument.dtype.lstrip("<|")[0] in "iub" else argument.value
    return np.frombuffer(argument.file.read_bytes(), np.dtype(argument.dtype)).copy()


def _by_name(returned: Any, outputs: tuple[str, ...]) -> Mapping[str, Any]:
    if isinstance(returned, Mapping):
        named = cast("Mapping[str, Any]", returned)
        unknown = sorted(set(named) - set(outputs))
        if unknown:
            raise ValueError(f"it returned {unknown[0]!r}; the outputs are {', '.join(outputs)}")
        return named
    if len(outputs) != 1:
        raise ValueError(f"it must return a dict with the outputs {', '.join(outputs)}")
    return {outputs[0]: returned}


def _stored(named: Mapping[str, Any], out: Path) -> tuple[tuple[str, str, str], ...]:
    out.mkdir(parents=True, exist_ok=True)
    stored: list[tuple[str, str, str]] = []
    for name, value in named.items():
        array = np.ascontiguousarray(np.asarray(value))
        if array.dtype.kind == "f":
            array = array.astype("<f8")
        if array.dtype.kind not in "fiub":
            raise ValueError(f"output {name!r} has dtype {array.dtype}; expected numbers")
        file = out / f"{name}.bin"
        file.write_bytes(array.tobytes())
        stored.append((name, str(file), array.dtype.str))
    return tuple(stored)
