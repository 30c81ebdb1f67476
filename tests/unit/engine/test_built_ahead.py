"""The versions of a comparison are built while the first of them is run, but not what may not be compiled."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.job import Job
from assistant.engine.judge.built_ahead import built_ahead
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import candidate_of, with_text
from assistant.measure.targets import target
from assistant.ports.lab import Program, RunLimits
from tests.changes import own
from tests.contracts.fake_lab import FakeLab

TEXT = "__global__ void k(float *x)\n{\n    x[0] = 1.0f;\n}\n"
EDIT = TEXT.replace("1.0f", "2.0f")
READING = f'#include "/etc/passwd"\n{EDIT}'


@dataclass
class Lab(FakeLab):
    """Notes what is built ahead, and builds until it is called off."""

    begun: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    called_off: list[str] = field(default_factory=list[str])
    expected: int = 1
    is_begun: asyncio.Event = field(default_factory=asyncio.Event)
    """As many builds as are expected."""

    async def build_ahead(self, program: Program, architecture: str) -> None:
        text = program.sources[0].text
        self.begun.append((text, program.is_candidate))
        if len(self.begun) == self.expected:
            self.is_begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.called_off.append(text)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, {})


@pytest.fixture
def job(tmp_path: Path, lab: Lab) -> Job:
    limits = architecture("sm_90")
    assert limits is not None
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.cu").write_text(TEXT)
    return Job("J", JobRequest(tmp_path / "a.cu", tmp_path), lab, target("h200"), limits, tmp_path, (1, 2), RunLimits())


async def test_the_edit_is_built_and_called_off_at_the_end(job: Job, lab: Lab) -> None:
    original = read_version(job.request, DEFAULT_FLAGS)
    async with built_ahead(job, original, with_text(original, EDIT)):
        await asyncio.wait_for(lab.is_begun.wait(), 60)
        assert not lab.called_off
    assert lab.begun == [(EDIT, False)] and lab.called_off == [EDIT]


async def test_of_a_command_of_its_own_the_original_is_built_as_candidates_are(job: Job, lab: Lab) -> None:
    original = read_version(job.request, DEFAULT_FLAGS)
    started = replace(original, program=replace(original.program, run_command=("./demo",)))
    lab.expected = 2
    async with built_ahead(job, started, candidate_of(started, own(started, EDIT))):
        await asyncio.wait_for(lab.is_begun.wait(), 60)
    assert sorted(lab.begun) == sorted([(EDIT, True), (TEXT, True)])


async def test_an_edit_that_reads_what_the_original_does_not_is_not_built(job: Job, lab: Lab) -> None:
    original = read_version(job.request, DEFAULT_FLAGS)
    async with built_ahead(job, original, candidate_of(original, own(original, READING))):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(lab.is_begun.wait(), 0.5)
