"""What ScalarReplacement expects of the metrics that its finding cites."""

from __future__ import annotations

from pathlib import Path

from assistant.model.plan import MetricPrediction
from assistant.model.profile import Evidence, Method
from assistant.plan.expert.scalar_replacement import ScalarReplacement

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "scalar-replacement"


def test_each_warp_is_expected_to_store_once(context_of):
    cited = (
        Evidence("E1", "global_requests_per_warp", 32.0, "requests/warp", 10, Method.EMULATOR, "emulator"),
        Evidence("E2", "global_sectors", 4096.0, "sectors", 10, Method.EMULATOR, "emulator"),
    )
    context = context_of((DATA / "matmul_flat_index.cu").read_text("utf-8"), cited)
    (rewrite,) = ScalarReplacement().rewrite(context)
    assert rewrite.predictions == (
        MetricPrediction("global_requests_per_warp", 32.0, 1.0, "requests/warp"),
        MetricPrediction("global_sectors", 4096.0, 128.0, "sectors"),
    )
