"""Which GPUs this process may use, as NVML reports: no CUDA context is made and no device memory touched.

``CUDA_VISIBLE_DEVICES`` counts as it does for every CUDA program: ``gpu:0`` is the first device that it names. Example::

    found = list_gpus(os.environ)     # (Gpu(index=0, name='NVIDIA H200', uuid='GPU-…', …),) or NoGpu(reason, remedy)
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from assistant.record import Record

__all__ = ["Gpu", "GpuSearch", "NoGpu", "list_gpus", "meant_gpus", "usable_gpus"]

_LIBRARY = "libnvidia-ml.so.1"
"""As ``pynvml`` looks for it."""
_INSTALL = "pip install 'kernelopt[cuda]'"
_SLICE = "ask who runs this machine to make one (nvidia-smi mig -cgi PROFILE -C), or to switch MIG off (nvidia-smi -mig 0)"


class Gpu(Record):
    """One device that CUDA programs started here would see."""

    index: int
    """N of ``gpu:N``."""
    name: str
    uuid: str
    """``GPU-…``, or ``MIG-…`` for a slice."""
    memory_bytes: int
    compute_capability: tuple[int, int]
    driver_version: str
    """The display driver's (``580.95.05``)."""

    @property
    def is_slice(self) -> bool:
        """Whether it is a part of a GPU that MIG cut."""
        return self.uuid.startswith("MIG-")

    @property
    def architecture(self) -> str:
        """``sm_90``"""
        major, minor = self.compute_capability
        return f"sm_{major}{minor}"


class NoGpu(Record):
    """Why there is none, and what fixes it: another device is the caller's to offer."""

    reason: str
    remedy: str


GpuSearch = tuple[Gpu, ...] | NoGpu


def list_gpus(environment: Mapping[str, str]) -> GpuSearch:
    """Devices in the order in which CUDA programs count them with ``CUDA_DEVICE_ORDER=PCI_BUS_ID``; at least one."""
    if not _has_driver():
        return NoGpu("there is no NVIDIA driver here", "install NVIDIA's driver")
    try:
        nvml: Any = importlib.import_module("pynvml")  # ships no usable types
    except ImportError:
        return NoGpu("nvidia-ml-py is not installed, so no GPU can be looked for", _INSTALL)
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        return NoGpu(f"NVIDIA's driver does not answer: {_words(error)}", "nvidia-smi shows what is wrong with the driver")
    try:
        return _listed(nvml, environment.get("CUDA_VISIBLE_DEVICES"))
    except nvml.NVMLError as error:
        return NoGpu(f"NVIDIA's driver does not list its devices: {_words(error)}", "nvidia-smi shows what is wrong with the driver")


def _has_driver() -> bool:
    """Whether the driver's management library is there: known in no time, where importing its bindings takes 25 ms."""
    try:
        ctypes.CDLL(_LIBRARY)
    except OSError:
        return False
    return True


def usable_gpus(environment: Mapping[str, str]) -> GpuSearch:
    """Devices that kernels can be run on from here: with a binding of CUDA's driver API and an nvcc."""
    found = list_gpus(environment)
    if isinstance(found, NoGpu):
        return found
    if not any(_is_installed(module) for module in ("cuda.bindings", "pycuda")):
        return NoGpu(f"{found[0].name} is there, but no Python binding of CUDA's driver", _INSTALL)
    if not _has_nvcc(environment):
        return NoGpu(f"{found[0].name} is there, but no nvcc, which compiles what runs on it", _INSTALL)
    return found


