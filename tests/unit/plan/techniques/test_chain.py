"""Plans chain: what one transformation declines, another makes possible."""

from __future__ import annotations

from pathlib import Path

from assistant.model.plan import Decline
from assistant.plan.expert.scalar_replacement import ScalarReplacement
from assistant.plan.expert.shared_tile import SharedTile

DATA = Path(__file__).resolve().parents[3] / "data" / "plan" / "shared-tile"


def test_a_sum_kept_in_memory_can_be_tiled_once_it_is_in_a_register(context_of, applied):
    text = (DATA / "running_value_in_memory.cu").read_text("utf-8")
    assert isinstance(SharedTile().rewrite(context_of(text)), Decline)
    (in_register,) = ScalarReplacement().rewrite(context_of(text))
    moved = applied(text, in_register).replace("line=8", "line=9", 1)
    (tiled,) = SharedTile().rewrite(context_of(moved))
    assert applied(moved, tiled).count("__syncthreads()") == 2
