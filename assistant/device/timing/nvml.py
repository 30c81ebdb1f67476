"""What NVML says of one GPU: clocks, temperature, power, why clocks are held down. Where it does not say, nothing is known.

Example::

    sensor = Sensor.open("GPU-4f5b…")
    sensor.state().sm_clock_hz          # 1.98e9
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from assistant.model.timing import GpuState

__all__ = ["Sensor"]

_HELD_DOWN = ("sw_thermal_slowdown", "hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown")
"""Reasons that come and go: blocks taken under them are taken again. A power cap (``sw_power_cap``) is a hot kernel's steady state."""
_REASONS = {
    "applications_clocks_setting": "nvmlClocksEventReasonApplicationsClocksSetting",
    "sw_power_cap": "nvmlClocksEventReasonSwPowerCap",
    "hw_slowdown": "nvmlClocksThrottleReasonHwSlowdown",
    "sync_boost": "nvmlClocksEventReasonSyncBoost",
    "sw_thermal_slowdown": "nvmlClocksEventReasonSwThermalSlowdown",
    "hw_thermal_slowdown": "nvmlClocksThrottleReasonHwThermalSlowdown",
    "hw_power_brake_slowdown": "nvmlClocksThrottleReasonHwPowerBrakeSlowdown",
    "display_clock_setting": "nvmlClocksEventReasonDisplayClockSetting",
}
"""Our names of NVML's constants (NVML API Reference, nvmlClocksEventReasons)."""


class Sensor:
    """One GPU's readings."""

    def __init__(self, nvml: Any, device: Any) -> None:
        self._nvml = nvml
        self._device = device

    @classmethod
    def open(cls, uuid: str) -> Sensor:
        """The GPU (or MIG slice) with that UUID; one that shows nothing where NVML or the GPU cannot be had."""
        try:
            nvml: Any = importlib.import_module("pynvml")
        except ImportError:
            return cls(None, None)
        try:
            nvml.nvmlInit()
            device = nvml.nvmlDeviceGetHandleByUUID(uuid)
        except nvml.NVMLError:
            return cls(None, None)
        return cls(nvml, device)

    def state(self) -> GpuState:
        if self._nvml is None:
            return GpuState()
        nvml, device = self._nvml, self._device
        return GpuState(
            sm_clock_hz=self.sm_clock_hz(),
            memory_clock_hz=self._read(lambda: nvml.nvmlDeviceGetClockInfo(device, nvml.NVML_CLOCK_MEM) * 1e6),
            temperature_c=self._read(lambda: nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU)),
            power_w=self._read(lambda: nvml.nvmlDeviceGetPowerUsage(device) / 1e3),
            power_limit_w=self._read(lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(device) / 1e3),
            throttle_reasons=self._reasons(),
        )

    def sm_clock_hz(self) -> float | None:
        if self._nvml is None:
            return None
        return self._read(lambda: self._nvml.nvmlDeviceGetClockInfo(self._device, self._nvml.NVML_CLOCK_SM) * 1e6)

    def driver_version(self) -> str | None:
        """Version of the driver's release (``580.159.04``), not of CUDA."""
        if self._nvml is None:
            return None
        try:
            return str(self._nvml.nvmlSystemGetDriverVersion())
        except self._nvml.NVMLError:
            return None

    def is_held_down(self) -> bool:
        """Whether heat or the power supply hold the clocks down right now."""
        return any(reason in _HELD_DOWN for reason in self._reasons())

    def _reasons(self) -> tuple[str, ...]:
        if self._nvml is None:
            return ()
        try:
            bits = int(self._nvml.nvmlDeviceGetCurrentClocksEventReasons(self._device))
        except self._nvml.NVMLError:
            return ()
        return tuple(name for name, constant in _REASONS.items() if bits & int(getattr(self._nvml, constant, 0)))

    def _read(self, read: Callable[[], Any]) -> float | None:
        try:
            return float(read())
        except self._nvml.NVMLError:
            return None
