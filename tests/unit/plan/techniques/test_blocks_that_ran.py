"""Edits that leave the launch as it is take the block from launches that ran where the text does not show it, and say that they do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline, DeclineReason
from assistant.model.verification import Label
from assistant.plan.expert.block_atomics import BlockAtomics
from assistant.plan.expert.block_shuffles import BlockShuffles
from assistant.plan.expert.private_histogram import PrivateHistogram

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"
PROGRAMS = (
    (BlockAtomics(), "sum_and_maximum_in_locals", "energy<<<20, 192>>>(in, total, fastest, n);"),
    (PrivateHistogram(), "byte_index_of_a_caller", "levels<<<(n + 255) / 256, 256>>>(image, level_count, n, 1);"),
    (BlockShuffles(), "maximum_by_halves", "largest<<<blocks, 256>>>(in, out, n);"),
)


@pytest.fixture
def result(context_of):
    def check(technique, name: str, launch: str, *blocks: Dim3):
        text = (DATA / technique.technique / f"{name}.cu").read_text("utf-8")
        assert launch in text
        kernel, configuration, arguments = launch.replace("<<<", "|").replace(">>>(", "|").split("|")
        hidden = text.replace(launch, f"RUN({kernel}, {arguments}")
        macro = f"#define RUN(kernel, ...) kernel<<<{configuration}>>>(__VA_ARGS__)"
        context = context_of(hidden.replace("#include <cstdio>", macro))
        return technique.rewrite(replace(context, launches=tuple(LaunchConfig(Dim3(20), block) for block in blocks)))

    return check


@pytest.mark.parametrize(("technique", "name", "launch"), PROGRAMS)
def test_a_block_that_only_launches_show_is_assumed(result, technique, name, launch):
    threads = 192 if "192" in launch else 256
    (rewrite,) = result(technique, name, launch, Dim3(threads))
    assert Label.ASSUMPTION in rewrite.labels
    assert f"with blocks of {threads} threads, as in all launches that ran" in rewrite.assumptions[0]
    assert "as a launch with this block or a cell's %%kernelopt line would" in rewrite.assumptions[0]


@pytest.mark.parametrize("blocks", [(), (Dim3(192), Dim3(256)), (Dim3(16, 12),), (Dim3(100),)])
def test_without_one_flat_block_of_whole_warps_it_is_declined(result, blocks):
    declined = result(*PROGRAMS[0], *blocks)
    assert isinstance(declined, Decline) and declined.code is DeclineReason.LAUNCH_UNKNOWN
