"""The capture worker without a GPU: where it finds CUPTI, how it reads logs, what it says where nothing can be captured."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import assistant.device.capture
from assistant.device.capture.demangle import function_name, variable_name
from assistant.device.capture.executable import build_program
from assistant.device.capture.protocol import CaptureFailed, CaptureRequest, CollectRequest
from assistant.device.capture.run import collect
from assistant.device.cupti import find_cupti
from assistant.device.process import ToolRunner
from assistant.device.toolchain import Nvcc, Toolchain
from assistant.model.build import Flags
from assistant.model.launch import Dim3
from assistant.model.recording import DeviceOperations, Recording
from assistant.worker.limits import ProgramLimits
from assistant.worker.recording_sources import RECORDING_SOURCE_DIR
from assistant.workload.recorded_log import LogNames, finish_recording
from assistant.workload.recorded_order import MOST_STEPS
from assistant.workload.timeline import timeline_of


def toolchain(root: Path) -> Toolchain:
    return Toolchain(Nvcc(str(root / "bin/nvcc"), "13.0.88", str(root), "PATH"), None, None, None, "/usr/bin/g++", None, (), ())


@pytest.mark.parametrize("place", [".", "extras/CUPTI", "targets/x86_64-linux"])
def test_cupti_is_found_where_toolkits_put_it(tmp_path: Path, place: str) -> None:
    for folder, file in (("include", "cuda.h"), (f"{place}/include", "cupti.h"), (f"{place}/lib64", "libcupti.so.13")):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / file).touch()
    found = find_cupti(toolchain(tmp_path), None)
    assert found is not None
    assert found.library == tmp_path / place / "lib64/libcupti.so.13"
    assert tmp_path / "include" in found.includes


def test_a_wheel_of_cupti_serves_where_the_toolkit_has_none(tmp_path: Path) -> None:
    kit, wheels = tmp_path / "kit", tmp_path / "cu13"
    for file in (kit / "include/cuda.h", wheels / "include/cupti.h", wheels / "lib/libcupti.so.13"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    found = find_cupti(toolchain(kit), wheels)
    assert found is not None and found.library.parent == wheels / "lib"
    assert find_cupti(toolchain(kit), None) is None


def test_symbols_read_as_the_emulator_names_kernels() -> None:
    assert function_name("_Z2trILi1EEvPfPKfi") == "tr<1>(float*, float const*, int)"
    assert function_name("plain_c") == "plain_c"
    assert variable_name("_ZN4deep5innerE") == "deep::inner"


def test_a_log_of_a_gpu_becomes_a_recording(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs/aa").write_bytes(b"1234")
    lines = (
        "buffer 0 4096 4 device _ZN4deep5innerE -",
        "launching _Z4gridv",
        "launch 0 _Z1kPi 2 1 1 32 1 1 0 0 -",
        "cluster 2 1 1",
        "cooperative",
        "argument 8 0010000000000000",
        "argument_pointer 0 0 0 0",
        "before 0 aa",
        "after 0 aa",
        "skipped 1 _Z1kPi 2 1 1 32 1 1 0 its%20graph%20allocates%20memory",
        "time _Z1kPi 2 1 1 32 1 1 0 1500",
        "time _Z1kPi 2 1 1 32 1 1 0 1000",
    )
    (tmp_path / "log").write_text("\n".join(lines))
    recording = finish_recording(tmp_path, LogNames(function_name, variable_name, {"inner": "float"}))
    (launch,), (shape,), (buffer,) = recording.launches, recording.shape_counts, recording.buffers
    assert launch.cluster == Dim3(2)
    assert (launch.kernel, launch.is_cooperative, launch.arguments[0].pointers[0].buffer) == ("k(int*)", True, 0)
    assert (shape.kernel, shape.count, shape.time_ns) == ("k(int*)", 2, 2500)
    assert (buffer.symbol, buffer.element_type) == ("deep::inner", "float")
    assert recording.not_captured == (
        "grid() may launch kernels on the device: those launches cannot be captured",
        "1 launch of k(int*) with grid (2, 1, 1), block (32, 1, 1) is counted but not kept: its graph allocates memory",
    )


ORDERED = (
    "uploaded 5e1f",
    "launch 0 _Z1kPi 2 1 1 32 1 1 0 0 -",
    "skipped 1 _Z1kPi 4 1 1 32 1 1 0 too%20large",
    "asked copy_to_device 7 64",
    "asked launch 7 0 _Z1kPi 2 1 1 32 1 1 0",
    "asked copy_on_device 13 32",
    "asked launch 13 0 _Z1kPi 4 1 1 32 1 1 0",
    "sees_operations",
    "operation copy_to_device 1 64",
    "operation copy_on_device 1 32",
)


def test_what_a_gpu_ran_stands_in_the_order_of_the_calls(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("\n".join(ORDERED))
    recording = finish_recording(tmp_path, LogNames(function_name))
    assert recording.steps is not None and not recording.are_waits_seen
    assert [(step.kind, step.shape, step.stream, step.size_bytes, step.start_ns) for step in recording.steps] == [
        ("copy_to_device", -1, 0, 64, None),
        ("launch", 0, 0, 0, None),
        ("copy_on_device", -1, 1, 32, None),
        ("launch", 1, 1, 0, None),
    ]
    assert [shape.count for shape in recording.shape_counts] == [1, 1]


@pytest.mark.parametrize(
    ("lines", "names"),
    [(ORDERED, ("5e1f",)), (ORDERED[1:], None), ((*ORDERED, "operation copy_to_device 1 8"), None), (ORDERED[1:3], None)],
)
def test_uploads_are_known_where_every_one_was_seen(tmp_path: Path, lines: tuple[str, ...], names: tuple[str, ...] | None) -> None:
    (tmp_path / "log").write_text("\n".join(lines))
    recording = finish_recording(tmp_path, LogNames(function_name))
    assert (recording.uploaded_names, recording.uploads) == (names, None)


@pytest.mark.parametrize("missing", [4, 6])
def test_an_order_that_lacks_a_launch_is_none(tmp_path: Path, missing: int) -> None:
    (tmp_path / "log").write_text("\n".join((*ORDERED[:missing], *ORDERED[missing + 1 :])))
    assert finish_recording(tmp_path, LogNames(function_name)).steps is None


def test_an_order_of_other_launches_is_none(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("\n".join((*ORDERED[:4], ORDERED[6], ORDERED[5], ORDERED[4], *ORDERED[7:])))
    assert finish_recording(tmp_path, LogNames(function_name)).steps is None


def test_units_in_c_are_compiled_as_c_and_linked(tmp_path: Path) -> None:
    """A compiler whose objects hold the call that made them, and which says at the end what it would link."""
    script = (
        """given="$*"; while [ "$1" != -o ] && [ "$1" != -Xlinker ]; do shift; done; """
        """case "$1" in -o) echo "$given" > "$2";; *) cat "$2"; echo "$given"; exit 1;; esac"""
    )
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(f"#!/bin/sh\n{script}\n")
    nvcc.chmod(0o755)
    known = Toolchain(Nvcc(str(nvcc), "13.0.88", str(tmp_path), "PATH"), None, None, None, "/usr/bin/g++", None, (), ())
    sources = tuple((str(tmp_path / name), "") for name in ("k.cu", "main.c", "k.h"))
    flags = Flags(("-std=c++17", "-DN=4"))
    request = CaptureRequest(sources, tmp_path, tmp_path / "record", tmp_path / "cache", ProgramLimits(), flags)
    with pytest.raises(CaptureFailed) as failed:
        build_program(request, known, ToolRunner({"PATH": "/usr/bin:/bin"}))
    in_c, linked = (line.split() for line in str(failed.value).splitlines()[1:])
    assert in_c[:2] == ["-x", "c"] and "-DN=4" in in_c and "-std=c++17" not in in_c and in_c[-1].endswith("main.c")
    assert linked[-3:-1] == ["-x", "cu"] and "-std=c++17" in linked and linked[-1].endswith("k.cu")


WRITES_WHAT_RAN = """\
#include "ran.h"
#include <cstdlib>

