"""Buffers of structs as one buffer per member, so that each is judged by its own type and size of values; padding belongs to no member.

Example::

    split_members(case).buffers     # ps of Particle {x, v, alive}: ps.x, ps.v and ps.alive
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assistant.model.structs import ElementLayout, Member
from assistant.verify.evidence import BufferFacts, CaseEvidence, SideRun

__all__ = ["column", "is_divisible", "split_members"]

_Columns = Mapping[int, tuple[ElementLayout, tuple[tuple[int, Member], ...]]]
"""By the whole buffer's id: its layout, and each member with the id of its column."""


def is_divisible(data: bytes, layout: ElementLayout | None) -> bool:
    """Whether ``data`` is a whole number of structs."""
    return layout is not None and len(data) > 0 and len(data) % layout.size_bytes == 0


def column(data: bytes, layout: ElementLayout, member: Member) -> bytes:
    """The member of every struct, one after the other."""
    rows = np.frombuffer(data, np.uint8).reshape(-1, layout.size_bytes)
    return rows[:, member.offset_bytes : member.offset_bytes + member.size_bytes].tobytes()


def split_members(case: CaseEvidence) -> CaseEvidence:
    """The case with a column per member in place of each buffer of known structs; float64 values of these fall away."""
    columns = _columns(case)
    if not columns:
        return case
    return replace(
        case,
        buffers=tuple(part for buffer in case.buffers for part in _parts(buffer, columns)),
        original=tuple(_run(run, columns) for run in case.original),
        candidate=tuple(_run(run, columns) for run in case.candidate),
        perturbed=tuple(_run(run, columns) for run in case.perturbed),
        reference=tuple(item for item in case.reference if item[0] not in columns),
    )


def _columns(case: CaseEvidence) -> _Columns:
    free_id = 1 + max((buffer.id for buffer in case.buffers), default=0)
    found: dict[int, tuple[ElementLayout, tuple[tuple[int, Member], ...]]] = {}
    for buffer in case.buffers:
        if buffer.layout is not None and is_divisible(buffer.before, buffer.layout):
            members = buffer.layout.members
            found[buffer.id] = (buffer.layout, tuple(zip(range(free_id, free_id + len(members)), members, strict=True)))
            free_id += len(members)
    return found


def _parts(buffer: BufferFacts, columns: _Columns) -> tuple[BufferFacts, ...]:
    if buffer.id not in columns:
        return (buffer,)
    layout, members = columns[buffer.id]
    return tuple(
        replace(buffer, id=new, element_type=m.element.name, before=column(buffer.before, layout, m), layout=None, member=m)
        for new, m in members
    )


def _run(run: SideRun, columns: _Columns) -> SideRun:
    after = list[tuple[int, bytes]]()
    for buffer, data in run.after:
        if buffer not in columns:
            after.append((buffer, data))
            continue
        layout, members = columns[buffer]
        after += [(new, column(data, layout, m) if is_divisible(data, layout) else data) for new, m in members]
    return replace(run, after=tuple(after))
