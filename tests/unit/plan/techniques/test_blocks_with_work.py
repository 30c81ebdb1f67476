"""more-blocks launches no more blocks than have work at the largest size that ran, where the text shows how the work is shared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Decline
from assistant.model.recorded_facts import FactsOrigin, RecordedFacts, RecordedScalar
from assistant.plan.expert.more_blocks import MoreBlocks

TEXT = """\
// kernel=scale line=2 finding=KO111
__global__ void scale(float *x, const float *w, int units)
{
    for (int u = blockIdx.x * blockDim.x + threadIdx.x; u < units; u += gridDim.x * blockDim.x)
        for (int t = 0; t < 100; t++) x[u] = x[u] * w[t];
}
int main(int, char **) { float *x = nullptr; scale<<<2, 64>>>(x, x, 256); }
"""


@pytest.fixture
def counts(context_of):
    """Numbers of blocks that are offered, best first, where the largest launch had so many units; the words where none is."""

    def offered(text: str, units: int) -> tuple[int, ...] | str:
        launch = LaunchConfig(Dim3(2), Dim3(64))
        facts = RecordedFacts("scale", FactsOrigin.RECORDED, 1, 1, (), (), (), (RecordedScalar("units", 1, units, 1),))
        found = MoreBlocks().rewrite(replace(context_of(text), launches=(launch,), recorded=facts))
        return found.reason if isinstance(found, Decline) else tuple(int(count) for each in found for _, count in each.numbers)

    return offered


@pytest.mark.parametrize(
    ("units", "blocks"),
    [
        (256, (4,)),
        (257, (5, 4)),
        (1000, (16, 8, 4)),
        (100_000, (1563, 16, 8, 32, 4, 64, 128)),
        (1 << 20, (16, 8, 32, 4, 64, 128)),
    ],
)
def test_the_blocks_that_have_work_come_first_and_none_beyond_them(counts, units, blocks):
    assert counts(TEXT, units) == blocks


def test_without_work_for_a_further_block_there_is_no_edit(counts):
    assert counts(TEXT, 128) == "the kernel was seen with work for 2 blocks at most, and is launched with 2"


@pytest.mark.parametrize(
    ("old", "new", "blocks"),
    [
        (
            "blockIdx.x * blockDim.x + threadIdx.x; u < units; u += gridDim.x * blockDim.x",
            "blockIdx.x; u < units; u += gridDim.x",
            (20, 16, 8, 4),
        ),
        ("u < units", "u < units * x[0]", (16, 8, 32, 4, 64, 128)),
        ("x[u] * w[t];", "x[u] * w[t] / gridDim.x;", (16, 8, 32, 4, 64, 128)),
    ],
)
def test_the_text_has_to_show_how_the_blocks_share_the_work(counts, old, new, blocks):
    assert counts(TEXT.replace(old, new), 20) == blocks


def test_a_stride_may_have_a_name(counts):
    text = TEXT.replace("    for (int u", "    const int step = gridDim.x * blockDim.x;\n    for (int u").replace(
        "u += gridDim.x * blockDim.x", "u += step"
    )
    assert counts(text, 256) == (4,)
