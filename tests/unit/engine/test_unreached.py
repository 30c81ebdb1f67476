"""Kernels that a program did not come to, and those that it launched and no file holds: both are named once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.job import Job
from assistant.engine.reading import read_version
from assistant.engine.report.unreached import is_unreached, report_unlisted, report_unreached
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.measure.targets import target
from assistant.model.build import Flags
from assistant.model.events import Message
from assistant.model.profile import Severity
from assistant.ports.lab import RunLimits
from tests.contracts.fake_lab import FakeLab
from tests.unit.engine.heard import Heard

FILES = {
    "later.cuh": "__global__ void later(float *x) { *x = 2; }\n",
    "main.cu": '#include "later.cuh"\n__global__ void first(float *x) { *x = 1; }\nint main() { first<<<1, 1>>>(x); }\n',
}
FIRST, LATER, MADE = "first(float*)", "later(float*)", "made_by_a_macro(float*)"


@pytest.fixture
def version(tmp_path: Path) -> SourceVersion:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return read_version(JobRequest(tmp_path / "main.cu", tmp_path), Flags())


def counted(*launched: str, left_out: tuple[str, ...] = (), stopped_at: str | None = None, was_run: bool = True) -> Any:
    """A run that launched these."""
    run = SimpleNamespace(left_out=left_out, stopped_at=stopped_at) if was_run else None
    return SimpleNamespace(run=run, profiles=tuple(SimpleNamespace(kernel=name) for name in launched))


def said(version: SourceVersion, report: Callable[[Job, SourceVersion, Any], None], *seen: Any) -> list[tuple[Severity, str]]:
    heard, folder = Heard(), version.source.path.parent
    lab, nothing = FakeLab(folder, {}), cast("Any", None)
    report(Job("J1", JobRequest(folder, folder), lab, target("h200"), nothing, folder, (), RunLimits(), heard), version, seen)
    return [(event.severity, event.message) for event in heard.events if isinstance(event, Message)]


@pytest.mark.parametrize(
    ("seen", "unreached"),
    [
        ([counted(FIRST)], []),
        ([counted(FIRST, was_run=False)], []),
        ([counted(FIRST, left_out=("later",))], ["later"]),
        ([counted(FIRST, LATER, left_out=("a third",))], []),
        ([counted(FIRST, left_out=("later",)), counted(LATER)], []),
        ([counted(), counted(left_out=("both",))], ["first", "later"]),
    ],
)
def test_a_kernel_is_unreached_where_something_was_left_out_and_no_run_launched_it(
    version: SourceVersion, seen: list[Any], unreached: list[str]
) -> None:
    assert sorted(kernel.name for kernel in version.kernels if is_unreached(version, kernel, seen)) == unreached


def test_one_warning_names_them_with_their_files_and_why(version: SourceVersion) -> None:
    left_out = counted(FIRST, left_out=("later",))
    assert said(version, report_unreached, left_out) == [
        (Severity.WARNING, "not reached, by what was run of the program: later(float *) (later.cuh)")
    ]
    stopped = counted(left_out=("main.cu:3",), stopped_at="main.cu:3")
    ((_, message),) = said(version, report_unreached, counted(), stopped)
    assert message.startswith("not reached, as the program was stopped: ")
    assert "first(float *)" in message and "first(float *) (" not in message, "the file in question needs no name"
    assert said(version, report_unreached, counted(FIRST)) == []


def test_what_was_launched_and_stands_in_no_file_is_named_once(version: SourceVersion) -> None:
    assert said(version, report_unlisted, counted(FIRST, MADE, MADE), counted(MADE, LATER)) == [
        (Severity.INFORMATION, "launched too, and not found as text in the program's files: made_by_a_macro")
    ]
    assert said(version, report_unlisted, counted(FIRST, LATER)) == []