def meant_gpus(device: str, found: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """Those of ``found`` that ``--device`` means: the one with its number; without a number the first, and behind it those like it.

    Empty for ``cpu``, for a number that is not there, and for other words.
    """
    kind, _, number = device.partition(":")
    if device != "auto" and (kind != "gpu" or not (number or "0").isdecimal()):
        return ()
    if number:
        return tuple(gpu for gpu in found if gpu.index == int(number))
    return tuple(gpu for gpu in found if gpu.name == found[0].name)


def _has_nvcc(environment: Mapping[str, str]) -> bool:
    """Whether the compile worker would look somewhere with success (``device.toolchain`` knows the same places)."""
    homes = [Path(environment[name]) for name in ("CUDA_HOME", "CUDA_PATH") if environment.get(name)]
    spec = importlib.util.find_spec("nvidia")
    wheels = [Path(place) / "cu13" for place in spec.submodule_search_locations or ()] if spec else []
    roots = (*homes, Path("/usr/local/cuda"), *wheels)
    return shutil.which("nvcc", path=environment.get("PATH")) is not None or any((root / "bin/nvcc").exists() for root in roots)


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _listed(nvml: Any, visible: str | None) -> GpuSearch:
    version = str(nvml.nvmlSystemGetDriverVersion())
    if visible is None:
        names = [str(index) for index in range(int(nvml.nvmlDeviceGetCount()))]
    else:
        names = [name.strip() for name in visible.split(",") if name.strip()]
    found: list[Gpu] = []
    uncut: str | None = None
    for name in names:
        handle = _handle(nvml, name)
        if handle is None:
            break  # CUDA ignores what follows a name that it does not know (CUDA C++ Programming Guide, "CUDA Environment Variables")
        seen = _as_cuda_sees(nvml, handle)
        if seen is None:
            uncut = str(nvml.nvmlDeviceGetName(handle))
        else:
            found.append(_gpu(nvml, seen, len(found), version))
    if found:
        return tuple(found)
    if uncut is not None:
        return NoGpu(f"{uncut} is in MIG mode and has no slice", _SLICE)
    if visible is not None:
        return NoGpu(f"CUDA_VISIBLE_DEVICES={visible} hides every GPU", "unset CUDA_VISIBLE_DEVICES")
    return NoGpu("NVIDIA's driver is there, but no GPU", "nvidia-smi -L lists those that it finds")


def _handle(nvml: Any, name: str) -> Any:
    try:
        if name.startswith(("GPU-", "MIG-")):
            return _by_uuid(nvml, name)
        return nvml.nvmlDeviceGetHandleByIndex(int(name)) if name.isdecimal() else None
    except (nvml.NVMLError_NotFound, nvml.NVMLError_InvalidArgument):
        return None


def _as_cuda_sees(nvml: Any, handle: Any) -> Any:
    """The device itself, or in MIG mode its first slice (MIG User Guide, "CUDA Device Enumeration"); None where it has none."""
    try:
        if not nvml.nvmlDeviceGetMigMode(handle)[0]:
            return handle
    except nvml.NVMLError:  # a GPU without MIG, or a slice
        return handle
    for index in range(int(nvml.nvmlDeviceGetMaxMigDeviceCount(handle))):
        try:
            return nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, index)
        except nvml.NVMLError_NotFound:
            continue
    return None


def _by_uuid(nvml: Any, name: str) -> Any:
    """The device of that UUID, or the only one whose UUID begins so; None where it is none or several.

    CUDA takes any beginning that is one device's alone (CUDA C++ Programming Guide, "CUDA Environment Variables"), of a GPU's UUID.
    """
    try:
        return nvml.nvmlDeviceGetHandleByUUID(name)
    except (nvml.NVMLError_NotFound, nvml.NVMLError_InvalidArgument):
        handles = [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(int(nvml.nvmlDeviceGetCount()))]
        found = [handle for handle in handles if str(nvml.nvmlDeviceGetUUID(handle)).startswith(name)]
        return found[0] if len(found) == 1 else None


def _gpu(nvml: Any, handle: Any, index: int, driver_version: str) -> Gpu:
    return Gpu(
        index=index,
        name=str(nvml.nvmlDeviceGetName(handle)),
        uuid=str(nvml.nvmlDeviceGetUUID(handle)),
        memory_bytes=int(nvml.nvmlDeviceGetMemoryInfo(handle).total),
        compute_capability=_capability(nvml, handle),
        driver_version=driver_version,
    )


def _capability(nvml: Any, handle: Any) -> tuple[int, int]:
    """A slice's is that of its GPU: NVML reports it of whole ones (nvml.h, nvmlDeviceGetCudaComputeCapability)."""
    with suppress(nvml.NVMLError):  # it is no slice
        handle = nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle)
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    return int(major), int(minor)


def _words(error: Exception) -> str:
    return str(error).strip() or type(error).__name__
