"""What is left of launches that the emulator cannot run: their configuration, and why nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.lab.uncounted import reason_of, unchecked, uncounted
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import RecordedLaunch, Recording
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import CaseRun, LabFailure, ReplayRun
from assistant.workload.recordings import NewCase, write_case

REASON = "the emulator does not support tensor-core fragments (wmma)"
CONFIG = LaunchConfig(Dim3(4), Dim3(32))


def recorded(folder: Path) -> Case:
    launches = tuple(RecordedLaunch(index, f"k{index}()", CONFIG, (), (), "k.cu", 7 + index) for index in range(3))
    return write_case(folder, NewCase(Recording((), launches, (), ()), {}, (0, 2), CaseOrigin("recorded", "", 0, 1.0, 1.0)))


def test_each_launch_keeps_its_configuration_and_counts_nothing(tmp_path: Path) -> None:
    run = CaseRun(True, None, ((1, "ab"),), guards_intact=True, repeat_difference=None, problems=(), profiles=())
    (found,) = uncounted([recorded(tmp_path)], ReplayRun((run,), tmp_path), REASON, "NVIDIA Test").cases
    assert [(p.index, p.kernel, p.config, p.line, p.blocks_counted) for p in found.profiles] == [
        (0, "k0()", CONFIG, 7, 0),
        (1, "k2()", CONFIG, 9, 0),
    ]
    assert found.after == run.after
    assert [problem.kind for problem in found.problems] == ["unsupported"]


def test_checks_that_were_not_made_are_said_and_compare_nothing(tmp_path: Path) -> None:
    (found,) = unchecked([recorded(tmp_path)], REASON, tmp_path).cases
    assert (found.ok, found.after, found.is_comparable) == (True, (), False)
    assert [REASON in problem.message for problem in found.problems] == [True]


def test_the_reason_is_the_emulators_own() -> None:
    refused = Diagnostic("/k.cu", 1, 1, DiagnosticSeverity.ERROR, REASON, None, "emulator")
    assert reason_of(LabFailure("unsupported", "it cannot run this", "", (refused,))) == REASON
    assert reason_of(LabFailure("unsupported", "it cannot run this", "")) == "it cannot run this"


def test_a_warning_is_no_reason() -> None:
    refused = Diagnostic("/k.cu", 7, 1, DiagnosticSeverity.ERROR, REASON, None, "emulator")
    doubtful = replace(refused, line=2, severity=DiagnosticSeverity.WARNING, message="unused")
    failure = LabFailure("not_built", "nvcc does not compile k.cu", "", (doubtful, refused, replace(refused, line=9)))
    assert failure.first_error == refused and reason_of(failure) == REASON
    assert replace(failure, diagnostics=(doubtful,)).first_error is None
    assert reason_of(replace(failure, diagnostics=(doubtful,))) == "nvcc does not compile k.cu"
