"""What two whole programs leave on the host, held against each other as far as the edited kernels round."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from assistant.engine.evaluate import CountedRun
from assistant.engine.judge.whole_program import program_verdict
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import with_text
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import RecordedLaunch, Recording, Transfer
from assistant.model.workload import AutoTolerance
from assistant.ports.lab import ProgramRun
from assistant.workload.recordings import RecordingWriter

TEXT = """\
template <class T> __global__ void k(T *out) { out[threadIdx.x] = out[threadIdx.x] * T(3); }
int main() { }
"""
VALUES = np.linspace(1, 2, 64)


def counted(folder: Path, instance: str, values: np.ndarray) -> CountedRun:
    name = RecordingWriter(folder).add_blob(values.tobytes())
    launch = RecordedLaunch(0, instance, LaunchConfig(Dim3(1), Dim3(64)), (), (), "k.cu", 1)
    recording = Recording((), (launch,), (Transfer("memcpy", name, values.nbytes, 0, "double", 0),), ())
    return CountedRun((), (), (), ProgramRun(0, None, False, False, False, b"", b"", folder, recording, 0, (), (), ()))


@pytest.mark.parametrize(
    ("instance", "off_by", "found"),
    [
        ("void k<float>(float*)", 1e-8, []),
        ("void k<float>(float*)", 1e-3, ["wrong_value"]),
        ("void k<double>(double*)", 1e-8, ["wrong_value"]),
        ("void k<double>(double*)", 0.0, []),
    ],
)
def test_doubles_may_move_as_far_as_the_launched_instance_rounds(tmp_path: Path, instance: str, off_by: float, found: list[str]) -> None:
    (tmp_path / "k.cu").write_text(TEXT)
    version = read_version(JobRequest(tmp_path / "k.cu", tmp_path), Flags())
    own, again, changed = (counted(tmp_path / name, instance, VALUES * (1 + error)) for name, error in (("a", 0), ("b", 0), ("c", off_by)))
    baseline = SimpleNamespace(version=version, counted=own, second_run=again, tolerance=AutoTolerance())
    verdict = program_verdict(cast("Any", baseline), with_text(version, TEXT.replace("* T(3)", "* T(4)")), changed)
    assert verdict is not None and [each.code for each in verdict.findings] == found


@pytest.mark.parametrize("lacking", ["first", "second", "second's", "changed"])
def test_programs_of_which_one_run_is_missing_have_no_verdict(tmp_path: Path, lacking: str) -> None:
    (tmp_path / "k.cu").write_text(TEXT)
    version = read_version(JobRequest(tmp_path / "k.cu", tmp_path), Flags())
    own, again, changed = (counted(tmp_path / name, "void k<float>(float*)", VALUES) for name in ("a", "b", "c"))
    missing = CountedRun((), (), (), None)
    baseline = SimpleNamespace(
        version=version,
        counted=missing if lacking == "first" else own,
        second_run=None if lacking == "second" else missing if lacking == "second's" else again,
        tolerance=AutoTolerance(),
    )
    edited = with_text(version, TEXT.replace("* T(3)", "* T(4)"))
    assert program_verdict(cast("Any", baseline), edited, missing if lacking == "changed" else changed) is None


@pytest.mark.parametrize(("of_blocks", "found"), [(frozenset({0}), []), (None, ["wrong_value"])])
def test_results_of_blocks_are_held_by_their_sum_where_another_run_has_shown_what_they_are(
    tmp_path: Path, of_blocks: frozenset[int] | None, found: list[str]
) -> None:
    """The run itself recorded no launch with its arguments, as of large ones none are."""
    (tmp_path / "k.cu").write_text(TEXT)
    version = read_version(JobRequest(tmp_path / "k.cu", tmp_path), Flags())
    own, again = (counted(tmp_path / name, "void k<double>(double*)", VALUES) for name in ("a", "b"))
    turned = counted(tmp_path / "c", "void k<double>(double*)", VALUES[::-1])
    baseline = SimpleNamespace(version=version, counted=own, second_run=again, tolerance=AutoTolerance())
    edited = with_text(version, TEXT.replace("* T(3)", "* T(4)"))
    verdict = program_verdict(cast("Any", baseline), edited, turned, of_blocks=of_blocks)
    assert verdict is not None and [each.code for each in verdict.findings] == found