// LOG LAUNCHES order|times
int main(int, char** words) {
  capture::Ran ran;
  emu::RecordLog log(words[1]);
  uint64_t count = strtoull(words[2], nullptr, 10);
  for (uint64_t at = count; at-- > 0;)  // CUPTI hands in what was asked for first last
    ran.add({"launch", static_cast<uint32_t>(at), 7, 0, 100 * at, 100 * at + 30, at % 4 ? "_Z1kPi" : "_Z1fv", {1, 1, 1, 32, 1, 1, 0}});
  ran.add({"copy_to_host", static_cast<uint32_t>(count), 7, 64, 5, 25, "", {}});
  ran.add({"copy_to_host", static_cast<uint32_t>(count), 8, 64, 45, 50, "", {}});
  words[3][0] == 't' ? ran.write_times(log) : ran.write_order(log);
}
"""


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that hands the recorder's bookkeeping what CUPTI would."""
    built = tmp_path_factory.mktemp("ran") / "writer"
    built.with_suffix(".cpp").write_text(WRITES_WHAT_RAN)
    inject = Path(assistant.device.capture.__file__).parent / "inject"
    sources = (built.with_suffix(".cpp"), inject / "ran.cpp")
    subprocess.run(("g++", "-std=c++17", f"-I{inject}", f"-I{RECORDING_SOURCE_DIR}", *sources, "-o", built), check=True)
    return built


