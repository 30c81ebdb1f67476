"""What memory is asked about a kernel before a search plans."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from assistant.model.experience import DeviceTraits, RecallQuery, TechniqueEvidence
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.scripted import Scripted, Search, plan_of
from tests.unit.engine.searches import NAIVE


@dataclass
class Asked(FakeStore):
    """Keeps what it was asked, and when, by the clock."""

    asked: list[tuple[int, RecallQuery, int]] = field(default_factory=list[tuple[int, RecallQuery, int]])

    def recall(self, query: RecallQuery) -> tuple[TechniqueEvidence, ...]:
        self.asked.append((self.began_ms, query, _now_ms()))
        return super().recall(query)

    began_ms: int = field(default_factory=lambda: _now_ms())


def _now_ms() -> int:
    return int(time.time() * 1000)


async def test_memory_is_asked_as_of_today_about_the_kernel_in_its_workspace(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE)]), store=Asked())
    await on.run()
    assert isinstance(on.store, Asked) and on.store.asked
    for began_ms, query, asked_ms in on.store.asked:
        assert began_ms <= query.now_ms <= asked_ms + 1, "what was decided long ago counts less"
        assert query.workspace == tmp_path and query.kernel.startswith("turn(")
        assert query.state.device == DeviceTraits("cpu, predicted for h200", "sm_90", is_measured=False)
