"""A library for tests in place of the driver's: the real ``pynvml`` loads it by its name."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FakeGpu", "build_nvml"]

_SOURCE = Path(__file__).parents[2] / "data" / "lab" / "nvml.cpp"


@dataclass(frozen=True)
class FakeGpu:
    """The one GPU that it tells of."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Of a process that shall find it."""
        return {"LD_LIBRARY_PATH": str(self.folder), "FAKE_NVML": str(self.folder / "processes")}

    def runs(self, *processes: tuple[int, str]) -> None:
        """(process id, how busy in percent; ``-``: it does not say) of everything that computes on it from now on."""
        (self.folder / "processes").write_text("".join(f"{pid} {busy}\n" for pid, busy in processes), "utf-8")


def build_nvml(folder: Path) -> FakeGpu:
    """The library, in ``folder``."""
    library = folder / "libnvidia-ml.so.1"
    subprocess.run(("g++", "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE)), check=True, timeout=100)
    return FakeGpu(folder)
