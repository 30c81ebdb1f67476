"""One GPU opened for benchmarks, and comparisons kept as they come: a part that is broken off goes on where it was."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.device.driver import Driver, ModuleHandle
from assistant.device.drivers.cuda import CudaDriver
from assistant.device.nvrtc import compile_device_text
from assistant.device.timing.case import CaseTimer, Tools
from assistant.device.timing.gate import GatedQueue, Span
from assistant.device.timing.kit import KIT_SOURCE, Kit
from assistant.device.timing.nvml import Sensor
from assistant.device.timing.warm import warm_up
from assistant.measure.paired import aa_half_width_of, compare_timing, time_of
from assistant.model.timing import PairTiming, TimedDevice, TimingOptions
from assistant.serialize import encode
from benchmarks.gpu.subjects import SOURCE, BufferCopies, Subject

__all__ = ["Bench", "Kept"]

_WARM_CLOCKS = 2_000_000


class Kept:
    """A list of results in a JSON file, written anew after every few."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []

    def count(self, **key: object) -> int:
        return sum(all(row.get(name) == value for name, value in key.items()) for row in self.rows)

    def add(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        if len(self.rows) % 20 == 0:
            self.write()

    def write(self) -> None:
        partial = self._path.with_name(self._path.name + ".partial")
        partial.write_text(json.dumps(self.rows, separators=(",", ":")))
        partial.replace(self._path)


@dataclass
class Bench:
    """Driver, timing kernels and sensor of one GPU."""

    driver: Driver
    kit: Kit
    sensor: Sensor
    tools: Tools
    cubin: bytes
    device: TimedDevice

    @classmethod
    def open(cls, index: int = 0) -> Bench:
        driver = CudaDriver(index)
        facts = driver.facts()
        kit_module = driver.load(_cubin(KIT_SOURCE, facts.architecture))
        kit = Kit(driver, lambda name: driver.function(kit_module, name))
        sensor = Sensor.open(facts.uuid)
        release = sensor.driver_version()
        version = f"{release} (CUDA {facts.driver_version})" if release else f"for CUDA {facts.driver_version}"
        bench = cls(
            driver=driver,
            kit=kit,
            sensor=sensor,
            tools=Tools(time.monotonic, sensor.is_held_down),
            cubin=_cubin(SOURCE, facts.architecture),
            device=TimedDevice(facts.name, facts.uuid, version, facts.binding, sensor.state()),
        )
        bench.warm()
        return bench

    def warm(self) -> None:
        queue, spin = GatedQueue(self.kit), self.kit.spin(_WARM_CLOCKS)
        warm_up(lambda: _ignore(queue.times((Span(work=lambda: self.driver.launch(spin)),) * 4)), time.monotonic, self.sensor.sm_clock_hz)
        queue.close()

    def module(self) -> ModuleHandle:
        """The benchmark kernels, loaded once more."""
        return self.driver.load(self.cubin)

    def compare(self, a: Subject, b: Subject, seed: int, wall_s: float = 15.0) -> dict[str, Any]:
        """One comparison with code loaded and buffers allocated for it alone, as one JSON row."""
        modules = (self.module(), self.module())
        copies = BufferCopies(self.kit, (modules[0], a), (modules[1], b), random.Random(seed))
        start_s = time.monotonic()
        try:
            case = CaseTimer(self.kit, copies, TimingOptions(seed=seed, wall_s=wall_s), self.tools).run(a.name, 1.0)
        finally:
            copies.close()
            for module in modules:
                self.driver.unload(module)
        seconds = time.monotonic() - start_s
        timing = PairTiming((case,), self.device)
        comparison = compare_timing(timing, seed)
        row = encode(case)
        row["blocks"] = [[block.order, *(round(time_s * 1e9, 3) for time_s in block.times_s)] for block in case.blocks]
        return {
            "subject": a.name,
            "outcome": comparison.outcome.value,
            "ratio": comparison.ratio,
            "low": comparison.low,
            "high": comparison.high,
            "margin": comparison.margin,
            "aa": aa_half_width_of(case.blocks, seed),
            "a_s": time_of(case.blocks, "A"),
            "b_s": time_of(case.blocks, "B"),
            "wall_s": seconds,
            "seed": seed,
            "case": row,
        }


def _ignore(_: object) -> None:
    pass


def _cubin(source: Path, architecture: str) -> bytes:
    output = compile_device_text(str(source), source.read_text(), (f"--gpu-architecture={architecture}",), (), with_ptx=False)
    if output is None or output.cubin is None:
        raise SystemExit(f"NVRTC does not compile {source.name}: {'not installed' if output is None else output.log}")
    return output.cubin


Part = Callable[[Bench, Kept], None]
