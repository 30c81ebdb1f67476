"""The GPU that is optimized for, and the compiler that builds for it, in lines for a prompt.

Example::

    hardware_lines(target("h200"), architecture("sm_90"), None)[0]    # "h200, sm_90: 132 SMs at 1.98 GHz"
"""

from __future__ import annotations

from assistant.model.build import Build
from assistant.model.device import Architecture, Target, TensorPeaks
from assistant.profile.quantity import format_quantity

__all__ = ["hardware_lines"]


def hardware_lines(target: Target, architecture: Architecture, build: Build | None) -> tuple[str, ...]:
    """Peaks of the device, limits of its architecture, and how edits are compiled where a CUDA compiler is there."""
    return (
        f"{target.name}, {architecture.name}: {target.sm_count} SMs at {target.clock_hz / 1e9:.3g} GHz",
        *([] if build is None else [_compiler(build)]),
        f"DRAM: {target.dram_bytes_per_s / 1e12:.3g} TB/s, latency {format_quantity(target.dram_latency_s, 's')}: at least "
        f"{target.dram_bytes_per_s * target.dram_latency_s / target.sm_count:,.0f} bytes in flight per SM keep it busy, more under load",
        f"L2: {target.l2_bytes / 2**20:.3g} MiB, {target.l2_bytes_per_s / 1e12:.3g} TB/s",
        f"shared memory: {target.shared_bytes_per_clock_per_sm} bytes per clock and SM; {architecture.shared_bytes_per_sm:,} bytes per SM; "
        f"per block {architecture.shared_bytes_per_block_default:,}, or up to {architecture.shared_bytes_per_block_optin:,} of dynamic "
        "shared memory where the host sets cudaFuncAttributeMaxDynamicSharedMemorySize",
        f"per SM: at most {architecture.max_threads_per_sm} threads, {architecture.max_blocks_per_sm} blocks, "
        f"{architecture.registers_per_sm:,} registers; per block: at most {architecture.max_threads_per_block} threads",
        f"results per clock and SM: {target.fp32_lanes_per_sm} fp32, {target.fp64_lanes_per_sm} fp64, {target.half_lanes_per_sm} 16-bit, "
        f"{target.integer_lanes_per_sm} integer, {target.special_lanes_per_sm} special functions",
        _tensor_cores(target.tensor, target),
    )


def _compiler(build: Build) -> str:
    flags = " ".join(build.flags.arguments)
    return f"compiled by {build.compiler} with -arch={build.architecture}{f' {flags}' if flags else ''}"


def _tensor_cores(tensor: TensorPeaks, target: Target) -> str:
    """Next to what fp32 units give, so that the gain is seen."""
    rates = {
        "fp16 and bf16": tensor.half_flop_per_s,
        "tf32": tensor.tf32_flop_per_s,
        "fp8": tensor.fp8_flop_per_s,
        "fp64": tensor.fp64_flop_per_s,
    }
    shown = ", ".join(f"{rate / 1e12:.4g} {name}" for name, rate in rates.items() if rate is not None)
    fp32 = 2 * target.fp32_lanes_per_sm * target.sm_count * target.clock_hz
    return f"TFLOP/s of dense products by tensor cores, sums in fp32 (fp64: in fp64): {shown}; of fp32 without them: {fp32 / 1e12:.3g}"
