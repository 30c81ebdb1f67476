"""The table of the tests keeps to the contract of labs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.ports.lab import Lab
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.contracts.lab_contract import LabContract, new_case


def twice(out: Any, x: Any, n: int) -> None:
    np.multiply(2, x[:n], out=out[:n])


def twice_in_place(out: Any, x: Any, n: int) -> None:
    np.multiply(2, x[:n], out=x[:n])


def twice_beyond(out: Any, x: Any, n: int) -> None:
    if n:
        out[1_000_000] = 2 * x[0]


class TestFakeLab(LabContract):
    @pytest.fixture
    def lab(self, tmp_path: Path) -> Lab:
        kernels = {
            "out[i] = 2.0f * x[i]": Behaviour(twice),
            "x[i] = 2.0f * x[i]": Behaviour(twice_in_place),
            "out[i + 1000000] =": Behaviour(twice_beyond),
        }
        return FakeLab(tmp_path, kernels, {"k<<<1, 32>>>(out, x, 8)": new_case()})
