"""Extents of tensors are a help, never a condition: a PyTorch that tells them otherwise does not keep a cell from being recorded."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.live.torch_blocks import TensorBlocks
from assistant.workload.narrow import Extent

BLOCK = {"address": 4096, "size": 512, "requested_size": 400, "state": "active_allocated"}


def install(monkeypatch: pytest.MonkeyPatch, **told: Any) -> None:
    """As much of PyTorch as is asked, on a GPU that is in use."""
    memory = SimpleNamespace(
        memory_stats=lambda index: {},
        memory_snapshot=lambda: [{"blocks": [BLOCK]}],
        _snapshot=lambda: {"device_traces": [[]]},
        _record_memory_history=lambda *arguments, **options: None,
    )
    for name, value in told.items():
        setattr(memory, name, value)
    cuda = SimpleNamespace(is_available=lambda: True, is_initialized=lambda: True, device_count=lambda: 1, memory=memory)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))


def test_parts_in_use_are_known_by_what_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    assert TensorBlocks().end() == (Extent(4096, 400),)


@pytest.mark.parametrize("missing", ["_snapshot", "memory_snapshot", "memory_stats"])
def test_of_another_interface_nothing_is_reported_and_its_history_ends(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    switched: list[str | None] = []
    install(monkeypatch, _record_memory_history=lambda enabled, **options: switched.append(enabled))
    blocks = TensorBlocks()
    install(monkeypatch, _record_memory_history=lambda enabled, **options: switched.append(enabled), **{missing: None})
    assert blocks.end() == ()
    assert switched == ["all", None]
