"""Kernels in test suites: one assertion, which reports the smallest input that fails as a test to paste.

Example::

    def test_scale(kernelopt_compile):
        scale = kernelopt_compile(Path("scale.cu"), grid=lambda n: (n + 255) // 256, block=256)
        assert_kernel(scale, (out, x, 1000), ref=lambda x: 2 * x)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import astuple
from typing import Any, cast

import numpy as np

from assistant.errors import UsageError
from assistant.live.faults import fault_of
from assistant.live.names import kernel_names
from kernelopt.kernels import Arguments, Kernel, Launch
from kernelopt.smallest import MOST_S, is_array, smallest

__all__ = ["assert_kernel"]

_MOST_ELEMENTS = 1000
"""An array of more is not written out."""
_NOT_SMALLEST = f"An input that fails like this (the search for the smallest ended after {MOST_S:.0f} s)"
_PLAIN_NAMES = {"float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}


def assert_kernel(
    kernel: Kernel | Launch, arguments: Arguments, ref: Callable[..., object] | None = None, *, is_reduced: bool = True
) -> None:
    """Run it with every check on, on copies of the arguments, and against ``ref`` on these and on fresh values.

    Raises AssertionError with the first defect and, unless ``is_reduced`` is False, the smallest sizes that show it, as a test to paste.
    Raises JobFailed where the kernel cannot be run. What was not checked of a kernel that passes is a warning.
    """
    __tracebackhide__ = True
    if not hasattr(kernel, "check"):
        raise UsageError(f"assert_kernel takes a kernel, got {type(kernel).__name__}", "kernelopt.compile(text, …) makes a kernel")
    found = kernel.check(arguments, ref)
    if found.ok:
        for note in found.notes:
            warnings.warn(f"{kernel.name}: {note}", stacklevel=2)
        return
    fault = fault_of(found.problems, found.parameters)
    assert fault is not None, "what is not ok has a defect"
    message = f"{kernel.name}: {fault}"
    if is_reduced:
        named = isinstance(arguments, Mapping)
        by_name = kernel_names(arguments, kernel.parameters) if named else dict(zip(kernel.parameters, arguments, strict=True))
        if all(isinstance(value, np.ndarray | int | float | np.generic | None) for value in by_name.values()):
            reduced = smallest(kernel, by_name, ref, fault.problem)
            which = "The smallest input that fails like this" if reduced.is_smallest else _NOT_SMALLEST
            message += f"\n\n{which}:\n\n{_as_test(kernel, reduced.arguments, ref)}"
    raise AssertionError(message)


def _as_test(kernel: Kernel | Launch, arguments: Mapping[str, object], ref: Callable[..., object] | None) -> str:
    """A test's source, which passes once the kernel is fixed."""
    config = kernel.config(arguments)
    grid, block = astuple(config.grid), astuple(config.block)
    shape = f"grid={grid}, block={block}" + (f", shared={config.shared_bytes}" if config.shared_bytes else "")
    shape += f", flags={list(kernel.flags)}" if kernel.flags is not None else ""
    prefix = "r" if "\\" in kernel.text else ""
    source = f"Path({str(kernel.path)!r})" if kernel.is_file else f'{prefix}"""{kernel.text}"""'
    given = [f"        {name!r}: {_written(value)}," for name, value in arguments.items()]
    last = ")" if ref is None else f", ref={_name(ref)})  # the reference of the test that failed"
    plain = "".join(letter if letter.isalnum() else "_" for letter in kernel.name)
    lines = [
        *(("from pathlib import Path", "") if kernel.is_file else ()),
        "import numpy as np",
        "",
        "import kernelopt.testing",
        "",
        "",
        f"def test_the_smallest_failing_input_of_{plain}():",
        f"    kernel = kernelopt.compile({source}, {kernel.name!r}, {shape})",
        "    arguments = {",
        *given,
        "    }",
        f"    kernelopt.testing.assert_kernel(kernel, arguments{last}",
    ]
    return "\n".join(lines)


def _name(ref: Callable[..., object]) -> str:
    name = getattr(ref, "__name__", "ref")
    return name if name.isidentifier() else "ref"


def _written(value: object) -> str:
    """An expression for it, the shortest that holds."""
    if isinstance(value, np.void) or (is_array(value) and value.dtype.names is not None):
        return f"np.array({value.tolist()!r}, np.{value.dtype!r}){'[()]' if isinstance(value, np.void) else ''}"
    if not is_array(value):
        return repr(cast("Any", value).item() if isinstance(value, np.generic) else value)
    dtype = f"np.{value.dtype.name}" if value.dtype.name in _PLAIN_NAMES else repr(value.dtype.name)
    shape = value.size if value.ndim == 1 else value.shape
    if not value.any():
        return f"np.zeros({shape}, {dtype})"
    if (value == value.reshape(-1)[0]).all():
        return f"np.full({shape}, {value.reshape(-1)[0].item()!r}, {dtype})"
    if np.array_equal(value.reshape(-1), np.arange(1, value.size + 1)):
        counted = f"np.arange(1, {value.size + 1}, dtype={dtype})"
        return counted if value.ndim == 1 else f"{counted}.reshape{value.shape}"
    if value.size <= _MOST_ELEMENTS:
        return f"np.array({value.tolist()}, {dtype})"
    return f"...  # {value.size:,} elements, as in the test that failed"
