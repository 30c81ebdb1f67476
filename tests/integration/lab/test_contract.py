"""The CPU lab, with a real compiler and the emulator, keeps to the contract of labs."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from assistant.lab.cpu import CpuLab
from assistant.ports.lab import Lab
from tests.caches import shared_cache
from tests.contracts.lab_contract import LabContract


class TestCpuLab(LabContract):
    @pytest.fixture
    async def lab(self, tmp_path: Path) -> AsyncGenerator[Lab]:
        made = CpuLab(tmp_path, shared_cache(), "h200")
        yield made
        await made.close()
