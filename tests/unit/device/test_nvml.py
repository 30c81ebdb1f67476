"""What is read of NVML, and that nothing is made up where it does not say."""

from __future__ import annotations

from types import SimpleNamespace

from assistant.device.timing.nvml import Sensor
from assistant.model.timing import GpuState


class NVMLError(Exception):
    """NVML's own exception."""


def sensor(reasons: int = 0, is_mute: bool = False) -> Sensor:
    def temperature(device: object, kind: int) -> int:
        if is_mute:
            raise NVMLError
        return 41

    nvml = SimpleNamespace(
        NVMLError=NVMLError,
        NVML_CLOCK_SM=1,
        NVML_CLOCK_MEM=2,
        NVML_TEMPERATURE_GPU=0,
        nvmlDeviceGetClockInfo=lambda device, kind: {1: 1980, 2: 3201}[kind],
        nvmlDeviceGetTemperature=temperature,
        nvmlDeviceGetPowerUsage=lambda device: 206_497,
        nvmlDeviceGetEnforcedPowerLimit=lambda device: 700_000,
        nvmlDeviceGetCurrentClocksEventReasons=lambda device: reasons,
        nvmlClocksEventReasonSwPowerCap=0x4,
        nvmlClocksThrottleReasonHwThermalSlowdown=0x40,
    )
    return Sensor(nvml, object())


def test_readings_are_in_si_units() -> None:
    assert sensor().state() == GpuState(1.98e9, 3.201e9, 41.0, 206.497, 700.0, ())


def test_a_reading_that_the_gpu_refuses_is_left_out() -> None:
    state = sensor(is_mute=True).state()
    assert state.temperature_c is None
    assert state.sm_clock_hz == 1.98e9


def test_heat_holds_a_measurement_up_and_a_power_cap_does_not() -> None:
    assert sensor(reasons=0x40).is_held_down()
    assert not sensor(reasons=0x4).is_held_down()
    assert sensor(reasons=0x4).state().throttle_reasons == ("sw_power_cap",)


def test_without_nvml_nothing_is_known_and_nothing_is_held_up() -> None:
    unknown = Sensor(None, None)
    assert unknown.state() == GpuState()
    assert not unknown.is_held_down()
    assert unknown.driver_version() is None
