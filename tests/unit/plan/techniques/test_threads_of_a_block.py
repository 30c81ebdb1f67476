"""serial-to-block takes the largest block where recorded launches went through many elements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model.recorded_facts import FactsOrigin, RecordedFacts, RecordedScalar
from assistant.plan.expert.serial_to_block import SerialToBlock

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "serial-to-block"


@pytest.mark.parametrize(("count", "threads", "warps"), [(500, 256, 8), (8192, 1024, 32)])
def test_long_loops_get_more_threads(context_of, applied, count, threads, warps):
    text = (DATA / "final_sum.cu").read_text("utf-8")
    scalar = RecordedScalar("blocks", count, count, 1)
    context = replace(context_of(text), recorded=RecordedFacts("finish", FactsOrigin.RECORDED, 1, 1, (), (), (), (scalar,)))
    (rewrite,) = SerialToBlock().rewrite(context)
    after = applied(text, rewrite)
    assert f"finish<<<1, {threads}>>>" in after and f"b += {threads}" in after and f"warp_sum[{warps}]" in after
