"""What launches leave that are too large to be recorded, compared in the GPU's memory. The GPU is played here by arrays of the host;
``tests/gpu/test_beyond_recording.py`` has a real one, ``tests/unit/device/test_snapshots.py`` the worker."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.judge.large_launches import ComparedInMemory, compared_in_memory
from assistant.model.snapshot import Piece, Snapshot, SnapshotDifference, SnapshotPair, Snapshots
from assistant.ports.lab import LabFailure, Program, RunLimits
from tests.unit.engine.regions import Evaluated

TEXT = """__global__ void soften(float *t, const float *shift, int *count) { t[threadIdx.x] = VALUE + shift[0]; }
int main() { soften<<<1, 32>>>(0, 0, 0); }
"""
SOFTEN = "soften(float*, float const*, int*)"
COUNT = 1 << 18


@dataclass
class Memory:
    """A GPU on which programs leave what the table says; the second run of a program what ``later`` says."""

    left: dict[str, dict[int, np.ndarray]]
    """By a word of the program's text: by argument."""
    later: dict[str, dict[int, np.ndarray]] = field(default_factory=dict[str, dict[int, np.ndarray]])
    left_out: tuple[str, ...] = ()
    kept: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    runs: list[str] = field(default_factory=list[str])

    async def take(self, program: Program, kernels: Collection[str], limits: RunLimits) -> Snapshots | LabFailure:
        assert kernels == {"soften"}
        word = next(word for word in self.left if word in program.sources[0].text)
        table = self.later if word in self.runs and word in self.later else self.left
        self.runs.append(word)
        made = list[Snapshot]()
        for argument, values in table[word].items():
            number = len(self.kept) + 100 * len(self.runs)
            self.kept[number] = values
            made.append(Snapshot(number, SOFTEN, 0, argument, 0, 0, values.nbytes))
        return Snapshots(tuple(made), self.left_out)

    async def compare(self, pairs: Sequence[SnapshotPair]) -> tuple[SnapshotDifference, ...] | LabFailure:
        found = list[SnapshotDifference]()
        for pair in pairs:
            a, b = self.kept[pair.a.id], self.kept[pair.b.id]
            assert pair.kind == ("float" if a.dtype == np.float32 else "")
            count = int(np.count_nonzero(a != b))
            half = a.nbytes // 2
            found.append(SnapshotDifference(count, ((half, half),) if count else ()))
        return tuple(found)

    async def read(self, pieces: Sequence[Piece]) -> tuple[bytes, ...] | LabFailure:
        return tuple(self.kept[one.snapshot].tobytes()[one.offset_bytes : one.offset_bytes + one.size_bytes] for one in pieces)

    async def free(self, snapshots: Sequence[Snapshot]) -> None:
        for one in snapshots:
            del self.kept[one.id]


def values(changed: int | None = None, by: float = 0.0) -> np.ndarray:
    made = np.linspace(1, 2, COUNT, dtype=np.float32)
    if changed is not None:
        made[changed] += np.float32(by)
    return made


def too_large(evaluation: Evaluation, *kernels: str) -> Evaluation:
    run = evaluation.counted.run
    assert run is not None and run.recording is not None
    run = replace(run, recording=replace(run.recording, launches=(), too_large=kernels))
    return replace(evaluation, counted=replace(evaluation.counted, run=run))


async def found(evaluated: Evaluated, memory: Any, *kernels: str) -> ComparedInMemory:
    a, b = (evaluated(TEXT.replace("VALUE", value), "soften") for value in ("1.0f", "2.0f"))
    before = too_large(a, *(kernels or (SOFTEN,)))
    keys = frozenset(kernel.key for kernel in a.version.kernels)
    baseline: Any = SimpleNamespace(version=a.version, counted=before.counted, kernels=keys, tolerance=None)
    job: Any = SimpleNamespace(lab=SimpleNamespace(large_launches=memory), limits=RunLimits())
    return await compared_in_memory(job, baseline, b.version)


async def test_what_is_equal_is_compared_by_two_runs_and_nothing_of_it_is_kept(evaluated: Evaluated) -> None:
    memory = Memory({"1.0f": {0: values()}, "2.0f": {0: values()}})
    assert await found(evaluated, memory) == ComparedInMemory((), ("t behind soften",), ())
    assert memory.runs == ["1.0f", "2.0f"] and not memory.kept


async def test_a_wrong_element_is_named_by_its_place_in_the_whole_buffer(evaluated: Evaluated) -> None:
    at = COUNT - 1000
    memory = Memory({"1.0f": {0: values()}, "2.0f": {0: values(at, 0.5)}})
    (finding,) = (await found(evaluated, memory)).findings
    assert (finding.code, finding.outcome) == ("wrong_value", "FAIL")
    assert finding.message.startswith(f"t behind soften[{at}]: wrong value in the GPU's memory; expected ")
    assert memory.runs == ["1.0f", "2.0f", "1.0f"] and not memory.kept


async def test_another_rounding_is_right(evaluated: Evaluated) -> None:
    memory = Memory({"1.0f": {0: values()}, "2.0f": {0: values() * np.float32(1 + 2**-22)}})
    assert await found(evaluated, memory) == ComparedInMemory((), ("t behind soften",), ())


async def test_what_the_original_leaves_otherwise_each_time_is_no_fault_of_the_edit(evaluated: Evaluated) -> None:
    at = COUNT - 1000
    memory = Memory({"1.0f": {0: values()}, "2.0f": {0: values(at, 0.5)}}, later={"1.0f": {0: values(at, 0.75)}})
    assert not (await found(evaluated, memory)).findings


async def test_whole_numbers_must_be_equal(evaluated: Evaluated) -> None:
    counts = np.arange(COUNT, dtype=np.int32)
    other = counts.copy()
    other[-1] = 0
    memory = Memory({"1.0f": {2: counts}, "2.0f": {2: other}})
    (finding,) = (await found(evaluated, memory)).findings
    assert finding.message.startswith(f"count behind soften[{COUNT - 1}]: wrong value in the GPU's memory")


async def test_what_there_is_no_room_for_is_said(evaluated: Evaluated) -> None:
    memory = Memory({"1.0f": {}, "2.0f": {}}, left_out=(SOFTEN,))
    shown = await found(evaluated, memory)
    assert (shown.findings, shown.compared) == ((), ())
    assert shown.missing == ("all that soften leaves: the GPU has no memory for it besides the program's",)


async def test_a_buffer_of_another_size_is_not_compared_and_that_is_said(evaluated: Evaluated) -> None:
    memory = Memory({"1.0f": {0: values()}, "2.0f": {0: values()[:-1]}})
    shown = await found(evaluated, memory)
    assert shown.compared == () and shown.missing == ("what soften leaves: both versions leave nothing in the same place",)
    assert not memory.kept


async def test_a_lab_that_fails_leaves_the_check_open(evaluated: Evaluated) -> None:
    class Failing(Memory):
        async def compare(self, pairs: Sequence[SnapshotPair]) -> tuple[SnapshotDifference, ...] | LabFailure:
            return LabFailure("crashed", "the worker ended", "")

    memory = Failing({"1.0f": {0: values()}, "2.0f": {0: values()}})
    assert (await found(evaluated, memory)).missing == ("what large launches leave in the GPU's memory: the worker ended",)
    assert not memory.kept


async def test_nothing_is_run_where_no_launch_is_too_large_or_there_is_no_gpu(evaluated: Evaluated) -> None:
    memory = Memory({"1.0f": {}, "2.0f": {}})
    assert await found(evaluated, memory, "library_kernel(float*)") == await found(evaluated, None) == ComparedInMemory()
    assert not memory.runs
