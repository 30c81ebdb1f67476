"""The smallest arguments on which a kernel still fails: sizes are made smaller as long as the same kind of defect is found.

Example::

    smallest(kernel, {"out": out, "x": x, "n": 1000}, ref)      # {"out": array of 1, "x": array of 1, "n": 1}
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol, TypeGuard

import numpy as np

from assistant.errors import KernelOptError
from assistant.model.profile import Problem
from assistant.profile.problems import errors_among
from kernelopt.results import CheckResult

__all__ = ["Array", "is_array", "smallest"]

Arguments = dict[str, object]
Array = np.ndarray[Any, Any]
_SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025)
"""Around what blocks and warps are made of."""
_MOST_S = 30.0
"""A failing test may take so much longer, to say less."""


class Checked(Protocol):
    """What can be checked on arguments: a kernel, or a launch of one."""

    def check(self, arguments: Mapping[str, object], ref: Callable[..., object] | None = None) -> CheckResult: ...


class _Fault:
    """What is looked for: the first defect's kind, and its line where it has one."""

    def __init__(self, problem: Problem) -> None:
        self.key = (problem.kind, problem.line)

    def is_in(self, found: CheckResult) -> bool:
        errors = errors_among(found.problems)
        return bool(errors) and (errors[0].kind, errors[0].line) == self.key


def smallest(
    launch: Checked, arguments: Mapping[str, object], ref: Callable[..., object] | None, problem: Problem, most_s: float = _MOST_S
) -> Arguments:
    """The arguments with plain values where these show ``problem`` as well, and sizes as small as still show it.

    Sizes are the whole numbers that dimensions of the arrays are equal to, or products of. Takes ``most_s`` seconds and a check at most.
    """
    fault, end_s = _Fault(problem), time.monotonic() + most_s
    best = dict(arguments)

    def fails(given: Mapping[str, object]) -> bool:
        if time.monotonic() > end_s:
            return False
        with suppress(KernelOptError, ArithmeticError, LookupError, ValueError, TypeError):  # the reference may not like it
            return fault.is_in(launch.check(given, ref))
        return False

    best = next(filter(fails, _plain(best)), best)
    for name in _size_names(best):
        best = _with_least(best, name, fails)
    return best


def _size_names(arguments: Mapping[str, object]) -> list[str]:
    arrays = [value for value in arguments.values() if is_array(value)]
    return [name for name, value in arguments.items() if _is_size(value) and any(_dimensions(array, arguments, name) for array in arrays)]


def _is_size(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value > 1)


def _dimensions(array: Array, arguments: Mapping[str, object], name: str) -> tuple[str, ...]:
    """The sizes, ``name`` among them, whose product is the array's; the fewest. Empty where there are none."""
    sizes = [other for other, value in arguments.items() if _is_size(value) and other != name]
    for count in range(len(sizes) + 1):
        for others in itertools.combinations(sizes, count):
            if math.prod(int(arguments[one]) for one in (name, *others)) == array.size:  # pyright: ignore[reportArgumentType] - sizes
                return (name, *others)
    return ()


def _with_least(arguments: Arguments, name: str, fails: Callable[[Mapping[str, object]], bool]) -> Arguments:
    """With the smallest value of this size that still fails: of those around powers of two first, then between it and the next smaller."""
    now = int(arguments[name])  # pyright: ignore[reportArgumentType] - a size
    below = 0
    for size in (size for size in _SIZES if size < now):
        smaller = _resized(arguments, name, size)
        if fails(smaller):
            arguments, now = smaller, size
            break
        below = size
    while now - below > 1:
        middle = (now + below) // 2
        smaller = _resized(arguments, name, middle)
        if fails(smaller):
            arguments, now = smaller, middle
        else:
            below = middle
    return arguments


def _resized(arguments: Arguments, name: str, size: int) -> Arguments:
    """With this size, and the first elements of the arrays that it is a dimension of."""
    made: Arguments = {}
    for key, value in arguments.items():
        if is_array(value) and (names := _dimensions(value, arguments, name)):
            count = size * math.prod(int(arguments[other]) for other in names[1:])  # pyright: ignore[reportArgumentType] - sizes
            made[key] = _cut(value, int(arguments[name]), size, count)  # pyright: ignore[reportArgumentType] - a size
        else:
            made[key] = value
    return made | {name: type(arguments[name])(size)}  # pyright: ignore[reportCallIssue] - a number's


def _cut(array: Array, before: int, size: int, count: int) -> Array:
    """Along the axis that is as long as the size; without such an axis the first ``count`` elements."""
    axis = next((axis for axis, length in enumerate(array.shape) if length == before), None)
    if axis is None:
        return array.reshape(-1)[:count].copy()
    return np.ascontiguousarray(np.take(array, range(size), axis=axis))


def _plain(arguments: Arguments) -> Iterator[Arguments]:
    """Floating arrays that count up, or hold ones; whole numbers may be places, and stay."""
    for values in (_counted, _ones):
        yield {name: values(value) if is_array(value) and value.dtype.kind == "f" else value for name, value in arguments.items()}


def _counted(array: Array) -> Array:
    made = np.ascontiguousarray(array).copy()
    made.reshape(-1)[:] = range(array.size)
    return made


def _ones(array: Array) -> Array:
    return np.ones(array.shape, array.dtype)


def is_array(value: object) -> TypeGuard[Array]:
    """Of NumPy."""
    return isinstance(value, np.ndarray)
