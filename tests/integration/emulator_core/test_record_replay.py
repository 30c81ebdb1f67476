"""What a program did is recorded and can be run again, in its own kernels or in others."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.emulator.__main__ import Emulator
from assistant.emulator.symbolize import Symbolizer
from assistant.model.recording import Recording
from assistant.serialize import loads
from assistant.workload.recorded_log import LogNames, finish_recording

PROGRAM = "emulator/problems/recorded.cu"
KERNELS = ("fill", "add<7>", "add<1>", "through_pointers", "arrival_order", "after_all", "spill_over")


@pytest.fixture
def binary(build: Any) -> Path:
    return build(PROGRAM, "counted", KERNELS)


@pytest.fixture
def folder(binary: Path, run: Any, tmp_path: Path) -> Path:
    run(binary, mode="check", record=str(tmp_path / "recording"))
    return tmp_path / "recording"


@pytest.fixture
def recording(folder: Path) -> Recording:
    return loads(Recording, (folder / "recording.json").read_bytes())


Replay = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def replay(emulator: Emulator, binary: Path, folder: Path, tmp_path: Path) -> Replay:
    def replay_cases(*cases: dict[str, Any], program: Path = binary, **fields: Any) -> list[dict[str, Any]]:
        whole = [{"recording": str(folder), **case} for case in cases]
        reply = emulator.reply({"op": "replay", "binary": str(program), "out": str(tmp_path / "out"), "cases": whole, **fields})
        assert "failure" not in reply, reply
        return reply["cases"]

    return replay_cases


def names(recording: Recording) -> dict[int, str | None]:
    return {b.id: b.symbol or b.element_type for b in recording.buffers}


def test_launches_name_their_instance_configuration_and_place(recording: Recording) -> None:
    first = recording.launches[1]
    assert first.kernel == "add<7>(float const*, float*, int)"
    assert (first.config.grid.x, first.config.block.x) == (4, 256)
    assert Path(first.file).name == "recorded.cu"
    assert first.line == 53


def test_everything_reachable_is_kept(recording: Recording) -> None:
    """An argument, a pointer in a struct, a pointer in a buffer, and every device variable."""
    launch = recording.launches[2]
    assert sorted(str(names(recording)[s.buffer]) for s in launch.buffers) == ["counter", "float", "float", "float*", "last_size", "scale"]
    table = next(b for b in recording.buffers if b.element_type == "float*")
    assert [p.offset_bytes for p in table.pointers] == [0, 8]
    assert {b.symbol: b.space for b in recording.buffers if b.symbol} == {"counter": "device", "scale": "constant", "last_size": "managed"}


def test_blobs_are_named_by_their_contents(folder: Path, recording: Recording) -> None:
    for launch in recording.launches:
        for state in launch.buffers:
            for name in filter(None, (state.before, state.after)):
                assert hashlib.sha256((folder / "blobs" / name).read_bytes()).hexdigest() == name


def test_what_reached_the_host_is_kept_in_order(recording: Recording) -> None:
    assert [(t.kind, t.size_bytes, t.after_launch) for t in recording.transfers][:2] == [("managed", 4, 1), ("memcpy", 4000, 2)]


def test_what_reached_the_host_has_the_type_and_place_of_its_buffer(recording: Recording) -> None:
    copied = recording.transfers[1]
    assert copied.element_type == "float" and copied.buffer_offset_bytes == 0
    assert copied.buffer == recording.launches[0].arguments[0].pointers[0].buffer


def test_copies_and_fills_are_counted(recording: Recording) -> None:
    assert recording.operations is not None
    counted = {item.kind: (item.count, item.size_bytes) for item in recording.operations}
    assert counted == {"copy_to_device": (2, 16 + 16), "copy_to_host": (1, 4000), "fill": (4, 4096 + 48), "copy_on_device": (5, 160)}


def test_everything_is_in_the_order_in_which_it_was_asked_for(recording: Recording) -> None:
    assert recording.steps is not None
    kinds = [step.kind if step.shape < 0 else recording.shape_counts[step.shape].kernel.partition("(")[0] for step in recording.steps]
    assert kinds == [
        *["allocation"] * 3, "copy_to_device", "fill", "add<7>", "copy_to_device", "through_pointers", "wait", "copy_to_host",
        *["add<1>"] * 20, "allocation", "fill", "arrival_order", "allocation", "after_all", "spill_over",
        "copy_on_device", "fill",
    ]  # fmt: skip
    assert {step.stream for step in recording.steps if step.kind == "launch"} == {0}
    assert [(step.size_bytes, step.stream) for step in recording.steps[-2:]] == [(160, 0), (48, 1)], "one call is one step"


def test_launches_that_are_not_kept_are_counted_and_said(recording: Recording) -> None:
    counts = {(s.kernel, s.count) for s in recording.shape_counts}
    assert ("add<1>(float const*, float*, int)", 20) in counts
    assert any("12 launches of add<1>" in note for note in recording.not_captured)


def test_only_what_nothing_had_written_is_poisoned(recording: Recording) -> None:
    assert [any(s.is_poisoned for s in launch.buffers) for launch in recording.launches[:3]] == [True, True, False]


def test_a_replay_gives_the_recorded_results(replay: Replay, recording: Recording, tmp_path: Path) -> None:
    kept = [launch for launch in recording.launches if launch.kernel.startswith(("fill", "add", "after_all"))]
    options = {"repeats": 3, "fill": 171, "shared_fill": 5}
    cases = replay(*({"launches": [launch.index], **options} for launch in kept), mode="check")
    for launch, case in zip(kept, cases, strict=True):
        assert (case["error"], case["guards_intact"], case["repeat_difference"], case["problems"]) == (None, True, None, [])
        assert case["after"] == {str(s.buffer): s.after for s in launch.buffers}
        assert all((tmp_path / "out" / "blobs" / name).exists() for name in case["after"].values())


def test_launches_of_a_case_build_on_each_other(replay: Replay, recording: Recording) -> None:
    (case,) = replay({"launches": [0, 1, 2]})
    floats = {str(s.buffer): s.after for s in recording.launches[2].buffers if names(recording)[s.buffer] == "float"}
    assert floats.items() <= case["after"].items()


def test_other_kernels_may_stand_in(replay: Replay) -> None:
    same, other = replay({"launches": [1]}, {"launches": [1], "kernels": ["add<1>"]})
    assert same["ok"]
    assert other["ok"]
    assert same["after"] != other["after"]


def test_a_result_that_depends_on_the_schedule_is_shown(replay: Replay, recording: Recording) -> None:
    (case,) = replay({"launches": [index_of(recording, "arrival_order")], "repeats": 5})
    assert "differs in buffer" in case["repeat_difference"]


def test_a_write_outside_a_buffer_breaks_its_guard(replay: Replay, build: Any, recording: Recording) -> None:
    (case,) = replay({"launches": [index_of(recording, "spill_over")]}, program=build(PROGRAM, "fast", KERNELS))
    assert not case["guards_intact"]


def test_a_case_that_cannot_run_leaves_the_others_alone(replay: Replay) -> None:
    bad, good = replay({"launches": [0], "kernels": ["no_such_kernel"]}, {"launches": [0]})
    assert (bad["ok"], bad["error"]) == (False, "the program has no kernel no_such_kernel")
    assert good["ok"]


def test_a_launch_that_is_not_in_the_recording_is_refused(emulator: Emulator, binary: Path, folder: Path, tmp_path: Path) -> None:
    case = {"recording": str(folder), "launches": [999]}
    reply = emulator.reply({"op": "replay", "binary": str(binary), "out": str(tmp_path), "cases": [case]})
    assert "holds no launch 999" in reply["message"]


def index_of(recording: Recording, kernel: str) -> int:
    return next(launch.index for launch in recording.launches if launch.kernel.startswith(kernel))


def test_a_recording_that_a_full_disk_cut_short_is_not_used(tmp_path: Path, binary: Path) -> None:
    (tmp_path / "log").write_text(f"unwritten {errno.ENOSPC}\n")
    with pytest.raises(OSError, match="No space left") as caught:
        finish_recording(tmp_path, LogNames(lambda word: Symbolizer(binary).function_name(int(word))))
    assert caught.value.filename == str(tmp_path)


def test_of_a_replay_that_only_counts_nothing_is_written(replay: Replay, tmp_path: Path) -> None:
    kept, unkept = replay({"launches": [1]}, {"launches": [1], "are_results_kept": False}, mode="count")
    assert kept["after"] and unkept["after"] == {} and unkept["error"] is None
    assert unkept["profiles"][0]["executions"] == kept["profiles"][0]["executions"] != []
    assert {path.name for path in (tmp_path / "out" / "blobs").iterdir()} == set(kept["after"].values())
