"""Problems that name the array: the emulator knows which argument of a launch points to the memory, the source what that is called.

Example::

    with_array_names(run, program)
    # "write of 4 bytes at offset 896 of out, which has 10 elements: out[224]"; of a race "write after read: … (at sum[0])"
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from assistant.cuda.instance_parameters import instance_parameters
from assistant.cuda.match import kernel_of_instance
from assistant.cuda.parse import parse
from assistant.model.elements import parse_element_type
from assistant.model.profile import Problem
from assistant.model.source import Parameter, ParsedSource
from assistant.ports.lab import CaseRun, Program, ProgramRun

__all__ = ["with_array_names"]

_Run = TypeVar("_Run", ProgramRun, CaseRun)
_MEMORY = re.compile(r"an allocation of (\d+) bytes(?:, number \d+ of \d+ such)?")
"""As the emulator's messages call memory that they have no name for (`emulator/runtime/check_bounds.cpp`)."""
_INSIDE = re.compile(r"(?<=\(at )offset \d+ of $")
"""Before it, where the place is inside of the memory, whose size says nothing then."""


def with_array_names(run: _Run, program: Program) -> _Run:
    """``run`` with the kernel's parameter in the message of each problem whose argument is known, and the element where its type is known.

    Kernels that none of the program's sources declares keep their messages.
    """
    names = _Names(program)
    profiles = tuple(replace(profile, problems=names.of(profile.problems)) if profile.problems else profile for profile in run.profiles)
    return replace(run, problems=names.of(run.problems), profiles=profiles)


class _Names:
    """Parameters of a program's kernels; its sources are read when the first problem asks for one."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._parameters: dict[str, tuple[Parameter, ...]] = {}

    def of(self, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        return tuple(map(self._named, problems))

    def _named(self, problem: Problem) -> Problem:
        memory = _MEMORY.search(problem.message)
        if problem.kernel is None or problem.argument is None or memory is None:
            return problem
        parameters = self._parameters_of(problem.kernel)
        if problem.argument >= len(parameters) or not parameters[problem.argument].name:
            return problem
        parameter, before = parameters[problem.argument], problem.message[: memory.start()]
        element = _element(parameter, problem.offset_bytes)
        if element and (inside := _INSIDE.search(before)) is not None:
            before, name = before[: inside.start()], element
        else:
            name = _in_words(parameter, int(memory[1]), element)
        return replace(problem, message=f"{before}{name}{problem.message[memory.end() :]}")

    def _parameters_of(self, instance: str) -> tuple[Parameter, ...]:
        if instance not in self._parameters:
            found = (kernel_of_instance(parsed, instance) for parsed in self._sources)
            self._parameters[instance] = next((instance_parameters(kernel, instance) for kernel in found if kernel is not None), ())
        return self._parameters[instance]

    @cached_property
    def _sources(self) -> tuple[ParsedSource, ...]:
        return tuple(map(parse, self._program.sources))


def _element(parameter: Parameter, offset_bytes: int | None) -> str:
    """``out[224]``; empty where the type is not known, or the access is at no element's beginning."""
    element = parse_element_type(parameter.element_type or "")
    if element is None or offset_bytes is None or offset_bytes % element.size_bytes:
        return ""
    return f"{parameter.name}[{offset_bytes // element.size_bytes}]"


def _in_words(parameter: Parameter, size_bytes: int, place: str) -> str:
    """``out, which has 10 elements: out[224]``; bytes without a place."""
    element = parse_element_type(parameter.element_type or "")
    if element is None or not place:
        return f"{parameter.name}, which has {size_bytes} bytes"
    count = size_bytes // element.size_bytes
    return f"{parameter.name}, which has {count} element{'s' * (count != 1)}: {place}"
