"""The smallest arguments on which a kernel still fails: sizes are made smaller as long as the same kind of defect is found.

Example::

    smallest(kernel, {"out": out, "x": x, "n": 1000}, ref, problem).arguments      # {"out": array of 1, "x": array of 1, "n": 1}
"""

from __future__ import annotations

import io
import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from functools import partial
from typing import Any, Protocol, TypeGuard

import numpy as np

from assistant.errors import KernelOptError
from assistant.live.faults import KernelFault, fault_of
from assistant.model.profile import Problem
from assistant.record import Record
from kernelopt.results import CheckResult

__all__ = ["MOST_S", "Array", "Reduced", "is_array", "smallest"]

Arguments = dict[str, object]
Array = np.ndarray[Any, Any]
_SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025)
"""Around what blocks and warps are made of."""
_FEW = _SIZES[:4]
MOST_S = 30.0
"""A failing test may take so much longer, to say less."""
_MOST_ROUNDS = 4
"""Through all sizes."""


class Checked(Protocol):
    """What can be called and checked on arguments: a kernel, or a launch of one."""

    @property
    def parameters(self) -> tuple[str, ...]: ...

    def __call__(self, /, *arguments: object) -> None: ...

    def check(self, arguments: Mapping[str, object], ref: Callable[..., object] | None = None) -> CheckResult: ...


class Reduced(Record):
    """Arguments on which a kernel fails."""

    arguments: Arguments
    is_smallest: bool
    """False where time was over before all smaller sizes were tried."""


def smallest(
    launch: Checked, arguments: Mapping[str, object], ref: Callable[..., object] | None, problem: Problem, most_s: float = MOST_S
) -> Reduced:
    """The arguments with plain values where these show ``problem`` as well, and sizes as small as still show it.

    Sizes are the whole numbers that dimensions of the arrays are equal to, or products of. Takes ``most_s`` seconds and a check at most.
    A defect that a plain call shows is looked for by calls, which take a tenth of a check's time.
    """
    end_s = time.monotonic() + most_s
    is_over = False
    best = dict(arguments)
    found: Callable[[Mapping[str, object]], Problem | None] = partial(_called, launch)
    if not _is_same(found(best), problem):
        found = partial(_checked, launch, ref)

    def fails(given: Mapping[str, object]) -> bool:
        nonlocal is_over
        is_over = is_over or time.monotonic() > end_s
        if is_over:
            return False
        with suppress(KernelOptError, ArithmeticError, LookupError, ValueError, TypeError):  # the reference may not like it
            return _is_same(found(given), problem)
        return False

    best = _reduced(next(filter(fails, _plain(best)), best), fails)
    return Reduced(next(filter(fails, _plain(best)), best), not is_over)


def _reduced(arguments: Arguments, fails: Callable[[Mapping[str, object]], bool]) -> Arguments:
    """With each size as small as it can be, again and again until none gets smaller: one may have kept another from it."""
    for _ in range(_MOST_ROUNDS):
        before = arguments
        for name in _size_names(arguments):
            arguments = _with_least(arguments, name, fails)
        if arguments is before:
            break
    return arguments


def _is_same(found: Problem | None, problem: Problem) -> bool:
    return found is not None and (found.kind, found.line) == (problem.kind, problem.line)


def _called(launch: Checked, arguments: Mapping[str, object]) -> Problem | None:
    """What a call on copies shows; what the kernel prints is left out."""
    copies = [value.copy() if is_array(value) else value for value in (arguments[name] for name in launch.parameters)]
    try:
        with redirect_stdout(io.StringIO()):
            launch(*copies)
    except KernelFault as fault:
        return fault.problem
    except KernelOptError:
        return None
    return None


def _checked(launch: Checked, ref: Callable[..., object] | None, arguments: Mapping[str, object]) -> Problem | None:
    found = launch.check(arguments, ref)
    fault = fault_of(found.problems, found.parameters)
    return None if fault is None else fault.problem


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
    """With the smallest value of this size that still fails: a few, then halves of it, as a defect may need more than a block has threads;
    then those around powers of two, as it may show at some of them alone."""
    arguments, below = _first_failing(arguments, name, _FEW, fails)
    now = _size_of(arguments, name)
    if now <= below + 1:
        return arguments
    while now // 2 > below and fails(half := _resized(arguments, name, now // 2)):
        arguments, now = half, now // 2
    arguments = _between(arguments, name, max(below, now // 2), fails)
    arguments, below = _first_failing(arguments, name, _SIZES, fails)
    return _between(arguments, name, below, fails)


def _first_failing(
    arguments: Arguments, name: str, sizes: Sequence[int], fails: Callable[[Mapping[str, object]], bool]
) -> tuple[Arguments, int]:
    """With the first of these smaller sizes that fails, if one does, and the largest that did not before it."""
    below = -1
    for size in (size for size in sizes if size < _size_of(arguments, name)):
        smaller = _resized(arguments, name, size)
        if fails(smaller):
            return smaller, below
        below = size
    return arguments, below


def _between(arguments: Arguments, name: str, below: int, fails: Callable[[Mapping[str, object]], bool]) -> Arguments:
    """With the smallest size above ``below`` that fails, where all above it do."""
    now = _size_of(arguments, name)
    while now - below > 1:
        middle = (now + below) // 2
        smaller = _resized(arguments, name, middle)
        if fails(smaller):
            arguments, now = smaller, middle
        else:
            below = middle
    return arguments


def _size_of(arguments: Arguments, name: str) -> int:
    return int(arguments[name])  # pyright: ignore[reportArgumentType] - a size


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
    """Floating arrays that count up from 1, as zeros hide what is wrong, or hold ones; whole numbers may be places, and stay."""
    for values in (_counted, _ones):
        yield {name: values(value) if is_array(value) and value.dtype.kind == "f" else value for name, value in arguments.items()}


def _counted(array: Array) -> Array:
    made = np.ascontiguousarray(array).copy()
    made.reshape(-1)[:] = range(1, array.size + 1)
    return made


def _ones(array: Array) -> Array:
    return np.ones(array.shape, array.dtype)


def is_array(value: object) -> TypeGuard[Array]:
    """Of NumPy."""
    return isinstance(value, np.ndarray)
