"""Building ahead what the first run of any program would wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.doctor import warming
from assistant.ports.lab import LabFailure, Program


class SlowCompiler:
    """A lab whose builds are only noted."""

    built: list[str]

    def __init__(self, scratch: Path, cache: Path, target: str) -> None:
        assert scratch.is_dir()
        self._cache, self.built, self.is_closed = cache, [], False
        made.append(self)

    async def prepare(self, program: Program, mode: str) -> LabFailure | None:
        self.built.append(mode)
        assert "int main()" in program.sources[0].text and not self.is_closed
        if is_working:
            (self._cache / "emulator" / "prelude-1").mkdir(parents=True, exist_ok=True)
            return None
        return LabFailure("not_built", "no compiler", "")

    async def close(self) -> None:
        self.is_closed = True


made: list[SlowCompiler] = []
is_working = True


@pytest.mark.parametrize("works", [True, False])
async def test_every_kind_of_run_is_built_and_the_lab_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: bool) -> None:
    monkeypatch.setattr(warming, "CpuLab", SlowCompiler)
    monkeypatch.setattr(f"{__name__}.is_working", works)
    made.clear()
    assert await warming.warm_emulator(tmp_path) is works
    (lab,) = made
    assert lab.built == ["count", "check", "plain"] and lab.is_closed
