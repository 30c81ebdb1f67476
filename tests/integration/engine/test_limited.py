"""Candidates run limited, whichever planner made them; the user's own program runs as the user would run it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.config import user_paths
from assistant.engine.doctor.doctor import examine
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.session import Session, SessionParts
from assistant.lab.cpu import CpuLab
from assistant.memory.store import open_store
from assistant.model import events
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.model.source import Span, TextEdit
from assistant.plan.catalogue import Catalogue
from assistant.ports.planner import PlanRequest, Story
from assistant.worker.sandbox import probe_layers
from tests.caches import shared_cache

LAYERS = probe_layers()
"""Of this machine: what a missing layer would have refused is expected to happen."""

PROGRAM = """
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
__global__ void twice(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.0f; }
int main() {
  /*ACT*/
  float h[256], *d;
  for (int i = 0; i < 256; ++i) h[i] = float(i);
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  twice<<<2, 128>>>(d, 256);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%g\\n", h[100]);
  return 0;
}
"""
ACT = """
  std::string outside = OUTSIDE;
  int done = 0;
  if (remove("notes.txt") == 0) done += 1;
  if (remove((outside + "/kept.txt").c_str()) == 0) done += 2;
  if (FILE *f = fopen((outside + "/new.txt").c_str(), "w")) { fclose(f); done += 2; }
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0) done += 8;
  if (done) return 40 + done;
"""
ALL_DONE = 40 + 1 + 2 + 2 + 8
_TECHNIQUE = "vectorized-access"


class HostilePlanner:
    """Plans one edit, of host code, that does what no candidate may."""

    name = "hostile"

    def __init__(self, act: str) -> None:
        self._act = act

    async def plan(self, request: PlanRequest) -> Plan:
        step = Step(_TECHNIQUE, request.kernel.key, request.kernel.line, "because", (), "KO101", (), 1.0)
        return Plan((step,), (), self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
        start = request.parsed.source.text.index("/*ACT*/")
        edit = TextEdit(Span(start, start + len("/*ACT*/")), self._act)
        yield Rewrite(step.technique, step.kernel, step.line, (edit,), "Do harm", ())

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> None:
        return None

    async def explained(self, story: Story) -> None:
        return None


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "kept.txt").write_text("kept")
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("notes")
    (folder / "twice.cu").write_text(PROGRAM)
    return folder / "twice.cu"


@pytest.fixture
def act(outside: Path) -> str:
    return ACT.replace("OUTSIDE", f'"{outside}"')


def session(act: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    cache = shared_cache()
    monkeypatch.setenv("KERNELOPT_HOME", str(folder / "home"))
    return Session(
        SessionParts(
            open_store=open_store,
            open_lab=lambda request, scratch, target: CpuLab(scratch, cache, target),
            planner=HostilePlanner(act),
            catalogue=Catalogue(()),
            who="a test",
        )
    )


async def collect(stream: AsyncIterator[events.Event]) -> list[events.Event]:
    return [event async for event in stream]


def write(path: Path, text: str) -> None:
    path.write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def allowed_to_candidates() -> int:
    """Sum of what the act may do on this machine: always remove its own copy, the rest where a layer is missing."""
    in_force = {name.partition(":")[0] for name in LAYERS.in_force}
    return 1 + (0 if "files" in in_force else 4) + (0 if "system calls" in in_force else 8)


@pytest.mark.asyncio
async def test_a_candidate_of_optimize_runs_limited(
    source: Path, outside: Path, act: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = JobRequest(source, source.parent)
    asked = session(act, tmp_path, monkeypatch).optimize(request, OptimizeOptions(max_rounds=1), Accept.NONE, None)
    tried = [event for event in await collect(asked) if isinstance(event, events.CandidateTried)]
    assert [event.outcome for event in tried] == ["failed"]
    assert f"status {40 + allowed_to_candidates()}:" in f"{tried[0].reason}:"
    assert names(source.parent) == ["notes.txt", "twice.cu"]
    if any(name.startswith("files:") for name in LAYERS.in_force):
        assert names(outside) == ["kept.txt"]


@pytest.mark.asyncio
async def test_the_users_own_program_does_what_it_does(
    source: Path, outside: Path, act: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(source, PROGRAM.replace("/*ACT*/", act))
    heard = await collect(session(act, tmp_path, monkeypatch).check(JobRequest(source, source.parent)))
    assert f"status {ALL_DONE}" in "".join(event.message for event in heard if isinstance(event, events.Message))
    assert names(source.parent) == ["twice.cu"]
    assert names(outside) == ["new.txt"]


@pytest.mark.thorough
@pytest.mark.asyncio
async def test_a_program_that_needs_more_than_candidates_may_is_not_searched(
    source: Path, outside: Path, act: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_files = f'FILE *log = fopen("{outside}/log.txt", "w"); if (!log) return 9; fclose(log); /*ACT*/'
    write(source, PROGRAM.replace("/*ACT*/", needs_files))
    request = JobRequest(source, source.parent)
    heard = await collect(session(act, tmp_path, monkeypatch).optimize(request, OptimizeOptions(max_rounds=1), Accept.NONE, None))
    tried = [event for event in heard if isinstance(event, events.CandidateTried)]
    ended = heard[-1]
    assert isinstance(ended, events.JobEnded)
    if any(name.startswith("files:") for name in LAYERS.in_force):
        assert (ended.exit_code, tried) == (3, [])
        assert "not as candidates must" in ended.reason
        assert "status 9" in ended.reason
    else:
        assert len(tried) == 1


@pytest.mark.asyncio
async def test_doctor_names_every_layer_in_force_and_missing() -> None:
    limits = next(part for part in await examine(user_paths()) if part.name == "limits")
    assert all(layer in limits.detail for layer in (*LAYERS.in_force, *LAYERS.missing))
    assert limits.is_fine == (not LAYERS.missing)
    assert bool(limits.remedy) == bool(LAYERS.missing)
