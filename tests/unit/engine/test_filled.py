"""What the judge is shown of a buffer that only the candidate's host fills."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.engine.evaluate.judged_case import JudgedCase
from assistant.engine.judge.baseline import PreparedCase
from assistant.engine.judge.filled import as_found
from assistant.engine.judge.replaying import FloatReference
from assistant.model.launch import Dim3, LaunchConfig
from assistant.verify.evidence import SideRun
from assistant.workload.derive import with_contents
from assistant.workload.recordings import NewCase
from tests.unit.workload.launches import launched

SUMS = 0


def case(values: np.ndarray) -> NewCase:
    return launched(LaunchConfig(Dim3(1), Dim3(32), 0), {}, values)[0]


def prepared(new: NewCase, *runs: SideRun) -> PreparedCase:
    judged = JudgedCase(new, "k", ((),), ((SUMS, "sums"),), frozenset(), 0)
    return PreparedCase(judged, runs, FloatReference(), ())


def found(item: PreparedCase, new: NewCase, side: tuple[SideRun, ...]) -> tuple[SideRun, ...]:
    return as_found(item.case.new, item.original, new, side)


def bytes_of(*values: int) -> bytes:
    return np.array(values, np.int32).tobytes()


def test_what_stays_of_the_fill_where_the_original_writes_nothing_is_as_if_never_filled() -> None:
    own = case(np.array([7, 7, 7, 7], np.int32))
    new = with_contents(own, {SUMS: bytes(16)}, own.origin)
    item = prepared(own, SideRun(((SUMS, bytes_of(1, 2, 7, 7)),)))
    (shown,) = found(item, new, (SideRun(((SUMS, bytes_of(1, 0, 0, 5)),)),))
    assert shown.contents(SUMS) == bytes_of(1, 0, 7, 5), "a missing sum and a stray write are still seen"


@pytest.mark.parametrize("left", [5, 10, 0])
def test_a_stray_write_is_seen_whatever_it_writes(left: int) -> None:
    own = case(np.array([7, 7], np.int32))
    new = with_contents(own, {SUMS: bytes_of(9, 9)}, own.origin)
    item = prepared(own, SideRun(((SUMS, bytes_of(1, 7)),)))
    (shown,) = found(item, new, (SideRun(((SUMS, bytes_of(1, left)),)),))
    assert shown.contents(SUMS) == bytes_of(1, left)


def test_of_poison_each_run_has_its_own() -> None:
    own = case(np.zeros(2, np.int32))
    (buffer,) = own.recording.buffers
    own = replace(own, recording=replace(own.recording, buffers=(replace(buffer, is_poisoned=True),)))
    new = replace(own, recording=replace(own.recording, buffers=(buffer,)))
    runs = [SideRun(((SUMS, bytes_of(3) + bytes([fill]) * 4),), fill=fill) for fill in (0xAB, 0x54)]
    side = tuple(SideRun(((SUMS, bytes_of(3, 0)),), fill=run.fill) for run in runs)
    assert [one.after for one in found(prepared(own, *runs), new, side)] == [run.after for run in runs]


def test_a_result_that_happens_to_hold_the_fill_byte_of_a_run_is_a_result() -> None:
    own = case(np.zeros(2, np.int32))
    (buffer,) = own.recording.buffers
    own = replace(own, recording=replace(own.recording, buffers=(replace(buffer, is_poisoned=True),)))
    new = replace(own, recording=replace(own.recording, buffers=(buffer,)))
    runs = [SideRun(((SUMS, bytes_of(0xAB, 512)),), fill=fill) for fill in (0xAB, 0x54)]
    side = tuple(SideRun(((SUMS, bytes_of(512, 0xAB)),), fill=run.fill) for run in runs)
    assert [one.contents(SUMS) for one in found(prepared(own, *runs), new, side)] == [bytes_of(512, 0xAB)] * 2, "appended in another order"


def test_where_nothing_is_filled_nothing_changes() -> None:
    own = case(np.array([0, 0], np.int32))
    side = (SideRun(((SUMS, bytes_of(0, 4)),)),)
    assert found(prepared(own, SideRun(((SUMS, bytes_of(1, 2)),))), own, side) is side
