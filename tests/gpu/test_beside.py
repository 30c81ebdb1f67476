"""Two labs on GPUs try candidates of one search at the same time; on a machine with one GPU they share it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.config import user_paths
from assistant.engine.request import JobRequest
from assistant.lab.cpu import CpuLab
from assistant.lab.gpu import GpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpus import usable_gpus
from assistant.memory.store import open_store
from assistant.model import events
from assistant.ports.lab import Lab
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, WORKLOAD, TwoEdits, search


def gpu_lab(scratch: Path, target: str, place: int, parallel_labs: tuple[GpuLab, ...] = ()) -> GpuLab:
    found = usable_gpus(os.environ)
    assert isinstance(found, tuple), found
    client = GpuClient(found[min(place, len(found) - 1)], scratch)
    return GpuLab(CpuLab(scratch, user_paths().cache, target), client, scratch, target, parallel_labs=parallel_labs)


async def test_a_second_lab_tries_and_times_the_next_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    opened: list[GpuLab] = []

    def open_two(request: JobRequest, scratch: Path, target: str) -> Lab:
        (scratch / "other").mkdir()
        opened.append(gpu_lab(scratch / "other", target, 1))
        return gpu_lab(scratch, target, 0, (opened[0],))

    (tmp_path / "turn.cu").write_text(f"{WORKLOAD.replace('256', '2048')}\n{NAIVE}\n")
    heard = await search(tmp_path, TwoEdits(ONLY_FOR_MULTIPLES_OF_32), is_model=False, open_lab=open_two, open_store=open_store)
    tried = [event for event in heard if isinstance(event, events.CandidateTried)]
    assert [(event.technique, event.outcome) for event in tried] == [("rash-edit", "kept"), ("careful-edit", "kept")]
    assert all((event.ratio or 0.0) > 1.0 for event in tried)
    assert opened[0].timing.request_count > 0
