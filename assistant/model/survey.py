"""What a machine has for looking into a GPU, as far as that can be known without using it."""

from __future__ import annotations

from assistant.record import Record


class GpuSurvey(Record):
    """Tools, rights and versions; the devices themselves are listed elsewhere."""

    is_wsl: bool
    """Inside the Windows Subsystem for Linux, whose driver is that of Windows."""
    driver_cuda: tuple[int, int] | None
    """Highest CUDA version that the driver runs; None without a driver."""
    ncu: str | None
    """Path of Nsight Compute's command line."""
    sanitizer: str | None
    """Path of compute-sanitizer."""
    has_report_reader: bool
    """Whether NVIDIA's ``ncu-report`` is installed."""
    is_restricted: bool | None
    """Whether the driver lets only administrators read counters; None where it does not say."""
    is_administrator: bool
    cupti: str | None = None
    """Path of CUPTI's library, where its headers are too."""
    has_gxx: bool = False
    """Whether g++ is there, which builds what drives CUPTI."""