def ran(writer: Path, folder: Path, launches: int, what: str) -> Recording:
    subprocess.run((writer, folder / "log", str(launches), what), check=True)
    return finish_recording(folder, LogNames(function_name))


def test_of_more_steps_than_are_kept_in_order_each_shape_keeps_its_time(writer: Path, tmp_path: Path) -> None:
    recording = ran(writer, tmp_path, launches := MOST_STEPS + 2000, "times")
    counts = {shape.kernel: (shape.count, shape.time_ns) for shape in recording.shape_counts}
    assert counts == {"k(int*)": (9000, 270_000), "f()": (3000, 90_000)} and launches == 12_000
    assert recording.steps is None and recording.operations == (DeviceOperations("copy_to_host", 2, 128, 25),)
    found = timeline_of(recording)
    assert found is not None and found.gap_s is None
    assert [(row.count, row.time_s) for row in found.rows] == [
        (9000, pytest.approx(270e-6)),
        (3000, pytest.approx(90e-6)),
        (2, pytest.approx(25e-9)),
    ]


@pytest.mark.parametrize(("launches", "is_kept"), [(MOST_STEPS - 2, True), (MOST_STEPS - 1, False)])
def test_as_many_steps_as_are_kept_are_kept_in_order(writer: Path, tmp_path: Path, launches: int, is_kept: bool) -> None:
    recording = ran(writer, tmp_path, launches, "times")
    assert (recording.steps is not None) == is_kept and sum(shape.count for shape in recording.shape_counts) == launches
    assert recording.steps is None or [step.start_ns for step in recording.steps[:3]] == [0, 100, 200]


def test_what_a_recorded_run_asked_for_is_written_in_order_with_the_times_of_each_shape(writer: Path, tmp_path: Path) -> None:
    subprocess.run((writer, tmp_path / "log", "3", "order"), check=True)
    assert (tmp_path / "log").read_text().splitlines() == [
        "asked launch 7 0 _Z1fv 1 1 1 32 1 1 0",
        "asked launch 7 0 _Z1kPi 1 1 1 32 1 1 0",
        "asked launch 7 0 _Z1kPi 1 1 1 32 1 1 0",
        "asked copy_to_host 7 64",
        "asked copy_to_host 8 64",
        "time _Z1fv 1 1 1 32 1 1 0 30",
        "time _Z1kPi 1 1 1 32 1 1 0 60",
        "sees_operations",
        "operation copy_to_host 2 128",
    ]


def test_the_process_with_most_launches_is_the_program_also_where_they_are_only_summed(writer: Path, tmp_path: Path) -> None:
    for name, launches in (("1", MOST_STEPS - 2), ("2", MOST_STEPS + 1)):
        (tmp_path / "raw" / name).mkdir(parents=True)
        subprocess.run((writer, tmp_path / "raw" / name / "log", str(launches), "times"), check=True)
    found = collect(CollectRequest(tmp_path / "raw", tmp_path / "record", ()))
    assert found.launch_count == MOST_STEPS + 1


def test_of_a_kernel_with_many_shapes_ever_fewer_are_kept_once_the_recording_is_large(tmp_path: Path) -> None:
    program = """
        #include <cstdio>
        #include "spread.h"
        int main() {
          capture::Spread spread;
          for (int shape = 1; shape <= 4; ++shape) if (spread.keeps_next("roomy", true)) std::printf("r%d ", shape);
          for (int shape = 1; shape <= 1000; ++shape) if (spread.keeps_next("k", false)) std::printf("%d ", shape);
          std::printf(spread.keeps_next("other", false) ? "first of another" : "");
          std::printf("; many: %d %d %d", spread.has_many("k"), spread.has_many("other"), spread.has_many("new"));
        }"""
    inject = Path(assistant.device.capture.__file__).parent / "inject"
    command = ["g++", "-std=c++17", f"-I{inject}", "-xc++", "-", "-o", str(tmp_path / "spread")]
    subprocess.run(command, input=program, text=True, check=True)
    printed = subprocess.run([tmp_path / "spread"], capture_output=True, text=True, check=True).stdout
    assert printed == "r1 r2 r3 r4 1 2 4 8 16 32 64 128 256 512 first of another; many: 1 0 0"
