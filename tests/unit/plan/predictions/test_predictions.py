"""What transformations expect of the metrics that their findings cite, before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.model.profile import Evidence, Method
from assistant.plan.expert.const_restrict import ConstRestrict
from assistant.plan.expert.float_literals import FloatLiterals
from assistant.plan.expert.loop_unrolling import LoopUnrolling
from assistant.plan.expert.shared_tile import SharedTile

DATA = Path(__file__).resolve().parents[3] / "data" / "plan"


@pytest.mark.parametrize(
    ("transformation", "program", "metric", "before", "after"),
    [
        (ConstRestrict(), "stencil_flat_index", "global_requests_per_warp", 16.0, 1.0),
        (FloatLiterals(), "damped_flat_index", "conversion_instructions", 800.0, 0.0),
        (FloatLiterals(), "damped_flat_index", "double_literals", 2.0, 0.0),
        (LoopUnrolling(), "macro_tile", "loop_overhead_ratio", 0.5, 1 / 3),
        (SharedTile(), "matmul_check_around_the_loop", "load_reuse_in_block", 64.0, 4.0),
        (SharedTile(), "matmul_check_around_the_loop", "load_reuse_in_block", 8.0, 1.0),
    ],
)
def test_a_cited_metric_is_predicted(transformation, program, metric, before, after, context_of):
    cited = (Evidence("E1", metric, before, "unit", 1, Method.EMULATOR, "emulator, sm_90 rules"),)
    context = context_of((DATA / transformation.technique / f"{program}.cu").read_text("utf-8"), cited)
    (prediction,) = transformation.rewrite(context)[0].predictions
    assert (prediction.metric, prediction.before, prediction.unit) == (metric, before, "unit")
    assert prediction.after == pytest.approx(after)


def test_a_metric_that_is_not_cited_is_not_predicted(context_of):
    context = context_of((DATA / "loop-unrolling" / "macro_tile.cu").read_text("utf-8"))
    assert LoopUnrolling().rewrite(context)[0].predictions == ()
