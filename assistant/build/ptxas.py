"""ptxas's ``-v`` report, read into `KernelResources`.

Example of what is read::

    ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
    ptxas info    : Function properties for _Z1kPf
        0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
    ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem, 352 bytes cmem[0]

Where units were linked, nvlink's ``-v`` report follows, which knows what functions of other units need::

    nvlink info    : Function properties for '_Z1kPf':
    nvlink info    : used 40 registers, used 1 barriers, 16 stack, 2048 bytes smem, 544 bytes cmem[0], 0 bytes lmem
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from assistant.model.build import KernelResources
from assistant.record import Record

__all__ = ["parse_resources"]

_ENTRY = re.compile(r"Compiling entry function '([^']+)' for '([^']+)'")
_PROPERTIES = re.compile(r"Function properties for (\S+)")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers(.*)")
_SHARED = re.compile(r"(\d+)(?:\+(\d+))? bytes smem")
_LINKED = re.compile(r"nvlink info\s*: Function properties for '([^']+)':\s*\nnvlink info\s*: used (\d+) registers,.*?(\d+) stack")
_CONSTANT = re.compile(r"(\d+)(?:\+(\d+))? bytes cmem\[\d+\]")


class _Frame(Record):
    stack_bytes: int = 0
    spill_store_bytes: int = 0
    spill_load_bytes: int = 0


def parse_resources(output: str, names: Mapping[str, str]) -> tuple[KernelResources, ...]:
    """Every kernel that ``output`` reports, in its order. ``names`` maps mangled to demangled names."""
    found: list[KernelResources] = []
    symbol, architecture, described = "", "", ""
    frame = _Frame()
    for line in output.splitlines():
        if match := _ENTRY.search(line):
            symbol, architecture, frame = match[1], match[2], _Frame()
        elif match := _PROPERTIES.search(line):
            described = match[1]
        elif (match := _FRAME.search(line)) and described == symbol:
            frame = _Frame(int(match[1]), int(match[2]), int(match[3]))
        elif (match := _USED.search(line)) and symbol:
            resources = _with_memory(_plain(symbol, architecture, names, frame, int(match[1])), match[2])
            found.append(resources)
            symbol = ""
    linked = {match[1]: (int(match[2]), int(match[3])) for match in _LINKED.finditer(output)}
    return tuple(_as_linked(resources, linked.get(resources.symbol)) for resources in found)


def _as_linked(resources: KernelResources, linked: tuple[int, int] | None) -> KernelResources:
    """``linked``: registers per thread and bytes of stack of the whole call tree; None where nothing was linked."""
    return resources if linked is None else replace(resources, registers_per_thread=linked[0], stack_bytes=linked[1])


def _plain(symbol: str, architecture: str, names: Mapping[str, str], frame: _Frame, registers: int) -> KernelResources:
    return KernelResources(
        kernel=names.get(symbol, symbol),
        symbol=symbol,
        architecture=architecture,
        registers_per_thread=registers,
        spill_store_bytes=frame.spill_store_bytes,
        spill_load_bytes=frame.spill_load_bytes,
        stack_bytes=frame.stack_bytes,
        static_shared_bytes=0,
        constant_bytes=0,
    )


def _with_memory(resources: KernelResources, rest: str) -> KernelResources:
    shared = _SHARED.search(rest)
    return replace(
        resources,
        static_shared_bytes=_sum(shared) if shared else 0,
        constant_bytes=sum(_sum(match) for match in _CONSTANT.finditer(rest)),
    )


def _sum(match: re.Match[str]) -> int:
    return int(match[1]) + int(match[2] or 0)
