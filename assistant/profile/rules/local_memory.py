"""KO104 register spills, KO117 arrays in local memory: what a thread keeps outside registers."""

from __future__ import annotations

from assistant.model.profile import Grade, Method
from assistant.profile.context import CountedLaunch, FindContext, accesses
from assistant.profile.diagnosis import Diagnosis, Fact
from assistant.profile.rules.places import kernel_line
from assistant.profile.thresholds import threshold
from assistant.profile.wording import number

__all__ = ["local_arrays", "register_spills"]


def register_spills(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO104: ptxas stored registers to local memory. Not modelled: how often the spilling code runs is not known."""
    used = context.resources
    if used is None or used.spill_store_bytes + used.spill_load_bytes < threshold("spill_bytes"):
        return ()
    total = used.spill_store_bytes + used.spill_load_bytes
    return (
        Diagnosis(
            "KO104",
            kernel_line(context, launch.profile),
            f"The compiler spills registers: {number(used.spill_store_bytes)} bytes stored and {number(used.spill_load_bytes)} "
            f"bytes loaded per thread in the code, at {used.registers_per_thread} registers a thread",
            (
                Fact("spill_bytes", float(total), None, Method.PTXAS),
                Fact("registers_per_thread", float(used.registers_per_thread), None, Method.PTXAS),
            ),
        ),
    )


def local_arrays(context: FindContext, launch: CountedLaunch) -> tuple[Diagnosis, ...]:
    """KO117: arrays of a thread that did not fit into registers are used often. Not modelled: how much of them L1 holds is not known."""
    used = context.resources
    local = accesses(launch.profile, "local load", "local store")
    if used is None or not local or used.stack_bytes - used.spill_store_bytes < threshold("stack_bytes"):
        return ()
    local_requests = sum(a.requests for a in local)
    global_requests = sum(a.requests for a in accesses(launch.profile, "global load", "global store"))
    if local_requests < threshold("local_share") * global_requests:
        return ()
    busiest = max(local, key=lambda access: access.requests)
    return (
        Diagnosis(
            "KO117",
            busiest.line,
            f"Each thread keeps {number(used.stack_bytes)} bytes of arrays in local memory, which lies in the GPU's memory: "
            f"{number(local_requests)} local requests of warps against {number(global_requests)} global ones",
            (
                Fact("stack_bytes", float(used.stack_bytes), None, Method.PTXAS),
                Fact("local_requests", float(local_requests), busiest.line, launch.profile.method, Grade.ESTIMATED),
            ),
        ),
    )
