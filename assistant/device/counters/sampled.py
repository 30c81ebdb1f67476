"""A launch that CUPTI counted, as the profile that Nsight Compute's report would become: the same counters, named alike. Pure.

Example::

    launch_profile(0, launch, places, "NVIDIA H200")      # LaunchProfile of Method.CUPTI
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.build.mix import instruction_class
from assistant.device.counters.answer import Answer, read_answer
from assistant.device.counters.protocol import InstructionPlace, SampledLaunch
from assistant.model.profile import LaunchProfile, Method
from assistant.profile.by_line import InstructionCounters, applicable, line_accesses, line_executions, line_mixes, line_stalls

__all__ = ["instruction_counters", "launch_profile"]


def launch_profile(index: int, launch: SampledLaunch, places: Sequence[InstructionPlace], device: str) -> LaunchProfile:
    """``places``: every instruction of the kernel, in the order of its code."""
    answer = read_answer(launch.answer, launch.symbol)
    rows = instruction_counters(answer, places)
    return LaunchProfile(
        index=index,
        kernel=launch.kernel,
        config=launch.config,
        method=Method.CUPTI,
        device=f"{device}, CUPTI",
        blocks_counted=launch.config.grid.count if answer.counts.get("executions") else 0,  # no launch runs no instruction
        accesses=line_accesses(rows),
        executions=line_executions(rows),
        instructions=line_mixes(rows),
        unique_sectors=None,
        block_unique_sectors=None,
        problems=(),
        stalls=line_stalls(rows),
        measured=answer.measured,
    )


def instruction_counters(answer: Answer, places: Sequence[InstructionPlace]) -> tuple[InstructionCounters, ...]:
    """The kernel's instructions with what was counted of each; one that the answer does not name never ran."""
    return tuple(_counters(answer, place) for place in places)


def _counters(answer: Answer, place: InstructionPlace) -> InstructionCounters:
    offset = place.offset_bytes
    values = {name: by_offset.get(offset, 0) for name, by_offset in answer.counts.items()}
    return InstructionCounters(
        offset_bytes=offset,
        opcode=place.opcode,
        kind=instruction_class(place.opcode),
        file=place.file,
        line=place.line,
        **applicable(place.opcode, values),
        stalls=answer.stalls.get(offset, ()),
    )
