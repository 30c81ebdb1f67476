"""Accesses of local memory that the emulator did not see: arrays of a thread that g++ keeps to itself, and nvcc in local memory.

How often they run follows from how often their basic blocks do; which sectors they touch does not. Example::

    local_accesses(code, executions(code, profile, loops))     # (LineAccess(op="local store", requests=8192, …), …)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assistant.build.executions import Ran
from assistant.build.sites import access_kind, access_width_bytes
from assistant.model.build import KernelCode
from assistant.model.profile import Grade, LineAccess

__all__ = ["local_accesses"]

_REASON = "counted by how often its machine code runs"
_Key = tuple[str, int, str]


def local_accesses(code: KernelCode, ran: Mapping[int, Ran]) -> tuple[LineAccess, ...]:
    """By line and kind, without sectors. Spilled registers look the same: only for code that spills none."""
    requests, threads, widths = Counter[_Key](), Counter[_Key](), dict[_Key, int]()
    for instruction in code.instructions:
        kind, block = access_kind(instruction), ran.get(instruction.offset_bytes)
        if kind is None or not kind.startswith("local") or block is None or block.warps <= 0:
            continue
        key = (instruction.file, instruction.line, kind)
        requests[key] += round(block.warps)
        threads[key] += round(block.threads)
        widths[key] = max(widths.get(key, 0), access_width_bytes(instruction.opcode))
    return tuple(
        LineAccess(*key, widths[key], requests[key], threads[key], None, None, None, None, Grade.ESTIMATED, _REASON)
        for key in sorted(requests)
    )
