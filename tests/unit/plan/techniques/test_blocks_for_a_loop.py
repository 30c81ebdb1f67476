"""loop-to-grid gives a loop as many blocks as it takes to fill a large GPU with threads, not more than the loop can feed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.plan.expert.loop_to_grid import LoopToGrid

TEXT = (Path(__file__).resolve().parents[3] / "data" / "plan" / "loop-to-grid" / "updates_its_own_elements.cu").read_text("utf-8")


@pytest.mark.parametrize(
    ("launch", "count"),
    [
        (LaunchConfig(Dim3(100), Dim3(256)), 8),
        (LaunchConfig(Dim3(100), Dim3(128)), 16),
        (LaunchConfig(Dim3(100), Dim3(32)), 64),
        (LaunchConfig(Dim3(1), Dim3(32)), 64),
        (LaunchConfig(Dim3(2000), Dim3(256)), 2),
    ],
)
def test_small_blocks_get_more_company(context_of, launch, count):
    (rewrite,) = LoopToGrid().rewrite(replace(context_of(TEXT), launches=(launch,)))
    assert f" to {count} blocks along " in rewrite.summary
